"""The port to SHACL engines: both adapters say the same of our shapes, and pyshacl-turbo passes the suite of the W3C."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import pyoxigraph as ox
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rdflib import BNode, Graph, URIRef
from rdflib.term import Node

from kgplatform.errors import OntologyError, ValidationEngineError
from kgplatform.namespaces import Namespace
from kgplatform.packs.folders import ontology_text, shapes_text
from kgplatform.schema import Schema, load_schema
from kgplatform.terms import KG, LABEL, PP, RDF, SC, SH, TYPE, XSD, literal, literal_term
from kgplatform.validate.engines import Engine, PyshaclEngine, ReportRow, TurboEngine, hierarchy, term_text
from kgplatform.validate.shapegraph import ACROSS, LOCAL, RECORDS, ShapeGraph, path_text

MF = Namespace("mf", "http://www.w3.org/2001/sw/DataAccess/tests/test-manifest#")
SHT = Namespace("sht", "http://www.w3.org/ns/shacl-test#")

BLANK_SHAPE = "urn:kgplatform:shape:"


class Row(NamedTuple):
    """What the suite compares of a result; blank nodes are all alike."""

    focus: str
    path: str
    value: str
    shape: str
    component: str
    severity: str


class Case(NamedTuple):
    name: str
    data: Path
    shapes: Path
    expected: Counter[Row] | None


def cases(folder: Path) -> Iterator[Case]:
    for path in sorted(folder.rglob("*.ttl")):
        graph = ShapeGraph.parse(text(path)).graph
        for test, action in graph.subject_objects(URIRef(MF.action)):
            files = [graph.value(action, URIRef(SHT[name])) for name in ("dataGraph", "shapesGraph")]
            data, shapes = (Path(str(file).removeprefix("file://")) for file in files)
            result = graph.value(test, URIRef(MF.result))
            failure = result == URIRef(SHT.Failure)
            expected = None if failure else Counter(rows(graph, result))
            yield Case(str(path.relative_to(folder).with_suffix("")), data, shapes, expected)


def rows(graph: Graph, report: Node | None) -> Iterator[Row]:
    for result in graph.objects(report, URIRef(SH.result)):
        path = graph.value(result, URIRef(SH.resultPath))
        yield Row(
            alike(graph.value(result, URIRef(SH.focusNode))),
            "" if path is None else path_text(graph, path),
            alike(graph.value(result, URIRef(SH.value))),
            alike(graph.value(result, URIRef(SH.sourceShape))),
            str(graph.value(result, URIRef(SH.sourceConstraintComponent))),
            str(graph.value(result, URIRef(SH.resultSeverity))),
        )


def alike(term: Node | None) -> str:
    return "_:" if isinstance(term, BNode) or str(term).startswith(BLANK_SHAPE) else term_text(term)


def found(case: Case) -> Counter[Row]:
    report = TurboEngine().validate(triples(case.data), ShapeGraph.parse(text(case.shapes)))
    return Counter(
        Row(
            "_:" if row.focus.startswith("_:") else row.focus,
            row.path,
            "_:" if row.value.startswith("_:") else row.value,
            "_:" if row.shape.startswith(BLANK_SHAPE) else f"<{row.shape}>",
            row.component,
            row.severity,
        )
        for row in report.rows
    )


def triples(path: Path) -> list[ox.Triple]:
    return [quad.triple for quad in ox.parse(path.read_bytes(), format=ox.RdfFormat.TURTLE, base_iri=path.as_uri())]


def text(path: Path) -> str:
    return (ox.serialize(triples(path), format=ox.RdfFormat.TURTLE) or b"").decode()


def outcome(case: Case) -> str:
    """'' where the engine says what the suite says, else what it says instead."""
    try:
        actual = found(case)
    except (OntologyError, ValidationEngineError) as error:
        return "" if case.expected is None else str(error)
    if case.expected is None:
        return "no failure"
    return "" if actual == case.expected else f"missing {case.expected - actual}, too much {actual - case.expected}"


@pytest.mark.parametrize(("part", "count"), [("core", 98), ("sparql", 23)])
def test_pyshacl_turbo_passes_the_whole_w3c_suite(shared: Path, part: str, count: int) -> None:
    folder = shared / "data/conformance/w3c-shacl-tests/data-shapes-test-suite/tests" / part
    wrong = {case.name: outcome(case) for case in cases(folder)}

    assert {} == {name: text for name, text in wrong.items() if text}
    assert count == len(wrong)


# -- both engines on our shapes

ENGINES: list[Engine] = [TurboEngine(), PyshaclEngine()]
PREFIXES = f"@prefix sh: <{SH}> . @prefix kg: <{KG}> . @prefix sc: <{SC}> . @prefix xsd: <{XSD}> .\n"
OWNED = """
sc:OwnedShape a sh:NodeShape ; sh:targetClass sc:Component ; sh:property
    [ sh:path sc:owned_by ; sh:class sc:Team ; sh:maxCount 1 ; sh:message "one team"@en ] .
sc:TagShape a sh:NodeShape ; sh:targetObjectsOf sc:tag ; sh:maxLength 3 .
"""


@lru_cache
def world() -> Schema:
    packs = ("service-catalog", "people-places")
    return load_schema(ontology_text(packs), shapes_text(packs))


def graph(*facts: tuple[str, str, str]) -> list[ox.Triple]:
    """Triples of short names, IRIs and literal nodes."""
    return [ox.Triple(ox.NamedNode(f"x:{s}"), ox.NamedNode(p), node(o)) for s, p, o in facts]


def node(text: str) -> ox.NamedNode | ox.Literal:
    if text.startswith('"'):
        return literal_term(text)
    return ox.NamedNode(text if ":" in text else f"x:{text}")


TAX = graph(("tax", TYPE, SC.Component), ("tax", SC.owned_by, "jack"), ("jack", TYPE, PP.Person), ("tax", SC.tag, literal("long")))


@pytest.mark.parametrize("engine", ENGINES, ids=lambda engine: engine.name)
def test_a_row_names_node_path_value_shape_component_and_message(engine: Engine) -> None:
    report = engine.validate(TAX, ShapeGraph.parse(PREFIXES + OWNED))
    owned, tag = report.rows[1], report.rows[0]

    assert not report.conforms
    assert (
        ReportRow(
            '"long"', "", '"long"', SC.TagShape, "sc:TagShape", SH.MaxLengthConstraintComponent, SH.Violation, tag.message, tag.allowed
        )
        == tag
    )
    assert ("<x:tax>", "sc:owned_by", "<x:jack>") == owned[:3]
    assert ("sc:OwnedShape sc:owned_by", SH.ClassConstraintComponent, SH.Violation, "one team", "things of class sc:Team") == owned[4:]


@pytest.mark.parametrize("engine", ENGINES, ids=lambda engine: engine.name)
def test_focus_nodes_are_counted_for_each_shape_also_where_there_are_none(engine: Engine) -> None:
    shapes = ShapeGraph.parse(PREFIXES + OWNED)

    assert {SC.OwnedShape: 1, SC.TagShape: 1} == engine.validate(TAX, shapes).looked_at
    nothing = engine.validate([], shapes)
    assert nothing.conforms
    assert {SC.OwnedShape: 0, SC.TagShape: 0} == nothing.looked_at


def test_focus_nodes_of_subclasses_and_of_every_kind_of_target_are_counted_once() -> None:
    shapes = ShapeGraph.parse(
        PREFIXES
        + """sc:S a sh:NodeShape ; sh:targetClass sc:Asset ; sh:targetSubjectsOf sc:tag ; sh:targetObjectsOf sc:owned_by ; sh:targetNode <x:z> .
        sc:Gone a sh:NodeShape ; sh:targetClass sc:Asset ; sh:deactivated true .
        sc:Team a sh:NodeShape , <http://www.w3.org/2000/01/rdf-schema#Class> ."""
    )
    facts = graph(("d", TYPE, SC.API), ("a", SC.tag, literal("x")), ("b", SC.owned_by, "t"), ("t", TYPE, SC.Team), ("u", TYPE, SC.Team))

    assert {SC.S: 4, SC.Team: 2} == TurboEngine().validate([*facts, *hierarchy(world())], shapes).looked_at


def test_quads_and_text_are_the_same_graph_as_triples() -> None:
    shapes = ShapeGraph.parse(PREFIXES + OWNED)
    quads = [ox.Quad(t.subject, t.predicate, t.object, ox.NamedNode("x:g")) for t in TAX]
    text = (ox.serialize(TAX, format=ox.RdfFormat.N_TRIPLES) or b"").decode()

    assert TurboEngine().validate(TAX, shapes) == TurboEngine().validate(quads, shapes) == TurboEngine().validate(text, shapes)


def test_an_empty_text_is_an_empty_graph_and_no_path() -> None:
    assert TurboEngine().validate("", ShapeGraph.parse(PREFIXES + OWNED)).conforms


def test_bad_n_triples_are_an_error() -> None:
    with pytest.raises(ValidationEngineError, match="no N-Triples"):
        TurboEngine().validate("http://localhost/data", ShapeGraph.parse(""))


@pytest.mark.parametrize(
    "shapes",
    [
        "sc:S a sh:NodeShape ; sh:targetClass sc:Team ; sh:node sc:S .",
        "sc:S a sh:NodeShape ; sh:targetClass sc:Team ; sh:or ( sc:U sc:T ) . sc:T sh:property [ sh:path sc:tag ; sh:not sc:S ] .",
        "sc:S a sh:NodeShape ; sh:targetClass sc:Team ; sh:property _:b . _:b sh:path sc:tag ; sh:node _:b .",
    ],
)
def test_recursive_shapes_are_refused(shapes: str) -> None:
    with pytest.raises(OntologyError, match="itself"):
        ShapeGraph.parse(PREFIXES + shapes)


def test_shapes_that_do_not_parse_are_an_ontology_error() -> None:
    with pytest.raises(OntologyError, match="do not parse"):
        ShapeGraph.parse("sc:S a sh:NodeShape")


@pytest.mark.parametrize("engine", ENGINES, ids=lambda engine: engine.name)
def test_a_shape_that_is_not_well_formed_is_an_ontology_error(engine: Engine) -> None:
    shapes = ShapeGraph.parse(PREFIXES + "sc:S a sh:PropertyShape ; sh:targetClass sc:Component ; sh:path 1 ; sh:minCount 1 .")

    with pytest.raises(OntologyError):
        engine.validate(TAX, shapes)


def test_blank_shapes_bear_the_same_name_in_every_reading() -> None:
    other_order = "\n".join([PREFIXES, *reversed(OWNED.strip().replace("\n    ", " ").splitlines())])
    first, second = ShapeGraph.parse(PREFIXES + OWNED), ShapeGraph.parse(other_order)

    assert first is not second
    assert {row.shape for row in TurboEngine().validate(TAX, first).rows} == {row.shape for row in TurboEngine().validate(TAX, second).rows}


def test_each_of_our_shapes_is_of_a_kind() -> None:
    shapes = ShapeGraph.parse(world().shapes)

    assert {LOCAL, ACROSS, RECORDS} == {shapes.kind(root) for root in shapes.roots}


SUBJECTS = ["a", "b", "c"]
VALUES = [
    literal(""),
    literal("production"),
    literal("x", language="en"),
    literal("x" * 300),
    literal("2025-01-01", XSD.date),
    literal("1500-01-01", XSD.date),
    literal("2025-01-01T00:00:00Z", XSD.dateTime),
    literal("7", XSD.integer),
    literal("true", XSD.boolean),
    literal("https://kg.example/", XSD.anyURI),
    literal("P1"),
]


@st.composite
def facts(draw: st.DrawFn) -> tuple[str, str, str]:
    """A fact of a random relation between random ends: mostly wrong, often of the right datatype."""
    schema = world()
    subject = draw(st.sampled_from(SUBJECTS))
    if draw(st.booleans()):
        return subject, TYPE, draw(st.sampled_from(sorted(schema.classes)))
    relation = draw(st.sampled_from(sorted([*schema.relations, LABEL, RDF.subject, KG.start])))
    declared = schema.relations.get(relation)
    values = VALUES + sorted(declared.values if declared else ())
    ends = SUBJECTS if declared and not declared.is_literal else values
    return subject, relation, draw(st.one_of(st.sampled_from(ends), st.sampled_from([*SUBJECTS, *VALUES])))


RANGES = {SH[f"{end}{kind}ConstraintComponent"] for end in ("Min", "Max") for kind in ("Inclusive", "Exclusive")}


def said(engine: Engine, claims: list[tuple[str, str, str]], shapes: ShapeGraph) -> list[ReportRow]:
    """All that a report says but the words, which the engines choose where a shape has none.

    Left out: that a value of another datatype lies outside a range. pySHACL compares by rdflib's order over all literals,
    where SHACL section 4.2 wants a result for values that do not compare; the datatype is refused beside it by both.
    """
    rows = [row._replace(message="") for row in engine.validate([*graph(*claims), *hierarchy(world())], shapes).rows]
    mistyped = {(row.focus, row.path, row.value) for row in rows if row.component == SH.DatatypeConstraintComponent}
    return sorted(row for row in rows if row.component not in RANGES or (row.focus, row.path, row.value) not in mistyped)


@settings(max_examples=12, deadline=None)
@given(claims=st.lists(facts(), max_size=12, unique=True))
def test_both_engines_say_the_same_of_random_claims(claims: list[tuple[str, str, str]]) -> None:
    shapes = ShapeGraph.parse(world().shapes)

    assert said(PyshaclEngine(), claims, shapes) == said(TurboEngine(), claims, shapes)


@settings(max_examples=12, deadline=None)
@given(claims=st.lists(facts(), max_size=12, unique=True))
def test_both_engines_say_the_same_of_the_shapes_that_refuse(claims: list[tuple[str, str, str]]) -> None:
    shapes = ShapeGraph.parse(world().shapes).local()

    assert said(PyshaclEngine(), claims, shapes) == said(TurboEngine(), claims, shapes)


@pytest.mark.long
@settings(max_examples=300, deadline=None)
@given(claims=st.lists(facts(), max_size=30, unique=True))
def test_both_engines_agree_on_many_random_claims(claims: list[tuple[str, str, str]]) -> None:
    shapes = ShapeGraph.parse(world().shapes)

    assert said(PyshaclEngine(), claims, shapes) == said(TurboEngine(), claims, shapes)
