"""When: ranges of dates, denials, what lacks a fact for a time, dates with a zone, and times that no plan may have."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from support.goldens import schema, view
from support.projection import ViewOfWorld, World, first_seen
from support.sampleworld import sample_world

from kgplatform.answer.ask import ask, run_plan
from kgplatform.query.algebra import DURING, THROUGHOUT, EntityTerm, Hop, InPeriod, Plan, Sequence, Time, Var, Variable
from kgplatform.question.periods import find_period
from kgplatform.terms import PP, SC, XSD, literal
from kgplatform.times import MAX, end_of, parse_stated

SEEN = view()
TAX = EntityTerm("https://kg.example/id/component/tax")


def told(question: str, seen: ViewOfWorld = SEEN, **options: Any) -> tuple[str, list[object]]:
    made = ask(seen, question, **options)
    return made.outcome, [item.label if item.value is None else item.value for item in made.answers]


# -- a range includes its last period


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("How many Tax incidents from 2024 to 2025?", [6]),
        ("How many Tax incidents in 2024–2025?", [6]),
        ("How many Tax incidents between 2024 and 2025?", [6]),
        ("How many Tax incidents from 2024 through 2025?", [6]),
        ("How many Tax incidents from 2024 to the end of 2025?", [6]),
        ("How many Tax incidents from 2024 until 2025?", [1]),
        ("How many Tax incidents from March to May 2025?", [3]),
        ("How many Tax incidents from 2025-04-02 to 2025-05-17?", [2]),
        ("How many Tax incidents from Q1 2025 to Q2 2025?", [5]),
        ("How many Tax incidents until now?", [6]),
        ("Who owned Tax from 2022 to 2024?", ["Commerce", "Platform"]),
        ("Who owned Tax from 2022 until 2024?", ["Commerce"]),
    ],
)
def test_a_range_includes_what_its_end_names_unless_it_says_until(question: str, answers: list[object]) -> None:
    assert ("answered", answers) == told(question)


@pytest.mark.parametrize(("began", "outcome"), [("2025-05-15", "answered"), ("2025-04-01", "answered"), ("2025-07-01", "no_match")])
def test_since_a_quarter_is_begun_before_the_quarter_ended(began: str, outcome: str) -> None:
    world = World()
    world.entity("component:a", SC.Component, "A")
    world.entity("team:t", SC.Team, "T")
    world.says("component:a", SC.owned_by, "team:t", since=began)

    assert outcome == ask(world.view(schema()), "Who has owned A since Q2 2025?").outcome


@pytest.mark.parametrize(
    "words", ["between 2024 and the end of 2025", "from 2024 to the end of 2025", "from 2024 through 2025", "2024–2025"]
)
def test_a_range_ends_once(words: str) -> None:
    period, _ = find_period(f"How many Tax incidents {words}?")

    assert period and InPeriod("d", "2024", "2026-01-01") == period.filter("d", now="2025-11-01T00:00:00Z")


@pytest.mark.parametrize("last", ["9999", "9999-12", "9999-12-30", "9999-12-31", "9999-12-31T23:59:59Z"])
def test_what_ends_with_time_itself_ends_at_its_end(last: str) -> None:
    assert MAX == end_of(parse_stated(last))


# -- what is denied


def denying(relation: str, subject: str, object_: str, *, since: str = "", until: str = "") -> ViewOfWorld:
    world = sample_world()
    world.entity("person:priya", PP.Person, "Priya")
    world.says(subject, relation, object_, since=since or first_seen("2025-10-05"), until=until, positive=False)
    return world.view(schema())


def test_a_denial_of_the_narrower_denies_nothing_wider() -> None:
    seen = denying(PP.works_for, "person:priya", "team:platform")

    assert ("answered", ["no"]) == told("Does Priya work for Platform?", seen)
    assert ("no_match", []) == told("Is Priya affiliated with Platform?", seen)


def test_a_denial_of_the_wider_denies_what_is_below() -> None:
    seen = denying(PP.affiliated_with, "person:priya", "team:platform")

    assert ("answered", ["no"]) == told("Does Priya work for Platform?", seen)


@pytest.mark.parametrize(
    "question", ["Did Web ever own Tax?", "Did Web own Tax?", "Did Web own Tax in 2025?", "Did Web own Tax before 2025-10-20?"]
)
def test_what_is_denied_of_today_is_not_denied_of_an_earlier_time(question: str) -> None:
    made = ask(denying(SC.owned_by, "component:tax", "team:web"), question)

    assert ("no_match", []) == (made.outcome, list(made.answers))
    assert "stored is only that" in made.sentence
    assert made.citations


def test_what_is_denied_for_all_of_the_asked_time_is_a_no() -> None:
    seen = denying(SC.owned_by, "component:tax", "team:web", since="2023", until="2026")

    assert ("answered", ["no"]) == told("Did Web own Tax in 2025?", seen)


def test_what_is_denied_for_a_part_is_not_so_throughout() -> None:
    seen = denying(SC.owned_by, "component:tax", "team:web", since="2025-02", until="2025-04")

    assert ("answered", ["no"]) == told("Did Web own Tax throughout 2025?", seen)
    assert ("no_match", []) == told("Did Web own Tax in 2025?", seen)


# -- what lacks a fact for a time


def owned_from(day: str) -> ViewOfWorld:
    world = World()
    world.entity("team:t", SC.Team, "T")
    for name in ("Bare", "Late"):
        world.entity(f"component:{name.lower()}", SC.Component, name)
    world.says("component:late", SC.owned_by, "team:t", since=day)
    return world.view(schema())


@pytest.mark.parametrize(
    ("question", "began", "lacking"),
    [
        ("Which components have no owner since 2024?", "2025-05-15", ["Bare"]),
        ("Which components have no owner since 2024?", "2024-05-15", ["Bare"]),
        ("Which components had no owner throughout 2025?", "2025-05-15", ["Bare"]),
        ("Which components had no owner throughout 2024?", "2025-05-15", ["Bare", "Late"]),
        ("Which components have no owner?", "2025-05-15", ["Bare"]),
    ],
)
def test_what_got_an_owner_meanwhile_did_not_lack_one(question: str, began: str, lacking: list[str]) -> None:
    assert ("answered", lacking) == told(question, owned_from(began))


# -- hints


def test_of_several_times_the_one_before_the_asked_one_is_told() -> None:
    world = World()
    world.entity("component:a", SC.Component, "A")
    world.entity("team:t", SC.Team, "T")
    world.says("component:a", SC.owned_by, "team:t", since="2020", until="2021-06")
    world.says("component:a", SC.owned_by, "team:t", since="2023", until="2024-03")
    seen = world.view(schema())

    assert ask(seen, "Who owned A in 2022?").sentence.endswith("; it was so until June 2021.")
    assert ask(seen, "Who owned A in 2019?").sentence.endswith("; first stated 2020.")
    assert ask(seen, "Who owns A?").sentence.endswith("; it was so until March 2024.")


def test_a_hint_tells_no_bounds_of_sources_that_are_trusted_too_little() -> None:
    made = ask(SEEN, "Who owned Tax in 2021?", min_trust="authoritative")

    assert ("no_match", False) == (made.outcome, "2022" in made.sentence)


# -- dates with a zone


def test_an_event_whose_date_has_a_zone_happened_on_that_day() -> None:
    world = World()
    world.entity("component:a", SC.Component, "A")
    for number, day in enumerate(("2025-01-01Z", "2025-12-31+02:00", "2025-02-01", "2024-12-31Z")):
        world.entity(f"incident:{number}", SC.Incident, f"I{number}")
        world.says(f"incident:{number}", SC.affects, "component:a")
        world.says(f"incident:{number}", SC.occurred_on, literal(day, XSD.date))
    seen = world.view(schema())

    assert ("answered", [3]) == told("How many A incidents in 2025?", seen)
    assert ("answered", [1]) == told("How many A incidents before 2025?", seen)


@pytest.mark.parametrize(
    ("value", "datatype", "stored"),
    [
        ("2025-01-01Z", XSD.date, "2025-01-01"),
        ("2025-01-01+02:00", XSD.date, "2025-01-01"),
        ("2025-01-01T10:00:00", XSD.dateTime, "2025-01-01T10:00:00Z"),
        ("2025-01-01T10:00:00+02:00", XSD.dateTime, "2025-01-01T10:00:00+02:00"),
        ("2025-01-01Zulu", XSD.date, "2025-01-01Zulu"),
        ("2025-01-01T", XSD.date, "2025-01-01T"),
    ],
)
def test_literals_of_dates_can_be_compared_with_each_other(value: str, datatype: str, stored: str) -> None:
    assert f'"{stored}"^^<{datatype}>' == literal(value, datatype)


# -- times that no plan may have


OWNED = Plan("Who owned Tax?", (Variable("x", SC.Team),), (Hop(TAX, SC.owned_by, Var("x")),), select=("x",))
HAPPENED = Plan(
    "Which incidents?",
    (Variable("x", SC.Incident),),
    (Hop(Var("x"), SC.affects, TAX), Hop(Var("x"), SC.occurred_on, Var("d"))),
    select=("x",),
)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"time": Time("after", "2021", "2023")}, "takes no end"),
        ({"time": Time("at", "2021", mode=THROUGHOUT)}, "takes no end and no mode"),
        ({"time": Time(DURING, "2023", "2021")}, "is empty"),
        ({"time": Time(DURING, "2021"), "hops": (*OWNED.hops, Hop(TAX, SC.owned_by, Var("y"))), "sequence": Sequence(0, 1)}, "any time"),
    ],
)
def test_a_time_that_would_be_read_in_part_is_refused(change: dict[str, Any], said: str) -> None:
    made = run_plan(SEEN, replace(OWNED, **change))

    assert ("invalid", True) == (made.outcome, said in made.sentence), made.sentence


@pytest.mark.parametrize(("period", "said"), [(InPeriod("d"), "neither start nor end"), (InPeriod("d", "2026", "2025"), "is empty")])
def test_a_period_of_events_that_holds_nothing_is_refused(period: InPeriod, said: str) -> None:
    made = run_plan(SEEN, replace(HAPPENED, filters=(period,)))

    assert ("invalid", True) == (made.outcome, said in made.sentence), made.sentence


@pytest.mark.parametrize(
    "question",
    ["Who owned Tax in 2021 before Platform?", "Who owned Tax before Platform in 2021?", "Who owned Tax after Commerce in 2021?"],
)
def test_who_was_before_or_after_is_not_asked_of_a_period(question: str) -> None:
    assert ("invalid", []) == told(question)
