"""Instants and bounds: reading stated dates, comparing them, showing them as they were stated.

An *instant* is a string `YYYY-MM-DDTHH:MM:SSZ` (UTC, seconds), so that instants compare as text.
Intervals are half-open.
"""

from __future__ import annotations

import calendar
import datetime as dt
import re
from typing import Final, NamedTuple

Instant = str

MIN: Final[Instant] = "0001-01-01T00:00:00Z"
MAX: Final[Instant] = "9999-12-31T00:00:00Z"

STATED: Final = "stated"
OBSERVED: Final = "observed"
SUCCEEDED: Final = "succeeded"
OPEN: Final = "open"
UNKNOWN: Final = "unknown"

QUARTER: Final = "quarter"
"""A precision that dates in English have; no stored bound does."""

PRECISION_LENGTH: Final = {"year": 4, QUARTER: 7, "month": 7, "day": 10, "instant": 20}


class Bound(NamedTuple):
    """One end of an interval of validity.

    `at` is what is stored and filtered; `after` is set on observed bounds that lie in (after, at].
    """

    kind: str
    at: Instant
    precision: str = "day"
    after: Instant = ""


OPEN_START: Final = Bound(OPEN, MIN)
OPEN_END: Final = Bound(OPEN, MAX)
UNKNOWN_END: Final = Bound(UNKNOWN, MAX)


def to_instant(moment: dt.datetime | dt.date) -> Instant:
    """The instant of a date (its first second, UTC) or of a datetime (naive is UTC)."""
    if not isinstance(moment, dt.datetime):
        moment = dt.datetime(moment.year, moment.month, moment.day)
    if moment.tzinfo is not None:
        moment = moment.astimezone(dt.UTC)
    return f"{moment.year:04}-{moment.month:02}-{moment.day:02}T{moment:%H:%M:%S}Z"


def to_datetime(instant: Instant) -> dt.datetime:
    """The instant as an aware datetime in UTC."""
    return dt.datetime.fromisoformat(instant)


_ISO = re.compile(r"^(\d{4})(?:-(\d{2})(?:-(\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)(Z|[+-]\d{2}:?\d{2})?)?)?)?$")


def parse_stated(text: str) -> Bound:
    """The stated bound of an ISO 8601 date: `2022`, `2022-06`, `2022-06-10` or a date with time.

    Raises ValueError for anything else, and for days that no calendar has.
    """
    match = _ISO.match(text.strip())
    if not match:
        raise ValueError(f"not an ISO 8601 date: {text!r}")
    year, month, day, clock, _zone = match.groups()
    if int(year) == 0:
        raise ValueError(f"no year 0: {text!r}")
    if clock:
        try:
            return Bound(STATED, to_instant(dt.datetime.fromisoformat(text.strip())), "instant")
        except OverflowError as error:
            raise ValueError(f"beyond the years 1 to 9999 in UTC: {text!r}") from error
    first = dt.date(int(year), int(month or 1), int(day or 1))
    return Bound(STATED, to_instant(first), "day" if day else "month" if month else "year")


def parse_asked(text: str) -> Bound:
    """The bound of a date that somebody asks about. Raises ValueError where `parse_stated` does, and for MAX, which means "never"."""
    found = parse_stated(text)
    if found.at >= MAX:
        raise ValueError(f"later than the last day that can be asked about, 9999-12-30: {text!r}")
    return found


def day_before(instant: Instant) -> Instant:
    """The instant 24 hours earlier, and never before MIN."""
    return MIN if instant <= "0001-01-02" else to_instant(to_datetime(instant) - dt.timedelta(days=1))


def end_of(bound: Bound) -> Instant:
    """The first instant after the span that a stated date names (2024-03 -> 2024-04-01)."""
    if bound.at >= MAX:
        return MAX
    moment = to_datetime(bound.at)
    if bound.precision == "year":
        return to_instant(dt.datetime(moment.year + 1, 1, 1)) if moment.year < 9999 else MAX
    if bound.precision == QUARTER:
        return end_of(Bound(bound.kind, f"{bound.at[:5]}{moment.month + 2:02}-01T00:00:00Z", "month"))
    if bound.precision == "month":
        days = calendar.monthrange(moment.year, moment.month)[1]
        return MAX if bound.at >= "9999-12" else to_instant(moment + dt.timedelta(days=days))
    if bound.precision == "day":
        return to_instant(moment + dt.timedelta(days=1))
    return to_instant(moment + dt.timedelta(seconds=1))


def shown(bound: Bound) -> str:
    """A bound for people, at the precision that was stated: `March 2024`, `1 March 2024`."""
    if bound.kind == OBSERVED and bound.after:
        return f"between {shown_instant(bound.after, 'day')} and {shown_instant(bound.at, 'day')}"
    if bound.at in (MIN, MAX):
        return "unknown" if bound.kind == UNKNOWN else "open"
    return shown_instant(bound.at, bound.precision)


def shown_instant(instant: Instant, precision: str = "day") -> str:
    """An instant for people, at a precision of `PRECISION_LENGTH`; the time of day only for `instant`, where it is not midnight."""
    moment = to_datetime(instant)
    if precision == "year":
        return f"{moment.year}"
    if precision == "month":
        return f"{calendar.month_name[moment.month]} {moment.year}"
    if precision == "instant" and instant[11:] != "00:00:00Z":
        return f"{moment.day} {calendar.month_name[moment.month]} {moment.year}, {moment:%H:%M:%S} UTC"
    return f"{moment.day} {calendar.month_name[moment.month]} {moment.year}"
