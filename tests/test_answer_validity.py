"""When the sentence of an answer says that something was so: every time that it was, and none that no trusted source bears."""

from __future__ import annotations

import pytest
from support.goldens import schema
from support.projection import Source, ViewOfWorld, World
from support.sampleworld import sample_world

from kgplatform.answer.ask import ask
from kgplatform.terms import SC

SEEN = sample_world().view(schema())
FIRST = Source(
    "catalogue/catalog.yaml", "owner: commerce", trust="authoritative", dated="2023-09-10T00:00:00Z", states_start=False, states_end=False
)
LATER = Source("catalogue/catalog.yaml", "owner: platform", trust="authoritative", dated="2024-04-02T00:00:00Z", states_start=False)
MEMO = Source("memos/handover.md", "Commerce owned Tax from June 2022 until 1 March 2024, Platform since.")


def twice_owned(*, is_disputed: bool = False) -> ViewOfWorld:
    world = World()
    world.entity("team:lambda", SC.Team, "Lambda")
    world.entity("component:zeta", SC.Component, "Zeta")
    one = world.says("component:zeta", SC.owned_by, "team:lambda", since="2020-01", until="2021-03")
    other = world.says("component:zeta", SC.owned_by, "team:lambda", since="2025-01")
    if is_disputed:
        world.conflicts.append((one, other))
    return world.view(schema())


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ("Who has owned Zeta?", "Lambda owns Zeta, from January 2020 until March 2021, and since January 2025."),
        ("Did Lambda ever own Zeta?", "Yes: Zeta is owned by Lambda, from January 2020 until March 2021, and since January 2025."),
        ("Who owns Zeta?", "Lambda owns Zeta, since January 2025."),
        ("Who owned Zeta in 2020?", "In 2020: Lambda owned Zeta, from January 2020 until March 2021."),
    ],
)
def test_what_was_so_twice_is_told_of_both_times(question: str, sentence: str) -> None:
    assert sentence == ask(twice_owned(), question).sentence


def test_dates_on_which_sources_disagree_are_told_as_alternatives() -> None:
    sentence = "Lambda owns Zeta, from January 2020 until March 2021, or since January 2025. Sources disagree on the dates."

    assert sentence == ask(twice_owned(is_disputed=True), "Who has owned Zeta?").sentence


def test_every_time_before_another_is_told() -> None:
    world = World()
    for team in ("a", "b"):
        world.entity(f"team:{team}", SC.Team, team.upper())
    world.entity("component:zeta", SC.Component, "Zeta")
    for team, since, until in (("a", "2019", "2020"), ("b", "2020", "2021"), ("a", "2021", "2022"), ("b", "2022", "")):
        world.says("component:zeta", SC.owned_by, f"team:{team}", since=since, until=until)

    assert (
        "A owned Zeta, from 2019 until 2020, before B; A owned Zeta, from 2021 until 2022, before B."
        == ask(world.view(schema()), "Who owned Zeta before B?").sentence
    )


# -- bounds that only less trusted sources state


@pytest.fixture
def handed_over() -> ViewOfWorld:
    """Commerce owned Tax until Platform did: a memo says when, two versions of a catalogue say it without dates."""
    world = World()
    world.entity("component:tax", SC.Component, "Tax")
    for team in ("Commerce", "Platform"):
        world.entity(f"team:{team.lower()}", SC.Team, team)
    world.says("component:tax", SC.owned_by, "team:commerce", MEMO, FIRST, since="2022-06", until="2024-03-01")
    world.says("component:tax", SC.owned_by, "team:platform", MEMO, LATER, since="2024-03-01")
    return world.view(schema())


@pytest.mark.parametrize(
    ("question", "outcome", "sentence"),
    [
        (
            "Who owned Tax in July 2022?", "no_match",
            "Nothing stored says that Tax was owned by a group or a person in July 2022; no source of trust authoritative or above says so of that time.",
        ),
        ("Who owned Tax in October 2023?", "answered", "In October 2023: Commerce owned Tax."),
        ("Did Commerce own Tax in July 2022?", "no_match", ""),
        ("How many teams owned Tax in July 2022?", "no_match", ""),
        ("Which team owned the most components in July 2022?", "no_match", ""),
        ("Who owned Tax before Platform?", "answered", "Commerce owned Tax, before Platform."),
        ("Who owns Tax?", "answered", "Platform owns Tax."),
        ("Who owned Tax?", "answered", "Commerce owned Tax; Platform owns Tax."),
    ],
)  # fmt: skip
def test_a_time_that_no_trusted_source_bears_is_not_answered(handed_over: ViewOfWorld, question: str, outcome: str, sentence: str) -> None:
    made = ask(handed_over, question, min_trust="authoritative")

    assert outcome == made.outcome
    assert sentence in ("", made.sentence)
    assert "answered" == outcome or not (made.answers or made.assertions)


def test_of_a_lesser_trust_all_dates_count(handed_over: ViewOfWorld) -> None:
    sentence = "In July 2022: Commerce owned Tax, from June 2022 until 1 March 2024."

    assert sentence == ask(handed_over, "Who owned Tax in July 2022?").sentence


def test_a_first_sighting_by_a_source_of_less_trust_does_not_reach_back_for_those_of_more() -> None:
    world = World()
    world.entity("component:tax", SC.Component, "Tax")
    world.entity("team:platform", SC.Team, "Platform")
    early = Source("memos/note.md", "Platform owns Tax.", dated="2023-09-10T00:00:00Z")
    world.says("component:tax", SC.owned_by, "team:platform", early, LATER)
    seen = world.view(schema())

    assert "answered" == ask(seen, "Who owned Tax in January 2024?").outcome
    assert "no_match" == ask(seen, "Who owned Tax in January 2024?", min_trust="authoritative").outcome
    assert "answered" == ask(seen, "Who owned Tax in May 2024?", min_trust="authoritative").outcome


def test_all_of_a_path_that_is_over_is_told_in_the_past() -> None:
    world = World()
    world.entity("component:a", SC.Component, "A")
    world.entity("team:t", SC.Team, "T")
    world.entity("rotation:r", SC.Rotation, "R")
    world.says("component:a", SC.owned_by, "team:t", since="2019", until="2021")
    world.says("team:t", SC.on_call, "rotation:r", since="2019", until="2022")

    assert "In 2020: R was on call for T, which owned A." == ask(world.view(schema()), "Which on-call rotation owned A in 2020?").sentence
