"""The checks of what is compared, and of when a plan's facts must hold."""

from __future__ import annotations

from typing import Final

from ..errors import PlanError
from ..schema import Schema
from ..terms import XSD, curie, literal_term
from ..times import MAX, MIN, Instant
from .algebra import ALWAYS, DURING, NOW, OVERLAPS, SINCE, Comparison, Hop, InPeriod, Plan, Time, ValueTerm, Var, bound
from .events import DATES
from .failure import CheckFailed

COMPARABLE: Final = frozenset({XSD.date, XSD.dateTime, XSD.integer, XSD.decimal, XSD.double, XSD.float, XSD.gYear, XSD.gYearMonth})
_NUMBERS: Final = frozenset({XSD.integer, XSD.decimal, XSD.double, XSD.float})


def compared(plan: Plan, schema: Schema) -> str:
    """Check that literals and filters fit their relations; returns what was seen. Raises CheckFailed."""
    datatypes = {
        hop.object.name: schema.relations[hop.relation].datatype
        for hop in plan.hops
        if isinstance(hop.object, Var) and schema.relations[hop.relation].is_literal
    }
    for hop in (*plan.hops, *plan.absences):
        relation = schema.relations[hop.relation]
        if isinstance(hop.object, ValueTerm):
            value = literal_term(hop.object.node)
            if not relation.admits(value.datatype.value):
                raise CheckFailed(
                    "values", f"'{schema.label(relation.iri)}' holds {curie(relation.datatype)}, not {curie(value.datatype.value)}"
                )
            if relation.values and hop.object.node not in relation.values:
                allowed = sorted(literal_term(v).value for v in relation.values)
                raise CheckFailed(
                    "values", f"{value.value!r} is no value of '{schema.label(relation.iri)}'", suggestion=f"one of {', '.join(allowed)}"
                )
    for filter_ in plan.filters:
        datatype = datatypes.get(filter_.variable, "")
        if not datatype:
            raise CheckFailed("values", f"{filter_.variable} is no literal and cannot be compared")
        if isinstance(filter_, InPeriod):
            if datatype not in DATES:
                raise CheckFailed("values", f"{filter_.variable} holds {curie(datatype)}, which lies in no period")
            if not (filter_.start or filter_.end):
                raise CheckFailed("values", f"the period of {filter_.variable} has neither start nor end")
            for side in (filter_.start, filter_.end):
                if side:
                    _date(side)
            _period(bound(filter_.start).at if filter_.start else MIN, bound(filter_.end).at if filter_.end else MAX, filter_)
        else:
            _comparable(filter_, datatype)
    return f"{len(plan.filters)} comparisons of fitting datatypes" if plan.filters else "nothing to compare"


def _comparable(each: Comparison, datatype: str) -> None:
    given = literal_term(each.value.node).datatype.value
    if each.operator == "contains":
        return
    alike = given == datatype or {given, datatype} <= _NUMBERS or (datatype not in COMPARABLE and given == XSD.string)
    if not alike:
        raise CheckFailed("values", f"{each.variable} holds {curie(datatype)} and is compared with {curie(given)}")
    if each.operator not in ("=", "!=") and datatype not in COMPARABLE:
        raise CheckFailed("values", f"{curie(datatype)} has no order for {each.operator}")


def times(plan: Plan, schema: Schema) -> str:
    """Check the time of the plan, and that hops which hold at a date variable have its date; returns what was seen. Raises CheckFailed."""
    own = [hop for hop in (*plan.hops, *plan.absences) if not hop.is_of_plan]
    for hop in own:
        if isinstance(hop.at, Var):
            _dated(plan, schema, hop, hop.at)
    if own and not any(hop.is_of_plan for hop in (*plan.hops, *plan.absences)) and plan.time.kind not in (NOW, ALWAYS):
        raise CheckFailed("time", "no hop takes the time of the plan", suggestion='give a hop "at": "plan", or leave the time out')
    settled = "; the hops of events by their dates" if own else ""
    return f"{_time_of(plan)}{settled}"


def _dated(plan: Plan, schema: Schema, hop: Hop, date: Var) -> None:
    relation = next((h.relation for h in plan.hops if h.object == date and h is not hop), "")
    if not relation or schema.relations[relation].datatype not in DATES:
        raise CheckFailed("time", f"{date.name} is no date that another hop leads to", suggestion="let a hop lead to the date of an event")


def _time_of(plan: Plan) -> str:
    time = plan.time
    if time.kind in (NOW, ALWAYS):
        if time.start or time.end:
            raise CheckFailed("time", f"the time {time.kind} takes no dates")
        return "now" if time.kind == NOW else "whenever"
    if not time.start:
        raise CheckFailed("time", f"the time {time.kind} needs a start")
    for side in (time.start, time.end):
        if side:
            _date(side)
    if time.kind != DURING and (time.end or time.mode != OVERLAPS):
        raise CheckFailed("time", f"the time {time.kind} takes no end and no mode", suggestion=f"use {DURING} for a period")
    if plan.sequence:
        raise CheckFailed("time", "who was before or after is asked of any time", suggestion="ask who was at that time instead")
    _period(*time.period(), time)
    return f"{time.kind} {time.start}" + (f" to {time.end}" if time.end else "") + (" (since: still so)" if time.kind == SINCE else "")


def _period(first: Instant, after: Instant, stated: Time | InPeriod) -> None:
    if first >= after:
        raise CheckFailed("time", f"the period from {stated.start} to {stated.end} is empty", suggestion="give the earlier date first")


def _date(text: str) -> None:
    try:
        bound(text)
    except PlanError as error:
        raise CheckFailed("time", error.what, suggestion=error.hint) from error
