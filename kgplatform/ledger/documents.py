"""Documents, versions and claims: appending what was read, erasing what must be forgotten."""

from __future__ import annotations

import hashlib
import itertools
import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ..model import Candidate, Fact, Reading, Scopes
from ..terms import text_key, text_parts
from ..times import Bound, Instant
from . import notices, receipts
from .base import Ledger, scopes_of, scopes_text
from .names import name_relations, surface
from .readings import WITHDRAWN, dated, readings_of, replaced

_LINE_END: Final = re.compile(r"\r\n?|\n")


@dataclass(frozen=True, slots=True)
class Appended:
    """What appending a reading changed. `added` are claims whose fact the document did not say before.

    `state` is one of model.STATES; `is_tightened` where fewer may see the document than before. `reread` are the versions of the
    same content, as it was read before and now.
    """

    document: int
    state: str
    added: tuple[Candidate, ...]
    unchanged: int
    is_tightened: bool
    reread: tuple[int, int] | None = None


def content_hash(content: bytes) -> str:
    """The SHA-256 of the bytes, in hexadecimal: the name of an original and of a version."""
    return hashlib.sha256(content).hexdigest()


def original_hashes(ledger: Ledger) -> set[str]:
    """The hashes of every content that a version has."""
    return {str(row[0]) for row in ledger.rows("SELECT DISTINCT hash FROM version")}


def count_documents(ledger: Ledger) -> int:
    """How many documents the ledger has, whoever may see them."""
    found = ledger.row("SELECT count(*) FROM document")
    return int(found[0]) if found else 0


def is_empty(ledger: Ledger) -> bool:
    """Whether the ledger has no document."""
    return ledger.row("SELECT 1 FROM document LIMIT 1") is None


def documents_of(ledger: Ledger, collection: str) -> dict[int, str]:
    """Id -> name of the documents of a collection."""
    return {int(row[0]): str(row[1]) for row in ledger.rows("SELECT id, name FROM document WHERE collection = ?", collection)}


def documents_named(ledger: Ledger, name: str) -> dict[int, str]:
    """Id -> full name of the documents whose full name (`collection/id`), or whose id alone, is this."""
    rows = ledger.rows("SELECT id, collection || '/' || name FROM document WHERE ? IN (collection || '/' || name, name)", name)
    return {int(row[0]): str(row[1]) for row in rows}


def contents(ledger: Ledger) -> Iterator[tuple[str, str, str]]:
    """(full name, path, hash) of every content that a document ever had."""
    rows = ledger.rows("SELECT DISTINCT d.collection || '/' || d.name, d.path, v.hash FROM document d JOIN version v ON v.document = d.id")
    return ((str(name), str(path), str(digest)) for name, path, digest in rows)


def claim_id(document: str, version: str, candidate: Candidate) -> str:
    """The id of a claim (docs/derivation.md). Confidence, the extractor's version and when it was read do not enter it."""
    fact = candidate.fact
    parts = (document, version, candidate.start, candidate.end, candidate.extractor.partition("/")[0], *fact, candidate.graph)
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:32]


def bound_text(bound: Bound | None) -> str:
    """A bound as a column holds it, '' for None."""
    return "|".join(bound) if bound else ""


def bound_of(text: str) -> Bound | None:
    """The bound of a column's text: the inverse of `bound_text`."""
    return Bound(*text.split("|")) if text else None


def qualifiers_text(fact: Fact) -> str:
    """The qualifiers of a fact as a column holds them: `relation node`, one a line."""
    return "\n".join(f"{relation} {node}" for relation, node in fact.qualifiers)


def qualifiers_of(text: str) -> tuple[tuple[str, str], ...]:
    """The (relation, node) pairs of a column's text: the inverse of `qualifiers_text`."""
    if not text:
        return ()
    return tuple((line.split(" ", 1)[0], line.split(" ", 1)[1]) for line in text.split("\n"))


def find(ledger: Ledger, collection: str, name: str) -> int | None:
    """The id of a document, None if there is none of this name in the collection."""
    found = ledger.row("SELECT id FROM document WHERE collection = ? AND name = ?", collection, name)
    return int(found[0]) if found else None


def find_version(ledger: Ledger, collection: str, name: str, digest: str, extractor: str, complete: bool) -> int | None:
    """The version of a document that has this content, as this extractor read it."""
    found = ledger.row(
        "SELECT v.id FROM version v JOIN document d ON d.id = v.document "
        "WHERE d.collection = ? AND d.name = ? AND v.hash = ? AND v.extractor = ? AND v.complete = ?",
        *(collection, name, digest, extractor, complete),
    )
    return int(found[0]) if found else None


def is_known(ledger: Ledger, reading: Reading) -> bool:
    """Whether exactly this content, by this extractor, is already what the document says, or said on the older date that is declared."""
    document = find(ledger, reading.collection, reading.document)
    if document is None:
        return False
    stands = replaced(readings_of(ledger, document), content_hash(reading.content), reading)
    version = (content_hash(reading.content), reading.extractor, reading.complete)
    is_same = stands is not None and (stands.hash, stands.extractor, stands.complete) == version
    return is_same and not _adds_scopes(ledger, document, reading)


def withdraw(ledger: Ledger, document: int, recorded: Instant) -> None:
    """Record that the file of a document is gone: a version that says nothing, by the extractor of the last one."""
    last = readings_of(ledger, document)[-1]
    key = (document, WITHDRAWN, last.extractor, True)
    row = ledger.row("SELECT id FROM version WHERE document = ? AND hash = ? AND extractor = ? AND complete = ?", *key)
    version = row[0] if row else ledger.run("INSERT INTO version (document, hash, extractor, complete) VALUES (?, ?, ?, ?)", *key)
    _add(ledger, document, version, "", max(recorded, last.date), recorded, None, last.root, last.file)


def _add(
    ledger: Ledger,
    document: int,
    version: int,
    declared: Instant,
    date: Instant,
    recorded: Instant,
    supersedes: int | None,
    root: str,
    file: str,
) -> None:
    ledger.run(
        "INSERT INTO reading SELECT ?1, coalesce(max(ordinal), -1) + 1, ?2, ?3, ?4, ?5, ?6, ?7, ?8 FROM reading WHERE document = ?1",
        *(document, version, declared, date, recorded, supersedes, root, file),
    )


def relocate(ledger: Ledger, reading: Reading) -> None:
    """Note the new file of a document whose content is the same as before: it was moved, or an older format did not note it."""
    document = find(ledger, reading.collection, reading.document)
    last = readings_of(ledger, document)[-1] if document is not None else None
    if (
        last
        and last.hash == content_hash(reading.content)
        and reading.file not in ("", last.file)
        and (not last.file or reading.declared == last.declared)
    ):
        where = (reading.root, reading.file, document, last.ordinal)
        ledger.run("UPDATE reading SET root = ?, file = ? WHERE document = ? AND ordinal = ?", *where)


def _adds_scopes(ledger: Ledger, document: int, reading: Reading) -> bool:
    found = ledger.row("SELECT scopes FROM document WHERE id = ?", document)
    return bool(found) and not reading.scopes <= scopes_of(found[0] if found else "")


def scopes(ledger: Ledger, document: int) -> Scopes:
    """Who may see a document: its own scopes and its collection's."""
    row = ledger.row(
        "SELECT d.scopes || ' ' || coalesce(k.scopes, '') FROM document d LEFT JOIN collection k ON k.name = d.collection WHERE d.id = ?",
        document,
    )
    return scopes_of(row[0]) if row else frozenset()


def held_scopes(ledger: Ledger, reading: Reading) -> Scopes:
    """The scopes of a reading's document: its own, and those that it ever had."""
    document = find(ledger, reading.collection, reading.document)
    found = ledger.row("SELECT scopes FROM document WHERE id = ?", document) if document is not None else None
    return reading.scopes | (scopes_of(found[0]) if found else frozenset())


def append(ledger: Ledger, reading: Reading, recorded: Instant) -> Appended:
    """Store one reading inside the open transaction. The caller has checked `is_known`."""
    name = f"{reading.collection}/{reading.document}"
    document = find(ledger, reading.collection, reading.document)
    is_new = document is None
    if document is None:
        receipts.drop(ledger, name)
        document = ledger.run(
            "INSERT INTO document (collection, name, title, path, scopes, is_text) VALUES (?, ?, ?, ?, '', ?)",
            *(reading.collection, reading.document, reading.title, reading.path, reading.is_text),
        )
    is_tightened = not is_new and _adds_scopes(ledger, document, reading)
    row = ledger.row("SELECT scopes FROM document WHERE id = ?", document)
    scopes = scopes_of(row[0] if row else "") | reading.scopes  # front matter and mappings only add scopes
    digest = content_hash(reading.content)
    before = readings_of(ledger, document)
    last = before[-1] if before else None
    replaces = replaced(before, digest, reading)
    if replaces is None or replaces is last:
        columns = (reading.title, reading.path, reading.is_text)
        ledger.run("UPDATE document SET title = ?, path = ?, is_text = ? WHERE id = ?", *columns, document)
    ledger.run("UPDATE document SET scopes = ? WHERE id = ?", scopes_text(scopes), document)
    compared = replaces or last
    facts_before = _facts_of(ledger, compared.version) if compared else set()
    state = "new" if is_new else "reread" if replaces else "again" if any(earlier.hash == digest for earlier in before) else "changed"
    version = _version(ledger, document, digest, reading, name)
    if replaces is None or replaces.version != version:
        date = replaces.date if replaces else dated(before, reading, recorded, is_snapshot=_is_snapshot(ledger, reading.collection))
        supersedes = replaces.ordinal if replaces else None
        _add(ledger, document, version, reading.declared, date, recorded, supersedes, reading.root, reading.file)
    added = tuple(c for c in reading.claims if _fact_text(c.fact) not in facts_before)
    reread = (replaces.version, version) if replaces and replaces.version != version and replaces.hash == digest else None
    return Appended(document, state, added, len(reading.claims) - len(added), is_tightened, reread)


def _is_snapshot(ledger: Ledger, collection: str) -> bool:
    return ledger.row("SELECT 1 FROM collection WHERE name = ? AND kind = 'snapshot'", collection) is not None


def _version(ledger: Ledger, document: int, digest: str, reading: Reading, name: str) -> int:
    key = (document, digest, reading.extractor, reading.complete)
    stored = ledger.row("SELECT id FROM version WHERE document = ? AND hash = ? AND extractor = ? AND complete = ?", *key)
    if stored:
        return int(stored[0])
    version = ledger.run("INSERT INTO version (document, hash, extractor, complete) VALUES (?, ?, ?, ?)", *key)
    rows, mentions, names = [], set(), name_relations(ledger)
    starts = [0, *(end.end() for end in _LINE_END.finditer(reading.text))]
    for candidate in reading.claims:
        fact = candidate.fact
        label = surface(fact.relation, fact.object, names)
        rows.append(
            (version, claim_id(name, digest, candidate), *_fact_text(fact))
            + (
                candidate.start,
                candidate.end,
                candidate.quote,
                candidate.extractor,
                candidate.confidence,
                candidate.graph,
                label,
                candidate.note,
            )
            + (bisect_right(starts, candidate.start) if candidate.end > candidate.start else 0,)
        )
        for node in (fact.subject, fact.object):
            parts = text_parts(node)
            if parts:
                mentions.add((parts[1], parts[2], node))
    ledger.db.executemany(f"INSERT INTO claim VALUES ({', '.join('?' * 18)})", rows)
    ledger.db.executemany("INSERT OR IGNORE INTO mention VALUES (?, ?, ?)", sorted(mentions))
    ledger.db.executemany("INSERT OR IGNORE INTO passage VALUES (?, ?, ?)", ((version, p.start, p.end) for p in reading.passages))
    notices.keep(ledger, version, reading)
    return version


def _fact_text(fact: Fact) -> tuple[str, str, str, str, str, str, bool]:
    return (fact.subject, fact.relation, fact.object, bound_text(fact.start), bound_text(fact.end), qualifiers_text(fact), fact.positive)


def _facts_of(ledger: Ledger, version: int) -> set[tuple[object, ...]]:
    columns = "subject, relation, object, valid_from, valid_to, qualifiers, positive"
    return {(*row[:6], bool(row[6])) for row in ledger.rows(f"SELECT {columns} FROM claim WHERE version = ?", version)}


def _forget_decisions(ledger: Ledger, name: str) -> None:
    """Decisions about mentions that only this document had: their keys hold its name and its words."""
    for end, prefix in itertools.product("ab", (text_key(name, "", "")[:-1], f"bnode:{name}|")):
        ledger.run(
            f"DELETE FROM decision WHERE instr({end}, ?) = 1 AND NOT EXISTS (SELECT 1 FROM claim WHERE subject = {end}) "
            f"AND NOT EXISTS (SELECT 1 FROM claim WHERE object = {end} AND object NOT GLOB '[\"<]*')",
            prefix,
        )


def erase(ledger: Ledger, document: int) -> frozenset[str]:
    """Forget a document, all its versions and claims. Returns the content hashes that nothing needs any more."""
    hashes = {str(row[0]) for row in ledger.rows("SELECT DISTINCT hash FROM version WHERE document = ?", document)}
    full_name = ledger.row("SELECT collection || '/' || name FROM document WHERE id = ?", document)
    ledger.run("DELETE FROM decision WHERE kind = 'refuse' AND a = ?", full_name[0] if full_name else "")
    for table in ("claim", "passage", "notice"):
        ledger.run(f"DELETE FROM {table} WHERE version IN (SELECT id FROM version WHERE document = ?)", document)
    for table in ("reading", "version"):
        ledger.run(f"DELETE FROM {table} WHERE document = ?", document)
    path = ledger.row("SELECT path FROM document WHERE id = ?", document)
    notices.forget_skipped(ledger, [Path(path[0]).absolute()] if path else [])
    ledger.run("DELETE FROM document WHERE id = ?", document)
    if full_name:
        _forget_decisions(ledger, full_name[0])
    ledger.run(
        "DELETE FROM mention WHERE NOT EXISTS (SELECT 1 FROM claim WHERE subject = mention.key) "
        "AND NOT EXISTS (SELECT 1 FROM claim WHERE object = mention.key AND object NOT GLOB '[\"<]*')"
    )
    return frozenset(hashes - original_hashes(ledger))
