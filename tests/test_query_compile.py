"""Compiled plans: golden texts, and what their form promises, run on a real store."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from support.goldens import PLANS, QUESTIONS, SPARQL, plan_text, schema, sparql_text, view
from support.projection import BASE, Source, ViewOfWorld, World, first_seen

from kgplatform.query.algebra import EntityTerm, Hop, Plan, Time, Var, Variable
from kgplatform.query.check import CheckFailed, check
from kgplatform.query.compile import compile_plan
from kgplatform.query.entity_names import types_of
from kgplatform.query.execute import Result, execute
from kgplatform.query.expansion import entities_of
from kgplatform.schema import load_schema
from kgplatform.terms import PP, SC, TYPE, class_node, entity_iri

SCHEMA = schema()
SEEN = view()


def run(view: ViewOfWorld, plan: Plan, *, min_trust: str = "extracted") -> Result:
    return execute(view, check(plan, view.schema, view.principal, types=types_of(view, entities_of(plan))), min_trust=min_trust)


def found(view: ViewOfWorld, plan: Plan, *, min_trust: str = "extracted") -> list[str]:
    return [solution.key[0].value.rpartition("/")[2] for solution in run(view, plan, min_trust=min_trust).solutions]


def node(key: str) -> EntityTerm:
    return EntityTerm(entity_iri(BASE, key))


@pytest.mark.parametrize("name", sorted(QUESTIONS))
def test_the_plan_of_a_question_is_as_in_its_golden_file(name: str) -> None:
    assert (PLANS / f"{name}.json").read_text(encoding="utf-8") == plan_text(SEEN, QUESTIONS[name])


@pytest.mark.parametrize("name", sorted(QUESTIONS))
def test_the_query_of_a_question_is_as_in_its_golden_file(name: str) -> None:
    question, _, expected = (SPARQL / f"{name}.rq").read_text(encoding="utf-8").partition("\n")

    assert (f"# {QUESTIONS[name]}", expected) == (question, sparql_text(SEEN, QUESTIONS[name]))


@pytest.mark.parametrize("name", sorted(QUESTIONS))
def test_every_group_of_facts_begins_with_values_and_tests_after_its_graphs(name: str) -> None:
    text = sparql_text(SEEN, QUESTIONS[name])
    groups = [line for line in text.splitlines() if line.startswith("GRAPH")]

    assert groups and all("kg:start" in g and "kg:end" in g for g in groups if "?_a" in g and "prov:" not in g and "kg:endKind" not in g)
    assert not re.search(r"GRAPH[^\n]*FILTER", text)
    assert "VALUES" == text.partition("WHERE {\n")[2].lstrip("{\n").split()[0]


@pytest.mark.parametrize("name", sorted(QUESTIONS))
def test_no_value_of_a_plan_stands_outside_a_values_row(name: str) -> None:
    body = sparql_text(SEEN, QUESTIONS[name]).partition("SELECT")[2]
    bare = re.sub(r"VALUES [^\n]*", "", body)

    assert not re.search(r"<http|\"", bare)


def test_a_symmetric_relation_is_found_from_both_ends() -> None:
    world = World()
    for key in ("person:a", "person:b"):
        world.entity(key, PP.Person, key)
    world.says("person:a", PP.spouse, "person:b")
    seen = world.view(SCHEMA)

    assert ["b"] == found(seen, Plan(hops=(Hop(node("person:a"), PP.spouse, Var("x")),), select=("x",)))
    assert ["a"] == found(seen, Plan(hops=(Hop(node("person:b"), PP.spouse, Var("x")),), select=("x",)))


def test_an_inverse_relation_is_read_in_the_direction_in_which_it_is_stored() -> None:
    assert ["cart", "invoice", "notify"] == found(SEEN, Plan(hops=(Hop(node("team:commerce"), SC.owns, Var("x")),), select=("x",)))


def test_a_subproperty_and_what_is_licensed_answer_for_a_relation() -> None:
    world = World()
    world.entity("team:a", SC.Team, "A")
    for key, relation in (("person:member", PP.member_of), ("person:leader", PP.leads), ("person:worker", PP.works_for)):
        world.entity(key, PP.Person, key)
        world.says(key, relation, "team:a")
    seen = world.view(SCHEMA)

    assert ["leader", "member"] == found(seen, Plan(hops=(Hop(Var("x"), PP.member_of, node("team:a")),), select=("x",)))
    assert ["leader", "member", "worker"] == found(seen, Plan(hops=(Hop(Var("x"), PP.affiliated_with, node("team:a")),), select=("x",)))


def test_what_must_not_be_taken_for_a_relation_never_answers_it() -> None:
    narrower = "\npp:honorary_citizen_of a owl:ObjectProperty ; rdfs:subPropertyOf pp:citizen_of ; kg:notToBeTakenFor pp:citizen_of ."
    ontology = load_schema(SCHEMA.turtle + narrower)
    world = World()
    world.entity("person:a", PP.Person, "a")
    world.entity("country:b", PP.Country, "b")
    world.says("person:a", PP.honorary_citizen_of, "country:b")
    plan = Plan(hops=(Hop(node("person:a"), PP.citizen_of, Var("x")),), select=("x",))

    assert [] == found(world.view(ontology), plan)


def places(*pairs: tuple[str, str]) -> World:
    world = World()
    for key in sorted({key for pair in pairs for key in pair}):
        world.entity(f"place:{key}", PP.Place, key)
    for inner, outer in pairs:
        world.says(f"place:{inner}", PP.located_in, f"place:{outer}")
    return world


def within(start: str, path: str = "one-or-more") -> Plan:
    return Plan(hops=(Hop(node(f"place:{start}"), PP.located_in, Var("x"), path),), select=("x",))


def test_containment_is_followed_and_may_start_at_itself() -> None:
    seen = places(("a", "b"), ("b", "c")).view(SCHEMA)

    assert ["b", "c"] == found(seen, within("a"))
    assert ["a", "b", "c"] == found(seen, within("a", "zero-or-more"))
    assert ["b"] == found(seen, within("a", "one"))


def test_a_circle_of_containment_ends_and_is_not_called_cut() -> None:
    result = run(places(("a", "b"), ("b", "c"), ("c", "a")).view(SCHEMA), within("a"))

    assert () == result.cut
    assert 3 == len(result.solutions) + 1


def test_containment_that_goes_on_is_cut_and_says_so() -> None:
    result = run(places(("a", "b"), ("b", "c"), ("c", "d"), ("d", "e"), ("e", "f")).view(SCHEMA), within("a"))

    assert ("containment was followed 4 times and goes on",) == result.cut
    assert 4 == len(result.solutions)


def test_facts_that_never_held_together_make_no_row() -> None:
    world = World()
    world.entity("component:a", SC.Component, "a")
    world.entity("team:t", SC.Team, "t")
    world.entity("rotation:r", SC.Rotation, "r")
    world.says("component:a", SC.owned_by, "team:t", since="2020", until="2021")
    world.says("team:t", SC.on_call, "rotation:r", since="2022")
    hops = (Hop(node("component:a"), SC.owned_by, Var("t")), Hop(Var("t"), SC.on_call, Var("r")))

    for time in (Time("always"), Time("during", "2019", "2025"), Time("before", "2025"), Time("after", "2018")):
        assert [] == found(world.view(SCHEMA), Plan(hops=hops, time=time, select=("r",))), time


@pytest.mark.parametrize(
    ("time", "owners"),
    [
        (Time(), ["platform"]),
        (Time("at", "2024-02-29"), ["commerce"]),
        (Time("at", "2024-03-01"), ["platform"]),
        (Time("during", "2024-02"), ["commerce"]),
        (Time("during", "2024"), ["commerce", "platform"]),
        (Time("during", "2024", "", "throughout"), []),
        (Time("during", "2023", "", "throughout"), ["commerce"]),
        (Time("since", "2024"), ["platform"]),
        (Time("since", "2024-02"), []),
        (Time("before", "2024-03-01"), ["commerce"]),
        (Time("before", "2022-06-01"), []),
        (Time("after", "2024-02"), ["platform"]),
        (Time("after", "2024-01"), ["commerce", "platform"]),
        (Time("always"), ["commerce", "platform"]),
    ],
)
def test_a_time_selects_owners(time: Time, owners: list[str]) -> None:
    assert owners == found(SEEN, Plan(hops=(Hop(node("component:tax"), SC.owned_by, Var("x")),), time=time, select=("x",)))


def test_a_least_trust_leaves_out_what_no_such_source_says() -> None:
    world = World()
    world.entity("component:a", SC.Component, "a")
    for key, trust in (("low", "extracted"), ("high", "authoritative"), ("both", "extracted")):
        world.entity(f"component:{key}", SC.Component, key)
        world.says("component:a", SC.depends_on, f"component:{key}", Source("d/x", trust=trust))
    world.says("component:a", SC.depends_on, "component:both", Source("d/y", trust="reviewed"))
    plan = Plan(hops=(Hop(node("component:a"), SC.depends_on, Var("x")),), select=("x",))

    assert ["both", "high", "low"] == found(world.view(SCHEMA), plan)
    assert ["both", "high"] == found(world.view(SCHEMA), plan, min_trust="reviewed")
    assert ["high"] == found(world.view(SCHEMA), plan, min_trust="authoritative")


def test_two_assertions_of_one_fact_are_one_solution() -> None:
    world = World()
    for key in ("component:a", "component:b"):
        world.entity(key, SC.Component, key)
    world.says("component:a", SC.depends_on, "component:b", since="2020")
    world.says("component:a", SC.depends_on, "component:b", since=first_seen("2021-01-01"))
    result = run(world.view(SCHEMA), Plan(hops=(Hop(node("component:a"), SC.depends_on, Var("x")),), select=("x",)))

    assert (1, 2) == (len(result.solutions), len(result.facts))


def test_a_qualified_fact_answers_no_plain_question() -> None:
    world = World()
    world.entity("component:a", SC.Component, "a")
    world.entity("team:t", SC.Team, "t")
    world.says("component:a", SC.owned_by, "team:t", qualifiers=((SC.annotation_key, '"pilot"'),))

    assert [] == found(world.view(SCHEMA), Plan(hops=(Hop(node("component:a"), SC.owned_by, Var("x")),), select=("x",)))


def test_a_class_filter_does_not_ask_when_the_class_was_said() -> None:
    world = World()
    for key, class_ in (("component:a", SC.Component), ("resource:b", SC.Resource), ("component:c", SC.Component)):
        world.says(key, "http://www.w3.org/1999/02/22-rdf-syntax-ns#type", f"<{class_}>", since="2020", until="2021")
    world.says("component:a", SC.depends_on, "resource:b", since="2022")
    world.says("component:a", SC.depends_on, "component:c", since="2022")
    plan = Plan(variables=(Variable("x", SC.Resource),), hops=(Hop(node("component:a"), SC.depends_on, Var("x")),), select=("x",))

    assert ["b"] == found(world.view(SCHEMA), plan)


def test_an_absence_may_be_of_a_class() -> None:
    world = World()
    for key, class_ in (("component:a", SC.Component), ("component:b", SC.Component), ("resource:r", SC.Resource)):
        world.entity(key, class_, key)
    world.says("component:a", SC.depends_on, "resource:r")
    world.says("component:b", SC.depends_on, "component:a")
    plan = Plan(
        variables=(Variable("c", SC.Component), Variable("r", SC.Resource)),
        absences=(Hop(Var("c"), SC.depends_on, Var("r")),),
        select=("c",),
    )

    assert ["b"] == found(world.view(SCHEMA), plan)


def test_an_absence_is_of_the_time_asked_about() -> None:
    world = World()
    world.says("component:a", TYPE, class_node(SC.Component), since="2019")
    world.entity("team:t", SC.Team, "t")
    world.says("component:a", SC.owned_by, "team:t", since="2020", until="2021")
    plan = Plan(variables=(Variable("c", SC.Component),), absences=(Hop(Var("c"), SC.owned_by, Var("t")),), select=("c",))
    seen = world.view(SCHEMA)

    assert (["a"], [], ["a"]) == tuple(found(seen, replace(plan, time=t)) for t in (Time(), Time("at", "2020-06"), Time("at", "2019-06")))


def test_a_plan_of_too_many_forms_is_refused() -> None:
    hops = tuple(Hop(Var(f"x{i}"), PP.located_in, Var(f"x{i + 1}"), "zero-or-more") for i in range(3))
    checked = check(Plan(hops=hops, select=("x0",)), SCHEMA, SEEN.principal, types={})

    with pytest.raises(CheckFailed) as caught:
        compile_plan(checked, at=SEEN.valid_at)
    assert "budget" == caught.value.check
