"""A fitted reading as a plan: variables, hops, what is absent, when, and what is asked for."""

from __future__ import annotations

from ..query.algebra import (
    ALWAYS,
    BEFORE,
    COUNT,
    MAXIMUM,
    MINIMUM,
    Aggregate,
    Comparison,
    EntityTerm,
    Filter,
    Hop,
    Plan,
    Sequence,
    Term,
    Time,
    Validity,
    ValueTerm,
    Var,
    Variable,
)
from ..query.expansion import domain_of, range_of
from ..terms import PP, TYPE
from .draft import Unreadable, literal_of
from .fitting import Edge, Fitted
from .periods import Period
from .reading import COUNT as COUNTED
from .reading import WHETHER, MentionKind


def plan_of(fit: Fitted, question: str, period: Period | None) -> Plan:
    """The plan of a reading whose names mean one entity each. Raises Unreadable, UnclearDate."""
    draft, reading = fit.draft, fit.draft.question
    _class_what_lacks(fit)
    hops = [_hop(fit, edge) for edge in fit.edges if not edge.is_absent]
    present = [edge for edge in fit.edges if not edge.is_absent]
    hops += [Hop(_term(fit, node), TYPE, EntityTerm(min(kinds))) for node, kinds in draft.types if fit.nodes[node].mention]
    absences = [_hop(fit, edge) for edge in fit.edges if edge.is_absent]
    filters: list[Filter] = [
        Comparison(fit.nodes[e.object].name, "=", ValueTerm(literal_of(e.equals, draft.schema.relations[e.relation].datatype)))
        for e in fit.edges
        if e.equals
    ]
    dated = _dated(fit) if period else ""
    if period and dated:
        filters.append(period.filter(dated, now=fit.links.view.valid_at))
    event = _event(fit) if (period and not dated) or draft.extreme else None
    if event:
        node, relation = event
        hops.append(Hop(_term(fit, node), relation, Var("event_date")))
        if period and not dated:
            filters.append(period.filter("event_date", now=fit.links.view.valid_at))
    focus = fit.nodes[draft.focus]
    is_variable = not focus.mention and reading.form != WHETHER
    if reading.form == WHETHER and isinstance(reading.focus, MentionKind):
        raise Unreadable("yes or no is answered of a named thing", suggestion="ask which or how many")
    if not hops and not absences and (not is_variable or focus.name not in {v.name for v in _variables(fit)}):
        what = focus.mention.text if focus.mention else "it"
        raise Unreadable(f"nothing is asked of {what}", suggestion="look it up by its name to see all of it")
    if reading.form == WHETHER and absences:
        raise Unreadable("a yes or no question is read without “not”", suggestion="ask it without “not”")
    main = next((i for i, e in enumerate(present) if e.step == draft.main), -1)
    if reading.validity and (main < 0 or reading.form == COUNTED):
        raise Unreadable("since when or until when is asked of no fact")
    beside = next((i for i, e in enumerate(present) if e.step == draft.beside), -1) if draft.beside >= 0 else -1
    return Plan(
        question=question,
        variables=_variables(fit),
        hops=tuple(hops),
        absences=tuple(absences),
        filters=tuple(filters),
        time=_time(fit, period, is_event=bool(event or dated) or _event(fit) is not None),
        aggregate=_aggregate(fit),
        select=(focus.name,) if is_variable and (reading.form != COUNTED or draft.order) else (),
        validity=tuple(Validity(main, bound) for bound in reading.validity),
        sequence=_sequence(reading.beside[0], main, beside) if reading.beside else None,
    )


def _sequence(word: str, main: int, beside: int) -> Sequence:
    return Sequence(main, beside) if word == "before" else Sequence(beside, main)


def _term(fit: Fitted, index: int) -> Term:
    node = fit.nodes[index]
    if node.mention:
        return EntityTerm(fit.known[index][0].iri)
    return ValueTerm(node.value) if node.value else Var(node.name)


def _hop(fit: Fitted, edge: Edge) -> Hop:
    return Hop(_term(fit, edge.subject), edge.relation, _term(fit, edge.object), edge.path)


def _variables(fit: Fitted) -> tuple[Variable, ...]:
    literals = {e.object for e in fit.edges if fit.draft.schema.relations[e.relation].is_literal}
    return tuple(
        Variable(node.name, fit.classes.get(index, ""))
        for index, node in enumerate(fit.nodes)
        if not node.mention and not node.value and (index not in literals or index in fit.classes)
    )


def _class_what_lacks(fit: Fitted) -> None:
    """Set the class of what lacks a fact, as in `who does not own Tax`: what the relation expects there, or an agent for `who`."""
    made, schema = fit.draft, fit.draft.schema
    touching = [e for e in fit.edges if made.focus in (e.subject, e.object)]
    if fit.nodes[made.focus].mention or made.focus in fit.classes or not all(e.is_absent for e in touching):
        return
    for edge in touching:
        relation = schema.relations[edge.relation]
        expected = schema.slot_class(domain_of(schema, relation) if edge.subject == made.focus else range_of(schema, relation))
        is_who = made.question.wh in ("who", "whom") and expected in schema.ancestors(PP.Agent)
        fit.classes[made.focus] = str(PP.Agent) if is_who else expected


def _dated(fit: Fitted) -> str:
    """The variable of the date that the question's period is about; '' if none is. Raises Unreadable."""
    found = [e for e in fit.edges if e.step >= 0 and fit.draft.steps[e.step].is_dated]
    if any(e.is_absent for e in found):
        raise Unreadable("what did not happen in a period is not asked", suggestion="ask what did")
    return fit.nodes[found[0].object].name if found else ""


def _event(fit: Fitted) -> tuple[int, str] | None:
    """A node that happened on a day, and the relation that says on which."""
    schema = fit.draft.schema
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
    schema = fit.draft.schema
    classes: set[str] = set()
    for edge in fit.edges:
        relation = schema.relations[edge.relation]
        classes |= (
            domain_of(schema, relation) if edge.subject == index else range_of(schema, relation) if edge.object == index else frozenset()
        )
    return frozenset(classes)


def _time(fit: Fitted, period: Period | None, *, is_event: bool) -> Time:
    """A past tense without a date asks of any time up to now, except of events; who came before or after, of any time."""
    asked = fit.draft.question
    if period and not is_event:
        return period.time()
    if asked.beside:
        return Time(ALWAYS)
    return Time(BEFORE, fit.links.view.valid_at) if asked.is_past and not is_event else Time()


def _aggregate(fit: Fitted) -> Aggregate | None:
    draft = fit.draft
    focus = fit.nodes[draft.focus]
    if draft.order:
        return Aggregate(COUNT, fit.nodes[draft.counted].name, focus.name, draft.order)
    if draft.extreme:
        node, kind = draft.extreme
        if node != draft.focus:
            raise Unreadable("a first or last is read only of what is asked for", suggestion="ask which it is, and then for that one")
        if _event(fit) is None:
            raise Unreadable("nothing says when it happened, so that there is no first or last")
        return Aggregate(MAXIMUM if kind == "max" else MINIMUM, "event_date", focus.name)
    if draft.question.form == COUNTED:
        if focus.mention:
            raise Unreadable("one named thing is not counted")
        return Aggregate(COUNT, focus.name)
    return None
