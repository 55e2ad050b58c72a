"""The filters of a plan in words: `a day in 2025`, `anything containing sev`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import pyoxigraph as ox

from ...errors import PlanError
from ...query.algebra import Comparison, Filter, InPeriod, bound
from ...terms import XSD, literal_term
from ...times import end_of, shown
from .sentences import ANYTHING

A_DAY: Final = "a day"

_DAYS: Final = {"<": "before", "<=": "on or before", ">": "after", ">=": "on or after", "=": "on"}
_VALUES: Final = {"<": "below", "<=": "of at most", ">": "above", ">=": "of at least", "=": "equal to"}
_BOTH: Final = {"!=": "other than", "contains": "containing"}


def value_words(literal: ox.Literal) -> str:
    """A literal as people write it: dates in words, everything else as it stands."""
    if literal.datatype.value in (XSD.date, XSD.dateTime):
        try:
            return shown(bound(literal.value))
        except PlanError:
            return literal.value
    return literal.value


def filtered_words(filters: Iterable[Filter], *, is_date: bool) -> str:
    """What a value must be to meet all filters: `SEV9`, `anything containing sev and other than SEV1`, `10 May 2025`, `a day in 2025`."""
    wanted = list(filters)
    match wanted:
        case [Comparison(_, "=", value)]:
            return value_words(literal_term(value.node))
        case [InPeriod() as period] if day := _only_day(period):
            return day
    return f"{A_DAY if is_date else ANYTHING} {limits_words(wanted, is_date=is_date)}"


def limits_words(filters: Iterable[Filter], *, is_date: bool) -> str:
    """All filters of one value: `on or after 1 April 2025 and before 1 May 2025`."""
    return " and ".join(_period_words(f) if isinstance(f, InPeriod) else _comparison_words(f, is_date=is_date) for f in filters)


def event_words(filters: Iterable[object]) -> str:
    """`in 2025`: when the counted events happened."""
    return " ".join(_period_words(each) for each in filters if isinstance(each, InPeriod))


def _comparison_words(comparison: Comparison, *, is_date: bool) -> str:
    words = {**(_DAYS if is_date else _VALUES), **_BOTH}
    return f"{words[comparison.operator]} {value_words(literal_term(comparison.value.node))}"


def _period_words(period: InPeriod) -> str:
    start, end = (bound(side) if side else None for side in (period.start, period.end))
    if start and end:
        word = "on" if start.precision in ("day", "instant") else "in"
        return f"{word} {shown(start)}" if end_of(start) == end.at else f"from {shown(start)} to before {shown(end)}"
    if start:
        return f"since {shown(start)}"
    return f"before {shown(end)}" if end else "at any time"


def _only_day(period: InPeriod) -> str:
    """The one day of a period that is no longer; else ''."""
    if not (period.start and period.end):
        return ""
    start = bound(period.start)
    return shown(start) if start.precision == "day" and end_of(start) == bound(period.end).at else ""
