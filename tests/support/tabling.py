"""What the tests of tables share: people in rows, and the mapping that reads them."""

from __future__ import annotations

from pathlib import Path

from kgplatform.model import Notice, Reading
from kgplatform.terms import PP
from support.ingesting import Desk, claim_of, people_mapping

SETTINGS = '[collections.people]\nmapping = "mappings/people.toml"\npaths = ["{id}"]\n'
PEOPLE = people_mapping("staff_id", 'class = "sc:Team"', "label = true") + '\n[[facts]]\ncolumn = "skills"\nrelation = "sc:tag"\n'
HEAD = "staff_id,name,team,since,skills,note\n"
ROW = "1,Ann,Core,2021-03-01,go,x\n"


def people_desk(folder: Path, mapping: str = PEOPLE) -> Desk:
    """A folder with the mapping, whose files are people."""
    (folder / "kgplatform.toml").write_text(SETTINGS)
    desk = Desk(folder)
    desk.lay("mappings/people.toml", mapping)
    return desk


def says(desk: Desk, head: str, tail: str = "") -> Desk:
    desk.lay("mappings/people.toml", head + PEOPLE + tail)
    return desk


def since(reading: Reading, person: str = "1") -> str:
    bound = claim_of(reading, PP.works_for, f"person:{person}").fact.start
    assert bound
    return bound.at[: {"year": 4, "month": 7, "day": 10, "instant": 20}[bound.precision]]


def told(reading: Reading, kind: str) -> list[Notice]:
    return [notice for notice in reading.notices if notice.kind == kind]
