"""A checkpoint is open once for all who read it, and nothing of it stays open soon after the last of them."""

from __future__ import annotations

import shutil
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from test_store_compliance import FINANCE, PUBLIC, WORLD, at

from kgplatform.errors import StoreError
from kgplatform.store.oxigraph import OxigraphStore


def checkpoint(folder: Path, seq: int) -> Path:
    """A checkpoint of WORLD at `folder`/point, in place of the one that was there."""
    point = folder / "point"
    shutil.rmtree(point, ignore_errors=True)
    with OxigraphStore.open(folder / f"store{seq}") as store:
        store.load(WORLD, at(seq))
        store.checkpoint(point)
    return point


def open_files(point: Path) -> set[str]:
    """The files of a folder that this process has open, removed ones too."""
    found = set()
    for link in Path("/proc/self/fd").iterdir():
        try:
            found.add(str(link.readlink()))
        except OSError:
            continue  # it was that of the listing
    return {name for name in found if name.startswith(f"{point}/")}


def closes(point: Path) -> bool:
    """Whether nothing of the folder is open any more, after a while."""
    deadline = time.monotonic() + 20
    while open_files(point) and time.monotonic() < deadline:
        time.sleep(0.1)
    return not open_files(point)


def test_readers_at_the_same_time_open_a_checkpoint_once(tmp_path: Path) -> None:
    point = checkpoint(tmp_path, 1)
    one = OxigraphStore.open_read_only(point)
    files = open_files(point)
    other = OxigraphStore.open_read_only(point)

    assert files == open_files(point) != set()
    assert one._held is other._held
    one.close()
    other.close()
    with OxigraphStore.open_read_only(point) as soon_after:
        assert files == open_files(point)
        assert at(1) == soon_after.state()


def test_a_reader_reads_on_when_another_closes_and_nothing_stays_open_after_the_last(tmp_path: Path) -> None:
    point = checkpoint(tmp_path, 1)
    one, other = OxigraphStore.open_read_only(point), OxigraphStore.open_read_only(point)
    one.close()
    shutil.rmtree(point)

    with pytest.raises(StoreError, match="closed"):
        one.state()
    assert set(WORLD) == set(other.quads([PUBLIC, FINANCE]))
    time.sleep(2.5)
    assert set(WORLD) == set(other.quads([PUBLIC, FINANCE])), "who still reads is not hurried"
    other.close()
    assert closes(point)


def test_a_checkpoint_in_the_place_of_another_is_read_while_that_one_is_still_open(tmp_path: Path) -> None:
    with OxigraphStore.open_read_only(checkpoint(tmp_path, 1)) as old, OxigraphStore.open_read_only(checkpoint(tmp_path, 2)) as new:
        assert (at(1), at(2)) == (old.state(), new.state())


def test_many_threads_open_read_and_close(tmp_path: Path) -> None:
    point = checkpoint(tmp_path, 7)

    def read(_number: int) -> int:
        with OxigraphStore.open_read_only(point) as store:
            return len(list(store.quads([PUBLIC, FINANCE])))

    with ThreadPoolExecutor(8) as pool:
        assert {len(WORLD)} == set(pool.map(read, range(200)))
    assert closes(point)
