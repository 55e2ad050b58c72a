"""Opening the ledger, its transactions and its journal."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
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
        """A new, empty ledger; an existing one is opened."""
        if path.exists() and path.stat().st_size:
            return cls.open(path)
        ledger = cls(path, _connect(path))
        with ledger.transaction():
            for statement in TABLES.split(";\n"):
                if statement.strip():
                    ledger.db.execute(statement)
            ledger.set_meta("format", str(FORMAT))
        return ledger

    @classmethod
    def open(cls, path: Path) -> Ledger:
        """An existing ledger. Raises DataDirError if there is none, FormatError for another format."""
        if not path.exists() or not path.stat().st_size:
            raise DataDirError("there is no knowledge graph here", where=str(path.parent), hint="run `kgplatform init` first")
        try:
            ledger = cls(path, _connect(path))
            found = int(ledger.meta("format") or 0)
        except sqlite3.DatabaseError as error:
            raise DataDirError(f"the ledger cannot be read: {error}", where=str(path), hint="restore a backup") from error
        if found > FORMAT:
            raise FormatError(
                f"the data directory has format {found}, this version knows {FORMAT}", where=str(path.parent), hint="use a newer kgplatform"
            )
        if found < FORMAT:
            raise FormatError(f"the data directory has the older format {found}", where=str(path.parent), hint="run `kgplatform upgrade`")
        return ledger

    def close(self) -> None:
        self.db.close()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All or nothing, durable when left."""
        self.db.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self.db.execute("ROLLBACK")
            raise
        self.db.execute("COMMIT")

    def rows(self, sql: str, *values: object) -> Iterator[Row]:
        return iter(self.db.execute(sql, values))

    def row(self, sql: str, *values: object) -> Row | None:
        found: Row | None = self.db.execute(sql, values).fetchone()
        return found

    def run(self, sql: str, *values: object) -> int:
        """Execute one statement; the id of the row it inserted."""
        return int(self.db.execute(sql, values).lastrowid or 0)

    def meta(self, key: str) -> str | None:
        found = self.row("SELECT value FROM meta WHERE key = ?", key)
        return str(found[0]) if found else None

    def set_meta(self, key: str, value: str) -> None:
        self.run("INSERT INTO meta VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value", key, value)

    def journal(self, kind: str, recorded: Instant, **detail: object) -> int:
        """Append an event; its sequence number."""
        return self.run("INSERT INTO journal (recorded, kind, detail) VALUES (?, ?, ?)", recorded, kind, json.dumps(detail, sort_keys=True))

    @property
    def seq(self) -> int:
        found = self.row("SELECT max(seq) FROM journal")
        return int(found[0] or 0) if found else 0

    def use_keys(self, name: str, keys: Iterator[str] | set[str] | frozenset[str] | list[str]) -> None:
        """Fill the temporary table `name` (key) with the keys, for joins."""
        self.db.execute(f"CREATE TEMP TABLE IF NOT EXISTS {name} (key TEXT PRIMARY KEY) WITHOUT ROWID")
        self.db.execute(f"DELETE FROM {name}")
        self.db.executemany(f"INSERT OR IGNORE INTO {name} VALUES (?)", ((key,) for key in keys))


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, isolation_level=None, timeout=30, check_same_thread=False)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA secure_delete = ON")
    connection.execute("PRAGMA temp_store = MEMORY")
    connection.execute("PRAGMA cache_size = -65536")
    return connection


def scopes_text(scopes: frozenset[str]) -> str:
    return " ".join(sorted(scopes))


def scopes_of(text: str) -> frozenset[str]:
    return frozenset(text.split())
