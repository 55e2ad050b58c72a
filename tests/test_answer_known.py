"""What is known and what is not: of times that have not come, and of counts that find none."""

from __future__ import annotations

import pytest
from support.goldens import schema, view
from support.projection import Source, ViewOfWorld, World, first_seen
from support.sampleworld import sample_world

from kgplatform.answer.ask import ask
from kgplatform.terms import SC, XSD, literal

SEEN = view()
KNOWN = "That is known until 1 November 2025, no end is stated."


def told(question: str, seen: ViewOfWorld = SEEN) -> tuple[str, list[object], str]:
    made = ask(seen, question)
    return made.outcome, [item.label if item.value is None else item.value for item in made.answers], made.sentence


# -- the future


@pytest.mark.parametrize(
    "question",
    [
        "Who owns Tax in 2030?",
        "Who owns Tax on 2026-01-01?",
        "Who owns Tax after 2027?",
        "Who owns Tax throughout 2025?",
        "Who owns Tax throughout 2030?",
    ],
)
def test_what_is_known_today_is_not_told_as_a_fact_of_the_future(question: str) -> None:
    made = ask(SEEN, question)

    assert ("answered", ["Platform"]) == (made.outcome, [item.label for item in made.answers])
    assert f"Platform owns Tax, since 1 March 2024. {KNOWN}" == made.sentence
    assert ("nothing is known beyond 1 November 2025",) == made.warnings


@pytest.mark.parametrize(
    "question",
    ["Who owned Tax in 2025?", "Who owned Tax in October 2025?", "Who owns Tax before 2030?", "Who owned Tax after 2024?", "Who owns Tax?"],
)
def test_of_a_time_that_has_begun_nothing_is_left_open(question: str) -> None:
    made = ask(SEEN, question)

    assert "Platform" in made.sentence and KNOWN not in made.sentence and not made.warnings


def test_yes_is_not_said_of_the_future() -> None:
    outcome, answers, sentence = told("Does Platform own Tax in 2030?")

    assert ("no_match", []) == (outcome, answers)
    assert sentence == f"Nothing stored says that Tax is owned by Platform in 2030; Tax is owned by Platform, since 1 March 2024. {KNOWN}"


@pytest.mark.parametrize(
    "question",
    [
        "Who has owned Tax since 2030?",
        "Who owns Mailer in 2030?",
        "How many Tax incidents in 2030?",
        "How many rotations does Finance have in 2030?",
    ],
)
def test_of_a_time_to_come_of_which_nothing_is_stored_nothing_is_known(question: str) -> None:
    outcome, answers, sentence = told(question)

    assert ("no_match", []) == (outcome, answers)
    assert sentence.endswith("nothing is known beyond 1 November 2025.")


def test_a_number_of_the_future_is_what_is_known_today() -> None:
    assert ("answered", [1], f"1 component is owned by Platform. {KNOWN}") == told("How many components does Platform own in 2030?")


def planned(*, until: str = "", since: str = "2024") -> ViewOfWorld:
    world = World()
    world.entity("component:a", SC.Component, "A")
    world.entity("team:t", SC.Team, "T")
    world.says("component:a", SC.owned_by, "team:t", since=since, until=until)
    return world.view(schema())


def test_a_stated_end_and_a_stated_start_in_the_future_are_told_as_stated() -> None:
    assert ("answered", ["T"], "In 2030: T owns A, from 2024 until 2032.") == told("Who owns A in 2030?", planned(until="2032"))
    assert ("answered", ["T"], "In 2030: T owns A, since 2028.") == told("Who owns A in 2030?", planned(since="2028"))
    assert "no_match" == told("Who owns A in 2033?", planned(until="2032"))[0]
    assert "answered" == told("Does T own A in 2030?", planned(until="2032"))[0]


def test_a_view_of_a_day_to_come_knows_no_more_than_today() -> None:
    seen = sample_world().view(schema(), valid_at="2030-01-01T00:00:00Z")

    assert f"Platform owns Tax, since 1 March 2024. {KNOWN}" == ask(seen, "Who owns Tax?").sentence


def test_an_event_to_come_is_told_and_who_owns_its_component_then_is_not_known() -> None:
    world = sample_world()
    world.entity("incident:INC-200", SC.Incident, "INC-200")
    for relation, value in ((SC.affects, "component:tax"), (SC.occurred_on, literal("2027-01-01", XSD.date))):
        world.says("incident:INC-200", relation, value)
    seen = world.view(schema())

    assert ("answered", [1]) == told("How many Tax incidents in 2027?", seen)[:2]
    assert KNOWN in told("Which incidents affect components owned by Platform in 2027?", seen)[2]


# -- none


@pytest.mark.parametrize(
    ("question", "outcome", "sentence"),
    [
        ("How many components depend on Tax in 2022?", "no_match", "Nothing stored says that a component depended on Tax in 2022; first seen 10 September 2023."),
        ("How many components depend on Storefront?", "answered", "0 stored: components that depend on Storefront."),
        ("How many components does Finance own?", "answered", "0 stored: components that are owned by Finance."),
        ("Which team had the most incidents in 2005?", "no_match",
         "Nothing stored says that a component was owned by a team and was affected by an incident in 2005, at the time of the incident."),
        ("How many components does Finance own in 2022?", "no_match", "Nothing stored says that a component was owned by Finance in 2022; first seen 10 September 2023."),
        ("How many APIs does Tax provide?", "no_match", "Nothing stored says that Tax provides an API."),
        ("How many teams owned Tax in 2021?", "no_match", "Nothing stored says that Tax was owned by a team in 2021; first stated June 2022."),
        ("How many components were there in 2020?", "no_match", "No component is stored in 2020; first seen 10 September 2023."),
        ("How many Cart incidents in 2024?", "answered", "0 stored: incidents that affect Cart in 2024."),
        ("How many Cart incidents in 2020?", "no_match", "Nothing stored says that an incident affects Cart in 2020; first seen 10 September 2023."),
    ],
)  # fmt: skip
def test_none_is_stored_of_what_was_known_then(question: str, outcome: str, sentence: str) -> None:
    made = told(question)

    assert outcome == made[0]
    assert sentence in ("", made[2])
    assert ([0] if outcome == "answered" else []) == made[1]


def test_what_only_others_may_see_makes_no_none_known() -> None:
    world = World()
    for key, name in (("component:a", "A"), ("component:b", "B"), ("component:c", "C")):
        world.entity(key, SC.Component, name)
    world.says("component:b", SC.depends_on, "component:c", Source("finance/x", scope="finance"), since=first_seen("2024-01-01"))
    question = "How many components depend on A?"

    assert "no_match" == told(question, world.view(schema()))[0]
    assert ("answered", [0]) == told(question, world.view(schema(), scopes=["finance"]))[:2]
