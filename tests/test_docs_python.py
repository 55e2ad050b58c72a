"""docs/python.md and the notebook keep their word: every line runs on the sample world and shows what the page shows."""

from __future__ import annotations

import doctest
import json
import shutil
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient


@pytest.fixture
def beside_the_demo(world: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the sample world as `make demo` leaves it."""
    from kgplatform.model import Principal
    from kgplatform.settings.load import load_settings
    from kgplatform.writing.writer import Writer

    shutil.copytree(world, tmp_path / "demo-data")
    with Writer.open(load_settings(tmp_path / "demo-data")) as writer:
        writer.add_principal(Principal("finance", frozenset({"finance"})))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_page_shows_what_python_says(repo: Path, beside_the_demo: Path) -> None:
    options = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    failed, tried = doctest.testfile(str(repo / "docs/python.md"), module_relative=False, optionflags=options)

    assert 0 == failed
    assert 20 < tried


@pytest.mark.long
def test_the_notebook_runs_and_shows_what_it_holds(repo: Path, beside_the_demo: Path) -> None:
    book = nbformat.read(repo / "docs/first-look.ipynb", as_version=4)  # type: ignore[no-untyped-call]
    expected = [_shown(cell) for cell in book.cells]

    ran = NotebookClient(book, timeout=120, resources={"metadata": {"path": str(beside_the_demo)}}).execute()

    assert expected == [_shown(cell) for cell in ran.cells]


def _shown(cell: nbformat.NotebookNode) -> str:
    """All that a cell shows as text: a kernel sends it in parts as it likes."""
    outputs = json.loads(json.dumps(cell.get("outputs", [])))
    return "".join("".join(each.get("text") or each.get("data", {}).get("text/plain", "")) for each in outputs)
