"""Whether a count of none is known to be none: the asked thing was spoken of by then, and things of its kind had the relation then."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from ...query.algebra import (
    AFTER,
    ALWAYS,
    BEFORE,
    DURING,
    OF_PLAN,
    ONE,
    WHENEVER,
    EntityTerm,
    Hop,
    InPeriod,
    Plan,
    Time,
    Var,
    Variable,
    bound,
)
from ...query.check import CheckedPlan, CheckFailed, check
from ...query.entity_names import types_of
from ...query.execute import Budget, execute
from ...query.expansion import generators
from ...query.facts import Stored, starts_of
from ...query.graphview import GraphView
from ...query.time_filters import holds
from ...terms import TYPE
from ...times import MAX, MIN, Bound
from ..bounds import until_words
from ..trusted import holding
from ..words.solutions import first_words


def unknown_because(view: GraphView, checked: CheckedPlan, *, least: str, budget: Budget) -> str | None:
    """None where none is known to be none; else when what was asked was first known of, '' if it never was."""
    plan = checked.plan
    for hop in (*plan.hops, *plan.absences):
        for iri in _things(view, hop):
            first = _first_spoken(view, ("subject", "object"), iri)
            if first is None or not _is_by(view, plan, hop, first):
                return first_words(first) if first else ""
    for hop in (hop for hop in plan.hops if hop.relation != TYPE):
        if not any(_facts(view, plan, hop, _when(view, plan, hop), least, replace(budget, rows=1))):
            return _elsewhen(view, plan, hop, least, budget)
    if generators(plan):
        first = _first_spoken(view, ("predicate",), TYPE)
        if first is None or not holds(plan.time, first.at, MAX, at=view.valid_at):
            return first_words(first) if first else ""
    return None


def _things(view: GraphView, hop: Hop) -> list[str]:
    return [end.id for end in (hop.subject, hop.object) if isinstance(end, EntityTerm) and end.id not in view.schema.classes]


def _first_spoken(view: GraphView, ends: Iterable[str], iri: str) -> Bound | None:
    """The earliest start of the facts that have the term at one of these ends; an open start says nothing of when."""
    found = {start for end in ends for start in starts_of(view, iri, end)}
    return min((start for start in found if start.at > MIN), key=lambda start: start.at, default=next(iter(found), None))


def _is_by(view: GraphView, plan: Plan, hop: Hop, first: Bound) -> bool:
    """Whether what was first spoken of then was spoken of by the time that is asked of."""
    return holds(_when(view, plan, hop), first.at, MAX, at=view.valid_at)


def _when(view: GraphView, plan: Plan, hop: Hop) -> Time:
    """The time of the plan, or the period in which its events happened; any time, where none is stated."""
    if hop.is_of_plan:
        return plan.time
    dates = {hop.object for hop in plan.hops if view.schema.relations[hop.relation].is_event_date}
    periods = [each for each in plan.filters if isinstance(each, InPeriod) and Var(each.variable) in dates]
    if not periods:
        return Time(ALWAYS)
    start, end = periods[0].start, min((each.end for each in periods if each.end), key=lambda end: bound(end).at, default="")
    return Time(DURING, start, end) if start and end else Time(BEFORE, end) if end else Time(AFTER, start)


def _facts(view: GraphView, plan: Plan, hop: Hop, time: Time, least: str, budget: Budget) -> Iterator[Stored]:
    """Facts of the relation of a hop at a time, with a thing of the class of the named one, if one is named, at its end."""
    at = WHENEVER if hop.at == WHENEVER else OF_PLAN
    opened = replace(hop, subject=Var("one"), object=Var("other"), path=ONE, at=at)
    ends = [(name, term.id) for name, term in (("one", hop.subject), ("other", hop.object)) if isinstance(term, EntityTerm)]
    types = types_of(view, [iri for _, iri in ends])
    choices = [(name, class_) for name, iri in ends for class_ in sorted(types.get(iri, ()))] or [("", "")]
    for name, class_ in choices:
        variables = (Variable(name, class_),) if name else ()
        probe = Plan(variables=variables, hops=(opened,), select=("one",), time=time if at == OF_PLAN else Time())
        try:
            checked = check(probe, view.schema, view.principal, types={})
        except CheckFailed:
            continue
        result = holding(view, checked.plan, execute(view, checked, min_trust=least, budget=budget), least=least)
        yield from (result.read[iri] for row in result.rows for *_, iri in row.facts)


def _elsewhen(view: GraphView, plan: Plan, hop: Hop, least: str, budget: Budget) -> str:
    """When such facts were first known, or until when they lasted; '' where none ever was."""
    facts = list(_facts(view, plan, hop, Time(ALWAYS), least, budget))
    if not facts:
        return ""
    first = min((fact.start for fact in facts), key=lambda start: start.at)
    if not _is_by(view, plan, hop, first):
        return first_words(first)
    last = max((fact.end for fact in facts), key=lambda end: end.at)
    words = until_words(last)
    return f"such was so {words}" if words else ""
