"""Things of one name in one answer are told apart."""

from __future__ import annotations

from support.goldens import schema
from support.projection import World

from kgplatform.answer.ask import ask
from kgplatform.terms import PP, SC


def namesakes(*, teams: tuple[str, ...] = ()) -> World:
    """Two people of one name who live in Lisbon, in these teams."""
    world = World()
    world.entity("city:lisbon", PP.City, "Lisbon")
    for number, team in enumerate(teams or ("", "")):
        person = f"person:p{number}"
        world.entity(person, PP.Person, "Alex Kim")
        world.says(person, PP.located_in, "city:lisbon")
        if team:
            world.entity(f"team:{team.lower()}", SC.Team, team)
            world.says(person, PP.works_for, f"team:{team.lower()}")
    return world


def test_two_people_of_one_name_in_one_list_are_told_apart_by_what_differs() -> None:
    made = ask(namesakes(teams=("Platform", "Finance")).view(schema()), "Who lives in Lisbon?")

    assert ["Alex Kim (works for Platform)", "Alex Kim (works for Finance)"] == [item.label for item in made.answers]
    assert "Alex Kim (works for Platform) and Alex Kim (works for Finance) are located in Lisbon." == made.sentence


def test_people_in_whom_no_fact_differs_are_told_apart_by_their_keys() -> None:
    made = ask(namesakes().view(schema()), "Who lives in Lisbon?")

    assert ["Alex Kim (kind person, key person:p0)", "Alex Kim (kind person, key person:p1)"] == [item.label for item in made.answers]


def test_a_team_and_its_component_of_one_name_are_told_apart_by_their_kind() -> None:
    world = World()
    world.entity("team:tax", SC.Team, "Tax")
    world.entity("component:tax", SC.Component, "Tax")
    world.entity("component:cart", SC.Component, "Cart")
    for name in ("tax", "cart"):
        world.says(f"component:{name}", SC.owned_by, "team:tax", since="2024")
    made = ask(world.view(schema()), "Which components does the Tax team own?")

    assert ["Cart", "Tax (component)"] == [item.label for item in made.answers]
    assert "Tax (team)" in made.sentence


def test_a_name_that_one_thing_bears_stays_as_it_is() -> None:
    made = ask(namesakes(teams=("Platform", "Finance")).view(schema()), "Who works for Platform?")

    assert ["Alex Kim"] == [item.label for item in made.answers]


def apis_and_components(*, api: str) -> World:
    """A component that is called Billing API, and an API of the given name that it provides."""
    world = World()
    world.entity("person:maria", PP.Person, "Maria Perez")
    world.entity("person:li", PP.Person, "Li")
    world.entity("component:billing-api", SC.Component, "Billing API")
    world.entity("api:billing", SC.API, api)
    world.says("component:billing-api", SC.owned_by, "person:maria", since="2024")
    world.says("component:billing-api", SC.provides_api, "api:billing")
    world.says("api:billing", SC.owned_by, "person:li", since="2024")
    return world


def test_words_that_name_one_thing_and_another_of_a_class_mean_either() -> None:
    made = ask(apis_and_components(api="Billing").view(schema()), "Who owns the billing API?")

    assert "ambiguous" == made.outcome
    assert {"Billing API", "Billing"} == {candidate.label for candidate in made.candidates}


def test_a_whole_name_as_it_is_written_goes_before_a_name_beside_its_class() -> None:
    made = ask(apis_and_components(api="billing").view(schema()), "Who owns Billing API?")

    assert ["Maria Perez"] == [item.label for item in made.answers]


def test_types_decide_between_a_whole_name_and_a_name_beside_its_class() -> None:
    made = ask(apis_and_components(api="Billing").view(schema()), "Which components provide the Billing API?")

    assert ["Billing API"] == [item.label for item in made.answers]
