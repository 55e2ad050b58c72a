"""The claims of one fact -> its dated intervals, before other values of the relation are looked at.

Order (docs/derivation.md): dated assertions; a coarser stated date joins the finer one that it contains;
"since A" and "until B" join; undated claims, date by date, support what covers them; overlapping
undated runs join; an unknown bound takes a supporting snapshot's observed bound.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..times import MAX, MIN, OBSERVED, PRECISION_LENGTH, STATED, UNKNOWN, UNKNOWN_END, Bound, Instant, day_before, end_of
from .evidence import Evidence


class Interval:
    """An interval of one fact while it is being built; `start` and `end` are None until known."""

    __slots__ = ("end", "evidence", "start")

    def __init__(self, start: Bound | None, end: Bound | None, evidence: Sequence[Evidence]) -> None:
        self.start = start
        self.end = end
        self.evidence = list(evidence)

    @property
    def first_seen(self) -> Instant:
        """The earliest observation date of the evidence."""
        return min(date for item in self.evidence for date in item.seen)

    @property
    def last_seen(self) -> Instant:
        """The latest observation date of the evidence."""
        return max(date for item in self.evidence for date in item.seen)

    @property
    def trust(self) -> int:
        """The highest trust of the evidence, as a rank."""
        return max(item.trust for item in self.evidence)

    @property
    def bounds(self) -> tuple[Bound, Bound]:
        """Both bounds, once `intervals` has set them."""
        assert self.start is not None and self.end is not None
        return self.start, self.end

    def covers(self, date: Instant) -> bool:
        """Whether the date lies in the interval, as far as its bounds are known; the end is not in it."""
        return (self.start.at if self.start else MIN) <= date < (self.end.at if self.end else MAX)


def intervals(evidence: Sequence[Evidence]) -> list[Interval]:
    """The intervals of one fact's evidence, all bounds set."""
    dated = [item for item in evidence if item.fact.start or item.fact.end]
    undated = [item for item in evidence if not (item.fact.start or item.fact.end)]
    built = _join_halves(_absorb_coarser(_dated_intervals(dated)))
    built += _undated_intervals(_support(built, undated))
    for interval in built:
        _set_end(interval)
        _set_start(interval)
    return built


def _dated_intervals(evidence: Sequence[Evidence]) -> list[Interval]:
    """One interval for each pair of stated bounds, with all the evidence that states it."""
    by_bounds: dict[tuple[Bound | None, Bound | None], Interval] = {}
    for item in evidence:
        bounds = (item.fact.start, item.fact.end)
        if bounds in by_bounds:
            by_bounds[bounds].evidence.append(item)
        else:
            by_bounds[bounds] = Interval(*bounds, [item])
    return [by_bounds[bounds] for bounds in sorted(by_bounds, key=str)]


def _absorb_coarser(found: list[Interval]) -> list[Interval]:
    """`June 2023` supports `10 June 2023`: the coarser interval hands its evidence to the finer ones."""
    kept = []
    for interval in found:
        finer = [x for x in found if x is not interval and _is_coarser(interval.start, x.start) and _is_coarser(interval.end, x.end)]
        if not finer:
            kept.append(interval)
        for other in finer:
            other.evidence += [item for item in interval.evidence if item not in other.evidence]
    return kept


def _is_coarser(a: Bound | None, b: Bound | None) -> bool:
    """Whether a says the same as b, perhaps less precisely."""
    if a is None or b is None or a == b:
        return a == b
    if a.kind != STATED or b.kind != STATED:
        return False
    length = PRECISION_LENGTH[a.precision]
    return length < PRECISION_LENGTH[b.precision] and b.at.startswith(a.at[:length])


def _join_halves(found: list[Interval]) -> list[Interval]:
    """ "since A" and "until B" of one fact are one interval if A < B and nothing saw it after B."""
    for until in sorted((x for x in found if x.start is None and x.end is not None), key=lambda x: x.end.at if x.end else ""):
        assert until.end is not None
        end = until.end
        since = [x for x in found if x.start and x.end is None and x.start.at < end.at and x.last_seen < end.at]
        if since:
            latest = max(since, key=lambda x: (x.start.at if x.start else "", str(x.start)))
            latest.end = end
            latest.evidence += until.evidence
            found.remove(until)
    return found


def _support(dated: Sequence[Interval], undated: Sequence[Evidence]) -> list[Evidence]:
    """Add undated claims, date by date, to the intervals that cover them. Returns the evidence that no interval covers."""
    rest = []
    for item in undated:
        uncovered = []
        for index, date in enumerate(item.seen):
            covering = [interval for interval in dated if interval.covers(date)]
            for interval in covering:
                if item not in interval.evidence:
                    interval.evidence.append(item)
            if not covering:
                uncovered.append(index)
        if uncovered:
            first, last = uncovered[0], uncovered[-1]
            rest.append(
                item._replace(
                    seen=tuple(item.seen[i] for i in uncovered),
                    claims=tuple(item.claims[i] for i in uncovered),
                    before=item.seen[first - 1] if first else item.before,
                    after=item.seen[last + 1] if last + 1 < len(item.seen) else item.after,
                )
            )
    return rest


def _undated_intervals(rest: Sequence[Evidence]) -> list[Interval]:
    """Undated runs of several documents, joined where they overlap or touch."""
    joined: list[Interval] = []
    until: Instant = ""
    for item in sorted(rest, key=lambda e: (e.seen[0], e.after or MAX, e.document, e.seen)):
        if joined and item.seen[0] <= (until or MAX):
            joined[-1].evidence.append(item)
            until = "" if not until or not item.after else max(until, item.after)
        else:
            joined.append(Interval(None, None, [item]))
            until = item.after
    return joined


def _set_end(interval: Interval) -> None:
    """Set the end where none is stated: observed if every snapshot of the evidence lost the fact later, else unknown."""
    if interval.end is None:
        snapshots = [item for item in interval.evidence if item.is_snapshot]
        if snapshots and all(item.after for item in snapshots):
            at, after = max(item.after for item in snapshots), interval.last_seen
            if after < at:
                interval.end = Bound(OBSERVED, at, "day", after)
    if interval.end is None:
        interval.end = UNKNOWN_END


def _set_start(interval: Interval) -> None:
    """Set the start where none is stated: observed if an earlier version did not have the fact, else unknown."""
    if interval.start is not None:
        return
    assert interval.end is not None
    first = interval.first_seen
    earliest = [item for item in interval.evidence if item.seen[0] == first]
    ends_before = interval.end.kind == STATED and interval.end.at <= first
    if not ends_before and all(item.before for item in earliest):
        interval.start = Bound(OBSERVED, first, "day", max(item.before for item in earliest))
    else:
        interval.start = Bound(UNKNOWN, day_before(interval.end.at) if ends_before else first)


def surely_from(bound: Bound) -> Instant:
    """The latest possible start."""
    if bound.kind == STATED and bound.precision in ("year", "month"):
        return day_before(end_of(bound))
    return bound.at


def surely_to(bound: Bound) -> Instant:
    """The earliest possible end."""
    return bound.after if bound.kind == OBSERVED and bound.after else bound.at
