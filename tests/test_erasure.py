"""What of an erased document is looked for, and how."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from test_writer import SECRET, TAX, TYPES, reading

from kgplatform.ledger.residue import Sought, still_said
from kgplatform.model import Collection, Fact, Principal
from kgplatform.settings.load import Settings
from kgplatform.terms import LABEL, SC, literal
from kgplatform.writing.writer import Writer

QUOTED = 'He said "quite\nunlikely" of Zanzibar'


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    collections = {"rows": Collection("rows", "snapshot", trust="authoritative"), "memos": Collection("memos")}
    return Settings(tmp_path / "kg", collections=collections, now="2025-11-01T00:00:00Z")


@pytest.fixture
def writer(settings: Settings) -> Iterator[Writer]:
    with Writer.create(settings) as opened:
        opened.ingest([reading(*TYPES)])
        yield opened


def test_a_value_that_another_document_says_too_is_not_looked_for_however_the_ledger_spells_it(writer: Writer) -> None:
    label = Fact(TAX, LABEL, literal(QUOTED))
    writer.ingest([reading(label, collection="memos", document=name) for name in ("gone.md", "kept.md")])
    erased = writer.purge(writer.erase("memos/gone.md"))

    assert QUOTED not in erased.strings
    assert "purged" == erased.receipt.state


def test_a_value_of_a_qualifier_is_looked_for(writer: Writer) -> None:
    noted = Fact(TAX, SC.annotation, literal("x"), qualifiers=((SC.annotation_key, literal(QUOTED)),))
    writer.ingest([reading(noted, collection="memos", document="gone.md")])

    assert QUOTED in writer.erase("memos/gone.md").strings


def test_what_a_principal_is_called_does_not_hinder_a_purge(writer: Writer) -> None:
    writer.ingest([reading(*TYPES, collection="memos", document="the-quite-unlikely-one")])
    writer.add_principal(Principal("the-quite-unlikely-one"))
    erased = writer.purge(writer.erase("memos/the-quite-unlikely-one"))

    assert "purged" == erased.receipt.state


def test_each_string_is_found_in_every_spelling_and_inside_a_longer_one() -> None:
    sought = Sought([QUOTED, "Zanzibar"])

    assert {QUOTED, "Zanzibar"} == sought.those_in(literal(QUOTED).encode())
    assert {"Zanzibar"} == sought.those_in(b"to Zanzibar")
    assert sought.is_in(b"id/text/memos%7CHe%20said%20%22quite%0Aunlikely%22%20of%20Zanzibar")
    assert not sought.is_in(b"Zanzi" + SECRET.encode().lower().replace(b"zanzibar", b""))
    assert not Sought([]).is_in(b"anything")


def test_all_strings_are_looked_for_in_one_pass_over_the_ledger(writer: Writer) -> None:
    """One pass for each would take hours for a table of ten thousand rows (measured: 128 ms a string, at 40,000 claims)."""
    ran: list[str] = []
    writer.ledger.db.set_trace_callback(ran.append)
    found = still_said(writer.ledger, [SECRET, *(f"no such string {number}" for number in range(1000))])

    assert ({SECRET}, 1) == (found, len(ran))
