"""/sparql: the protocol, the formats, who sees what, and what is refused."""

from __future__ import annotations

import base64
import csv
import io
import json
from urllib.parse import urlencode

import pyoxigraph as ox
import pytest
from support.served import Served
from test_leaks import PROBES, REFUSED, leaked
from werkzeug.test import TestResponse

from kgplatform.store.workers import QueryWorkers
from kgplatform.web.limits import WORKERS

NAMES = "SELECT ?name WHERE { ?c rdfs:label 'Checkout' ; sc:depends_on/rdfs:label ?name } ORDER BY ?name"
TRIPLES = "CONSTRUCT { ?s rdfs:label ?o } WHERE { ?s rdfs:label ?o }"
ENDLESS = "SELECT (COUNT(*) AS ?n) { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l . ?m ?n1 ?o }"
FORM = "application/x-www-form-urlencoded"
QUERY = "application/sparql-query"


def kind(reply: TestResponse) -> str:
    """The kind of the problem that a reply is."""
    assert "application/problem+json" == reply.mimetype, reply.text
    told = reply.get_json()
    assert reply.status_code == told["status"]
    return str(told["type"]).removeprefix("/api/docs#")


def names(reply: TestResponse) -> list[str]:
    return [row["name"]["value"] for row in json.loads(reply.data)["results"]["bindings"]]


# -- the three ways to ask


def test_a_query_comes_in_the_address(served: Served) -> None:
    reply = served.get("/sparql", query=NAMES)

    assert (200, "application/sparql-results+json", ["Cart", "Tax"]) == (reply.status_code, reply.mimetype, names(reply))


def test_a_query_comes_as_a_form(served: Served) -> None:
    assert ["Cart", "Tax"] == names(served.post("/sparql", data={"query": NAMES}))


def test_a_query_comes_as_the_body(served: Served) -> None:
    assert ["Cart", "Tax"] == names(served.post("/sparql", data=NAMES, content_type=f"{QUERY}; charset=utf-8"))


def test_a_posted_query_takes_the_other_parameters_from_the_address(served: Served) -> None:
    reply = served.post("/sparql?dataset=full", data="ASK { ?a a kg:Assertion }", content_type=QUERY)

    assert {"head": {}, "boolean": True} == json.loads(reply.data)


def test_ask_construct_and_describe_answer(served: Served) -> None:
    described = served.get("/sparql", query="DESCRIBE <https://kg.example/id/component/tax>")

    assert json.loads(served.get("/sparql", query="ASK {}").data)["boolean"] is True
    assert "text/turtle" == served.get("/sparql", query=TRIPLES).mimetype
    assert any("owned_by" in str(quad.predicate) for quad in ox.parse(described.data, format=ox.RdfFormat.TURTLE))


@pytest.mark.parametrize(
    ("parameters", "expected"),
    [
        ([("query", "ASK {}"), ("query", "ASK {}")], "bad-parameter"),
        ([("query", "")], "bad-parameter"),
        ([("dataset", "facts")], "bad-parameter"),
        ([("query", "ASK {}"), ("dataset", "all")], "bad-parameter"),
        ([("query", "ASK {}"), ("timeout", "0")], "bad-parameter"),
        ([("query", "ASK {}"), ("timeout", "nan")], "bad-parameter"),
        ([("query", "ASK {}"), ("valid-at", "yesterday")], "bad-parameter"),
        ([("query", "ASK {}"), ("format", "pdf")], "bad-parameter"),
        ([("query", "ASK {}"), ("nonsense", "1")], "bad-parameter"),
        ([("query", "ASK {")], "query-syntax"),
        ([("query", "ASK {}"), ("default-graph-uri", "https://kg.example/g")], "query-refused"),
        ([("query", "ASK {}"), ("named-graph-uri", "https://w3id.org/kgplatform/core#state")], "query-refused"),
        ([("query", "ASK {}"), ("using-graph-uri", "https://kg.example/g")], "query-refused"),
        ([("update", "CLEAR ALL")], "query-refused"),
    ],
)
@pytest.mark.parametrize("way", ["get", "post"])
def test_a_wrong_request_is_a_problem_of_its_kind(served: Served, way: str, parameters: list[tuple[str, str]], expected: str) -> None:
    text = urlencode(parameters)
    reply = served.get(f"/sparql?{text}") if way == "get" else served.post("/sparql", data=text, content_type=FORM)

    assert (400, expected) == (reply.status_code, kind(reply))


def test_an_update_is_refused_in_whatever_body_it_comes(served: Served) -> None:
    text = "INSERT DATA { <a:a> <a:b> <a:c> }"

    for reply in (
        served.post("/sparql", data=text, content_type="application/sparql-update"),
        served.post("/sparql", data=text, content_type=QUERY),
        served.post("/sparql", data={"query": text}),
    ):
        assert (400, "query-refused") == (reply.status_code, kind(reply))


@pytest.mark.parametrize("text", REFUSED)
def test_a_text_that_reaches_outside_the_view_is_refused(served: Served, text: str) -> None:
    assert (400, "query-refused") == ((reply := served.get("/sparql", query=text)).status_code, kind(reply))


def test_a_body_of_another_type_is_unsupported_and_one_that_is_no_text_is_bad(served: Served) -> None:
    assert "unsupported-media-type" == kind(served.post("/sparql", data="ASK {}", content_type="text/plain"))
    assert "unsupported-media-type" == kind(served.post("/sparql", data="ASK {}"))
    assert "bad-body" == kind(served.post("/sparql", data=b"ASK {} # \xff", content_type=QUERY))
    assert "too-large" == kind(served.post("/sparql", data=b"#" * 5_000_000, content_type=QUERY))


def test_a_syntax_error_names_the_line_of_the_callers_own_text(served: Served) -> None:
    assert "2:9" in served.get("/sparql", query="SELECT * {\n ?s ?p }").get_json()["detail"]


def test_methods_are_told(served: Served) -> None:
    client = served.app.test_client()
    whole, head, options = (
        served.get("/sparql", query=NAMES),
        client.head("/sparql", query_string={"query": NAMES}),
        client.options("/sparql"),
    )

    assert (200, b"", whole.headers["ETag"]) == (head.status_code, head.data, head.headers["ETag"])
    assert {"GET", "HEAD", "POST", "OPTIONS"} == set(options.allow)
    for refused in (client.put("/sparql"), client.delete("/sparql"), client.patch("/sparql")):
        assert (405, "no-such-method") == (refused.status_code, kind(refused))
        assert {"GET", "HEAD", "POST", "OPTIONS"} == set(refused.allow)


# -- formats


@pytest.mark.parametrize(
    ("query", "accept", "expected"),
    [
        (NAMES, "", "application/sparql-results+json"),
        (NAMES, "*/*", "application/sparql-results+json"),
        (NAMES, "application/*", "application/sparql-results+json"),
        (NAMES, "application/json", "application/sparql-results+json"),
        (NAMES, "application/sparql-results+xml", "application/sparql-results+xml"),
        (NAMES, "text/xml", "application/sparql-results+xml"),
        (NAMES, "text/csv", "text/csv"),
        (NAMES, "text/*", "text/csv"),
        (NAMES, "text/tab-separated-values, text/csv;q=0.5", "text/tab-separated-values"),
        (NAMES, "text/turtle, text/csv;q=0.1", "text/csv"),
        (NAMES, "application/sparql-results+json;q=0, */*;q=0.1", "application/sparql-results+xml"),
        (TRIPLES, "", "text/turtle"),
        (TRIPLES, "application/n-triples", "application/n-triples"),
        (TRIPLES, "application/ld+json", "application/ld+json"),
        (TRIPLES, "application/json", "application/ld+json"),
        (TRIPLES, "application/rdf+xml", "application/rdf+xml"),
        (TRIPLES, "application/sparql-results+json, application/rdf+xml;q=0.2", "application/rdf+xml"),
        ("ASK {}", "text/csv", "text/csv"),
    ],
)
def test_a_result_comes_in_the_format_that_accept_likes_best(served: Served, query: str, accept: str, expected: str) -> None:
    reply = served.get("/sparql", headers={"Accept": accept} if accept else {}, query=query)

    assert (200, expected) == (reply.status_code, reply.mimetype)


@pytest.mark.parametrize(
    ("query", "accept"), [(NAMES, "text/turtle"), (TRIPLES, "text/csv"), (NAMES, "image/png"), ("ASK {}", "text/html"), ("", "text/csv")]
)
def test_a_format_that_a_kind_of_result_does_not_have_is_not_acceptable(served: Served, query: str, accept: str) -> None:
    reply = served.get("/sparql", headers={"Accept": accept}, **({"query": query} if query else {}))

    assert (406, "not-acceptable") == (reply.status_code, kind(reply))


@pytest.mark.parametrize(
    ("query", "form", "expected"),
    [
        (NAMES, "csv", "text/csv"),
        (NAMES, "text/csv", "text/csv"),
        (NAMES, "xml", "application/sparql-results+xml"),
        (TRIPLES, "xml", "application/rdf+xml"),
        (TRIPLES, "json", "application/ld+json"),
        (TRIPLES, "json-ld", "application/ld+json"),
        (TRIPLES, "n3", "text/turtle"),
        (TRIPLES, "ntriples", "application/n-triples"),
    ],
)
def test_the_parameter_format_counts_more_than_accept(served: Served, query: str, form: str, expected: str) -> None:
    assert expected == served.get("/sparql", headers={"Accept": "application/sparql-results+json"}, query=query, format=form).mimetype


def test_every_format_holds_the_same_result(served: Served) -> None:
    def told(form: str) -> bytes:
        return bytes(served.get("/sparql", query=NAMES, format=form).data)

    solutions = ox.parse_query_results(told("xml"), format=ox.QueryResultsFormat.XML)
    assert isinstance(solutions, ox.QuerySolutions)

    assert ["Cart", "Tax"] == [row["name"] for row in csv.DictReader(io.StringIO(told("csv").decode()))]
    assert b'?name\n"Cart"\n"Tax"\n' == told("tsv")
    assert ["Cart", "Tax"] == [str(row["name"].value) for row in solutions]


def test_a_value_that_xml_cannot_hold_is_not_acceptable_as_xml(served: Served) -> None:
    reply = served.get("/sparql", query='SELECT ("a\\u0001b" AS ?x) {}', format="xml")

    assert (406, "not-acceptable") == (reply.status_code, kind(reply))


# -- the description


@pytest.mark.parametrize("accept", ["", "text/turtle", "application/n-triples", "application/ld+json", "application/rdf+xml"])
def test_without_a_query_the_endpoint_describes_itself(served: Served, accept: str) -> None:
    reply = served.get("/sparql", headers={"Accept": accept} if accept else {})
    form = ox.RdfFormat.from_media_type(str(reply.mimetype))
    found = {(quad.predicate.value.rpartition("#")[2], getattr(quad.object, "value", "")) for quad in ox.parse(reply.data, format=form)}

    assert ("supportedLanguage", "http://www.w3.org/ns/sparql-service-description#SPARQL11Query") in found
    assert ("endpoint", "http://localhost/sparql") in found
    assert 8 == len([value for name, value in found if name == "resultFormat"])


def test_the_description_is_the_same_for_everybody(served: Served) -> None:
    assert served.get("/sparql").data == served.get("/sparql", "finance").data


# -- who asks


def test_the_endpoint_answers_in_the_view_of_the_token(served: Served) -> None:
    question = "ASK { ?s rdfs:label 'Avalon' }"
    basic = {"Authorization": "Basic " + base64.b64encode(f"anyone:{served.tokens['finance']}".encode()).decode()}

    def told(who: str) -> bool:
        return bool(json.loads(served.get("/sparql", who, query=question).data)["boolean"])

    assert (False, True) == (told(""), told("finance"))
    assert json.loads(served.get("/sparql", headers=basic, query=question).data)["boolean"] is True


@pytest.mark.parametrize(
    "header", ["Bearer kg_wrong", "Bearer ", "Basic " + base64.b64encode(b"finance:wrong").decode(), "Digest x=1", "kg_x", "Basic !!!"]
)
def test_a_wrong_token_is_refused_and_never_taken_for_nobody(served: Served, header: str) -> None:
    reply = served.get("/sparql", headers={"Authorization": header}, query="ASK {}")

    assert (401, "bad-token") == (reply.status_code, kind(reply))
    assert {"basic", "bearer"} == {part.split()[0].lower() for part in reply.headers["WWW-Authenticate"].split(", ") if " realm" in part}


def test_the_same_probe_shows_it_to_who_may_see_it(served: Served) -> None:
    assert leaked(served.get("/sparql", "finance", query=PROBES[0]).text)


# -- time


def test_another_day_and_another_knowledge_can_be_asked_about(served: Served) -> None:
    owner = "SELECT ?name { <https://kg.example/id/component/tax> sc:owned_by ?name }"

    assert ["https://kg.example/id/team/platform"] == names(served.get("/sparql", query=owner))
    assert ["https://kg.example/id/team/commerce"] == names(served.get("/sparql", query=owner, valid_at="2023-06-15"))
    assert [] == names(served.get("/sparql", query=owner, recorded_at="2020-01-01"))


# -- limits


def test_a_query_that_runs_too_long_is_ended_and_the_next_one_answered(served: Served) -> None:
    reply = served.get("/sparql", query=ENDLESS, timeout="0.5")

    assert (503, "query-timeout") == (reply.status_code, kind(reply))
    assert "Retry-After" not in reply.headers  # the same query would end so again
    assert ["Cart", "Tax"] == names(served.get("/sparql", query=NAMES))


def test_a_result_that_is_too_large_is_no_matter_of_time(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    with QueryWorkers(workers=1, result_size=1_000_000) as small:
        monkeypatch.setitem(served.app.extensions, WORKERS, small)
        reply = served.get("/sparql", query="SELECT * { ?a ?b ?c . ?d ?e ?f }", timeout="60")

    assert (413, "result-too-large") == (reply.status_code, kind(reply))
    assert "1,000,000 bytes" in reply.get_json()["detail"]


def test_a_timeout_above_the_limit_of_the_server_is_the_limit(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(served.app.config, "QUERY_SECONDS", 0.5)

    assert "query-timeout" == kind(served.get("/sparql", query=ENDLESS, timeout="9999"))


def test_a_query_that_finds_all_places_taken_is_sent_away(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    from kgplatform.web.limits import place

    monkeypatch.setitem(served.app.config, "QUERY_PATIENCE", 0.1)
    with served.app.test_request_context(), place("query"), place("query"), place("query"), place("query"):
        reply = served.get("/sparql", query="ASK {}")

    assert (503, "busy") == (reply.status_code, kind(reply))
    assert reply.headers["Retry-After"]
    assert 200 == served.get("/sparql", query="ASK {}").status_code


# -- keeping


def test_a_result_that_the_caller_has_already_is_not_sent_again(served: Served) -> None:
    first = served.get("/sparql", query=NAMES)
    again = served.get("/sparql", headers={"If-None-Match": first.headers["ETag"]}, query=NAMES)

    assert (304, b"") == (again.status_code, again.data)
    assert ("private, no-cache", {"Accept", "Authorization", "Cookie"}) == (
        first.headers["Cache-Control"],
        set(first.vary.to_header().split(", ")),
    )


def test_what_only_others_see_does_not_change_a_tag(served: Served) -> None:
    """A tag over the state of the ledger would tell that something was read."""
    assert served.get("/sparql", query=NAMES).headers["ETag"] == served.get("/sparql", "finance", query=NAMES).headers["ETag"]
