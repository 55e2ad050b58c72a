"""The sentences of answers: true, in good English, and along the path that was found."""

from __future__ import annotations

import pytest
from support.goldens import schema, view
from support.projection import World, first_seen
from support.sampleworld import sample_world

from kgplatform.answer.ask import ask
from kgplatform.terms import SC, XSD, literal

SEEN = view()


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        (
            "Which on-call rotation owns the tax dependency of Checkout?",
            "R7 is on call for Platform, which owns Tax, which Checkout depends on.",
        ),
        ("What depends on Tax?", "Checkout and Invoice depend on Tax."),
        ("What does Checkout depend on?", "Checkout depends on Cart and Tax."),
        ("Who owns Tax, and since when?", "Platform owns Tax, since 1 March 2024."),
        ("Who owned Tax in June 2023?", "In June 2023: Commerce owned Tax, from June 2022 until 1 March 2024."),
        ("Who owned Tax in 2021?", "Nothing stored says that Tax was owned by a group or a person in 2021; first stated June 2022."),
        ("Who owned Tax before Platform?", "Commerce owned Tax, from June 2022 until 1 March 2024, before Platform."),
        (
            "In which country was Jack's spouse born?",
            "Jack’s spouse is Joan, who was born in New Jersey, which is located in United States.",
        ),
        (
            "Which nationality has Jack's spouse?",
            "Nothing stored says that Jack’s spouse is a person, who is a citizen of a country. Stored is: Jack’s spouse is Joan, "
            + "who was born in New Jersey. ‘born in’ must not be taken for ‘citizen of’.",
        ),
        ("Amit's nationality?", "Amit is a citizen of Canada."),
        ("How many Tax incidents in 2025?", "5 incidents affect Tax in 2025."),
        ("How many Tax incidents in 2023?", "0 stored: incidents that affect Tax in 2023."),
        ("Which components have no owner?", "No stored fact says that Ledgerd, Mailer or Search are owned by anything."),
        (
            "How many components have no owner?",
            "3 components are stored, of which no stored fact says that they are owned by anything.",
        ),
        ("How many incidents were there in 2025?", "5 incidents are stored that happened in 2025."),
        ("What is the latest Tax incident?", "INC-105 affects Tax and occurred on 18 May 2025."),
        ("When did INC-104 occur?", "INC-104 occurred on 17 May 2025."),
        ("Does Checkout depend on Tax?", "Yes: Checkout depends on Tax."),
        ("What is the lifecycle of Tax?", "Tax’s lifecycle is production, first seen 10 September 2023."),
    ],
)
def test_the_sentence_says_the_path(question: str, sentence: str) -> None:
    assert sentence == ask(SEEN, question).sentence


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ("Which components owned by Web depend on components owned by Commerce?",
         "Checkout is owned by Web and depends on Cart, which is owned by Commerce."),
        ("Which component that Platform owns does Checkout depend on?", "Tax is owned by Platform and is a dependency of Checkout."),
        ("Which production components are owned by Platform?", "Tax has the lifecycle production and is owned by Platform."),
    ],
)  # fmt: skip
def test_what_is_said_of_one_thing_is_never_attached_to_another(question: str, sentence: str) -> None:
    assert sentence == ask(SEEN, question).sentence


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ("Who owned Cart before Commerce?", "Nothing stored says that Cart was owned by a group or a person before Commerce."),
        ("Who owned Tax after Platform?", "Nothing stored says that Tax was owned by a group or a person after Platform."),
        ("Which incidents do not affect Tax?", "No incident is stored of which no stored fact says that it affects Tax."),
        ("Which systems are there?", "No system is stored."),
        ("Are there incidents in 2023?", "Nothing stored says that an incident happened in 2023."),
        ("What is the cause of INC-104?", "Nothing stored says that INC-104 has a cause."),
        ("When was Joan born?", "Nothing stored says that Joan was born on a day."),
        ("Who was born in 1990?", "Nothing stored says that a person was born on a day in 1990."),
        ("Which APIs does Tax provide?", "Nothing stored says that Tax provides an API."),
        ("Did Web ever own Tax?", "Nothing stored says that Tax was owned by Web."),
        ("Does Commerce own Tax?", "Nothing stored says that Tax is owned by Commerce; it was so until 1 March 2024."),
    ],
)
def test_that_nothing_is_stored_is_said_of_what_was_asked_and_no_more(question: str, sentence: str) -> None:
    made = ask(SEEN, question)

    assert ("no_match", sentence) == (made.outcome, made.sentence)


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ("Who owns Flux?", "Nothing is called “Flux”. Search for it by another name."),
        (
            "Is Tax?",
            "The form of the question is not understood."
            + " Name one thing and ask for one relation of it, as in “What does X depend on?”.",
        ),
    ],
)
def test_what_to_do_next_is_a_sentence_of_its_own(question: str, sentence: str) -> None:
    assert sentence == ask(SEEN, question).sentence


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ("How many teams owned Tax?", "2 teams owned Tax at some time."),
        ("How many owners did Tax have?", "2 groups or people owned Tax at some time."),
        ("How many teams owned Tax in 2024?", "2 teams owned Tax in 2024."),
        ("How many teams own Tax?", "1 team owns Tax."),
        ("How many components did Commerce own in 2023?", "3 components were owned by Commerce in 2023."),
        ("Which teams did not own Tax in 2023?", "No stored fact says that Finance, Platform or Web owned Tax in 2023."),
    ],
)
def test_a_past_that_is_over_is_told_in_the_past(question: str, sentence: str) -> None:
    assert sentence == ask(SEEN, question).sentence


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ("Which teams are there?", "Commerce, Finance, Platform and Web are teams."),
        ("Which cities are there?", "Lisbon and Toronto are cities."),
        ("How many people live in Lisbon?", "1 person is located in Lisbon."),
        ("How many people are there?", "5 people are stored."),
        ("How many APIs are there?", "0 stored: APIs."),
        ("How many dependencies does Checkout have?", "Checkout depends on 2 things."),
        ("How many dependencies does Cart have?", "0 stored: things that Cart depends on."),
        ("Which component has the most dependents?", "The most of any component: 2 things depend on Tax."),
        ("Which teams have no rotation?", "No stored fact says that Finance has any on-call rotation."),
        (
            "Which incidents have no cause?",
            "No stored fact says that INC-100, INC-101, INC-102, INC-103, INC-104 or INC-105 have any cause.",
        ),
        ("Is R7 a on-call rotation?", "Yes: R7 is an on-call rotation."),
    ],
)
def test_words_agree_in_number_and_article(question: str, sentence: str) -> None:
    assert sentence == ask(SEEN, question).sentence


def test_a_day_is_told_without_the_day_on_which_it_was_first_seen() -> None:
    assert "INC-104 occurred on 17 May 2025." == ask(SEEN, "Which incidents happened on 17 May 2025?").sentence


def test_a_value_that_is_a_sentence_stands_in_quotes_in_the_sentence_alone() -> None:
    world = sample_world()
    world.says("incident:INC-104", SC.cause, literal("An empty feed was taken for no changes."), since=first_seen("2025-07-01"))
    made = ask(world.view(schema()), "What is the cause of INC-104?")

    assert "INC-104’s cause is “An empty feed was taken for no changes.”." == made.sentence
    assert ["An empty feed was taken for no changes."] == [item.label for item in made.answers]


def test_a_count_over_a_date_of_its_own_says_what_happened_then() -> None:
    world = World()
    world.entity("component:a", SC.Component, "A")
    world.entity("incident:I-1", SC.Incident, "I-1")
    for relation, value in (
        (SC.affects, "component:a"),
        (SC.occurred_on, literal("2024-12-31", XSD.date)),
        (SC.resolved_on, literal("2025-01-02", XSD.date)),
    ):
        world.says("incident:I-1", relation, value, since=first_seen("2025-02-01"))
    seen = world.view(schema())

    assert "1 incident was resolved on a day in 2025." == ask(seen, "How many incidents were resolved in 2025?").sentence
    assert "0 stored: incidents that were resolved on a day in 2024." == ask(seen, "How many incidents were resolved in 2024?").sentence
    assert "1 incident is stored that happened in 2024." == ask(seen, "How many incidents happened in 2024?").sentence
    assert (
        "I-1 was resolved on 2 January 2025 and occurred on 31 December 2024."
        == ask(seen, "Which incidents in 2024 were resolved?").sentence
    )
