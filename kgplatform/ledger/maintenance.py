"""A consistent copy of a ledger, its check, and bringing an older format up to this one."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from itertools import chain
from pathlib import Path
from typing import Final

from ..errors import DataDirError, FormatError
from .base import Ledger
from .tables import FORMAT

STEPS: Final[dict[int, tuple[str, ...]]] = {
    1: ("CREATE TABLE password (principal TEXT PRIMARY KEY, hash TEXT NOT NULL, changed TEXT NOT NULL) WITHOUT ROWID",),
    2: (
        "CREATE TABLE unpurged (id INTEGER PRIMARY KEY, recorded TEXT NOT NULL, pad BLOB NOT NULL, sealed BLOB NOT NULL)",
        "ALTER TABLE decision ADD COLUMN reason TEXT NOT NULL DEFAULT ''",
        "ALTER TABLE decision ADD COLUMN ended_by TEXT NOT NULL DEFAULT ''",
        "ALTER TABLE claim ADD COLUMN note TEXT NOT NULL DEFAULT ''",
        "ALTER TABLE claim ADD COLUMN line INTEGER NOT NULL DEFAULT 0",
        "ALTER TABLE reading ADD COLUMN root TEXT NOT NULL DEFAULT ''",
        "ALTER TABLE reading ADD COLUMN file TEXT NOT NULL DEFAULT ''",
        "CREATE TABLE erased (name TEXT PRIMARY KEY, scopes TEXT NOT NULL, recorded TEXT NOT NULL) WITHOUT ROWID",
        "CREATE TABLE notice (version INTEGER, kind TEXT, what TEXT, count INTEGER, place TEXT, PRIMARY KEY (version, kind, what)) WITHOUT ROWID",
        "CREATE TABLE skipped (path TEXT PRIMARY KEY, reason TEXT, what TEXT) WITHOUT ROWID",
    ),
}
"""Format -> the statements that bring a ledger of it to the next one."""

OLDEST: Final = 1
"""The oldest format that STEPS can upgrade. Documents and versions are read alike in all formats from it on."""


def copy(ledger: Ledger, target: Path) -> None:
    """Write the ledger as it is now to a new file that its owner alone can read, while writers may go on (SQLite's backup)."""
    target.touch(mode=0o600)
    with closing(sqlite3.connect(target)) as copied:
        ledger.db.backup(copied)


def damage(ledger: Ledger) -> str:
    """What SQLite finds wrong in the file, '' if nothing."""
    found = ledger.row("PRAGMA integrity_check")
    return "" if found and found[0] == "ok" else str(found[0] if found else "no answer")


def format_of(path: Path) -> int:
    """The format number of a ledger file, also of one that this version cannot open. Raises DataDirError where none can be read."""
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as found:
            row = found.execute("SELECT value FROM meta WHERE key = 'format'").fetchone()
        return int(row[0])
    except (sqlite3.Error, TypeError, ValueError) as error:
        raise DataDirError(f"its format cannot be read: {error}", where=str(path), hint="restore a backup") from error


def upgrade(path: Path) -> tuple[int, int]:
    """Bring a ledger to this format in one transaction, readable by its owner alone. Returns (format before, format now).

    Raises FormatError for a newer format and for one before OLDEST.
    """
    before = format_of(path)
    if before > FORMAT:
        raise FormatError(
            f"the data directory has format {before}, this version knows {FORMAT}", where=str(path.parent), hint="use a newer kgplatform"
        )
    if before < OLDEST:
        raise FormatError(
            f"no way leads from format {before} to {FORMAT}",
            where=str(path.parent),
            hint="ingest the sources again into a new directory",
        )
    for file in path.parent.glob(path.name + "*"):  # the log beside it too
        file.chmod(0o600)
    try:
        with closing(sqlite3.connect(path, isolation_level=None)) as opened:
            opened.execute("BEGIN IMMEDIATE")
            for statement in chain.from_iterable(STEPS[number] for number in range(before, FORMAT)):
                opened.execute(statement)
            opened.execute("UPDATE meta SET value = ? WHERE key = 'format'", (str(FORMAT),))
            opened.execute("COMMIT")
    except sqlite3.Error as error:
        raise DataDirError(f"the ledger could not be upgraded: {error}", where=str(path), hint="restore a backup") from error
    return before, FORMAT
