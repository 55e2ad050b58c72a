"""Shapes as people write them: what cannot have an effect is refused or listed, with file, line and shape."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from kgplatform.checks.packs import PackReport, read_packs
from kgplatform.errors import OntologyError
from kgplatform.validate.unused_axioms import Note

PREFIXES: Final = """@prefix : <https://films.example/films#> .
@prefix kg: <https://w3id.org/kgplatform/core#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix sh: <http://www.w3.org/ns/shacl#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
"""
LINES: Final = PREFIXES.count("\n")
FILMS: Final = f"""{PREFIXES}
<https://films.example/films> a owl:Ontology .
:Film a owl:Class ; rdfs:label "film"@en ; kg:keyScheme "film" .
:Person a owl:Class ; rdfs:label "person"@en .
:directed_by a owl:ObjectProperty ; rdfs:label "directed by"@en ; rdfs:domain :Film ; rdfs:range :Person .
:title a owl:DatatypeProperty ; rdfs:label "title"@en ; rdfs:domain :Film ; rdfs:range xsd:string .
:code a owl:DatatypeProperty ; rdfs:label "code"@en ; rdfs:domain :Film ; rdfs:range xsd:string .
:year a owl:DatatypeProperty ; rdfs:label "year"@en ; rdfs:domain :Film ; rdfs:range xsd:integer .
"""
T: Final = ":T a sh:NodeShape ; kg:acrossClaims true ; sh:targetClass :Film ;"

DECLARED: Final = ': sh:declare [ sh:prefix "f" ; sh:namespace "https://films.example/films#"^^xsd:anyURI ] .'


def films(folder: Path, shapes: str, ontology: str = FILMS) -> PackReport:
    (folder / "films.ttl").write_text(ontology, encoding="utf-8")
    (folder / "films.shapes.ttl").write_text(PREFIXES + shapes, encoding="utf-8")
    return read_packs((str(folder / "films.ttl"),))


@pytest.mark.parametrize(
    ("shapes", "line", "what"),
    [
        (':T a sh:NodeShape ;\n kg:assertionLocal "true" ; sh:targetClass :Film .', 2, "kg:assertionLocal is true or false"),
        (
            ":T a sh:NodeShape ; kg:assertionLocal true, false ;\n kg:acrossClaims true ; sh:targetClass :Film .",
            1,
            "one shape is of one kind",
        ),
        (":T a sh:NodeShape ; sh:targetClass :Film ;\n kg:asertionLocal true .", 2, "no mark of shapes is called kg:asertionLocal"),
        (":T a sh:NodeShape ; kg:assertionLocal true ;\n sh:property [ sh:path :code ; sh:maxLength 1 ] .", 1, "judges nothing"),
        (":T sh:property [ sh:path :code ; sh:maxLength 1 ] .", 1, "judges nothing"),
        (":T a owl:Class, sh:NodeShape ; sh:property [ sh:path :code ; sh:maxLength 1 ] .", 1, "judges nothing"),
        (":P a sh:PropertyShape ; sh:path :code ; sh:maxLength 1 .", 1, "judges nothing"),
        (f'{T}\n sh:property [ sh:path :title ;\n sh:maxCount "1" ] .', 3, "sh:maxCount wants a whole number"),
        (f"{T}\n sh:property [ sh:path :title ; sh:minCount -1 ] .", 2, "sh:minCount wants a whole number"),
        (f"{T}\n sh:property [ sh:path :title ; sh:maxCount 1.5 ] .", 2, "sh:maxCount wants a whole number"),
        (f'{T}\n sh:property [ sh:path :title ; sh:uniqueLang "true" ] .', 2, "sh:uniqueLang wants true or false"),
        (f'{T}\n sh:property [ sh:path :title ; sh:datatype "xsd:string" ] .', 2, "sh:datatype wants an IRI"),
        (f'{T}\n sh:property [ sh:path :title ; sh:pattern "a"@en ] .', 2, "sh:pattern wants a string"),
        (f"{T}\n sh:property [ sh:path :title ; sh:message :no ; sh:maxCount 1 ] .", 2, "sh:message wants a text"),
        (f'{T}\n sh:property [ sh:path :year ; sh:minInclusive "x"^^xsd:integer ] .', 2, "sh:minInclusive wants a value"),
        (f"{T}\n sh:property [ sh:path :title ; sh:minCout 1 ] .", 2, "SHACL has no sh:minCout"),
        (f"{T}\n sh:property [ sh:path :title ; sh:maxCount 1 ; sh:severity sh:Warn ] .", 2, "SHACL has no sh:Warn"),
        (f"{T} a sh:NodeShpe .", 1, "SHACL has no sh:NodeShpe"),
        (f"{T}\n sh:property [ sh:path :title ; sh:nodeKind sh:Violation ] .", 2, "no node kind: sh:Violation"),
        (f"{T}\n sh:rule [ a sh:TripleRule ] .", 2, "sh:rule is not supported"),
        (":T a sh:NodeShape ; kg:acrossClaims true ; sh:target [ a sh:SPARQLTarget ] .", 1, "sh:target is not supported"),
        (f"{T}\n sh:property [ sh:path :code ; sh:in () ] .", 2, "sh:in lists nothing"),
        (f"{T}\n sh:or () .", 2, "sh:or lists nothing"),
        (f"{T}\n sh:property [ sh:path :code ; sh:in :A ] .", 2, "a list is broken"),
        (
            f"{T}\n sh:property [ sh:path :code ; sh:minCount 2 ;\n sh:maxCount 1 ] .",
            2,
            "nothing can satisfy sh:minCount 2 and sh:maxCount 1",
        ),
        (f"{T}\n sh:property [ sh:path :code ; sh:minLength 9 ; sh:maxLength 3 ] .", 2, "nothing can satisfy sh:minLength"),
        (f"{T}\n sh:property [ sh:path :year ; sh:minInclusive 9 ; sh:maxInclusive 3 ] .", 2, "nothing can satisfy sh:minInclusive"),
        (f"{T}\n sh:property [ sh:maxCount 1 ] .", 2, "a property shape has no sh:path"),
        (f"{T}\n sh:maxCount 1 .", 1, "sh:maxCount requires a property shape"),
        (f"{T}\n sh:node :Missing .", 1, "it refers to the shape <https://films.example/films#Missing>, of which nothing is said"),
        (f'{T}\n sh:property [ sh:path :code ; sh:flags "i" ] .', 2, "sh:flags has no effect without sh:pattern"),
        (f'{T}\n sh:property [ sh:path :code ; sh:pattern "a" ; sh:flags "z" ] .', 2, "no flags of a pattern: z"),
        (f'{T}\n sh:property [ sh:path :code ; sh:pattern "(" ] .', 1, "unterminated group"),
        (f"{T}\n sh:property [ sh:path :code ; sh:qualifiedMinCount 1 ] .", 2, "no effect without sh:qualifiedValueShape"),
        (f'{T}\n sh:sparql [ sh:select "SELECT $this WHERE {{ $this <https://films.example/films#year ?y }}" ] .', 1, "SPARQL parse error"),
        (f'{T}\n sh:sparql [ sh:select "SELECT $this WHERE {{ $this :year ?y }}" ] .', 1, "SPARQL parse error"),
        (f'{T}\n sh:sparql [ sh:select "SELECT $this WHERE {{ $this ?p ?y MINUS {{ $this a ?c }} }}" ] .', 1, "cannot use MINUS"),
        (f'{T}\n sh:sparql [\n sh:select "SELECT $this WHERE {{ ?film ?p ?y }}" ] .', 3, "selects $this"),
        (f"{T}\n sh:node :T .", 1, "refers to itself"),
    ],
)
def test_a_shape_that_cannot_have_an_effect_is_refused_with_its_place(tmp_path: Path, shapes: str, line: int, what: str) -> None:
    with pytest.raises(OntologyError) as caught:
        films(tmp_path, shapes)

    assert what in caught.value.what
    assert caught.value.where.startswith(f"films.shapes.ttl:{LINES + line}: ") and "films#" in caught.value.where


def test_a_fault_names_the_shape_among_many(tmp_path: Path) -> None:
    good = f"{T} sh:property [ sh:path :title ; sh:maxCount 1 ] .\n"
    with pytest.raises(OntologyError) as caught:
        films(
            tmp_path,
            f'{good}:Bad a sh:NodeShape ; kg:acrossClaims true ; sh:targetClass :Film ; sh:property [ sh:path :code ; sh:pattern "[" ] .',
        )

    assert f"films.shapes.ttl:{LINES + 2}: <https://films.example/films#Bad>" == caught.value.where


@pytest.mark.parametrize(
    ("shapes", "line", "what"),
    [
        (
            ":T a sh:NodeShape ; kg:acrossClaims true ;\n sh:targetClass :Flim ; sh:class :Film .",
            2,
            "no class <https://films.example/films#Flim>",
        ),
        (":T a sh:NodeShape ; kg:acrossClaims true ;\n sh:targetSubjectsOf :titel ; sh:class :Film .", 2, "no relation"),
        (f"{T}\n sh:property [ sh:path :titel ; sh:maxCount 1 ] .", 2, "no relation <https://films.example/films#titel> is declared"),
        (f"{T}\n sh:property [ sh:path :directed_by ;\n sh:class :Persn ] .", 3, "no class <https://films.example/films#Persn>"),
        (f"{T}\n sh:property [ sh:path :directed_by ; sh:datatype xsd:string ] .", 2, "has no values of xsd:string"),
        (f"{T}\n sh:deactivated true ; sh:property [ sh:path :code ; sh:maxCount 1 ] .", 2, "switched off"),
        (
            ":T a sh:NodeShape ;\n sh:targetClass :Film ; sh:property [ sh:path :code ; sh:maxCount 1 ] .",
            2,
            "say whether it is kg:assertionLocal",
        ),
        (
            f"{T}\n sh:severity sh:Warning ; sh:property [ sh:path :code ; sh:maxCount 1 ] .",
            2,
            "sh:severity has no effect: each property shape",
        ),
        (
            f"{T} sh:property [ sh:path :code ; sh:maxCount 1 ] ;\n sh:message 'a code' .",
            2,
            "sh:message has no effect: each property shape",
        ),
        (
            f"{T} sh:or ( [ sh:class :Film ]\n [ sh:class :Person ; sh:severity sh:Info ] ) .",
            2,
            "sh:severity has no effect: a shape inside another",
        ),
        (f"{T} sh:node [ sh:property [\n sh:path :code ; sh:maxCount 1 ; sh:severity sh:Info ] ] .", 2, "a shape inside another"),
        (
            f"{T} sh:property [ sh:path :directed_by ; sh:severity sh:Info ;\n sh:property [ sh:path :code ; sh:maxCount 1 ] ] .",
            1,
            "its own",
        ),
        (f"{T}\n sh:description 'asks nothing' .", 1, "the shape has no constraint: it asks nothing"),
        (f"{T} sh:property [\n sh:path :code ; sh:name 'code' ] .", 2, "the shape has no constraint: it asks nothing"),
        (f"{T} sh:closed false .", 1, "the shape has no constraint: it asks nothing"),
    ],
)
def test_a_shape_that_judges_nothing_is_listed_with_its_place(tmp_path: Path, shapes: str, line: int, what: str) -> None:
    notes = films(tmp_path, shapes).notes

    assert [(f"films.shapes.ttl:{LINES + line}", "<https://films.example/films#T>")] == [note[:2] for note in notes]
    assert what in notes[0].message


@pytest.mark.parametrize(
    "shapes",
    [
        f"{T} sh:property [ sh:path :code ; sh:minCount 1 ; sh:maxCount 1 ; sh:pattern '^[a-z]+$' ; sh:flags 'i' ] .",
        f"{T} sh:node :N . :N a sh:NodeShape ; sh:property [ sh:path :code ; sh:minLength 1 ] .",
        f"{T} sh:or ( [ sh:class :Film ] [ sh:property [ sh:path :title ; sh:minCount 1 ] ] ) .",
        f"{T} sh:property [ sh:path [ sh:inversePath :directed_by ] ; sh:maxCount 3 ; sh:severity sh:Info ] .",
        f"{T} sh:property [ sh:path rdf:type ; sh:hasValue :Film ] .",
        f"{T} sh:severity sh:Info ; sh:message 'none' ; sh:not [ sh:class :Person ] ; sh:property [ sh:path :code ; sh:maxCount 1 ] .",
        f"{T} sh:closed true ; sh:severity sh:Info ; sh:ignoredProperties ( rdf:type ) ; sh:property [ sh:path :code ] .",
        f"{T} sh:sparql [ sh:prefixes : ; sh:message 'old' ; sh:select 'SELECT $this WHERE {{ $this f:year ?y FILTER(?y < 1900) }}' ] . {DECLARED}",
    ],
)
def test_a_shape_that_has_an_effect_is_neither_refused_nor_listed(tmp_path: Path, shapes: str) -> None:
    assert () == films(tmp_path, shapes).notes


@pytest.mark.parametrize("packs", [(), ("people-places",), ("service-catalog",)], ids=str)
def test_all_that_the_packs_that_come_along_say_has_an_effect(packs: tuple[str, ...]) -> None:
    assert () == read_packs(packs).notes


def test_a_note_is_one_line_with_its_place() -> None:
    assert "films.ttl:3: :Film: nothing" == str(Note("films.ttl:3", ":Film", "nothing"))
