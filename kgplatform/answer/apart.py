"""The events of a plan of which nothing is stored for the time at which they happened: they are counted apart, as unknown."""

from __future__ import annotations

from dataclasses import replace

from ..extract.phrases import Reading, plural_of
from ..query.algebra import OF_PLAN, Entity, Hop, Plan, Term, Value, Var
from ..query.check import CheckedPlan, CheckFailed, check
from ..query.compile import compile_plan
from ..query.execute import Budget
from ..query.expansion import slot_class
from ..query.graphview import GraphView
from ..query.lexicon import Lexicon, read_lexicon
from ..query.naming import types_of
from ..terms import XSD


def apart_words(view: GraphView, checked: CheckedPlan, *, least: str, budget: Budget) -> str:
    """`1 more incident has no stored owner at that time`; '' where every event that is meant has one, or no hop takes an event's time."""
    plan = checked.plan
    dated = [hop for hop in plan.hops if isinstance(hop.at, Var)]
    dates = {hop.at for hop in dated}
    if len(dates) != 1:
        return ""
    date = next(hop for hop in plan.hops if hop.object in dates)
    meant, known = _keys(view, _about(plan, date), least, budget), _keys(view, _opened(plan, date, dated), least, budget)
    unknown = len(meant - known) if meant is not None and known is not None else 0
    return _words(view, plan, date, dated, unknown, is_more=bool(known)) if unknown else ""


def _keys(view: GraphView, plan: Plan, least: str, budget: Budget) -> frozenset[str] | None:
    """The events that meet a plan; None if they are not all read."""
    types = types_of(view, [t.id for h in plan.hops for t in (h.subject, h.object) if isinstance(t, Entity) and t.id not in view.schema.classes])
    try:
        compiled = compile_plan(check(plan, view.schema, view.principal, types=types), at=view.valid_at, min_trust=least, rows=budget.rows)
    except CheckFailed:
        return None
    found = view.select(compiled.query)
    return None if len(found) > budget.rows else frozenset(str(row[plan.select[0]]) for row in found)


def _about(plan: Plan, date: Hop) -> Plan:
    """The events that the plan means by what is said of themselves: its other hops left out."""
    hops = [hop for hop in plan.hops if not isinstance(hop.at, Var)]
    joined: set[Term] = {date.subject}
    while more := {end for hop in hops if {hop.subject, hop.object} & joined for end in (hop.subject, hop.object)} - joined:
        joined |= more
    kept = tuple(hop for hop in hops if hop.subject in joined)
    return _asking(plan, date, kept)


def _opened(plan: Plan, date: Hop, dated: list[Hop]) -> Plan:
    """The same with the other hops, whose far ends may be anything."""
    about = _about(plan, date)
    own = {end for hop in about.hops for end in (hop.subject, hop.object)}
    free: dict[Term, Var] = {}

    def opened(term: Term) -> Term:
        is_far = isinstance(term, Entity | Value) and term not in own
        return free.setdefault(term, Var(f"far{len(free)}")) if is_far else term

    hops = (replace(hop, subject=opened(hop.subject), object=opened(hop.object)) for hop in dated)
    return replace(about, hops=(*about.hops, *hops))


def _asking(plan: Plan, date: Hop, hops: tuple[Hop, ...]) -> Plan:
    names = {end.name for hop in hops for end in (hop.subject, hop.object) if isinstance(end, Var)}
    asked = date.subject if isinstance(date.subject, Var) else date.object
    assert isinstance(asked, Var)
    return Plan(
        variables=tuple(v for v in plan.variables if v.name in names),
        hops=hops,
        absences=tuple(hop for hop in plan.absences if not isinstance(hop.at, Var) and {hop.subject, hop.object} & {Var(n) for n in names}),
        filters=tuple(each for each in plan.filters if each.variable in names),
        time=plan.time if any(hop.at == OF_PLAN for hop in hops) else Plan().time,
        select=(asked.name,),
    )


def _words(view: GraphView, plan: Plan, date: Hop, dated: list[Hop], number: int, *, is_more: bool) -> str:
    schema = view.schema
    class_ = plan.class_of(date.subject.name) or slot_class(schema, plan, date.subject.name) if isinstance(date.subject, Var) else ""
    kind = schema.label(class_) if class_ else "event"
    what = f"{number}{' more' if is_more else ''} {kind if number == 1 else plural_of(kind)}"
    is_span = schema.relations[date.relation].datatype in (XSD.gYear, XSD.gYearMonth)
    when = "for all of that time" if is_span else "at that time"
    if len(dated) > 1:
        return f"of {what} not everything that is asked is stored {when}"
    (hop,) = dated
    turned_here = isinstance(hop.object, Var | Entity | Value) and hop.object in {end for h in _about(plan, date).hops for end in (h.subject, h.object)}
    return f"{what} {'has' if number == 1 else 'have'} no stored {_noun(view, read_lexicon(schema), hop, is_turned=turned_here)} {when}"


def _noun(view: GraphView, lexicon: Lexicon, hop: Hop, *, is_turned: bool) -> str:
    """What stands at the far end of a hop: `owner`; its relation in quotes, where the ontology has no noun for it."""
    stored, turned = view.schema.canonical(hop.relation)
    reading = frozenset({Reading(stored, turned != is_turned)})
    nouns = [noun for noun, readings in lexicon.nouns.items() if readings == reading and noun not in lexicon.plural_nouns]
    label = view.schema.inverse_label(hop.relation) if is_turned else view.schema.label(hop.relation)
    return min(nouns, key=lambda noun: (len(noun), noun), default=f"‘{label or view.schema.label(hop.relation)}’")
