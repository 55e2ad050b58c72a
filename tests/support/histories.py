"""What the tests of histories share: a folder of files that change, and a data directory that reads them at set days."""

from __future__ import annotations

import json
import os
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from kgplatform.ledger.base import Ledger
from kgplatform.ledger.document_views import document_entries
from support.commandline import done, kg

SETTINGS = """
default_collection = "notes"
[collections.notes]
kind = "statement"
[collections.memos]
kind = "statement"
paths = ["memos/{date}/{id}"]
[collections.rows]
kind = "snapshot"
trust = "authoritative"
mapping = "rows.toml"
paths = ["rows/{date}/{id}", "rows/{id}"]
[collections.catalogue]
kind = "snapshot"
trust = "authoritative"
paths = ["catalogue/{id}"]
"""
MAPPING = """
[subject]
column = "id"
scheme = "component"
class = "sc:Component"
label = true
[[facts]]
column = "owner"
relation = "sc:owned_by"
scheme = "team"
class = "sc:Team"
label = true
"""
ENTITY = "apiVersion: backstage.io/v1alpha1\nkind: {kind}\nmetadata:\n  name: {name}\n  title: {title}\nspec:\n  type: {type}\n---\n"
CATALOGUE = "".join(
    ENTITY.format(kind=kind, name=title.lower(), title=title, type=type_)
    for kind, type_, titles in (("Component", "service", ("Ledger", "Quill", "Falcon")), ("Group", "team", ("Atlas", "Cobalt", "Delta")))
    for title in titles
)


@dataclass(frozen=True)
class Desk:
    """A folder of files, and the data directory that reads them."""

    root: Path
    monkeypatch: pytest.MonkeyPatch

    def lay(self, path: str, content: str) -> Path:
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(content)
        return target

    def at(self, day: str) -> None:
        """The clock of what follows."""
        self.monkeypatch.setenv("KGPLATFORM_NOW", day)

    def ingest(self, *paths: str, options: tuple[str, ...] = ()) -> dict[str, Any]:
        summary = kg("ingest", *(self.root / path for path in paths), *options, "--json").json
        assert isinstance(summary, dict)
        return summary

    def read(self, path: str, content: str) -> dict[str, Any]:
        """Lay a file and ingest it, singly."""
        self.lay(path, content)
        return self.ingest(path)

    def ask(self, question: str) -> dict[str, Any]:
        answer = json.loads(kg("ask", question, "--json").out)
        assert isinstance(answer, dict)
        return answer

    def owner(self, of: str = "Ledger", when: str = "") -> str:
        """The names of who owns it, or the outcome."""
        answer = self.ask(f"Who owned {of} in {when}?" if when else f"Who owns {of}?")
        names = [item["label"] for item in answer["answers"]]
        return ", ".join(sorted(names)) or str(answer["outcome"])

    def documents(self) -> list[str]:
        with closing(Ledger.open(Path(os.environ["KGPLATFORM_DATA"]) / "ledger.sqlite")) as ledger:
            return [each.name for each in document_entries(ledger, frozenset())]


def owned(who: str, *, of: str = "Ledger", date: str = "") -> str:
    front = f"---\ndate: {date}\n---\n\n" if date else ""
    return f"{front}{of} is owned by {who}.\n"


def names(summary: dict[str, Any]) -> list[str]:
    return [each["what"] for each in summary["problems"]]


def history_desk(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    """A data directory that read a catalogue in January 2025, on 1 March 2026."""
    (folder / "kgplatform.toml").write_text(SETTINGS)
    (folder / "rows.toml").write_text(MAPPING)
    monkeypatch.setenv("KGPLATFORM_DATA", str(folder / "kgdata"))
    desk = Desk(folder, monkeypatch)
    desk.at("2025-01-01")
    done("--config", folder / "kgplatform.toml", "init")
    desk.read("catalogue/catalog.yaml", CATALOGUE)
    desk.at("2026-03-01")
    return desk
