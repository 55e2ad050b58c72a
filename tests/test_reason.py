"""The consistency of an ontology, asked of HermiT."""

from __future__ import annotations

import shutil

import pytest

from kgplatform.errors import OntologyError
from kgplatform.packs.folders import ontology_text
from kgplatform.terms import OWL, RDFS, XSD
from kgplatform.validate.consistency import CONSISTENT, INCONSISTENT, UNKNOWN, Consistency, check_consistency

ONTOLOGY = f"""
@prefix : <https://kg.example/o#> . @prefix owl: <{OWL}> . @prefix rdfs: <{RDFS}> . @prefix xsd: <{XSD}> .
<https://kg.example/o> a owl:Ontology ; owl:imports <https://kg.example/never-fetched> .
:Person a owl:Class ; owl:disjointWith :Place .
:Place a owl:Class .
:born a owl:DatatypeProperty ; rdfs:domain :Person ; rdfs:range xsd:date .
:jack a owl:NamedIndividual, :Person ; :born "1970-01-01"^^xsd:date .
"""


@pytest.fixture
def reasoner() -> None:
    pytest.importorskip("owlready2", reason="needs the extra `reason`")
    if shutil.which("java") is None:
        pytest.skip("HermiT needs Java, and no java was found: install a Java runtime to run this")


@pytest.mark.long
@pytest.mark.usefixtures("reasoner")
def test_an_ontology_without_contradiction_is_consistent() -> None:
    assert Consistency(CONSISTENT) == check_consistency(ONTOLOGY)


@pytest.mark.long
@pytest.mark.usefixtures("reasoner")
def test_a_class_below_two_disjoint_ones_can_have_no_instance() -> None:
    embassy = ":Embassy a owl:Class ; rdfs:subClassOf :Person , :Place ."

    assert Consistency(CONSISTENT, ("https://kg.example/o#Embassy",)) == check_consistency(ONTOLOGY + embassy)


@pytest.mark.long
@pytest.mark.usefixtures("reasoner")
def test_an_instance_of_two_disjoint_classes_is_inconsistent() -> None:
    assert Consistency(INCONSISTENT) == check_consistency(ONTOLOGY + ":jack a :Place .")


@pytest.mark.long
@pytest.mark.usefixtures("reasoner")
def test_a_date_outside_its_range_is_inconsistent() -> None:
    assert Consistency(INCONSISTENT) == check_consistency(ONTOLOGY + ':jack :born "soon" .')


@pytest.mark.long
@pytest.mark.usefixtures("reasoner")
def test_our_packs_are_consistent_and_every_class_can_have_instances() -> None:
    assert Consistency(CONSISTENT) == check_consistency(ontology_text(("service-catalog", "people-places")))


def test_without_java_consistency_is_unknown_and_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("owlready2", reason="needs the extra `reason`")
    monkeypatch.setenv("PATH", "")

    found = check_consistency(ONTOLOGY)

    assert UNKNOWN == found.verdict
    assert "Java" in found.why


def test_an_ontology_that_does_not_parse_is_an_error() -> None:
    with pytest.raises(OntologyError, match="does not parse"):
        check_consistency(":Person a")
