"""RDF files as claims: keys, graphs, spans, blank nodes; nothing fetched, nothing unbounded, nothing silently lost."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.ingesting import Desk, claim_of, facts, schema

from kgplatform.ingest.files import read_paths
from kgplatform.ingest.rdf import read_rdf
from kgplatform.model import Reading
from kgplatform.packs.syntaxes import FORMATS
from kgplatform.terms import LABEL, RDF, RDFS, SC, TYPE, UNMAPPED, XSD, class_node, literal

PREFIXES = "@prefix sc: <https://w3id.org/kgplatform/service-catalog#> . @prefix e: <https://kg.example/id/component/> .\n"
PREFIXES += "@prefix x: <http://example.com/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n"
CONTEXT = '{"@context": {"label": "http://www.w3.org/2000/01/rdf-schema#label"}, "@id": "http://example.com/a", "label": "A"}'


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    (tmp_path / "kgplatform.toml").write_text('[collections.rdf]\npaths = ["{id}"]\n')
    return Desk(tmp_path)


def test_platform_iris_are_mention_keys_and_others_iri_keys(desk: Desk) -> None:
    reading = desk.one("a.ttl", PREFIXES + "e:tax sc:depends_on e:shop%2Fcart, x:rates ; a sc:Component, x:Odd ; rdfs:label 'Tax'@EN .")

    assert {
        ("component:tax", SC.depends_on, "component:shop/cart"),
        ("component:tax", SC.depends_on, "iri:http://example.com/rates"),
        ("component:tax", TYPE, class_node(SC.Component)),
        ("component:tax", TYPE, class_node("http://example.com/Odd")),
        ("component:tax", LABEL, literal("Tax", language="en")),
    } == facts(reading)


def test_literals_are_normalised_as_the_store_holds_them(desk: Desk) -> None:
    reading = desk.one("a.ttl", PREFIXES + 'e:tax sc:tag "1.50"^^<http://www.w3.org/2001/XMLSchema#decimal> .')

    assert literal("1.5", XSD.decimal) == claim_of(reading, SC.tag).fact.object


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.ttl", "<http://example.com/a> <http://www.w3.org/2000/01/rdf-schema#label> 'A' ."),
        ("a.trig", "{ <http://example.com/a> <http://www.w3.org/2000/01/rdf-schema#label> 'A' }"),
        ("a.nt", '<http://example.com/a> <http://www.w3.org/2000/01/rdf-schema#label> "A" .\n'),
        ("a.nq", '<http://example.com/a> <http://www.w3.org/2000/01/rdf-schema#label> "A" .\n'),
        ("a.jsonld", CONTEXT),
        ("a.json", CONTEXT),
        (
            "a.rdf",
            f'<rdf:RDF xmlns:rdf="{RDF}" xmlns:rdfs="{RDFS}"><rdf:Description rdf:about="http://example.com/a">'
            + "<rdfs:label>A</rdfs:label></rdf:Description></rdf:RDF>",
        ),
    ],
)
def test_every_syntax_is_read(desk: Desk, name: str, text: str) -> None:
    assert {("iri:http://example.com/a", LABEL, literal("A"))} == facts(desk.one(name, text))


def test_graph_names_stay_on_the_claims(desk: Desk) -> None:
    reading = desk.one("a.trig", PREFIXES + "e:tax sc:tag 'a' . x:g { e:tax sc:tag 'b' }")

    assert {literal("a"): "", literal("b"): "http://example.com/g"} == {c.fact.object: c.graph for c in reading.claims}


def test_a_line_format_quotes_its_lines(desk: Desk) -> None:
    lines = [f'<http://example.com/{n}> <http://www.w3.org/2000/01/rdf-schema#label> "é{n}" .' for n in range(3)]

    assert lines == [c.quote for c in desk.one("a.nt", "# first\n" + "\r\n".join(lines)).claims]


def test_a_bad_line_leaves_the_others(desk: Desk) -> None:
    good = '<http://example.com/a> <http://www.w3.org/2000/01/rdf-schema#label> "A" .\n'
    desk.lay("a.nt", good + "<a> oops\n" + good.replace('"A"', '"B"'))
    (reading,), (problem,) = desk.read("a.nt")

    assert ("2", False) == (problem.where.rpartition(":")[2], reading.complete)
    assert {literal("A"), literal("B")} == {c.fact.object for c in reading.claims}


def test_a_broken_document_keeps_what_stands_before_and_is_incomplete(desk: Desk) -> None:
    desk.lay("a.ttl", PREFIXES + "e:tax sc:tag 'a' .\ne:tax sc:tag .\n")
    (reading,), (problem,) = desk.read("a.ttl")

    assert ("4", False) == (problem.where.rpartition(":")[2], reading.complete)
    assert {("component:tax", SC.tag, literal("a"))} == facts(reading)


def test_relative_iris_are_named_below_their_document(desk: Desk) -> None:
    reading = desk.one("sub/a.ttl", "<#x> <http://www.w3.org/2000/01/rdf-schema#label> 'X' .")

    assert {"file:rdf/a.ttl/#x"} == {c.fact.subject for c in reading.claims}


def test_blank_nodes_are_named_by_what_is_said_about_them() -> None:
    first = blank_keys("_:a sc:tag 'one' . _:b sc:tag 'two' ; sc:depends_on _:a .")
    again = blank_keys("_:z sc:depends_on _:y ; sc:tag 'two' . _:y sc:tag 'one' . e:other sc:tag 'three' .")

    assert first == again
    assert 2 == len(first)


def test_blank_nodes_that_nothing_tells_apart_stay_two() -> None:
    assert 2 == len(blank_keys("[] sc:tag 'one' . [] sc:tag 'one' ."))


def test_blank_nodes_of_two_documents_are_never_one() -> None:
    assert not blank_keys("[] sc:tag 'one' .", document="rdf/a.ttl") & blank_keys("[] sc:tag 'one' .", document="rdf/b.ttl")


def blank_keys(turtle: str, document: str = "rdf/a.ttl") -> set[str]:
    found = read_rdf(PREFIXES + turtle, "a.ttl", FORMATS[".ttl"], document=document, base="https://kg.example/", schema=schema())
    return {c.fact.subject for c in found.claims if c.fact.subject.startswith(f"bnode:{document}|")}


def test_a_remote_context_is_refused_not_fetched(desk: Desk) -> None:
    problem = desk.wrong("a.jsonld", '{"@context": "http://127.0.0.1:9/context", "@id": "http://example.com/a", "name": "A"}')

    assert "names the @context http://127.0.0.1:9/context, and nothing is fetched" == problem.what


def test_entities_that_name_entities_are_refused_before_they_grow(desk: Desk) -> None:
    bomb = '<!DOCTYPE r [<!ENTITY a "lol"><!ENTITY b "&a;&a;">]><r>&b;</r>'

    assert "declares an entity that names others: b" == desk.wrong("a.rdf", bomb).what
    assert "declares an entity from outside: c" == desk.wrong("a.rdf", '<!DOCTYPE r [<!ENTITY c SYSTEM "x.txt">]><r>&c;</r>').what
    assert "declares an entity above 1000 characters: d" == desk.wrong("a.rdf", f'<!DOCTYPE r [<!ENTITY d "{"x" * 1001}">]><r>&d;</r>').what


@pytest.mark.parametrize("iri", ["claim/1", "id/%22a/b", "id/%3Ca/b", "id/text/a", "id/iri/http:x", "id/component", "document/a/b"])
def test_a_statement_about_a_record_of_the_platform_is_a_problem(desk: Desk, iri: str) -> None:
    desk.lay("a.ttl", PREFIXES + f"<https://kg.example/{iri}> sc:tag 'a' . e:tax sc:tag 'b' .")
    (reading,), (problem,) = desk.read("a.ttl")

    assert f"names a record of the platform: <https://kg.example/{iri}>" == problem.what
    assert {("component:tax", SC.tag, literal("b"))} == facts(reading)
    assert not reading.complete


def test_unknown_predicates_are_listed_commonest_first_and_still_claimed(desk: Desk) -> None:
    said = "".join(f"x:s x:p{n:02} {', '.join(str(i) for i in range(n))} .\n" for n in range(1, 13))
    desk.lay("a.ttl", PREFIXES + said)
    (reading,), (problem,) = desk.read("a.ttl")

    assert problem.what.startswith(
        "78 of 78 statements use 12 predicates that the ontology does not declare: <http://example.com/p12> (12), "
    )
    assert 10 == problem.what.count("<http")
    assert "quarantine" in problem.hint
    assert (78, True) == (len(reading.claims), reading.complete)


@pytest.mark.long
def test_every_file_of_the_w3c_suites_gives_claims_or_one_line(shared: Path, desk: Desk) -> None:
    paths = [p for p in sorted((shared / "data" / "conformance").rglob("*")) if p.suffix in FORMATS]
    assert paths
    for path in paths:
        (item,) = read_paths([path], settings=desk.settings, schema=schema(), collection="rdf")
        texts = [p.what for p in item.problems] if isinstance(item, Reading) else [item.what]
        assert all(text and "\n" not in text for text in texts)


def test_a_file_cannot_claim_what_a_slot_expects(desk: Desk) -> None:
    desk.lay("a.ttl", PREFIXES + "e:tax <https://w3id.org/kgplatform/core#expectedType> sc:Component .")
    (reading,), _problems = desk.read("a.ttl")

    assert {("component:tax", UNMAPPED["rdf/expectedType"])} == {(subject, relation) for subject, relation, _object in facts(reading)}
