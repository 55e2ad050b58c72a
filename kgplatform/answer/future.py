"""What is asked of a time that has not come: what is known holds until today, and lasts no longer than a source states."""

from __future__ import annotations

from ..query.algebra import AFTER, ALWAYS, AT, BEFORE, DURING, NOW, OF_PLAN, SINCE, THROUGHOUT, InPeriod, Plan, Var, bound
from ..query.events import at_of
from ..query.execute import Result, ResultRow
from ..query.graphview import GraphView
from ..query.time_filters import span_of
from ..times import MAX, MIN, Instant, end_of, shown_instant


def needed(plan: Plan, *, at: Instant) -> Instant:
    """The earliest instant at which the plan's own time can be met, for a time that is asked of one or of several ends; MIN where it is
    any."""
    time = plan.time
    if time.kind == NOW:
        return at
    if time.kind in (ALWAYS, BEFORE):
        return MIN
    if time.kind == DURING:
        first, after = time.period()
        return after if time.mode == THROUGHOUT else first
    start = bound(time.start)
    return {AT: start.at, SINCE: max(start.at, at), AFTER: end_of(start)}[time.kind]


def is_to_come(plan: Plan, view: GraphView) -> bool:
    """Whether the plan asks of a time of which nothing can be known yet: its own, or that of the events that it asks for."""
    own = any(hop.is_of_plan for hop in (*plan.hops, *plan.absences)) or not plan.hops
    return (own and needed(plan, at=view.valid_at) > view.today) or any(start > view.today for start in _event_starts(plan, view))


def _event_starts(plan: Plan, view: GraphView) -> list[Instant]:
    dates = {hop.object for hop in plan.hops if view.schema.relations[hop.relation].is_event_date}
    return [bound(each.start).at for each in plan.filters if isinstance(each, InPeriod) and each.start and Var(each.variable) in dates]


def is_unreached(view: GraphView, plan: Plan, result: Result) -> bool:
    """Whether some solution rests on facts alone that no source states to last until the time that is asked of."""
    return any(not any(_is_reached(view, plan, result, row) for row in solution.rows) for solution in result.solutions)


def _is_reached(view: GraphView, plan: Plan, result: Result, row: ResultRow) -> bool:
    for hop, _, iri in row.facts:
        fact, moment = result.read[iri], at_of(plan, view.schema, hop)
        if isinstance(moment, Var):
            until = span_of(row.values[moment.name]).first
        else:
            until = needed(plan, at=view.valid_at) if moment == OF_PLAN else MIN
        if until > view.today and fact.end.at >= MAX and fact.start.at <= view.today:
            return False
    return True


def known_words(view: GraphView) -> str:
    """That what is told of a time to come is known until today only."""
    return f"known until {shown_instant(view.today)}, no end is stated"


def beyond_words(view: GraphView) -> str:
    """That nothing is known of a time after today."""
    return f"nothing is known beyond {shown_instant(view.today)}"
