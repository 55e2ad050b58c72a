"""Emptying a data directory, and bringing one of an older format to this one."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ..data_directory import DataDir
from ..ledger import maintenance
from ..projection.consistency import open_ledger
from ..settings.load import Settings
from ..writing.writer import Writer


def reset(settings: Settings) -> None:
    """Remove all that was read and decided, and make an empty graph; settings, mappings and packs stay. Raises LockedError while somebody
    writes."""
    remove_graph(settings.data)
    Writer.create(settings).close()


def remove_graph(data: Path) -> None:
    """Remove all that was read and decided; what is left has no graph. Raises LockedError while somebody writes."""
    directory = DataDir(data)
    with _locked(directory):
        for folder in (directory.store, directory.checkpoints, directory.originals, directory.jobs, data / "store.new"):
            shutil.rmtree(folder, ignore_errors=True)
        for path in sorted(data.glob(directory.ledger.name + "*"), reverse=True):  # the log before the ledger: alone it would come back
            path.unlink()


def upgrade(data: Path) -> tuple[int, int]:
    """Bring a data directory of an older format to this one; (format before, format now)."""
    directory = DataDir(data)
    with _locked(directory):
        return maintenance.upgrade(directory.ledger)


@contextmanager
def _locked(directory: DataDir) -> Iterator[None]:
    """The directory with a ledger that no witness speaks against, and nobody else writing."""
    open_ledger(directory, oldest=0).close()
    lock = directory.hold()
    try:
        yield
    finally:
        lock.release()
