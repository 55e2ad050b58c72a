"""A store behind HTTP: what connecting proves of a server, and whose credentials go where."""

from __future__ import annotations

import base64
import urllib.parse
from collections.abc import Callable, Iterator

import pytest
from support.gateway import Answer, Gateway, added, at, gateway_before
from support.oxigraph_server import LOOPBACK, Server, free_port, serving

from kgplatform.errors import StoreError, StoreProbeError
from kgplatform.store.probes import PROBES, connect, probe
from kgplatform.store.remote import RemoteStore


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(tmp_path_factory.mktemp("served")) as running:
        yield running


@pytest.fixture
def gateway(server: Server) -> Iterator[Gateway]:
    with gateway_before(server) as running:
        yield running


# -- connecting


def test_a_real_server_passes_every_probe_and_is_left_as_it_was(server: Server, gateway: Gateway) -> None:
    with connect(server.query_url, server.update_url) as store:
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
        connect(f"{url}/query", f"{url}/update")

    assert "\n" not in str(caught.value)
    assert url in str(caught.value)


def test_an_address_that_is_none_is_refused() -> None:
    with pytest.raises(StoreError, match="cannot be reached"):
        connect("not a url", "not a url")


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
