"""Packs as their authors write them: each file keeps what is its own, and an error names its file and line."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

import pytest

from kgplatform.errors import OntologyError
from kgplatform.packs import ontology_text, shapes_text
from kgplatform.schema import Schema, load_schema
from kgplatform.terms import XSD

PREFIXES: Final = """@prefix kg: <https://w3id.org/kgplatform/core#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
"""
LINES: Final = PREFIXES.count("\n")


def read(folder: Path, files: Mapping[str, str]) -> Schema:
    """The schema of packs of these texts, in this order; `x.shapes.ttl` is the shapes of `x.ttl`."""
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    packs = [str(folder / name) for name in files if not name.endswith(".shapes.ttl")]
    return load_schema(ontology_text(packs), shapes_text(packs))


def test_each_pack_has_its_own_blank_nodes(tmp_path: Path) -> None:
    base = ":Thing a owl:Class ; rdfs:subClassOf _:r . _:r a owl:Restriction ; owl:onProperty :size ; owl:allValuesFrom xsd:integer ."
    top = ":Gadget a owl:Class ; rdfs:subClassOf _:r . _:r a owl:Restriction ; owl:onProperty :weight ; owl:allValuesFrom xsd:decimal ."
    schema = read(
        tmp_path,
        {
            "base.ttl": f"{PREFIXES}@prefix : <https://b.example/b#> .\n{base} :size a owl:DatatypeProperty .",
            "top.ttl": f"{PREFIXES}@prefix : <https://t.example/t#> .\n{top} :weight a owl:DatatypeProperty .",
        },
    )
    demands = {iri: [(r.relation, r.datatype) for r in class_.restrictions] for iri, class_ in schema.classes.items()}

    assert [("https://b.example/b#size", XSD.integer)] == demands["https://b.example/b#Thing"]
    assert [("https://t.example/t#weight", XSD.decimal)] == demands["https://t.example/t#Gadget"]


def test_a_prefix_and_a_base_of_one_file_do_not_reach_the_next(tmp_path: Path) -> None:
    first = f"{PREFIXES}@prefix mine: <https://a.example/> .\n@base <https://a.example/> .\nmine:A a owl:Class ."

    for second in ("mine:B a owl:Class .", "<B> a owl:Class ."):
        with pytest.raises(OntologyError) as caught:
            read(tmp_path, {"a.ttl": first, "b.ttl": f"{PREFIXES}\n{second}"})
        assert caught.value.where.endswith(f"b.ttl:{LINES + 2}")


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        ("<x:A> a owl:Class .\n<x:B> a owl:Class ;\n  rdfs:subClassOf <x:Missing> .", 3, "no such class: <x:Missing>"),
        ("<x:p> a owl:ObjectProperty ;\n  rdfs:range <x:Missing> . <x:A> a owl:Class .", 2, "no such class: <x:Missing>"),
        ('<x:p> a owl:ObjectProperty ;\n  kg:functionalAtATime "yes" .', 2, "neither true nor false"),
        ("<x:p> a owl:ObjectProperty ;\n\n  rdfs:subPropertyOf <x:q> .", 3, "no such relation: <x:q>"),
        ("<x:p> a owl:ObjectProperty, owl:DatatypeProperty .", 1, "entities or literals"),
        ("<x:A> a owl:Class ;", 1, "not Turtle"),
    ],
)
def test_a_fault_of_a_pack_is_told_with_its_file_and_line(tmp_path: Path, text: str, line: int, what: str) -> None:
    good = f"{PREFIXES}<x:Good> a owl:Class .\n"
    with pytest.raises(OntologyError) as caught:
        read(tmp_path, {"good.ttl": good, "bad.ttl": PREFIXES + text})

    assert f"bad.ttl:{LINES + line}" in caught.value.where and what in caught.value.what


def test_a_pack_that_is_not_utf_8_is_refused_by_name(tmp_path: Path) -> None:
    own = tmp_path / "latin.ttl"
    own.write_bytes("# é\n".encode("latin-1"))

    with pytest.raises(OntologyError, match="is not UTF-8") as caught:
        ontology_text([str(own)])
    assert str(own) == caught.value.where


def test_a_pack_with_a_byte_order_mark_is_read(tmp_path: Path) -> None:
    own = tmp_path / "bom.ttl"
    own.write_text("<x:A> a <http://www.w3.org/2002/07/owl#Class> .", encoding="utf-8-sig")

    assert "x:A" in load_schema(ontology_text([str(own)])).classes
