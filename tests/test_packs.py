"""Packs: which Turtle files make up the ontology, in which order."""

from __future__ import annotations

from pathlib import Path

import pytest

from kgplatform.errors import ConfigError, OntologyError
from kgplatform.packs.folders import (
    example_config,
    ontology_paths,
    ontology_text,
    pack_names,
    sample_data,
    shapes_paths,
    shapes_text,
)


def names(paths: tuple[Path, ...]) -> list[str]:
    return [p.stem for p in paths]


def test_the_packs_that_come_along_are_named_without_core() -> None:
    assert {"people-places", "service-catalog"} <= set(pack_names())
    assert "core" not in pack_names()


def test_what_a_pack_imports_comes_before_it_and_core_first() -> None:
    assert ["core", "people-places", "service-catalog"] == names(ontology_paths(("service-catalog",)))


def test_a_pack_that_is_named_and_imported_is_read_once() -> None:
    assert ["core", "people-places", "service-catalog"] == names(ontology_paths(("service-catalog", "people-places", "core")))


def test_the_text_is_all_files_together() -> None:
    text = ontology_text(("people-places",))

    assert all(p.read_text(encoding="utf-8") in text for p in ontology_paths(("people-places",)))


def test_shapes_stand_in_the_same_order_as_their_ontologies() -> None:
    packs = ("service-catalog",)

    assert "core" == names(shapes_paths(packs))[0]
    assert [n for n in names(ontology_paths(packs)) if n in names(shapes_paths(packs))] == names(shapes_paths(packs))
    assert shapes_text(packs)


def test_an_unknown_pack_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ConfigError) as caught:
        ontology_paths(("services",))

    assert "service-catalog" in str(caught.value)


def test_a_file_of_the_users_own_is_a_pack_with_its_shapes_beside_it(tmp_path: Path) -> None:
    own = tmp_path / "films.ttl"
    own.write_text(
        "<https://films.example/films> a <http://www.w3.org/2002/07/owl#Ontology> ;"
        " <http://www.w3.org/2002/07/owl#imports> <https://w3id.org/kgplatform/people-places> .",
        encoding="utf-8",
    )
    own.with_suffix(".shapes.ttl").write_text("# the films' shapes", encoding="utf-8")

    assert ["core", "people-places", "films"] == names(ontology_paths((str(own),)))
    assert "# the films' shapes" in shapes_text((str(own),))


def test_a_pack_that_is_not_turtle_is_refused_with_its_path(tmp_path: Path) -> None:
    own = tmp_path / "films.ttl"
    own.write_text("films are nice", encoding="utf-8")

    with pytest.raises(OntologyError, match=r".+") as caught:
        ontology_paths((str(own),))
    assert str(own) in str(caught.value)


def test_sample_data_and_the_example_settings_are_found() -> None:
    assert (sample_data() / "kgplatform.toml").is_file()
    assert example_config().is_file()
