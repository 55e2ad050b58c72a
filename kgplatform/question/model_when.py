"""Whether a model's plan is about the same time as its question: no stated year is left out, and events are selected by their dates.

The time of a plan says when facts hold. The day of an event is a fact of its own, compared by a filter; its other facts do not
state the day.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from itertools import chain
from typing import Any, Final, NamedTuple

from ..errors import PlanError
from ..query.algebra import (
    AFTER,
    ALWAYS,
    BEFORE,
    DURING,
    NOW,
    SINCE,
    Comparison,
    EntityTerm,
    Hop,
    InPeriod,
    Plan,
    Term,
    Time,
    ValueTerm,
    Var,
    bound,
)
from ..query.expansion import domain_of, range_of
from ..schema import Schema
from ..terms import literal_value
from ..times import day_before
from .model_form import VARIABLES, Words, hop_out, time_out
from .periods import UnclearDate, find_period

Json = Any
YEAR: Final = re.compile(r"(?<![\w-])[12][0-9]{3}(?!\w)")

Kinds = Mapping[str, tuple[frozenset[str], ...]]
"""`name:1` -> the classes of each thing that bears that name."""


class Event(NamedTuple):
    """What happened on a day, and the relation that says on which."""

    term: Term
    relation: str


def check_when(plan: Plan, schema: Schema, words: Words, *, stated: frozenset[str], kinds: Kinds) -> None:
    """Raises PlanError, with the clause that mends it. `stated` are the years of the question that stand in no name."""
    event = _event(plan, schema, kinds)
    if event and plan.time.kind not in (NOW, ALWAYS):
        hint = f"leave the clause time out; {_dated(plan, event, plan.time, words)}"
        raise PlanError("time is when a fact holds, not when an event happened", where="$.also", hint=hint)
    time = _stated_time(plan.question)
    missing = _left_out(plan, stated)
    if missing and plan.time != time:  # `until 2023` becomes the last day of 2022
        hint = _hint(plan, event, time, words) if time else "add a clause time or dated"
        raise PlanError(f"the plan leaves {', '.join(sorted(missing))} out, which the question says", where="$.also", hint=hint)


# -- years


def years_of(plan: Plan) -> set[str]:
    """The years that the plan names: the first and the last of its periods, and those of its values."""
    values = [t.node for hop in (*plan.hops, *plan.absences) for t in (hop.object,) if isinstance(t, ValueTerm)]
    values += [each.value.node for each in plan.filters if isinstance(each, Comparison)]
    return set(chain(*_spans(plan), *(YEAR.findall(literal_value(node)) for node in values))) - {""}


def _left_out(plan: Plan, stated: frozenset[str]) -> set[str]:
    """Of `in 2022, 2023 and 2024`, a period from 2022 to 2024 leaves no year out."""
    whole = [(first, last) for first, last in _spans(plan) if {first, last} <= stated]
    return {year for year in stated - years_of(plan) if not any(first < year < last for first, last in whole)}


def _spans(plan: Plan) -> list[tuple[str, str]]:
    """The first and the last year of each period of the plan; an end that its kind of time does not read is none."""
    periods: list[Time | InPeriod] = [plan.time, *(each for each in plan.filters if isinstance(each, InPeriod))]
    return [(each.start[:4], _last_year(each)) for each in periods]


def _last_year(period: Time | InPeriod) -> str:
    is_read = isinstance(period, InPeriod) or period.kind == DURING
    return day_before(bound(period.end).at)[:4] if period.end and is_read else ""


def _stated_time(question: str) -> Time | None:
    """The time that the question states, if it is one and clear."""
    try:
        period, _ = find_period(question)
        return period.time() if period else None
    except UnclearDate:
        return None


def _hint(plan: Plan, event: Event | None, time: Time, words: Words) -> str:
    if event:
        return _dated(plan, event, time, words)
    return f"{'add to also' if plan.time == Time() else 'write in place of its time'}: {json.dumps(time_out(time))}"


# -- events


def _event(plan: Plan, schema: Schema, kinds: Kinds) -> Event | None:
    """An event that is asked for or counted, or any where every fact of the plan is one of an event."""
    asked = {*plan.select, *((plan.aggregate.variable, plan.aggregate.by) if plan.aggregate else ())}
    terms = dict.fromkeys((*(Var(each.name) for each in plan.variables), *(end for hop in plan.hops for end in (hop.subject, hop.object))))
    for relation in schema.relations.values():
        if relation.is_event_date:
            days = domain_of(schema, relation)
            events = [term for term in terms if _is_of(plan, schema, kinds, term, days)]
            is_all = all(hop.subject in events or hop.object in events for hop in plan.hops)
            for term in events:
                if is_all or (isinstance(term, Var) and term.name in asked):
                    return Event(term, relation.iri)
    return None


def _is_of(plan: Plan, schema: Schema, kinds: Kinds, term: Term, wanted: frozenset[str]) -> bool:
    """Whether all that bear the name are of these classes, or whatever the variable stands for."""
    if isinstance(term, EntityTerm):
        bearers = kinds.get(term.id, ())
        return bool(bearers) and all(schema.is_a(classes, wanted) for classes in bearers)
    if not isinstance(term, Var):
        return False
    expected = [frozenset(filter(None, [plan.class_of(term.name)]))]
    for hop in plan.hops:
        relation = schema.relations[hop.relation]
        expected += [ends(schema, relation) for end, ends in ((hop.subject, domain_of), (hop.object, range_of)) if end == term]
    return any(classes and all(schema.is_a([each], wanted) for each in classes) for classes in expected)


def _dated(plan: Plan, event: Event, time: Time, words: Words) -> str:
    """What to add so that the event's day is compared with the time."""
    stated = next((hop.object for hop in plan.hops if (hop.subject, hop.relation) == event and isinstance(hop.object, Var)), None)
    day = stated or Var(_free(plan))
    clause = json.dumps(_clause(time, f"?{day.name}"))
    if stated or event.relation not in {relation.iri for relation in words.relations.values()}:
        return f"add to also: {clause}"
    return f"add to hops: {json.dumps(hop_out(Hop(event.term, event.relation, day), words))} and to also: {clause}"


def _free(plan: Plan) -> str:
    """A variable that the plan does not use."""
    used = {each.name for each in plan.variables}
    return next((name for each in VARIABLES if (name := each.removeprefix("?")) not in used), "w")


def _clause(time: Time, variable: str) -> dict[str, Json]:
    """The clause that compares a day with a time."""
    first, after = time.period()
    compared = {BEFORE: ("<", first), SINCE: (">=", first), AFTER: (">", day_before(after))}
    if time.kind in compared:
        operator, instant = compared[time.kind]
        return {"compare": variable, "operator": operator, "value": instant[:10]}
    said = time_out(time)
    return {"dated": variable, "start": said["start"], "end": said["end"]}
