"""From tense and stated dates to the bounds of a claim."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ..language.dates import AFTER, AT, BEFORE, BETWEEN, DURING, SINCE, UNCLEAR, UNTIL, DateSpan
from ..times import OPEN_END, QUARTER, Bound
from .grammar import BEGAN, ENDED, EVENT, HELD, HOLDS, PERFECT, STILL


class StatedInterval(NamedTuple):
    """The bounds as a claim carries them: None where the sentence states none."""

    start: Bound | None = None
    end: Bound | None = None
    positive: bool = True


def interval(tense: str, positive: bool, dates: Sequence[DateSpan], since: Bound | None = None) -> StatedInterval | None:
    """The bounds that a clause states, or None where its claim would say more than the sentence.

    - `owned` without a date says that it is over, not when: no claim. `owned ... until D` is one.
    - `in 2023`, `before D`, `after D` place a state inside or outside a period without bounding it: no claim.
      With what begins or ends (`became`, `was born`, `no longer`, `stopped`), a day or period is its bound.
    - A date that may be read in two ways leaves a present fact undated, and a past one unclaimed.
    - `has not owned since D` and `no longer owns since D` are ends of the fact, not its negation.

    A bound that names a quarter begins with it and is as precise as a year, which is the next that a claim knows.

    `since` is what a bare `since` refers to.
    """
    dates = [date._replace(lower=claimed(date.lower), upper=claimed(date.upper)) for date in dates]
    lower, upper = _bounds(dates, since)
    kinds = {date.kind for date in dates}
    moment = next((date.lower for date in dates if date.kind in (AT, DURING)), None)
    if _is_contradictory(dates, since) or (lower and upper and lower.at >= upper.at):
        return None
    if not positive and lower and not upper and tense in (HOLDS, PERFECT) and not moment:
        return StatedInterval(None, lower)
    if tense in (BEGAN, EVENT):
        if kinds & {BEFORE, AFTER} or (moment and lower):
            return None
        return StatedInterval(moment or lower, upper, positive)
    if tense == ENDED:
        end = moment or lower
        return StatedInterval(None, end) if end and not upper and not kinds & {BEFORE, AFTER, UNCLEAR} else None
    if tense == HOLDS and moment and not lower and kinds == {AT} and all(date.word in ("as of", "as at") for date in dates):
        return StatedInterval(moment, upper, positive)
    if moment or kinds & {BEFORE, AFTER}:
        return None
    if tense == HELD:
        return StatedInterval(lower, upper, positive) if (lower or upper) and UNCLEAR not in kinds else None
    if tense == PERFECT and positive and not lower and UNCLEAR not in kinds:
        return None
    return StatedInterval(lower, upper or (OPEN_END if tense == STILL else None), positive)


def claimed(bound: Bound | None) -> Bound | None:
    """A bound that a text names, as a claim carries it."""
    return bound._replace(precision="year") if bound and bound.precision == QUARTER else bound


def _bounds(dates: Sequence[DateSpan], since: Bound | None) -> tuple[Bound | None, Bound | None]:
    lower = next((date.lower for date in dates if date.kind in (SINCE, BETWEEN)), since)
    upper = next((date.upper for date in dates if date.upper and date.kind in (SINCE, BETWEEN, UNTIL)), None)
    return lower, upper


def _is_contradictory(dates: Sequence[DateSpan], since: Bound | None) -> bool:
    """Whether one side is stated twice."""
    lowers = sum(date.kind in (SINCE, BETWEEN) for date in dates) + bool(since)
    uppers = sum(bool(date.upper) for date in dates if date.kind in (SINCE, BETWEEN, UNTIL))
    return lowers > 1 or uppers > 1 or sum(date.kind in (AT, DURING) for date in dates) > 1
