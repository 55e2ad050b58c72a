"""What every store must do, on each of them: embedded in memory, on disk, from a checkpoint, and `oxigraph serve`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import cast

import pyoxigraph as ox
import pytest
from support.oxigraph_server import Server, serving

from kgplatform.errors import LockedError, QuerySyntaxError, StoreError
from kgplatform.model import CompiledQuery
from kgplatform.store.base import STATE_GRAPH, Delta, GraphStore, ProjectionState
from kgplatform.store.oxigraph import OxigraphStore
from kgplatform.store.probes import LITERALS
from kgplatform.store.remote import RemoteStore
from kgplatform.terms import KG
from kgplatform.times import MAX

PUBLIC, FINANCE = "https://kg.example/graph/public", "https://kg.example/graph/finance"
STARS = CompiledQuery("SELECT ?s ?o ?missing WHERE { GRAPH ?g { ?s ?p ?o } } ORDER BY ?s ?o", ("s", "o", "missing"))
PLAIN = CompiledQuery("SELECT ?s ?o WHERE { ?s ?p ?o } ORDER BY ?s ?o", ("s", "o"))


def quad(name: str, value: str | ox.Literal | ox.NamedNode, graph: str = PUBLIC) -> ox.Quad:
    term = ox.Literal(value) if isinstance(value, str) else value
    return ox.Quad(ox.NamedNode(f"https://kg.example/id/{name}"), ox.NamedNode(KG.said), term, ox.NamedNode(graph))


def at(seq: int, now: str = "2025-11-01T00:00:00Z") -> ProjectionState:
    return ProjectionState(seq, "derive-1", now, MAX)


def delta(*, removed: Iterable[ox.Quad] = (), added: Iterable[ox.Quad] = ()) -> Delta:
    return Delta(frozenset(removed), frozenset(added))


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(tmp_path_factory.mktemp("served")) as running:
        yield running


@pytest.fixture(params=["memory", "disk", "server"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[GraphStore]:
    """An empty store of each kind that can be written."""
    if request.param == "server":
        running = cast(Server, request.getfixturevalue("server"))
        with RemoteStore(running.query_url, running.update_url) as remote:
            remote.send("DROP ALL")
            yield remote
        return
    with OxigraphStore.memory() if request.param == "memory" else OxigraphStore.open(tmp_path / "store") as embedded:
        yield embedded


WORLD = (quad("tax", "Tax"), quad("cart", "Cart"), quad("invoice", "Invoice", FINANCE))


@pytest.fixture(params=["memory", "disk", "server", "checkpoint"])
def world(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[GraphStore]:
    """A store of each kind that can be read, holding WORLD."""
    if request.param == "server":
        running = cast(Server, request.getfixturevalue("server"))
        with RemoteStore(running.query_url, running.update_url) as remote:
            remote.send("DROP ALL")
            remote.load(WORLD, at(7))
            yield remote
        return
    with OxigraphStore.memory() if request.param == "memory" else OxigraphStore.open(tmp_path / "store") as embedded:
        embedded.load(WORLD, at(7))
        if request.param != "checkpoint":
            yield embedded
            return
        embedded.checkpoint(tmp_path / "checkpoint")
        embedded.apply(delta(added=[quad("later", "Later")]), at(8))
    with OxigraphStore.open_read_only(tmp_path / "checkpoint") as reader:
        yield reader


# -- writing


def test_a_store_that_was_never_loaded_has_no_state(store: GraphStore) -> None:
    assert store.state() is None


def test_apply_removes_adds_and_sets_the_state(store: GraphStore) -> None:
    store.load([quad("tax", "Levy"), quad("cart", "Cart")], at(1))
    store.apply(delta(removed=[quad("tax", "Levy")], added=[quad("tax", "Tax")]), at(2))

    assert {quad("tax", "Tax"), quad("cart", "Cart")} == set(store.quads([PUBLIC]))
    assert at(2) == store.state()


def test_apply_on_an_empty_store_writes_its_first_state(store: GraphStore) -> None:
    store.apply(delta(added=[quad("tax", "Tax")]), at(1))

    assert at(1) == store.state()


def test_a_delta_without_quads_moves_the_state_alone(store: GraphStore) -> None:
    store.load(WORLD, at(1))
    store.apply(delta(), at(1, now="2025-12-01T00:00:00Z"))

    assert at(1, now="2025-12-01T00:00:00Z") == store.state()
    assert 3 == len(list(store.quads([PUBLIC, FINANCE])))


def test_a_quad_that_is_removed_and_added_is_there(store: GraphStore) -> None:
    store.apply(delta(removed=[quad("tax", "Tax")], added=[quad("tax", "Tax")]), at(1))

    assert [quad("tax", "Tax")] == list(store.quads([PUBLIC]))


def test_removing_what_is_not_there_and_adding_what_is_changes_nothing(store: GraphStore) -> None:
    store.load(WORLD, at(1))
    store.apply(delta(removed=[quad("nobody", "Nobody")], added=WORLD), at(2))

    assert set(WORLD) == set(store.quads([PUBLIC, FINANCE]))


def test_a_delta_too_large_for_one_update_is_applied_whole(store: GraphStore, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("oxigraph", "remote"):
        monkeypatch.setattr(f"kgplatform.store.{module}.ONE_UPDATE", 10)
        monkeypatch.setattr(f"kgplatform.store.{module}._BATCH", 7)
    before, after = {quad(f"c{n}", "old") for n in range(40)}, {quad(f"c{n}", "new") for n in range(40)}
    kept = quad("c1", "old")
    store.load(before, at(1))
    store.apply(delta(removed=before, added={*after, kept}), at(2))

    assert {*after, kept} == set(store.quads([PUBLIC]))
    assert at(2) == store.state()


def test_a_load_replaces_what_an_unfinished_one_left(store: GraphStore) -> None:
    def cut_short() -> Iterator[ox.Quad]:
        yield from (quad(f"c{n}", "half") for n in range(30_000))
        raise StoreError("the source ended")

    store.load(WORLD, at(1))
    with pytest.raises(StoreError):
        store.load(cut_short(), at(2))
    assert store.state() is None

    store.load(WORLD, at(3))
    assert set(WORLD) == set(store.quads([PUBLIC, FINANCE]))
    assert at(3) == store.state()


@pytest.mark.parametrize(
    "bad",
    [
        ox.Quad(ox.BlankNode("b"), ox.NamedNode(KG.said), ox.Literal("x"), ox.NamedNode(PUBLIC)),
        ox.Quad(ox.NamedNode(KG.x), ox.NamedNode(KG.said), ox.BlankNode("b"), ox.NamedNode(PUBLIC)),
        ox.Quad(ox.NamedNode(KG.x), ox.NamedNode(KG.said), ox.Literal("x"), STATE_GRAPH),
        ox.Quad(ox.NamedNode(KG.x), ox.NamedNode(KG.said), ox.Literal("x")),
    ],
    ids=["blank subject", "blank object", "in the state graph", "in the default graph"],
)
def test_a_quad_that_no_projection_holds_is_refused_and_nothing_is_applied(store: GraphStore, bad: ox.Quad) -> None:
    store.load(WORLD, at(1))
    with pytest.raises(StoreError):
        store.apply(delta(removed=WORLD, added=[bad]), at(2))

    assert at(1) == store.state()
    assert set(WORLD) == set(store.quads([PUBLIC, FINANCE]))


@pytest.mark.parametrize("term", LITERALS, ids=str)
def test_a_literal_comes_back_as_it_went_in_and_can_be_removed(store: GraphStore, term: ox.Literal) -> None:
    kept = quad("tax", "Tax")
    store.load([kept], at(1))
    store.apply(delta(added=[quad("tax", term)]), at(2))
    assert {kept, quad("tax", term)} == set(store.quads([PUBLIC]))
    assert term in [row["o"] for row in store.select(PLAIN, default_graphs=[PUBLIC])]
    assert term in [row["o"] for row in store.query("SELECT ?o { ?s ?p ?o }", default_graphs=[PUBLIC]).rows()]

    store.apply(delta(removed=[quad("tax", term)]), at(3))
    assert [kept] == list(store.quads([PUBLIC]))


def test_iris_of_every_script_come_back_as_they_went_in(store: GraphStore) -> None:
    nodes = [ox.NamedNode(f"https://kg.example/id/{tail}") for tail in ("Zürich", "東京", "a%20b", "x?y=z&w#frag", "it's", "(brackets)")]
    store.load([quad("all", node) for node in nodes], at(1))

    assert set(nodes) == {row["o"] for row in store.select(PLAIN, default_graphs=[PUBLIC])}


# -- reading


def test_the_state_is_read(world: GraphStore) -> None:
    assert at(7) == world.state()


def test_graph_names_are_those_that_hold_a_quad_and_never_the_state_s(world: GraphStore) -> None:
    assert {PUBLIC, FINANCE} == world.graph_names()


def test_a_graph_that_became_empty_is_no_longer_named(store: GraphStore) -> None:
    store.load(WORLD, at(1))
    store.apply(delta(removed=[quad("invoice", "Invoice", FINANCE)]), at(2))

    assert {PUBLIC} == store.graph_names()


def test_a_compiled_query_sees_its_named_graphs_alone(world: GraphStore) -> None:
    assert ["Cart", "Tax"] == [row["o"].value for row in world.select(STARS, named_graphs=[PUBLIC])]
    assert 3 == len(world.select(STARS, named_graphs=[PUBLIC, FINANCE]))


def test_unbound_variables_are_absent_from_a_row(world: GraphStore) -> None:
    assert {"s", "o"} == set(world.select(STARS, named_graphs=[FINANCE])[0])


def test_default_graphs_are_merged(world: GraphStore) -> None:
    assert 2 == len(world.select(PLAIN, default_graphs=[PUBLIC]))
    assert 3 == len(world.select(PLAIN, default_graphs=[PUBLIC, FINANCE]))


def test_without_graphs_nothing_is_seen(world: GraphStore) -> None:
    assert [] == world.select(STARS)
    assert [] == world.select(PLAIN)
    assert not world.query("ASK { { ?s ?p ?o } UNION { GRAPH ?g { ?s ?p ?o } } }").boolean


def test_a_graph_that_does_not_exist_is_empty(world: GraphStore) -> None:
    assert [] == world.select(PLAIN, default_graphs=["https://kg.example/graph/none"])
    assert [] == list(world.quads(["https://kg.example/graph/none"]))


def test_every_quad_of_one_graph_counts_once(world: GraphStore) -> None:
    counted = world.query("SELECT (COUNT(*) AS ?n) { ?s ?p ?o }", default_graphs=[PUBLIC, FINANCE])

    assert [{"n": "3"}] == counted.table()


def test_a_quad_added_twice_counts_once(store: GraphStore) -> None:
    store.load([quad("tax", "Tax"), quad("tax", "Tax")], at(1))
    store.apply(delta(added=[quad("tax", "Tax")]), at(2))

    assert [{"n": "1"}] == store.query("SELECT (COUNT(*) AS ?n) { ?s ?p ?o }", default_graphs=[PUBLIC]).table()


def test_each_form_of_query_has_its_kind_of_result(world: GraphStore) -> None:
    solutions = world.query("SELECT ?s ?o { ?s ?p ?o } ORDER BY ?o", default_graphs=[PUBLIC])
    assert ("solutions", ("s", "o")) == (solutions.kind, solutions.variables)
    assert ["Cart", "Tax"] == [row["o"] for row in solutions.table()]
    assert ["Cart", "Tax"] == [row["o"] for row in solutions.table()], "a result can be read again"
    assert world.query("ASK { ?s ?p 'Tax' }", default_graphs=[PUBLIC]).boolean
    assert not world.query("ASK { ?s ?p 'Invoice' }", default_graphs=[PUBLIC]).boolean
    built = world.query("CONSTRUCT { ?s ?p ?o } WHERE { ?s ?p ?o }", default_graphs=[PUBLIC])
    assert "triples" == built.kind
    assert {q.triple for q in WORLD[:2]} == set(built.triples())


def test_a_text_that_does_not_parse_says_where(world: GraphStore) -> None:
    with pytest.raises(QuerySyntaxError, match="1:17"):
        world.query("SELECT * { ?s ?p", default_graphs=[PUBLIC])


# -- embedded stores alone


def test_a_second_opening_for_writing_is_refused_with_a_clear_text(tmp_path: Path) -> None:
    with OxigraphStore.open(tmp_path / "store"), pytest.raises(LockedError, match="another process is writing to this store"):
        OxigraphStore.open(tmp_path / "store")


def test_a_closed_store_can_be_opened_again_and_says_so_itself(tmp_path: Path) -> None:
    store = OxigraphStore.open(tmp_path / "store")
    store.load(WORLD, at(1))
    store.close()

    with pytest.raises(StoreError, match="closed"):
        store.state()
    with OxigraphStore.open(tmp_path / "store") as again:
        assert at(1) == again.state()


def test_a_checkpoint_stays_as_it_was_and_cannot_be_written(tmp_path: Path) -> None:
    with OxigraphStore.open(tmp_path / "store") as store:
        store.load(WORLD, at(1))
        store.checkpoint(tmp_path / "points" / "1")
        store.apply(delta(removed=WORLD), at(2))
    with OxigraphStore.open_read_only(tmp_path / "points" / "1") as reader:
        assert at(1) == reader.state()
        assert set(WORLD) == set(reader.quads([PUBLIC, FINANCE]))
        with pytest.raises(StoreError, match="cannot be written"):
            reader.apply(delta(added=WORLD), at(3))
    assert ["1"] == [made.name for made in (tmp_path / "points").iterdir()]


def test_a_checkpoint_never_replaces_another(tmp_path: Path) -> None:
    with OxigraphStore.open(tmp_path / "store") as store:
        store.load(WORLD, at(1))
        store.checkpoint(tmp_path / "point")
        with pytest.raises(StoreError, match="new directory"):
            store.checkpoint(tmp_path / "point")


def test_what_a_checkpoint_that_was_cut_short_left_is_cleared_away(tmp_path: Path) -> None:
    (tmp_path / "points" / ".making").mkdir(parents=True)
    (tmp_path / "points" / ".making" / "CURRENT").touch()
    with OxigraphStore.open(tmp_path / "store") as store:
        store.checkpoint(tmp_path / "points" / "1")

    assert ["1"] == [made.name for made in (tmp_path / "points").iterdir()]


def test_a_store_in_memory_has_checkpoints_too(tmp_path: Path) -> None:
    with OxigraphStore.memory() as store:
        store.load(WORLD, at(4))
        store.checkpoint(tmp_path / "point")
    with OxigraphStore.open_read_only(tmp_path / "point") as reader:
        assert at(4) == reader.state()


def test_a_directory_without_a_checkpoint_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="no checkpoint"):
        OxigraphStore.open_read_only(tmp_path)
