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


class _OpenCheckpoints:
    """The open checkpoints, by path, inode and time of making (an inode alone is soon reused), and the one that lingers."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._open: WeakValueDictionary[tuple[str, int, int], Opened] = WeakValueDictionary()
        self._latest: Opened | None = None
        self._timer: threading.Timer | None = None

    def take(self, checkpoint: Path) -> Opened:
        with self._lock:
            file = (checkpoint / "CURRENT").stat()
            key = (str(checkpoint.absolute()), file.st_ino, file.st_mtime_ns)
            opened = self._open.get(key)
            if opened is None:
                self._latest = None
                self._open[key] = opened = Opened(checkpoint)
            self._latest = opened
            if self._timer is not None:
                self._timer.cancel()
            self._timer = threading.Timer(LINGER, self._let_go)
            self._timer.daemon = True
            self._timer.start()
            return opened

    def _let_go(self) -> None:
        with self._lock:
            self._latest = None


_open_checkpoints = _OpenCheckpoints()


def opened_once(checkpoint: Path) -> Opened:
    """The checkpoint, opened now if it is not open. Raises OSError or RuntimeError where it cannot be."""
    return _open_checkpoints.take(checkpoint)
