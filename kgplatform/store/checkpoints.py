"""Open checkpoints, each once in a process for all who read it.

Opening takes 10 to 30 ms, and its caches are cold. So what was opened stays open as long as anybody reads it, and for
two seconds after it was last asked for: no longer, since a retired checkpoint may hold what has been erased.
"""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Final
from weakref import WeakValueDictionary

import pyoxigraph as ox

LINGER: Final = 2.0
"""Seconds for which the checkpoint that was asked for last stays open without a reader."""


class Opened:
    """A checkpoint that is open: until nobody holds this any more."""

    def __init__(self, checkpoint: Path) -> None:
        self.store = ox.Store.read_only(str(checkpoint))


class _Shelf:
    """What is open, by path and making (an inode alone is soon another file's), and what lingers."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._open: WeakValueDictionary[tuple[str, int, int], Opened] = WeakValueDictionary()
        self._latest: Opened | None = None
        self._timer: threading.Timer | None = None

    def take(self, checkpoint: Path) -> Opened:
        with self._lock:
            made = (checkpoint / "CURRENT").stat()
            key = (str(checkpoint.absolute()), made.st_ino, made.st_mtime_ns)
            found = self._open.get(key)
            if found is None:
                self._latest = None
                self._open[key] = found = Opened(checkpoint)
            self._latest = found
            if self._timer is not None:
                self._timer.cancel()
            self._timer = threading.Timer(LINGER, self._let_go)
            self._timer.daemon = True
            self._timer.start()
            return found

    def _let_go(self) -> None:
        with self._lock:
            self._latest = None


_shelf = _Shelf()


def opened_once(checkpoint: Path) -> Opened:
    """The checkpoint, opened now if it is not open. Raises OSError or RuntimeError where it cannot be."""
    return _shelf.take(checkpoint)
