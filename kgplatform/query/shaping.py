"""A fitted reading as a plan: variables, hops, what is absent, when, and what is asked for."""

from __future__ import annotations

from ..terms import TYPE
from .algebra import (
    ALWAYS,
    COUNT,
    MAXIMUM,
    MINIMUM,
    Aggregate,
    Comparison,
    Entity,
    Filter,
    Hop,
    Plan,
    Sequence,
    Term,
    Time,
    Validity,
    Value,
    Var,
    Variable,
)
from .draft import Unreadable, literal_of
from .expansion import domain_of, range_of
from .fitting import Edge, Fitted
from .periods import Period
from .reading import COUNT as COUNTED
from .reading import WHETHER, Kind


def plan_of(fit: Fitted, question: str, period: Period | None) -> Plan:
    """The plan of a reading whose names mean one entity each. Raises Unreadable, UnclearDate."""
    made, asked = fit.made, fit.made.question
    hops = [_hop(fit, edge) for edge in fit.edges if not edge.is_absent]
    present = [edge for edge in fit.edges if not edge.is_absent]
    hops += [Hop(_term(fit, node), TYPE, Entity(min(kinds))) for node, kinds in made.types if fit.nodes[node].mention]
    absences = [_hop(fit, edge) for edge in fit.edges if edge.is_absent]
    filters: list[Filter] = [
        Comparison(fit.nodes[e.object].name, "=", Value(literal_of(e.equals, made.schema.relations[e.relation].datatype)))
        for e in fit.edges
        if e.equals
    ]
    event = _event(fit) if period or made.extreme else None
    if event:
        node, relation = event
        hops.append(Hop(_term(fit, node), relation, Var("event_date")))
        if period:
            filters.append(period.filter("event_date"))
    focus = fit.nodes[made.focus]
    is_variable = not focus.mention and asked.form != WHETHER
    if asked.form == WHETHER and isinstance(asked.focus, Kind):
        raise Unreadable("yes or no is answered of a named thing")
    if not hops and not absences and (not is_variable or focus.name not in {v.name for v in _variables(fit)}):
        what = focus.mention.text if focus.mention else "it"
        raise Unreadable(f"nothing is asked of {what}", suggestion=f"kgplatform entity {what} shows all of it")
    if asked.form == WHETHER and absences:
        raise Unreadable("a yes or no question is asked without “not”")
    main = next((i for i, e in enumerate(present) if e.step == made.main), -1)
    if asked.validity and (main < 0 or asked.form == COUNTED):
        raise Unreadable("since when or until when is asked of no fact")
    beside = next((i for i, e in enumerate(present) if e.step == made.beside), -1) if made.beside >= 0 else -1
    return Plan(
        question=question,
        variables=_variables(fit),
        hops=tuple(hops),
        absences=tuple(absences),
        filters=tuple(filters),
        time=_time(fit, period, is_event=bool(event) or _event(fit) is not None),
        aggregate=_aggregate(fit),
        select=(focus.name,) if is_variable and (asked.form != COUNTED or made.order) else (),
        validity=tuple(Validity(main, bound) for bound in asked.validity),
        sequence=_sequence(asked.beside[0], main, beside) if asked.beside else None,
    )


def _sequence(word: str, main: int, beside: int) -> Sequence:
    return Sequence(main, beside) if word == "before" else Sequence(beside, main)


def _term(fit: Fitted, index: int) -> Term:
    node = fit.nodes[index]
    if node.mention:
        return Entity(fit.known[index][0].iri)
    return Value(node.value) if node.value else Var(node.name)


def _hop(fit: Fitted, edge: Edge) -> Hop:
    return Hop(_term(fit, edge.subject), edge.relation, _term(fit, edge.object), edge.path)


def _variables(fit: Fitted) -> tuple[Variable, ...]:
    literals = {e.object for e in fit.edges if fit.made.schema.relations[e.relation].is_literal}
    return tuple(
        Variable(node.name, fit.classes.get(index, ""))
        for index, node in enumerate(fit.nodes)
        if not node.mention and not node.value and (index not in literals or index in fit.classes)
    )


def _event(fit: Fitted) -> tuple[int, str] | None:
    """A node that happened on a day, and the relation that says on which."""
    schema = fit.made.schema
    events = [r for r in schema.relations.values() if r.is_event_date]
    for index, node in enumerate(fit.nodes):
        if node.value:
            continue
        for relation in events:
            if any(e.relation == relation.iri and e.subject == index for e in fit.edges):
                continue
            if node.mention:
                types = fit.links.types.get(fit.known[index][0].iri, frozenset())
            else:
                types = frozenset({fit.classes[index]} if index in fit.classes else _inferred(fit, index))
            if schema.is_a(types, domain_of(schema, relation)):
                return index, relation.iri
    return None


def _inferred(fit: Fitted, index: int) -> frozenset[str]:
    schema = fit.made.schema
    found: set[str] = set()
    for edge in fit.edges:
        relation = schema.relations[edge.relation]
        found |= (
            domain_of(schema, relation) if edge.subject == index else range_of(schema, relation) if edge.object == index else frozenset()
        )
    return frozenset(found)


def _time(fit: Fitted, period: Period | None, *, is_event: bool) -> Time:
    """A past tense without a date asks of any time, except of events and of who came before or after."""
    asked = fit.made.question
    if period and not is_event:
        return period.time()
    if asked.beside or (asked.is_past and not is_event):
        return Time(ALWAYS)
    return Time()


def _aggregate(fit: Fitted) -> Aggregate | None:
    made = fit.made
    focus = fit.nodes[made.focus]
    if made.order:
        return Aggregate(COUNT, fit.nodes[made.counted].name, focus.name, made.order)
    if made.extreme:
        node, kind = made.extreme
        if _event(fit) is None or node != made.focus:
            raise Unreadable("nothing says when it happened, so that there is no first or last")
        return Aggregate(MAXIMUM if kind == "max" else MINIMUM, "event_date", focus.name)
    if made.question.form == COUNTED:
        if focus.mention:
            raise Unreadable("one named thing is not counted")
        return Aggregate(COUNT, focus.name)
    return None
