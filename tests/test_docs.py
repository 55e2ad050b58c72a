"""The pages keep their word: every `$ kgplatform` line of a ```console block runs, and prints the text below it.

The commands of one page run in order in one fresh directory, in this process, at the clock of the sample world.
Each line below a command must stand in its output, in that order; a line of three dots stands for anything.
A block with `exit 1` after its `console` has commands that fail.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from kgplatform.cli import main

REPO = Path(__file__).resolve().parent.parent
PAGES = [REPO / "README.md", *sorted((REPO / "docs").glob("*.md"))]
_BLOCK = re.compile(r"^```console(?: exit (\d))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\(([^)#\s]+\.md|[^)#\s]+/)(?:#[^)]*)?\)")


class Step(NamedTuple):
    command: str
    expected: tuple[str, ...]
    exit_code: int


def steps(text: str) -> Iterator[Step]:
    for match in _BLOCK.finditer(text):
        lines: list[str] = []
        command = ""
        for line in [*match[2].splitlines(), "$ "]:
            if line.startswith("$ "):
                if command:
                    yield Step(command, tuple(lines), int(match[1] or 0))
                command, lines = line[2:], []
            else:
                lines.append(line)


def missing(expected: tuple[str, ...], output: str) -> str:
    """The first expected line that does not stand in the output after the one before it; '' if all do."""
    rest = " ".join(output.split())
    for line in expected:
        wanted = " ".join(line.split())
        if wanted == "...":
            continue
        _before, found, rest = rest.partition(wanted)
        if not found:
            return line
    return ""


WITH_COMMANDS = [page for page in PAGES if _BLOCK.search(page.read_text(encoding="utf-8"))]


@pytest.mark.parametrize("page", WITH_COMMANDS, ids=lambda page: page.name)
def test_every_command_of_a_page_prints_what_the_page_shows(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("KGPLATFORM_NOW", "2025-11-01")
    monkeypatch.setenv("COLUMNS", "200")

    for step in steps(page.read_text(encoding="utf-8")):
        words = shlex.split(step.command)
        if words[0] == "cat":
            (tmp_path / words[2]).write_text("\n".join(step.expected) + "\n", encoding="utf-8")
            continue
        assert "kgplatform" == words[0], f"{page.name}: the runner knows kgplatform and `cat > FILE` only: {step.command}"
        code = main(words[1:])
        out, err = capfd.readouterr()
        assert step.exit_code == code, f"{page.name}: $ {step.command}\n{err}"
        assert "" == missing(step.expected, out + err), f"{page.name}: $ {step.command}\n{out}{err}"


def test_every_page_of_a_user_group_shows_commands() -> None:
    shown = {page.name for page in WITH_COMMANDS}

    assert {"README.md", "data-teams.md", "data-stewards.md", "ontology-editors.md", "everyone.md", "sample-world.md"} <= shown


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_to_a_page_leads_to_one(page: Path) -> None:
    links = [match[1] for match in _LINK.finditer(page.read_text(encoding="utf-8")) if "://" not in match[1]]

    assert [] == [link for link in links if not (page.parent / link).exists()]


def test_every_command_stands_in_the_reference() -> None:
    from kgplatform.cli import cli

    text = (REPO / "docs/command-line.md").read_text(encoding="utf-8")

    assert [] == [name for name in cli.commands if f"`{name}" not in text]


def test_a_missing_line_is_noticed() -> None:
    assert "" == missing(("R7", "...", "Platform"), "R7 is on call\nfor  Platform")
    assert "R7" == missing(("Platform", "R7"), "R7 is on call for Platform")


def test_the_runner_reads_commands_with_what_follows_them() -> None:
    text = "```console\n$ kgplatform a\none\n$ kgplatform b\n```\n```console exit 1\n$ kgplatform c\n```\n"

    assert [Step("kgplatform a", ("one",), 0), Step("kgplatform b", (), 0), Step("kgplatform c", (), 1)] == list(steps(text))
