"""Which readings of a document count: reruns of an extractor over dated series, versions of one date, collections opened later."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pyoxigraph as ox
import pytest
from test_writer import FIRST, NEEDS, OWNED, SECOND, TYPES, reading

from kgplatform.model import Collection, Reading
from kgplatform.packs import folders
from kgplatform.schema import load_schema
from kgplatform.settings.load import Settings
from kgplatform.terms import SC
from kgplatform.times import parse_stated
from kgplatform.views.opening import open_view
from kgplatform.views.view import View
from kgplatform.writing.account import IngestFigures
from kgplatform.writing.batches import batches, read_ahead
from kgplatform.writing.extraction import with_claims
from kgplatform.writing.writer import Writer

COLLECTIONS = {"rows": Collection("rows", "snapshot", trust="authoritative"), "memos": Collection("memos", "statement")}


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(tmp_path / "kg", collections=COLLECTIONS, now="2025-11-01T00:00:00Z")


def relations(settings: Settings, *, valid_at: str = "") -> set[str]:
    with open_view(settings, valid_at=valid_at) as view:
        return {triple.predicate.value for triple in view.triples() if triple.predicate.value.startswith(str(SC))}


def rerun(*read: Reading, extractor: str) -> list[Reading]:
    return [replace(one, extractor=extractor) for one in read]


SERIES = (reading(*TYPES, OWNED), reading(*TYPES, declared=SECOND))


def test_a_rerun_of_an_extractor_over_a_dated_series_leaves_every_version_on_its_date(settings: Settings) -> None:
    with Writer.create(settings) as writer:
        writer.ingest(SERIES)
        summary = writer.ingest(rerun(*SERIES, extractor="rows/2"))
        again = writer.ingest(rerun(*SERIES, extractor="rows/2"))

    assert (0, 7) == (summary.claims_new, summary.claims_unchanged)
    assert (0, 7) == (again.claims_new, again.claims_unchanged)
    assert set() == relations(settings), "what the newest version no longer says stays ended"
    assert {SC.owned_by} == relations(settings, valid_at="2024-03-01T00:00:00Z")


def test_a_rerun_of_an_older_version_replaces_what_was_read_of_it(settings: Settings) -> None:
    older = replace(reading(*TYPES, NEEDS), content=SERIES[0].content)
    with Writer.create(settings) as writer:
        writer.ingest(SERIES)
        writer.ingest(rerun(older, SERIES[1], extractor="rows/2"))

    assert set() == relations(settings)
    assert {SC.depends_on} == relations(settings, valid_at="2024-03-01T00:00:00Z")


def test_going_back_to_an_older_extractor_brings_back_what_it_found(settings: Settings) -> None:
    with Writer.create(settings) as writer:
        writer.ingest([SERIES[0]])
        writer.ingest(rerun(replace(reading(*TYPES), content=SERIES[0].content), extractor="rows/2"))
        writer.ingest([SERIES[0]])

    assert {SC.owned_by} == relations(settings)


@pytest.mark.parametrize("declared", ["", "2052-01-01T00:00:00Z"])
def test_of_two_versions_of_one_date_the_later_says_what_holds(settings: Settings, declared: str) -> None:
    with Writer.create(settings) as writer:
        writer.ingest([reading(*TYPES, document="types.csv", declared=FIRST)])
        writer.ingest([reading(OWNED, declared=declared)])
        writer.ingest([reading(NEEDS, declared="")])

    at = declared and "2052-02-01T00:00:00Z"
    assert {SC.depends_on} == relations(settings, valid_at=at)


def test_a_version_of_the_same_date_ends_what_an_earlier_one_said(settings: Settings) -> None:
    with Writer.create(settings) as writer:
        writer.ingest([reading(*TYPES, OWNED), reading(*TYPES, OWNED, NEEDS, declared="")])
        writer.ingest([reading(*TYPES, declared="")])

    assert set() == relations(settings)
    assert {SC.owned_by} == relations(settings, valid_at="2024-03-01T00:00:00Z")


def test_a_version_of_the_same_date_that_was_not_read_whole_replaces_nothing(settings: Settings) -> None:
    with Writer.create(settings) as writer:
        writer.ingest([reading(*TYPES, OWNED, declared="")])
        writer.ingest([replace(reading(*TYPES, NEEDS, declared=""), complete=False)])

    assert {SC.owned_by, SC.depends_on} == relations(settings)


def test_a_collection_that_is_opened_later_is_read_again_with_the_types_that_its_slots_expect(settings: Settings) -> None:
    schema = load_schema(folders.ontology_text(settings.packs), folders.shapes_text(settings.packs))
    with Writer.create(settings) as writer:
        assert {"unknown-subject-type": 1} == writer.ingest(with_claims([reading(OWNED)], schema=schema, settings=settings)).reasons
    opened = replace(settings, collections={**COLLECTIONS, "rows": replace(COLLECTIONS["rows"], typed="open")})
    with Writer.open(opened) as writer:
        summary = writer.ingest(with_claims([reading(OWNED)], schema=schema, settings=opened))

    assert (2, 1) == (summary.claims_new, summary.claims_unchanged)
    assert {SC.owned_by} == relations(opened)


def test_an_instant_beyond_the_calendar_is_no_date() -> None:
    for text in ("0001-01-01T00:00:00+05:00", "9999-12-31T23:00:00-05:00"):
        with pytest.raises(ValueError, match="beyond the years"):
            parse_stated(text)


def test_a_document_that_becomes_a_text_is_trusted_like_texts_of_its_collection(tmp_path: Path) -> None:
    collections = {"memos": Collection("memos", trust="authoritative", texts="extracted")}
    settings = Settings(tmp_path / "kg", collections=collections, now="2025-11-01T00:00:00Z")
    record = reading(*TYPES, OWNED, collection="memos")
    with Writer.create(settings) as writer:
        writer.ingest([record])
        writer.ingest([replace(record, is_text=True, declared=SECOND, content=b"now a text")])

    with open_view(settings) as view:
        assert {"extracted"} == {citation.trust for cited in view.citations(assertions(view)).values() for citation in cited}


def assertions(view: View) -> set[str]:
    return {triple.subject.value for triple in view.record_triples() if isinstance(triple.subject, ox.NamedNode)}


def test_a_batch_holds_no_more_bytes_than_may_wait_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kgplatform.writing.batches.BATCH_BYTES", 100)
    read = [replace(reading(document=f"{number}.md"), content=b"x" * size) for number, size in enumerate((60, 40, 1, 99, 500, 3))]

    assert [2, 2, 1, 1] == [len(batch) for batch in batches(read, IngestFigures())]
    taken = iter(read)
    read_ahead(taken)
    assert [99, 500, 3] == [len(left.content) for left in taken]
