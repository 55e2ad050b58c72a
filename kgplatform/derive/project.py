"""Assertions, claims, documents and identities -> RDF triples (pure; the vocabulary is docs/data-model.md)."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from functools import lru_cache
from typing import Final

import pyoxigraph as ox

from ..model import DerivedAssertion
from ..terms import (
    DCTERMS,
    KG,
    PROV,
    RDF,
    XSD,
    assertion_iri,
    claim_iri,
    document_iri,
    entity_iri,
    literal_value,
    node_term,
)
from ..times import Bound, Instant
from ..validate.gate import Reason
from .evidence import Evidence, History

FACTS: Final = "facts"
RECORDS: Final = "records"


def _named(iri: str) -> ox.NamedNode:
    return ox.NamedNode(iri)


_TYPE = _named(RDF.type)
_SUBJECT, _PREDICATE, _OBJECT = _named(RDF.subject), _named(RDF.predicate), _named(RDF.object)
_ASSERTION, _CLAIM, _DOCUMENT = _named(KG.Assertion), _named(KG.Claim), _named(KG.Document)
_START, _END = _named(KG.start), _named(KG.end)
_START_KIND, _END_KIND = _named(KG.startKind), _named(KG.endKind)
_START_PRECISION, _END_PRECISION = _named(KG.startPrecision), _named(KG.endPrecision)
_START_AFTER, _END_AFTER = _named(KG.startAfter), _named(KG.endAfter)
_PLAIN, _POSITIVE = _named(KG.plain), _named(KG.positive)
_LABEL_KEY = _named(KG.labelKey)
_DERIVED_FROM = _named(PROV.wasDerivedFrom)
_IN_DOCUMENT, _TRUST = _named(KG.document), _named(KG.trust)
_SPAN_START, _SPAN_END = _named(KG.spanStart), _named(KG.spanEnd)
_REASON = _named(KG.quarantineReason)
_QUARANTINED, _FINDING, _CONFLICTS = _named(KG.quarantined), _named(KG.finding), _named(KG.conflictsWith)
_CANONICAL = _named(KG.canonical)
_TITLE, _IDENTIFIER, _DATE = _named(DCTERMS.title), _named(DCTERMS.identifier), _named(DCTERMS.date)
_BOOLEANS = {flag: ox.Literal(str(flag).lower(), datatype=_named(XSD.boolean)) for flag in (True, False)}
_DATE_TIME = _named(XSD.dateTime)


@lru_cache(maxsize=65536)
def _instant(instant: Instant) -> ox.Literal:
    return ox.Literal(instant, datatype=_DATE_TIME)


@lru_cache(maxsize=1024)
def _word(text: str) -> ox.Literal:
    return ox.Literal(text)


@lru_cache(maxsize=65536)
def _relation(iri: str) -> ox.NamedNode:
    return ox.NamedNode(iri)


def label_key(text: str) -> str:
    """The form in which labels are looked up: casefolded, single-spaced (labels are NFC already)."""
    return " ".join(text.casefold().split())


def _assertion_id(assertion: DerivedAssertion) -> str:
    """The id of an assertion: a hash of all its fields, so that equal assertions have one id."""
    return hashlib.sha256(repr(tuple(assertion)).encode()).hexdigest()[:32]


def assertion_node(base: str, assertion: DerivedAssertion) -> ox.NamedNode:
    """The IRI of an assertion below the base, as a term."""
    return ox.NamedNode(assertion_iri(base, _assertion_id(assertion)))


def assertion_triples(base: str, node: ox.NamedNode, assertion: DerivedAssertion, names: AbstractSet[str]) -> Iterator[ox.Triple]:
    """The star of an assertion, in the records layer. A value of one of the relations in `names` is found as a name."""
    yield ox.Triple(node, _TYPE, _ASSERTION)
    yield ox.Triple(node, _SUBJECT, node_term(base, assertion.subject))
    yield ox.Triple(node, _PREDICATE, _relation(assertion.relation))
    yield ox.Triple(node, _OBJECT, node_term(base, assertion.object))
    yield from _bound(node, assertion.start, _START, _START_KIND, _START_PRECISION, _START_AFTER)
    yield from _bound(node, assertion.end, _END, _END_KIND, _END_PRECISION, _END_AFTER)
    yield ox.Triple(node, _PLAIN, _BOOLEANS[assertion.is_plain])
    yield ox.Triple(node, _POSITIVE, _BOOLEANS[assertion.positive])
    for relation, value in assertion.qualifiers:
        yield ox.Triple(node, _relation(relation), node_term(base, value))
    if assertion.relation in names:
        yield ox.Triple(node, _LABEL_KEY, ox.Literal(label_key(literal_value(assertion.object))))


def _bound(
    node: ox.NamedNode, bound: Bound, at: ox.NamedNode, kind: ox.NamedNode, precision: ox.NamedNode, after: ox.NamedNode
) -> Iterator[ox.Triple]:
    yield ox.Triple(node, at, _instant(bound.at))
    yield ox.Triple(node, kind, _word(bound.kind))
    yield ox.Triple(node, precision, _word(bound.precision))
    if bound.after:
        yield ox.Triple(node, after, _instant(bound.after))


def direct_triple(base: str, assertion: DerivedAssertion) -> ox.Triple:
    """The fact itself, in the facts layer, for a plain assertion that holds now."""
    return ox.Triple(node_term(base, assertion.subject), _relation(assertion.relation), node_term(base, assertion.object))  # type: ignore[arg-type]


def link_triples(base: str, node: ox.NamedNode, evidence: tuple[Evidence, ...]) -> Iterator[ox.Triple]:
    """The links of an assertion to every claim of its evidence, in the records layer."""
    for item in evidence:
        for claims in item.claims:
            for claim in claims:
                yield ox.Triple(node, _DERIVED_FROM, ox.NamedNode(claim_iri(base, claim)))


def conflict_triples(one: ox.NamedNode, other: ox.NamedNode) -> Iterator[ox.Triple]:
    """The two triples that say of each assertion that it conflicts with the other one."""
    yield ox.Triple(one, _CONFLICTS, other)
    yield ox.Triple(other, _CONFLICTS, one)


def claim_triples(base: str, item: Evidence, spans: dict[str, tuple[int, int]], reason: Reason | None) -> Iterator[ox.Triple]:
    """The claims of one piece of evidence; `reason` is why they are quarantined, None if accepted."""
    document = ox.NamedNode(document_iri(base, *item.document.split("/", 1)))
    for claim in {claim for claims in item.claims for claim in claims}:
        node = ox.NamedNode(claim_iri(base, claim))
        yield ox.Triple(node, _TYPE, _CLAIM)
        yield ox.Triple(node, _IN_DOCUMENT, document)
        yield ox.Triple(node, _TRUST, _integer(item.trust))
        start, end = spans.get(claim, (0, 0))
        if end > start:
            yield ox.Triple(node, _SPAN_START, _integer(start))
            yield ox.Triple(node, _SPAN_END, _integer(end))
        if reason:
            yield ox.Triple(node, _QUARANTINED, _word(reason.code))
            yield ox.Triple(node, _REASON, _word(reason.message))


def finding_triples(base: str, item: Evidence, finding: str) -> Iterator[ox.Triple]:
    """A finding on every claim of one piece of evidence, in the records layer."""
    for claims in item.claims:
        for claim in claims:
            yield ox.Triple(ox.NamedNode(claim_iri(base, claim)), _FINDING, _word(finding))


@lru_cache(maxsize=65536)
def _integer(number: int) -> ox.Literal:
    return ox.Literal(number)


def document_triples(base: str, history: History) -> Iterator[ox.Triple]:
    """The record of a document: its identifier, its title (the identifier where it has none) and the date of its last version."""
    node = ox.NamedNode(document_iri(base, *history.document.split("/", 1)))
    yield ox.Triple(node, _TYPE, _DOCUMENT)
    yield ox.Triple(node, _IDENTIFIER, ox.Literal(history.document))
    yield ox.Triple(node, _TITLE, ox.Literal(history.title or history.document))
    if history.observations:
        yield ox.Triple(node, _DATE, _instant(history.observations[-1].date))


def redirect_triple(base: str, member: str, canonical: str) -> ox.Triple:
    """The triple that leads from the IRI of a merged key to that of its canonical key."""
    return ox.Triple(ox.NamedNode(entity_iri(base, member)), _CANONICAL, ox.NamedNode(entity_iri(base, canonical)))
