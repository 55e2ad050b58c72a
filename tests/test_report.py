"""Validation reports: what they say, how they count, and that a report that looked at nothing is no pass."""

from __future__ import annotations

import json

import pyoxigraph as ox
import pytest
from rdflib import Graph
from rdflib.compare import isomorphic

from kgplatform.packs.folders import ontology_text, shapes_text
from kgplatform.schema import Schema, load_schema
from kgplatform.terms import KG, LABEL, PP, SC, SH, TYPE, literal, literal_term
from kgplatform.validate.report import CONFLICT, DEFECT, FINDING, VIOLATION, ValidationReport, validate_graph

PACKS = ("service-catalog", "people-places")
PREFIXES = f"@prefix sh: <{SH}> . @prefix kg: <{KG}> . @prefix sc: <{SC}> . @prefix pp: <{PP}> .\n"
SHAPES = """
sc:OneOwner a sh:NodeShape ; kg:acrossClaims true ; sh:targetClass sc:Component ; sh:property
    [ sh:path sc:owned_by ; sh:maxCount 1 ; sh:message "one owner at a time" ] ,
    [ sh:path sc:on_call ; sh:minCount 1 ; sh:severity sh:Info ; sh:message "nobody is on call" ] ,
    [ sh:path ( sc:owned_by [ sh:inversePath sc:owned_by ] ) ; sh:maxCount 1 ; sh:message "a busy owner" ] .
sc:Tags a sh:NodeShape ; kg:assertionLocal true ; sh:targetSubjectsOf sc:tag ; sh:property [ sh:path sc:tag ; sh:maxLength 3 ; sh:message "long" ] .
sc:Records a sh:NodeShape ; kg:ofRecords true ; sh:targetClass kg:Assertion ; sh:property [ sh:path kg:start ; sh:minCount 1 ; sh:message "no start" ] .
sc:Systems a sh:NodeShape ; kg:acrossClaims true ; sh:targetClass sc:System ; sh:property [ sh:path sc:owned_by ; sh:minCount 1 ] .
"""


def graph(*facts: tuple[str, str, str]) -> list[ox.Triple]:
    ends = [(s, p, literal_term(o) if o.startswith('"') else ox.NamedNode(o if ":" in o else f"x:{o}")) for s, p, o in facts]
    return [ox.Triple(ox.NamedNode(f"x:{s}"), ox.NamedNode(p), o) for s, p, o in ends]


FACTS = graph(
    *(("tax", TYPE, SC.Component), ("cart", TYPE, SC.Component), ("a1", TYPE, KG.Assertion), ("tax", SC.tag, literal("long tag"))),
    *(("tax", SC.owned_by, "platform"), ("tax", SC.owned_by, "commerce"), ("cart", SC.owned_by, "commerce"), ("cart", SC.on_call, "r7")),
)


@pytest.fixture(scope="module")
def schema() -> Schema:
    return load_schema(ontology_text(PACKS), PREFIXES + SHAPES)


@pytest.fixture(scope="module")
def report(schema: Schema) -> ValidationReport:
    return validate_graph(FACTS, schema)


def test_results_are_told_apart_by_what_their_shape_is_for(report: ValidationReport) -> None:
    said = {kind: [(row.focus, row.message) for row in report.of_kind(kind)] for kind in (VIOLATION, CONFLICT, FINDING, DEFECT)}

    assert {
        VIOLATION: [("<x:tax>", "long")],
        CONFLICT: [("<x:cart>", "a busy owner"), ("<x:tax>", "one owner at a time"), ("<x:tax>", "a busy owner")],
        FINDING: [("<x:tax>", "nobody is on call")],
        DEFECT: [("<x:a1>", "no start")],
    } == {kind: sorted(rows, key=lambda row: (row[0], row[1][0] == "a")) for kind, rows in said.items()}


def test_a_report_counts_what_each_shape_looked_at(report: ValidationReport) -> None:
    assert {SC.OneOwner: 2, SC.Tags: 1, SC.Records: 1, SC.Systems: 0} == report.looked_at
    assert report.conforms is False


def test_a_report_that_looked_at_nothing_is_no_pass(schema: Schema) -> None:
    nothing = validate_graph([], schema)

    assert nothing.conforms is None
    assert "nothing looked at: 0 violations, 0 conflicts, 0 findings, 0 defects" == nothing.as_text().partition(" (")[0]
    assert nothing.report.to_dict()["conforms"] is None


def test_a_graph_that_was_looked_at_and_has_no_result_conforms(schema: Schema) -> None:
    fine = validate_graph(graph(("cart", TYPE, SC.Component), ("cart", SC.on_call, "r7")), schema)

    assert fine.conforms is True
    assert "conforms" == fine.report.to_dict()["outcome"]


def test_without_shapes_nothing_is_looked_at(schema: Schema) -> None:
    assert validate_graph(FACTS, load_schema(schema.turtle)).conforms is None


def test_the_text_says_each_result_and_each_shape_that_looked_at_nothing(report: ValidationReport) -> None:
    lines = report.as_text().splitlines()

    assert lines[0].startswith("does not conform: 1 violations, 3 conflicts, 1 findings, 1 defects (pyshacl-turbo ")
    assert 'violation <x:tax> sc:tag "long tag": long; allowed: at most 3 characters (sc:Tags sc:tag)' in lines
    assert "conflict  <x:tax> sc:owned_by: one owner at a time; allowed: at most 1 values (sc:OneOwner sc:owned_by)" in lines
    assert "  nothing looked at  sc:Systems" in lines
    assert "        2  sc:OneOwner" in lines


def test_the_json_holds_every_result_once(report: ValidationReport) -> None:
    said = json.loads(json.dumps(report.report.to_dict()))

    assert 6 == sum(len(said[kind]) for kind in ("violations", "conflicts", "findings", "defects"))
    assert {"focus", "path", "value", "shape", "shape_name", "component", "severity", "message", "allowed"} == said["findings"][0].keys()


def test_the_turtle_is_the_report_graph_of_shacl(report: ValidationReport, schema: Schema) -> None:
    expected = f"""{PREFIXES}
    [] a sh:ValidationReport ; sh:conforms false ; kg:focusNodes 4 ; sh:result
        [ a sh:ValidationResult ; sh:resultSeverity sh:Violation ; sh:sourceConstraintComponent sh:MaxCountConstraintComponent ;
          sh:sourceShape <shape> ; sh:focusNode <x:cart> ; sh:resultMessage "a busy owner" ;
          sh:resultPath ( sc:owned_by [ sh:inversePath sc:owned_by ] ) ] ."""
    busy = ValidationReport(report.engine, tuple(row for row in report.rows if row.focus == "<x:cart>"), report.looked_at, report.shapes)
    shape = busy.rows[0].shape

    assert isomorphic(Graph().parse(data=expected.replace("<shape>", f"<{shape}>")), Graph().parse(data=busy.as_turtle()))


def test_the_turtle_says_conforms_only_as_shacl_defines_it_and_counts_beside(schema: Schema) -> None:
    said = validate_graph([], schema).as_turtle()

    assert "sh:conforms true" in said
    assert "kg:focusNodes 0" in said


def test_quads_of_several_graphs_are_validated_as_their_union(schema: Schema) -> None:
    quads = [ox.Quad(t.subject, t.predicate, t.object, ox.NamedNode(f"x:g{n % 2}")) for n, t in enumerate(FACTS)]

    assert validate_graph(FACTS, schema).report.to_dict() == validate_graph(quads, schema).report.to_dict()


def test_two_owners_at_once_are_a_conflict_by_the_shapes_that_come_with_the_packs() -> None:
    packs = load_schema(ontology_text(PACKS), shapes_text(PACKS))
    facts = graph(
        *(("notify", TYPE, SC.Component), ("notify", LABEL, literal("Notify")), ("web", TYPE, SC.Team), ("commerce", TYPE, SC.Team))
    )
    owners = graph(("notify", SC.owned_by, "web"), ("notify", SC.owned_by, "commerce"))

    assert [] == [row.message for row in validate_graph(facts + owners[:1], packs).of_kind(CONFLICT)]
    assert ["owned by: at most one value at a time"] == [row.message for row in validate_graph(facts + owners, packs).of_kind(CONFLICT)]
