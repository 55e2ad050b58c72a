"""Documents as a view may read them: lists, one version with all that was read from it, and what came in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import closing
from typing import Any, NamedTuple

from ..answer.bounds import since_words, until_words
from ..curation.rejections import rejections
from ..data_directory import DataDir
from ..ledger import document_views as stored
from ..ledger.decisions import DecisionRow
from ..model import CitedClaim, Fact, Scopes
from ..projection.consistency import open_ledger
from ..query.entity_names import canonicals, names_of
from ..query.statistics import refusals
from ..settings.load import Settings
from ..terms import class_iri, entity_iri, is_class, is_entity, is_literal, literal_value
from ..times import Instant
from ..views.view import View
from .excerpts import original_text


class ReadVersion(NamedTuple):
    """One version of a document. `passages` are (start, end) of what of its text was read, none where its format has no passages.

    `claims` are those that the caller may see, by id; `not_taken` says of some why they are refused, `rejected` are those that a steward rejected.
    """

    document: stored.VersionedDocument
    version: stored.Version
    text: str
    passages: list[tuple[int, int]]
    claims: dict[str, tuple[Fact, CitedClaim]]
    not_taken: dict[str, str]
    rejected: frozenset[str]

    @property
    def is_newest(self) -> bool:
        """Whether it is what the document says now."""
        return self.version == self.document.versions[-1]


def documents(view: View) -> list[stored.DocumentEntry]:
    """Every document that the caller may read, by name."""
    return stored.document_entries(view.sight.ledger, view.audience)


def is_there(settings: Settings, scopes: Scopes, name: str) -> bool:
    """Whether there is a document of that name (collection/id) which holders of the scopes may read."""
    collection, _, rest = name.partition("/")
    with closing(open_ledger(DataDir(settings.data))) as ledger:
        return stored.find_document(ledger, collection, rest, scopes) is not None


def version_dates(view: View, names: Iterable[str]) -> dict[tuple[str, str], Instant]:
    """(document, hash of a version) -> its date, for those of these documents that the caller may read."""
    dates: dict[tuple[str, str], Instant] = {}
    for name in names:
        document = _found(view, name)
        dates |= {(name, version.hash): version.date for version in document.versions} if document else {}
    return dates


def read_version(view: View, settings: Settings, name: str, version: str, *, with_rejected: bool) -> ReadVersion | None:
    """The version whose hash begins so (8 characters or more; '' is the newest), with its claims, rejected ones where that is asked for.

    None for what is not there, or is hidden.
    """
    document = _found(view, name)
    chosen = _version(document, version) if document else None
    text = original_text(settings, chosen.hash) if chosen else None
    if document is None or chosen is None or text is None:
        return None
    ledger = view.sight.ledger
    claims = view.claims(stored.claims_said(ledger, document.id, chosen.hash))
    rejected = rejections(ledger, document.name, {claim: fact for claim, (fact, _cited) in claims.items()})
    if not with_rejected:
        claims = {claim: pair for claim, pair in claims.items() if claim not in rejected}
    not_taken = {**refusals(view, claims), **{claim: _rejected(row) for claim, row in rejected.items() if claim in claims}}
    passages = stored.passages(ledger, document.id, chosen.hash)
    return ReadVersion(document, chosen, text, passages, claims, not_taken, frozenset(rejected))


def _found(view: View, name: str) -> stored.VersionedDocument | None:
    collection, _, rest = name.partition("/")
    return stored.find_document(view.sight.ledger, collection, rest, view.audience)


def _version(document: stored.VersionedDocument, hash_: str) -> stored.Version | None:
    if not hash_:
        return document.versions[-1] if document.versions else None
    return next((each for each in document.versions if len(hash_) >= 8 and each.hash.startswith(hash_)), None)


def _rejected(row: DecisionRow) -> str:
    return f"rejected by {row.by}: {row.reason}" if row.reason else f"discarded by {row.by}"


def claims_in_words(view: View, claims: Mapping[str, tuple[Fact, CitedClaim]], not_taken: Mapping[str, str]) -> list[dict[str, Any]]:
    """The claims of a document in labels and words, in the order of its text."""
    keys = {node for fact, _ in claims.values() for node in (fact.subject, fact.object) if is_entity(node)}
    iris = {key: entity_iri(view.base, key) for key in keys}
    known = canonicals(view, iris.values())
    names = names_of(view, known.values())

    def end(node: str, *, is_linked: bool) -> dict[str, str]:
        if is_literal(node):
            return {"label": literal_value(node), "iri": ""}
        if is_class(node):
            return {"label": view.schema.label(class_iri(node)), "iri": ""}
        iri = known[iris[node]]
        return {"label": names[iri], "iri": iri if is_linked else ""}

    def row(claim: str, fact: Fact, cited: CitedClaim) -> dict[str, Any]:
        is_taken = claim not in not_taken
        when = " ".join(part for part in (since_words(fact.start) if fact.start else "", until_words(fact.end) if fact.end else "") if part)
        return {
            "id": claim,
            "subject": end(fact.subject, is_linked=is_taken),
            "relation": view.schema.label(fact.relation),
            "object": end(fact.object, is_linked=is_taken),
            "positive": fact.positive,
            "when": when,
            "trust": cited.trust,
            "extractor": cited.extractor,
            "note": cited.note,
            "refused": not_taken.get(claim, ""),
            "start": cited.start,
        }

    rows = [row(claim, fact, cited) for claim, (fact, cited) in claims.items()]
    return sorted(rows, key=lambda each: (each["start"], each["relation"], each["id"]))


def arrivals(view: View, *, limit: int, offset: int) -> list[stored.Arrival]:
    """What was read of the documents that the caller may read, newest first."""
    return stored.arrivals(view.sight.ledger, view.audience, limit=limit, offset=offset)


def releases(view: View) -> list[Instant]:
    """When the ontology changed, newest first."""
    return stored.releases(view.sight.ledger)
