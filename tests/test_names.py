"""Properties that name things name them for search, questions, pages and texts, whatever vocabulary they come from."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest
from support.commandline import done, kg

from kgplatform.derive.derivation import derive
from kgplatform.ledger.names import name_relations
from kgplatform.packs.folders import ontology_text
from kgplatform.projection.graphs import AUDIENCES, quads_of
from kgplatform.projection.ground import whole
from kgplatform.schema import load_schema
from kgplatform.settings.load import load_settings
from kgplatform.terms import ALT_LABEL, FOAF, LABEL, SKOS
from kgplatform.writing.writer import Writer

PREFIXES: Final = """@prefix : <https://films.example/films#> .
@prefix d: <https://data.example/> .
@prefix dc: <http://purl.org/dc/elements/1.1/> .
@prefix dct: <http://purl.org/dc/terms/> .
@prefix foaf: <http://xmlns.com/foaf/0.1/> .
@prefix kg: <https://w3id.org/kgplatform/core#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix schema: <https://schema.org/> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
"""
PACK: Final = f"""{PREFIXES}
<https://films.example/films> a owl:Ontology .
:Film a owl:Class ; rdfs:label "film"@en . :Person a owl:Class ; rdfs:label "person"@en .
:heading a owl:DatatypeProperty ; rdfs:label "heading"@en ; rdfs:domain :Film BELOW .
:directed_by a owl:ObjectProperty ; rdfs:label "directed by"@en ; kg:inverseLabel "directs"@en ; rdfs:domain :Film ; rdfs:range :Person .
"""
BELOW: Final = "; rdfs:subPropertyOf rdfs:label"


def filled(folder: Path, facts: str, *, below: str = BELOW, more: str = "") -> Path:
    """A data directory with the films pack that read these facts."""
    (folder / "films.ttl").write_text(PACK.replace("BELOW", below) + more, encoding="utf-8")
    (folder / "k.toml").write_text('packs = ["films.ttl"]\n', encoding="utf-8")
    (folder / "facts.ttl").write_text(PREFIXES + facts, encoding="utf-8")
    done("--config", folder / "k.toml", "init", "--data", folder / "kg")
    done("ingest", folder / "facts.ttl", "--data", folder / "kg")
    assert "quarantine is empty\n" == done("quarantine", "list", "--data", folder / "kg").out
    return folder / "kg"


@pytest.mark.parametrize(
    "property_",
    ["rdfs:label", "skos:prefLabel", "foaf:name", "schema:name", "<http://schema.org/name>", "dct:title", "dc:title", ":heading"],
)
def test_a_property_that_names_things_names_them_for_search_questions_and_pages(tmp_path: Path, property_: str) -> None:
    data = filled(tmp_path, f'd:f1 a :Film ; {property_} "Alien" ; :directed_by d:p1 . d:p1 a :Person ; foaf:name "Ridley Scott" .')

    assert "Ridley Scott" in done("ask", "Who directs Alien?", "--data", data).out
    assert ["https://data.example/f1"] == [hit["iri"] for hit in done("search", "alie", "--json", "--data", data).json]
    page = done("entity", "Alien", "--json", "--data", data).json
    assert ("https://data.example/f1", "Alien", ["Alien"]) == (page["iri"], page["label"], page["names"])
    stored = done("sparql", f"SELECT ?n {{ <https://data.example/p1> <{FOAF.name}> ?n }}", "--data", data).out
    assert "Ridley Scott" in stored, "the claim stays what its source said"


@pytest.mark.parametrize(
    "property_", ["skos:altLabel", "skos:hiddenLabel", "foaf:nick", "schema:alternateName", "<http://schema.org/alternateName>"]
)
def test_a_further_name_finds_a_thing_and_is_not_what_it_is_called(tmp_path: Path, property_: str) -> None:
    data = filled(
        tmp_path,
        f'd:f1 a :Film ; foaf:name "Alien" ; {property_} "The Eighth Passenger" ; :directed_by d:p1 . d:p1 a :Person ; foaf:name "Scott" .',
    )
    answer = done("ask", "Who directs The Eighth Passenger?", "--data", data).out

    assert "Scott" in answer and "Alien" in answer.splitlines()[0]


def test_of_several_names_the_label_is_preferred_then_the_preferred_label_in_english(tmp_path: Path) -> None:
    data = filled(
        tmp_path,
        'd:a a :Film ; foaf:name "A foaf" ; rdfs:label "Z label" . d:b a :Film ; skos:prefLabel "Anfang"@de, "Origin"@en ; foaf:name "Aa" . '
        'd:c a :Film ; foaf:name "Second", "First" .',
    )

    assert {"Z label", "Origin", "First"} == {
        done("entity", f"https://data.example/{name}", "--json", "--data", data).json["label"] for name in "abc"
    }


def test_a_text_names_a_thing_by_any_of_its_names(tmp_path: Path) -> None:
    data = filled(tmp_path, 'd:f1 a :Film ; foaf:name "Alien" . d:p1 a :Person ; schema:name "Ridley Scott" .')
    (tmp_path / "memo.md").write_text("Alien is directed by Ridley Scott.\n", encoding="utf-8")
    done("ingest", tmp_path / "memo.md", "--data", data)

    assert "Ridley Scott" in done("ask", "Who directs Alien?", "--data", data).out
    assert 1 == len(done("search", "Ridley Scott", "--json", "--data", data).json), "the mention is the person, not another one"


def test_a_release_that_makes_a_property_a_name_names_by_it_and_one_that_takes_it_back_does_not(tmp_path: Path) -> None:
    data = filled(tmp_path, 'd:f1 a :Film ; :heading "Alien" .', below="")
    (tmp_path / "memo.md").write_text("Alien is directed by Scott.\n", encoding="utf-8")
    done("ingest", tmp_path / "memo.md", "--data", data)

    for below, hits in ((BELOW, 1), ("", 0), (BELOW, 1)):
        (tmp_path / "films.ttl").write_text(PACK.replace("BELOW", below), encoding="utf-8")
        done("quarantine", "retry", "--data", data)
        found = [hit["iri"] for hit in done("search", "Alien", "--json", "--data", data).json]
        assert hits == found.count("https://data.example/f1")
        with Writer.open(load_settings(data)) as writer:
            assert writer.schema.name_properties == name_relations(writer.ledger)
            kept = {
                str(q) for q in writer.projection.store.quads(name for name in writer.projection.store.graph_names() if name != AUDIENCES)
            }
            derived = quads_of(derive(whole(writer.ledger), writer.projection.rules(writer.projection.present())).units())
            assert {str(q) for q in derived if AUDIENCES not in str(q.graph_name)} == kept


def test_a_name_property_with_a_domain_is_no_name_of_other_things(tmp_path: Path) -> None:
    data = filled(tmp_path, 'd:f1 a :Film ; :heading "Alien" .')
    (tmp_path / "wrong.ttl").write_text(f'{PREFIXES} d:p1 a :Person ; :heading "Bilbo" .', encoding="utf-8")
    done("ingest", tmp_path / "wrong.ttl", "--data", data)

    assert "wrong-subject-type" in done("quarantine", "list", "--data", data).out
    assert [] == done("search", "Bilbo", "--json", "--data", data).json


def test_a_pack_may_declare_a_well_known_name_with_its_own_words_and_range(tmp_path: Path) -> None:
    own = 'foaf:name a owl:DatatypeProperty ; rdfs:label "full name"@en ; rdfs:range <http://www.w3.org/2001/XMLSchema#string> .'
    data = filled(tmp_path, 'd:p1 a :Person ; foaf:name "Ridley Scott" .', more=own)

    assert "Ridley Scott" in done("search", "ridley", "--data", data).out


def test_what_lies_below_a_further_name_is_one_also_where_that_lies_below_the_label() -> None:
    text = ontology_text(()) + "\nskos:altLabel rdfs:subPropertyOf rdfs:label ."  # as SKOS itself says
    schema = load_schema(text)

    assert {LABEL, SKOS.prefLabel, FOAF.name} <= schema.preferred_names
    assert ALT_LABEL in schema.name_properties and not {ALT_LABEL, FOAF.nick} & schema.preferred_names


def test_an_unknown_name_is_still_unknown(tmp_path: Path) -> None:
    data = filled(tmp_path, 'd:f1 a :Film ; foaf:name "Alien" .')

    assert 0 != kg("entity", "Aliens and Predators", "--data", data).code
