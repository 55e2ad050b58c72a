"""Reading the ground: claims, readings and decisions, whole or by the keys they name."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Final, NamedTuple

from ..model import Fact
from ..terms import EXPECTED_TYPE, TYPE, is_identified, text_parts
from ..times import Instant
from .base import Ledger, Row, scopes_of
from .documents import bound_of, bound_text, qualifiers_of, qualifiers_text
from .names import name_relations

EVERY: Final = ""
"""What a refusal cites in place of one fact when it means all that its document says, in any version."""

SHORTEST_ID: Final = 4
"""Characters of a claim's id that name it, if no other id begins with them."""

_FACT = "c.subject, c.relation, c.object, c.valid_from, c.valid_to, c.qualifiers, c.positive"
_CLAIM = f"c.version, c.id, c.start, c.end, {_FACT}"
_NAMES_ENTITY = "c.object NOT GLOB '[\"<]*'"
_bound = lru_cache(maxsize=65536)(bound_of)
_qualifiers = lru_cache(maxsize=4096)(qualifiers_of)


class ClaimRow(NamedTuple):
    """A claim with its version and its span there, in characters; start equals end where it quotes nothing."""

    version: int
    id: str
    start: int
    end: int
    fact: Fact


class ReadingRow(NamedTuple):
    """One reading of a document, superseded ones too; scopes are the collection's and the document's."""

    document: int
    ordinal: int
    version: int
    date: Instant
    complete: bool
    extractor: str
    supersedes: int | None
    name: str
    title: str
    scopes: frozenset[str]
    is_snapshot: bool
    trust: str
    hash: str


def fact_hash(fact: Fact) -> str:
    """What a refusal cites for a fact: it is the same in every version of a document that says it."""
    parts = (*fact[:3], bound_text(fact.start), bound_text(fact.end), qualifiers_text(fact), fact.positive)
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:32]


def readings(ledger: Ledger, *, as_of: Instant = "", version: int | None = None) -> Iterator[ReadingRow]:
    """Every reading recorded by `as_of` ('' is now), by document and ordinal; with `version`, those of its document."""
    sql = (
        "SELECT d.id, r.ordinal, r.version, r.date, v.complete, v.extractor, r.supersedes, d.collection || '/' || d.name, d.title, d.scopes, "
        "coalesce(k.scopes, ''), coalesce(k.kind, 'statement'), coalesce(CASE WHEN d.is_text THEN k.texts ELSE k.trust END, 'extracted'), v.hash "
        "FROM document d JOIN reading r ON r.document = d.id JOIN version v ON v.id = r.version "
        "LEFT JOIN collection k ON k.name = d.collection WHERE (? = '' OR r.recorded <= ?)"
    )
    values: list[object] = [as_of, as_of]
    if version is not None:
        sql += " AND d.id = (SELECT document FROM version WHERE id = ?)"
        values.append(version)
    for row in ledger.rows(f"{sql} ORDER BY d.id, r.ordinal", *values):
        scopes = scopes_of(row[9]) | scopes_of(row[10])
        document, ordinal, version, date, complete, extractor, supersedes, name, title = row[:9]
        yield ReadingRow(
            *(
                document,
                ordinal,
                version,
                date,
                bool(complete),
                extractor,
                supersedes,
                name,
                title,
                scopes,
                row[11] == "snapshot",
                *row[12:],
            )
        )


def versions_of(ledger: Ledger, document: str) -> list[int]:
    """Every version of a document, by its full name."""
    sql = "SELECT v.id FROM document d JOIN version v ON v.document = d.id WHERE d.collection = ? AND d.name = ?"
    return [int(row[0]) for row in ledger.rows(sql, *document.split("/", 1))]


def scope_sets(ledger: Ledger) -> set[frozenset[str]]:
    """The scopes of all documents, each set once."""
    rows = ledger.rows("SELECT DISTINCT d.scopes, coalesce(k.scopes, '') FROM document d LEFT JOIN collection k ON k.name = d.collection")
    return {scopes_of(own) | scopes_of(given) for own, given in rows}


def is_refused(refused: frozenset[tuple[str, str]], document: str, fact: Fact) -> bool:
    """Whether `decisions.rejected` names the fact as this document says it, or all that it says."""
    return bool(refused) and ((document, EVERY) in refused or (document, fact_hash(fact)) in refused)


def ids_beginning(ledger: Ledger, text: str) -> set[str]:
    """The ids of claims, of any document, that begin with the text; none for a text below SHORTEST_ID or with other letters than ids have."""
    if len(text) < SHORTEST_ID or not set(text) <= set("0123456789abcdef"):
        return set()
    return {str(row[0]) for row in ledger.rows("SELECT DISTINCT id FROM claim WHERE id >= ? AND id < ? || 'g'", text, text)}


def all_claims(ledger: Ledger) -> Iterator[ClaimRow]:
    """Every claim of every version, also of those that no longer count."""
    return _claims(ledger.rows(f"SELECT {_CLAIM} FROM claim c"))


def claims_about(ledger: Ledger, subjects: Iterable[str], *, relations: Iterable[str], turned: Iterable[str]) -> Iterator[ClaimRow]:
    """Claims of `relations` whose subject is one of the keys, or, for the relations in `turned`, whose object is."""
    ledger.use_keys("about_key", set(subjects))
    ledger.use_keys("about_relation", set(relations))
    ledger.use_keys("about_turned", set(turned))
    return _claims(
        ledger.rows(
            f"SELECT {_CLAIM} FROM about_key k CROSS JOIN claim c ON c.subject = k.key "
            "WHERE c.relation IN (SELECT key FROM about_relation) UNION "
            f"SELECT {_CLAIM} FROM about_key k CROSS JOIN claim c ON c.object = k.key WHERE {_NAMES_ENTITY} "
            "AND c.relation IN (SELECT key FROM about_turned)"
        )
    )


def claims_naming(ledger: Ledger, keys: Iterable[str], documents: Iterable[int] | None = None) -> Iterator[ClaimRow]:
    """Claims that name one of the keys as subject or object, of all documents or of those with these ids."""
    ledger.use_keys("named_key", set(keys))
    only = ""
    if documents is not None:
        ledger.use_keys("named_document", {str(d) for d in documents})
        only = " AND c.version IN (SELECT id FROM version WHERE CAST(document AS TEXT) IN (SELECT key FROM named_document))"
    return _claims(
        ledger.rows(
            f"SELECT {_CLAIM} FROM named_key k CROSS JOIN claim c ON c.subject = k.key WHERE TRUE{only} UNION "
            f"SELECT {_CLAIM} FROM named_key k CROSS JOIN claim c ON c.object = k.key WHERE {_NAMES_ENTITY}{only}"
        )
    )


def versions_naming(ledger: Ledger, keys: Iterable[str]) -> Iterator[tuple[str, int]]:
    """(key, version) for every version in which a claim names the key."""
    ledger.use_keys("named_key", set(keys))
    return (
        (row[0], row[1])
        for row in ledger.rows(
            "SELECT k.key, c.version FROM named_key k CROSS JOIN claim c ON c.subject = k.key UNION "
            f"SELECT k.key, c.version FROM named_key k CROSS JOIN claim c ON c.object = k.key WHERE {_NAMES_ENTITY}"
        )
    )


def naming_claims(ledger: Ledger, keys: Iterable[str]) -> Iterator[ClaimRow]:
    """The claims of types and labels whose subject is one of the keys."""
    return claims_about(ledger, keys, relations=name_relations(ledger) | {TYPE, EXPECTED_TYPE}, turned=())


def facts_of(ledger: Ledger, documents: Iterable[int]) -> set[Fact]:
    """Every fact that any version of the documents says."""
    facts: set[Fact] = set()
    for document in documents:
        rows = ledger.rows(f"SELECT DISTINCT {_FACT} FROM claim c WHERE c.version IN (SELECT id FROM version WHERE document = ?)", document)
        facts |= {_fact(row) for row in rows}
    return facts


def facts_of_version(ledger: Ledger, version: int) -> set[Fact]:
    """Every fact that one version of a document says."""
    return {_fact(row) for row in ledger.rows(f"SELECT DISTINCT {_FACT} FROM claim c WHERE c.version = ?", version)}


def facts_by_id(ledger: Ledger, claims: Iterable[str]) -> dict[str, Fact]:
    """Claim id -> what it says. The caller has the ids from a view: who may see them is not checked here."""
    ledger.use_keys("wanted_claim", set(claims))
    return {row[0]: _fact(row[1:]) for row in ledger.rows(f"SELECT c.id, {_FACT} FROM wanted_claim w CROSS JOIN claim c ON c.id = w.key")}


def naming_closure(ledger: Ledger, keys: Iterable[str]) -> set[str]:
    """The keys, and all keys that decisions or equal labels could join with them, in any view and class."""
    reached: set[str] = set()
    frontier = set(keys)
    while frontier:
        reached |= frontier
        ledger.use_keys("frontier", frontier)
        ledger.use_keys("frontier_surface", {parts[1] for key in frontier if (parts := text_parts(key))})
        joined = {row[0] for row in ledger.rows("SELECT d.b FROM frontier f JOIN decision d ON d.a = f.key WHERE d.ended IS NULL")}
        joined |= {row[0] for row in ledger.rows("SELECT d.a FROM frontier f JOIN decision d ON d.b = f.key WHERE d.ended IS NULL")}
        labelled_alike = ledger.rows("SELECT DISTINCT c.subject FROM frontier_surface s CROSS JOIN claim c ON c.surface = s.key")
        joined |= {row[0] for row in labelled_alike if is_identified(row[0])}
        if ledger.row("SELECT 1 FROM mention LIMIT 1"):
            ledger.use_keys("frontier_identified", {key for key in frontier if is_identified(key)})
            mentioned = ledger.rows(
                "SELECT DISTINCT m.key FROM frontier_identified f CROSS JOIN claim c ON c.subject = f.key CROSS JOIN mention m ON m.surface = c.surface "
                "WHERE c.surface IS NOT NULL"
            )
            joined |= {row[0] for row in mentioned}
        frontier = joined - reached
    return reached


def _claims(rows: Iterable[Row]) -> Iterator[ClaimRow]:
    for version, claim, start, end, *fact in rows:
        yield ClaimRow(version, claim, start, end, _fact(tuple(fact)))


def _fact(row: Row) -> Fact:
    subject, relation, node, start, end, qualifiers, positive = row
    return Fact(subject, relation, node, _bound(start), _bound(end), _qualifiers(qualifiers), bool(positive))
