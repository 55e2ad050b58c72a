"""What a question's words mean, and what they must not be taken for: names, quantities, negation, dates and tense."""

from __future__ import annotations

import pytest
from support.goldens import schema, view
from support.projection import World, first_seen
from support.sampleworld import sample_world

from kgplatform.answer.ask import ask
from kgplatform.question.planner import Planned, RefusedQuestion, plan_question
from kgplatform.terms import PP, SC, TYPE, XSD, class_node, literal

SEEN = view()


def outcome(question: str) -> tuple[str, list[str]]:
    made = ask(SEEN, question)
    return made.outcome, [item.label for item in made.answers]


def refused(question: str) -> RefusedQuestion:
    result = plan_question(SEEN, question)
    assert isinstance(result, RefusedQuestion), result
    return result


# -- all of several


@pytest.mark.parametrize(
    "question",
    [
        "Does Web own every component?",
        "Does Web own all components?",
        "Does Web own each component?",
        "Which teams own all components?",
        "Which component depends on every component owned by Commerce?",
        "Who owns all the dependencies of Checkout?",
        "Do all components depend on Tax?",
        "Does Web own the components that depend on Tax?",
        "Does Commerce own Checkout's dependencies?",
        "Does Commerce own the dependencies of Checkout?",
        "Are the dependencies of Checkout owned by Commerce?",
        "Are Amit's colleagues citizens of Canada?",
    ],
)
def test_what_holds_of_some_is_never_said_of_all(question: str) -> None:
    assert ("invalid", []) == outcome(question)


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("Does Web own a component that depends on Tax?", ["yes"]),
        ("Does Web own components that depend on Tax?", ["yes"]),
        ("Is Storefront's dependency owned by Web?", ["yes"]),
        ("List all components owned by Web", ["Checkout", "Notify", "Storefront"]),
        ("all teams", ["Commerce", "Finance", "Platform", "Web"]),
        ("Who owns Checkout's dependencies?", ["Commerce", "Platform"]),
    ],
)
def test_what_is_asked_of_some_or_listed_is_answered(question: str, answers: list[str]) -> None:
    assert ("answered", answers) == outcome(question)


# -- names


def test_another_number_or_single_letter_is_no_typing_mistake() -> None:
    world = World()
    for name in ("INC-104", "Team A", "Gateway v2"):
        world.entity(f"component:{name.lower().replace(' ', '-')}", SC.Component, name)
    seen = world.view(schema())

    for name in ("INC-105", "Team B", "Gateway v3"):
        result = plan_question(seen, f"Who owns {name}?")
        assert isinstance(result, RefusedQuestion)
        assert name == result.unknown
    assert isinstance(plan_question(seen, "Who owns Gatewya v2?"), Planned)


@pytest.mark.parametrize(
    ("question", "reason"),
    [
        ("Who owned Tax two years ago?", "“two” is not understood"),
        ("When did Platform start owning Tax?", "“start” is not understood"),
        ("Who was the previous owner of Tax?", "“previous” is not understood"),
        ("Who owns only Tax?", "“only” is not understood"),
        ("Which teams own at least two components?", "“least” is not understood"),
        ("Which components depend on Tax except Invoice?", "“except” is not understood"),
        ("Who used to own Tax?", "the form of the question is not understood"),
        ("Who is on call?", "the form of the question is not understood"),
        ("Which components does nothing depend on?", "the form of the question is not understood"),
        ("Did Commerce own Tax before Platform?", "the form of the question is not understood"),
        ("Who owns Tax or Cart?", "the form of the question is not understood, perhaps because of “or”"),
    ],
)
def test_words_that_were_not_understood_are_no_name_that_nothing_bears(question: str, reason: str) -> None:
    result = refused(question)

    assert (reason, "") == (result.reason, result.unknown)


@pytest.mark.parametrize("name", ["Tax Engine", "Bank of England", "Flux", "New Depends On"])
def test_a_name_that_nothing_bears_stays_one(name: str) -> None:
    assert name == refused(f"Who owns {name}?").unknown


def test_an_initial_keeps_its_full_stop() -> None:
    world = World()
    world.entity("person:k", PP.Person, "A. Kim")
    world.entity("city:s", PP.City, "St. Gallen")
    world.says("person:k", PP.located_in, "city:s")

    made = ask(world.view(schema()), "Who lives in St. Gallen?"), ask(world.view(schema()), "Where does A. Kim live?")

    assert [["A. Kim"], ["St. Gallen"]] == [[item.label for item in each.answers] for each in made]


def test_a_class_noun_that_is_a_name_is_the_name() -> None:
    world = World()
    world.entity("component:agent", SC.Component, "agent")
    world.entity("component:other", SC.Component, "Other")
    world.entity("person:x", PP.Person, "X")
    for key, tag in (("component:agent", "mine"), ("person:x", "its")):
        world.says(key, SC.tag, literal(tag))

    for words in ("agent", "the agent"):
        assert ["mine"] == [item.label for item in ask(world.view(schema()), f"What is the tag of {words}?").answers]


def test_an_article_in_the_middle_of_a_name_is_not_left_out() -> None:
    """`Which components does Team A own` never means: which does any team own."""
    assert ("invalid", []) == outcome("Which components does Team A own?")


def test_what_a_thing_is_called_now_is_told_only_of_names_it_no_longer_bears() -> None:
    result = plan_question(sample_world().view(schema(), valid_at="2022-06-15T00:00:00Z"), "Who owns Tax?")

    assert isinstance(result, Planned)
    assert () == result.notes


# -- negation


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        (
            "Who does not own Tax?",
            ["Alex Kim (located in Lisbon)", "Alex Kim (located in Toronto)", "Amit", "Commerce", "Finance", "Jack", "Joan", "Web"],
        ),
        (
            "Who doesn't own Tax?",
            ["Alex Kim (located in Lisbon)", "Alex Kim (located in Toronto)", "Amit", "Commerce", "Finance", "Jack", "Joan", "Web"],
        ),
        ("Who has no spouse?", ["Alex Kim (located in Lisbon)", "Alex Kim (located in Toronto)", "Amit"]),
        ("Which components does Web not own?", ["Cart", "Invoice", "Ledgerd", "Mailer", "Search", "Tax"]),
        ("Which components doesn't Web own?", ["Cart", "Invoice", "Ledgerd", "Mailer", "Search", "Tax"]),
        ("Which components that Web does not own depend on Tax?", ["Invoice"]),
        ("Which teams did not own Tax in 2021?", ["Commerce", "Finance", "Platform", "Web"]),
        ("Which teams did not own Tax in 2023?", ["Finance", "Platform", "Web"]),
    ],
)
def test_a_lack_is_asked_of_everything_of_the_class(question: str, answers: list[str]) -> None:
    made = ask(SEEN, question)

    assert ("answered", answers) == (made.outcome, sorted(item.label for item in made.answers))
    assert "no stored fact says that " in made.sentence.casefold()


def test_what_ended_before_the_period_lacks_nothing_in_it() -> None:
    world = World()
    world.says("component:old", TYPE, class_node(SC.Component), since="2019", until="2020")
    world.entity("component:new", SC.Component, "New")

    assert ["New"] == [item.label for item in ask(world.view(schema()), "Which components had no owner in 2023?").answers]


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        (
            "Which teams own components that do not depend on Tax?",
            "Commerce owns Cart; Platform owns Tax; Web owns Storefront; no stored fact says that Cart, Tax or Storefront depend on Tax."
            + " Sources disagree: Commerce owns Notify, since 1 January 2025 (memos/notify-b.md); Web owns Notify, since 1 January 2025"
            + " (memos/notify-a.md).",
        ),
        ("Which components depend on Tax and do not depend on Cart?", "Invoice depends on Tax; no stored fact says that Invoice depends on Cart."),
        ("Which components depend on Tax and have no owner?",
         "No component that depends on Tax is among those stored of which no stored fact says that it is owned by anything."),
        ("How many components depend on Tax and are not owned by Web?",
         "1 component depends on Tax, of which no stored fact says that it is owned by Web."),
    ],
)  # fmt: skip
def test_what_lacks_a_fact_is_said_to_and_nothing_else(question: str, sentence: str) -> None:
    assert sentence == ask(SEEN, question).sentence


# -- having


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("How many components does Platform have?", ("answered", ["1"])),
        ("How many incidents has Tax had?", ("answered", ["6"])),
        ("Which teams have no components?", ("answered", ["Finance"])),
        ("Are there teams without components?", ("answered", ["Finance"])),
        ("Which component has the most incidents?", ("answered", ["Tax"])),
        ("Which team has people?", ("invalid", [])),
        ("Whose spouse is Joan?", ("answered", ["Jack"])),
        ("Which component's owner is Platform?", ("answered", ["Tax"])),
        ("Which components in production are owned by Platform?", ("answered", ["Tax"])),
    ],
)
def test_to_have_is_the_one_relation_that_the_classes_allow(question: str, expected: tuple[str, list[str]]) -> None:
    assert expected == outcome(question)


# -- tense and dates


def test_the_past_does_not_reach_beyond_now() -> None:
    world = sample_world()
    world.says("component:cart", SC.owned_by, "team:platform", since="2026-02-01")
    seen = world.view(schema())

    assert ["Commerce"] == [item.label for item in ask(seen, "Who owned Cart?").answers]
    assert "no_match" == ask(seen, "Did Platform own Cart?").outcome


@pytest.mark.parametrize("question", ["Who was the owner of Tax?", "Who was Tax's owner?", "Which teams owned Tax?"])
def test_who_was_asks_of_the_past_however_it_is_put(question: str) -> None:
    assert ("answered", ["Commerce", "Platform"]) == outcome(question)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Who owned Tax at the beginning of 2024?", ("answered", ["Commerce"])),
        ("Who owned Tax at the end of 2024?", ("answered", ["Platform"])),
        ("Who owned Tax at the end of February 2024?", ("answered", ["Commerce"])),
        ("Who owned Tax until the end of 2023?", ("answered", ["Commerce"])),
        ("Who owned Tax in early 2024?", ("invalid", [])),
        ("Who owned Tax in late 2023?", ("invalid", [])),
        ("How many Tax incidents were there at the end of 2025?", ("invalid", [])),
    ],
)
def test_a_part_of_a_period_is_never_taken_for_the_whole(question: str, expected: tuple[str, list[str]]) -> None:
    assert expected == outcome(question)


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("Which incidents were resolved in January 2025?", ["I-1"]),
        ("Which incidents were resolved in 2024?", []),
        ("Which incidents in 2024 were resolved?", ["I-1"]),
        ("Which incidents happened in 2024?", ["I-1"]),
        ("incidents resolved since 2025", ["I-1"]),
        ("Are there incidents of A in 2024?", ["I-1"]),
        ("What was the last incident of 2024?", ["I-1"]),
        ("the incidents of December 2024", ["I-1"]),
    ],
)
def test_a_period_is_about_the_date_that_it_stands_beside(question: str, answers: list[str]) -> None:
    world = World()
    world.entity("component:a", SC.Component, "A")
    world.entity("incident:I-1", SC.Incident, "I-1")
    world.says("incident:I-1", SC.affects, "component:a", since=first_seen("2025-02-01"))
    for relation, day in ((SC.occurred_on, "2024-12-31"), (SC.resolved_on, "2025-01-02")):
        world.says("incident:I-1", relation, literal(day, XSD.date), since=first_seen("2025-02-01"))

    assert answers == [item.label for item in ask(world.view(schema()), question).answers]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Is it true that Platform owns Tax?", ("answered", ["yes"])),
        ("Is it true that Commerce owns Tax?", ("no_match", [])),
        ("Is it correct that Tax is owned by Platform since 2024?", ("answered", ["yes"])),
        ("Is it true that Tax has no owner?", ("invalid", [])),
    ],
)
def test_a_statement_can_be_asked_for_its_truth(question: str, expected: tuple[str, list[str]]) -> None:
    assert expected == outcome(question)


def test_a_count_rests_only_on_facts_that_it_needs() -> None:
    """Commerce and Web own components that nobody disputes, so that the dispute over Notify changes no number of teams."""
    made = ask(SEEN, "How many teams own components?")

    assert [3] == [item.value for item in made.answers]
    assert made.conflicting and "Sources disagree: Commerce owns Notify" in made.sentence
