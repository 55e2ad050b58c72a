"""Assertions and their sources as an answer lists them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import pyoxigraph as ox

from ..model import TRUST_LEVELS, CitedClaim
from ..query.facts import Stored
from ..query.graphview import GraphView
from ..terms import curie
from .bounds import as_json, iso


def cited(view: GraphView, facts: Iterable[Stored], *, least: str) -> dict[str, tuple[CitedClaim, ...]]:
    """Assertion IRI -> its sources of the least trust and above."""
    floor = TRUST_LEVELS.index(least)
    found = view.citations([fact.iri for fact in facts])
    return {iri: tuple(c for c in citations if TRUST_LEVELS.index(c.trust) >= floor) for iri, citations in found.items()}


def evidence(
    facts: Iterable[Stored], sources: Mapping[str, tuple[CitedClaim, ...]], names: Mapping[str, str]
) -> tuple[tuple[dict[str, Any], ...], tuple[dict[str, Any], ...]]:
    """(assertions, citations): each assertion names its citations by their index, each source stands once."""
    listed: dict[CitedClaim, int] = {}
    assertions = []
    for fact in facts:
        numbers = [listed.setdefault(citation, len(listed)) for citation in sources.get(fact.iri, ())]
        assertions.append(
            {
                "iri": fact.iri,
                "subject": end(fact.subject, names),
                "relation": curie(fact.relation),
                "object": end(fact.object, names),
                "positive": fact.positive,
                "qualifiers": {curie(relation): value for relation, value in fact.qualifiers},
                "start": as_json(fact.start),
                "end": as_json(fact.end),
                "conflicts_with": list(fact.against),
                "citations": numbers,
            }
        )
    return tuple(assertions), tuple(_source(citation) for citation in listed)


def end(term: ox.NamedNode | ox.Literal | ox.BlankNode | str, names: Mapping[str, str]) -> dict[str, str | None]:
    """One end of a fact: an entity, a class, or a value."""
    if isinstance(term, ox.Literal):
        return {"iri": None, "label": term.value}
    iri = term if isinstance(term, str) else term.value
    return {"iri": iri, "label": names.get(iri, curie(iri))}


def _source(citation: CitedClaim) -> dict[str, Any]:
    return {
        "document": citation.document,
        "version": citation.version,
        "claim": citation.claim,
        "quote": citation.quote,
        "start": citation.start,
        "end": citation.end,
        "valid_from": iso(citation.stated_start) if citation.stated_start else None,
        "valid_to": iso(citation.stated_end) if citation.stated_end else None,
        "scope": list(citation.scopes) or ["public"],
        "trust": citation.trust,
        "note": citation.note,
        "line": citation.line,
    }
