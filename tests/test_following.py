"""Decisions move to the keys that their mentions have after a newer reading of the same text, on an upgraded directory too."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from support.commandline import done

from kgplatform.ledger.claims import fact_hash
from kgplatform.ledger.decisions import in_force
from kgplatform.model import Candidate, Collection, Decision, Fact, Merge, Reading, Reject
from kgplatform.packs.folders import sample_data
from kgplatform.settings.load import Settings
from kgplatform.terms import LABEL, PP, SC, TYPE, class_node, literal, text_key
from kgplatform.writing.writer import Writer

TEXT = "Tax is owned by Crew."
OLD, NEW = (text_key("memos/a.md", "Crew", class_) for class_ in (SC.Team, PP.Agent))
OTHER = text_key("memos/a.md", "Crew", SC.Component)
WEB, TAX = "team:web", "component:tax"


@pytest.fixture
def writer(tmp_path: Path) -> Iterator[Writer]:
    collections = {name: Collection(name) for name in ("memos", "rows")}
    with Writer.create(Settings(tmp_path / "kg", collections=collections, now="2025-11-01T00:00:00Z")) as opened:
        rows = (Fact(WEB, TYPE, class_node(SC.Team)), Fact(WEB, LABEL, literal("Web")), Fact(TAX, TYPE, class_node(SC.Component)))
        opened.ingest([reading(rows, document="a.csv", collection="rows", extractor="rows/1")])
        yield opened


def reading(facts: tuple[Fact, ...], *, extractor: str, document: str = "a.md", collection: str = "memos", text: str = TEXT) -> Reading:
    claims = tuple(Candidate(fact, 0, len(text), text, extractor.partition("/")[0]) for fact in facts)
    return Reading(collection, document, document, document, text, claims, extractor, is_text=collection == "memos", content=text.encode())


def said(*mentions: str) -> tuple[Fact, ...]:
    return tuple(fact for mention in mentions for fact in (Fact(mention, LABEL, literal("Crew")), Fact(TAX, SC.owned_by, mention)))


def decided(writer: Writer) -> set[Decision]:
    return {row.decision for row in in_force(writer.ledger)}


def projected(writer: Writer) -> list[str]:
    return sorted(map(str, writer.projection.store.quads(writer.projection.store.graph_names())))


def test_a_decision_follows_its_mention_to_the_class_that_a_newer_extractor_expects(writer: Writer) -> None:
    writer.ingest([reading(said(OLD), extractor="rules/2")])
    writer.decide(Merge(OLD, WEB), by="ann")
    writer.ingest([reading(said(NEW), extractor="rules/3")])

    assert {Merge(NEW, WEB)} == decided(writer)
    assert ["ann"] == [row.by for row in in_force(writer.ledger)]
    kept = projected(writer)
    writer.projection.rebuild()
    assert kept == projected(writer)


def test_a_discarded_claim_stays_discarded_when_its_mention_has_another_key(writer: Writer) -> None:
    writer.ingest([reading(said(OLD), extractor="rules/2")])
    writer.decide(Reject("memos/a.md", fact_hash(Fact(TAX, SC.owned_by, OLD))), by="ann")
    writer.ingest([reading(said(NEW), extractor="rules/3")])

    assert {Reject("memos/a.md", fact_hash(Fact(TAX, SC.owned_by, NEW)))} == decided(writer)


@pytest.mark.parametrize("now", [(OLD,), (OTHER,), (NEW, text_key("memos/a.md", "Crew", SC.Group)), ()])
def test_a_decision_stays_where_no_one_mention_is_the_same(writer: Writer, now: tuple[str, ...]) -> None:
    writer.ingest([reading(said(OLD), extractor="rules/2")])
    writer.decide(Merge(OLD, WEB), by="ann")
    writer.ingest([reading(said(*now), extractor="rules/3")])

    assert {Merge(OLD, WEB)} == decided(writer)


def test_another_text_under_the_same_name_moves_nothing(writer: Writer) -> None:
    writer.ingest([reading(said(OLD), extractor="rules/2")])
    writer.decide(Merge(OLD, WEB), by="ann")
    writer.ingest([reading(said(NEW), extractor="rules/3", text="Another text.")])

    assert {Merge(OLD, WEB)} == decided(writer)


def test_what_was_decided_before_an_upgrade_holds_after_the_texts_are_read_again(own_world: Path) -> None:
    """A ledger of format 2 holds `Web (Team)` where its texts are read as `Web (some agent)` now."""
    old, new = (text_key("memos/notify-a.md", "Web", class_) for class_ in (SC.Team, PP.Agent))
    with closing(sqlite3.connect(own_world / "ledger.sqlite", isolation_level=None)) as ledger:
        for column in ("subject", "object"):
            ledger.execute(f"UPDATE claim SET {column} = ? WHERE {column} = ?", (old, new))
        ledger.execute("UPDATE mention SET key = ?, class = ? WHERE key = ?", (old, SC.Team, new))
        ledger.execute("UPDATE version SET extractor = 'rules/2+old' WHERE extractor LIKE 'rules/%'")
    done("doctor")
    assert done("ask", "Who owns Notify?", "--json").json["conflicting"]
    done("merge", old, "team:commerce")
    assert not done("ask", "Who owns Notify?", "--json").json["conflicting"]

    done("ingest", sample_data())
    answer = done("ask", "Who owns Notify?", "--json").json

    assert (["Commerce"], False) == ([item["label"] for item in answer["answers"]], answer["conflicting"])
