"""Shapes follow from the ontology: golden pairs of ontology and shapes, the table of the docs, drift, what the shapes refuse."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final, NamedTuple

import pyoxigraph as ox
import pytest

from kgplatform.errors import OntologyError
from kgplatform.packs.folders import ontology_text, pack_names, shapes_text
from kgplatform.schema import Schema, load_schema
from kgplatform.terms import OWL, PP, SC, XSD, expand
from kgplatform.validate.engines import Engine, PyshaclEngine, TurboEngine, hierarchy
from kgplatform.validate.idle_shapes import idle_notes
from kgplatform.validate.owl_shapes import PREFIXES, demanded
from kgplatform.validate.shape_syntax import ShapeText
from kgplatform.validate.shapegraph import ShapeGraph
from kgplatform.validate.shapes import BEGIN, END, drift, generate, ignored, rewritten
from kgplatform.validate.unused_axioms import IGNORED

REPO = Path(__file__).resolve().parent.parent
GOLDEN = REPO / "tests/golden/shapes"
ONTOLOGIES = sorted(p for p in GOLDEN.glob("*.ttl") if not p.name.endswith(".expected.ttl"))

OWL_2: Final = (
    "AllDifferent AllDisjointClasses AllDisjointProperties Annotation AnnotationProperty AsymmetricProperty Axiom Class DataRange "
    "DatatypeProperty DeprecatedClass DeprecatedProperty FunctionalProperty InverseFunctionalProperty IrreflexiveProperty "
    "NamedIndividual NegativePropertyAssertion Nothing ObjectProperty Ontology OntologyProperty ReflexiveProperty Restriction "
    "SymmetricProperty Thing TransitiveProperty allValuesFrom annotatedProperty annotatedSource annotatedTarget assertionProperty "
    "backwardCompatibleWith bottomDataProperty bottomObjectProperty cardinality complementOf datatypeComplementOf deprecated "
    "differentFrom disjointUnionOf disjointWith distinctMembers equivalentClass equivalentProperty hasKey hasSelf hasValue imports "
    "incompatibleWith intersectionOf inverseOf maxCardinality maxQualifiedCardinality members minCardinality "
    "minQualifiedCardinality onClass onDataRange onDatatype onProperties onProperty oneOf priorVersion propertyChainAxiom "
    "propertyDisjointWith qualifiedCardinality sameAs someValuesFrom sourceIndividual targetIndividual targetValue topDataProperty "
    "topObjectProperty unionOf versionIRI versionInfo withRestrictions"
)
"""The vocabulary of http://www.w3.org/2002/07/owl#, as OWL 2 (second edition) defines it."""


class Row(NamedTuple):
    terms: tuple[str, ...]
    becomes: str
    how: str

    @property
    def file(self) -> str:
        return self.terms[0].replace(":", "-")


def rows() -> list[Row]:
    text = (REPO / "docs/owl-to-shacl.md").read_text(encoding="utf-8")
    cells = [[c.strip() for c in line.strip("|").split("|")] for line in text.splitlines() if line.startswith("| `")]
    return [Row(tuple(re.findall(r"`([^`]+)`", construct)), becomes, how) for construct, becomes, how in cells]


ROWS = rows()


def without(turtle: str, terms: tuple[str, ...]) -> str:
    """The ontology without the triples that use one of the terms."""
    gone = {expand(term) for term in terms}
    triples = [ox.Triple(q.subject, q.predicate, q.object) for q in ox.parse(turtle.encode(), format=ox.RdfFormat.TURTLE)]
    kept = [t for t in triples if t.predicate.value not in gone and not (isinstance(t.object, ox.NamedNode) and t.object.value in gone)]
    return "\n".join(f"{triple} ." for triple in kept)


def shapes_or_none(turtle: str) -> str | None:
    try:
        return generate(load_schema(turtle))
    except OntologyError:
        return None


@pytest.fixture(scope="module")
def schema() -> Schema:
    packs = ("service-catalog",)
    return load_schema(ontology_text(packs), shapes_text(packs))


# -- what the ontology demands


@pytest.mark.parametrize("ontology", [p for p in ONTOLOGIES if p.stem != "owl-datatypeComplementOf"], ids=lambda p: p.stem)
def test_an_ontology_gives_its_golden_shapes(ontology: Path) -> None:
    expected = ontology.with_suffix(".expected.ttl").read_text(encoding="utf-8")

    assert expected == generate(load_schema(ontology.read_text(encoding="utf-8")))


def test_shapes_do_not_depend_on_the_order_of_the_ontology(schema: Schema) -> None:
    triples = [str(quad.triple) + " ." for quad in ox.parse(schema.turtle.encode(), format=ox.RdfFormat.TURTLE)]

    assert generate(schema) == generate(load_schema("\n".join(sorted(triples, reverse=True))))


def test_every_demanded_shape_says_whether_it_refuses(schema: Schema) -> None:
    assert [] == [iri for iri, text in demanded(schema).items() if ("kg:assertionLocal true" in text) == ("kg:acrossClaims true" in text)]


def test_a_string_is_written_without_its_datatype() -> None:
    text = generate(load_schema(PREFIXES + 'sc:n a owl:DatatypeProperty ; rdfs:range [ a rdfs:Datatype ; owl:oneOf ( "new" ) ] .'))

    assert 'sh:in ( "new" )' in text and "^^xsd:string" not in text


def test_what_is_generated_has_an_effect(schema: Schema) -> None:
    assert () == tuple(idle_notes(ShapeText(generate(schema))))


def test_generated_shapes_are_core_without_sparql(schema: Schema) -> None:
    assert "sh:sparql" not in generate(schema)


# -- the table


def test_the_table_holds_every_term_of_owl_2_once() -> None:
    named = [term for row in ROWS for term in row.terms if term.startswith("owl:")]

    assert sorted(f"owl:{name}" for name in OWL_2.split()) == sorted(named)


def test_every_row_of_the_table_has_a_golden_ontology_that_uses_it() -> None:
    assert [p.stem for p in ONTOLOGIES] == sorted(row.file for row in ROWS)
    for row in ROWS:
        text = (GOLDEN / f"{row.file}.ttl").read_text(encoding="utf-8")
        assert row.terms[0] in text, row.file


@pytest.mark.parametrize("row", [r for r in ROWS if r.becomes.startswith("shape")], ids=lambda r: r.file)
def test_a_construct_that_becomes_a_shape_changes_the_shapes(row: Row) -> None:
    text = (GOLDEN / f"{row.file}.ttl").read_text(encoding="utf-8")
    generated = generate(load_schema(text))
    left = shapes_or_none(without(text, row.terms))
    changed = "\n".join(block for block in generated.split("\n\n") if left is None or block not in left)

    assert changed
    marks = {"shape, local": "kg:assertionLocal true", "shape, across": "kg:acrossClaims true", "shape": "true"}
    assert marks[row.becomes] in changed


@pytest.mark.parametrize("row", [r for r in ROWS if r.becomes in ("expansion", "ignored")], ids=lambda r: r.file)
def test_a_construct_that_becomes_no_shape_leaves_the_shapes_alone(row: Row) -> None:
    text = (GOLDEN / f"{row.file}.ttl").read_text(encoding="utf-8")

    assert generate(load_schema(text)) == generate(load_schema(without(text, row.terms)))


def test_a_construct_that_is_refused_is_an_error() -> None:
    for row in ROWS:
        if row.becomes == "refused":
            with pytest.raises(OntologyError, match="a data range is"):
                load_schema((GOLDEN / f"{row.file}.ttl").read_text(encoding="utf-8"))


def test_the_reasons_of_the_table_are_those_that_the_generator_gives() -> None:
    table = {expand(row.terms[0]): row.how for row in ROWS if row.becomes == "ignored" and expand(row.terms[0]) in IGNORED}

    assert IGNORED == table


def test_the_table_has_no_other_kind_of_row() -> None:
    assert {"shape", "shape, local", "shape, across", "expansion", "ignored", "refused"} == {row.becomes for row in ROWS}


def test_what_is_ignored_is_named_with_its_reason() -> None:
    text = PREFIXES + "sc:A a owl:Class ; owl:hasKey ( sc:d ) . sc:d a owl:DatatypeProperty ."

    assert [f"owl:hasKey of sc:A is ignored: {IGNORED[OWL.hasKey]}"] == ignored(load_schema(text))


def test_the_definition_of_a_datatype_is_not_ignored(schema: Schema) -> None:
    assert [] == ignored(schema)


# -- stored shapes


@pytest.mark.parametrize("packs", [(), ("people-places",), ("service-catalog",), pack_names()], ids=str)
def test_stored_shapes_agree_with_the_ontology(packs: tuple[str, ...]) -> None:
    text = shapes_text(packs)

    assert [] == drift(load_schema(ontology_text(packs), text), text)


def test_the_shapes_files_hold_what_would_be_written_now() -> None:
    assert {} == {path.name: text for path, text in rewritten(pack_names()).items() if path.read_text(encoding="utf-8") != text}


def test_writing_keeps_what_was_written_by_hand(tmp_path: Path) -> None:
    ontology = tmp_path / "fruit.ttl"
    shapes = tmp_path / "fruit.shapes.ttl"
    by_hand = PREFIXES + "sc:by-hand a sh:NodeShape ; kg:acrossClaims true ; sh:targetSubjectsOf sc:grows_on .\n"
    ontology.write_text(PREFIXES + "sc:grows_on a owl:ObjectProperty .\n", encoding="utf-8")
    shapes.write_text(by_hand, encoding="utf-8")
    first = rewritten([str(ontology)])[shapes]
    shapes.write_text(first, encoding="utf-8")
    ontology.write_text(PREFIXES + "sc:fell_from a owl:ObjectProperty . sc:grows_on a owl:ObjectProperty .\n", encoding="utf-8")
    second = rewritten([str(ontology)])[shapes]

    assert first.startswith(by_hand) and second.startswith(by_hand)
    assert "sc:fell_from-local" not in first and "sc:fell_from-local" in second
    assert 1 == second.count(BEGIN) == second.count(END)


def test_a_pack_of_ones_own_without_shapes_gets_a_file_beside_it(tmp_path: Path) -> None:
    ontology = tmp_path / "fruit.ttl"
    ontology.write_text(PREFIXES + "sc:grows_on a owl:ObjectProperty .\n", encoding="utf-8")

    assert "sc:grows_on-local" in rewritten([str(ontology)])[tmp_path / "fruit.shapes.ttl"]


ORCHARD: Final = f"""{PREFIXES}
sc:Tree a owl:Class . sc:Fruit a owl:Class . sc:Apple a owl:Class ; rdfs:subClassOf sc:Fruit .
sc:grows_on a owl:ObjectProperty ; kg:functionalAtATime true ; rdfs:domain sc:Fruit ; rdfs:range sc:Tree .
sc:ripeness a owl:DatatypeProperty ; rdfs:range [ a rdfs:Datatype ; owl:oneOf ( "unripe" "ripe" ) ] .
"""


def stored(by_hand: str = "", *, change: tuple[str, str] = ("", ""), orchard: str = ORCHARD) -> str:
    body = generate(load_schema(orchard)).removeprefix(PREFIXES)
    return f"{PREFIXES}\n{by_hand}\n{BEGIN}\n{body.replace(*change) if change[0] else body}{END}\n"


@pytest.mark.parametrize(
    ("kind", "shape", "text"),
    [
        ("missing", SC["ripeness-local"], stored(change=("sc:ripeness-local a", "sc:gone-local a"))),
        ("stale", SC["gone-local"], stored(change=("sc:ripeness-local a", "sc:gone-local a"))),
        ("changed", SC["grows_on-local"], stored(change=("sh:class sc:Tree", "sh:class sc:Fruit"))),
        ("changed", SC["ripeness-local"], stored(change=('( "ripe" "unripe" )', '( "ripe" )'))),
        ("changed", SC["grows_on-across"], stored(change=("sh:maxCount 1", "sh:maxCount 2"))),
        ("unmarked", SC.x, stored("sc:x a sh:NodeShape ; sh:targetClass sc:Tree .")),
        ("unknown", SC.x, stored("sc:x a sh:NodeShape ; kg:acrossClaims true ; sh:targetClass sc:Bush .")),
        ("unknown", SC.x, stored("sc:x a sh:NodeShape ; kg:acrossClaims true ; sh:targetSubjectsOf sc:falls_from .")),
        ("unknown", SC.x, stored("sc:x a sh:NodeShape ; kg:acrossClaims true ; sh:targetClass sc:Tree ; sh:property [ sh:path sc:age ] .")),
    ],
)
def test_drift_is_found(kind: str, shape: str, text: str) -> None:
    assert (kind, shape) in [found[:2] for found in drift(load_schema(ORCHARD), text)]


@pytest.mark.parametrize(
    "said",
    [
        "sh:path sc:grows_on ; sh:class sc:Apple",
        "sh:path sc:grows_on ; sh:datatype xsd:date",
        "sh:path sc:grows_on ; sh:minCount 2",
        "sh:path sc:ripeness ; sh:class sc:Tree",
        "sh:path sc:ripeness ; sh:datatype xsd:date",
        'sh:path sc:ripeness ; sh:in ( "ripe" "rotten" )',
    ],
)
def test_a_shape_by_hand_that_the_ontology_excludes_is_contradicting(said: str) -> None:
    text = stored(f"sc:x a sh:NodeShape ; kg:assertionLocal true ; sh:targetSubjectsOf sc:ripeness ; sh:property [ {said} ] .")

    assert [("contradicting", SC.x)] == [found[:2] for found in drift(load_schema(ORCHARD), text)]


@pytest.mark.parametrize(
    "said", ["sh:path sc:grows_on ; sh:class sc:Tree", 'sh:path sc:ripeness ; sh:in ( "ripe" )', "sh:path sc:grows_on ; sh:minCount 1"]
)
def test_a_shape_by_hand_may_refine(said: str) -> None:
    text = stored(f"sc:x a sh:NodeShape ; kg:assertionLocal true ; sh:targetSubjectsOf sc:grows_on ; sh:property [ {said} ] .")

    assert [] == drift(load_schema(ORCHARD), text)


def test_stored_shapes_may_be_written_in_another_order_and_layout() -> None:
    body = generate(load_schema(ORCHARD)).removeprefix(PREFIXES)
    blocks = [block.replace("\n    ", " ") for block in reversed(body.strip().split("\n\n"))]

    assert [] == drift(load_schema(ORCHARD), f"{PREFIXES}\n{BEGIN}\n" + "\n".join(blocks) + f"\n{END}\n")


def test_shapes_that_do_not_parse_are_an_error_with_the_line() -> None:
    with pytest.raises(OntologyError, match="shapes, line 13"):
        drift(load_schema(ORCHARD), PREFIXES + "\nsc:x sh:oops .")


# -- what the shapes accept and refuse, with the reference engine


def messages(engine: Engine, schema: Schema, turtle: str) -> set[str]:
    """What the shapes say of a small graph, the class hierarchy along."""
    text = PREFIXES + "@prefix : <https://kg.example/id/> .\n" + turtle
    triples = [quad.triple for quad in ox.parse(text.encode(), format=ox.RdfFormat.TURTLE)]
    return {row.message for row in engine.validate(triples + hierarchy(schema), ShapeGraph.parse(schema.shapes)).rows}


TAX: Final = ':tax a sc:Component ; rdfs:label "Tax" ; sc:owned_by :platform . :platform a sc:Team ; rdfs:label "Platform" .\n'


@pytest.mark.parametrize("engine", [TurboEngine(), PyshaclEngine()], ids=lambda engine: type(engine).__name__)
@pytest.mark.parametrize(
    ("message", "turtle"),
    [
        ("owned by: the object is a person or a group", TAX + ":cart a sc:Component ; sc:owned_by :tax ."),
        ("owned by: the subject is a catalogue item", TAX + ":platform sc:owned_by :platform ."),
        ("owned by: at most one value at a time", TAX + ":tax sc:owned_by :web . :web a sc:Team ."),
        ("spouse: at most one value at a time", ":a a pp:Person . :b a pp:Person . :c a pp:Person ; pp:spouse :a . :a pp:spouse :b ."),
        ("lifecycle: the value is a text", TAX + ":tax sc:lifecycle 7 ."),
        ("occurred on: the value is a date", ':i a sc:Incident ; sc:occurred_on "last week" .'),
        ("the incident log begins in 2000", ':i a sc:Incident ; sc:occurred_on "1999-12-31"^^xsd:date .'),
        ("'affects' of an incident: at least 1", ':i a sc:Incident ; rdfs:label "INC-1" .'),
        ("an incident is not resolved before it happened",
         ':i a sc:Incident ; sc:occurred_on "2025-02-02"^^xsd:date ; sc:resolved_on "2025-02-01"^^xsd:date .'),
        ("nothing is both a component and a person", ":x a sc:Component, pp:Person ."),
        ("nothing is both a component and an organisation", ":x a sc:Component, sc:Team ."),
        ("a name has 1 to 200 characters and is not blank", ':x rdfs:label "  " .'),
        ("a name has 1 to 200 characters and is not blank", f':x rdfs:label "{"x" * 201}" .'),
        ("an e-mail address has a name, an @ and a host", ':x a pp:Person ; pp:email "nobody" .'),
        ("'part of' of a system: only a domain", ":s a sc:System ; sc:part_of :c . :c a sc:Component ."),
        ("nobody owns this component", ":c a sc:Component ."),
    ],
)  # fmt: skip
def test_a_shape_finds(engine: Engine, schema: Schema, message: str, turtle: str) -> None:
    assert message in messages(engine, schema, turtle)


def test_a_good_little_catalogue_violates_nothing(schema: Schema) -> None:
    good = """
        :inc a sc:Incident ; rdfs:label "INC-1"@en ; sc:affects :tax ; sc:severity "SEV2" ;
            sc:occurred_on "2025-02-01"^^xsd:date ; sc:resolved_on "2025-02-01"^^xsd:date .
        :tax sc:lifecycle "production" ; sc:depends_on :db ; sc:part_of :checkout ; sc:tag "money" ; sc:link "https://x.example"^^xsd:anyURI .
        :db a sc:Resource ; rdfs:label "db" . :checkout a sc:System ; rdfs:label "checkout" .
        :platform sc:on_call :r7 . :r7 a sc:Rotation ; rdfs:label "R7" .
        :kim a pp:Person ; rdfs:label "Alex Kim" ; pp:email "kim@x.example" ; pp:works_for :platform ; pp:located_in :lisbon .
        :lisbon a pp:City ; rdfs:label "Lisbon" .
    """

    assert set() == messages(TurboEngine(), schema, TAX + good) == messages(PyshaclEngine(), schema, TAX + good)


RECORDS: Final = """
    <https://kg.example/assertion/1> a kg:Assertion ; rdf:subject :tax ; rdf:predicate sc:owned_by ; rdf:object :platform ;
        kg:start "2024-03-01T00:00:00Z"^^xsd:dateTime ; kg:startKind "stated" ; kg:startPrecision "day" ;
        kg:end "9999-12-31T00:00:00Z"^^xsd:dateTime ; kg:endKind "unknown" ; kg:endPrecision "day" ;
        kg:plain true ; kg:positive true ; prov:wasDerivedFrom <https://kg.example/claim/1> .
    <https://kg.example/claim/1> a kg:Claim ; kg:document <https://kg.example/document/1> ; kg:trust 0 ; kg:spanStart 3 ; kg:spanEnd 9 .
    <https://kg.example/document/1> a kg:Document ; dcterms:title "Handover" ; dcterms:identifier "memos/handover.md" ;
        dcterms:date "2024-02-20T00:00:00Z"^^xsd:dateTime .
"""


def test_good_records_violate_nothing(schema: Schema) -> None:
    assert set() == messages(TurboEngine(), schema, RECORDS)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('kg:start "2024', 'kg:start "9999-12-31T00:00:00Z"^^xsd:dateTime ; kg:startAfter "2024'),
        ('"stated"', '"guessed"'),
        ("kg:trust 0", "kg:trust 3"),
        ("kg:spanEnd 9", "kg:spanEnd 2"),
        ("prov:wasDerivedFrom", "prov:wasQuotedFrom"),
        ("kg:plain true ;", ""),
        ("kg:document <https", "kg:document <http"),
    ],
)
def test_a_broken_record_is_a_defect(schema: Schema, old: str, new: str) -> None:
    assert old in RECORDS
    assert messages(TurboEngine(), schema, RECORDS.replace(old, new))


def test_the_datatypes_derived_from_integer_are_looked_for_as_the_store_holds_them() -> None:
    text = generate(load_schema(PREFIXES + "sc:n a owl:DatatypeProperty ; rdfs:range xsd:byte ."))

    assert "sh:datatype xsd:integer ; sh:minInclusive -128 ; sh:maxInclusive 127" in text


def test_classes_and_relations_of_no_known_prefix_are_written_whole() -> None:
    text = generate(load_schema("<https://x.example/a/b> a <http://www.w3.org/2002/07/owl#ObjectProperty> ."))

    assert "<https://x.example/a/b-local> a sh:NodeShape" in text and PP.x not in text and XSD.x not in text
