"""What of an erased document must be in no byte any more: the strings that only it had."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain, islice
from urllib.parse import quote

from ahocorasick_rs import BytesAhoCorasick

from ..terms import is_literal, literal_value, text_parts
from .base import Ledger
from .documents import qualifiers_of

SHORTEST = 12
"""Shorter strings are found by chance in binary files."""

_ROWS = 5_000

_KEPT = (
    "SELECT quote, subject, object, graph, qualifiers FROM claim UNION ALL SELECT collection, name, title, path, '' FROM document UNION ALL "
    "SELECT root, file, '', '', '' FROM reading UNION ALL "
    "SELECT a, b, by, reason, ended_by FROM decision UNION ALL SELECT ontology, shapes, '', '', '' FROM release UNION ALL "
    "SELECT name, '', '', '', '' FROM principal UNION ALL SELECT note, '', '', '', '' FROM token UNION ALL "
    "SELECT what, place, '', '', '' FROM notice UNION ALL SELECT path, what, '', '', '' FROM skipped"
)


class Sought:
    """A search for many strings at once, in every spelling that a file could have (a hundred thousand take as long as one)."""

    def __init__(self, texts: Iterable[str]) -> None:
        spelt = {spelling: text for text in texts for spelling in _spellings(text)}
        self._texts = tuple(spelt.values())
        self._search = BytesAhoCorasick(spelt)
        self.longest = max(map(len, spelt), default=0)
        """Bytes of the longest spelling."""

    def is_in(self, content: bytes) -> bool:
        """Whether one of the strings stands in the bytes, in any spelling."""
        return bool(self._search.find_matches_as_indexes(content))

    def those_in(self, content: bytes) -> set[str]:
        """Those of the strings that stand in the bytes, in any spelling."""
        return {self._texts[which] for which, _start, _end in self._search.find_matches_as_indexes(content, overlapping=True)}


def _spellings(text: str) -> set[bytes]:
    """The byte sequences of a string: as text, as part of an IRI, as escaped."""
    spelt = (text, quote(text, safe=""), text.encode("unicode_escape").decode(), text.replace("\n", "\\n").replace('"', '\\"'))
    return {each.encode() for each in spelt}


def strings_of(ledger: Ledger, document: int) -> frozenset[str]:
    """Every string of a document that the platform holds: name, title, path, quotes, values, surfaces."""
    strings: set[str] = set()
    row = ledger.row("SELECT name, title, path FROM document WHERE id = ?", document)
    strings.update(map(str, row or ()))
    for root, file in ledger.rows("SELECT root, file FROM reading WHERE document = ?", document):
        strings.update((root, file))
    full = "SELECT collection || '/' || name FROM document WHERE id = ?"
    strings.update(row[0] for row in ledger.rows(f"SELECT reason FROM decision WHERE kind = 'refuse' AND a = ({full})", document))
    rows = ledger.rows(
        "SELECT DISTINCT subject, object, quote, graph, qualifiers FROM claim WHERE version IN (SELECT id FROM version WHERE document = ?)",
        document,
    )
    for notice_row in ledger.rows("SELECT what, place FROM notice WHERE version IN (SELECT id FROM version WHERE document = ?)", document):
        strings.update(notice_row)
    for subject, node, quoted, graph, qualifiers in rows:
        strings.update((quoted, graph))
        for node_text in (subject, node, *(value for _relation, value in qualifiers_of(qualifiers))):
            parts = text_parts(node_text)
            strings.add(literal_value(node_text) if is_literal(node_text) else parts[1] if parts else node_text.partition(":")[2])
    return frozenset(text for text in strings if len(text) >= SHORTEST)


def still_said(ledger: Ledger, texts: Iterable[str]) -> set[str]:
    """Those of the strings that the ledger still has: in another document, a decision, a release, or the name of a principal."""
    sought = Sought(texts)
    kept: set[str] = set()
    rows = ledger.rows(_KEPT)
    while chunk := list(islice(rows, _ROWS)):
        kept |= sought.those_in("\0".join(chain.from_iterable(chunk)).encode())
    return kept
