"""Plans as JSON: strict, with the path of what is wrong."""

from __future__ import annotations

import json

import pytest

from kgplatform.errors import PlanError
from kgplatform.forms.schemas import json_schema
from kgplatform.query.algebra import (
    Aggregate,
    Comparison,
    EntityTerm,
    Hop,
    InPeriod,
    Plan,
    Sequence,
    Time,
    Validity,
    ValueTerm,
    Var,
    Variable,
)
from kgplatform.query.codec import from_json, from_text, to_json
from kgplatform.query.plan_form import PlanForm
from kgplatform.terms import PP, SC, XSD, literal

FULL = Plan(
    question="?",
    variables=(Variable("team", SC.Team), Variable("x")),
    hops=(
        Hop(EntityTerm("component:tax"), SC.owned_by, Var("team")),
        Hop(Var("x"), PP.located_in, EntityTerm("https://kg.example/id/city/lisbon"), "zero-or-more"),
    ),
    absences=(Hop(Var("x"), SC.severity, ValueTerm(literal("high"))),),
    filters=(Comparison("x", "=", ValueTerm(literal("3", XSD.integer))), InPeriod("x", "2025", "2026-01-01")),
    time=Time("during", "2023-06", "", "throughout"),
    aggregate=Aggregate("count", "x", "team", "most"),
    select=("team",),
    validity=(Validity(0, "since"),),
    sequence=Sequence(0, 1),
    limit=3,
)


def test_a_plan_survives_json() -> None:
    assert FULL == from_json(json.loads(json.dumps(to_json(FULL))))
    assert to_json(FULL) == json.loads(json.dumps(to_json(FULL))), "lists, as JSON has them"


def test_fields_that_are_left_out_are_empty() -> None:
    assert Plan(hops=(Hop(EntityTerm("component:tax"), SC.owned_by, Var("t")),), select=("t",)) == from_text(
        '{"hops": [{"subject": {"entity": "component:tax"}, "relation": "sc:owned_by", "object": {"var": "t"}}], "select": ["t"]}'
    )


@pytest.mark.parametrize(
    ("value", "where"),
    [
        ([], "$"),
        ({"hop": []}, "$"),
        ({"hops": {}}, "$.hops"),
        ({"hops": [{"subject": {"var": "x"}}]}, "$.hops[0]"),
        ({"hops": [{"subject": {"var": "x", "entity": "y"}, "relation": "sc:owned_by", "object": {"var": "y"}}]}, "$.hops[0].subject"),
        ({"hops": [{"subject": {"var": "_x"}, "relation": "sc:owned_by", "object": {"var": "y"}}]}, "$.hops[0].subject.var"),
        (
            {"hops": [{"subject": {"entity": "http://a> <b"}, "relation": "sc:owned_by", "object": {"var": "y"}}]},
            "$.hops[0].subject.entity",
        ),
        ({"hops": [{"subject": {"entity": "iri:tax"}, "relation": "sc:owned_by", "object": {"var": "y"}}]}, "$.hops[0].subject.entity"),
        ({"hops": [{"subject": {"entity": "tax"}, "relation": "sc:owned_by", "object": {"var": "y"}}]}, "$.hops[0].subject.entity"),
        ({"hops": [{"subject": {"var": "x"}, "relation": 1, "object": {"var": "y"}}]}, "$.hops[0].relation"),
        ({"hops": [{"subject": {"var": "x"}, "relation": "r", "object": {"var": "y"}, "path": "two"}]}, "$.hops[0].path"),
        ({"time": {"kind": "whenever"}}, "$.time.kind"),
        ({"limit": -1}, "$.limit"),
        ({"limit": True}, "$.limit"),
        ({"select": ["a b"]}, "$.select[0]"),
        ({"select": ["x"] * 13}, "$.select"),
        ({"filters": [{"variable": "x", "operator": "~", "value": {"value": "a"}}]}, "$.filters[0].operator"),
        ({"filters": [{"variable": "x", "operator": "=", "value": {"var": "a"}}]}, "$.filters[0].value"),
        ({"aggregate": {"kind": "sum", "variable": "x"}}, "$.aggregate.kind"),
        ({"question": "x" * 3000}, "$.question"),
    ],
)
def test_an_error_names_the_json_path(value: object, where: str) -> None:
    with pytest.raises(PlanError) as caught:
        from_json(value)
    assert where == caught.value.where


def test_text_that_is_not_json_names_its_line() -> None:
    with pytest.raises(PlanError) as caught:
        from_text('{"hops":\n [,]}')
    assert "line 2" == caught.value.where


def test_the_schema_names_every_field_of_a_plan() -> None:
    assert set(to_json(FULL)) == set(json_schema(PlanForm)["properties"])


def test_every_list_and_text_of_the_schema_is_limited() -> None:
    def unlimited(node: object) -> list[object]:
        if isinstance(node, list):
            return [found for item in node for found in unlimited(item)]
        if not isinstance(node, dict):
            return []
        needs = {"array": "maxItems", "string": "maxLength"}.get(str(node.get("type")), "")
        return ([node] if needs and needs not in node else []) + [found for item in node.values() for found in unlimited(item)]

    assert [] == unlimited(json_schema(PlanForm))
