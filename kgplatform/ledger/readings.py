"""Which readings of a document count, in what order, and what a new one means beside them.

A document says what it said last. What it says again after it said something else is news, and what it says twice in a row is not.
An older version is read again without news where its file is another one than that of the newest version (a folder of dated versions).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from itertools import takewhile
from typing import Final, NamedTuple, Protocol, TypeVar

from ..model import Reading
from ..times import Instant
from .base import Ledger

WITHDRAWN: Final = hashlib.sha256(b"").hexdigest()
"""The hash of a version that says nothing: the file of its document was gone. No reader takes an empty file."""


class PlacedReading(Protocol):
    """What `counting` needs of a reading: its place among those of its document, and the place of the one that it replaces."""

    @property
    def ordinal(self) -> int:
        """The number of the reading in its document, by when it was recorded."""

    @property
    def supersedes(self) -> int | None:
        """The ordinal of the reading that it replaces, None if it replaces none."""


R = TypeVar("R", bound=PlacedReading)


class Read(NamedTuple):
    """A reading with the version that it found."""

    ordinal: int
    supersedes: int | None
    version: int
    declared: Instant
    date: Instant
    hash: str
    extractor: str
    complete: bool
    root: str
    file: str


def counting(rows: Iterable[R]) -> list[R]:
    """The readings of a document, given by ordinal, that none supersedes; each stands where the one it supersedes stood."""
    rows = list(rows)
    place: dict[int | None, int] = {}
    for row in rows:
        place[row.ordinal] = place.get(row.supersedes, row.ordinal)
    superseded = {row.supersedes for row in rows}
    return sorted((row for row in rows if row.ordinal not in superseded), key=lambda row: place[row.ordinal])


def readings_of(ledger: Ledger, document: int) -> list[Read]:
    """The readings of a document that count, oldest first."""
    rows = ledger.rows(
        "SELECT r.ordinal, r.supersedes, r.version, r.declared, r.date, v.hash, v.extractor, v.complete, r.root, r.file "
        "FROM reading r JOIN version v ON v.id = r.version WHERE r.document = ? ORDER BY r.ordinal",
        document,
    )
    return counting(Read(*row) for row in rows)


def replaced(before: list[Read], digest: str, reading: Reading) -> Read | None:
    """The one of the counting readings in whose place a new one of the content `digest` stands; None where it comes after all of them.

    That is the last one, where it says the same and no later date is declared. Else, where the new one is of an older date and of
    another file, it is the last one that declared this date: read again, or corrected where it was read whole.
    """
    if not before:
        return None
    last = before[-1]
    if last.hash == WITHDRAWN or reading.declared > last.date:
        return None
    if last.hash == digest:
        return last
    if not reading.declared or reading.declared == last.declared or reading.file and reading.file == last.file:
        return None
    of_date = [one for one in _since_withdrawn(before) if one.declared == reading.declared]
    return of_date[-1] if of_date and (of_date[-1].hash == digest or reading.complete) else None


def _since_withdrawn(before: list[Read]) -> list[Read]:
    return list(takewhile(lambda one: one.hash != WITHDRAWN, reversed(before)))[::-1]


def dated(before: list[Read], reading: Reading, recorded: Instant, *, is_snapshot: bool) -> Instant:
    """From when on a reading that comes after all others counts.

    A later declared date counts as it is. Otherwise a snapshot counts from when it was read, since its content has changed, and a
    statement corrects: it keeps the date that it declares again, or that the version declared which it corrects.
    """
    if not before:
        return reading.declared or recorded
    last = before[-1]
    if reading.declared > last.date:
        return reading.declared
    stated = [one.date for one in before if one.declared]
    if not is_snapshot and (reading.declared or stated):
        return reading.declared or stated[-1]
    return max(recorded, last.date)
