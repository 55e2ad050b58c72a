"""Which readings of a document count, and in what order."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, Protocol, TypeVar

from ..times import Instant
from .base import Ledger


class Placed(Protocol):
    @property
    def ordinal(self) -> int: ...

    @property
    def supersedes(self) -> int | None: ...


R = TypeVar("R", bound=Placed)


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
        "SELECT r.ordinal, r.supersedes, r.version, r.declared, r.date, v.hash, v.extractor, v.complete "
        "FROM reading r JOIN version v ON v.id = r.version WHERE r.document = ? ORDER BY r.ordinal",
        document,
    )
    return counting(Read(*row) for row in rows)
