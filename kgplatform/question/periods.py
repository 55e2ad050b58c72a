"""The date or period of a question, as a plan's time or as a filter on the dates of events."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from ..language.dates import AFTER as AFTER_DATE
from ..language.dates import AT as ON_DATE
from ..language.dates import BEFORE as BEFORE_DATE
from ..language.dates import BETWEEN, FIRST_PARTS, UNCLEAR, UNTIL, DateSpan, find_dates
from ..language.dates import SINCE as SINCE_DATE
from ..query.algebra import AFTER, AT, BEFORE, DURING, OVERLAPS, SINCE, THROUGHOUT, InPeriod, Time, bound
from ..times import MAX, PRECISION_LENGTH, Bound, Instant, day_before, end_of

_OF: Final = re.compile(r"\bof\s*$", re.IGNORECASE)
_OF_YEAR: Final = re.compile(r"\bof(?= (?:1[5-9]|20|21)\d\d\b)", re.IGNORECASE)
"""`the incidents of 2024`: a question's `of` before a year says when."""


class UnclearDate(Exception):
    """A date that could mean several days, or that is relative."""


class Period(NamedTuple):
    """The one period that a question states."""

    span: DateSpan

    @property
    def first(self) -> Instant:
        """An instant that the question is about: the first of the period, or the last before it."""
        return self.span.lower.at if self.span.lower else day_before(self.span.upper.at) if self.span.upper else MAX

    def time(self) -> Time:
        """When the facts must hold."""
        kind, lower, upper, word = self.span.kind, self.span.lower, self.span.upper, self.span.word
        if self.span.part in FIRST_PARTS and lower and kind != BETWEEN:
            return Time(SINCE if kind == SINCE_DATE else AT, _cut(lower.at, "day"))
        if self.span.part == "end" and lower and upper:
            return Time(AT, _cut(day_before(upper.at), "day"))
        if kind == SINCE_DATE and lower:
            return Time(SINCE, iso(lower) if lower.precision == "instant" else _cut(day_before(end_of(lower)), lower.precision))
        if kind == AFTER_DATE and lower:
            return Time(AFTER, _cut(day_before(lower.at), lower.precision))
        if kind == BEFORE_DATE and upper:
            return Time(BEFORE, iso(upper))
        if kind == UNTIL and upper and upper.at < MAX:
            return Time(AT, day_before(upper.at)[:10])
        if kind == ON_DATE and lower:
            return Time(AT, iso(lower))
        if lower and upper:
            mode = THROUGHOUT if word == "throughout" else OVERLAPS
            last = self._last()
            return Time(DURING, iso(lower), "" if end_of(bound(iso(lower))) == last else _cut(last, "day"), mode)
        raise UnclearDate("the period of the question is not understood")

    def filter(self, variable: str, *, now: Instant) -> InPeriod:
        """When an event must have happened. Raises UnclearDate of a part of a period that is no day: at the end of 2024."""
        lower, upper = self.span.lower, self.span.upper
        if self.span.part and lower and upper and self.span.kind != BETWEEN:
            raise UnclearDate(f"the {self.span.part} of a period names no days on which something happened")
        if self.span.kind == UNTIL and upper:
            return InPeriod(variable, "", iso(upper) if upper.at < MAX else _day_after(now))
        last = self._last() if upper else MAX
        return InPeriod(variable, iso(lower) if lower else "", _cut(last, "day") if last < MAX else _day_after(now) if upper else "")

    def _last(self) -> Instant:
        """The first instant after the period; `between January and March` and `January to March` include March."""
        upper = self.span.upper or Bound("", MAX)
        return end_of(upper) if self.span.kind == BETWEEN and self.span.join in ("and", "to") else upper.at


def _day_after(now: Instant) -> str:
    return _cut(end_of(bound(_cut(now, "day"))), "day")


def iso(bound: Bound) -> str:
    """The date of a bound in ISO 8601, at its precision."""
    return _cut(bound.at, bound.precision)


def _cut(instant: Instant, precision: str) -> str:
    return instant[: PRECISION_LENGTH[precision]]


def find_period(question: str) -> tuple[Period | None, str]:
    """The period that the question states, and the question without its words. Raises UnclearDate."""
    spans = find_dates(question) or find_dates(question := _OF_YEAR.sub("in", question))
    if not spans:
        return None, question
    for span in spans:
        if span.kind == UNCLEAR or span.part not in FIRST_PARTS | {"", "end"}:
            raise UnclearDate(f"the date “{question[span.start : span.end]}” can be read in more than one way")
    if len(spans) > 1:
        raise UnclearDate("the question states more than one date")
    span = spans[0]
    head = question[: span.start] if span.word else _OF.sub("", question[: span.start])
    return Period(span), f"{head} {question[span.end :]}"
