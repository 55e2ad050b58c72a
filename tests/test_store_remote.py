"""A store behind HTTP: what connecting proves, and what is said and done when the wire or the server fails.

Failures are made by a gateway, a real HTTP server between the store and a real `oxigraph serve`.
"""

from __future__ import annotations

import base64
import http.server
import threading
import urllib.parse
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pyoxigraph as ox
import pytest
from oxigraph_server import LOOPBACK, Server, free_port, serving

from kgplatform.config import RemoteAddress
from kgplatform.errors import QueryTimeout, StoreError, StoreProbeError
from kgplatform.model import CompiledQuery
from kgplatform.store.base import Delta, ProjectionState
from kgplatform.store.probes import PROBES, probe
from kgplatform.store.remote import RemoteReader, RemoteStore
from kgplatform.times import MAX, MIN

GRAPH = "https://kg.example/graph/public"
EVERYTHING = CompiledQuery("SELECT ?s ?o { ?s ?p ?o } ORDER BY ?o", ("s", "o"))
Answer = tuple[int, str, bytes]


def at(seq: int) -> ProjectionState:
    return ProjectionState(seq, "derive-1", MIN, MAX)


def quad(value: str) -> ox.Quad:
    return ox.Quad(
        ox.NamedNode("https://kg.example/id/tax"), ox.NamedNode("https://kg.example/said"), ox.Literal(value), ox.NamedNode(GRAPH)
    )


def added(*values: str) -> Delta:
    return Delta(added=frozenset(map(quad, values)))


class Gateway(http.server.ThreadingHTTPServer):
    """Passes requests on to a server; `ask` and `change` may be replaced, and None as an answer cuts the connection."""

    def __init__(self, server: Server) -> None:
        self.server_url = server.url
        self._client = httpx.Client(timeout=20)
        self.headers_seen: list[dict[str, str]] = []
        self.updates_seen = 0
        self.ask: Callable[[bytes, dict[str, str]], Answer | None] = self.passed_query
        self.change: Callable[[bytes, dict[str, str]], Answer | None] = self.passed_update
        super().__init__((LOOPBACK, 0), _Passing)
        threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://{LOOPBACK}:{self.server_port}"

    def store(self, *, timeout: float = 10.0, settling: float = 3.0, user: str = "", password: str = "", token: str = "") -> RemoteStore:
        urls = (f"{self.url}/query", f"{self.url}/update")
        return RemoteStore(*urls, timeout=timeout, settling=settling, user=user, password=password, token=token)

    def connect(self) -> RemoteStore:
        return RemoteStore.connect(f"{self.url}/query", f"{self.url}/update")

    def passed_query(self, body: bytes, headers: dict[str, str]) -> Answer:
        return self._passed("query", body, headers)

    def passed_update(self, body: bytes, headers: dict[str, str]) -> Answer:
        return self._passed("update", body, headers)

    def _passed(self, path: str, body: bytes, headers: dict[str, str]) -> Answer:
        kept = {name: value for name, value in headers.items() if name.lower() in ("content-type", "accept")}
        reply = self._client.post(f"{self.server_url}/{path}", content=body, headers=kept)
        return reply.status_code, reply.headers.get("content-type", ""), reply.content


class _Passing(http.server.BaseHTTPRequestHandler):
    server: Gateway

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        headers = dict(self.headers.items())
        self.server.headers_seen.append(headers)
        if self.path == "/update":
            self.server.updates_seen += 1
            answer = self.server.change(body, headers)
        else:
            answer = self.server.ask(body, headers)
        self.close_connection = True
        if answer is None:
            return
        status, media_type, content = answer
        self.send_response(status)
        self.send_header("Content-Type", media_type)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(tmp_path_factory.mktemp("served")) as running:
        yield running


@pytest.fixture
def gateway(server: Server) -> Iterator[Gateway]:
    """A gateway before an empty server that so far passes everything on."""
    httpx.post(server.update_url, content="DROP ALL", headers={"Content-Type": "application/sparql-update"}).raise_for_status()
    running = Gateway(server)
    yield running
    running.shutdown()
    running.server_close()


# -- connecting


def test_a_real_server_passes_every_probe_and_is_left_as_it_was(server: Server, gateway: Gateway) -> None:
    with RemoteStore.connect(server.query_url, server.update_url) as store:
        assert [(name, True, "") for name, _ in PROBES] == [(r.name, r.passed, r.detail) for r in probe(store)]
        assert frozenset() == store.graph_names()
        assert store.state() is None


def without_dataset(body: bytes) -> bytes:
    return urllib.parse.urlencode([(k, v) for k, v in urllib.parse.parse_qsl(body.decode()) if k == "query"]).encode()


def union_of_all(body: bytes) -> bytes:
    return urllib.parse.urlencode([*urllib.parse.parse_qsl(without_dataset(body).decode()), ("union-default-graph", "")]).encode()


def named_as_default(body: bytes) -> bytes:
    return body.replace(b"named-graph-uri", b"default-graph-uri")


@pytest.mark.parametrize("changed", [without_dataset, union_of_all, named_as_default])
def test_a_server_that_mistakes_the_dataset_is_refused(gateway: Gateway, changed: Callable[[bytes], bytes]) -> None:
    gateway.ask = lambda body, headers: gateway.passed_query(changed(body), headers)

    with pytest.raises(StoreProbeError, match="dataset isolation"):
        gateway.connect()


def test_a_server_that_applies_a_request_in_part_is_refused(gateway: Gateway) -> None:
    def one_by_one(body: bytes, headers: dict[str, str]) -> Answer:
        answers = [gateway.passed_update(part, headers) for part in body.split(b";\n")]
        return answers[-1]

    gateway.change = one_by_one
    with pytest.raises(StoreProbeError, match="multi-operation rollback.*in part"):
        gateway.connect()


REWRITTEN = {
    "an instant's zone": (b"T00:00:00Z", b"T01:00:00+01:00"),
    "a language": (b"@he", b"@en"),
    "a dropped language": (b"@fr", b""),
    "a line end": (b"\\r\\n", b"\\n"),
    "the form of an umlaut": ("ü".encode(), "u\u0308".encode()),
    "four bytes as a question mark": ("🦉".encode(), b"?"),
}


@pytest.mark.parametrize(("kept", "made"), REWRITTEN.values(), ids=REWRITTEN)
def test_a_server_that_rewrites_literals_is_refused(gateway: Gateway, kept: bytes, made: bytes) -> None:
    gateway.change = lambda body, headers: gateway.passed_update(body.replace(kept, made), headers)

    with pytest.raises(StoreProbeError, match="literal round trip.*changed"):
        gateway.connect()


def test_a_server_that_counts_a_triple_twice_is_refused(gateway: Gateway) -> None:
    def doubled(body: bytes, headers: dict[str, str]) -> Answer:
        status, media_type, content = gateway.passed_query(body, headers)
        return status, media_type, content.replace(b'"value":"1","datatype"', b'"value":"2","datatype"') if b"COUNT" in body else content

    gateway.ask = doubled
    with pytest.raises(StoreProbeError, match="duplicate counting"):
        gateway.connect()


@pytest.mark.parametrize("changed", [without_dataset, named_as_default])
def test_a_failed_probe_leaves_nothing_behind(server: Server, gateway: Gateway, changed: Callable[[bytes], bytes]) -> None:
    gateway.ask = lambda body, headers: gateway.passed_query(changed(body), headers)
    with pytest.raises(StoreProbeError):
        gateway.connect()

    with RemoteStore(server.query_url, server.update_url) as store:
        assert frozenset() == store.graph_names()


def test_nobody_at_the_address_is_one_clear_line() -> None:
    url = f"http://{LOOPBACK}:{free_port()}"
    with pytest.raises(StoreError, match="cannot be reached.*is it running") as caught:
        RemoteStore.connect(f"{url}/query", f"{url}/update")

    assert "\n" not in str(caught.value)
    assert url in str(caught.value)


def test_an_address_that_is_none_is_refused() -> None:
    with pytest.raises(StoreError, match="cannot be reached"):
        RemoteStore.connect("not a url", "not a url")


def test_a_wrong_path_says_to_check_the_url(server: Server) -> None:
    with RemoteStore(f"{server.url}/nothing", f"{server.url}/nothing") as store, pytest.raises(StoreError, match="404.*check the query"):
        store.state()


# -- credentials


def test_basic_credentials_go_with_every_request(gateway: Gateway) -> None:
    with gateway.store(user="kg", password="pass:word") as store:
        store.apply(added("Tax"), at(1))
        store.state()

    sent = "Basic " + base64.b64encode(b"kg:pass:word").decode()
    assert {sent} == {headers.get("Authorization") or headers.get("authorization") for headers in gateway.headers_seen}


def test_a_bearer_token_goes_with_every_request(gateway: Gateway) -> None:
    with gateway.store(token="t0ken") as store:
        store.apply(added("Tax"), at(1))
        store.state()

    assert {"Bearer t0ken"} == {headers.get("Authorization") or headers.get("authorization") for headers in gateway.headers_seen}


@pytest.mark.parametrize("status", [401, 403])
def test_refused_credentials_are_said_to_be_refused_and_never_shown(gateway: Gateway, status: int) -> None:
    gateway.ask = gateway.change = lambda body, headers: (status, "text/plain", b"no")
    with gateway.store(user="kg", password="hush") as store:
        for act in (store.state, lambda: store.apply(added("Tax"), at(1))):
            with pytest.raises(StoreError, match="refused the credentials") as caught:
                act()
            assert "hush" not in str(caught.value)


def test_a_redirect_is_not_followed(gateway: Gateway) -> None:
    gateway.ask = lambda body, headers: (307, "text/plain", b"")
    with gateway.store(token="t0ken") as store, pytest.raises(StoreError, match="307"):
        store.state()

    assert 1 == len(gateway.headers_seen)


# -- updates whose answer is lost


def test_an_update_that_was_applied_but_not_answered_is_found_applied_and_not_sent_again(gateway: Gateway) -> None:
    def swallowed(body: bytes, headers: dict[str, str]) -> None:
        gateway.passed_update(body, headers)

    gateway.change = swallowed
    with gateway.store() as store:
        store.apply(added("Tax"), at(1))

        assert at(1) == store.state()
        assert 1 == gateway.updates_seen


def test_an_update_that_was_applied_but_answered_with_an_error_is_found_applied(gateway: Gateway) -> None:
    def failing(body: bytes, headers: dict[str, str]) -> Answer:
        gateway.passed_update(body, headers)
        return 503, "text/plain", b"overloaded"

    gateway.change = failing
    with gateway.store() as store:
        store.apply(added("Tax"), at(1))

        assert at(1) == store.state()
        assert 1 == gateway.updates_seen


def test_an_update_that_is_applied_late_is_waited_for(gateway: Gateway) -> None:
    def late(body: bytes, headers: dict[str, str]) -> None:
        threading.Timer(0.7, gateway.passed_update, (body, headers)).start()

    gateway.change = late
    with gateway.store() as store:
        store.apply(added("Tax"), at(1))

        assert at(1) == store.state()


def test_a_lost_update_of_the_same_sequence_number_is_not_taken_for_applied(gateway: Gateway) -> None:
    with gateway.store(settling=0.3) as store:
        store.apply(added("Tax"), at(1))
        gateway.change = lambda body, headers: None
        with pytest.raises(StoreError, match="not known whether an update was applied.*run this again"):
            store.apply(added("Cart"), at(1))

        assert ["Tax"] == [row["o"].value for row in store.select(EVERYTHING, default_graphs=[GRAPH])]
        assert 2 == gateway.updates_seen


def test_an_update_that_the_server_refuses_is_not_waited_for(gateway: Gateway) -> None:
    gateway.change = lambda body, headers: (413, "text/plain", b"too large")
    with gateway.store(settling=60) as store, pytest.raises(StoreError, match="413.*too large"):
        store.apply(added("Tax"), at(1))


def test_a_load_that_is_cut_short_leaves_no_state_and_can_be_done_again(gateway: Gateway, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kgplatform.store.remote._BATCH", 10)

    def failing_at_the_third(body: bytes, headers: dict[str, str]) -> Answer | None:
        return gateway.passed_update(body, headers) if gateway.updates_seen < 4 else None

    with gateway.store(settling=0.2) as store:
        store.apply(added("Tax"), at(1))
        gateway.change = failing_at_the_third
        with pytest.raises(StoreError):
            store.load([quad(f"v{n:02}") for n in range(50)], at(2))
        assert store.state() is None

        gateway.change = gateway.passed_update
        store.load([quad(f"v{n:02}") for n in range(50)], at(2))
        assert at(2) == store.state()
        assert [f"v{n:02}" for n in range(50)] == [row["o"].value for row in store.select(EVERYTHING, default_graphs=[GRAPH])]


# -- reading


def test_a_read_that_takes_too_long_is_a_timeout(gateway: Gateway) -> None:
    waiting = threading.Event()

    def never(body: bytes, headers: dict[str, str]) -> None:
        waiting.wait(5)

    gateway.ask = never
    with gateway.store(timeout=0.3) as store, pytest.raises(QueryTimeout, match="in time"):
        store.state()
    waiting.set()


@pytest.mark.parametrize(
    "spoilt",
    [
        lambda content: content[: len(content) // 2],
        lambda content: content[:-40] + b"The query has been cancelled because of a timeout",
        lambda content: b"",
        lambda content: b"<html>Bad gateway</html>",
    ],
    ids=["cut", "error text spliced in", "empty", "a page"],
)
def test_an_answer_that_broke_off_is_an_error_and_never_fewer_rows(gateway: Gateway, spoilt: Callable[[bytes], bytes]) -> None:
    with gateway.store() as store:
        store.apply(added(*(f"v{n}" for n in range(50))), at(1))

        def broken(body: bytes, headers: dict[str, str]) -> Answer:
            status, media_type, content = gateway.passed_query(body, headers)
            return status, media_type, spoilt(content)

        gateway.ask = broken
        with pytest.raises(StoreError, match="broke off"):
            store.select(EVERYTHING, default_graphs=[GRAPH])
        with pytest.raises(StoreError, match="broke off"):
            store.query("SELECT ?o { ?s ?p ?o }", default_graphs=[GRAPH])


def test_a_page_instead_of_results_is_said_to_be_one(gateway: Gateway) -> None:
    gateway.ask = lambda body, headers: (200, "text/html", b"<html>Welcome</html>")
    with gateway.store() as store, pytest.raises(StoreError, match="text/html"):
        store.state()


# -- whose dataset it is


def test_a_dataset_that_somebody_else_filled_is_not_emptied_by_a_load(server: Server, gateway: Gateway) -> None:
    with gateway.store() as store:
        store.send("INSERT DATA { GRAPH <https://other.example/g> { <https://other.example/a> <https://other.example/b> 1 } }")
        with pytest.raises(StoreError, match="no projection.*dataset of its own"):
            store.load([quad("Tax")], at(1))

        assert {"https://other.example/g"} == store.graph_names()


def test_a_remote_store_says_that_it_has_no_checkpoints(gateway: Gateway, tmp_path: Path) -> None:
    with gateway.store() as store, pytest.raises(StoreError, match="no checkpoints"):
        store.checkpoint(tmp_path / "point")


# -- reading beside a writer


def test_an_answer_around_which_a_commit_happened_is_asked_for_again(gateway: Gateway) -> None:
    address = RemoteAddress(f"{gateway.url}/query", f"{gateway.url}/update")
    with gateway.store() as writer, RemoteReader.at(address) as reader:
        writer.load([quad("one")], at(1))
        asked: list[bytes] = []

        def committing(body: bytes, headers: dict[str, str]) -> Answer:
            if b"ORDER" not in body:
                return gateway.passed_query(body, headers)
            asked.append(body)
            answer = gateway.passed_query(body, headers)
            if 1 == len(asked):
                writer.apply(added("two"), at(2))
            return answer

        gateway.ask = committing
        found = [row["o"].value for row in reader.select(EVERYTHING, default_graphs=[GRAPH])]

    assert (["one", "two"], 2) == (found, len(asked))
