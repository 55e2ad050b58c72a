"""Answers of whole cases: each hop at its time, on the sample world by the command line and on a pack of nonsense words."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support.commandline import done
from support.glorps import GL, glorp_schema
from support.projection import Source, World, first_seen

from kgplatform.answer.ask import ask, run_plan
from kgplatform.language.phrases import regular_past
from kgplatform.query.algebra import COUNT, MOST, OF_PLAN, Aggregate, EntityTerm, Hop, InPeriod, Plan, Time, Var, Variable
from kgplatform.terms import XSD, literal
from kgplatform.times import OBSERVED, Bound

EVENT = """id,component,occurred_on,resolved_on,severity,summary,reported_by
INC-090,tax,2023-11-05,2023-11-05,SEV2,old one,y
INC-091,mailer,2023-11-06,2023-11-06,SEV2,nobody owns it,y
"""


def told(question: str, *options: str) -> tuple[str, list[object], str]:
    answer = done("ask", question, "--json", *options).json
    return answer["outcome"], [row["value"] or row["label"] for row in answer["answers"]], answer["sentence"]


@pytest.fixture
def old_incidents(own_world: Path, tmp_path: Path) -> Path:
    """The sample world with two incidents of November 2023, when Commerce owned Tax and nobody Mailer."""
    (tmp_path / "old.csv").write_text(EVENT, encoding="utf-8")
    done("ingest", tmp_path / "old.csv", "--collection", "incidents")
    return own_world


def test_an_incident_counts_for_the_team_that_owned_its_component_then(old_incidents: Path) -> None:
    answer = done("ask", "Which team had the most incidents in 2023?", "--json").json

    assert [("Commerce", 1)] == [(row["label"], row["value"]) for row in answer["answers"]]
    assert answer["sentence"].startswith("The most of any team in 2023, at the time of the incident: 1 incident affected ")
    assert answer["sentence"].endswith("which was owned by Commerce. 1 more incident has no stored owner at that time.")
    outcome, answers, sentence = told("Which incidents affected components owned by Platform in 2023?")
    assert ("no_match", []) == (outcome, answers)
    assert sentence.endswith("at the time of the incident. 1 more incident has no stored owner at that time.")
    outcome, answers, sentence = told("Which incidents affected components owned by Commerce in 2023?")
    assert ("answered", ["INC-090"]) == (outcome, answers)
    assert sentence.startswith("At the time of the incident: INC-090 ")


def test_a_question_about_the_thing_alone_is_about_now(old_incidents: Path) -> None:
    assert ("answered", ["Platform"]) == told("Who owns Tax?")[:2]
    assert ("answered", ["Commerce"]) == told("Who owned the component that INC-090 affected?")[:2]


def test_the_plan_of_an_event_says_whose_time_each_hop_takes(old_incidents: Path, tmp_path: Path) -> None:
    asked = done("ask", "Which incidents affected components owned by Commerce in 2023?", "--json").json
    (tmp_path / "plan.json").write_text(json.dumps(asked["plan"]), encoding="utf-8")
    again = done("plan", tmp_path / "plan.json", "--json").json

    assert {"whenever", "event_date"} == {hop["at"] if isinstance(hop["at"], str) else hop["at"]["var"] for hop in asked["plan"]["hops"]}
    assert (asked["outcome"], asked["answers"], asked["sentence"]) == (again["outcome"], again["answers"], again["sentence"])


# -- a pack of nonsense words


def glorps() -> World:
    """Two quibs, one after the other, wibbed G1; snark S1 zonked it under the first. Nobody wibs G2, which S2 zonked."""
    world = World()
    for key, class_ in (("glorp:g1", GL.Glorp), ("glorp:g2", GL.Glorp), ("quib:old", GL.Quib), ("quib:new", GL.Quib)):
        world.entity(key, class_, key.partition(":")[2].upper())
    world.says("glorp:g1", GL.wibbed_by, "quib:old", since="2022-01", until="2024-03-01")
    world.says("glorp:g1", GL.wibbed_by, "quib:new", since="2024-03-01")
    for name, glorp, day in (("s1", "g1", "2023-11-05"), ("s2", "g2", "2023-11-06"), ("s3", "g1", "2024-03-01")):
        world.entity(f"snark:{name}", GL.Snark, name.upper(), Source("log"))
        world.says(f"snark:{name}", GL.zonks, f"glorp:{glorp}", since=first_seen("2025-07-01"))
        world.says(f"snark:{name}", GL.ploofed_on, literal(day, XSD.date), since=first_seen("2025-07-01"))
    return world


def asked(world: World, question: str, **options: Any) -> tuple[list[object], str]:
    made = ask(world.view(glorp_schema()), question, **options)
    return [item.value if item.value is not None else item.label for item in made.answers], made.sentence


@pytest.mark.parametrize(
    ("question", "answers", "sentence"),
    [
        (
            "Which snarks zonked glorps wibbed by OLD in 2023?", ["S1"],
            "At the time of the snark: S1 was ploofed on 5 November 2023 and zonked G1, which was wibbed by OLD. "
            + "1 more snark has no stored wibber at that time.",
        ),
        (
            "Which snarks zonked glorps wibbed by NEW?", ["S3"],
            "At the time of the snark: S3 was ploofed on 1 March 2024 and zonked G1, which was wibbed by NEW. "
            + "1 more snark has no stored wibber at that time.",
        ),
        (
            "How many snarks zonked glorps wibbed by OLD?", [1],
            "1 snark zonked a glorp, which was wibbed by OLD, at the time of the snark. 1 more snark has no stored wibber at that time.",
        ),
        ("How many snarks zonked G1?", [2], "2 snarks zonk G1."),
        ("Who wibs G1?", ["NEW"], "NEW wibs G1, since 1 March 2024."),
        ("Which snarks zonked G1 in 2023?", ["S1"], "S1 zonks G1 and was ploofed on 5 November 2023."),
    ],
)  # fmt: skip
def test_what_happened_in_a_pack_of_nonsense_words_is_of_its_time(question: str, answers: list[object], sentence: str) -> None:
    assert (answers, sentence) == asked(glorps(), question)


SNARKS = Plan(
    variables=(Variable("s", GL.Snark), Variable("g", GL.Glorp), Variable("q", GL.Quib)),
    hops=(Hop(Var("s"), GL.zonks, Var("g")), Hop(Var("g"), GL.wibbed_by, Var("q"))),
    aggregate=Aggregate(COUNT, "s", "q"),
)


def counts(plan: Plan, world: World | None = None) -> dict[str, object]:
    return {item.label: item.value for item in run_plan((world or glorps()).view(glorp_schema()), plan).answers}


def test_a_plan_may_take_its_own_time_for_a_hop() -> None:
    now = replace(SNARKS, hops=(SNARKS.hops[0], replace(SNARKS.hops[1], at=OF_PLAN)))

    assert {"OLD": 1, "NEW": 1} == counts(SNARKS)
    assert {"NEW": 2} == counts(now)
    assert {"OLD": 2} == counts(replace(now, time=Time("at", "2023")))


def test_a_time_of_a_plan_about_an_event_selects_the_event_by_its_date() -> None:
    assert {"OLD": 1} == counts(replace(SNARKS, time=Time("during", "2023")))
    assert {"NEW": 1} == counts(replace(SNARKS, time=Time("since", "2024")))
    assert {} == counts(replace(SNARKS, time=Time("after", "2024-03-01")))


def test_another_date_of_the_event_is_not_when_it_happened_unless_the_plan_says_so() -> None:
    world = glorps()
    world.says("snark:s1", GL.mended_on, literal("2024-05-01", XSD.date))
    mended = Hop(Var("s"), GL.mended_on, Var("day"))

    assert {"OLD": 1} == counts(replace(SNARKS, hops=(*SNARKS.hops, mended)), world)
    at_mending = replace(SNARKS.hops[1], at=Var("day"))
    assert {"NEW": 1} == counts(replace(SNARKS, hops=(SNARKS.hops[0], at_mending, mended)), world)


def test_a_hop_as_near_to_one_event_as_to_another_is_refused_until_the_plan_says_whose_time_it_takes() -> None:
    other = Hop(Var("t"), GL.zonks, Var("g"))
    made = run_plan(glorps().view(glorp_schema()), replace(SNARKS, hops=(*SNARKS.hops, other)))

    assert "invalid" == made.outcome and "at whose time" in made.sentence
    assert counts(replace(SNARKS, hops=(SNARKS.hops[0], replace(SNARKS.hops[1], at=OF_PLAN), other)))


@pytest.mark.parametrize("at", [Var("q"), Var("absent"), Var("day")])
def test_a_hop_takes_the_time_of_no_variable_but_a_date_of_another_hop(at: Var) -> None:
    hops = (SNARKS.hops[0], replace(SNARKS.hops[1], at=at))

    assert "invalid" == run_plan(glorps().view(glorp_schema()), replace(SNARKS, hops=hops)).outcome


# -- what is reported of an event


def reported(until: Bound | str = "") -> World:
    """A snark that a log reported to have zonked G1, until then."""
    world = glorps()
    world.entity("snark:s9", GL.Snark, "S9")
    world.says("snark:s9", GL.zonks, "glorp:g1", since=first_seen("2024-01-01"), until=until)
    world.says("snark:s9", GL.ploofed_on, literal("2023-05-05", XSD.date), since=first_seen("2024-01-01"), until=until)
    return world


DROPPED = Bound(OBSERVED, "2025-01-01T00:00:00Z", "day", "2024-06-01T00:00:00Z")


def test_an_event_that_a_later_log_leaves_out_has_happened_all_the_same() -> None:
    assert [3] == asked(reported(DROPPED), "How many snarks zonked G1?")[0]


def test_what_a_later_log_says_in_its_place_is_a_correction() -> None:
    world = reported(DROPPED)
    world.says("snark:s9", GL.zonks, "glorp:g2", since=first_seen("2025-01-01"))

    assert [2] == asked(world, "How many snarks zonked G1?")[0]
    assert [2] == asked(world, "How many snarks zonked G2?")[0]


def test_an_event_without_a_date_is_of_no_time_and_counted_apart_from_those_that_have_one() -> None:
    world = glorps()
    world.entity("snark:s9", GL.Snark, "S9")
    world.says("snark:s9", GL.zonks, "glorp:g1")

    assert [3] == asked(world, "How many snarks zonked G1?")[0]
    assert [1] == asked(world, "How many snarks zonked glorps wibbed by OLD?")[0]


# -- words that double their last letter


def test_the_past_of_a_verb_of_one_syllable_is_read_and_written() -> None:
    answers, sentence = asked(glorps(), "Which quib wibbed G1 in 2022?")

    assert (["OLD"], True) == (answers, "OLD wibbed G1" in sentence)


@pytest.mark.parametrize(
    ("base", "past"),
    [
        ("plan", "planned"),
        ("own", "owned"),
        ("use", "used"),
        ("carry", "carried"),
        ("employ", "employed"),
        ("fix", "fixed"),
        ("need", "needed"),
        ("visit", "visited"),
    ],
)
def test_a_regular_past_follows_the_spelling(base: str, past: str) -> None:
    assert past == regular_past(base)


# -- dates of a year


def moults() -> World:
    world = glorps()
    for name, glorp, year in (("m1", "g1", "2023"), ("m2", "g1", "2024")):
        world.entity(f"moult:{name}", GL.Moult, name.upper())
        world.says(f"moult:{name}", GL.norbs, f"glorp:{glorp}")
        world.says(f"moult:{name}", GL.moulted_in, literal(year, XSD.gYear))
    return world


def test_of_a_year_in_which_the_wibber_changed_none_is_known() -> None:
    answers, sentence = asked(moults(), "Which moults norbed glorps wibbed by OLD?")
    assert ["M1"] == answers
    assert sentence.endswith("1 more moult has no stored wibber for all of that time: NEW and OLD are each stored for a part of it.")
    assert [] == asked(moults(), "Which moults norbed glorps wibbed by NEW?")[0]


def test_who_is_not_stored_for_any_part_of_the_year_is_not_named() -> None:
    world = moults()
    world.entity("glorp:g9", GL.Glorp, "G9")
    world.entity("moult:m9", GL.Moult, "M9")
    world.says("moult:m9", GL.norbs, "glorp:g9")
    world.says("moult:m9", GL.moulted_in, literal("2023", XSD.gYear))
    sentence = asked(world, "Which moults norbed glorps wibbed by OLD?")[1]

    assert sentence.endswith("2 more moults have no stored wibber for all of that time: NEW and OLD are each stored for a part of it.")


def test_a_year_lies_in_a_period_that_holds_all_of_it() -> None:
    def of(start: str, end: str) -> list[object]:
        hops = (Hop(Var("m"), GL.moulted_in, Var("y")),)
        return [item.label for item in run_plan(
            moults().view(glorp_schema()), Plan(variables=(Variable("m", GL.Moult),), hops=hops, filters=(InPeriod("y", start, end),), select=("m",))
        ).answers]  # fmt: skip

    assert (["M1"], ["M1", "M2"], []) == (of("2023", "2024"), of("2023", "2025"), of("2023-02", "2024-06"))


def test_sources_that_disagreed_about_the_owner_then_are_told() -> None:
    world = glorps()
    facts = [a for a in world.facts if a.relation == GL.wibbed_by and a.object == "quib:old"]
    other = world.says("glorp:g1", GL.wibbed_by, "quib:new", since="2023", until="2024")
    world.conflicts.append((facts[0], other))
    made = run_plan(world.view(glorp_schema()), replace(SNARKS, filters=(), aggregate=Aggregate(COUNT, "s", "q", MOST)))

    assert made.conflicting
    assert {("NEW", 2, 1)} == {(item.label, item.value, item.disputed) for item in made.answers}


def test_a_conflict_of_another_time_than_the_events_is_not_told() -> None:
    world = glorps()
    facts = [a for a in world.facts if a.relation == GL.wibbed_by and a.object == "quib:new"]
    other = world.says("glorp:g1", GL.wibbed_by, "quib:old", since="2025")
    world.conflicts.append((facts[0], other))
    plan = Plan(hops=(Hop(EntityTerm("snark:s3"), GL.zonks, Var("g")), SNARKS.hops[1]), select=("q",))

    assert not run_plan(world.view(glorp_schema()), plan).conflicting
