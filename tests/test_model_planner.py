"""The model planner: what is asked of a model, what is made of its replies, and what no reply can do."""

from __future__ import annotations

import json
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from support.commandline import kg
from support.goldens import schema, view
from support.modelserver import ModelServer, model_server
from support.projection import ViewOfWorld
from support.sampleworld import sample_world

from kgplatform.answer.ask import ask
from kgplatform.answer.planners import planner_of
from kgplatform.errors import LanguageModelError
from kgplatform.llm import Session
from kgplatform.model import CompiledQuery
from kgplatform.results import Answer
from kgplatform.settings.load import LanguageModel
from kgplatform.terms import Term

SEEN = view()
QUESTION = "Who owns Tax?"


class Watched(ViewOfWorld):
    """A view that keeps the text and the parameters of every query that ran."""

    def select(self, query: CompiledQuery) -> list[dict[str, Term]]:
        ran.append(query.text)
        return super().select(query)


ran: list[str] = []


def watched() -> ViewOfWorld:
    ran.clear()
    return Watched(**{each.name: getattr(SEEN, each.name) for each in fields(SEEN)})


def model_of(server: ModelServer, **settings: Any) -> LanguageModel:
    return LanguageModel(**{"base_url": server.url, "name": "recorded-model", "timeout": 5, "retries": 0, **settings})


def asked(question: str, *names: str, seen: ViewOfWorld = SEEN, planner: str = "model", **settings: Any) -> tuple[Answer, ModelServer]:
    with model_server(*names) as server:
        return ask(seen, question, planner=planner_of(model_of(server, **settings), planner), explain=True), server


def test_a_plan_of_a_model_is_answered_like_one_of_the_rules() -> None:
    by_rules = ask(SEEN, QUESTION)
    made, _ = asked(QUESTION, "plan-good")

    assert ("answered", ["Platform"]) == (made.outcome, [item.label for item in made.answers])
    assert (by_rules.sentence, by_rules.citations) == (made.sentence, made.citations)
    assert ("planned by the language model recorded-model",) == made.warnings


def test_the_cost_of_an_answer_is_that_of_its_calls() -> None:
    made, _ = asked(QUESTION, "plan-turned", "plan-good")

    cost = made.to_dict()["cost"]
    assert (2, 1624, 192) == (cost["model_calls"], cost["input_tokens"], cost["output_tokens"])
    assert "language model: 2 calls, 1624 + 192 tokens" in made.explanation


def test_a_model_is_told_names_and_words_of_the_ontology_and_no_key_iri_or_fact() -> None:
    _, server = asked("Who owns Tax, the service of Platfrom?", "plan-good")

    texts = [message["content"] for message in server.asked()["messages"]]
    told = json.loads(texts[-1])
    assert {"name:1": {"name": "Tax", "classes": ["Component"]}, "name:2": {"name": "Platfrom", "classes": ["Team"]}} == told["names"]
    assert "1 November 2025" == told["today"]
    assert "\nowned_by: Asset -> Group|Person\n" in texts[0]
    assert [] == [word for word in ("kg.example", "component:tax", "team:", "Commerce", "R7", "Avalon") if word in "".join(texts)]


def test_a_model_is_told_the_relations_that_are_nearest_to_the_question() -> None:
    _, server = asked("What depends on Tax?", "plan-good")

    assert "depends_on" == json.loads(server.asked()["messages"][-1]["content"])["near"][0]


def test_what_a_check_says_of_an_entity_goes_back_to_the_model_without_its_iri() -> None:
    _, server = asked(QUESTION, "plan-value-of-itself", "plan-good")

    assert "leads to a value, “Tax” is an entity" in server.asked()["messages"][-1]["content"]
    assert "component/tax" not in str(server.asked()["messages"])


def test_the_form_of_the_reply_has_the_ontology_and_the_names_as_its_only_words() -> None:
    _, server = asked(QUESTION, "plan-good")

    words = server.asked()["response_format"]["json_schema"]["schema"]["$defs"]
    assert "owned_by" in words["relation"]["enum"]
    assert ["name:1", "?x", "?y", "?z", "?w"] == words["end"]["enum"]
    assert "Team" in words["class"]["enum"]


def test_what_the_caller_cannot_see_is_not_named_to_the_model() -> None:
    _, hidden = asked("Who does Avalon own?", "plan-good")
    _, shown = asked("Who does Avalon own?", "plan-good", seen=sample_world().view(schema(), scopes=["finance"]))

    assert {} == json.loads(hidden.asked(0)["messages"][-1]["content"])["names"]
    assert {"name:1": {"name": "Avalon", "classes": ["Team"]}} == json.loads(shown.asked(0)["messages"][-1]["content"])["names"]


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("plan-turned", 'Hop 0 fits the other way round: {"subject": "name:1", "relation": "owned_by", "object": "?x"}'),
        ("plan-unknown-relation", "there is no relation 'possesses'"),
        ("plan-missing-field", "the field 'relation' is missing"),
        ("plan-list", "an object is needed here"),
        ("plan-bad-date", "is not a date"),
        ("plan-hidden-key", "'component:invoice' is none of the numbered names"),
        ("chatter", "is not JSON"),
    ],
)
def test_a_refused_plan_is_sent_back_with_its_fault_and_may_be_mended(name: str, fault: str) -> None:
    made, server = asked(QUESTION, name, "plan-good")

    assert ("answered", 2) == (made.outcome, len(server.seen))
    assert fault in server.asked()["messages"][-1]["content"]


HOSTILE = (
    *("plan-hidden-key", "plan-hidden-iri", "plan-claims", "plan-sparql-relation", "plan-sparql-variable"),
    *("plan-extra-field", "plan-many-hops", "plan-big-numbers", "sparql", "deep", "long", "surrogate"),
)


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_reply_is_invalid_after_two_mends_and_runs_nothing(name: str) -> None:
    seen = watched()
    made, server = asked(QUESTION, name, seen=seen)

    assert "invalid" == made.outcome
    assert len(server.seen) <= 3
    assert (None, None, ()) == (made.plan, made.sparql, made.answers)
    assert [] == [text for text in ran if "?s ?p ?o" in text or "wasDerivedFrom" in text]


def test_sparql_inside_a_value_is_a_text_that_nothing_has() -> None:
    seen = watched()
    made, _ = asked(QUESTION, "plan-sparql-value", seen=seen)

    assert ("no_match", ()) == (made.outcome, made.answers)
    assert [] == [text for text in ran if "?s ?p ?o" in text.replace(r'"\" } } SELECT * { ?s ?p ?o } #"', "")]


@pytest.mark.parametrize(
    ("name", "outcome", "said"),
    [
        ("truncated", "invalid", "cut off at 1000 tokens"),
        ("refused", "invalid", "I cannot help with that"),
        ("empty", "invalid", "the reply is empty"),
        ("not-a-completion", "invalid", "no chat completion"),
        ("silent", "timed_out", "no reply within 2 seconds"),
    ],
)
def test_a_reply_that_cannot_be_used_is_an_outcome(name: str, outcome: str, said: str) -> None:
    made, server = asked(QUESTION, name, timeout=2)

    assert (outcome, 1) == (made.outcome, len(server.seen))
    assert said in made.sentence
    assert 1 == made.cost.model_calls


@pytest.mark.parametrize("name", ["unauthorised", "broken", "no-such-model"])
def test_a_model_that_cannot_be_asked_is_an_error(name: str) -> None:
    with pytest.raises(LanguageModelError):
        asked(QUESTION, name)


def test_a_name_that_several_bear_is_ambiguous_and_never_picked_by_the_model() -> None:
    made, _ = asked("Where does Alex Kim work?", "plan-works-for")

    assert ("ambiguous", 2) == (made.outcome, len(made.candidates))


def test_a_class_may_be_asked_of_by_name() -> None:
    made, _ = asked("Is Tax a component?", "plan-is-a")

    assert ("answered", ["yes"]) == (made.outcome, [item.label for item in made.answers])


def test_a_name_that_the_plan_leaves_out_is_told() -> None:
    made, _ = asked(QUESTION, "plan-nameless")

    assert "the plan leaves “Tax” out" in made.warnings


def test_a_date_that_can_mean_two_days_is_not_left_to_the_model() -> None:
    made, server = asked("Who owned Tax on 03/04/2024?", "plan-good")

    assert ("invalid", []) == (made.outcome, server.seen)


# -- which planner


def test_the_model_is_asked_only_where_the_rules_do_not_understand() -> None:
    read, server = asked(QUESTION, "plan-good", planner="rules-then-model")
    assert ("answered", 0, []) == (read.outcome, read.cost.model_calls, server.seen)

    unread, server = asked("Whose baby is Tax?", "plan-good", planner="rules-then-model")
    assert ("answered", 1, 1) == (unread.outcome, unread.cost.model_calls, len(server.seen))


@pytest.mark.parametrize("name", ["broken", "truncated", "sparql", "unauthorised"])
def test_where_the_model_does_not_help_the_answer_of_the_rules_stands(name: str) -> None:
    made, _ = asked("Whose baby is Tax?", name, planner="rules-then-model")

    assert ("invalid", True) == (made.outcome, made.sentence.startswith(ask(SEEN, "Whose baby is Tax?").sentence.removesuffix(".")))


def test_what_was_spent_on_a_model_that_did_not_help_is_part_of_the_cost() -> None:
    made, server = asked("Whose baby is Tax?", "plan-turned", "unauthorised", planner="rules-then-model")

    assert ("invalid", 2, 812) == (made.outcome, made.cost.model_calls, made.cost.input_tokens)
    assert 2 == len(server.seen)


def test_one_session_counts_the_questions_of_all() -> None:
    with model_server("plan-good") as server:
        from kgplatform.llm import open_session

        model = model_of(server)
        session: Session = open_session(model)
        made = [ask(SEEN, QUESTION, planner=planner_of(model, "model", session=session)) for _ in range(3)]

    assert [1, 1, 1] == [each.cost.model_calls for each in made]
    assert (3, 3 * 812) == (session.spent.calls, session.spent.input_tokens)


# -- the command line


def configured(data: Path, server: ModelServer, more: str = "") -> None:
    with (data / "kgplatform.toml").open("a", encoding="utf-8") as file:
        file.write(f'\n[model]\nbase_url = "{server.url}"\nname = "recorded-model"\nretries = 0\n{more}')


def test_without_a_model_everything_works_and_the_model_planner_says_so_in_one_line(world: Path) -> None:
    assert 0 == kg("ask", QUESTION).code
    assert 0 == kg("ask", QUESTION, "--planner", "rules").code
    for planner in ("model", "rules-then-model"):
        said = kg("ask", QUESTION, "--planner", planner)
        assert (1, "", 1) == (said.code, said.out, len(said.err.splitlines()))
        assert "no language model is configured" in said.err


def test_the_command_line_asks_the_model_when_told_to(own_world: Path) -> None:
    with model_server("plan-good") as server:
        configured(own_world, server)
        assert 0 == kg("ask", QUESTION, "--json").json["cost"]["model_calls"], "a configured model is not asked unless that is said"
        made = kg("ask", QUESTION, "--planner", "model", "--json").json

    assert ("answered", 1, 812) == (made["outcome"], made["cost"]["model_calls"], made["cost"]["input_tokens"])


def test_the_planner_of_the_settings_is_used(own_world: Path) -> None:
    with model_server("plan-good") as server:
        configured(own_world, server, 'planner = "model"\n')
        assert 1 == kg("ask", QUESTION, "--json").json["cost"]["model_calls"]


def test_a_model_that_is_not_there_is_one_line(own_world: Path) -> None:
    configured(own_world, ModelServer("http://127.0.0.1:9/v1", []))

    said = kg("ask", QUESTION, "--planner", "model")

    assert (1, 1) == (said.code, len(said.err.splitlines()))
    assert "cannot be reached" in said.err


def test_a_model_that_repeats_its_refused_plan_is_not_asked_a_third_time() -> None:
    made, server = asked(QUESTION, "plan-turned")

    assert ("invalid", 2) == (made.outcome, len(server.seen))
    assert "leads to a group or a person" in made.sentence


@pytest.mark.parametrize(
    ("question", "clause"),
    [
        ("Who owned Tax in June 2023?", {"time": "during", "start": "2023-06", "end": ""}),
        ("Who owned Tax between January and March 2024?", {"time": "during", "start": "2024-01", "end": "2024-03-31"}),
        ("Who owned Tax throughout 2023?", {"time": "throughout", "start": "2023", "end": ""}),
    ],
)
def test_a_plan_that_forgets_the_date_of_the_question_is_refused_with_the_clause_for_it(question: str, clause: dict[str, str]) -> None:
    made, server = asked(question, "plan-good")

    assert ("invalid", None) == (made.outcome, made.sparql)
    assert f"add to also: {json.dumps(clause)}" in server.asked()["messages"][-1]["content"]


def test_a_time_that_the_question_does_not_say_is_told() -> None:
    made, _ = asked(QUESTION, "plan-dated")
    stated, _ = asked("Who owned Tax in 2023?", "plan-dated")

    assert "the plan is about 2023, which the question does not say" in made.warnings
    assert [] == [warning for warning in stated.warnings if "does not say" in warning]
