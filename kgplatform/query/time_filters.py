"""When the facts of a row must hold, as FILTERs over their bounds. Intervals are half-open.

The interval of a row is the intersection of its facts' intervals: facts that never held at one time give no row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import permutations
from typing import NamedTuple

import pyoxigraph as ox

from ..terms import XSD, Term
from ..times import MAX, MIN, Instant, end_of
from .algebra import AFTER, ALWAYS, AT, BEFORE, DURING, NOW, SINCE, THROUGHOUT, WHENEVER, Plan, Sequence, Time, Var, bound

Name = Callable[[str, str], str]
"""(hint for its name, term) -> the variable that holds the term."""


class FilterInterval(NamedTuple):
    """The variables of one fact's bounds, and the hop that it answers."""

    start: str
    end: str
    hop: int


class FilterSpan(NamedTuple):
    """The span of a date: its first instant, and the first after it. A day counts as one instant, its first."""

    first: str
    after: str
    is_instant: bool = True


def span_of(date: Term) -> FilterSpan:
    """The span of a date literal. Raises PlanError for a literal that is no date."""
    stated = bound(date.value)
    is_instant = stated.precision in ("day", "instant")
    return FilterSpan(stated.at, stated.at if is_instant else end_of(stated), is_instant)


def covers(span: FilterSpan, start: Instant, end: Instant) -> bool:
    """Whether a fact with these bounds holds at every instant of the span."""
    return start <= span.first and (span.first < end if span.is_instant else span.after <= end)


def span_terms(variable: str, datatype: str) -> FilterSpan:
    """The span of a date variable as SPARQL expressions over it."""
    text = f"STR(?{variable})"

    def instant(*parts: str) -> str:
        return f"STRDT(CONCAT({', '.join(parts)}), <{XSD.dateTime}>)"

    if datatype == XSD.dateTime:
        return FilterSpan(f"?{variable}", f"?{variable}")
    if datatype == XSD.date:
        day = instant(f"SUBSTR({text}, 1, 10)", '"T00:00:00Z"')
        return FilterSpan(day, day)
    next_year = f'STR(1 + <{XSD.integer}>(SUBSTR({text}, 1, 4))), "-01-01T00:00:00Z"'
    if datatype == XSD.gYear:
        return FilterSpan(instant(f"SUBSTR({text}, 1, 4)", '"-01-01T00:00:00Z"'), instant(next_year), False)
    month = f"<{XSD.integer}>(SUBSTR({text}, 6, 2))"
    next_month = instant(f"SUBSTR({text}, 1, 5)", f"SUBSTR(STR(101 + {month}), 2, 2)", '"-01T00:00:00Z"')
    return FilterSpan(instant(f"SUBSTR({text}, 1, 7)", '"-01T00:00:00Z"'), f"IF({month} = 12, {instant(next_year)}, {next_month})", False)


def at_date(span: FilterSpan, fact: FilterInterval) -> str:
    """The FILTER that a fact holds at a date; `span` has the variables with its instants."""
    until = f"{span.first} < {fact.end}" if span.is_instant else f"{span.after} <= {fact.end}"
    return f"FILTER({fact.start} <= {span.first} && {until})"


def instant_text(instant: Instant) -> str:
    """The instant as a literal of SPARQL."""
    return str(ox.Literal(instant, datatype=ox.NamedNode(XSD.dateTime)))


def conditions(time: Time, sequence: Sequence | None, facts: list[FilterInterval], *, at: Instant, name: Name) -> Iterator[str]:
    """One FILTER for each fact, and one that they hold together; `at` is the view's instant."""
    if sequence:
        yield from _one_before_the_other(sequence, facts)
        facts = [f for f in facts if f.hop not in (sequence.earlier, sequence.later)]
    for fact in facts:
        test = " && ".join(_within(time, fact, at=at, name=name))
        if test:
            yield f"FILTER({test})"
    if time.kind in (ALWAYS, BEFORE, AFTER) or (time.kind == DURING and time.mode != THROUGHOUT):
        together = " && ".join(f"{one.start} < {other.end}" for one, other in permutations(facts, 2))
        if together:
            yield f"FILTER({together})"


def _within(time: Time, fact: FilterInterval, *, at: Instant, name: Name) -> Iterator[str]:
    def instant(hint: str, value: Instant) -> str:
        return name(hint, instant_text(value))

    if time.kind in (NOW, AT):
        moment = instant("at", at if time.kind == NOW else bound(time.start).at)
        yield from (f"{fact.start} <= {moment}", f"{moment} < {fact.end}")
    elif time.kind == SINCE:
        moment = instant("at", at)
        yield from (f"{fact.start} < {instant('before', end_of(bound(time.start)))}", f"{fact.start} <= {moment}", f"{moment} < {fact.end}")
    elif time.kind == BEFORE:
        yield f"{fact.start} < {instant('before', bound(time.start).at)}"
    elif time.kind == AFTER:
        yield f"{instant('from', end_of(bound(time.start)))} < {fact.end}"
    elif time.kind == DURING:
        first, after = time.period()
        lower, upper = instant("from", first), instant("before", after)
        if time.mode == THROUGHOUT:
            yield from (f"{fact.start} <= {lower}", f"{upper} <= {fact.end}")
        else:
            yield from (f"{fact.start} < {upper}", f"{lower} < {fact.end}")


def _one_before_the_other(sequence: Sequence, facts: list[FilterInterval]) -> Iterator[str]:
    earlier = next(f for f in facts if f.hop == sequence.earlier)
    later = next(f for f in facts if f.hop == sequence.later)
    yield f"FILTER({earlier.end} <= {later.start})"


def denies(time: Time, start: Instant, end: Instant, *, at: Instant) -> bool:
    """Whether a negative fact with these bounds excludes that the fact meets the time.

    A time that asks for some instant is excluded if the negative fact covers all of it, one that asks for every instant if it covers any.
    """
    if time.kind in (NOW, AT, SINCE):
        moment = bound(time.start).at if time.kind == AT else at
        return start <= moment < end
    if time.kind == DURING:
        first, after = time.period()
        return start < after and first < end if time.mode == THROUGHOUT else start <= first and after <= end
    first = end_of(bound(time.start)) if time.kind == AFTER else MIN
    after = bound(time.start).at if time.kind == BEFORE else MAX
    return start <= first and after <= end


def holds(time: Time, start: Instant, end: Instant, *, at: Instant) -> bool:
    """Whether a fact with these bounds meets the time by itself."""
    if time.kind in (NOW, AT):
        moment = at if time.kind == NOW else bound(time.start).at
        return start <= moment < end
    if time.kind == SINCE:
        return start < end_of(bound(time.start)) and start <= at < end
    if time.kind == BEFORE:
        return start < bound(time.start).at
    if time.kind == AFTER:
        return end_of(bound(time.start)) < end
    if time.kind == DURING:
        first, after = time.period()
        return start <= first and after <= end if time.mode == THROUGHOUT else start < after and first < end
    return True


def met(plan: Plan, at_hop: Var | str, values: Mapping[str, Term], start: Instant, end: Instant, *, at: Instant) -> bool:
    """Whether a fact with these bounds meets the time of a hop by itself; `values` are those of the variables of its row."""
    if isinstance(at_hop, Var):
        return covers(span_of(values[at_hop.name]), start, end)
    return at_hop == WHENEVER or holds(plan.time, start, end, at=at)
