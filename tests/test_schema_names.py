"""Short names of a pack's terms: prefixes that its text declares, and bare names."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from kgplatform.errors import QuerySyntaxError
from kgplatform.packs.folders import ontology_text
from kgplatform.query.prefixes import placed, prologue
from kgplatform.schema import Schema, load_schema

HEAD = """@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix vann: <http://purl.org/vocab/vann/> .
"""
FILMS = HEAD + '@prefix : <https://films.example/films#> .\n:Film a owl:Class ; rdfs:label "film"@en .\n:title a owl:DatatypeProperty .\n'


def schema(tmp_path: Path, **packs: str) -> Schema:
    for name, text in packs.items():
        (tmp_path / f"{name}.ttl").write_text(text)
    return load_schema(ontology_text(str(tmp_path / f"{name}.ttl") for name in packs))


def test_the_empty_prefix_of_a_pack_is_known_by_the_end_of_its_namespace(tmp_path: Path) -> None:
    names = schema(tmp_path, films=FILMS).names

    assert "https://films.example/films#Film" == names.expand("films:Film")
    assert "films:Film" == names.curie("https://films.example/films#Film")


@pytest.mark.parametrize(
    "declaration",
    [
        "@prefix mov: <https://films.example/films#> .",
        "PREFIX mov: <https://films.example/films#>",
        "prefix  mov:<https://films.example/films#>",
    ],
)
def test_a_declared_prefix_is_known(tmp_path: Path, declaration: str) -> None:
    names = schema(
        tmp_path,
        films=FILMS.replace("@prefix : <https://films.example/films#> .", f"{declaration}\n@prefix : <https://films.example/films#> ."),
    ).names

    assert "https://films.example/films#Film" == names.expand("mov:Film")
    assert "films" not in names.prefixes


def test_the_preferred_prefix_of_an_ontology_is_known(tmp_path: Path) -> None:
    text = FILMS + '<https://films.example/films> a owl:Ontology ; vann:preferredNamespacePrefix "cine" .\n'

    assert "https://films.example/films#Film" == schema(tmp_path, films=text).names.expand("cine:Film")


def test_what_only_looks_like_a_declaration_is_none(tmp_path: Path) -> None:
    text = (
        FILMS
        + '# @prefix a: <https://a.example/> .\n:x rdfs:comment "@prefix b: <https://b.example/> ." ; rdfs:comment """" @prefix c: <https://c.example/> .""" .\n'
    )

    assert {"a", "b", "c"}.isdisjoint(schema(tmp_path, films=text).names.prefixes)


def test_a_prefix_of_two_namespaces_has_none_and_is_told(tmp_path: Path) -> None:
    found = schema(
        tmp_path,
        films=FILMS.replace(" : ", " f: ").replace(":Film", "f:Film").replace("\n:title", "\nf:title"),
        other=HEAD + "@prefix f: <https://o.example/> .\n",
    )

    assert {"f": ("https://films.example/films#", "https://o.example/")} == found.names.clashing
    assert "f:Film" == found.names.expand("f:Film")
    assert "f: stands for https://films.example/films# and https://o.example/" in placed(QuerySyntaxError("x at 2:1"), found).hint


def test_a_prefix_of_the_platform_keeps_its_meaning(tmp_path: Path) -> None:
    names = schema(tmp_path, films=FILMS + "@prefix sc: <https://o.example/> .\n").names

    assert "https://w3id.org/kgplatform/service-catalog#Component" == names.expand("sc:Component")
    assert "sc" in names.clashing


def test_a_bare_name_means_every_term_that_ends_in_it(tmp_path: Path) -> None:
    found = schema(tmp_path, films=FILMS, books=FILMS.replace("films", "books"))

    assert ["https://books.example/books#title", "https://films.example/films#title"] == found.names.meanings("title", found.relations)
    assert ["http://xmlns.com/foaf/0.1/nick"] == found.names.meanings("nick", found.relations)
    assert [] == found.names.meanings("films:nothing", found.relations)


def test_queries_know_the_prefixes_of_packs(tmp_path: Path) -> None:
    assert "PREFIX films: <https://films.example/films#> " in prologue(schema(tmp_path, films=FILMS))


def test_names_do_not_depend_on_the_order_in_which_python_hashes(tmp_path: Path) -> None:
    (tmp_path / "films.ttl").write_text(FILMS)
    program = (
        "import sys; from kgplatform.packs.folders import ontology_text; from kgplatform.schema import load_schema; "
        "from kgplatform.query.prefixes import prologue; print(prologue(load_schema(ontology_text([sys.argv[1]]))))"
    )
    texts = {
        subprocess.run(
            [sys.executable, "-c", program, str(tmp_path / "films.ttl")], env={"PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in ("1", "2", "3")
    }

    assert 1 == len(texts)
