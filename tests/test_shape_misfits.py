"""Shapes that no value can satisfy are refused; what a shape says in vain beside the ontology is listed, at any depth."""

from __future__ import annotations

from pathlib import Path

import pyoxigraph as ox
import pytest
from test_cases_shapes import DECLARED, LINES, T, films

from kgplatform.errors import OntologyError
from kgplatform.validate.satisfiable import check_satisfiable
from kgplatform.validate.shape_syntax import ShapeText

F = "<https://films.example/films#"


@pytest.mark.parametrize(
    ("constraints", "what"),
    [
        ('sh:path :code ; sh:in ( "A" ) ;\n sh:hasValue "B"', 'nothing can satisfy sh:hasValue "B" and sh:in'),
        ("sh:path :year ; sh:in ( 1 2 ) ;\n sh:hasValue 1, 3", "nothing can satisfy sh:hasValue"),
        ('sh:path :code ; sh:maxCount 0 ;\n sh:hasValue "B"', "nothing can satisfy sh:hasValue"),
        ('sh:path :code ; sh:maxCount 1 ;\n sh:hasValue "B", "C"', "nothing can satisfy sh:hasValue"),
        ('sh:path :code ; sh:datatype xsd:integer ;\n sh:hasValue "B"', "nothing can satisfy sh:hasValue"),
        ('sh:path :code ; sh:datatype xsd:integer ;\n sh:in ( "B" "C" )', "nothing can satisfy sh:in"),
        ("sh:path :code ; sh:nodeKind sh:IRI ;\n sh:in ( 1 2 )", "nothing can satisfy sh:in"),
        ("sh:path :code ; sh:in ( 1 2 ) ;\n sh:minCount 3", "nothing can satisfy sh:minCount 3 and sh:in"),
        ("sh:path :directed_by ; sh:class :Person ;\n sh:nodeKind sh:Literal", "nothing can satisfy sh:nodeKind sh:Literal and sh:class"),
        ("sh:path :code ; sh:datatype xsd:string ;\n sh:nodeKind sh:BlankNodeOrIRI", "nothing can satisfy sh:nodeKind"),
        ("sh:path :code ; sh:datatype xsd:string ;\n sh:class :Person", "nothing can satisfy sh:class"),
        ("sh:path :year ; sh:maxExclusive 5 ;\n sh:minExclusive 5", "nothing can satisfy sh:minExclusive"),
        ("sh:path :year ; sh:maxExclusive 5.0 ;\n sh:minInclusive 5", "nothing can satisfy sh:minInclusive"),
        ('sh:path :year ; sh:maxInclusive "2020-01-01"^^xsd:date ;\n sh:minInclusive "2024-01-01"^^xsd:date', "nothing can satisfy"),
        ("sh:path :year ;\n sh:maxCount 1, 2", "sh:maxCount has 2 values, and one counts"),
        ("sh:maxCount 1 ;\n sh:path :year, :code", "sh:path has 2 values, and one counts"),
        ('sh:path :year ;\n sh:maxCount "1"^^xsd:int', "sh:maxCount wants a whole number (xsd:integer)"),
        ("sh:maxCount 1 ;\n sh:path ()", "sh:path lists nothing"),
        ("sh:path :year ; sh:maxCount 1 ;\n <http://www.w3.org/ns/shacl/minCount> 1", "the namespace of SHACL is"),
    ],
)
@pytest.mark.parametrize("around", ["sh:property [ {} ]", "sh:or ( [ sh:class :Person ] [ sh:property [ {} ] ] )"])
def test_what_nothing_can_satisfy_is_refused_with_its_line(tmp_path: Path, constraints: str, what: str, around: str) -> None:
    with pytest.raises(OntologyError) as caught:
        films(tmp_path, f"{T} {around.format(constraints)} .")

    assert what in caught.value.what and f"films.shapes.ttl:{LINES + 2}: {F}T>" == caught.value.where


@pytest.mark.parametrize(
    "constraints",
    [
        'sh:path :code ; sh:in ( "A" "B" ) ; sh:hasValue "B" ; sh:minCount 2',
        'sh:path :code ; sh:maxCount 2 ; sh:hasValue "B", "C"',
        "sh:path :year ; sh:minInclusive 5 ; sh:maxInclusive 5",
        "sh:path :year ; sh:datatype xsd:integer ; sh:in ( 1 2 ) ; sh:nodeKind sh:IRIOrLiteral",
        "sh:path :directed_by ; sh:class :Person ; sh:nodeKind sh:BlankNodeOrIRI",
    ],
)
def test_what_can_be_satisfied_is_taken_without_a_note(tmp_path: Path, constraints: str) -> None:
    assert () == films(tmp_path, f"{T} sh:property [ {constraints} ] .").notes


@pytest.mark.parametrize(
    ("constraint", "what"),
    [
        ("sh:property [ sh:maxCount 1 ;\n sh:path [ sh:inversePath :directd ] ]", f"no relation {F}directd> is declared"),
        ("sh:property [ sh:maxCount 1 ;\n sh:path ( :directed_by :nam ) ]", f"no relation {F}nam> is declared"),
        (
            "sh:property [ sh:maxCount 1 ;\n sh:path [ sh:alternativePath ( :title [ sh:zeroOrOnePath :titel ] ) ] ]",
            f"no relation {F}titel>",
        ),
        ("sh:or ( [ sh:class :Film ] [ sh:property [ sh:minCount 1 ;\n sh:path :titel ] ] )", f"no relation {F}titel> is declared"),
        ("sh:not [\n sh:class :Persn ]", f"no class {F}Persn> is declared"),
        (
            "sh:property [ sh:path :directed_by ; sh:qualifiedMinCount 1 ; sh:qualifiedValueShape [\n sh:class :Persn ] ]",
            f"no class {F}Persn>",
        ),
        ("sh:property [ sh:path :year ;\n sh:lessThan :yeer ]", f"no relation {F}yeer> is declared"),
        (
            "sh:closed true ; sh:property [ sh:path :title ] ;\n sh:ignoredProperties ( rdf:type :titel )",
            f"no relation {F}titel> is declared",
        ),
        ("sh:property [ sh:path :directed_by ;\n sh:nodeKind sh:Literal ]", "has entities alone"),
        ("sh:property [ sh:path :code ;\n sh:nodeKind sh:IRI ]", "has literals alone"),
        ('sh:property [ sh:path :directed_by ;\n sh:in ( "A" ) ]', 'never has the value "A"'),
        ("sh:property [ sh:path :code ;\n sh:hasValue :A ]", f"never has the value {F}A>"),
        ('sh:property [ sh:path :year ;\n sh:in ( "1999" ) ]', 'never has the value "1999"'),
        ('sh:property [ sh:path :year ;\n sh:minInclusive "5" ]', 'compares with "5"'),
        ("sh:property [ sh:path :title ;\n sh:maxExclusive 5 ]", f"no value of {F}title> compares with"),
        ('sh:property [ sh:path :year ;\n sh:languageIn ( "en" ) ]', "has a language"),
        ("sh:property [ sh:path :directed_by ;\n sh:uniqueLang true ]", "has a language"),
        ("sh:class :Film ;\n sh:minInclusive 5", "asks of entities what only literals have"),
        ("sh:property [ sh:path :title ; sh:maxCount 1 ;\n sh:minCount 0 ]", "sh:minCount 0 asks nothing"),
        ("sh:property [ sh:path :title ; sh:maxLength 9 ;\n sh:minLength 0 ]", "sh:minLength 0 asks nothing"),
        (
            f"sh:sparql [ sh:prefixes : ; sh:message ': f:no' ;\n sh:select 'SELECT $this WHERE {{ $this f:yeer ?y . FILTER(?y != \"f:odd\") }}' ] . {DECLARED[:-1]}",
            f"no class or relation {F}yeer> is declared",
        ),
        ("sh:class :Film .\n :New a owl:Class ; rdfs:label 'new'", "a declaration in a shapes file is not read"),
        ("sh:class :Film . <x:s> a owl:Ontology ;\n owl:imports <x:more>", "owl:imports <x:more> is not followed from a shapes file"),
    ],
)
def test_what_a_shape_says_in_vain_is_listed_with_its_line(tmp_path: Path, constraint: str, what: str) -> None:
    notes = films(tmp_path, f"{T} {constraint} .").notes

    assert [f"films.shapes.ttl:{LINES + 2}"] == [note.where for note in notes]
    assert what in notes[0].message


def test_the_query_of_a_shape_looks_for_this_in_its_pattern(tmp_path: Path) -> None:
    with pytest.raises(OntologyError, match="selects \\$this"):
        films(tmp_path, f"{T} sh:sparql [ sh:select \"SELECT $this WHERE {{ ?x ?p '$this' }} # $this\" ] .")


def test_the_namespace_of_shacl_may_be_imported(tmp_path: Path) -> None:
    assert () == films(tmp_path, f"<x:s> a owl:Ontology ; owl:imports sh: . {T} sh:class :Film .").notes


def test_no_shape_of_the_w3c_suite_is_refused(shared: Path) -> None:
    files = sorted((shared / "data/conformance/w3c-shacl-tests").rglob("*.ttl"))
    for file in files:
        triples = ox.parse(file.read_bytes(), format=ox.RdfFormat.TURTLE, base_iri="https://w3c.example/")
        check_satisfiable(ShapeText("\n".join(f"{quad.triple} ." for quad in triples)))

    assert len(files) > 100
