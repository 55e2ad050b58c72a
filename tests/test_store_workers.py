"""Callers' own SPARQL in worker processes: ended by time, memory, size or crash, and the next query is answered."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pyoxigraph as ox
import pytest

from kgplatform.errors import QueryAbandoned, QueryRefused, QuerySyntaxError, QueryTimeout, ResultTooLarge, StoreError
from kgplatform.store.base import Delta, ProjectionState
from kgplatform.store.oxigraph import OxigraphStore
from kgplatform.store.workers import GIB, QueryWorkers, run_query
from kgplatform.times import MAX, MIN

GRAPH, HIDDEN = "https://kg.example/graph/mine", "https://kg.example/graph/hidden"
STATE = ProjectionState(1, "derive-1", MIN, MAX)
SAID = ox.NamedNode("https://kg.example/said")
COUNT = "SELECT (COUNT(*) AS ?n) { ?s ?p ?o }"
ENDLESS = "SELECT (COUNT(*) AS ?n) { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l }"


def quads(number: int, graph: str = GRAPH) -> Iterator[ox.Quad]:
    for n in range(number):
        yield ox.Quad(ox.NamedNode(f"https://kg.example/id/{n}"), SAID, ox.Literal(f"value {n}"), ox.NamedNode(graph))


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("workers")
    with OxigraphStore.open(folder / "store") as store:
        store.load([*quads(5000), *quads(7, HIDDEN)], STATE)
        store.checkpoint(folder / "checkpoint")
    return folder / "checkpoint"


@pytest.fixture(scope="module")
def workers() -> Iterator[QueryWorkers]:
    with QueryWorkers(workers=1, memory=GIB, result_size=10_000_000) as pool:
        yield pool


def answers(workers: QueryWorkers, checkpoint: Path) -> bool:
    return [{"n": "5000"}] == workers.run(checkpoint, COUNT, default_graphs=[GRAPH], timeout=20).table()


def test_one_query_is_answered_by_a_worker_of_its_own(checkpoint: Path) -> None:
    assert [{"n": "5000"}] == run_query(checkpoint, COUNT, default_graphs=[GRAPH]).table()


def test_each_form_comes_back_and_can_be_written(workers: QueryWorkers, checkpoint: Path) -> None:
    asked = workers.run(checkpoint, "ASK { ?s ?p 'value 3' }", default_graphs=[GRAPH], timeout=20)
    assert asked.boolean
    assert b"true" == asked.serialised("csv")
    built = workers.run(checkpoint, "CONSTRUCT WHERE { ?s ?p 'value 3' }", default_graphs=[GRAPH], timeout=20)
    assert [quad.triple for quad in quads(4)][3:] == list(built.triples())
    rows = workers.run(checkpoint, "SELECT ?o { <https://kg.example/id/3> ?p ?o }", default_graphs=[GRAPH], timeout=20)
    assert b"o\r\nvalue 3\r\n" == rows.serialised("csv") == rows.serialised("text/csv")


def test_a_worker_sees_the_given_graphs_alone(workers: QueryWorkers, checkpoint: Path) -> None:
    both = workers.run(checkpoint, COUNT, default_graphs=[GRAPH, HIDDEN], timeout=20)
    named = workers.run(checkpoint, "SELECT * { GRAPH ?g { ?s ?p ?o } }", default_graphs=[GRAPH], timeout=20)

    assert [{"n": "5007"}] == both.table()
    assert [] == named.table()


def test_the_file_of_a_result_has_no_name_any_more_and_its_text_is_still_there(
    checkpoint: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))  # others write results into the usual folder at the same time
    result = run_query(checkpoint, COUNT, default_graphs=[GRAPH])

    assert [] == list(tmp_path.glob("kgplatform-result-*"))
    assert result.table() == result.table()


def test_errors_come_back_as_they_are(workers: QueryWorkers, checkpoint: Path) -> None:
    with pytest.raises(QuerySyntaxError, match="does not parse"):
        workers.run(checkpoint, "SELECT * {", default_graphs=[GRAPH], timeout=20)
    with pytest.raises(QueryRefused, match="SERVICE") as refused:
        workers.run(checkpoint, "ASK { SERVICE <x:x> {} }", default_graphs=[GRAPH], timeout=20)
    assert refused.value.hint
    with pytest.raises(QueryRefused, match="read-only"):
        workers.run(checkpoint, "DROP ALL", default_graphs=[GRAPH], timeout=20)


def test_a_missing_checkpoint_is_said_to_be_missing(workers: QueryWorkers, tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="no checkpoint"):
        workers.run(tmp_path / "none", COUNT, default_graphs=[GRAPH], timeout=20)


def test_an_endless_query_is_ended_soon_after_its_time(workers: QueryWorkers, checkpoint: Path) -> None:
    assert answers(workers, checkpoint)
    begun = time.monotonic()
    with pytest.raises(QueryTimeout, match="after 0.5 s"):
        workers.run(checkpoint, ENDLESS, default_graphs=[GRAPH], timeout=0.5)

    assert time.monotonic() - begun < 10
    assert answers(workers, checkpoint)


def test_a_query_whose_caller_has_gone_is_ended_and_so_is_one_that_waits_for_a_place(checkpoint: Path) -> None:
    has_gone = threading.Event()
    with QueryWorkers(workers=1, is_gone=has_gone.is_set) as pool, ThreadPoolExecutor(2) as callers:
        asked = [callers.submit(pool.run, checkpoint, ENDLESS, default_graphs=[GRAPH], timeout=200) for _ in range(2)]
        time.sleep(1)
        assert not any(one.done() for one in asked)
        has_gone.set()
        assert [QueryAbandoned] * 2 == [type(one.exception(timeout=60)) for one in asked]

        has_gone.clear()
        assert answers(pool, checkpoint)


def test_a_query_that_needs_too_much_memory_takes_its_own_worker_along_and_no_other(checkpoint: Path) -> None:
    with QueryWorkers(workers=2, memory=GIB) as pool:
        with pytest.raises(QueryTimeout, match="memory"):
            pool.run(checkpoint, "SELECT * { ?a ?b ?c . ?d ?e ?f } ORDER BY ?c ?f", default_graphs=[GRAPH], timeout=60)

        assert answers(pool, checkpoint)


def test_addresses_that_the_store_reserves_and_does_not_use_are_no_memory(checkpoint: Path) -> None:
    with QueryWorkers(workers=1, memory=GIB // 4) as pool:
        assert answers(pool, checkpoint)


def test_an_endless_result_is_ended_at_its_size(workers: QueryWorkers, checkpoint: Path) -> None:
    with pytest.raises(ResultTooLarge, match="10,000,000 bytes"):
        workers.run(checkpoint, "SELECT * { ?a ?b ?c . ?d ?e ?f }", default_graphs=[GRAPH], timeout=60)

    assert answers(workers, checkpoint)


def test_a_text_that_overflows_the_stack_of_the_engine_is_refused(workers: QueryWorkers, checkpoint: Path) -> None:
    deep = 50_000
    with pytest.raises(QueryRefused, match="nested"):
        workers.run(checkpoint, f"ASK {{ FILTER({'(' * deep}1{')' * deep}) }}", default_graphs=[GRAPH], timeout=20)

    assert answers(workers, checkpoint)


def test_a_new_checkpoint_under_the_old_name_is_read(workers: QueryWorkers, tmp_path: Path) -> None:
    with OxigraphStore.open(tmp_path / "store") as store:
        for number in (5, 9):
            store.load(quads(number), STATE)
            store.checkpoint(tmp_path / f"{number}")
            if (tmp_path / "latest").exists():
                (tmp_path / "latest").rename(tmp_path / "former")
            (tmp_path / f"{number}").rename(tmp_path / "latest")
            counted = workers.run(tmp_path / "latest", COUNT, default_graphs=[GRAPH], timeout=20)
            assert [{"n": str(number)}] == counted.table()


def test_a_new_checkpoint_in_a_folder_of_the_same_inode_is_read(workers: QueryWorkers, tmp_path: Path) -> None:
    """File systems give a removed folder's number to the next one, so that after a `reset` the first checkpoint looks like the one
    before."""
    (tmp_path / "1").mkdir()
    with OxigraphStore.open(tmp_path / "store") as store:
        for number in (5, 9):
            store.load(quads(number), STATE)
            store.checkpoint(tmp_path / f"made-{number}")
            for path in (tmp_path / "1").iterdir():
                path.unlink()
            for path in (tmp_path / f"made-{number}").iterdir():
                path.rename(tmp_path / "1" / path.name)
            counted = workers.run(tmp_path / "1", COUNT, default_graphs=[GRAPH], timeout=20)
            assert [{"n": str(number)}] == counted.table()


def test_a_writer_may_go_on_while_workers_read_its_checkpoint(workers: QueryWorkers, tmp_path: Path) -> None:
    with OxigraphStore.open(tmp_path / "store") as store:
        store.load(quads(10), STATE)
        store.checkpoint(tmp_path / "point")
        for n in range(20):
            store.apply(Delta(added=frozenset(quads(10 + n))), STATE)
            counted = workers.run(tmp_path / "point", COUNT, default_graphs=[GRAPH], timeout=20)
            assert [{"n": "10"}] == counted.table()


SCRIPT = """
import sys
from pathlib import Path
from kgplatform.store.workers import run_query

print("run")
print(run_query(Path(sys.argv[1]), "{count}", default_graphs=["{graph}"]).table())
"""


def test_a_script_without_a_guard_runs_once(checkpoint: Path, tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(SCRIPT.format(count=COUNT, graph=GRAPH), encoding="utf-8")

    done = subprocess.run([sys.executable, str(script), str(checkpoint)], capture_output=True, text=True, timeout=120, check=False)

    assert ("run\n[{'n': '5000'}]\n", "") == (done.stdout, done.stderr)


def test_a_script_from_standard_input_and_a_thread_can_ask(checkpoint: Path) -> None:
    text = SCRIPT.format(count=COUNT, graph=GRAPH).replace(
        "print(run_query", "import threading\nthreading.Thread(target=lambda: print(run_query"
    )
    text = text.replace(".table())", ".table())).start()")

    done = subprocess.run([sys.executable, "-", str(checkpoint)], input=text, capture_output=True, text=True, timeout=120, check=False)

    assert ("run\n[{'n': '5000'}]\n", "") == (done.stdout, done.stderr)


def test_modules_of_the_current_folder_are_not_run_by_a_worker(checkpoint: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "pyoxigraph.py").write_text("raise SystemExit('planted')", encoding="utf-8")
    monkeypatch.chdir(tmp_path)

    assert [{"n": "5000"}] == run_query(checkpoint, COUNT, default_graphs=[GRAPH]).table()


def test_a_query_ends_with_the_pool_that_runs_it_and_says_so(checkpoint: Path) -> None:
    with QueryWorkers(workers=1) as pool:
        assert answers(pool, checkpoint)
        closing = threading.Timer(0.5, pool.close)
        closing.start()
        with pytest.raises(StoreError, match="ended with its workers"):
            pool.run(checkpoint, ENDLESS, default_graphs=[GRAPH], timeout=60)
        closing.join()

        with pytest.raises(StoreError, match="closed"):
            pool.run(checkpoint, COUNT, default_graphs=[GRAPH], timeout=60)


def test_a_worker_that_cannot_be_started_is_an_error_of_the_store(checkpoint: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/no/such/python")
    with pytest.raises(StoreError, match="could be started"):
        run_query(checkpoint, COUNT, default_graphs=[GRAPH])


def test_a_worker_that_was_ended_from_outside_is_replaced(checkpoint: Path) -> None:
    with QueryWorkers(workers=1) as pool:
        assert answers(pool, checkpoint)
        (worker,) = pool._started
        worker._process.kill()
        worker._process.wait()

        assert answers(pool, checkpoint)
