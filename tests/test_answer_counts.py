"""What the sentence of a count says was counted: its filters, its groups, and that sources disagree."""

from __future__ import annotations

from dataclasses import replace

import pytest
from support.goldens import schema, view
from support.projection import World, first_seen

from kgplatform.answer.ask import ask, run_plan
from kgplatform.query.algebra import (
    COUNT,
    FEWEST,
    MOST,
    Aggregate,
    Comparison,
    EntityTerm,
    Filter,
    Hop,
    InPeriod,
    Plan,
    ValueTerm,
    Var,
    Variable,
)
from kgplatform.terms import SC, XSD, literal

SEEN = view()
YEAR = InPeriod("day", "2025", "2026-01-01")
AFFECTS = Hop(Var("incident"), SC.affects, EntityTerm("component:tax"))
ON = Hop(Var("incident"), SC.occurred_on, Var("day"))
SEVERITY = Hop(Var("incident"), SC.severity, Var("severity"))
OWNED = Hop(Var("component"), SC.owned_by, Var("team"))


def day(operator: str, text: str) -> Comparison:
    return Comparison("day", operator, ValueTerm(literal(text, XSD.date)))


def severity(operator: str, text: str) -> Comparison:
    return Comparison("severity", operator, ValueTerm(literal(text)))


def incidents(*filters: Filter, by: str = "", order: str = "") -> str:
    """The sentence of a count of Tax incidents."""
    named = {each.variable for each in filters} | {by}
    hops = (AFFECTS, *(hop for hop, name in ((ON, "day"), (SEVERITY, "severity")) if name in named))
    plan = Plan(
        variables=(Variable("incident", SC.Incident),), hops=hops, filters=filters, aggregate=Aggregate(COUNT, "incident", by, order)
    )
    return run_plan(SEEN, plan).sentence


@pytest.mark.parametrize(
    ("filters", "sentence"),
    [
        ((YEAR,), "5 incidents affect Tax in 2025."),
        (
            (YEAR, day(">=", "2025-04-01")),
            "3 incidents affect Tax and occurred on a day in 2025 and on or after 1 April 2025.",
        ),
        (
            (day(">=", "2025-04-01"), day("<", "2025-05-01")),
            "1 incident affects Tax and occurred on a day on or after 1 April 2025 and before 1 May 2025.",
        ),
        (
            (YEAR, InPeriod("day", "2025-05", "2025-06")),
            "2 incidents affect Tax and occurred on a day in 2025 and in May 2025.",
        ),
        ((day("=", "2025-05-17"),), "1 incident affects Tax and occurred on 17 May 2025."),
        ((severity("=", "high"),), "2 incidents affect Tax and have the severity high."),
        ((severity("contains", "i"), YEAR), "4 incidents affect Tax and have a severity containing i in 2025."),
        (
            (severity("=", "SEV9"), severity("contains", "sev")),
            "0 stored: incidents that affect Tax and have a severity equal to SEV9 and containing sev.",
        ),
        (
            (severity("!=", "high"), severity("contains", "i")),
            "2 incidents affect Tax and have a severity other than high and containing i.",
        ),
    ],
)
def test_the_sentence_of_a_count_says_every_filter(filters: tuple[Filter, ...], sentence: str) -> None:
    assert sentence == incidents(*filters)


def test_the_days_of_two_events_are_each_told_of_their_event() -> None:
    other = Hop(Var("other"), SC.affects, EntityTerm("component:tax"))
    hops = (AFFECTS, ON, other, Hop(Var("other"), SC.occurred_on, Var("earlier")))
    filters = (YEAR, InPeriod("earlier", "2024", "2025"))
    plan = Plan(
        variables=(Variable("incident", SC.Incident), Variable("other", SC.Incident)),
        hops=hops, filters=filters, aggregate=Aggregate(COUNT, "incident"),
    )  # fmt: skip
    sentence = run_plan(SEEN, plan).sentence

    assert "occurred on a day in 2025" in sentence
    assert "occurred on a day in 2024" in sentence


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        (
            "Which team owns the most components that depend on Tax?",
            "The most of any team: 1 component depends on Tax and is owned by Commerce; 1 component depends on Tax and is owned by Web.",
        ),
        (
            "Which component has the most incidents with severity high?",
            "The most of any component: 2 incidents have the severity high and affect Tax.",
        ),
        ("Which component had the most incidents in 2025?", "The most of any component in 2025: 5 incidents affect Tax."),
        ("Which component has the most dependencies?", "The most of any component: Checkout depends on 2 things."),
    ],
)
def test_the_groups_with_the_most_say_what_was_counted(question: str, sentence: str) -> None:
    assert sentence == ask(SEEN, question).sentence


@pytest.mark.parametrize(
    ("filters", "by", "order", "sentence"),
    [
        (
            (YEAR,), "severity", "",
            "In 2025: 2 incidents affect Tax and have the severity high; 1 incident affects Tax and has the severity low; "
            + "2 incidents affect Tax and have the severity medium.",
        ),
        (
            (severity("contains", "i"), YEAR), "severity", MOST,
            "The most of any severity containing i in 2025: 2 incidents affect Tax and have the severity high; "
            + "2 incidents affect Tax and have the severity medium.",
        ),
        (
            (YEAR, day(">", "2025-05-17")), "day", MOST,
            "The most of any day in 2025 and after 17 May 2025: 1 incident affects Tax and occurred on 18 May 2025.",
        ),
    ],
)  # fmt: skip
def test_groups_by_a_value_say_what_was_counted(filters: tuple[Filter, ...], by: str, order: str, sentence: str) -> None:
    assert sentence == incidents(*filters, by=by, order=order)


def test_a_count_over_a_path_says_the_path() -> None:
    plan = Plan(
        variables=(Variable("x", SC.Component), Variable("component", SC.Component), Variable("team", SC.Team)),
        hops=(Hop(Var("x"), SC.depends_on, Var("component")), OWNED),
        aggregate=Aggregate(COUNT, "x", "team", MOST),
    )

    assert "The most of any team: 2 components depend on a component, which is owned by Platform." == run_plan(SEEN, plan).sentence


def test_what_lacks_a_fact_is_the_thing_that_was_asked_of() -> None:
    plan = Plan(
        variables=(Variable("incident", SC.Incident), Variable("component", SC.Component)),
        hops=(Hop(Var("incident"), SC.affects, Var("component")),),
        absences=(Hop(Var("component"), SC.depends_on, Var("other")),),
        aggregate=Aggregate(COUNT, "incident"),
    )

    assert (
        "6 incidents affected a component, and no stored fact says that the component depended on anything, at the time of the incident."
        == run_plan(SEEN, plan).sentence
    )


# -- disputed groups


def owners(disputed: dict[str, tuple[str, str]], owned: dict[str, str]) -> World:
    """Components with the teams that own them; of the disputed ones, each of two."""
    world = World()
    for team in sorted({*owned.values(), *(team for pair in disputed.values() for team in pair)}):
        world.entity(f"team:{team}", SC.Team, team.upper())
    for component in (*owned, *disputed):
        world.entity(f"component:{component}", SC.Component, component.upper())
    for component, team in owned.items():
        world.says(f"component:{component}", SC.owned_by, f"team:{team}", since=first_seen("2024-01-01"))
    for component, (one, other) in disputed.items():
        said = [world.says(f"component:{component}", SC.owned_by, f"team:{team}", since="2025") for team in (one, other)]
        world.conflicts.append((said[0], said[1]))
    return world


FEWEST_OWNED = Plan(
    variables=(Variable("component", SC.Component), Variable("team", SC.Team)),
    hops=(OWNED,),
    aggregate=Aggregate(COUNT, "component", "team", FEWEST),
)
MOST_OWNED = replace(FEWEST_OWNED, aggregate=Aggregate(COUNT, "component", "team", MOST))


def test_a_group_that_may_have_as_few_without_a_disputed_fact_is_named() -> None:
    world = owners({"yot": ("ra", "rb")}, {"zed": "ra", "wye": "rb", "cog": "rb", "tax": "platform"})
    made = run_plan(world.view(schema()), FEWEST_OWNED)

    assert ([("PLATFORM", 1, 0)], True) == ([(item.label, item.value, item.disputed) for item in made.answers], made.conflicting)
    assert (
        "The fewest of any team: 1 component is owned by PLATFORM. What is disputed could change who has the fewest: "
        + "2 components are owned by RA, of which 1 is disputed. Sources disagree: RA owns YOT, since 2025"
    ) in made.sentence
    assert {"YOT", "TAX"} == {fact.subject.label for fact in made.assertions}


def test_a_group_that_would_lead_if_the_dispute_went_against_the_leader_is_named() -> None:
    world = owners({"yot": ("ra", "rb")}, {"a": "ra", "b": "ra", "c": "platform", "d": "platform", "e": "rb"})
    made = run_plan(world.view(schema()), MOST_OWNED)

    assert [("RA", 3, 1)] == [(item.label, item.value, item.disputed) for item in made.answers]
    assert (
        "The most of any team: 3 components are owned by RA, of which 1 is disputed. What is disputed could change who has the most: "
        + "2 components are owned by PLATFORM; 2 components are owned by RB, of which 1 is disputed. Sources disagree: "
    ) in made.sentence


def test_of_many_a_few_are_disputed() -> None:
    world = owners({name: ("ra", "rb") for name in "xyz"}, {f"c{number}": "ra" for number in range(109)})
    plan = replace(FEWEST_OWNED, hops=(Hop(Var("component"), SC.owned_by, EntityTerm("team:ra")),), aggregate=Aggregate(COUNT, "component"))
    made = run_plan(world.view(schema()), plan)

    assert made.sentence.startswith("112 components are owned by RA, of which 3 are disputed. Sources disagree: ")
    assert [("112", 112, 3)] == [(item.label, item.value, item.disputed) for item in made.answers]


def test_a_dispute_that_cannot_change_who_has_the_fewest_is_not_told() -> None:
    world = owners({"yot": ("ra", "rb")}, {"a": "ra", "b": "ra", "c": "rb", "d": "rb", "tax": "platform"})
    made = run_plan(world.view(schema()), FEWEST_OWNED)

    assert ([("PLATFORM", 1)], False) == ([(item.label, item.value) for item in made.answers], made.conflicting)
    assert {"TAX"} == {fact.subject.label for fact in made.assertions}


def test_a_dispute_in_a_smaller_group_does_not_change_who_has_the_most() -> None:
    world = owners({"yot": ("ra", "rb")}, {"a": "platform", "b": "platform"})
    made = run_plan(world.view(schema()), MOST_OWNED)

    assert ([("PLATFORM", 2)], False) == ([(item.label, item.value) for item in made.answers], made.conflicting)
