"""kill -9 in the midst of writing: what is found afterwards is the state before or the state after."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from pathlib import Path

import pyoxigraph as ox
import pytest
from support.oxigraph_server import serving
from test_store_compliance import FINANCE, PUBLIC, quad

from kgplatform.store.base import GraphStore
from kgplatform.store.oxigraph import OxigraphStore
from kgplatform.store.remote import RemoteStore

WIDTH = 1500

WRITER = """
import itertools, pathlib, sys
from test_store_compliance import at, delta
from test_store_kill import wave
from kgplatform.store.oxigraph import OxigraphStore
from kgplatform.store.remote import RemoteStore
kind, place = sys.argv[1:3]
store = RemoteStore(place + "/query", place + "/update", settling=0.1) if kind == "server" else OxigraphStore.open(pathlib.Path(place))
last = store.state()
first = last.applied_seq if last else 0
for seq in itertools.count(first + 1):
    if kind == "load":
        store.load(wave(seq), at(seq))
    else:
        store.apply(delta(removed=wave(seq - 1), added=wave(seq)), at(seq))
    print(seq, flush=True)
"""


def wave(seq: int) -> list[ox.Quad]:
    return [quad(f"c{n}", f"in wave {seq}", (PUBLIC, FINANCE)[n % 2]) for n in range(WIDTH)]


def start_writer(kind: str, place: str) -> subprocess.Popen[str]:
    script = f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r})\n{WRITER}"
    return subprocess.Popen([sys.executable, "-c", script, kind, place], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)


def whole(store: GraphStore) -> int:
    """The sequence number of a store that holds exactly its wave; 0 if it has no state."""
    state = store.state()
    if state is None:
        return 0
    assert set(wave(state.applied_seq)) == set(store.quads([PUBLIC, FINANCE]))
    return state.applied_seq


def killed_at_random(writer: subprocess.Popen[str], rng: random.Random) -> int:
    """Let it acknowledge a few waves, kill it in the midst of one; the last number that it acknowledged."""
    assert writer.stdout is not None
    for _ in range(rng.randint(1, 3)):
        assert writer.stdout.readline()
    time.sleep(rng.random() * 0.15)
    writer.kill()
    numbers = writer.stdout.read().split()
    writer.wait()
    return int(numbers[-1]) if numbers else 0


@pytest.mark.long
@pytest.mark.parametrize("kind", ["apply", "load"])
def test_a_writer_that_is_killed_leaves_the_state_before_or_after(kind: str, tmp_path: Path) -> None:
    rng = random.Random(11)
    for _ in range(20):
        acknowledged = killed_at_random(start_writer(kind, str(tmp_path / "store")), rng)
        with OxigraphStore.open(tmp_path / "store") as store:
            if kind == "apply":
                assert acknowledged <= whole(store)
            else:
                whole(store)  # cut short, a load has no state: the writer would rebuild


@pytest.mark.long
def test_a_server_that_is_killed_leaves_the_state_before_or_after(tmp_path: Path) -> None:
    rng = random.Random(12)
    for _ in range(8):
        with serving(tmp_path / "served") as running:
            writer = start_writer("server", running.url)
            assert writer.stdout is not None
            for _ in range(rng.randint(1, 3)):
                assert writer.stdout.readline()
            time.sleep(rng.random() * 0.15)
            running.kill()
            writer.wait()
            numbers = writer.stdout.read().split()
        with serving(tmp_path / "served") as running, RemoteStore(running.query_url, running.update_url) as store:
            assert int(numbers[-1] if numbers else 0) <= whole(store)
