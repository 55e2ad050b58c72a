"""What of a result holds by the bounds alone that sources of the least trust back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from ..model import TRUST_LEVELS, CitedClaim
from ..query.algebra import AFTER, ALWAYS, BEFORE, DURING, NOW, OF_PLAN, THROUGHOUT, Plan
from ..query.events import at_of
from ..query.execute import Result, ResultRow, with_rows
from ..query.facts import Stored, beginning
from ..query.graphview import GraphView
from ..query.time_filters import met
from ..schema import Schema
from ..times import MAX, MIN, STATED, UNKNOWN, Instant, day_before
from .bounds import Citations, with_trusted_bounds
from .cite import cited


class _Span(NamedTuple):
    start: Instant
    end: Instant


def backed(view: GraphView, facts: Iterable[Stored], *, least: str) -> tuple[dict[str, Stored], Citations]:
    """The facts with the bounds that sources of the least trust back, and those sources."""
    stored = {fact.iri: fact for fact in facts}
    sources = cited(view, stored.values(), least=least)
    if not TRUST_LEVELS.index(least):
        return stored, sources
    successors = _successors(view, stored.values())
    backing = {**sources, **cited(view, successors.values(), least=least)}
    return with_trusted_bounds(stored.values(), backing, [*stored.values(), *successors.values()], least=least), sources


def holding(view: GraphView, plan: Plan, result: Result, *, least: str) -> Result:
    """The result without the ways to meet the plan that no bounds of trusted sources bear."""
    if not TRUST_LEVELS.index(least):
        return result
    stored, sources = backed(view, result.read.values(), least=least)
    every = cited(view, stored.values(), least=TRUST_LEVELS[0])
    spans = {iri: _span(fact, sources.get(iri, ()), every.get(iri, ())) for iri, fact in stored.items()}
    held = [row for row in result.rows if _is_met(plan, view.schema, row, spans, at=view.valid_at)]
    return with_rows(view, plan, result, held) if len(held) < len(result.rows) else result


def _successors(view: GraphView, facts: Iterable[Stored]) -> dict[str, Stored]:
    """The facts that begin where one of these ends: they may back that end."""
    ended = [fact for fact in facts if fact.end.kind in ("succeeded", "stated")]
    return beginning(view, {(fact.subject, fact.relation, fact.end.at) for fact in ended})


def _span(fact: Stored, trusted: tuple[CitedClaim, ...], every: tuple[CitedClaim, ...]) -> _Span:
    """When the fact holds: an unknown start is the first date on which a trusted source spoke of it, or the day before a stated end."""
    start = fact.start.at
    if fact.start.kind == UNKNOWN and (start == MIN or len(trusted) < len(every)):
        start = max(start, min((citation.dated for citation in trusted), default=MAX))
        if fact.end.kind == STATED and fact.end.at <= start:
            start = day_before(fact.end.at)
    return _Span(start, fact.end.at)


def _is_met(plan: Plan, schema: Schema, row: ResultRow, spans: Mapping[str, _Span], *, at: Instant) -> bool:
    """The conditions of `query.moments` on one row. Of a sequence what was seen first came first, for an end may be unknown."""
    time, sequence = plan.time, plan.sequence
    ordered = (sequence.earlier, sequence.later) if sequence else ()
    if sequence:
        earlier, later = (next(spans[iri] for hop, _, iri in row.facts if hop == each) for each in ordered)
        if earlier.start >= later.start:
            return False
    moments = [(at_of(plan, schema, hop), _reached(plan, hop, spans[iri])) for hop, _, iri in row.facts if hop not in ordered]
    if not all(met(plan, moment, row.values, span.start, span.end, at=at) for moment, span in moments):
        return False
    held = [span for moment, span in moments if moment == OF_PLAN]
    is_any_instant = time.kind in (ALWAYS, BEFORE, AFTER) or (time.kind == DURING and time.mode != THROUGHOUT)
    return not held or not is_any_instant or max(span.start for span in held) < min(span.end for span in held)


def _reached(plan: Plan, hop: int, span: _Span) -> _Span:
    """Of things that lacked a fact in the past, none is left out because nobody spoke of it yet."""
    is_early = hop >= len(plan.hops) and plan.absences and plan.time.kind not in (NOW, ALWAYS)
    return span._replace(start=MIN) if is_early else span
