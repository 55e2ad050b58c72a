"""Opening the ledger, its transactions and its journal."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from ..errors import DataDirError, FormatError
from ..times import Instant
from .tables import FORMAT, TABLES

Row = tuple[Any, ...]


class Ledger:
    """One open ledger file. Writers hold the data directory's lock; readers need none (WAL)."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path = path
        self.db = connection

    @classmethod
    def create(cls, path: Path) -> Ledger:
        """A new, empty ledger that its owner alone can read; an existing one is opened."""
        with _told(path):
            if not path.exists():
                path.touch(mode=0o600)  # SQLite gives its log the mode of the file
            ledger = cls(path, _connect(path))
        with closing(ledger), ledger.transaction():
            if not ledger._has_tables:  # a new file, or one whose creation was interrupted
                for statement in TABLES.split(";\n"):
                    if statement.strip():
                        ledger.db.execute(statement)
                ledger.set_meta("format", str(FORMAT))
        return cls.open(path)

    @classmethod
    def open(cls, path: Path, *, oldest: int = FORMAT, to_read: bool = False) -> Ledger:
        """An existing ledger of this format, or of one from `oldest` on, as it is.

        With `to_read` it may stand where nothing can be written. Raises DataDirError if there is none, FormatError for another format.
        """
        if not path.exists() or cls.is_empty(path):
            raise DataDirError("there is no ledger here", where=str(path.parent), hint="name a data directory")
        with _told(path):
            ledger = cls(path, _connect_to_read(path) if to_read else _connect(path))
        number = int(ledger.meta("format") or 0)
        if number > FORMAT:
            raise FormatError(
                f"the data directory has format {number}, this version knows {FORMAT}",
                where=str(path.parent),
                hint="use a newer kgplatform",
            )
        if number < oldest:
            raise FormatError(f"the data directory has the older format {number}", where=str(path.parent), hint="run `kgplatform upgrade`")
        return ledger

    @staticmethod
    def is_empty(path: Path) -> bool:
        """Whether a ledger file holds nothing: no byte, or no table."""
        if not path.stat().st_size:
            return True
        with _told(path), closing(_connect_to_read(path)) as opened:
            return opened.execute("SELECT 1 FROM sqlite_master WHERE name = 'meta'").fetchone() is None

    @property
    def _has_tables(self) -> bool:
        return self.row("SELECT 1 FROM sqlite_master WHERE name = 'meta'") is not None

    def close(self) -> None:
        """Close the file; the ledger cannot be used afterwards."""
        self.db.close()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All or nothing, durable when left. Raises DataDirError where SQLite cannot: a full disk, no right to write."""
        with _told(self.path):
            self.db.execute("BEGIN IMMEDIATE")
            try:
                yield
                self.db.execute("COMMIT")
            except BaseException:
                if self.db.in_transaction:  # SQLite itself rolls back where the disk is full
                    self.db.execute("ROLLBACK")
                raise

    def rows(self, sql: str, *values: object) -> Iterator[Row]:
        """The rows of a statement as they are fetched, with the values bound to its placeholders."""
        with _told(self.path):
            return iter(self.db.execute(sql, values))

    def row(self, sql: str, *values: object) -> Row | None:
        """The first row of a statement, None if it has none."""
        with _told(self.path):
            found: Row | None = self.db.execute(sql, values).fetchone()
            return found

    def run(self, sql: str, *values: object) -> int:
        """Execute one statement. Returns the id of the row that it inserted."""
        with _told(self.path):
            return int(self.db.execute(sql, values).lastrowid or 0)

    def meta(self, key: str) -> str | None:
        """The value of an entry of the table `meta`, None if there is none."""
        found = self.row("SELECT value FROM meta WHERE key = ?", key)
        return str(found[0]) if found else None

    def set_meta(self, key: str, value: str) -> None:
        """Set or replace an entry of the table `meta`."""
        self.run("INSERT INTO meta VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value", key, value)

    def drop_meta(self, key: str) -> None:
        """Remove an entry of the table `meta`, if it is there."""
        self.run("DELETE FROM meta WHERE key = ?", key)

    def journal(self, kind: str, recorded: Instant, **detail: object) -> int:
        """Append an event. Returns its sequence number."""
        return self.run("INSERT INTO journal (recorded, kind, detail) VALUES (?, ?, ?)", recorded, kind, json.dumps(detail, sort_keys=True))

    @property
    def seq(self) -> int:
        """The sequence number of the last event, 0 if there is none."""
        found = self.row("SELECT max(seq) FROM journal")
        return int(found[0] or 0) if found else 0

    @property
    def last_recorded(self) -> Instant:
        """When the last event was recorded, '' if there is none."""
        found = self.row("SELECT max(recorded) FROM journal")
        return str(found[0] or "") if found else ""

    def rewrite(self) -> bool:
        """Write the file anew, without what was removed. Returns whether its log could be emptied, which no other process may be reading."""
        self.run("VACUUM")
        return self.empty_log()

    def empty_log(self) -> bool:
        """Empty the write-ahead log into the file. Returns False where another process is reading it, so that it stays."""
        found = self.row("PRAGMA wal_checkpoint(TRUNCATE)")
        return found is not None and not found[0]

    def use_keys(self, name: str, keys: Iterator[str] | set[str] | frozenset[str] | list[str]) -> None:
        """Fill the temporary table `name` (key) with the keys, for joins."""
        self.db.execute(f"CREATE TEMP TABLE IF NOT EXISTS {name} (key TEXT PRIMARY KEY) WITHOUT ROWID")
        self.db.execute(f"DELETE FROM {name}")
        self.db.executemany(f"INSERT OR IGNORE INTO {name} VALUES (?)", ((key,) for key in keys))


@contextmanager
def _told(path: Path) -> Iterator[None]:
    """Raises DataDirError for what SQLite cannot do here; errors of a wrong statement come out as they are."""
    try:
        yield
    except (sqlite3.OperationalError, PermissionError) as error:
        hint = "see that there is room on the disk, and that this user may write here"
        raise DataDirError(f"the ledger cannot be used: {error}", where=str(path), hint=hint) from error
    except sqlite3.DatabaseError as error:
        if type(error) is not sqlite3.DatabaseError:
            raise
        raise DataDirError(f"the ledger is damaged: {error}", where=str(path), hint="restore a backup") from error


def _connect_to_read(path: Path) -> sqlite3.Connection:
    """A connection that only reads.

    SQLite makes files beside a ledger that is read. Where it cannot, a ledger that nobody writes is read as it stands,
    and one whose log is not empty is copied into memory.
    """
    if os.access(path, os.W_OK, effective_ids=True) and os.access(path.parent, os.W_OK, effective_ids=True):
        return sqlite3.connect(path, isolation_level=None, timeout=30, check_same_thread=False)
    log = path.with_name(f"{path.name}-wal")
    if not (log.exists() and log.stat().st_size):
        return sqlite3.connect(f"{path.absolute().as_uri()}?immutable=1", uri=True, isolation_level=None, check_same_thread=False)
    copied = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    with tempfile.TemporaryDirectory(prefix="kgplatform-ledger-") as folder:
        for file in (path, log):
            shutil.copyfile(file, Path(folder) / file.name)
        with closing(sqlite3.connect(Path(folder) / path.name)) as opened:
            opened.backup(copied)
    return copied


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, isolation_level=None, timeout=30, check_same_thread=False)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA secure_delete = ON")
    connection.execute("PRAGMA temp_store = MEMORY")
    connection.execute("PRAGMA cache_size = -65536")
    return connection


def scopes_text(scopes: frozenset[str]) -> str:
    """Scopes as a column holds them: sorted, with blanks between them, '' for none."""
    return " ".join(sorted(scopes))


def scopes_of(text: str) -> frozenset[str]:
    """The scopes of a column's text: the inverse of `scopes_text`."""
    return frozenset(text.split())
