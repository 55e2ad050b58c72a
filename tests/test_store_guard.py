"""Callers' own SPARQL: what is refused before anything runs, and what a leak probe gets to see."""

from __future__ import annotations

import contextlib
import http.server
import threading
from collections.abc import Iterator
from typing import cast

import pyoxigraph as ox
import pytest
from support.oxigraph_server import LOOPBACK, Server, serving

from kgplatform.errors import QueryRefused, QuerySyntaxError
from kgplatform.store.base import GraphStore, ProjectionState
from kgplatform.store.guard import MAX_CHARACTERS, checked_text, portable_text
from kgplatform.store.oxigraph import OxigraphStore
from kgplatform.store.remote import RemoteStore
from kgplatform.times import MAX, MIN

MINE, HIDDEN = "https://kg.example/graph/mine", "https://kg.example/graph/hidden"
SUBJECT = "<https://kg.example/id/tax>"
SAID, NEXT = "<https://kg.example/said>", "<https://kg.example/next>"


class Listener:
    """A web server on loopback that counts who calls."""

    def __init__(self) -> None:
        self.calls: list[str] = []
        calls = self.calls

        class Counting(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                calls.append(self.path)
                self.send_response(500)
                self.end_headers()

            do_POST = do_GET

            def log_message(self, format: str, *args: object) -> None:
                pass

        self._server = http.server.ThreadingHTTPServer((LOOPBACK, 0), Counting)
        self.url = f"http://{LOOPBACK}:{self._server.server_port}/x"
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture(scope="module")
def listener() -> Iterator[Listener]:
    running = Listener()
    yield running
    running.close()


# -- SERVICE: each of these reaches the listener when the engine is given the text as it is (the first test shows it)

SERVICE_TEXTS = {
    "plain": "ASK { SERVICE <URL> { ?s ?p ?o } }",
    "silent": "ASK { SERVICE SILENT <URL> { ?s ?p ?o } }",
    "lower case": "ASK { service <URL> { ?s ?p ?o } }",
    "mixed case": "ASK { sErViCe <URL> { ?s ?p ?o } }",
    "no space": "ASK{SERVICE<URL>{?s ?p ?o}}",
    "empty prefix": "PREFIX : <URL> ASK { SERVICE: { ?s ?p ?o } }",
    "glued to a prefix": "PREFIX s: <URL> ASK { SERVICEs: { ?s ?p ?o } }",
    "after a number": "ASK { VALUES ?x { 1 } FILTER(?x = 1)SERVICE<URL>{ ?s ?p ?o } }",
    "after a full stop": "ASK { VALUES ?x { 1 }.SERVICE<URL>{ ?s ?p ?o } }",
    "after a bracket": "ASK { { SELECT * { VALUES ?x { 1 } } }SERVICE<URL>{ ?s ?p ?o } }",
    "after a comment": "ASK { # SERVICE\n SERVICE <URL> { ?s ?p ?o } }",
    "after a comment that ends in a carriage return": "ASK { # x\r SERVICE <URL> { ?s ?p ?o }\n }",
    "in what could be a long string": 'ASK { VALUES (?a ?b) { (1 2) } FILTER(?a<?b#>"""\n) SERVICE <URL> { ?s ?p ?o } #"""\n}',
    "behind a string with an escaped quote": 'ASK { BIND("\\u0022 AS ?x) #" AS ?x) SERVICE <URL> { ?s ?p ?o }\n }',
    "by a variable": "ASK { VALUES ?e { <URL> } LATERAL { SERVICE ?e { ?s ?p ?o } } }",
    "in EXISTS": "ASK { VALUES ?x { 1 } FILTER EXISTS { SERVICE <URL> { ?s ?p ?o } } }",
    "in a sub-select": "ASK { { SELECT * { SERVICE <URL> { ?s ?p ?o } } } }",
    "in OPTIONAL": "ASK { VALUES ?x { 1 } OPTIONAL { SERVICE <URL> { ?s ?p ?o } } FILTER(BOUND(?s)) }",
    "in MINUS": "ASK { VALUES ?s { 1 } MINUS { SERVICE <URL> { ?s ?p ?o } } }",
    "in UNION": "ASK { { VALUES ?x { 1 } FILTER(false) } UNION { SERVICE <URL> { ?s ?p ?o } } }",
    "in LATERAL": "ASK { VALUES ?x { 1 } LATERAL { SERVICE <URL> { ?s ?p ?o } } }",
}


@pytest.mark.parametrize("text", SERVICE_TEXTS.values(), ids=SERVICE_TEXTS)
def test_service_in_every_disguise_is_refused_and_calls_nobody(text: str, listener: Listener) -> None:
    disguised = text.replace("URL", listener.url)
    listener.calls.clear()
    with contextlib.suppress(OSError):
        bool(ox.Store().query(disguised))
    assert listener.calls, "the disguise is no longer one: the engine reads this text otherwise now"

    listener.calls.clear()
    with pytest.raises(QueryRefused, match="SERVICE"):
        checked_text(disguised)
    assert [] == listener.calls


@pytest.mark.parametrize(
    "text",
    [
        "ASK { \\u0053ERVICE <URL> { ?s ?p ?o } }",
        "ASK { SERVIC\\u0045 <URL> { ?s ?p ?o } }",
        "ASK { \\U00000053ERVICE <URL> { ?s ?p ?o } }",
        "SELECT * FRO\\u004D <URL> { ?s ?p ?o }",
    ],
)
def test_a_keyword_with_unicode_escapes_is_no_keyword(text: str, listener: Listener) -> None:
    listener.calls.clear()
    with pytest.raises(QuerySyntaxError):
        checked_text(text.replace("URL", listener.url))
    assert [] == listener.calls


@pytest.mark.parametrize(
    "expected, text",
    [
        ("a service", "SELECT (?service AS ?x) { VALUES ?service { 'a service' } }"),
        ("Service", "SELECT ?x { VALUES ?x { 'Service' } }"),
        ("\\service", "SELECT ?x { VALUES ?x { '\\\\service' } }"),
        ("self-service\nfrom SERVICE", "SELECT ?x { VALUES ?x { '''self-service\nfrom SERVICE''' } }"),
        ("https://x.example/service", "SELECT ?x { VALUES ?x { <https://x.example/service> } }"),
        ("https://x.example/service", "PREFIX ex: <https://x.example/> SELECT ?x { VALUES ?x { ex:service } }"),
        ("https://x.example/from-service", "PREFIX ex: <https://x.example/> SELECT ?x { VALUES ?x { ex:from-service } } # FROM a SERVICE"),
    ],
)
def test_the_words_service_and_from_keep_their_meaning_in_strings_iris_names_and_comments(expected: str, text: str) -> None:
    with OxigraphStore.memory() as store:
        assert [{"x": expected}] == store.query(text).table()


# -- datasets, updates, syntax


@pytest.mark.parametrize(
    "text",
    [
        f"SELECT * FROM <{HIDDEN}> WHERE {{ ?s ?p ?o }}",
        f"SELECT * FROM NAMED <{HIDDEN}> WHERE {{ GRAPH ?g {{ ?s ?p ?o }} }}",
        f"ASK from<{HIDDEN}>{{ ?s ?p ?o }}",
        f"CONSTRUCT {{ ?s ?p ?o }} FROM <{HIDDEN}> WHERE {{ ?s ?p ?o }}",
        f"DESCRIBE {SUBJECT} FROM <{HIDDEN}>",
        f"PREFIX m: <{HIDDEN}> SELECT*FROMm:{{ ?s ?p ?o }}",
    ],
)
def test_dataset_clauses_are_refused_and_the_default_dataset_is_named_instead(text: str) -> None:
    with pytest.raises(QueryRefused, match="FROM .*default dataset"):
        checked_text(text)


@pytest.mark.parametrize(
    "text",
    [
        "INSERT DATA { <x:a> <x:b> <x:c> }",
        "DELETE DATA { <x:a> <x:b> <x:c> }",
        "DELETE WHERE { ?s ?p ?o }",
        "WITH <x:g> DELETE { ?s ?p ?o } INSERT { ?o ?p ?s } WHERE { ?s ?p ?o }",
        "LOAD <URL>",
        "LOAD SILENT <URL> INTO GRAPH <x:g>",
        "CLEAR ALL",
        "DROP ALL",
        "CREATE GRAPH <x:g>",
        "COPY DEFAULT TO <x:g>",
        "MOVE <x:g> TO DEFAULT",
        "ADD <x:g> TO DEFAULT",
        "PREFIX x: <x:> INSERT DATA { x:a x:b x:c } ; DROP ALL",
    ],
)
def test_every_update_is_refused_as_one(text: str, listener: Listener) -> None:
    listener.calls.clear()
    with pytest.raises(QueryRefused, match="read-only"):
        checked_text(text.replace("URL", listener.url))
    assert [] == listener.calls


@pytest.mark.parametrize("text", ["", " ", "SELECT", "SELECT * { ?s ?p }", "ASK { ?s ?p ?o } ; DROP ALL", "hello", "\ud800"])
def test_what_does_not_parse_is_a_syntax_error_of_one_short_line(text: str) -> None:
    with pytest.raises(QuerySyntaxError) as caught:
        checked_text(text)

    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 300


def test_a_text_of_endless_length_is_refused() -> None:
    with pytest.raises(QueryRefused, match="characters"):
        checked_text("ASK {}" + " " * MAX_CHARACTERS)


def test_checking_evaluates_nothing() -> None:
    rows = " ".join(str(n) for n in range(1000))
    endless = " ".join(f"VALUES ?v{n} {{ {rows} }}" for n in range(6))

    assert checked_text(f"ASK {{ {endless} FILTER(?v0 + ?v5 < 0) }}")


# -- leak probes, on the embedded engine and on a real server


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(tmp_path_factory.mktemp("served")) as running:
        yield running


def _quads() -> list[ox.Quad]:
    text = f"""<{MINE}> {{ {SUBJECT} {SAID} "mine" ; {NEXT} <https://kg.example/id/cart> }}
               <{HIDDEN}> {{ {SUBJECT} {SAID} "secret" . <https://kg.example/id/cart> {NEXT} <https://kg.example/id/secret> }}"""
    return list(ox.parse(text, format=ox.RdfFormat.TRIG))


@pytest.fixture(scope="module", params=["memory", "server"])
def store(request: pytest.FixtureRequest) -> Iterator[GraphStore]:
    state = ProjectionState(1, "derive-1", MIN, MAX)
    if request.param == "memory":
        with OxigraphStore.memory() as embedded:
            embedded.load(_quads(), state)
            yield embedded
        return
    running = cast(Server, request.getfixturevalue("server"))
    with RemoteStore(running.query_url, running.update_url) as remote:
        remote.load(_quads(), state)
        yield remote


LEAK_PROBES = {
    "GRAPH ?g": ("SELECT * { GRAPH ?g { ?s ?p ?o } }", []),
    "GRAPH ?g without triples": ("SELECT * { GRAPH ?g {} }", []),
    "GRAPH by name": (f"SELECT ?o {{ GRAPH <{HIDDEN}> {{ ?s ?p ?o }} }}", []),
    "one's own graph by name": (f"SELECT ?o {{ GRAPH <{MINE}> {{ ?s ?p ?o }} }}", []),
    "the state": ("SELECT ?o { GRAPH <https://w3id.org/kgplatform/core#state> { ?s ?p ?o } }", []),
    "GRAPH in a path": (f"SELECT ?o {{ GRAPH ?g {{ {SUBJECT} ({NEXT}|!{NEXT})+ ?o }} }}", []),
    "p*": (f"SELECT ?o {{ {SUBJECT} {NEXT}* ?o }} ORDER BY ?o", ["https://kg.example/id/cart", "https://kg.example/id/tax"]),
    "p* between variables": (f"SELECT (COUNT(*) AS ?o) {{ ?s {NEXT}* ?x FILTER(CONTAINS(STR(?x), 'secret')) }}", ["0"]),
    "negated path": (f"SELECT ?o {{ {SUBJECT} !{NEXT} ?o }}", ["mine"]),
    "EXISTS": (f"SELECT ?o {{ VALUES ?o {{ 1 }} FILTER EXISTS {{ GRAPH ?g {{ {SUBJECT} {SAID} 'secret' }} }} }}", []),
    "NOT EXISTS": (f"SELECT ?o {{ VALUES ?o {{ 1 }} FILTER NOT EXISTS {{ GRAPH ?g {{ ?s ?p 'secret' }} {SUBJECT} {SAID} ?z }} }}", ["1"]),
    "sub-SELECT count": ("SELECT ?o { { SELECT (COUNT(*) AS ?o) { { ?s ?p ?x } UNION { GRAPH ?g { ?s ?p ?x } } } } }", ["2"]),
    "count of graphs": ("SELECT (COUNT(DISTINCT ?g) AS ?o) { GRAPH ?g { ?s ?p ?x } }", ["0"]),
    "VALUES over graph names": (f"SELECT ?o {{ VALUES ?g {{ <{HIDDEN}> <{MINE}> }} GRAPH ?g {{ ?s ?p ?o }} }}", []),
    "MINUS": (f"SELECT ?o {{ {SUBJECT} {SAID} ?o MINUS {{ GRAPH <{HIDDEN}> {{ {SUBJECT} ?p ?x }} }} }}", ["mine"]),
    "OPTIONAL": (f"SELECT ?o {{ {SUBJECT} {SAID} ?m OPTIONAL {{ GRAPH ?g {{ {SUBJECT} {SAID} ?o }} }} }}", [""]),
    "an IRI made at run time": (f"SELECT ?o {{ BIND(IRI(CONCAT('{HIDDEN[:-1]}', 'n')) AS ?g) GRAPH ?g {{ ?s ?p ?o }} }}", []),
    "everything": (f"SELECT ?o {{ ?s {SAID} ?o }}", ["mine"]),
}


@pytest.mark.parametrize("text, expected", LEAK_PROBES.values(), ids=LEAK_PROBES)
def test_a_leak_probe_sees_the_caller_s_default_graph_alone(store: GraphStore, text: str, expected: list[str]) -> None:
    assert expected == [row.get("o", "") for row in store.query(text, default_graphs=[MINE]).table()]


@pytest.mark.parametrize(
    "text",
    [
        f"DESCRIBE {SUBJECT}",
        f"DESCRIBE ?s {{ ?s {SAID} ?o }}",
        "DESCRIBE <https://kg.example/id/cart>",
        f"DESCRIBE <{HIDDEN}>",
        "CONSTRUCT { ?s ?p ?o } WHERE { { ?s ?p ?o } UNION { GRAPH ?g { ?s ?p ?o } } }",
        "CONSTRUCT { ?g ?p ?o } WHERE { GRAPH ?g { ?s ?p ?o } }",
        f"CONSTRUCT WHERE {{ {SUBJECT} ?p ?o }}",
    ],
)
def test_described_and_constructed_triples_hold_nothing_hidden(store: GraphStore, text: str) -> None:
    seen = store.query(text, default_graphs=[MINE]).serialised("ntriples").decode()

    assert "secret" not in seen
    assert "graph/" not in seen


# -- what goes to another engine


@pytest.mark.parametrize(
    "text",
    [
        "SELECT * { ?s ?p '\\u0053ERVICE' }",
        "ASK { # x\r ?s ?p 'service' }",
        "ASK { VALUES (?a ?b) { (1 2) } FILTER(?a<?b#>'''service\n) }",
    ],
)
def test_a_text_that_two_engines_could_read_differently_is_not_sent(text: str) -> None:
    with pytest.raises((QueryRefused, QuerySyntaxError)):
        portable_text(text)


def test_a_plain_text_is_sent_as_it_is() -> None:
    text = "SELECT * { ?s a <https://x.example/service> ; ?p 'a service' FILTER(?a < ?b) }"

    assert text == portable_text(text)


def test_a_prefix_that_contains_the_word_is_told_to_be_renamed() -> None:
    with pytest.raises(QueryRefused) as caught:
        checked_text("PREFIX service: <x:> SELECT * { ?s service:x ?o }")

    assert "renamed" in caught.value.hint
