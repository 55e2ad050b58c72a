"""The form in which a model writes plans: it says what the questions of the golden plans ask, and only what it may."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support.goldens import QUESTIONS, schema, view

from kgplatform.answer.ask import ask
from kgplatform.answer.planners import planner_of
from kgplatform.errors import PlanError
from kgplatform.llm import Reply, Request, Session
from kgplatform.query.algebra import Aggregate, InPeriod, Sequence, Time, Validity, ValueTerm
from kgplatform.question.model_form import Words, plan_form, read_plan
from kgplatform.question.model_prompt import first_request, words_for
from kgplatform.settings.load import LanguageModel
from kgplatform.terms import literal

PLANS: dict[str, Any] = json.loads((Path(__file__).parent / "golden" / "model-plans.json").read_text(encoding="utf-8"))
SCHEMA = schema()
WORDS = words_for(SCHEMA, "")
HOP = {"subject": "name:1", "relation": "owned_by", "object": "?x"}


class Says:
    """A model that says one thing."""

    model = "written-by-hand"

    def __init__(self, plan: Any) -> None:
        self._text = json.dumps(plan)

    def complete(self, request: Request) -> Reply:
        return Reply(self._text)


def read(**parts: Any) -> Any:
    return read_plan({"hops": [HOP], "select": [], "also": [], **parts}, WORDS, ["name:1", "name:2"])


@pytest.mark.parametrize("name", QUESTIONS)
def test_a_plan_in_the_form_answers_what_the_rules_answer(name: str) -> None:
    seen = view()
    planner = planner_of(LanguageModel("http://127.0.0.1:9", "m"), "model", session=Session(Says(PLANS[name])))

    by_rules, by_model = ask(seen, QUESTIONS[name]), ask(seen, QUESTIONS[name], planner=planner)

    assert (by_rules.outcome, by_rules.answers) == (by_model.outcome, by_model.answers), by_model.sentence
    assert [] == [warning for warning in by_model.warnings if "the question does not say" in warning]
    assert sorted(map(str, by_rules.citations)) == sorted(map(str, by_model.citations))


@pytest.mark.parametrize(
    ("clause", "part", "expected"),
    [
        ({"time": "during", "start": "2024-01", "end": "2024-03"}, "time", Time("during", "2024-01", "2024-04-01")),
        ({"time": "during", "start": "2024", "end": "2024"}, "time", Time("during", "2024")),
        ({"time": "throughout", "start": "2024", "end": ""}, "time", Time("during", "2024", "", "throughout")),
        ({"count": "?x", "each": "?y", "order": "most"}, "aggregate", Aggregate("count", "x", "y", "most")),
        ({"extreme": "min", "of": "?x", "by": ""}, "aggregate", Aggregate("min", "x")),
        ({"dated": "?x", "start": "2024", "end": ""}, "filters", (InPeriod("x", "2024", "2025-01-01T00:00:00Z"),)),
        ({"dated": "?x", "start": "2024", "end": "2025-06"}, "filters", (InPeriod("x", "2024", "2025-07-01"),)),
        ({"when": "until", "hop": 0}, "validity", (Validity(0, "until"),)),
        ({"earlier": 1, "later": 0}, "sequence", Sequence(1, 0)),
        ({"limit": 3}, "limit", 3),
    ],
)
def test_a_clause_becomes_its_part_of_the_plan(clause: dict[str, Any], part: str, expected: object) -> None:
    assert expected == getattr(read(also=[clause]), part)


def test_a_value_gets_the_datatype_of_its_relation() -> None:
    hop = {"subject": "?x", "relation": "occurred_on", "object": {"value": "2024-03-01"}}

    assert ValueTerm(literal("2024-03-01", "http://www.w3.org/2001/XMLSchema#date")) == read(hops=[hop]).hops[0].object


@pytest.mark.parametrize(
    ("parts", "where", "said"),
    [
        ({"hops": [{**HOP, "object": "name:1"}]}, "$.hops[0]", "both ends are name:1"),
        ({"hops": [{**HOP, "subject": "name:3"}]}, "$.hops[0].subject", "none of the numbered names"),
        ({"hops": [{**HOP, "subject": "Team"}]}, "$.hops[0].subject", "none of the numbered names"),
        ({"hops": [{**HOP, "relation": "owned_by?"}]}, "$.hops[0].relation", "there is no relation"),
        ({"hops": [{**HOP, "relation": "label"}]}, "$.hops[0].relation", "there is no relation"),
        ({"hops": [{**HOP, "path": "one"}]}, "$.hops[0]", "no field 'path'"),
        ({"hops": [{"subject": "?x", "relation": "occurred_on", "object": {"value": "2024"}}]}, "$.hops[0].object.value", "no day"),
        ({"select": ["x"]}, "$.select[0]", "is no variable"),
        ({"select": ["?x } SELECT"]}, "$.select[0]", "not a variable's name"),
        ({"also": [{"limit": 1, "time": "at"}]}, "$.also[0]", "exactly one kind"),
        ({"also": [{"count": "?x"}]}, "$.also[0]", "'each' is missing"),
        ({"also": [{"is_a": "Tax", "of": "?x"}]}, "$.also[0].is_a", "there is no class"),
        ({"also": [{"limit": 1}, {"limit": 2}]}, "$.also[1]", "said twice"),
        ({"also": [{"limit": -1}]}, "$.also[0]", "0 or more"),
        ({"also": "none"}, "$.also", "a list"),
        ({"also": [{"limit": 1}] * 13}, "$.also", "at most 12"),
        ({"question": "?"}, "$", "no field 'question'"),
    ],
)
def test_what_the_form_does_not_have_is_named_with_its_place(parts: dict[str, Any], where: str, said: str) -> None:
    with pytest.raises(PlanError) as failed:
        read(**parts)

    assert where == failed.value.where
    assert said in failed.value.what


def nodes(node: Any) -> list[dict[str, Any]]:
    children = node.values() if isinstance(node, dict) else node if isinstance(node, list) else ()
    return ([node] if isinstance(node, dict) else []) + [found for child in children for found in nodes(child)]


def test_the_form_keeps_to_what_strict_servers_take() -> None:
    form = plan_form(SCHEMA, WORDS, ["name:1"])

    objects = [node for node in nodes(form) if node.get("type") == "object"]
    choices = [[next(iter(one["properties"])) for one in node["anyOf"] if "properties" in one] for node in nodes(form) if "anyOf" in node]
    endless = [n for n in nodes(form) if n.get("type") == "string" and not {"enum", "maxLength", "pattern"} & set(n)]
    assert [] == [node for node in objects if node["required"] != list(node["properties"]) or node["additionalProperties"] is not False]
    assert [] == [firsts for firsts in choices if len(set(firsts)) < len(firsts)], "choices are told apart by their first field"
    assert [] == [n for n in nodes(form) if n.get("type") == "array" and "maxItems" not in n] + endless
    assert "anyOf" not in form


def test_local_names_that_are_alike_keep_their_prefixes() -> None:
    known = [SCHEMA.relations[iri] for iri in SCHEMA.relations if iri.endswith(("#owned_by", "#spouse"))]
    twin = type(known[0])("https://w3id.org/kgplatform/core#spouse")

    assert {"kg:spouse", "pp:spouse", "owned_by"} == set(Words.of(SCHEMA, [*known, twin], ()).relations)


def test_the_beginning_of_all_requests_is_the_same_and_the_question_comes_last() -> None:
    at = "2025-11-01T00:00:00Z"
    one, other = (
        first_request(SCHEMA, words_for(SCHEMA, question), question, {}, at=at, max_tokens=100)
        for question in ("Who owns Tax?", "How many?")
    )

    assert one.messages[:-1] == other.messages[:-1]
    assert one.messages[-1].content.endswith('"question": "Who owns Tax?"}')


def test_the_examples_are_plans_of_the_form() -> None:
    messages = first_request(SCHEMA, WORDS, "Who?", {}, at="2025-11-01T00:00:00Z", max_tokens=100).messages

    plans = [json.loads(m.content) for m in messages if m.role == "assistant"]
    assert 5 == len([read_plan(plan, WORDS, ["name:1", "name:2"]) for plan in plans])


def test_events_are_shown_with_their_dates_and_states_with_a_time() -> None:
    messages = first_request(SCHEMA, WORDS, "Who?", {}, at="2025-11-01T00:00:00Z", max_tokens=100).messages
    plans = [json.loads(m.content) for m in messages if m.role == "assistant"]

    of_time = {hop["relation"]: kind for plan in plans for kind in ("time", "dated") if kind in str(plan["also"]) for hop in plan["hops"]}
    assert {"affects": "dated", "occurred_on": "dated", "led_by": "time"} == of_time


def test_a_request_is_short() -> None:
    request = first_request(SCHEMA, WORDS, "Who owns Tax?", {"name:1": ("Tax", [])}, at="2025-11-01T00:00:00Z", max_tokens=100)

    assert request.size < 10_500, "bytes, the form included: users pay for them"
