"""Results of queries in every format, read back by another library or the format's own parser."""

from __future__ import annotations

import csv
import io
import json
from xml.etree import ElementTree

import pyoxigraph as ox
import pytest
import rdflib

from kgplatform.errors import UsageError
from kgplatform.store.base import ProjectionState
from kgplatform.store.oxigraph import OxigraphStore
from kgplatform.store.results import SHORT_NAMES, SOLUTION_FORMATS, TRIPLE_FORMATS, QueryResult
from kgplatform.times import MAX, MIN

GRAPH = "https://kg.example/graph/public"
TURTLE = """
@prefix : <https://kg.example/> .
:tax :label "Tax, \\"levied\\"\\nתקליט 🦉"@en ; :since "2024-03-01T00:00:00Z"^^<http://www.w3.org/2001/XMLSchema#dateTime> ; :next :cart .
:cart :label "Cart"@en .
"""
SELECT = """PREFIX : <https://kg.example/>
SELECT ?s ?label ?since { ?s :label ?label OPTIONAL { ?s :since ?since } } ORDER BY ?label"""
LABEL = 'Tax, "levied"\nתקליט 🦉'


@pytest.fixture(scope="module")
def store() -> OxigraphStore:
    quads = [
        ox.Quad(quad.subject, quad.predicate, quad.object, ox.NamedNode(GRAPH)) for quad in ox.parse(TURTLE, format=ox.RdfFormat.TURTLE)
    ]
    store = OxigraphStore.memory()
    store.load(quads, ProjectionState(1, "derive-1", MIN, MAX))
    return store


@pytest.fixture
def solutions(store: OxigraphStore) -> QueryResult:
    return store.query(SELECT, default_graphs=[GRAPH])


@pytest.fixture
def triples(store: OxigraphStore) -> QueryResult:
    return store.query("CONSTRUCT WHERE { ?s ?p ?o }", default_graphs=[GRAPH])


def test_rows_hold_terms_and_a_table_plain_values(solutions: QueryResult) -> None:
    cart, tax = solutions.rows()
    assert {"s": ox.NamedNode("https://kg.example/cart"), "label": ox.Literal("Cart", language="en")} == cart
    assert ox.Literal(LABEL, language="en") == tax["label"]
    assert {"s": "https://kg.example/cart", "label": "Cart", "since": ""} == solutions.table()[0]
    assert ["2024-03-01T00:00:00Z"] == [row["since"] for row in solutions.table()][1:]


def test_json_is_that_of_the_recommendation(solutions: QueryResult) -> None:
    read = json.loads(solutions.serialised("json"))

    assert ["s", "label", "since"] == read["head"]["vars"]
    assert {"type": "literal", "value": LABEL, "xml:lang": "en"} == read["results"]["bindings"][1]["label"]
    assert "since" not in read["results"]["bindings"][0]


def test_csv_quotes_what_needs_it(solutions: QueryResult) -> None:
    rows = list(csv.reader(io.StringIO(solutions.serialised("csv").decode(), newline="")))

    assert [["s", "label", "since"], ["https://kg.example/cart", "Cart", ""]] == rows[:2]
    assert LABEL == rows[2][1]


def test_tsv_and_xml_read_back_as_the_same_terms(solutions: QueryResult) -> None:
    expected = [row["label"] for row in solutions.rows()]
    for name in ("tsv", "xml"):
        read = ox.parse_query_results(solutions.serialised(name), format=SOLUTION_FORMATS[SHORT_NAMES[name]])
        assert isinstance(read, ox.QuerySolutions)
        assert expected == [solution["label"] for solution in read]
    assert ElementTree.fromstring(solutions.serialised("xml")).tag.endswith("sparql")


@pytest.mark.parametrize("name", ["turtle", "ntriples", "jsonld", "rdfxml"])
def test_triples_mean_the_same_in_every_format(triples: QueryResult, name: str) -> None:
    media_type = SHORT_NAMES[name]
    text = triples.serialised(name)

    assert set(triples.triples()) == {quad.triple for quad in ox.parse(text, format=TRIPLE_FORMATS[media_type])}
    if name != "jsonld":
        assert 4 == len(rdflib.Graph().parse(data=text, format=media_type))


def test_triples_are_rows_of_subject_predicate_and_object(triples: QueryResult) -> None:
    assert ["subject", "predicate", "object"] == list(triples.table()[0])
    assert 4 == len(triples.table()) == len(list(triples.rows()))


@pytest.mark.parametrize("name", ["json", "xml", "csv", "tsv"])
@pytest.mark.parametrize("truth", [True, False])
def test_a_boolean_is_written_in_every_format_of_solutions(store: OxigraphStore, name: str, truth: bool) -> None:
    asked = store.query(f"ASK {{ FILTER({str(truth).lower()}) }}")

    assert truth == asked.boolean
    assert str(truth).lower() in asked.serialised(name).decode()
    assert [] == asked.table()


@pytest.mark.parametrize(
    "wanted, hint",
    [("turtle", "json, xml, csv, tsv"), ("application/pdf", "json, xml, csv, tsv"), ("", "json, xml, csv, tsv")],
)
def test_a_format_that_a_kind_does_not_have_is_refused_with_those_it_has(solutions: QueryResult, wanted: str, hint: str) -> None:
    with pytest.raises(UsageError) as caught:
        solutions.serialised(wanted)

    assert hint in caught.value.hint


def test_triples_are_not_written_as_csv(triples: QueryResult) -> None:
    with pytest.raises(UsageError, match="triples cannot be written as csv"):
        triples.serialised("csv")
    assert ("text/turtle", "application/n-triples", "application/ld+json", "application/rdf+xml") == triples.media_types


def test_blank_nodes_and_reifying_triples_come_through(store: OxigraphStore) -> None:
    found = store.query("SELECT ?b ?t { BIND(BNODE() AS ?b) BIND(<<( <x:a> <x:b> 1 )>> AS ?t) }").table()

    assert found[0]["b"].startswith("_:")
    assert "<x:a> <x:b>" in found[0]["t"]


@pytest.mark.parametrize("relation", ["https://kg.example/", "https://kg.example/1", "urn:x:"])
def test_a_relation_that_rdf_xml_cannot_name_is_refused_instead_of_written_wrong(store: OxigraphStore, relation: str) -> None:
    found = store.query(f"CONSTRUCT {{ <x:a> <{relation}> 1 }} WHERE {{}}")

    with pytest.raises(UsageError, match="no name for the relation"):
        found.serialised("rdfxml")
    assert found.serialised("turtle")


def test_a_control_character_is_refused_in_xml_and_kept_in_json(store: OxigraphStore) -> None:
    found = store.query("SELECT ?x { VALUES ?x { 'bell\\u0007' } }")

    with pytest.raises(UsageError, match="control character"):
        found.serialised("xml")
    assert "bell\a" == json.loads(found.serialised("json"))["results"]["bindings"][0]["x"]["value"]
