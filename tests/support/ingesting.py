"""What the ingest tests share: a folder with settings of its own, read with the real ontology."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from kgplatform.ingest.files import read_paths
from kgplatform.model import PASSED_OVER, Candidate, Problem, Reading
from kgplatform.packs.folders import ontology_text
from kgplatform.schema import Schema, load_schema
from kgplatform.settings.load import Settings, load_settings


def people_mapping(id_: str, *team: str) -> str:
    """A mapping of people by an id, with their names and teams; `team` are further keys of the rule of the team."""
    rules = f"""
[subject]
column = "{id_}"
scheme = "person"
class = "pp:Person"

[[facts]]
column = "name"
relation = "rdfs:label"

[[facts]]
column = "team"
relation = "pp:works_for"
scheme = "team"
slug = true
from = "since"
"""
    return rules + "".join(f"{key}\n" for key in team)


@cache
def schema() -> Schema:
    return load_schema(ontology_text(("people-places", "service-catalog")))


@dataclass(frozen=True)
class Desk:
    """A folder in which a test lays files and reads them."""

    root: Path

    def lay(self, path: str, content: str | bytes) -> Path:
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content if isinstance(content, bytes) else content.encode())
        return target

    def exclude(self, *lines: str, collection: str = "") -> None:
        """Set patterns of excluded files, for all collections or for one."""
        table = f"[collections.{collection}]\n" if collection else ""
        path, line = self.root / "kgplatform.toml", f"{table}exclude = {json.dumps(lines)}\n"
        text = path.read_text()
        path.write_text(text.replace(table, line) if table else line + text)

    @property
    def settings(self) -> Settings:
        return load_settings(self.root / "kgdata", config=self.root / "kgplatform.toml")

    def read(self, *paths: str, collection: str = "", document: str = "", declared: str = "") -> tuple[list[Reading], list[Problem]]:
        """Readings, and every problem: of files that were not read and of parts of those that were, but not what was passed over."""
        found = list(
            read_paths(
                [self.root / path for path in paths or (".",)],
                settings=self.settings,
                schema=schema(),
                collection=collection,
                document=document,
                declared=declared,
            )
        )
        readings = [item for item in found if isinstance(item, Reading)]
        problems = [item for item in found if isinstance(item, Problem) and item.reason not in PASSED_OVER]
        return readings, problems + [problem for reading in readings for problem in reading.problems]

    def one(self, path: str, content: str | bytes) -> Reading:
        """The reading of one file that has nothing wrong."""
        self.lay(path, content)
        readings, problems = self.read(path)
        assert [] == problems
        (reading,) = readings
        assert_quotes(reading)
        return reading

    def wrong(self, path: str, content: str | bytes) -> Problem:
        """The one problem that a file gives."""
        self.lay(path, content)
        _, problems = self.read(path)
        (problem,) = problems
        return problem


def assert_quotes(reading: Reading) -> None:
    for claim in reading.claims:
        assert reading.text[claim.start : claim.end] == claim.quote
        assert len(claim.quote) <= 300


def facts(reading: Reading) -> set[tuple[str, str, str]]:
    return {(c.fact.subject, c.fact.relation, c.fact.object) for c in reading.claims}


def claim_of(reading: Reading, relation: str, subject: str = "") -> Candidate:
    """The one claim of a relation (and subject)."""
    (claim,) = [c for c in reading.claims if c.fact.relation == relation and subject in ("", c.fact.subject)]
    return claim
