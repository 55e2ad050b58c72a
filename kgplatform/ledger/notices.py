"""What readings did not take or changed, by version; and which files the last ingest of a folder did not read."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from ..model import Audience, Notice, Problem, Reading
from ..times import Instant
from .base import Ledger, scopes_of
from .readings import counting


@dataclass(frozen=True, slots=True)
class Noticed:
    """A notice of what a document says now; `place` is a line or cell of it, '' for the whole."""

    document: str
    kind: str
    what: str
    count: int
    place: str


class _Row(NamedTuple):
    document: int
    ordinal: int
    version: int
    supersedes: int | None


def summed(notices: Iterable[Notice]) -> tuple[Notice, ...]:
    """Notices of equal kind and text as one, with their counts added and the first place."""
    sums: dict[tuple[str, str], Notice] = {}
    for each in notices:
        key = (each.kind, each.what)
        before = sums.get(key)
        sums[key] = Notice(*key, before.count + each.count, before.where or each.where) if before else each
    return tuple(sums.values())


def keep(ledger: Ledger, version: int, reading: Reading) -> None:
    """Store what a version's reading noticed."""
    rows = ((version, each.kind, each.what, each.count, place_of(each, reading.path)) for each in summed(reading.notices))
    ledger.db.executemany("INSERT INTO notice VALUES (?, ?, ?, ?, ?)", rows)


def place_of(notice: Notice, path: str) -> str:
    """The line or cell of a notice inside its document."""
    return notice.where.removeprefix(path).removeprefix(":").removeprefix(", ")


def current(ledger: Ledger, audience: Audience, *, as_of: Instant = "") -> list[Noticed]:
    """The notices of the current version of every document that the audience may read, by document."""
    rows = ledger.rows(
        "SELECT r.document, r.ordinal, r.version, r.supersedes FROM reading r JOIN document d ON d.id = r.document "
        "WHERE ? IN ('', r.recorded) OR r.recorded < ? ORDER BY r.document, r.ordinal",
        *(as_of, as_of),
    )
    readings: dict[int, list[_Row]] = {}
    for row in map(_Row._make, rows):
        readings.setdefault(row.document, []).append(row)
    versions = {counting(of_document)[-1].version for of_document in readings.values()}
    noticed = ledger.rows(
        "SELECT n.version, d.scopes || ' ' || coalesce(k.scopes, ''), d.collection || '/' || d.name, n.kind, n.what, n.count, n.place "
        "FROM notice n JOIN version v ON v.id = n.version JOIN document d ON d.id = v.document "
        "LEFT JOIN collection k ON k.name = d.collection ORDER BY d.collection, d.name, n.kind, n.what"
    )
    return [Noticed(*row[2:]) for row in noticed if row[0] in versions and scopes_of(row[1]) <= audience]


# -- files


def on_one_line(path: str) -> str:
    """A path as it is stored and shown: what cannot be printed, such as line breaks and bytes that are not UTF-8, is escaped."""
    return "".join(each if each.isprintable() else ascii(each)[1:-1] for each in path)


def keep_skipped(ledger: Ledger, roots: Iterable[Path], problems: Iterable[Problem]) -> None:
    """Replace what is known of the unread files below these folders (or of these files). Names of erased documents are not stored."""
    forget_skipped(ledger, roots)
    rows = ((str(Path(each.where).absolute()), each.reason, each.what) for each in problems if each.reason not in ("", "erased"))
    ledger.db.executemany("INSERT OR REPLACE INTO skipped VALUES (?, ?, ?)", rows)


def forget_skipped(ledger: Ledger, roots: Iterable[Path]) -> None:
    """Forget the files below these folders, and these files themselves, also where they are noted with a line (`path:3`)."""
    for root in (on_one_line(str(each)) for each in roots):
        ledger.run("DELETE FROM skipped WHERE path = ?1 OR substr(path, 1, length(?1) + 1) IN (?1 || '/', ?1 || ':')", root)


def skipped(ledger: Ledger) -> list[Problem]:
    """The files that the last ingest of their folder did not read, by path."""
    return [Problem(row[0], row[2], reason=row[1]) for row in ledger.rows("SELECT path, reason, what FROM skipped ORDER BY path")]
