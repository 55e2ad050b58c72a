"""Each hop has its time: what an event says of itself holds whenever it was reported, other hops hold when the event happened.

An event is a thing of a class for which the ontology declares the date on which its things happened (`kg:isEventDate`).
A hop that names a date variable in `at` must hold at that date. What the plan leaves open is settled here, so that
in a checked plan the time of every hop is stated.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Final

from ..errors import PlanError
from ..schema import Schema
from ..terms import TYPE, XSD
from ..times import MAX, PRECISION_LENGTH, Bound, end_of
from .algebra import (
    AFTER,
    ALWAYS,
    AT,
    BEFORE,
    NOW,
    OF_PLAN,
    SINCE,
    THROUGHOUT,
    WHENEVER,
    EntityTerm,
    Hop,
    InPeriod,
    Plan,
    Term,
    Time,
    Var,
    bound,
)
from .expansion import domain_of, generators, range_of

DATES: Final = frozenset({XSD.date, XSD.dateTime, XSD.gYear, XSD.gYearMonth})
"""The datatypes of a date on which something happened."""

Types = Mapping[str, frozenset[str]]
"""Entity IRI -> its classes, as the caller may see them. An entity that the caller cannot see is not in it."""


class UndecidedTime(PlanError):
    """The plan does not say at whose time a hop must hold."""


def _events_of(plan: Plan, schema: Schema, types: Types) -> dict[Term, str]:
    """The events that the plan is about, each with the relation that says when it happened."""
    positive = {term: None for hop in plan.hops for term in (hop.subject, hop.object)}
    terms = dict.fromkeys([*positive, *(Var(name) for name in generators(plan))])
    return {term: relation for term in terms if (relation := _date_of(plan, schema, types, term))}


def is_event(plan: Plan, schema: Schema, types: Types, term: Term) -> bool:
    """Whether what the term stands for happened on a date: its class has a relation with `kg:isEventDate`."""
    return bool(_date_of(plan, schema, types, term))


def at_of(plan: Plan, schema: Schema, index: int) -> Var | str:
    """The `at` of a hop of a checked plan, by index; indexes after the hops are those of the classes that generate values."""
    if index < len(plan.hops):
        return plan.hops[index].at or OF_PLAN
    generated = Var(generators(plan)[index - len(plan.hops)])
    return WHENEVER if is_event(plan, schema, {}, generated) else OF_PLAN


def timed(plan: Plan, schema: Schema, types: Types) -> Plan:
    """The plan with the time of every hop stated. Raises UndecidedTime where it could be that of two events."""
    events = _events_of(plan, schema, types)
    if not events:
        return plan
    plan = _selected_by_date(plan, events)
    added: list[Hop] = []

    def settled(hop: Hop, index: int = -1) -> Hop:
        if hop.at or (plan.sequence and index in (plan.sequence.earlier, plan.sequence.later)):
            return hop
        if hop.relation == TYPE or any(is_event(plan, schema, types, end) for end in (hop.subject, hop.object)):
            return replace(hop, at=WHENEVER)
        if plan.time.kind != NOW:
            return hop
        event = _nearest(plan, hop, events, schema)
        return replace(hop, at=_date_variable(plan, event, events[event], added)) if event else hop

    hops = [settled(hop, index) for index, hop in enumerate(plan.hops)]
    absences = tuple(settled(hop) for hop in plan.absences)
    return replace(plan, hops=(*hops, *added), absences=absences)


# -- which things are events


def _date_of(plan: Plan, schema: Schema, types: Types, term: Term) -> str:
    """The relation that says when a thing happened, '' for no event; among several, one that the plan uses comes first."""
    declared = [r for r in schema.relations.values() if r.is_event_date]
    followed = {hop.relation for hop in plan.hops if hop.subject == term}
    fitting = [r.iri for r in declared if r.iri in followed or _is_one(plan, schema, types, term, domain_of(schema, r))]
    general = [iri for iri in fitting if not any(other != iri and iri in schema.subrelations(other) for other in fitting)]
    narrow = [iri for iri in general if all(_is_below(schema, iri, other) for other in general)]
    return next((iri for iri in (*(i for i in fitting if i in followed), *narrow, *sorted(general))), "")


def _is_below(schema: Schema, one: str, other: str) -> bool:
    return all(schema.is_a([c], domain_of(schema, schema.relations[other])) for c in domain_of(schema, schema.relations[one]))


def _is_one(plan: Plan, schema: Schema, types: Types, term: Term, wanted: frozenset[str]) -> bool:
    """Whether an entity is of these classes, or whatever a variable may stand for."""
    if not wanted or not isinstance(term, Var):
        return bool(wanted) and isinstance(term, EntityTerm) and schema.is_a(types.get(term.id, frozenset()), wanted)
    expected = [frozenset({plan.class_of(term.name)}) - {""}]
    for hop in (*plan.hops, *plan.absences):
        relation = schema.relations[hop.relation]
        expected += [ends(schema, relation) for end, ends in ((hop.subject, domain_of), (hop.object, range_of)) if end == term]
    return any(classes and all(schema.is_a([each], wanted) for each in classes) for classes in expected)


# -- whose time a hop takes


def _nearest(plan: Plan, hop: Hop, events: Mapping[Term, str], schema: Schema) -> Term | None:
    """The event that is the fewest hops away, none beyond another event; None if no event is connected."""
    reached: set[Term] = set()
    edge = {hop.subject, hop.object}
    while edge:
        events_here = [term for term in edge if term in events]
        if len(events_here) > 1:
            what = f"‘{schema.label(hop.relation)}’ stands as near to one event as to another, and the plan does not say at whose time"
            raise UndecidedTime(what, hint='give the hop "at": a date variable of the plan, or "plan"')
        if events_here:
            return events_here[0]
        reached |= edge
        ends = [{other.subject, other.object} for other in plan.hops]
        edge = {term for pair in ends if pair & edge for term in pair} - reached
    return None


def _date_variable(plan: Plan, event: Term, relation: str, added: list[Hop]) -> Var:
    """The variable of the date on which the event happened; a hop is added where the plan has none."""
    for hop in (*plan.hops, *added):
        if (hop.subject, hop.relation) == (event, relation) and isinstance(hop.object, Var):
            return hop.object
    variable = Var(_free(plan, added))
    added.append(Hop(event, relation, variable, at=WHENEVER))
    return variable


def _free(plan: Plan, added: Iterable[Hop]) -> str:
    used = {t.name for hop in (*plan.hops, *plan.absences, *added) for t in (hop.subject, hop.object) if isinstance(t, Var)}
    used |= {v.name for v in plan.variables}
    names = ("event_date", *(f"event_date{number}" for number in range(2, len(used) + 3)))
    return next(name for name in names if name not in used)


# -- the time of a plan about an event selects it by its date


def _selected_by_date(plan: Plan, events: Mapping[Term, str]) -> Plan:
    if plan.time.kind in (NOW, ALWAYS) or any(hop.at == OF_PLAN for hop in (*plan.hops, *plan.absences)):
        return plan
    if len(events) > 1:
        raise UndecidedTime("the time of the plan can be that of more than one event", hint="compare the date of the one that is meant")
    (event, relation), added = next(iter(events.items())), list[Hop]()
    variable = _date_variable(plan, event, relation, added)
    period = _period(plan.time, variable.name)
    return replace(plan, hops=(*plan.hops, *added), filters=(*plan.filters, period), time=Time())


def _period(time: Time, variable: str) -> InPeriod:
    """The days on which an event must have happened."""
    if time.mode == THROUGHOUT:
        raise UndecidedTime("an event happens on a day and does not hold throughout a period", hint="ask for the events in the period")
    first = bound(time.start)
    if time.kind == AT:
        day = Bound(first.kind, first.at, "day")
        return InPeriod(variable, first.at[:10], _iso(end_of(day)))
    if time.kind == SINCE:
        return InPeriod(variable, time.start)
    if time.kind == BEFORE:
        return InPeriod(variable, "", time.start)
    if time.kind == AFTER:
        return InPeriod(variable, _iso(end_of(first)))
    return InPeriod(variable, time.start, time.end or _iso(end_of(first)))


def _iso(instant: str) -> str:
    """The date of an instant, with its clock where it has one; the last day that can be asked about for the end of time."""
    if instant >= MAX:
        return "9999-12-30"
    return instant[: PRECISION_LENGTH["day"]] if instant.endswith("T00:00:00Z") else instant
