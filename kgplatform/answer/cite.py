"""Assertions and their sources as an answer lists them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import pyoxigraph as ox

from ..model import TRUST_LEVELS, CitedClaim
from ..query.facts import Stored
from ..query.graphview import GraphView
from ..results import Assertion, Citation, End
from ..terms import curie
from .bounds import iso, limit


def cited(view: GraphView, facts: Iterable[Stored], *, least: str) -> dict[str, tuple[CitedClaim, ...]]:
    """Assertion IRI -> its sources of the least trust and above."""
    floor = TRUST_LEVELS.index(least)
    found = view.citations([fact.iri for fact in facts])
    return {iri: tuple(c for c in citations if TRUST_LEVELS.index(c.trust) >= floor) for iri, citations in found.items()}


def evidence(
    facts: Iterable[Stored], sources: Mapping[str, tuple[CitedClaim, ...]], names: Mapping[str, str]
) -> tuple[tuple[Assertion, ...], tuple[Citation, ...]]:
    """(assertions, citations): each assertion names its citations by their index, each source stands once."""
    listed: dict[CitedClaim, int] = {}
    assertions = [
        Assertion(
            iri=fact.iri,
            subject=end(fact.subject, names),
            relation=curie(fact.relation),
            object=end(fact.object, names),
            positive=fact.positive,
            qualifiers={curie(relation): value for relation, value in fact.qualifiers},
            start=limit(fact.start),
            end=limit(fact.end),
            conflicts_with=fact.against,
            citations=tuple(listed.setdefault(citation, len(listed)) for citation in sources.get(fact.iri, ())),
        )
        for fact in facts
    ]
    return tuple(assertions), tuple(_citation(each) for each in listed)


def end(term: ox.NamedNode | ox.Literal | ox.BlankNode | str, names: Mapping[str, str]) -> End:
    """One end of a fact: an entity, a class, or a value."""
    if isinstance(term, ox.Literal):
        return End(iri=None, label=term.value)
    iri = term if isinstance(term, str) else term.value
    return End(iri=iri, label=names.get(iri, curie(iri)))


def _citation(claim: CitedClaim) -> Citation:
    return Citation(
        document=claim.document,
        version=claim.version,
        claim=claim.claim,
        quote=claim.quote,
        start=claim.start,
        end=claim.end,
        valid_from=iso(claim.stated_start) if claim.stated_start else None,
        valid_to=iso(claim.stated_end) if claim.stated_end else None,
        scope=claim.scopes or ("public",),
        trust=claim.trust,
        note=claim.note,
        line=claim.line,
    )
