"""The gate: which claims are wrong in themselves, by the ontology and by the shapes that look at one assertion."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgplatform.errors import OntologyError
from kgplatform.packs.folders import ontology_text
from kgplatform.schema import Schema, load_schema
from kgplatform.terms import ALT_LABEL, KG, LABEL, PP, SC, SH, TYPE, UNMAPPED, XSD, class_node, literal
from kgplatform.validate.gate import ClaimPattern, Gate, Reason
from kgplatform.validate.shapes import generate

PACKS = ("service-catalog", "people-places")
PREFIXES = f"@prefix sh: <{SH}> . @prefix kg: <{KG}> . @prefix sc: <{SC}> . @prefix pp: <{PP}> . @prefix xsd: <{XSD}> .\n"
LOCAL = """
sc:IncidentShape a sh:NodeShape ; kg:assertionLocal true ; sh:targetClass sc:Incident ;
    sh:property [ sh:path sc:occurred_on ; sh:minInclusive "2000-01-01"^^xsd:date ; sh:message "before there were records"@en ] ,
        [ sh:path sc:severity ; sh:pattern "^P[0-9]$" ; sh:message "a severity is P0 to P9" ] .
sc:TagShape a sh:NodeShape ; kg:assertionLocal true ; sh:targetSubjectsOf sc:tag ;
    sh:property [ sh:path sc:tag ; sh:maxLength 12 ; sh:name "a short tag" ; sh:message "too long" ] .
"""
ACROSS = """
sc:OwnedShape a sh:NodeShape ; kg:acrossClaims true ; sh:targetClass sc:Component ;
    sh:property [ sh:path sc:owned_by ; sh:minCount 1 ; sh:maxCount 1 ] .
sc:UnmarkedShape a sh:NodeShape ; sh:targetClass sc:Component ; sh:property [ sh:path sc:lifecycle ; sh:minCount 1 ] .
"""


def types(*classes: str) -> frozenset[str]:
    return frozenset(classes)


COMPONENT, TEAM, INCIDENT, PERSON = types(SC.Component), types(SC.Team), types(SC.Incident), types(PP.Person)


@lru_cache
def world(shapes: str = LOCAL + ACROSS) -> Schema:
    return load_schema(ontology_text(PACKS), PREFIXES + shapes)


@pytest.fixture(scope="module")
def schema() -> Schema:
    return world()


@pytest.fixture(scope="module")
def gate(schema: Schema) -> Gate:
    return Gate(schema)


def verdict(gate: Gate, pattern: ClaimPattern) -> Reason | None:
    return gate.judge([pattern])[pattern]


ACCEPTED = {
    "a component that a team owns": ClaimPattern(SC.owned_by, COMPONENT, "", TEAM),
    "a subclass of what is wanted": ClaimPattern(PP.member_of, PERSON, "", TEAM),
    "one known type among unknown ones": ClaimPattern(SC.owned_by, types(SC.Component, SC.Nonsense), "", types(SC.Team, SC.Nonsense)),
    "a date": ClaimPattern(SC.occurred_on, INCIDENT, literal("2025-03-01", XSD.date)),
    "a component that a person owns": ClaimPattern(SC.owned_by, COMPONENT, "", PERSON),
    "a component that a group of no declared type owns": ClaimPattern(SC.owned_by, COMPONENT, "", types(SC.Group)),
    "a value of an open list": ClaimPattern(SC.lifecycle, COMPONENT, literal("production")),
    "a value beside an open list": ClaimPattern(SC.lifecycle, COMPONENT, literal("Beta")),
    "an owner only expected to be some agent": ClaimPattern(SC.owned_by, COMPONENT, "", types(PP.Agent), is_object_expected=True),
    "an owner only expected to be some organisation": ClaimPattern(
        SC.owned_by, COMPONENT, "", types(PP.Organisation), is_object_expected=True
    ),
    "a string with a language": ClaimPattern(SC.cause, INCIDENT, literal("retry storm", language="en")),
    "a label of something without a type": ClaimPattern(LABEL, types(), literal("Tax")),
    "an alternative name": ClaimPattern(ALT_LABEL, COMPONENT, literal("Steuer", language="de")),
    "a declared class": ClaimPattern(TYPE, types(), class_node(SC.Component)),
    "a qualified annotation": ClaimPattern(SC.annotation, COMPONENT, literal("x"), qualifiers=((SC.annotation_key, literal("k")),)),
    "an ownerless component": ClaimPattern(SC.depends_on, COMPONENT, "", COMPONENT),
}


@pytest.mark.parametrize("pattern", ACCEPTED.values(), ids=ACCEPTED)
def test_a_claim_that_fits_the_ontology_is_accepted(gate: Gate, pattern: ClaimPattern) -> None:
    assert verdict(gate, pattern) is None


REFUSED = {
    "unmapped": [
        ClaimPattern(UNMAPPED["csv/colour"], COMPONENT, literal("red")),
        ClaimPattern(UNMAPPED["csv/colour"], types(), literal("red")),
    ],
    "unknown-relation": [
        ClaimPattern(KG.document, COMPONENT, "", TEAM),
        ClaimPattern(SC.annotation_key, COMPONENT, literal("k")),
        ClaimPattern(SC.tag, COMPONENT, literal("x"), qualifiers=((SC.nonsense, literal("k")),)),
    ],
    "unknown-class": [
        ClaimPattern(TYPE, COMPONENT, class_node(SC.Nonsense)),
        ClaimPattern(TYPE, COMPONENT, class_node(KG.Assertion)),
        ClaimPattern(TYPE, COMPONENT, literal("Component")),
        ClaimPattern(TYPE, COMPONENT),
    ],
    "unknown-subject-type": [
        ClaimPattern(SC.owned_by, types(), "", TEAM),
        ClaimPattern(SC.owned_by, types(SC.Nonsense), "", TEAM),
        ClaimPattern(SC.tag, types(), literal("x")),
        ClaimPattern(SC.occurred_on, types(), literal("no date")),
    ],
    "unknown-object-type": [ClaimPattern(SC.owned_by, COMPONENT), ClaimPattern(SC.owned_by, COMPONENT, "", types(SC.Nonsense))],
    "wrong-subject-type": [
        ClaimPattern(SC.owned_by, PERSON, "", TEAM),
        ClaimPattern(SC.occurred_on, COMPONENT, literal("2025-03-01", XSD.date)),
    ],
    "wrong-object-type": [
        ClaimPattern(SC.owned_by, COMPONENT, "", types(SC.Rotation)),
        ClaimPattern(SC.owned_by, COMPONENT, "", types(PP.Agent)),
        ClaimPattern(SC.owned_by, COMPONENT, "", types(PP.Located), is_object_expected=True),
        ClaimPattern(SC.owned_by, COMPONENT, "", types(SC.Rotation), is_object_expected=True),
    ],
    "swapped": [ClaimPattern(SC.owned_by, TEAM, "", COMPONENT), ClaimPattern(SC.on_call, types(SC.Rotation), "", TEAM)],
    "malformed-value": [
        ClaimPattern(SC.occurred_on, INCIDENT, literal("2025-02-29", XSD.date)),
        ClaimPattern(SC.occurred_on, INCIDENT, literal("2025-02-28T00:00:00Z", XSD.dateTime)),
        ClaimPattern(SC.occurred_on, INCIDENT, literal("2025-02-28")),
        ClaimPattern(SC.occurred_on, INCIDENT),
        ClaimPattern(SC.lifecycle, COMPONENT, literal("7", XSD.integer)),
        ClaimPattern(SC.link, COMPONENT, literal("not a link", XSD.anyURI)),
        ClaimPattern(SC.owned_by, COMPONENT, literal("Commerce")),
        ClaimPattern(SC.owned_by, COMPONENT, class_node(SC.Team)),
        ClaimPattern(SC.tag, COMPONENT, class_node(SC.Team)),
        ClaimPattern(LABEL, COMPONENT, class_node(SC.Team)),
        ClaimPattern(LABEL, COMPONENT),
        ClaimPattern(SC.annotation, COMPONENT, literal("x"), qualifiers=((SC.annotation_key, literal("1", XSD.integer)),)),
        ClaimPattern(SC.annotation, COMPONENT, literal("x"), qualifiers=((SC.annotation_key, "component:tax"),)),
    ],
    "missing-qualifier": [ClaimPattern(SC.annotation, COMPONENT, literal("x"))],
    "shape": [
        ClaimPattern(SC.occurred_on, INCIDENT, literal("1999-12-31", XSD.date)),
        ClaimPattern(SC.severity, INCIDENT, literal("high")),
        ClaimPattern(SC.tag, COMPONENT, literal("a tag that never ends")),
    ],
}


@pytest.mark.parametrize(("code", "pattern"), [(code, p) for code, patterns in REFUSED.items() for p in patterns])
def test_a_claim_that_is_wrong_in_itself_is_refused_with_its_code(gate: Gate, code: str, pattern: ClaimPattern) -> None:
    reason = verdict(gate, pattern)

    assert reason is not None
    assert code == reason.code


def test_a_swapped_claim_carries_its_suggestion(gate: Gate) -> None:
    pattern = ClaimPattern(SC.owned_by, TEAM, "", COMPONENT)

    assert Reason("swapped", "the ends of sc:owned_by fit turned round: team owns component?") == verdict(gate, pattern)
    assert "Platform owns Tax?" == gate.suggestion(pattern, subject="Platform", object="Tax")


def test_a_shape_tells_its_message_and_its_name(gate: Gate) -> None:
    early = ClaimPattern(SC.occurred_on, INCIDENT, literal("1999-12-31", XSD.date))
    long = ClaimPattern(SC.tag, COMPONENT, literal("a tag that never ends"))

    before = (
        f"before there were records: sc:occurred_on {early.object}; allowed: 2000-01-01 or above (shape sc:IncidentShape sc:occurred_on)"
    )
    assert Reason("shape", before) == verdict(gate, early)
    assert Reason("shape", f"too long: sc:tag {long.object}; allowed: at most 12 characters (shape a short tag)") == verdict(gate, long)


def test_shapes_that_look_across_claims_or_are_not_marked_refuse_nothing(schema: Schema) -> None:
    pattern = ClaimPattern(SC.depends_on, COMPONENT, "", COMPONENT)

    assert verdict(Gate(world(ACROSS)), pattern) is None
    local = ACROSS.replace("kg:acrossClaims", "kg:assertionLocal").replace("sh:minCount 1 ; sh:maxCount 1", "sh:maxCount 0", 1)
    owned = ClaimPattern(SC.owned_by, COMPONENT, "", frozenset({SC.Team}))
    reason = verdict(Gate(world(local)), owned)
    assert reason is not None and "shape" == reason.code


def test_a_property_shape_can_be_marked_apart_from_the_shape_around_it(schema: Schema) -> None:
    mixed = """
    sc:Mixed a sh:NodeShape ; kg:acrossClaims true ; sh:targetClass sc:Incident ; sh:property
        [ kg:assertionLocal true ; sh:path sc:severity ; sh:pattern "^P" ] , [ sh:path sc:affects ; sh:minCount 1 ] .
    sc:Mixed2 a sh:NodeShape ; kg:assertionLocal true ; sh:targetClass sc:Incident ; sh:property
        [ sh:path sc:severity ; sh:maxLength 2 ] , [ kg:acrossClaims true ; sh:path sc:cause ; sh:minCount 1 ] .
    """
    gate = Gate(world(mixed))
    codes = [verdict(gate, ClaimPattern(SC.severity, INCIDENT, literal(text))) for text in ("P1", "P10", "1")]

    assert [None, "shape", "shape"] == [reason and reason.code for reason in codes]


@pytest.mark.parametrize(
    ("shape", "words"),
    [
        ("sc:S a sh:NodeShape ; kg:assertionLocal true ; sh:targetNode sc:tax ; sh:class sc:Team .", "fixed node"),
        ("sc:S a sh:NodeShape ; sh:targetClass sc:Team ; sh:property [ sh:path sc:on_call ; sh:node sc:S ] .", "refers to itself"),
        ("sc:S a sh:NodeShape ; sh:target [ a sh:SPARQLTarget ] .", "sh:target"),
    ],
)
def test_shapes_that_cannot_be_judged_on_one_claim_are_refused_with_the_ontology(schema: Schema, shape: str, words: str) -> None:
    with pytest.raises(OntologyError, match=words):
        Gate(world(shape))


def test_a_local_shape_that_reports_on_what_is_no_claim_is_an_error_not_a_verdict(schema: Schema) -> None:
    shape = "sc:S a sh:NodeShape ; kg:assertionLocal true ; sh:targetObjectsOf <http://www.w3.org/2000/01/rdf-schema#subClassOf> ; sh:hasValue 1 ."

    with pytest.raises(OntologyError, match="belongs to no one assertion"):
        verdict(Gate(world(shape)), ClaimPattern(SC.depends_on, COMPONENT, "", COMPONENT))


# -- the batch does not count

EVERYWHERE = """
sc:ValueShape a sh:NodeShape ; kg:assertionLocal true ; sh:targetObjectsOf sc:tag ; sh:maxLength 4 .
sc:CauseShape a sh:NodeShape ; kg:assertionLocal true ; sh:targetObjectsOf sc:cause ;
    sh:property [ sh:path [ sh:inversePath sc:tag ] ; sh:maxCount 0 ] .
sc:TeamShape a sh:NodeShape ; kg:assertionLocal true ; sh:targetClass sc:Team ;
    sh:property [ sh:path [ sh:inversePath sc:owned_by ] ; sh:maxCount 1 ] .
"""
NODES = [
    "",
    literal("P1"),
    literal("high"),
    literal("x", language="en"),
    literal("2025-01-01", XSD.date),
    literal("1990-01-01", XSD.date),
    literal("1990-01-01T00:00:00Z", XSD.dateTime),
    literal("no date", XSD.date),
    literal("7", XSD.integer),
    class_node(SC.Team),
    class_node(SC.Nonsense),
]
RELATIONS = [
    SC.owned_by,
    SC.depends_on,
    SC.tag,
    SC.severity,
    SC.occurred_on,
    SC.cause,
    SC.annotation,
    SC.lifecycle,
    TYPE,
    LABEL,
    SC.nonsense,
]
CLASSES = [SC.Component, SC.API, SC.Team, SC.Incident, PP.Person, PP.Organisation, SC.Nonsense]
some_types = st.frozensets(st.sampled_from(CLASSES), max_size=2)
LITERALS = [node for node in NODES if node.startswith('"')]
patterns = st.one_of(
    st.builds(
        ClaimPattern,
        relation=st.sampled_from(RELATIONS),
        subject_types=some_types,
        object=st.sampled_from(NODES),
        object_types=some_types,
        qualifiers=st.sampled_from([(), ((SC.annotation_key, literal("k")),)]),
    ),
    st.builds(
        ClaimPattern, st.sampled_from([SC.tag, SC.cause, SC.severity]), st.sampled_from([COMPONENT, INCIDENT]), st.sampled_from(LITERALS)
    ),
    st.builds(
        ClaimPattern, st.sampled_from([SC.owned_by, SC.depends_on]), st.just(COMPONENT), st.just(""), st.sampled_from([TEAM, COMPONENT])
    ),
)


def judging_together_equals_judging_one_by_one(gate: Callable[[], Gate], batch: list[ClaimPattern]) -> None:
    together = gate().judge(batch)
    alone = gate()

    assert {pattern: alone.judge([pattern])[pattern] for pattern in reversed(batch)} == together


def test_claims_with_one_literal_are_judged_apart() -> None:
    tag, cause = ClaimPattern(SC.tag, COMPONENT, literal("P1")), ClaimPattern(SC.cause, INCIDENT, literal("P1"))
    gate = Gate(world(LOCAL + EVERYWHERE))

    assert {tag: None, cause: None} == gate.judge([tag, cause])


@settings(max_examples=40, deadline=None)
@given(batch=st.lists(patterns, max_size=25))
def test_a_verdict_does_not_depend_on_the_batch(batch: list[ClaimPattern]) -> None:
    judging_together_equals_judging_one_by_one(lambda: Gate(world()), batch)


@settings(max_examples=40, deadline=None)
@given(batch=st.lists(patterns, max_size=25))
def test_nor_where_literals_are_focus_nodes_themselves(batch: list[ClaimPattern]) -> None:
    shared_literals = world(LOCAL + EVERYWHERE)

    judging_together_equals_judging_one_by_one(lambda: Gate(shared_literals), batch)


@pytest.mark.long
@settings(max_examples=1000, deadline=None)
@given(batch=st.lists(patterns, max_size=60), everywhere=st.booleans())
def test_a_verdict_never_depends_on_the_batch(batch: list[ClaimPattern], everywhere: bool) -> None:
    chosen = world(LOCAL + EVERYWHERE) if everywhere else world()
    judging_together_equals_judging_one_by_one(lambda: Gate(chosen), batch)


@lru_cache
def generated() -> Schema:
    """The packs with the shapes that their ontology demands, and no others."""
    schema = load_schema(ontology_text(PACKS))
    return load_schema(schema.turtle, generate(schema))


@st.composite
def any_pattern(draw: st.DrawFn) -> ClaimPattern:
    schema = generated()
    kinds = st.frozensets(st.sampled_from(sorted(schema.classes)), max_size=2)
    relation = schema.relations[draw(st.sampled_from(sorted(schema.relations)))]
    near = st.sampled_from([frozenset(), relation.domain, relation.range]).map(frozenset[str])
    values = [*NODES, *sorted(relation.values)]
    node = draw(st.sampled_from([""] * 3 + values if not relation.is_literal else values))
    return ClaimPattern(relation.iri, draw(kinds | near), node, draw(kinds | near) if not node else frozenset())


@settings(max_examples=60, deadline=None)
@given(batch=st.lists(any_pattern(), max_size=30))
def test_the_shapes_that_follow_from_the_ontology_refuse_no_more_than_the_ontology(batch: list[ClaimPattern]) -> None:
    verdicts = Gate(generated()).judge(batch)

    assert not [pattern for pattern, reason in verdicts.items() if reason and reason.code == "shape"]


# -- size


def test_what_the_gate_remembers_is_bounded(gate: Gate, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kgplatform.validate.gate._REMEMBERED", 10)
    for numbers in (range(20), range(20, 50)):
        gate.judge([ClaimPattern(SC.tag, COMPONENT, literal(f"tag {number}")) for number in numbers])

    assert 10 == len(gate._remembered)
