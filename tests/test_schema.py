"""What the schemas of the packs say: terms and their names, mention keys, slots, disjoint classes."""

from __future__ import annotations

from pathlib import Path

import pyoxigraph as ox
import pytest

from kgplatform.packs.folders import ontology_text, shapes_text
from kgplatform.schema import Class, Relation, Schema, best_label, load_schema
from kgplatform.terms import ALT_LABEL, DCTERMS, DESCRIPTION, KG, LABEL, PP, PROV, RDF, RDFS, SC, TYPE, WELL_KNOWN_NAMES
from kgplatform.validate.owl_shapes import PREFIXES


@pytest.fixture(scope="module")
def schema() -> Schema:
    return load_schema(ontology_text(("service-catalog",)), shapes_text(("service-catalog",)))


def relation(text: str, iri: str = SC.r) -> Relation:
    return load_schema(PREFIXES + text).relations[iri]


# -- the packs


@pytest.mark.parametrize("iri", [TYPE, LABEL, ALT_LABEL, DESCRIPTION])
def test_every_subject_may_have_a_type_names_and_a_description(iri: str) -> None:
    declared = load_schema(ontology_text(())).relations[iri]

    assert frozenset() == declared.domain and declared.labels


def test_core_alone_declares_nothing_else_that_claims_may_use() -> None:
    core = load_schema(ontology_text(()))

    assert {TYPE, DESCRIPTION, *WELL_KNOWN_NAMES} == set(core.relations) and {} == core.classes


def test_claims_may_use_neither_records_nor_their_properties(schema: Schema) -> None:
    hidden = {KG.Assertion, KG.Claim, KG.Document, KG.trust, KG.start, PROV.wasDerivedFrom, PROV.Entity, RDF.Statement, DCTERMS.hasVersion}

    assert set() == hidden & {*schema.classes, *schema.relations}


def test_every_term_of_core_is_declared_with_an_english_label(repo: Path) -> None:
    turtle = (repo / "ontology/core.ttl").read_bytes()
    quads = list(ox.parse(turtle, format=ox.RdfFormat.TURTLE))
    named = {q.subject.value for q in quads if isinstance(q.subject, ox.NamedNode) and q.predicate.value == TYPE} - {
        "https://w3id.org/kgplatform/core"
    }
    labelled = {str(q.subject)[1:-1] for q in quads if q.predicate.value == LABEL and getattr(q.object, "language", "") == "en"}

    assert set() == named - labelled


def test_an_assertion_is_a_statement(repo: Path) -> None:
    quads = ox.parse((repo / "ontology/core.ttl").read_bytes(), format=ox.RdfFormat.TURTLE)

    assert (KG.Assertion, RDFS.subClassOf, RDF.Statement) in {
        (q.subject.value, q.predicate.value, q.object.value)
        for q in quads
        if isinstance(q.subject, ox.NamedNode) and isinstance(q.object, ox.NamedNode)
    }


def test_every_class_and_relation_of_the_packs_has_an_english_and_a_german_label(schema: Schema) -> None:
    declared: list[Class | Relation] = [*schema.classes.values(), *schema.relations.values()]
    packs = [d for d in declared if d.iri.startswith((str(SC), str(PP)))]

    assert [] == [d.iri for d in packs if not {"en", "de"} <= {language for _, language in d.labels}]
    assert len(packs) > 50


def test_no_english_name_of_a_relation_means_two_relations(schema: Schema) -> None:
    seen: dict[str, set[str]] = {}
    for declared in schema.relations.values():
        for text, language in (*declared.labels, *declared.alt_labels):
            if language == "en":
                seen.setdefault(text.casefold(), set()).add(schema.canonical(declared.iri)[0])
    inverse = {
        text.casefold(): r.iri
        for r in schema.relations.values()
        if not r.canonical
        for text, language in r.inverse_labels
        if language == "en"
    }

    assert {} == {text: iris for text, iris in seen.items() if len(iris) > 1}
    assert {} == {text: (iris, inverse[text]) for text, iris in seen.items() if text in inverse and inverse[text] not in iris}


def test_no_name_of_a_class_means_two_classes(schema: Schema) -> None:
    seen: dict[str, list[str]] = {}
    for declared in schema.classes.values():
        for text in {text.casefold() for text, language in (*declared.labels, *declared.alt_labels) if language == "en"}:
            seen.setdefault(text, []).append(declared.iri)

    assert {} == {text: iris for text, iris in seen.items() if len(iris) > 1}


def test_what_the_sample_world_rests_on(schema: Schema) -> None:
    owned = schema.relations[SC.owned_by]

    assert frozenset({SC.Group, PP.Person}) == owned.range and owned.functional
    assert (SC.owned_by, True) == schema.canonical(SC.owns) and (SC.owned_by, False) == schema.canonical(SC.owned_by)
    assert schema.relations[PP.spouse].symmetric and schema.relations[PP.spouse].functional
    assert schema.relations[PP.located_in].transitive and not schema.relations[SC.depends_on].transitive
    assert PP.citizen_of in schema.relations[PP.born_in].not_taken_for
    assert schema.relations[SC.occurred_on].is_event_date
    assert frozenset({SC.annotation_key}) == schema.relations[SC.annotation].required_qualifiers
    assert schema.relations[SC.annotation_key].is_qualifier
    assert {'"production"', '"experimental"', '"deprecated"'} < schema.relations[SC.lifecycle].known == schema.relations[SC.lifecycle].words
    assert SC.Group == schema.classes[SC.Team].asked_as
    assert frozenset({PP.member_of}) == schema.relations[PP.leads].licenses
    assert frozenset({SC.part_of, SC.subcomponent_of}) == schema.subrelations(SC.part_of)


@pytest.mark.parametrize(
    ("class_", "scheme"),
    [(SC.Component, "component"), (SC.Team, "team"), (SC.Group, "team"), (SC.Rotation, "rotation"), (PP.Person, "person"),
     (PP.Place, "place"), (PP.City, "city"), (PP.Country, "country"), (SC.API, "api"), (SC.Incident, "incident"), (SC.Asset, "")],
)  # fmt: skip
def test_mention_keys_of_a_class_have_its_scheme(schema: Schema, class_: str, scheme: str) -> None:
    assert scheme == schema.key_scheme(class_)


def test_a_scheme_is_taken_from_above() -> None:
    read = load_schema(
        PREFIXES
        + 'sc:A a owl:Class ; kg:keyScheme "a" . sc:B a owl:Class ; rdfs:subClassOf sc:A . sc:C a owl:Class ; rdfs:subClassOf sc:B .'
    )

    assert "a" == read.key_scheme(SC.C) and "" == read.key_scheme(SC.unknown)


def test_slots_of_the_packs_expect_one_class_of_a_mention(schema: Schema) -> None:
    slots = {end for r in schema.relations.values() for end in (r.domain, r.range) if end}

    assert [] == [end for end in slots if not schema.slot_class(end)]


@pytest.mark.parametrize(
    ("classes", "expected"), [({SC.Team}, SC.Team), ({SC.Component, SC.System}, SC.Asset), ({SC.API, SC.Resource}, SC.Dependable),
                              ({SC.Team, SC.Component}, ""), (set(), "")],
)  # fmt: skip
def test_a_slot_expects_its_class_or_the_nearest_above_all_of_them(schema: Schema, classes: set[str], expected: str) -> None:
    assert expected == schema.slot_class(classes)


@pytest.mark.parametrize(
    "kind", [PP.Place, PP.Organisation, SC.Component, SC.System, SC.API, SC.Resource, SC.Rotation, SC.Incident, SC.Domain]
)
def test_a_person_is_nothing_else(schema: Schema, kind: str) -> None:
    assert schema.disjoint(PP.Person, kind) and schema.disjoint(kind, PP.Person)


def test_what_lies_below_disjoint_classes_is_disjoint_too(schema: Schema) -> None:
    assert schema.disjoint(SC.Team, PP.Country)
    assert not schema.disjoint(SC.Team, SC.Group) and not schema.disjoint(SC.Team, SC.unknown)


# -- names


@pytest.mark.parametrize(
    ("language", "expected"),
    [("de", "gehört"), ("de-AT", "gehört"), ("en", "owned by"), ("fr", "owned by"), ("", "owned by"), ("EN", "owned by")],
)
def test_a_label_falls_back_to_english(schema: Schema, language: str, expected: str) -> None:
    assert expected == schema.label(SC.owned_by, language)


def test_a_label_falls_back_to_untagged_then_to_any_then_to_the_local_name() -> None:
    assert "plain" == best_label((("autre", "fr"), ("plain", "")), "de")
    assert "autre" == best_label((("autre", "fr"),), "de")
    assert "" == best_label((), "de")
    assert "on call for" == Schema().label(SC.on_call_for)


def test_the_preferred_inverse_label_is_that_of_the_inverse_relation(schema: Schema) -> None:
    assert "owns" == schema.inverse_label(SC.owned_by) and "besitzt" == schema.inverse_label(SC.owned_by, "de")
    assert "owned by" == schema.inverse_label(SC.owns)
    assert ("is the owner of", "en") in schema.relations[SC.owned_by].inverse_labels
    assert "" == schema.inverse_label(SC.tag)
