"""Documents as one audience may read them: their versions, what each says, and when they came in."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import NamedTuple

from ..model import Audience
from ..times import Instant
from .base import Ledger, scopes_of
from .readings import WITHDRAWN, counting

_SCOPES = "d.scopes || ' ' || coalesce(k.scopes, '')"
_FROM = "FROM document d LEFT JOIN collection k ON k.name = d.collection"


class Version(NamedTuple):
    """One content of a document: said from `date` on, read at `recorded`."""

    hash: str
    date: Instant
    recorded: Instant


class VersionedDocument(NamedTuple):
    """One document with its versions, oldest first; `withdrawn` is since when its file is known to be gone, '' where it is not."""

    id: int
    name: str
    title: str
    is_text: bool
    scopes: frozenset[str]
    versions: tuple[Version, ...]
    withdrawn: Instant


class Arrival(NamedTuple):
    """One reading of one document, as the history of ingests lists it."""

    recorded: Instant
    document: str
    title: str
    version: str
    date: Instant
    claims: int

    @property
    def is_withdrawal(self) -> bool:
        """Whether the reading found the file of the document gone."""
        return self.version == WITHDRAWN


def find_document(ledger: Ledger, collection: str, name: str, audience: Audience) -> VersionedDocument | None:
    """The document; None if there is none, or none that the audience may read."""
    row = ledger.row(f"SELECT d.id, d.title, d.is_text, {_SCOPES} {_FROM} WHERE d.collection = ? AND d.name = ?", collection, name)
    if row is None or not scopes_of(row[3]) <= audience:
        return None
    read = [_Read(*each) for each in ledger.rows(f"SELECT {_READ} WHERE r.document = ? ORDER BY r.ordinal", row[0])]
    return VersionedDocument(row[0], f"{collection}/{name}", row[1], bool(row[2]), scopes_of(row[3]), *_versions(read))


class _Read(NamedTuple):
    document: int
    ordinal: int
    supersedes: int | None
    hash: str
    date: Instant
    recorded: Instant


_READ = "r.document, r.ordinal, r.supersedes, v.hash, r.date, r.recorded FROM reading r JOIN version v ON v.id = r.version"


def _versions(rows: list[_Read]) -> tuple[tuple[Version, ...], Instant]:
    """The contents of a document, as it said them: the one that it says now comes last, one that was corrected in its place first.

    Beside them since when it is withdrawn, '' if it is not.
    """
    kept: dict[str, Version] = {}
    counted = counting(rows)
    last = ""
    for row in (*(each for each in rows if each not in counted), *counted):
        if row.hash != last:
            kept.pop(row.hash, None)
            kept[row.hash] = Version(row.hash, row.date, row.recorded)
        last = row.hash
    withdrawn = kept.pop(WITHDRAWN, None)
    return tuple(kept.values()), withdrawn.date if withdrawn and last == WITHDRAWN else ""


def claims_said(ledger: Ledger, document: int, version: str) -> list[str]:
    """The ids of the claims that a version says, by place; the last reading's, where several extractors read the same content."""
    rows = ledger.rows(
        "SELECT c.id FROM claim c WHERE c.version = (SELECT r.version FROM reading r JOIN version v ON v.id = r.version "
        "WHERE r.document = ? AND v.hash = ? ORDER BY r.ordinal DESC LIMIT 1) ORDER BY c.start, c.end DESC, c.id",
        document,
        version,
    )
    return list(dict.fromkeys(row[0] for row in rows))


def passages(ledger: Ledger, document: int, version: str) -> list[tuple[int, int]]:
    """(start, end) of what of a version's text was read; none where its format has no passages."""
    rows = ledger.rows(
        "SELECT p.start, p.end FROM passage p WHERE p.version = (SELECT r.version FROM reading r JOIN version v ON v.id = r.version "
        "WHERE r.document = ? AND v.hash = ? ORDER BY r.ordinal DESC LIMIT 1) ORDER BY p.start",
        document,
        version,
    )
    return [(row[0], row[1]) for row in rows]


def arrivals(ledger: Ledger, audience: Audience, *, limit: int, offset: int = 0) -> list[Arrival]:
    """What was read of the documents that the audience may read, newest first."""
    visible: Iterator[Arrival] = (
        Arrival(*row[:6])
        for row in ledger.rows(
            "SELECT r.recorded, d.collection || '/' || d.name, d.title, v.hash, r.date, "
            f"(SELECT count(*) FROM claim c WHERE c.version = v.id), {_SCOPES} {_FROM} "
            "JOIN reading r ON r.document = d.id JOIN version v ON v.id = r.version "
            "ORDER BY r.recorded DESC, d.collection, d.name, r.ordinal DESC"
        )
        if scopes_of(row[6]) <= audience
    )
    return [arrival for number, arrival in zip(range(offset + limit), visible, strict=False) if number >= offset]


def releases(ledger: Ledger) -> list[Instant]:
    """When the ontology changed, newest first."""
    return [str(row[0]) for row in ledger.rows("SELECT recorded FROM release ORDER BY id DESC")]


class DocumentEntry(NamedTuple):
    """A document in a list: its newest version's date, how many versions it has, and since when it is withdrawn."""

    name: str
    title: str
    date: Instant
    versions: int
    withdrawn: Instant


def document_entries(ledger: Ledger, audience: Audience) -> list[DocumentEntry]:
    """Every document that the audience may read, by name."""
    documents = {
        row[0]: (row[1], row[2])
        for row in ledger.rows(f"SELECT d.id, d.collection || '/' || d.name, d.title, {_SCOPES} {_FROM} ORDER BY d.collection, d.name")
        if scopes_of(row[3]) <= audience
    }
    readings = groupby((_Read(*row) for row in ledger.rows(f"SELECT {_READ} ORDER BY r.document, r.ordinal")), key=lambda row: row.document)
    histories = {document: _versions(list(rows)) for document, rows in readings if document in documents}
    shown = ((documents[document], *histories[document]) for document in documents if document in histories)
    return [DocumentEntry(*names, versions[-1].date, len(versions), withdrawn) for names, versions, withdrawn in shown]
