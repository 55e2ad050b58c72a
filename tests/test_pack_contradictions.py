"""Ontologies that contradict themselves: what has no effect is listed with its place, names that there are not are refused."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest
from test_cases_packs import PREFIXES

from kgplatform.checks.packs import PackReport, read_packs
from kgplatform.errors import OntologyError

B: Final = "<https://b.example/b#"
HEAD: Final = f"""{PREFIXES}@prefix : <https://b.example/b#> .
:A a owl:Class ; rdfs:label "apple" . :B a owl:Class ; rdfs:label "bear" . :C a owl:Class ; rdfs:label "crate" ; rdfs:subClassOf :B .
:r a owl:ObjectProperty ; rdfs:label "eats" ; rdfs:domain :B ; rdfs:range :A .
:n a owl:DatatypeProperty ; rdfs:label "size" ; rdfs:domain :A ; rdfs:range xsd:decimal .
"""
LINE: Final = HEAD.count("\n") + 1
M: Final = ":m a owl:DatatypeProperty ; rdfs:label 'mass' ; rdfs:range"


def pack(folder: Path, text: str) -> PackReport:
    (folder / "p.ttl").write_text(HEAD + text, encoding="utf-8")
    return read_packs((str(folder / "p.ttl"),))


@pytest.mark.parametrize(
    ("text", "what"),
    [
        (":B owl:disjointWith :A .\n:D a owl:Class ; rdfs:label 'deer' ; rdfs:subClassOf :A, :C .", "nothing can be of it"),
        (
            ":r kg:functionalAtATime true . :B\nrdfs:subClassOf [ owl:onProperty :r ; owl:minCardinality 2 ] .",
            "asks for 2, and at most 1 may be",
        ),
        (
            ":B\nrdfs:subClassOf [ owl:onProperty :r ; owl:minCardinality 3 ] , [ owl:onProperty :r ; owl:maxCardinality 2 ] .",
            "asks for 3, and at most 2 may be",
        ),
        (":A owl:disjointWith :B . :B\nrdfs:subClassOf [ owl:onProperty :r ; owl:allValuesFrom :C ] .", "asks for what it never has"),
        (":A owl:disjointWith :B . :A\nrdfs:subClassOf [ owl:onProperty :r ; owl:someValuesFrom :A ] .", "asks for what it never has"),
        (":A\nrdfs:subClassOf [ owl:onProperty :n ; owl:allValuesFrom xsd:date ] .", "asks for what it never has"),
        (":A\nrdfs:subClassOf [ owl:onProperty :n ; owl:allValuesFrom :B ] .", "asks for what it never has"),
        (":B\nrdfs:subClassOf [ owl:onProperty :r ; owl:allValuesFrom xsd:string ] .", "asks for what it never has"),
        (":B\nrdfs:subClassOf [ owl:onProperty :r ; owl:hasValue 'x' ] .", "asks for what it never has"),
        (":A\nrdfs:subClassOf [ owl:onProperty :n ; owl:hasValue 'x' ] .", "asks for what it never has"),
        (":B\nrdfs:subClassOf [ owl:onProperty :r ; owl:minCardinality 0 ] .", "to at least 0 asks nothing"),
        (":B rdfs:subClassOf [\na owl:Restriction ; owl:onProperty :r ] .", "the restriction asks nothing"),
        ("<https://b.example/b> a owl:Ontology ;\nowl:imports 'people-places' .", "it names an IRI, not a text"),
        (":A\nrdfs:comment :B .", "it is a text, not a name"),
        (":A\nskos:altLable 'pomme' .", "SKOS has no skos:altLable (did you mean skos:altLabel?)"),
        (":r\nkg:isEventDate true .", "its values are no dates"),
        (":n\nowl:inverseOf :r .", "its values are literals"),
        (":n\nkg:transitiveContainment true .", "its values are literals"),
        (":r\nowl:propertyDisjointWith :r .", "and one of them is the other"),
        (f"{M}\n[ owl:onDatatype xsd:integer ; owl:withRestrictions ( [ xsd:minInclusive 5 ] [ xsd:maxInclusive 3 ] ) ] .", "no value has"),
        (f"{M}\n[ owl:onDatatype xsd:date ; owl:withRestrictions ( [ xsd:minInclusive 5 ] ) ] .", "nothing compares with it"),
    ],
)
def test_a_contradiction_is_listed_with_its_line(tmp_path: Path, text: str, what: str) -> None:
    notes = pack(tmp_path, text).notes

    assert [f"p.ttl:{LINE + 1}"] == [note.where for note in notes]
    assert what in notes[0].message


@pytest.mark.parametrize(
    "text",
    [
        ":B owl:disjointWith :A . :D a owl:Class ; rdfs:label 'deer' ; rdfs:subClassOf :C .",
        ":B rdfs:subClassOf [ owl:onProperty :r ; owl:minCardinality 2 ] , [ owl:onProperty :r ; owl:maxCardinality 2 ] .",
        ":B rdfs:subClassOf [ owl:onProperty :r ; owl:minCardinality 2 ] , [ owl:onProperty :r ; owl:onClass :A ; owl:maxQualifiedCardinality 1 ] .",
        ":r kg:functionalAtATime true . :A rdfs:subClassOf [ owl:onProperty [ owl:inverseOf :r ] ; owl:minCardinality 2 ] .",
        ":A rdfs:subClassOf [ owl:onProperty :n ; owl:allValuesFrom xsd:integer ] , [ owl:onProperty :n ; owl:hasValue 3 ] .",
        f"{M} [ owl:onDatatype xsd:integer ; owl:withRestrictions ( [ xsd:minInclusive 3 ] [ xsd:maxInclusive 3 ] ) ] .",
    ],
)
def test_what_can_be_met_is_not_listed(tmp_path: Path, text: str) -> None:
    assert () == pack(tmp_path, text).notes


@pytest.mark.parametrize(
    ("text", "what"),
    [
        (f"{M}\nxsd:intt .", "XML Schema has no xsd:intt"),
        (":B\nkg:askedAs :Zed .", f"no such class: {B}Zed>"),
        (f"{M}\n[ owl:onDatatype xsd:string ; owl:withRestrictions ( [ xsd:pattern '[a' ] ) ] .", "the pattern '[a' cannot be read"),
    ],
)
def test_a_name_or_pattern_that_there_is_not_is_refused_with_its_line(tmp_path: Path, text: str, what: str) -> None:
    with pytest.raises(OntologyError) as caught:
        pack(tmp_path, text)

    assert what in caught.value.what and caught.value.where.startswith(f"p.ttl:{LINE + 1}: ")
