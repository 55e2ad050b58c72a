"""Which file said last what a document says."""

from __future__ import annotations

from itertools import groupby
from typing import Final, NamedTuple

from ..model import Audience
from ..times import Instant
from .base import Ledger, scopes_of
from .readings import counting

UPLOADED: Final = "upload"
"""The root of a file that came over the web."""


class KnownSource(NamedTuple):
    """A document with the file that said last what it says, the folder that was ingested then, and the hash of its content.

    `root` is '' where only an older format's path is known, which may be relative.
    """

    collection: str
    document: str
    root: str
    file: str
    hash: str

    @property
    def name(self) -> str:
        """The full name, `collection/document`."""
        return f"{self.collection}/{self.document}"


class _Row(NamedTuple):
    document: int
    ordinal: int
    supersedes: int | None
    root: str
    file: str
    hash: str
    path: str
    collection: str
    name: str


def sources(ledger: Ledger, audience: Audience | None, *, collection: str = "") -> list[KnownSource]:
    """The documents that the audience may read, None for all, of one collection or all."""
    rows = ledger.rows(
        "SELECT d.id, r.ordinal, r.supersedes, r.root, r.file, v.hash, d.path, d.collection, d.name, d.scopes || ' ' || coalesce(k.scopes, '') "
        "FROM document d JOIN reading r ON r.document = d.id JOIN version v ON v.id = r.version "
        "LEFT JOIN collection k ON k.name = d.collection WHERE ? IN ('', d.collection) ORDER BY d.id, r.ordinal",
        collection,
    )
    seen = (_Row(*row[:9]) for row in rows if audience is None or scopes_of(row[9]) <= audience)
    return [_source(list(readings)) for _document, readings in groupby(seen, key=lambda row: row.document)]


def _source(rows: list[_Row]) -> KnownSource:
    last = counting(rows)[-1]
    return KnownSource(last.collection, last.name, last.root, last.file or last.path, last.hash)


class LastReading(NamedTuple):
    """The reading of a document that was recorded last, and by which extractor."""

    collection: str
    recorded: Instant
    extractor: str


def last_readings(ledger: Ledger, audience: Audience | None) -> list[LastReading]:
    """Of every document that the audience may read, None for all."""
    rows = ledger.rows(
        "SELECT d.collection, r.recorded, v.extractor, d.scopes || ' ' || coalesce(k.scopes, '') FROM document d "
        "JOIN reading r ON r.document = d.id JOIN version v ON v.id = r.version LEFT JOIN collection k ON k.name = d.collection "
        "WHERE r.ordinal = (SELECT max(ordinal) FROM reading WHERE document = d.id)"
    )
    return [LastReading(*row[:3]) for row in rows if audience is None or scopes_of(row[3]) <= audience]
