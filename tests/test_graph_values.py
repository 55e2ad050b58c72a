"""A graph is opened where there is one, in a plain script too; its values show themselves, and are typed for who uses them."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import kgplatform
from kgplatform.errors import DataDirError, UsageError
from kgplatform.results import GraphResult

# -- opening


def test_what_is_no_data_directory_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(DataDirError, match="no such data directory"):
        kgplatform.open(tmp_path / "none")
    with pytest.raises(UsageError, match="valid_at"):
        kgplatform.open(tmp_path, valid_at="yesterday")
    with pytest.raises(UsageError, match="not the http or https URL|URL of a server"):
        kgplatform.connect("kgdata")


SCRIPT = """
import sys
import kgplatform

print("run")
with kgplatform.open(sys.argv[1]) as graph:
    print(graph.sparql("ASK {{ ?s ?p ?o }}").boolean)
    print(graph.ask("Who owns Tax?").answers[0].label)
"""


def test_a_plain_script_needs_no_guard(world: Path, tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(SCRIPT.replace("{{", "{").replace("}}", "}"), encoding="utf-8")

    done = subprocess.run([sys.executable, str(script), str(world)], capture_output=True, text=True, timeout=120, check=False)

    assert ("run\nTrue\nPlatform\n", "") == (done.stdout, done.stderr)


# -- values


def test_html_shows_no_markup_of_a_document() -> None:
    cited = {name: "" for name in ("version", "claim", "trust", "note")} | {
        "document": "<b>",
        "quote": "<script>",
        "start": 0,
        "end": 8,
        "line": 1,
    }
    citation = kgplatform.Citation.from_dict({**cited, "valid_from": None, "valid_to": None, "scope": []})

    assert "<script>" not in citation._repr_html_() and "<b>" not in citation._repr_html_()


def test_every_value_says_what_it_is() -> None:
    kinds = [kind for kind in GraphResult.__subclasses__()]

    assert 20 < len(kinds)
    assert [] == [kind.__name__ for kind in kinds if not kind.__doc__]


@pytest.mark.long
def test_a_users_own_code_is_checked_by_the_types_of_the_package(repo: Path, tmp_path: Path) -> None:
    shutil.copy(repo / "tests/fixtures/outside/typed.py", tmp_path / "typed.py")
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path / "cache"), "typed.py"]

    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=240, check=False)

    assert (0, "Success: no issues found in 1 source file\n") == (done.returncode, done.stdout)
