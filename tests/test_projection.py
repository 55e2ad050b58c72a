"""Keeping the projection right: refused ends, failed projections, killed erasures, changed settings, discarded claims."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from test_writer import CART, NEEDS, OWNED, SECOND, SECRET, TAX, TYPES, WEB, found_in, reading

from kgplatform.admin.backup import backup, restore
from kgplatform.curation.identity import take_back
from kgplatform.curation.review import conflicts, discard, quarantined, retry
from kgplatform.derive.derivation import derive
from kgplatform.errors import OntologyError, StoreError, UnknownName, UsageError
from kgplatform.ledger.decisions import in_force
from kgplatform.model import Collection, Fact, Merge, Principal
from kgplatform.packs import folders
from kgplatform.projection.graphs import AUDIENCES, quads_of
from kgplatform.projection.ground import whole
from kgplatform.settings.load import Settings
from kgplatform.terms import EXPECTED_TYPE, KG, LABEL, PP, SC, SH, TYPE, XSD, class_node, literal, text_key
from kgplatform.times import parse_stated
from kgplatform.views.opening import open_view
from kgplatform.writing.writer import Writer

FINANCE = frozenset({"finance"})


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    collections = {
        "rows": Collection("rows", "snapshot", trust="authoritative"),
        "memos": Collection("memos", "statement"),
        "finance": Collection("finance", "statement", FINANCE),
    }
    return Settings(tmp_path / "kg", collections=collections, now="2025-11-01T00:00:00Z")


@pytest.fixture
def writer(settings: Settings) -> Iterator[Writer]:
    with Writer.create(settings) as opened:
        opened.ingest([reading(*TYPES)])
        yield opened


def differences(writer: Writer) -> set[str]:
    """Quads that only the kept-up projection has, or only the one from scratch."""
    now = writer.projection.present()
    names = (name for name in writer.projection.store.graph_names() if name != AUDIENCES)
    derived = quads_of(derive(whole(writer.ledger), writer.projection.rules(now)).units())
    return {str(q) for q in writer.projection.store.quads(names)} ^ {str(q) for q in derived if AUDIENCES not in str(q.graph_name)}


def said(settings: Settings, name: str = "") -> set[tuple[str, str, str]]:
    with open_view(settings, name) as view:
        return {(str(t.subject.value), t.predicate.value, str(t.object.value)) for t in view.triples()}  # type: ignore[union-attr]


@pytest.mark.parametrize("wrong", [literal("Tax"), class_node(SC.Component)])
def test_what_is_no_entity_at_the_end_of_an_inverse_relation_is_quarantined_and_counted(writer: Writer, wrong: str) -> None:
    summary = writer.ingest([reading(Fact(WEB, SC.owns, wrong), document="b.csv")])

    assert (0, {"malformed-value": 1}) == (summary.accepted, summary.reasons)
    assert set() == differences(writer)


def test_a_type_that_was_refused_does_not_hide_the_type_that_a_slot_expects(writer: Writer, settings: Settings) -> None:
    odd = Fact("component:odd", TYPE, class_node(SC.Nonsense))
    writer.ingest([reading(Fact("component:odd", EXPECTED_TYPE, class_node(SC.Component)), odd, document="b.csv")])
    writer.projection.publish()

    assert ("https://kg.example/id/component/odd", TYPE, SC.Component) in said(settings)


def test_a_type_that_a_slot_expects_holds_when_its_time_has_come(settings: Settings) -> None:
    with Writer.create(settings) as writer:
        writer.ingest([reading(*TYPES)])
        late = Fact("component:late", EXPECTED_TYPE, class_node(SC.Component))
        writer.ingest([reading(late, document="b.csv", declared="2025-12-24T00:00:00Z")])

    with Writer.open(replace(settings, now="2025-12-25T00:00:00Z")) as writer:
        assert set() == differences(writer)


def test_an_event_whose_projection_failed_is_made_up_for_by_the_next(writer: Writer, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise StoreError("the disk is full")

    with monkeypatch.context() as patch, pytest.raises(StoreError):
        patch.setattr(writer.projection.store, "apply", full)
        writer.ingest([reading(OWNED, document="b.csv")])
    writer.ingest([reading(NEEDS, document="c.csv")])

    assert set() == differences(writer)


def test_a_release_that_the_gate_cannot_use_changes_nothing(settings: Settings) -> None:
    recursive = f"<urn:s> a <{SH.NodeShape}> ; <{KG.assertionLocal}> true ; <{SH.targetClass}> <{SC.Component}> ; <{SH.node}> <urn:s> ."
    with Writer.create(settings) as writer:
        writer.ingest([reading(*TYPES)])
        with pytest.raises(OntologyError, match="refers to itself"):
            writer.release(folders.ontology_text(settings.packs), recursive)
        writer.ingest([reading(OWNED, document="b.csv")])

    with Writer.open(settings) as writer:
        assert set() == differences(writer)


def test_another_base_iri_renames_everything(settings: Settings) -> None:
    with Writer.create(settings) as writer:
        writer.ingest([reading(*TYPES, OWNED)])
    moved = replace(settings, base_iri="https://other.example/")

    assert {subject.partition("/id/")[0] for subject, _p, _o in said(moved)} == {"https://other.example"}
    with Writer.open(moved) as writer:
        writer.ingest([reading(NEEDS, document="b.csv")])
        assert set() == differences(writer)


def test_a_scope_added_to_a_collection_in_the_settings_holds_for_the_next_read(settings: Settings) -> None:
    with Writer.create(settings) as writer:
        writer.ingest([reading(*TYPES, OWNED)])
    tightened = {**settings.collections, "rows": replace(settings.collections["rows"], scopes=frozenset({"hr"}))}

    assert said(settings)
    assert set() == said(replace(settings, collections=tightened))


def test_older_checkpoints_are_gone_when_a_document_has_tightened_its_scopes(settings: Settings) -> None:
    with Writer.create(settings) as writer:
        writer.ingest([reading(*TYPES, OWNED)])
    with Writer.open(settings) as writer:
        writer.ingest([replace(reading(*TYPES, OWNED), scopes=frozenset({"hr"}))])

        assert 1 == len(writer.directory.checkpoint_paths())


def test_the_full_name_of_a_document_is_not_taken_for_another_documents_id(writer: Writer) -> None:
    writer.ingest([reading(*TYPES, collection="memos", document="x.md"), reading(OWNED, document="memos/x.md")])

    assert "memos/x.md" == writer.erase("memos/x.md").receipt.document
    assert "rows/memos/x.md" == writer.erase("memos/x.md").receipt.document


def test_an_erasure_that_was_cut_short_is_completed_later_with_its_receipt(settings: Settings) -> None:
    with Writer.create(settings) as writer:
        writer.ingest([replace(reading(Fact(TAX, LABEL, literal(SECRET.upper())), collection="memos", document="gone.md"))])
        writer.erase("memos/gone.md")  # and killed before it could purge
    assert found_in(settings.data)
    with Writer.open(settings) as writer:
        (erased,) = writer.complete()

    assert ("memos/gone.md", "purged") == (erased.receipt.document, erased.receipt.state) and SECRET in erased.strings
    assert [] == found_in(settings.data)


def test_decisions_about_the_mentions_of_an_erased_document_go_with_it(settings: Settings) -> None:
    mention = text_key("memos/gone.md", SECRET, SC.Component)
    with Writer.create(settings) as writer:
        writer.ingest([reading(*TYPES), reading(Fact(mention, SC.owned_by, WEB), collection="memos", document="gone.md")])
        writer.decide(Merge(mention, TAX), by="test")
        writer.decide(Merge(CART, "asset:cart"), by="test")
        writer.ingest([reading(*TYPES, OWNED, document="b.csv")])
        for name in ("rows/a.csv", "rows/b.csv", "memos/gone.md"):
            erased = writer.purge(writer.erase(name))

        assert "purged" == erased.receipt.state
        assert [Merge(CART, "asset:cart")] == [row.decision for row in in_force(writer.ledger)]
    assert [] == found_in(settings.data)


def test_a_discarded_claim_that_comes_back_counts_as_discarded(writer: Writer, settings: Settings) -> None:
    odd = Fact(TAX, SC.nonsense, CART)
    writer.ingest([reading(odd, document="b.csv")])
    writer.projection.publish()
    with open_view(settings) as view:
        discard(writer, quarantined(view)[0], by="test")
    writer.ingest([reading(NEEDS, document="b.csv", declared=SECOND)])
    summary = writer.ingest([reading(NEEDS, odd, document="b.csv", declared="2025-01-01T00:00:00Z")])

    assert (1, 0, {"discarded": 1}) == (summary.claims_new, summary.accepted, summary.reasons)
    assert set() == differences(writer)


def test_retrying_a_claim_never_undoes_a_merge(writer: Writer) -> None:
    merged = writer.decide(Merge(TAX, "asset:tax"), by="test")

    with pytest.raises(UnknownName, match="no claim was discarded"):
        retry(writer, [merged])
    assert [merged] == [row.id for row in in_force(writer.ledger)]


def test_nobody_learns_of_a_decision_that_is_hidden_from_them_by_taking_it_back(writer: Writer) -> None:
    writer.decide(Merge(TAX, "asset:tax", FINANCE), by="test")

    with pytest.raises(UnknownName, match="nothing was decided"):
        take_back(writer, Principal("someone"), TAX, "asset:tax")
    assert take_back(writer, Principal("fin", FINANCE), TAX, "asset:tax")


def test_two_facts_of_a_symmetric_relation_that_disagree_are_told_under_the_end_they_share(writer: Writer, settings: Settings) -> None:
    people = [Fact(f"person:{name}", TYPE, class_node(PP.Person)) for name in ("ann", "bob", "cid")]
    since = parse_stated("2020-01-01")
    writer.ingest([reading(*people, Fact("person:ann", PP.spouse, "person:bob", since), document="b.csv")])
    writer.ingest([reading(Fact("person:bob", PP.spouse, "person:cid", since), document="c.csv")])
    writer.projection.publish()

    with open_view(settings) as view:
        (found,) = conflicts(view)
    assert "https://kg.example/id/person/bob" == found.subject
    assert {"https://kg.example/id/person/ann", "https://kg.example/id/person/cid"} == {side.value for side in found.values}


def test_a_restore_goes_on_where_an_earlier_one_was_cut_short(settings: Settings, tmp_path: Path) -> None:
    with Writer.create(settings) as writer:
        writer.ingest([reading(*TYPES)])
    backup(settings, tmp_path / "kept")
    (tmp_path / "again/restoring/originals").mkdir(parents=True)
    restore(tmp_path / "kept", tmp_path / "again")

    assert not (tmp_path / "again/restoring").exists()
    assert said(replace(settings, data=tmp_path / "again"))


@pytest.mark.parametrize("who", [Principal("public", FINANCE), Principal("", FINANCE), Principal("x", frozenset({"hr finance"}))])
def test_what_is_no_principal_is_refused_instead_of_seeing_other_things_than_it_says(writer: Writer, who: Principal) -> None:
    with pytest.raises(UsageError):
        writer.add_principal(who)


def test_an_opening_that_fails_gives_the_directory_free(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    Writer.create(settings).close()
    with monkeypatch.context() as patch:
        patch.setattr("kgplatform.projection.opening.is_made_for", lambda store, audiences: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            Writer.open(settings)

    Writer.open(settings).close()


def test_a_date_that_the_store_writes_in_another_way_survives_the_loss_of_its_twin(writer: Writer) -> None:
    event = Fact("incident:one", TYPE, class_node(SC.Incident))
    writer.ingest([reading(event, document="b.csv")])
    for number, date in enumerate(("2024-01-01+00:00", "2024-01-01Z", "2024-01-01-00:00")):
        writer.ingest([reading(Fact("incident:one", SC.occurred_on, literal(date, XSD.date)), collection="memos", document=f"{number}.md")])
    writer.erase("memos/0.md")
    writer.erase("memos/2.md")

    assert set() == differences(writer)
