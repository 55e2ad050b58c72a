"""Every RDF statement cites its line and its words, whatever the syntax; JSON-LD takes its contexts from a folder."""

from __future__ import annotations

import json
from pathlib import Path

import pyoxigraph as ox
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.commandline import done
from support.ingesting import Desk, claim_of

from kgplatform.errors import SourceError
from kgplatform.ingest.evidence import line_of
from kgplatform.ingest.json_ld import Contexts, JsonLd
from kgplatform.ingest.rdf_statements import placed_quads, rdf_xml_pieces, turtle_pieces
from kgplatform.model import Notice
from kgplatform.terms import LABEL, RDF, RDFS, SC

COMPONENT = "https://kg.example/id/component/"
TURTLE = """@prefix sc: <https://w3id.org/kgplatform/service-catalog#> .
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
# tax; was levy.
<https://kg.example/id/component/tax> a sc:Component ;
    rdfs:label "Tax; the \\"old\\" one, v1.5" ;
    sc:depends_on <https://kg.example/id/component/cart> ,
        <https://kg.example/id/component/rates> .
"""
TRIG = (
    TURTLE.replace("<https://kg.example/id/component/tax> a", "GRAPH <http://g.example/g> { <https://kg.example/id/component/tax> a") + "}"
)
XML = f"""<?xml version="1.0"?>
<rdf:RDF xmlns:rdf="{RDF}" xmlns:rdfs="{RDFS}" xmlns:sc="{SC}">
  <sc:Component rdf:about="{COMPONENT}tax"><!-- <rdfs:label>no</rdfs:label> -->
    <rdfs:label>Tax; the "old" one, v1.5</rdfs:label>
    <sc:depends_on rdf:resource="{COMPONENT}cart"/>

    <sc:depends_on rdf:resource="{COMPONENT}rates"/>
  </sc:Component>
</rdf:RDF>
"""
JSON_LD = f"""{{"@graph": [
  {{"label": "Tax; the \\"old\\" one, v1.5",
    "@type": "{SC.Component}",
    "depends": [{{"@id": "{COMPONENT}cart"}},

      {{"@id": "{COMPONENT}rates"}}],
    "colour": "red", "id": "{COMPONENT}tax"}}],
 "@context": {{"label": "{LABEL}", "depends": "{SC.depends_on}", "id": "@id"}}}}
"""
LINES = f"""<{COMPONENT}tax> <{SC.depends_on}> <{COMPONENT}cart> .

<{COMPONENT}tax> <{SC.depends_on}> <{COMPONENT}rates> .
<{COMPONENT}tax> <{LABEL}> "Tax; the \\"old\\" one, v1.5" .
"""


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    (tmp_path / "kgplatform.toml").write_text('[collections.rdf]\npaths = ["{id}"]\n')
    return Desk(tmp_path)


@pytest.mark.parametrize(
    ("name", "text", "label", "cart", "rates"),
    [
        ("a.ttl", TURTLE, 5, 6, 7),
        ("a.trig", TRIG, 5, 6, 7),
        ("a.rdf", XML, 4, 5, 7),
        ("a.jsonld", JSON_LD, 2, 4, 6),
        ("a.nt", LINES, 4, 1, 3),
        ("a.nq", LINES, 4, 1, 3),
    ],
)
def test_a_fact_cites_the_line_and_the_words_of_its_statement(desk: Desk, name: str, text: str, label: int, cart: int, rates: int) -> None:
    reading = desk.one(name, text)

    places = {}
    for claim in reading.claims:
        assert reading.text[claim.start : claim.end] == claim.quote
        places[claim.fact.relation, claim.fact.object] = line_of(reading.text, claim.end - 1), claim.quote
    line, quote = next(place for (relation, _), place in places.items() if relation == LABEL)
    assert label == line and "one, v1.5" in quote
    for other, expected in (("component:cart", cart), ("component:rates", rates)):
        line, quote = places[SC.depends_on, other]
        assert expected == line and other.partition(":")[2] in quote and "depends" in quote


def test_a_statement_too_long_to_quote_is_cited_by_its_verb_and_object(desk: Desk) -> None:
    label = f"<{COMPONENT}tax> <{SC.tag}> 't' ; <{LABEL}> '{'x' * 280}' ;\n <{SC.depends_on}> <{COMPONENT}cart> ."

    claim = claim_of(desk.one("a.ttl", label), SC.depends_on)
    assert f"<{SC.depends_on}> <{COMPONENT}cart>" == claim.quote


def test_evidence_names_the_line_on_the_command_line(tmp_path: Path) -> None:
    team = "<https://kg.example/id/team/ops>"
    (tmp_path / "a.ttl").write_text(
        f"{team} a <{SC.Team}> ;\n  <{LABEL}> 'Ops' .\n\n<{COMPONENT}aa> a <{SC.Component}> ;\n  <{LABEL}> 'Aaa' ;\n  <{SC.owned_by}> {team} ."
    )
    data = tmp_path / "kg"
    done("init", "--data", data)
    done("ingest", tmp_path / "a.ttl", "--data", data)

    answer = done("ask", "Who owns Aaa?", "--data", data)
    assert "line 4" in answer.out and f"<{SC.owned_by}> {team}" in answer.out
    assert 4 == done("ask", "Who owns Aaa?", "--data", data, "--json").json["citations"][0]["line"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.ttl", TURTLE + "<http://x.example/a> sc:depends_on ;;; .\n" + TURTLE),
        ("a.rdf", XML.replace("\n\n", "\n<oops\n")),
        ("cut.rdf", XML.replace("</rdf:RDF>", "")),
    ],
)
def test_an_error_in_the_middle_says_that_the_rest_is_unread_and_the_reading_is_not_whole(desk: Desk, name: str, text: str) -> None:
    desk.lay(name, text)
    (reading,), _problems = desk.read(name)

    assert reading.claims and not reading.complete
    (problem,) = [each for each in reading.problems if "unread" in each.what]
    assert "the rest is unread and ends nothing" in problem.what and problem.where.startswith(str(reading.path))


def test_json_ld_terms_without_a_mapping_are_told(desk: Desk) -> None:
    reading = desk.one("a.jsonld", JSON_LD)

    assert (Notice("unmapped", "JSON-LD term colour", 1, f"{reading.path}:7"),) == reading.notices


# -- contexts


def test_a_context_is_taken_from_the_folder_and_a_missing_one_says_where_to_put_it(tmp_path: Path) -> None:
    (tmp_path / "kgplatform.toml").write_text('jsonld_contexts = "contexts"\n[collections.rdf]\npaths = ["{id}"]\n')
    for name, context in (
        ("a.example/base.jsonld", {"@context": {"label": LABEL}}),
        ("a.example/v1", {"@context": ["base", {"depends": {"@id": SC.depends_on, "@type": "@id"}}]}),
    ):
        (tmp_path / "contexts" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "contexts" / name).write_text(json.dumps(context))
    desk = Desk(tmp_path)
    text = '{"@context": "https://a.example/v1", "@id": "http://x.example/a", "label": "A", "depends": "http://x.example/b"}'

    reading = desk.one("a.jsonld", text)
    assert {LABEL, SC.depends_on} == {claim.fact.relation for claim in reading.claims}
    assert reading.extractor.startswith("rdf/2+contexts-")
    problem = desk.wrong("b.jsonld", text.replace("v1", "v2"))
    assert "names the @context https://a.example/v2, and nothing is fetched" == problem.what
    assert problem.hint == f"put a copy of it at {tmp_path}/contexts/a.example/v2.jsonld"


def test_contexts_that_name_each_other_in_a_circle_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a.example").mkdir()
    (tmp_path / "a.example/one").write_text('{"@context": "two"}')
    (tmp_path / "a.example/two").write_text('{"@context": ["one"]}')

    with pytest.raises(SourceError, match="names itself by way of other contexts"):
        JsonLd.of('{"@context": "http://a.example/one"}', "x.jsonld", Contexts(tmp_path))


# -- the pieces are the text


@given(st.text(alphabet=" \n;,.[](){}<>\"'#\\:@_|~^abc1é", max_size=60))
def test_the_parser_is_given_every_character_in_order(text: str) -> None:
    for cut in (turtle_pieces, rdf_xml_pieces):
        pieces = list(cut(text))
        assert text == "".join(piece.text for piece in pieces)
        assert all(0 <= piece.start <= piece.end <= len(text) for piece in pieces)


_IRIS = st.sampled_from(["<http://x.example/a>", ":b", ":c.d", "[]", "[ :p :o ]", "( 1 2.5 :e )", "_:n"])
_LITERALS = st.sampled_from(['"x;y."', '"""long " ; .\n"""@en', "'it''s'"[:4] + "'", "1.5", "true", '"1"^^:t', "'a,b'"])
_OBJECTS = st.lists(st.one_of(_IRIS, _LITERALS), min_size=1, max_size=3).map(" , ".join)
_VERBS = st.lists(st.tuples(st.sampled_from([":p", "a", "<http://x.example/q>"]), _OBJECTS).map(" ".join), min_size=1, max_size=3).map(
    " ;\n  ".join
)
_STATEMENTS = st.lists(st.tuples(_IRIS, _VERBS).map(lambda pair: f"{pair[0]} {pair[1]} .\n# ; comment .\n"), max_size=4).map("".join)


@given(_STATEMENTS)
def test_a_text_that_was_cut_says_what_it_said(statements: str) -> None:
    text = "@prefix : <http://x.example/> .\n" + statements

    def said(quads: list[ox.Quad]) -> set[ox.Quad]:
        dataset = ox.Dataset(quads)
        dataset.canonicalize(ox.CanonicalizationAlgorithm.UNSTABLE)
        return set(dataset)

    try:
        whole = list(ox.parse(text, format=ox.RdfFormat.TURTLE, base_iri="http://b.example/"))
    except SyntaxError:
        with pytest.raises(SyntaxError):
            list(placed_quads(turtle_pieces(text), ox.RdfFormat.TURTLE, base="http://b.example/"))
        return
    placed = list(placed_quads(turtle_pieces(text), ox.RdfFormat.TURTLE, base="http://b.example/"))
    assert said(whole) == said([quad for quad, _span in placed])
    for quad, (start, end) in placed:
        if isinstance(quad.object, ox.Literal):
            assert quad.object.value.strip() in text[start:end]
