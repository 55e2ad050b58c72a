"""When a model's plan is about: the years that a question states, the days of events, and names that many things bear."""

from __future__ import annotations

import json
from typing import Any

import pytest
from support.goldens import schema, view
from support.projection import ViewOfWorld
from support.sampleworld import sample_world

from kgplatform.answer.ask import ask
from kgplatform.answer.planners import planner_of
from kgplatform.llm import Reply, Request, Session
from kgplatform.query.algebra import Plan, Time
from kgplatform.query.graphview import GraphView
from kgplatform.question.model_when import years_of
from kgplatform.results import Answer
from kgplatform.settings.load import LanguageModel
from kgplatform.terms import PP, SC

SEEN = view()
Json = dict[str, Any]


class Writes:
    """A model that writes these plans in turn, the last one ever after."""

    model = "written-by-hand"

    def __init__(self, *plans: Json) -> None:
        self._plans = list(plans)
        self.asked: list[Request] = []

    def complete(self, request: Request) -> Reply:
        self.asked.append(request)
        return Reply(json.dumps(self._plans.pop(0) if len(self._plans) > 1 else self._plans[0]))

    @property
    def told(self) -> str:
        """What it was told last."""
        return self.asked[-1].messages[-1].content


def answered(question: str, model: Writes, *, seen: GraphView = SEEN) -> Answer:
    return ask(seen, question, planner=planner_of(LanguageModel("http://127.0.0.1:9", "m"), "model", session=Session(model)))


def hop(subject: str, relation: str, object_: Any) -> Json:
    return {"subject": subject, "relation": relation, "object": object_}


def plan(*hops: Json, select: tuple[str, ...] = (), also: tuple[Json, ...] = ()) -> Json:
    return {"hops": list(hops), "select": list(select), "also": list(also)}


def during(start: str, end: str = "", kind: str = "during") -> Json:
    return {"time": kind, "start": start, "end": end}


OWNER = hop("name:1", "owned_by", "?x")
AFFECTS = hop("?x", "affects", "name:1")
INCIDENT = {"is_a": "Incident", "of": "?x"}
COUNT = {"count": "?x", "each": "", "order": ""}


def owner(*also: Json) -> Json:
    return plan(OWNER, select=("?x",), also=also)


# -- years


@pytest.mark.parametrize(
    ("question", "clause"),
    [
        ("Who owned Tax from 2022 to 2024?", during("2022")),
        ("Who owned Tax from 2022 to 2024?", during("2024")),
        ("Who owned Tax from 2022 to 2024?", during("2022", "2024", "since")),
        ("Who owned Tax in 2022, 2023 and 2024?", during("2022", "2023")),
        ("Who owned Tax in 2022?", during("2021", "2023")),
    ],
)
def test_a_plan_without_each_year_of_the_question_is_refused(question: str, clause: Json) -> None:
    assert "invalid" == answered(question, Writes(owner(clause))).outcome


@pytest.mark.parametrize(
    ("question", "clause"),
    [
        ("Who owned Tax from 2022 to 2024?", during("2022", "2024")),
        ("Who owned Tax in 2022, 2023 and 2024?", during("2022", "2024")),
        ("Who owned Tax in 2023?", during("2023", "2023-12")),
    ],
)
def test_a_period_says_its_years_and_those_between(question: str, clause: Json) -> None:
    made = answered(question, Writes(owner(clause)))

    assert ("answered", []) == (made.outcome, [warning for warning in made.warnings if "the question does not say" in warning])


@pytest.mark.parametrize(
    "question",
    [
        *("Who owned Tax in 2023?", "Who owned Tax before 2023?", "Who owned Tax after 2023?", "Who has owned Tax since 2023?"),
        *(
            "Who owned Tax from 2022 to 2024?",
            "Who owned Tax until 2023?",
            "Who owned Tax at the end of 2023?",
            "Who owned Tax on 2023-03-01?",
        ),
    ],
)
def test_the_clause_that_a_refusal_names_mends_the_plan(question: str) -> None:
    model = Writes(owner())
    answered(question, model)
    clause = json.loads(model.told.partition("add to also: ")[2].removesuffix(" Reply with the whole plan, mended.").removesuffix("."))

    assert answered(question, Writes(owner(clause))).outcome in ("answered", "no_match")


def test_an_end_that_a_time_does_not_read_says_no_year() -> None:
    assert {"2022"} == years_of(Plan(time=Time("since", "2022", "2025-01-01")))
    assert {"2022", "2024"} == years_of(Plan(time=Time("during", "2022", "2025-01-01")))


DATED = plan(
    AFFECTS, hop("?x", "occurred_on", "?y"), select=("?x",), also=(INCIDENT, {"compare": "?y", "operator": ">=", "value": "2025-01-01"})
)


def test_the_name_of_a_datatype_says_no_year() -> None:
    made = answered("Which incidents affect Tax, 2025 or later?", Writes(DATED))
    other = answered("Which incidents affect Tax, 2001 or later?", Writes(DATED))

    assert ("answered", []) == (made.outcome, [warning for warning in made.warnings if "the plan is about" in warning])
    assert "invalid" == other.outcome


def test_a_wrong_time_is_to_be_replaced() -> None:
    model = Writes(owner(during("2022")))
    answered("Who owned Tax from 2022 to 2024?", model)

    assert f"write in place of its time: {json.dumps(during('2022', '2024-12-31'))}" in model.told


# -- events


BY_DATE = plan(AFFECTS, hop("?x", "occurred_on", "?y"), also=(INCIDENT, {"dated": "?y", "start": "2025", "end": ""}, COUNT))


def test_incidents_of_a_year_are_counted_by_their_dates() -> None:
    question = "How many incidents affect Tax in 2025?"
    model = Writes(plan(AFFECTS, also=(INCIDENT, during("2025"), COUNT)), BY_DATE)

    made, by_rules = answered(question, model), ask(SEEN, question)

    assert (by_rules.outcome, by_rules.sentence) == (made.outcome, made.sentence)
    added = json.dumps(hop("?x", "occurred_on", "?y")), json.dumps({"dated": "?y", "start": "2025", "end": ""})
    assert f"leave the clause time out; add to hops: {added[0]} and to also: {added[1]}" in model.told


@pytest.mark.parametrize(
    ("question", "wrong"),
    [
        ("Which incidents affect Tax in 2025?", plan(AFFECTS, select=("?x",), also=(during("2025"),))),
        ("How many incidents in 2025?", plan(also=(INCIDENT, during("2025"), COUNT))),
        ("Which component has most incidents in 2025?", plan(hop("?x", "affects", "?y"), select=("?y",), also=(during("2025"), {**COUNT, "each": "?y", "order": "most"}))),
        ("What did incidents affect in 2025?", plan(hop("?x", "affects", "?y"), select=("?y",), also=(INCIDENT, during("2025")))),
        ("Did an incident affect Tax in 2025?", plan(AFFECTS, also=(INCIDENT, during("2025")))),
        ("Did INC-104 affect Tax in 2025?", plan(hop("name:1", "affects", "name:2"), also=(during("2025"),))),
        ("Which incidents affected Tax since 2025?", plan(AFFECTS, select=("?x",), also=(during("2025", kind="since"),))),
        ("Which incidents affected Tax on 2025-06-01?", plan(AFFECTS, select=("?x",), also=(during("2025-06-01", kind="at"),))),
    ],
)  # fmt: skip
def test_a_time_is_no_date_of_an_event(question: str, wrong: Json) -> None:
    model = Writes(wrong)
    made = answered(question, model)

    assert ("invalid", True) == (made.outcome, "not when an event happened" in made.sentence)
    assert '"relation": "occurred_on"' in model.told


def test_a_date_that_the_plan_has_is_compared() -> None:
    model = Writes(plan(AFFECTS, hop("?x", "occurred_on", "?z"), select=("?x",), also=(during("2025", kind="after"),)))
    answered("Which incidents affect Tax after 2025?", model)

    assert f"add to also: {json.dumps({'compare': '?z', 'operator': '>', 'value': '2025-12-31'})}" in model.told


def test_a_year_that_is_left_out_of_events_is_one_of_their_dates() -> None:
    model = Writes(plan(AFFECTS, also=(INCIDENT, COUNT)))
    answered("How many incidents affect Tax in 2025?", model)

    assert '"dated": "?y", "start": "2025"' in model.told


@pytest.mark.parametrize(
    ("question", "right"),
    [
        ("Who owned Tax in 2023?", owner(during("2023"))),
        ("Who was on call for Tax in 2025?", plan(OWNER, hop("?x", "on_call", "?y"), select=("?y",), also=(during("2025"),))),
        (
            "Which components that incidents affect did Platform own in 2025?",
            plan(hop("?x", "affects", "?y"), hop("?y", "owned_by", "name:1"), select=("?y",), also=(during("2025"),)),
        ),
    ],
)
def test_states_of_things_keep_their_time(question: str, right: Json) -> None:
    assert "answered" == answered(question, Writes(right)).outcome


# -- names that many bear


def crowded(*, components: int) -> ViewOfWorld:
    """Node is the name of 70 incidents, a person, and some components."""
    world = sample_world()
    for number in range(70):
        world.entity(f"incident:n{number}", SC.Incident, "Node")
    for key in ("component:node", "service:node")[:components]:
        world.entity(key, SC.Component, "Node")
        world.says(key, SC.owned_by, "team:platform")
    world.entity("person:node", PP.Person, "Node")
    return world.view(schema())


def test_of_many_that_bear_a_name_the_one_that_fits_is_meant() -> None:
    made = answered("Who owns Node?", Writes(owner()), seen=crowded(components=1))

    assert ("answered", ["Platform"]) == (made.outcome, [item.label for item in made.answers])


def test_a_name_of_many_is_ambiguous_where_two_fit() -> None:
    seen = crowded(components=2)
    made, by_rules = answered("Who owns Node?", Writes(owner()), seen=seen), ask(seen, "Who owns Node?")

    assert ("ambiguous", 2) == (made.outcome, len(made.candidates))
    assert by_rules.candidates == made.candidates
