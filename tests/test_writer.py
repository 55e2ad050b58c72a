"""The writer: what ingest, erase, decisions and principals do to a real data directory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from kgplatform.errors import LockedError, UnknownName
from kgplatform.ledger.citations import citations
from kgplatform.model import Candidate, Collection, Fact, KeepApart, Merge, Principal, Problem, Reading
from kgplatform.packs import folders
from kgplatform.schema import load_schema
from kgplatform.settings.load import Settings
from kgplatform.terms import KG, LABEL, RDFS, SC, TYPE, class_node, literal
from kgplatform.times import parse_stated
from kgplatform.views.opening import open_view
from kgplatform.writing.writer import Writer

TAX, CART, WEB = "component:tax", "component:cart", "team:web"
FIRST, SECOND = "2024-01-01T00:00:00Z", "2024-06-01T00:00:00Z"
TYPES = (Fact(TAX, TYPE, class_node(SC.Component)), Fact(CART, TYPE, class_node(SC.Component)), Fact(WEB, TYPE, class_node(SC.Team)))
OWNED = Fact(TAX, SC.owned_by, WEB)
NEEDS = Fact(CART, SC.depends_on, TAX)
SECRET = "quite-unlikely-Zanzibar-7731"


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    collections = {
        "rows": Collection("rows", "snapshot", trust="authoritative"),
        "memos": Collection("memos", "statement"),
        "finance": Collection("finance", "statement", frozenset({"finance"})),
    }
    return Settings(tmp_path / "kg", collections=collections, now="2025-11-01T00:00:00Z")


@pytest.fixture
def writer(settings: Settings) -> Iterator[Writer]:
    with Writer.create(settings) as opened:
        yield opened


def reading(*facts: Fact, collection: str = "rows", document: str = "a.csv", declared: str = FIRST, extractor: str = "rows/1") -> Reading:
    claims = tuple(Candidate(fact, 0, len(SECRET), SECRET, extractor.partition("/")[0]) for fact in facts)
    return Reading(
        collection, document, document, document, SECRET, claims, extractor, declared=declared, content=f"{SECRET} {facts!r}".encode()
    )


def facts(settings: Settings, name: str = "", *, valid_at: str = "", recorded_at: str = "") -> set[tuple[str, ...]]:
    with open_view(settings, name, valid_at=valid_at, recorded_at=recorded_at) as view:
        rows = view.query("SELECT ?s ?p ?o { ?s ?p ?o }").rows()
        found = {tuple(str(row[name].value) for name in "spo") for row in rows}
    return {triple for triple in found if triple[1].startswith(str(SC))}


OWNED_TRIPLE = ("https://kg.example/id/component/tax", SC.owned_by, "https://kg.example/id/team/web")


def test_what_is_read_twice_is_unchanged(writer: Writer) -> None:
    first = writer.ingest([reading(*TYPES, OWNED)])
    second = writer.ingest([reading(*TYPES, OWNED)])

    assert (4, 0, 4, 0) == (first.claims_new, first.claims_unchanged, first.accepted, first.quarantined)
    assert (0, 4, 0) == (second.claims_new, second.claims_unchanged, second.documents_new)


def test_what_was_normalised_on_the_way_to_a_claim_stands_in_its_citation(writer: Writer, settings: Settings) -> None:
    plain = reading(*TYPES, OWNED)
    noted = replace(plain, claims=tuple(claim._replace(note="day first, as the mapping says") for claim in plain.claims))
    writer.ingest([noted])

    ids = [str(row[0]) for row in writer.ledger.rows("SELECT id FROM claim")]
    cited = citations(writer.ledger, ids, frozenset(), base=settings.base_iri)
    assert {"day first, as the mapping says"} == {citation.note for citation in cited.values()}


def test_an_equal_claim_of_one_reading_counts_once(writer: Writer) -> None:
    assert 4 == writer.ingest([reading(*TYPES, OWNED, OWNED)]).claims_read


def test_problems_are_passed_on_and_the_rest_goes_on(writer: Writer) -> None:
    summary = writer.ingest([Problem("x.yaml:3", "no YAML"), reading(*TYPES)])

    assert ["x.yaml:3"] == [problem.where for problem in summary.problems]
    assert 3 == summary.accepted


def test_a_claim_with_an_unknown_argument_waits_for_its_type(writer: Writer, settings: Settings) -> None:
    summary = writer.ingest([reading(OWNED)])
    writer.ingest([reading(*TYPES, document="types.csv")])
    writer.projection.publish()

    assert {"unknown-subject-type": 1} == summary.reasons
    assert {OWNED_TRIPLE} == facts(settings)


def test_a_snapshot_ends_what_it_no_longer_says(writer: Writer, settings: Settings) -> None:
    writer.ingest([reading(*TYPES, OWNED), reading(*TYPES, declared=SECOND)])
    writer.projection.publish()

    assert set() == facts(settings)
    assert {OWNED_TRIPLE} == facts(settings, valid_at="2024-03-01T00:00:00Z")


def test_a_version_that_was_not_read_whole_ends_nothing(writer: Writer, settings: Settings) -> None:
    writer.ingest([reading(*TYPES, OWNED), replace(reading(*TYPES, declared=SECOND), complete=False)])
    writer.projection.publish()

    assert {OWNED_TRIPLE} == facts(settings)


def test_another_extractor_ends_nothing_by_what_it_does_not_find(writer: Writer, settings: Settings) -> None:
    writer.ingest([reading(*TYPES, OWNED), reading(*TYPES, declared=SECOND, extractor="rows/2")])
    writer.projection.publish()

    assert {OWNED_TRIPLE} == facts(settings)


def test_a_rerun_of_an_extractor_replaces_its_claims(writer: Writer, settings: Settings) -> None:
    before = reading(*TYPES, OWNED)
    writer.ingest([before])
    writer.ingest([replace(reading(*TYPES, NEEDS), content=before.content, extractor="rows/2")])
    writer.projection.publish()

    assert {SC.depends_on} == {predicate for _s, predicate, _o in facts(settings)}


def test_a_file_that_reverts_makes_its_facts_live_again(writer: Writer, settings: Settings) -> None:
    writer.ingest([reading(*TYPES, OWNED), reading(*TYPES, declared=SECOND), reading(*TYPES, OWNED, declared="2025-01-01T00:00:00Z")])
    writer.projection.publish()

    assert {OWNED_TRIPLE} == facts(settings)
    assert set() == facts(settings, valid_at="2024-09-01T00:00:00Z")


def test_a_statement_retracts_what_its_new_version_no_longer_says(writer: Writer, settings: Settings) -> None:
    writer.ingest([reading(*TYPES), reading(OWNED, collection="memos"), reading(NEEDS, collection="memos", declared=SECOND)])
    writer.projection.publish()

    assert {SC.depends_on} == {predicate for _s, predicate, _o in facts(settings)}
    assert OWNED_TRIPLE not in facts(settings, valid_at="2024-03-01T00:00:00Z")


def test_a_fact_with_two_sources_survives_the_loss_of_one(writer: Writer, settings: Settings) -> None:
    writer.ingest([reading(*TYPES, OWNED), reading(OWNED, collection="memos")])
    writer.erase("memos/a.csv")
    writer.projection.publish()

    assert {OWNED_TRIPLE} == facts(settings)


def test_a_confidential_fact_is_there_for_who_holds_its_scope_and_nobody_else(writer: Writer, settings: Settings) -> None:
    writer.add_principal(Principal("fin", frozenset({"finance"})))
    writer.ingest([reading(*TYPES), reading(OWNED, collection="finance")])
    writer.projection.publish()

    assert {OWNED_TRIPLE} == facts(settings, "fin")
    assert set() == facts(settings)


def test_a_new_audience_is_derived_before_its_first_use(writer: Writer, settings: Settings) -> None:
    writer.ingest([reading(*TYPES), reading(OWNED, collection="finance")])
    writer.add_principal(Principal("fin", frozenset({"finance"})))

    assert {OWNED_TRIPLE} == facts(settings, "fin")


def test_a_document_can_only_tighten_its_scopes(writer: Writer, settings: Settings) -> None:
    writer.ingest([reading(*TYPES), replace(reading(OWNED, collection="memos"), scopes=frozenset({"finance"}))])
    writer.ingest([replace(reading(OWNED, NEEDS, collection="memos", declared=SECOND), scopes=frozenset())])
    writer.projection.publish()

    assert set() == facts(settings)


def test_as_known_earlier_leaves_out_what_was_recorded_later(settings: Settings) -> None:
    with Writer.create(replace(settings, now="2025-01-01T00:00:00Z")) as writer:
        writer.ingest([reading(*TYPES)])
    with Writer.open(replace(settings, now="2025-05-01T00:00:00Z")) as writer:
        writer.ingest([reading(OWNED, document="b.csv")])

    assert {OWNED_TRIPLE} == facts(settings)
    assert set() == facts(settings, recorded_at="2025-03-01T00:00:00Z")
    assert {OWNED_TRIPLE} == facts(settings, recorded_at="2025-06-01T00:00:00Z")


def test_what_begins_later_holds_when_its_time_has_come_without_a_writer(settings: Settings) -> None:
    with Writer.create(settings) as writer:
        writer.ingest([reading(*TYPES, OWNED._replace(start=parse_stated("2025-12-24")))])

    assert set() == facts(settings)
    assert {OWNED_TRIPLE} == facts(replace(settings, now="2025-12-25T00:00:00Z"))


def test_the_number_of_a_decision_does_not_count_those_before_it(writer: Writer, tmp_path: Path) -> None:
    """A running number would tell how many rest on what one may not see."""
    merge, hidden = Merge(TAX, "asset:levy"), KeepApart(TAX, CART, frozenset({"finance"}))
    with Writer.create(replace(writer.settings, data=tmp_path / "other")) as other:
        first = other.decide(merge, by="test")
    writer.decide(hidden, by="test")

    assert first == writer.decide(merge, by="test")
    assert first != writer.decide(merge, by="test")


def test_undoing_a_merge_equals_never_having_merged(writer: Writer, settings: Settings) -> None:
    writer.ingest([reading(*TYPES, OWNED, Fact("asset:levy", TYPE, class_node(SC.Component)), Fact(CART, SC.depends_on, "asset:levy"))])
    writer.projection.publish()
    before = facts(settings)
    decision = writer.decide(Merge(TAX, "asset:levy"), by="test")
    writer.projection.publish()
    merged = facts(settings)
    writer.undo(decision)
    writer.projection.publish()

    assert before == facts(settings) != merged
    assert all("component/tax" not in part for triple in merged for part in triple), "the smallest key is canonical"


def test_a_second_writer_is_told_that_another_process_writes(writer: Writer, settings: Settings) -> None:
    with pytest.raises(LockedError, match="another process is writing here"):
        Writer.open(settings)


def test_erasing_an_unknown_document_says_how_documents_are_named(writer: Writer) -> None:
    with pytest.raises(UnknownName, match="collection/id"):
        writer.erase("memos/none.md")


def test_after_a_purge_no_byte_of_the_data_directory_holds_what_was_erased(settings: Settings) -> None:
    secret = Fact(TAX, LABEL, literal(SECRET.upper()))
    with Writer.create(settings) as writer:
        writer.ingest([reading(*TYPES), reading(OWNED, secret, collection="memos", document="gone.md")])
    assert found_in(settings.data), "the planted text must be findable before"

    with Writer.open(settings) as writer:
        erased = writer.erase("memos/gone.md")
        assert "erased" == erased.receipt.state
        writer.purge(erased)
        erased = writer.purge(writer.erase("rows/a.csv"))

    assert ("purged", ()) == (erased.receipt.state, erased.receipt.found)
    assert SECRET in erased.strings
    assert [] == found_in(settings.data)


def found_in(data: Path) -> list[str]:
    needles = [SECRET.encode(), SECRET.upper().encode(), SECRET.encode("utf-16-le"), b"gone.md"]
    return [str(p.relative_to(data)) for p in sorted(data.rglob("*")) if p.is_file() and any(n in p.read_bytes() for n in needles)]


def test_a_release_that_widens_a_range_frees_what_was_quarantined(writer: Writer, settings: Settings) -> None:
    rotation = Fact("rotation:r7", TYPE, class_node(SC.Rotation))
    owned = Fact(TAX, SC.owned_by, "rotation:r7")
    assert {"wrong-object-type": 1} == writer.ingest([reading(*TYPES, rotation, owned)]).reasons

    ontology = folders.ontology_text(settings.packs)
    rotation_is_group = f"<{SC.Rotation}> <{RDFS.subClassOf}> <{SC.Group}> ."
    wider = f"{ontology}\n{rotation_is_group}\n"
    load_schema(wider, folders.shapes_text(settings.packs))
    writer.release(wider, "")
    writer.projection.publish()

    assert {SC.owned_by} == {predicate for _s, predicate, _o in facts(settings)}


def test_a_purge_that_leaves_a_copy_behind_is_not_called_purged(settings: Settings) -> None:
    with Writer.create(settings) as writer:
        writer.ingest([reading(*TYPES, document="gone.md")])
        (settings.data / "copy.txt").write_text(f"notes: {SECRET}")
        erased = writer.purge(writer.erase("rows/gone.md"))

    assert ("erased", ("copy.txt",)) == (erased.receipt.state, erased.receipt.found)


def test_a_string_that_another_document_says_too_does_not_hinder_a_purge(settings: Settings) -> None:
    with Writer.create(settings) as writer:
        writer.ingest([reading(*TYPES), reading(OWNED, collection="memos")])
        erased = writer.purge(writer.erase("memos/a.csv"))

    assert "purged" == erased.receipt.state
    assert SECRET not in erased.strings


def test_who_wants_authoritative_facts_only_is_shown_no_others_by_any_way(writer: Writer, settings: Settings) -> None:
    writer.add_principal(Principal("strict", min_trust="authoritative"))
    writer.ingest([reading(*TYPES, OWNED), reading(OWNED, NEEDS, collection="memos")])
    writer.projection.publish()

    assert {SC.owned_by, SC.depends_on} == {predicate for _s, predicate, _o in facts(settings)}
    assert {OWNED_TRIPLE} == facts(settings, "strict")
    assert {OWNED_TRIPLE} == facts(settings, "strict", valid_at="2025-01-01T00:00:00Z")
    with open_view(settings, "strict") as view:
        said = view.query("SELECT ?c { ?c kg:trust 0 }".replace("kg:trust", f"<{KG.trust}>"), dataset="full").table()
    assert [] == said


def test_what_a_later_batch_frees_counts_as_accepted(writer: Writer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kgplatform.writing.batches.BATCH_CLAIMS", 1)
    unknown = Fact(TAX, SC.owned_by, "team:nobody")
    summary = writer.ingest([reading(OWNED, NEEDS, unknown), reading(*TYPES, document="types.csv")])

    assert (6, 5, 1) == (summary.claims_new, summary.accepted, summary.quarantined)
    assert {"unknown-object-type": 1} == summary.reasons


def test_a_quarantined_claim_that_a_later_version_takes_back_stays_counted(writer: Writer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kgplatform.writing.batches.BATCH_CLAIMS", 1)
    memo = reading(OWNED, collection="memos", document="m.md")
    summary = writer.ingest([memo, reading(*TYPES), reading(NEEDS, collection="memos", document="m.md", declared=SECOND)])

    assert (5, 4, 1) == (summary.claims_new, summary.accepted, summary.quarantined)
