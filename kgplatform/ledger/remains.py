"""What of an erased document must be in no byte any more: the strings that only it had."""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import quote

from ..terms import is_literal, literal_value, text_parts
from .base import Ledger

SHORTEST = 12
"""Shorter strings are found by chance in binary files."""


def strings_of(ledger: Ledger, document: int) -> frozenset[str]:
    """Every string of a document that the platform holds: name, title, path, quotes, values, surfaces."""
    found: set[str] = set()
    row = ledger.row("SELECT name, title, path FROM document WHERE id = ?", document)
    found.update(map(str, row or ()))
    rows = ledger.rows(
        "SELECT DISTINCT subject, object, quote, graph FROM claim WHERE version IN (SELECT id FROM version WHERE document = ?)", document
    )
    for subject, node, quoted, graph in rows:
        found.update((quoted, graph))
        if is_literal(node):
            found.add(literal_value(node))
        for key in (subject, node):
            parts = text_parts(key)
            found.add(parts[1] if parts else "" if is_literal(key) else key.partition(":")[2])
    return frozenset(text for text in found if len(text) >= SHORTEST)


def still_said(ledger: Ledger, text: str) -> bool:
    """Whether a document that is still there says the string too, or a decision or principal is called so."""
    sql = (
        "SELECT 1 FROM claim WHERE instr(quote, ?1) OR instr(object, ?1) OR instr(subject, ?1) OR instr(graph, ?1) UNION ALL "
        "SELECT 1 FROM document WHERE instr(collection || '/' || name, ?1) OR instr(title, ?1) OR instr(path, ?1) UNION ALL "
        "SELECT 1 FROM decision WHERE instr(a, ?1) OR instr(b, ?1) UNION ALL "
        "SELECT 1 FROM release WHERE instr(ontology, ?1) OR instr(shapes, ?1) LIMIT 1"
    )
    return ledger.row(sql, text) is not None


def spellings(texts: Iterable[str]) -> dict[bytes, str]:
    """The byte sequences by which the strings could stand in a file: as text, as part of an IRI, as escaped."""
    found: dict[bytes, str] = {}
    for text in texts:
        for spelt in (text, quote(text, safe=""), text.encode("unicode_escape").decode(), text.replace("\n", "\\n").replace('"', '\\"')):
            found[spelt.encode()] = text
    return found
