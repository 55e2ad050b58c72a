"""What a shape refuses, what it only finds, and what its messages say."""

from __future__ import annotations

from typing import Final

import pyoxigraph as ox
import pytest
from test_cases_shapes import FILMS, PREFIXES

from kgplatform.schema import Schema, load_schema
from kgplatform.terms import LABEL, TYPE, XSD, literal, literal_term
from kgplatform.validate.gate import ClaimPattern, Gate
from kgplatform.validate.report import CONFLICT, FINDING, VIOLATION, ValidationReport, validate_graph

F: Final = "https://films.example/films#"
FILM: Final = frozenset({F + "Film"})
LOCAL: Final = ":T a sh:NodeShape ; kg:assertionLocal true ; sh:targetClass :Film ;"


def schema(shapes: str) -> Schema:
    return load_schema(FILMS, PREFIXES + shapes)


def refusal(shapes: str, relation: str, value: str) -> str:
    """Why the gate refuses a value of a film; '' where it accepts it."""
    pattern = ClaimPattern(relation, FILM, value)
    reason = Gate(schema(shapes)).judge([pattern])[pattern]
    return reason.message if reason else ""


def report(shapes: str, *facts: tuple[str, str]) -> ValidationReport:
    film = ox.NamedNode("x:f1")
    triples = [ox.Triple(film, ox.NamedNode(TYPE), ox.NamedNode(F + "Film"))]
    triples += [ox.Triple(film, ox.NamedNode(relation), literal_term(value)) for relation, value in facts]
    return validate_graph(triples, schema(shapes))


@pytest.mark.parametrize(("severity", "kind"), [("Violation", VIOLATION), ("Warning", FINDING), ("Info", FINDING)])
def test_a_violation_refuses_and_a_warning_or_an_info_is_a_finding(severity: str, kind: str) -> None:
    shapes = f'{LOCAL} sh:property [ sh:path :code ; sh:pattern "^[a-z]+$" ; sh:severity sh:{severity} ] .'

    assert (kind == VIOLATION) == bool(refusal(shapes, F + "code", literal("ABC")))
    assert 1 == len(report(shapes, (F + "code", literal("ABC"))).of_kind(kind))
    assert "" == refusal(shapes, F + "code", literal("abc"))


def test_a_warning_does_not_hide_the_violation_of_another_shape() -> None:
    shapes = f"{LOCAL} sh:property [ sh:path :code ; sh:maxLength 2 ; sh:severity sh:Warning ] , [ sh:path :code ; sh:maxLength 3 ] ."

    assert "at most 3 characters" in refusal(shapes, F + "code", literal("abcd"))
    assert "" == refusal(shapes, F + "code", literal("abc"))


@pytest.mark.parametrize(
    "constraint",
    [
        "sh:property [ sh:path :title ; sh:minCount 1 ]",
        "sh:property [ sh:path :title ; sh:qualifiedValueShape [ sh:minLength 2 ] ; sh:qualifiedMinCount 1 ]",
        'sh:property [ sh:path :title ; sh:hasValue "A" ]',
        "sh:property [ sh:path :title ; sh:equals :code ]",
        "sh:closed true ; sh:property [ sh:path :title ] ; sh:property [ sh:path :code ]",
        "sh:or ( [ sh:property [ sh:path :title ; sh:minCount 1 ] ] [ sh:property [ sh:path :year ; sh:minCount 1 ] ] )",
        "sh:node [ sh:property [ sh:path :title ; sh:minCount 1 ] ]",
        "sh:not [ sh:property [ sh:path :title ; sh:maxCount 0 ] ]",
        'sh:not [ sh:property [ sh:path :title ; sh:in ( "A" ) ] ]',
    ],
)
def test_what_no_single_claim_can_satisfy_refuses_none_and_is_a_finding_over_the_entity(constraint: str) -> None:
    shapes = f"{LOCAL} {constraint} ."

    assert "" == refusal(shapes, F + "code", literal("abc"))
    rows = report(shapes, (F + "code", literal("abc"))).rows
    assert rows and VIOLATION not in {report(shapes).kind(row) for row in rows}


@pytest.mark.parametrize(
    ("constraint", "relation", "bad", "good"),
    [
        ("sh:property [ sh:path :code ; sh:maxLength 3 ; sh:minCount 1 ]", "code", literal("abcd"), literal("abc")),
        ("sh:property [ sh:path :code ; sh:maxCount 0 ]", "code", literal("abc"), ""),
        ('sh:not [ sh:property [ sh:path :code ; sh:hasValue "x" ] ]', "code", literal("x"), literal("y")),
        ("sh:closed true ; sh:ignoredProperties ( rdf:type ) ; sh:property [ sh:path :title ]", "code", literal("x"), ""),
        ("sh:property [ sh:path :code ; sh:or ( [ sh:maxLength 2 ] [ sh:minLength 4 ] ) ]", "code", literal("abc"), literal("ab")),
        ("sh:property [ sh:path rdf:type ; sh:hasValue :Person ]", "code", literal("x"), ""),
        ("sh:property [ sh:path :year ; sh:minInclusive 1900 ]", "year", literal("1890", XSD.integer), literal("1900", XSD.integer)),
    ],
)
def test_what_one_claim_can_break_alone_refuses_it(constraint: str, relation: str, bad: str, good: str) -> None:
    shapes = f"{LOCAL} {constraint} ."

    assert refusal(shapes, F + relation, bad)
    if good:
        assert "" == refusal(shapes, F + relation, good)


def test_a_local_shape_still_says_conflict_of_too_many_values() -> None:
    two = report(
        f"{LOCAL} sh:property [ sh:path :title ; sh:minCount 3 ; sh:maxLength 2 ] .",
        (F + "title", literal("abc")),
        (F + "title", literal("a")),
    )

    assert [("MinCount", FINDING), ("MaxLength", VIOLATION)] == [
        (name, two.kind(row)) for name in ("MinCount", "MaxLength") for row in two.rows if f"#{name}Constraint" in row.component
    ]
    assert () == two.of_kind(CONFLICT)


@pytest.mark.parametrize(
    ("constraint", "value", "says"),
    [
        ('sh:in ( "A" "B" )', literal("Z"), 'code> "Z"; allowed: one of "A", "B"'),
        (
            'sh:in ( "A" "B" ) ; sh:message "a grade"',
            literal("Z"),
            'a grade: <https://films.example/films#code> "Z"; allowed: one of "A", "B"',
        ),
        ("sh:minLength 5", literal("Z"), "allowed: at least 5 characters"),
        ('sh:pattern "^a"', literal("Z"), 'allowed: texts that match "^a"'),
        (
            "sh:or ( [ sh:datatype xsd:integer ] [ sh:minLength 3 ] )",
            literal("Z"),
            "allowed: values of xsd:integer or at least 3 characters",
        ),
        ('sh:languageIn ( "de" "en" )', literal("Z", language="fr"), 'allowed: the languages "de", "en"'),
        ("sh:not [ sh:minLength 1 ]", literal("Z"), "allowed: not: at least 1 characters"),
        ("sh:maxCount 0", literal("Z"), "allowed: at most 0 values"),
    ],
)
def test_a_message_names_predicate_value_and_what_is_allowed(constraint: str, value: str, says: str) -> None:
    assert says in refusal(f"{LOCAL} sh:property [ sh:path :code ; {constraint} ] .", F + "code", value)


def test_a_long_list_of_what_is_allowed_is_cut() -> None:
    listed = " ".join(f'"{number}"' for number in range(40))

    assert '"11" and 28 more' in refusal(f"{LOCAL} sh:property [ sh:path :code ; sh:in ( {listed} ) ] .", F + "code", literal("Z"))


def test_a_closed_shape_names_the_properties_that_it_allows() -> None:
    message = refusal(
        f"{LOCAL} sh:closed true ; sh:ignoredProperties ( rdf:type ) ; sh:property [ sh:path :title ] .", F + "code", literal("x")
    )

    assert "allowed: only <https://films.example/films#title>, rdf:type" in message
    assert "" == refusal(f"{LOCAL} sh:closed true ; sh:property [ sh:path :title ] .", LABEL, literal("x"))
