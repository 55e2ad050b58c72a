"""Intervals of facts as positions on one line, from the first known date to the present and a little beyond."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ..times import Instant, to_datetime

WIDTH = 100.0
_ROOM = 0.08
_APART, _APART_LETTER = 6.0, 1.3
"""How far a year stands from the mark of the present, and how much farther for each letter of its words."""


@dataclass(frozen=True, slots=True)
class Bar:
    """From `x` on, `width` wide, of 100. What lies beyond the present, of a fact without a known end, is `onward` wide."""

    x: float
    width: float
    onward: float


@dataclass(frozen=True, slots=True)
class Scale:
    """The years (with fractions) at both ends of the line, and the present."""

    first: float
    last: float
    now: float

    @classmethod
    def over(cls, facts: Iterable[Mapping[str, Any]], now: Instant) -> Scale:
        """The scale that shows every known bound of the facts (as `Entity.to_dict` has them) and the present."""
        present = _year(now)
        years = [_year(fact[end]["at"]) for fact in facts for end in ("start", "end") if fact[end]["at"]]
        first, last = min([present - 1, *years]), max([present, *years])
        room = (last - first) * _ROOM
        return cls(first - room, last + room, present)

    def x(self, year: float) -> float:
        """The position of a year."""
        return round((year - self.first) / (self.last - self.first) * WIDTH, 2)

    @property
    def present(self) -> float:
        """The position of the present."""
        return self.x(self.now)

    def ticks(self, words: str) -> list[tuple[int, float]]:
        """(year, position) of at most six round years before the present, those that would touch the words of its mark left out."""
        apart = _APART + _APART_LETTER * len(words)
        years = [year for year in range(int(self.first) + 1, int(self.last) + 1) if self.x(year) < self.present - apart]
        step = max(1, -(-len(years) // 6))
        return [(year, self.x(year)) for year in years if year % step == 0]

    def bar(self, fact: Mapping[str, Any]) -> Bar:
        """The bar of a fact (as `Entity.to_dict` has it)."""
        start, end = fact["start"]["at"], fact["end"]["at"]
        x = self.x(_year(start)) if start else 0.0
        known = self.x(_year(end)) if end else max(self.present, x)
        return Bar(x, max(0.6, round(known - x, 2)), 0.0 if end else round(WIDTH - known, 2))


def _year(text: str) -> float:
    """An ISO 8601 date at any precision as a year with its fraction."""
    full = text if "T" in text else f"{text}-01-01"[:10] if len(text) == 4 else f"{text}-01"[:10]
    moment = to_datetime(full)
    return moment.year + (moment.timetuple().tm_yday - 1) / 366
