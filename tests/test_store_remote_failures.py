"""A store behind HTTP: what is said and done when the wire or the server fails, and beside a writer."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from support.gateway import EVERYTHING, GRAPH, Answer, Gateway, added, at, gateway_before, quad
from support.oxigraph_server import Server, serving

from kgplatform.errors import QueryTimeout, StoreError
from kgplatform.settings.load import RemoteAddress
from kgplatform.store.remote import RemoteReader


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(tmp_path_factory.mktemp("served")) as running:
        yield running


@pytest.fixture
def gateway(server: Server) -> Iterator[Gateway]:
    with gateway_before(server) as running:
        yield running


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
