"""Bounds in words, and which of them are backed by sources that are trusted enough."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ..model import TRUST_LEVELS, CitedClaim
from ..query.facts import Stored
from ..results import Limit
from ..times import MAX, MIN, OBSERVED, OPEN, PRECISION_LENGTH, STATED, SUCCEEDED, UNKNOWN, Bound, shown, shown_instant

Citations = Mapping[str, tuple[CitedClaim, ...]]


def since_words(start: Bound) -> str:
    """`since 1 March 2024`, `first seen 2 April 2024`; '' of an open or wholly unknown start."""
    if start.at == MIN:
        return ""
    if start.kind == UNKNOWN:
        return f"first seen {shown_instant(start.at, start.precision)}"
    return f"since {shown(start)}"


def until_words(end: Bound) -> str:
    """`until 1 March 2024`; '' of an open end."""
    return "" if end.at == MAX else f"until {shown(end)}"


def validity_words(fact: Stored) -> str:
    """`since 1 March 2024`, `from June 2022 until 1 March 2024`."""
    start, end = since_words(fact.start), until_words(fact.end)
    if start and end:
        return f"{start}, {end}" if fact.start.kind == UNKNOWN else f"{start.replace('since ', 'from ', 1)} {end}"
    return start or end


def iso(bound: Bound) -> str | None:
    """The bound as an ISO 8601 date at its precision; None of an open or unknown one."""
    if bound.at in (MIN, MAX) or bound.kind in (OPEN,):
        return None
    return bound.at[: PRECISION_LENGTH.get(bound.precision, 10)]


def limit(bound: Bound) -> Limit:
    """The bound as the public result."""
    at = iso(bound)
    return Limit(kind=bound.kind, at=at, after=bound.after[:10] or None, shown=shown(bound) if at else bound.kind)


def with_trusted_bounds(facts: Iterable[Stored], cited: Citations, others: Iterable[Stored], *, least: str) -> dict[str, Stored]:
    """The facts with every bound unknown that no source of the least trust backs.

    A stated bound is backed by a claim that states it, a succeeded one by a claim that states the successor's start,
    any other by the claims of the fact.
    """
    successors = list(others)

    def trusted(citation: CitedClaim) -> bool:
        return TRUST_LEVELS.index(citation.trust) >= TRUST_LEVELS.index(least)

    def backed(fact: Stored, bound: Bound, *, is_start: bool) -> bool:
        own = [c for c in cited.get(fact.iri, ()) if trusted(c)]
        if bound.kind == STATED:
            return any(_says(c.stated_start if is_start else c.stated_end, bound) for c in own) or (not is_start and succeeded(fact, bound))
        if bound.kind == SUCCEEDED:
            return succeeded(fact, bound)
        return bound.kind != OBSERVED or bool(own)

    def succeeded(fact: Stored, bound: Bound) -> bool:
        return any(
            other.subject == fact.subject
            and other.relation == fact.relation
            and other.start.at == bound.at
            and trusted(c)
            and _says(c.stated_start, bound)
            for other in successors
            for c in cited.get(other.iri, ())
        )

    bounded: dict[str, Stored] = {}
    for fact in facts:
        start = fact.start if backed(fact, fact.start, is_start=True) else Bound(UNKNOWN, MIN)
        end = fact.end if backed(fact, fact.end, is_start=False) else Bound(UNKNOWN, MAX)
        bounded[fact.iri] = Stored(
            fact.iri, fact.subject, fact.relation, fact.object, start, end, fact.positive, fact.qualifiers, fact.against
        )
    return bounded


def _says(stated: Bound | None, bound: Bound) -> bool:
    return stated is not None and stated.at[: PRECISION_LENGTH[stated.precision]] == bound.at[: PRECISION_LENGTH[stated.precision]]
