"""Entities and search in the caller's view."""

from __future__ import annotations

import pytest
from support.goldens import schema, view
from support.projection import BASE, Source, World
from support.sampleworld import sample_world

from kgplatform.answer.entity import entity
from kgplatform.errors import UnknownName
from kgplatform.results import single_entity
from kgplatform.retrieve.lexical import search
from kgplatform.terms import SC, TYPE, class_node, entity_iri

SEEN = view()


def test_an_entity_shows_its_facts_in_both_directions() -> None:
    groups = {(g["label"], g["is_turned"]): [f["other"]["label"] for f in g["facts"]] for g in entity(SEEN, "Tax").to_dict()["groups"]}

    assert ["Platform", "Commerce"] == groups["owned by", False]
    assert ["Checkout", "Invoice"] == sorted(groups["dependency of", True])


def test_an_entity_has_its_former_names() -> None:
    assert ["Levy (until 15 January 2023)", "Tax"] == entity(SEEN, "Levy").to_dict()["names"]


def test_an_entity_is_of_the_classes_that_hold_and_was_of_those_that_ended() -> None:
    world = World()
    world.entity("component:foo", SC.Component, "Foo")
    world.says("component:foo", TYPE, class_node(SC.API), since="2020", until="2021-05-01")
    world.says("component:foo", TYPE, class_node(SC.System), positive=False)

    assert ("component", "API (until 1 May 2021)") == single_entity(entity(world.view(schema()), "Foo")).types
    assert ("API", "component (first seen 10 September 2023)") == single_entity(
        entity(world.view(schema(), valid_at="2020-06-01T00:00:00Z"), "Foo")
    ).types


def test_a_class_that_ended_and_holds_again_is_told_as_holding() -> None:
    world = World()
    world.entity("component:foo", SC.Component, "Foo")
    world.says("component:foo", TYPE, class_node(SC.Component), since="2020", until="2021-05-01")

    assert ("component",) == single_entity(entity(world.view(schema()), "Foo")).types


def test_a_member_is_redirected_to_its_entity() -> None:
    world = sample_world()
    world.members["component:levy"] = "component:tax"
    found = entity(world.view(schema()), "component:levy").to_dict()

    assert (entity_iri(BASE, "component:tax"), entity_iri(BASE, "component:levy")) == (found["iri"], found["redirected_from"])


def test_a_name_of_several_entities_gives_candidates() -> None:
    assert "ambiguous" == entity(SEEN, "Alex Kim").to_dict()["outcome"]


def test_a_hidden_entity_is_as_unknown_as_an_absent_one() -> None:
    told = []
    for name in ("Avalon", "Avalom", "team:avalon", "team:avalom"):
        with pytest.raises(UnknownName) as caught:
            entity(SEEN, name)
        told.append(str(caught.value).replace("valom", "valon"))

    assert (told[0], told[2]) == (told[1], told[3])


def test_search_ranks_exact_before_prefix_before_word_before_similar() -> None:
    world = World()
    for name in ("Tax", "Tax rates", "Sales Tax", "Taxi", "Txa engine"):
        world.entity(f"component:{name.lower().replace(' ', '-')}", SC.Component, name)

    assert ["Tax", "Taxi", "Tax rates", "Sales Tax"] == [hit.label for hit in search(world.view(schema()), "tax")]


def test_a_smaller_limit_only_cuts_a_search() -> None:
    """Similar names are not looked for where the limit leaves no room; that changes nothing else."""
    world = World()
    for name in ("Tax", "Taxi", "Sales Tax", "Ataxis", "Txi", "Tx", "Taxis of a much longer name", "Tox"):
        world.entity(f"component:{name.lower().replace(' ', '-')}", SC.Component, name)
    for text in ("tax", "taxi", "txa", "sales tax", "x"):
        everything = search(world.view(schema()), text, limit=50)
        assert [everything[:limit] for limit in range(1, 9)] == [search(world.view(schema()), text, limit=limit) for limit in range(1, 9)]


def test_hidden_names_change_nothing_in_a_search() -> None:
    world = sample_world()
    before = [hit.to_dict() for hit in search(world.view(schema()), "ta", limit=3)]
    for number in range(20):
        world.entity(f"component:tax{number}", SC.Component, f"Tab{number}", Source("finance/x.md", scope="finance"))

    assert before == [hit.to_dict() for hit in search(world.view(schema()), "ta", limit=3)]


def test_a_search_tolerates_a_typing_mistake() -> None:
    assert ["Storefront"] == [hit.label for hit in search(SEEN, "storefornt")]
