"""The projection in a remote store: the sample world through the command line, held by a real `oxigraph serve`."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx
import pyoxigraph as ox
import pytest
from support.commandline import done, kg
from support.oxigraph_server import Server, serving
from test_leaks import HIDDEN, PROBES

from kgplatform.errors import StoreError
from kgplatform.packs.folders import sample_data
from kgplatform.query.prefixes import prologue
from kgplatform.settings.load import load_settings
from kgplatform.store.base import STATE_GRAPH, GraphStore
from kgplatform.store.opening import open_readable
from kgplatform.store.remote import RemoteStore
from kgplatform.store.workers import QueryWorkers
from kgplatform.terms import KG
from kgplatform.views.opening import open_view
from kgplatform.writing.writer import Writer

EVERYTHING = "SELECT * { GRAPH ?g { ?s ?p ?o } }"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(tmp_path_factory.mktemp("served")) as running:
        yield running


def changed(server: Server, text: str) -> None:
    httpx.post(server.update_url, content=text, headers={"Content-Type": "application/sparql-update"}).raise_for_status()


def point_to(data: Path, server: Server) -> None:
    """Append the table `[store]` to the settings of a data directory."""
    with (data / "kgplatform.toml").open("a", encoding="utf-8") as file:
        file.write(f'\n[store]\nquery_url = "{server.query_url}"\nupdate_url = "{server.update_url}"\n')


@pytest.fixture
def remote_world(own_world: Path, server: Server) -> Path:
    """The sample world in a directory whose projection is in an empty server."""
    changed(server, "DROP ALL")
    point_to(own_world, server)
    return own_world


def labels(question: str, *options: str) -> list[str]:
    answer = done("ask", question, "--json", *options).json
    assert "answered" == answer["outcome"] and answer["citations"]
    return sorted(row["label"] for row in answer["answers"])


def quads(store: GraphStore) -> set[ox.Quad]:
    return set(store.quads(store.graph_names()))


def held(server: Server) -> set[ox.Quad]:
    with RemoteStore(server.query_url, server.update_url) as store:
        return quads(store)


def checkpointed(data: Path) -> set[ox.Quad]:
    store = open_readable(max((data / "checkpoints").iterdir(), key=lambda path: int(path.name)))
    try:
        return quads(store)
    finally:
        store.close()


# -- the sample world


def test_a_world_that_is_read_into_a_server_is_the_embedded_one_quad_for_quad(
    world: Path, server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    changed(server, "DROP ALL")
    settings = tmp_path / "settings"
    shutil.copytree(sample_data(), settings)
    point_to(settings, server)
    data = tmp_path / "kgdata"
    monkeypatch.setenv("KGPLATFORM_DATA", str(data))

    done("--config", settings / "kgplatform.toml", "init")
    done("principal", "add", "finance", "--scope", "finance")
    done("ingest", sample_data())

    assert checkpointed(world) == held(server)
    assert not (data / "store").exists() and not (data / "checkpoints").exists()
    assert 0 == done("ingest", sample_data(), "--json").json["claims_new"]


@pytest.mark.parametrize(
    ("question", "options", "public", "finance"),
    [
        ("What depends on Tax?", (), ["Checkout", "Invoice"], ["Checkout", "Invoice"]),
        ("Who owns Invoice?", (), ["Commerce"], ["Avalon"]),
        ("Who owns Tax?", ("--valid-at", "2023-06-15"), ["Commerce"], ["Commerce"]),
    ],
)
def test_a_question_is_answered_from_the_server(
    remote_world: Path, question: str, options: tuple[str, ...], public: list[str], finance: list[str]
) -> None:
    assert public == labels(question, *options)
    assert finance == labels(question, *options, "--as", "finance")


@pytest.mark.parametrize(
    "options",
    [
        (),
        pytest.param(("--dataset", "full"), marks=pytest.mark.long),
        ("--valid-at", "2023-06-15"),
        pytest.param(("--recorded-at", "2025-11-01"), marks=pytest.mark.long),
    ],
)
def test_every_read_gives_what_the_embedded_store_gives(world: Path, own_world: Path, server: Server, options: tuple[str, ...]) -> None:
    changed(server, "DROP ALL")
    point_to(own_world, server)
    query = "SELECT ?s ?p ?o { ?s ?p ?o } ORDER BY ?s ?p ?o LIMIT 20000"

    for name in ("", "finance"):
        said = [done("sparql", query, *options, "--as", name, "--json", "--data", data).out for data in (world, own_world)]
        assert said[0] == said[1] and 1_000 < len(said[0])
    for command in (("search", "tax"), ("entity", "Tax"), ("export",)):
        assert done(*command, "--data", world).out == done(*command).out


def test_no_graph_of_the_server_shows_by_name(remote_world: Path) -> None:
    for name in ("", "finance"):
        for dataset in ("facts", "full"):
            assert [] == done("sparql", EVERYTHING, "--dataset", dataset, "--as", name, "--json").json["results"]["bindings"]


def test_a_probe_shows_the_public_nothing_that_is_hidden(remote_world: Path) -> None:
    with QueryWorkers(workers=1) as workers, open_view(load_settings(remote_world), workers=workers) as view:
        for probe in PROBES:
            for dataset in ("facts", "full"):
                result = view.query(prologue(view.schema) + probe, dataset=dataset)
                said = result.serialised("turtle" if result.kind == "triples" else "json").decode()
                assert not [word for word in HIDDEN if word in said], probe


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("SELECT * { SERVICE <http://localhost/> { ?s ?p ?o } }", "SERVICE"),
        ("SELECT * FROM <https://kg.example/x> { ?s ?p ?o }", "FROM"),
        ("DROP ALL", "updates are not allowed"),
        ("ASK { ?s ?p '\\u0041' }", "escapes"),
        ("ASK " + "{ " * 1_500 + "?s ?p ?o " + "} " * 1_500, "nested too deeply"),
    ],
)
def test_what_an_embedded_store_refuses_is_never_sent(remote_world: Path, server: Server, query: str, said: str) -> None:
    refusal = kg("sparql", query)

    assert 1 == refusal.code and said in refusal.err and 1 == len(refusal.err.splitlines())
    assert server.running.poll() is None and held(server)


def test_an_erased_document_is_out_of_every_answer_and_the_receipt_does_not_say_purged(remote_world: Path, server: Server) -> None:
    assert ["Avalon"] == labels("Who owns Invoice?", "--as", "finance")
    receipt = done("erase", "finance/avalon.md", "--yes", "--json").json

    assert ("erased", [], server.query_url) == (receipt["state"], receipt["found"], receipt["out_of_reach"])
    assert 0 < receipt["strings"] and 0 < receipt["files_scanned"]
    assert ["Commerce"] == labels("Who owns Invoice?", "--as", "finance")
    assert not [quad for quad in held(server) if "Avalon" in str(quad)]


@pytest.mark.long
def test_an_erasure_says_what_is_out_of_reach(remote_world: Path, server: Server) -> None:
    said = done("erase", "memos/kim.md", "--yes").out

    assert "purged memos/kim.md" not in said
    assert f"the remote store {server.query_url} are out of reach" in said


# -- what changes beside it


def cut_short(server: Server) -> None:
    """Leave the store as a load does that was ended half-way: its state taken away, a mark of whose it is in its place."""
    changed(server, f"DROP GRAPH {STATE_GRAPH}; INSERT DATA {{ GRAPH {STATE_GRAPH} {{ {STATE_GRAPH} a {ox.NamedNode(KG.Projection)} }} }}")


@pytest.mark.long
def test_a_server_that_lost_its_content_is_filled_again_by_the_next_reader(remote_world: Path, server: Server) -> None:
    assert ["Commerce"] == labels("Who owns Invoice?")
    whole = held(server)
    changed(server, f"DROP GRAPH {min(str(quad.graph_name) for quad in whole)}")
    cut_short(server)

    assert ["Commerce"] == labels("Who owns Invoice?")
    assert whole == held(server)


def test_a_fact_past_its_boundary_is_not_served(remote_world: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KGPLATFORM_NOW", "2023-06-15")
    assert ["Commerce"] == labels("Who owns Tax?")
    monkeypatch.setenv("KGPLATFORM_NOW", "2025-11-01")
    assert ["Platform"] == labels("Who owns Tax?")


def test_a_reader_beside_a_writer_is_served_the_last_commit_or_derives_its_own(remote_world: Path, server: Server) -> None:
    with Writer.open(load_settings(remote_world)) as writer:
        assert ["Commerce"] == labels("Who owns Invoice?")
        cut_short(server)
        assert ["Commerce"] == labels("Who owns Invoice?")
        writer.projection.rebuild()


def test_an_answer_from_amid_a_load_is_given_to_nobody(remote_world: Path, server: Server) -> None:
    with open_view(load_settings(remote_world)) as view:
        assert view.query("ASK { ?s ?p ?o }").boolean
        cut_short(server)
        with pytest.raises(StoreError, match="being replaced"):
            view.query("ASK { ?s ?p ?o }")


def events(data: Path) -> int:
    with closing(sqlite3.connect(data / "ledger.sqlite")) as ledger:
        return int(ledger.execute("SELECT max(seq) FROM journal").fetchone()[0])


@pytest.mark.long
def test_the_projection_of_another_ledger_at_the_same_event_is_not_served(remote_world: Path, server: Server, tmp_path: Path) -> None:
    assert ["Commerce"] == labels("Who owns Invoice?")
    other = tmp_path / "other"
    other.mkdir()
    shutil.copyfile(sample_data() / "kgplatform.toml", other / "kgplatform.toml")
    shutil.copytree(sample_data() / "mappings", other / "mappings")
    point_to(other, server)
    done("init", "--data", other)
    while events(other) < events(remote_world):
        done("principal", "add", "finance", "--scope", "finance", "--data", other)
    assert events(other) == events(remote_world)

    assert "no solutions\n" == done("sparql", "SELECT ?c { ?c sc:owned_by ?t }", "--data", other).out
    assert ["Commerce"] == labels("Who owns Invoice?")


@pytest.mark.long
def test_a_directory_that_gives_its_store_away_keeps_no_byte_of_it_and_takes_it_back(remote_world: Path, server: Server) -> None:
    assert (remote_world / "checkpoints").exists()
    before = checkpointed(remote_world)
    done("ingest", sample_data())
    assert not (remote_world / "checkpoints").exists() and not (remote_world / "store").exists()

    settings = remote_world / "kgplatform.toml"
    settings.write_text(settings.read_text(encoding="utf-8").partition("\n[store]")[0], encoding="utf-8")
    assert ["Commerce"] == labels("Who owns Invoice?")
    assert before == checkpointed(remote_world) == held(server)


# -- what is said


def test_a_server_that_is_down_is_one_clear_line(remote_world: Path, tmp_path: Path) -> None:
    settings = remote_world / "kgplatform.toml"
    with serving(tmp_path / "other") as short_lived:
        text = settings.read_text(encoding="utf-8").partition("\n[store]")[0]
        settings.write_text(text, encoding="utf-8")
        point_to(remote_world, short_lived)
        assert ["Commerce"] == labels("Who owns Invoice?")

    for command in (["ask", "Who owns Tax?"], ["sparql", "ASK {}"], ["ingest", str(sample_data())], ["erase", "memos/kim.md", "--yes"]):
        said = kg(*command)
        assert 1 == said.code and "the store cannot be reached" in said.err and short_lived.url in said.err, command
        assert 1 == len(said.err.splitlines()), said.err
    (ill,) = [check for check in kg("doctor", "--json").json["checks"] if not check["well"]]
    assert "store" == ill["name"] and "cannot be reached" in ill["said"]


def test_doctor_shows_the_store(remote_world: Path, server: Server) -> None:
    assert "no projection of this ledger" in store_check()["said"]
    done("ask", "Who owns Tax?")

    check = store_check()
    assert check["well"] and server.query_url in check["said"]


def store_check() -> dict[str, Any]:
    check: dict[str, Any]
    (check,) = [check for check in kg("doctor", "--json").json["checks"] if "store" == check["name"]]
    return check


def test_a_server_that_holds_graphs_of_somebody_else_is_left_alone(own_world: Path, server: Server) -> None:
    changed(server, "DROP ALL; INSERT DATA { GRAPH <https://other.example/graph> { <a:a> <a:b> <a:c> } }")
    point_to(own_world, server)
    said = kg("ask", "Who owns Tax?")
    changed(server, "DROP GRAPH <https://other.example/graph>")

    assert 1 == said.code and "no projection of kgplatform" in said.err
