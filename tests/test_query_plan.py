"""The rule planner: what it reads, what it refuses, and what it tells of how it read. Plans are in golden files."""

from __future__ import annotations

import pytest
from support.goldens import schema, view
from support.projection import Source, World
from support.sampleworld import sample_world

from kgplatform.question.planner import Ambiguous, Planned, RefusedQuestion, plan_question
from kgplatform.terms import LABEL, PP, SC, TYPE, class_node, literal

SEEN = view()


def refused(question: str) -> RefusedQuestion:
    result = plan_question(SEEN, question)
    assert isinstance(result, RefusedQuestion), result
    return result


def planned(question: str) -> Planned:
    result = plan_question(SEEN, question)
    assert isinstance(result, Planned), result
    return result


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Who owns Tax?", "Who is Tax owned by?"),
        ("Who owns Tax?", "Tax's owner"),
        ("Who owns Tax?", "Who is the owner of Tax?"),
        ("Who owns Tax?", "who owns the tax service?"),
        ("Who owns Tax?", "What team owns component:tax?"),
        ("Who owns Tax?", "By whom is Tax owned?"),
        ("What does Checkout depend on?", "What does Checkout need?"),
        ("What does Checkout depend on?", "What are Checkout's dependencies?"),
        ("What does Checkout depend on?", "On what does Checkout depend?"),
        ("Which components have no owner?", "Which components are without an owner?"),
        ("Which components have no owner?", "Which components are not owned by anyone?"),
        ("Which components have no owner?", "Which services don't have an owner?"),
        ("Amit's nationality?", "Which nationality has Amit?"),
        ("Amit's nationality?", "Of which country is Amit a citizen?"),
        ("How many components does Web own?", "How many components are owned by Web?"),
        ("Who owned Tax in June 2023?", "Who owned Tax during 2023-06?"),
    ],
)
def test_two_wordings_ask_the_same(one: str, other: str) -> None:
    def asked(question: str) -> object:
        plan = planned(question).plan
        names = {v.name: f"v{i}" for i, v in enumerate(plan.variables)}
        text = repr((plan.hops, plan.absences, plan.filters, plan.time.kind, plan.time.start, bool(plan.aggregate)))
        for name, plain in names.items():
            text = text.replace(f"'{name}'", f"'{plain}'")
        return text

    assert asked(one) == asked(other)


@pytest.mark.parametrize(
    ("question", "reason", "suggestion"),
    [
        ("", "the question is empty", ""),
        ("Who likes Tax?", "“likes” is not understood", ""),
        ("Who owned Tax on 03/04/2024?", "the date “on 03/04/2024” can be read in more than one way", "2024-03-01"),
        ("Who owned Tax last year?", "the date “last year” can be read in more than one way", "2024-03-01"),
        ("Who owned Tax in 2021 and in 2023?", "the question states more than one date", ""),
        ("Does Platform depend on Tax?", "'depends on' starts from a component, API or resource, and Platform is a team", ""),
        ("Who owns Platform?", "'owned by' starts from a catalogue item, and Platform is a team", "the other way round"),
        ("What is Tax?", "nothing is asked of Tax", "look it up by its name"),
        ("Tax owns tax the of by?", "the form of the question is not understood", "name one thing"),
        ("Are components owned by Web?", "yes or no is answered of a named thing", ""),
        ("word " * 70, "the question has 70 words, at most 60 are read", ""),
    ],
)
def test_what_is_not_understood_is_refused_with_a_reason(question: str, reason: str, suggestion: str) -> None:
    result = refused(question)

    assert reason == result.reason
    assert suggestion in result.suggestion


def test_a_name_that_nothing_bears_is_told_apart_from_a_question_that_is_not_understood() -> None:
    assert "Flux Capacitor" == refused("Who owns the Flux Capacitor?").unknown


def test_a_typing_mistake_is_read_and_told() -> None:
    assert ("“Storfront” was read as Storefront",) == planned("Who owns Storfront?").notes


def test_a_typing_mistake_between_two_names_is_ambiguous() -> None:
    world = World()
    for name in ("Ledger", "Lodger"):
        world.entity(f"component:{name.lower()}", SC.Component, name)

    result = plan_question(world.view(schema()), "Who owns Lidger?")

    assert isinstance(result, Ambiguous)
    assert ["Ledger", "Lodger"] == [c.label for c in result.candidates]


def test_a_short_word_is_never_taken_for_a_name() -> None:
    assert "Tx" == refused("Who owns Tx?").unknown


def test_a_former_name_is_told() -> None:
    assert ("Levy is a former name of Tax (until 15 January 2023)",) == planned("Who owned Levy in July 2022?").notes


def test_a_name_means_who_bore_it_at_the_time_asked_about() -> None:
    world = sample_world()
    world.says("component:levy", TYPE, class_node(SC.Component), since="2025")
    world.says("component:levy", LABEL, literal("Levy"), since="2025")
    seen = world.view(schema())

    def meant(question: str) -> str:
        result = plan_question(seen, question)
        assert isinstance(result, Planned)
        return repr(result.plan.hops[0].subject)

    assert "component/tax" in meant("Who owned Levy in July 2022?")
    assert "component/levy" in meant("Who owns Levy?")


def test_a_class_that_the_relation_cannot_have_is_reached_over_one_relation_and_told() -> None:
    assert "linked to it by 'on call for'" in planned("Which on-call rotation owns Tax?").notes[0]


def test_a_relation_tells_which_bearer_of_a_name_is_meant() -> None:
    world = World()
    for key, class_ in (("component:mercury", SC.Component), ("team:mercury", SC.Team)):
        world.entity(key, class_, "Mercury")

    result = plan_question(world.view(schema()), "What does Mercury own?")

    assert isinstance(result, Planned)


def test_candidates_are_told_apart_by_the_facts_that_differ() -> None:
    result = plan_question(SEEN, "Where does Alex Kim work?")

    assert isinstance(result, Ambiguous)
    assert [("Lisbon", "Platform"), ("Toronto", "Finance")] == [tuple(fact.value for fact in c.facts[:2]) for c in result.candidates]


def test_a_name_that_only_others_may_see_is_as_unknown_as_one_that_does_not_exist() -> None:
    hidden, absent = refused("What does Avalon own?"), refused("What does Avalom own?")

    assert ("Avalon", "Avalom") == (hidden.unknown, absent.unknown)
    assert hidden.reason.replace("Avalon", "Avalom") == absent.reason


def test_hidden_facts_do_not_tell_candidates_apart() -> None:
    world = sample_world()
    world.says("person:p1", PP.job_title, '"Spy"', Source("finance/spies.md", scope="finance"))

    result = plan_question(world.view(schema()), "Where does Alex Kim work?")

    assert isinstance(result, Ambiguous)
    assert "Spy" not in str(result.candidates)


def test_a_canonical_entity_stands_for_its_members() -> None:
    world = sample_world()
    world.alias("text:memos/x.md|TAX engine|", "TAX engine", Source("memos/x.md"))
    world.members["text:memos/x.md|TAX engine|"] = "component:tax"

    result = plan_question(world.view(schema()), "Who owns TAX engine?")

    assert isinstance(result, Planned)
    assert "component/tax" in repr(result.plan.hops[0].subject)
