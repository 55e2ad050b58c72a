"""When the facts of a row must hold, as FILTERs over their bounds. Intervals are half-open.

The interval of a row is the intersection of its facts' intervals: a row whose facts never held at one time is none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import permutations
from typing import NamedTuple

import pyoxigraph as ox

from ..terms import XSD
from ..times import MAX, MIN, Instant, end_of
from .algebra import AFTER, ALWAYS, AT, BEFORE, DURING, NOW, SINCE, THROUGHOUT, Sequence, Time, bound

Name = Callable[[str, str], str]
"""(what it is, term) -> the variable that holds it."""


class Interval(NamedTuple):
    """The variables of one fact's bounds, and the hop that it answers."""

    start: str
    end: str
    hop: int


def instant_text(instant: Instant) -> str:
    return str(ox.Literal(instant, datatype=ox.NamedNode(XSD.dateTime)))


def conditions(time: Time, sequence: Sequence | None, facts: list[Interval], *, at: Instant, name: Name) -> Iterator[str]:
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


def _within(time: Time, fact: Interval, *, at: Instant, name: Name) -> Iterator[str]:
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


def _one_before_the_other(sequence: Sequence, facts: list[Interval]) -> Iterator[str]:
    earlier = next(f for f in facts if f.hop == sequence.earlier)
    later = next(f for f in facts if f.hop == sequence.later)
    yield f"FILTER({earlier.end} <= {later.start})"


def denies(time: Time, start: Instant, end: Instant, *, at: Instant) -> bool:
    """Whether a fact that is denied for these bounds cannot have met the time by itself.

    What is asked of some instant is denied only where it is denied for every one, what is asked of all already where it is for one.
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
