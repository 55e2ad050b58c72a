"""The checker: what may not run says which check refused it, why, and what to do."""

from __future__ import annotations

from dataclasses import replace

import pytest
from support.goldens import schema
from support.projection import BASE

from kgplatform.errors import PlanError
from kgplatform.model import ANONYMOUS
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
from kgplatform.query.check import CheckedPlan, CheckFailed, check
from kgplatform.terms import PP, SC, XSD, entity_iri, literal

SCHEMA = schema()
TAX = EntityTerm(entity_iri(BASE, "component:tax"))
WEB = EntityTerm(entity_iri(BASE, "team:web"))
JACK = EntityTerm(entity_iri(BASE, "person:jack"))
INCIDENT = EntityTerm(entity_iri(BASE, "incident:INC-1"))
TYPES = {
    TAX.id: frozenset({SC.Component}),
    WEB.id: frozenset({SC.Team}),
    JACK.id: frozenset({PP.Person}),
    INCIDENT.id: frozenset({SC.Incident}),
}
OWNER = Plan(hops=(Hop(TAX, SC.owned_by, Var("team")),), select=("team",))


def failed(plan: Plan) -> CheckFailed:
    with pytest.raises(CheckFailed) as caught:
        check(plan, SCHEMA, ANONYMOUS, types=TYPES)
    return caught.value


def test_a_good_plan_lists_every_check_that_it_passed() -> None:
    names = [c.name for c in check(OWNER, SCHEMA, ANONYMOUS, types=TYPES).checks]

    assert names[:3] == ["principal", "relations", "classes"]
    assert 12 == len(names)


def test_nobody_but_the_checker_makes_a_checked_plan() -> None:
    with pytest.raises(PlanError):
        CheckedPlan(OWNER, SCHEMA, ANONYMOUS, (), object())
    checked = check(OWNER, SCHEMA, ANONYMOUS, types=TYPES)
    with pytest.raises(ValueError, match="token"):
        replace(checked, plan=replace(OWNER, hops=()))  # type: ignore[call-arg]


@pytest.mark.parametrize(
    ("plan", "name"),
    [
        (replace(OWNER, hops=(Hop(TAX, SC.owns_by, Var("team")),)), "relations"),
        (replace(OWNER, hops=(Hop(TAX, SC.annotation_key, Var("team")),)), "relations"),
        (replace(OWNER, variables=(Variable("team", SC.Squad),)), "classes"),
        (replace(OWNER, select=("nothing",)), "shape"),
        (Plan(), "shape"),
        (replace(OWNER, hops=(*OWNER.hops, Hop(JACK, PP.spouse, Var("x")))), "shape"),
        (replace(OWNER, hops=OWNER.hops * 9), "shape"),
        (replace(OWNER, validity=(Validity(4, "since"),)), "shape"),
        (replace(OWNER, sequence=Sequence(0, 2)), "shape"),
        (replace(OWNER, variables=(Variable("team", SC.Team), Variable("team", SC.Team))), "shape"),
        (replace(OWNER, hops=(Hop(EntityTerm(BASE + "id/component/hidden"), SC.owned_by, Var("team")),)), "entities"),
        (replace(OWNER, hops=(Hop(WEB, SC.owned_by, Var("team")),)), "ends"),
        (replace(OWNER, hops=(Hop(TAX, SC.owned_by, INCIDENT), Hop(TAX, SC.owned_by, Var("team")))), "ends"),
        (replace(OWNER, variables=(Variable("team", SC.Rotation),)), "ends"),
        (replace(OWNER, hops=(Hop(EntityTerm(SC.Component), SC.owned_by, Var("team")),)), "ends"),
        (replace(OWNER, hops=(*OWNER.hops, Hop(Var("team"), SC.depends_on, Var("x")))), "ends"),
        (replace(OWNER, hops=(Hop(TAX, SC.owned_by, ValueTerm(literal("Web"))), *OWNER.hops)), "ends"),
        (replace(OWNER, hops=(Hop(TAX, SC.owned_by, Var("team"), "one-or-more"),)), "paths"),
        (Plan(hops=(Hop(TAX, SC.lifecycle, ValueTerm(literal("3", XSD.integer))),)), "values"),
        (
            Plan(hops=(Hop(INCIDENT, SC.severity, Var("s")),), filters=(Comparison("s", "<", ValueTerm(literal("high"))),), select=("s",)),
            "values",
        ),
        (Plan(hops=(Hop(INCIDENT, SC.severity, Var("s")),), filters=(InPeriod("s", "2025"),), select=("s",)), "values"),
        (replace(OWNER, filters=(Comparison("team", "=", ValueTerm(literal("Web"))),)), "values"),
        (replace(OWNER, aggregate=Aggregate("max", "team")), "aggregates"),
        (replace(OWNER, aggregate=Aggregate("count", "team", "", "most")), "aggregates"),
        (replace(OWNER, aggregate=Aggregate("count", "team"), validity=(Validity(0, "since"),)), "aggregates"),
        (Plan(variables=(Variable("c"),), absences=(Hop(Var("c"), SC.owned_by, Var("t")),), select=("c",)), "shape"),
        (replace(OWNER, absences=(Hop(Var("a"), SC.owned_by, Var("b")),)), "negation"),
        (replace(OWNER, time=Time("at")), "time"),
        (replace(OWNER, time=Time("at", "yesterday")), "time"),
        (replace(OWNER, time=Time("during", "2024", "2023")), "time"),
        (replace(OWNER, time=Time("now", "2024")), "time"),
    ],
)
def test_a_bad_plan_fails_its_check(plan: Plan, name: str) -> None:
    assert name == failed(plan).check


def test_a_relation_that_is_misspelt_is_suggested() -> None:
    assert "did you mean sc:owned_by?" == failed(replace(OWNER, hops=(Hop(TAX, SC.ownd_by, Var("team")),))).suggestion


def test_swapped_ends_are_suggested() -> None:
    assert "the other way round it would fit" == failed(Plan(hops=(Hop(WEB, SC.owned_by, TAX),))).suggestion


def test_a_principal_without_a_role_may_not_ask() -> None:
    with pytest.raises(CheckFailed) as caught:
        check(OWNER, SCHEMA, replace(ANONYMOUS, roles=()), types=TYPES)
    assert "principal" == caught.value.check


def test_what_a_relation_must_not_be_taken_for_is_told() -> None:
    plan = Plan(hops=(Hop(JACK, PP.citizen_of, Var("c")),), select=("c",))

    said = {c.name: c.said for c in check(plan, SCHEMA, ANONYMOUS, types=TYPES).checks}

    assert "never by born in, located in" in said["licences"]
