"""The events of a plan of which nothing is stored for the time at which they happened: they are counted apart, as unknown."""

from __future__ import annotations

from dataclasses import replace

from ...language.phrases import PhraseReading, plural_of
from ...query.algebra import DURING, OF_PLAN, EntityTerm, Hop, Plan, Term, Time, ValueTerm, Var
from ...query.check import CheckedPlan, CheckFailed, check
from ...query.compile import compile_plan
from ...query.entity_names import names_of, types_of
from ...query.execute import Budget
from ...query.expansion import slot_class
from ...query.graphview import GraphView
from ...question.lexicon import Lexicon, read_lexicon
from ...terms import XSD, is_literal, literal_value
from ...terms import Term as Stored
from ..words.wording import listed


def unrecorded_words(view: GraphView, checked: CheckedPlan, *, least: str, budget: Budget) -> str:
    """`1 more incident has no stored owner at that time`; '' where every event that is meant has one, or no hop takes an event's time."""
    plan = checked.plan
    dated = [hop for hop in plan.hops if isinstance(hop.at, Var)]
    dates = {hop.at for hop in dated}
    if len(dates) != 1:
        return ""
    date = next(hop for hop in plan.hops if hop.object in dates)
    meant, known = _keys(view, _about(plan, date), least, budget), _keys(view, _opened(plan, date, dated), least, budget)
    unknown = meant - known if meant is not None and known is not None else frozenset()
    if not unknown:
        return ""
    words = _words(view, plan, date, dated, len(unknown), is_more=bool(known))
    parts = _of_parts(view, plan, date, dated, unknown, least, budget)
    return f"{words}: {parts}" if parts else words


def _keys(view: GraphView, plan: Plan, least: str, budget: Budget) -> frozenset[str] | None:
    """The events that meet a plan; None if they are not all read."""
    found = _rows(view, plan, least, budget)
    return None if found is None else frozenset(str(row[plan.select[0]]) for row in found)


def _rows(view: GraphView, plan: Plan, least: str, budget: Budget) -> list[dict[str, Stored]] | None:
    types = types_of(
        view, [t.id for h in plan.hops for t in (h.subject, h.object) if isinstance(t, EntityTerm) and t.id not in view.schema.classes]
    )
    try:
        compiled = compile_plan(check(plan, view.schema, view.principal, types=types), at=view.valid_at, min_trust=least, rows=budget.rows)
    except CheckFailed:
        return None
    found = view.select(compiled.query)
    return None if len(found) > budget.rows else found


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
        is_far = isinstance(term, EntityTerm | ValueTerm) and term not in own
        return free.setdefault(term, Var(f"far{len(free)}")) if is_far else term

    hops = (replace(hop, subject=opened(hop.subject), object=opened(hop.object)) for hop in dated)
    return replace(about, hops=(*about.hops, *hops))


def _of_parts(view: GraphView, plan: Plan, date: Hop, dated: list[Hop], events: frozenset[str], least: str, budget: Budget) -> str:
    """`OLD and NEW are each stored for a part of it`: who stands there for parts of the years that date events, where it changed within."""
    about = _about(plan, date)
    is_plain = isinstance(date.object, Var) and len(dated) == 1 and not any(hop.at == OF_PLAN for hop in about.hops)
    if not is_plain or not _is_span(view, date):
        return ""
    assert isinstance(date.object, Var)
    event, year = about.select[0], date.object.name
    opened = _opened(plan, date, dated)
    own = {end for hop in about.hops for end in (hop.subject, hop.object)}
    far = next((end for end in (opened.hops[-1].subject, opened.hops[-1].object) if end not in own), None)
    if not isinstance(far, Var):
        return ""
    far_ends: set[str] = set()
    for node in sorted(
        {str(row[year]) for row in _rows(view, replace(about, select=(event, year)), least, budget) or () if str(row[event]) in events}
    ):
        within = replace(
            opened,
            variables=tuple(v for v in opened.variables if v.name != year),
            hops=(
                *(replace(hop, object=ValueTerm(node)) if hop == date else hop for hop in about.hops),
                replace(opened.hops[-1], at=OF_PLAN),
            ),
            filters=tuple(each for each in opened.filters if each.variable != year),
            time=Time(DURING, literal_value(node)),
            select=(event, far.name),
        )
        far_ends |= {str(row[far.name]) for row in _rows(view, within, least, budget) or () if str(row[event]) in events}
    if not far_ends:
        return ""
    labels = names_of(view, [each[1:-1] for each in far_ends if not is_literal(each)])
    names = sorted(literal_value(each) if is_literal(each) else labels[each[1:-1]] for each in far_ends)
    return f"{listed(names)} {'is' if len(names) == 1 else 'are each'} stored for a part of it"


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
    when = "for all of that time" if _is_span(view, date) else "at that time"
    if len(dated) > 1:
        return f"of {what} not everything that is asked is stored {when}"
    (hop,) = dated
    turned_here = isinstance(hop.object, Var | EntityTerm | ValueTerm) and hop.object in {
        end for h in _about(plan, date).hops for end in (h.subject, h.object)
    }
    return f"{what} {'has' if number == 1 else 'have'} no stored {_noun(view, read_lexicon(schema), hop, is_turned=turned_here)} {when}"


def _is_span(view: GraphView, date: Hop) -> bool:
    return view.schema.relations[date.relation].datatype in (XSD.gYear, XSD.gYearMonth)


def _noun(view: GraphView, lexicon: Lexicon, hop: Hop, *, is_turned: bool) -> str:
    """What stands at the far end of a hop: `owner`; its relation in quotes, where the ontology has no noun for it."""
    stored, turned = view.schema.canonical(hop.relation)
    reading = frozenset({PhraseReading(stored, turned != is_turned)})
    nouns = [noun for noun, readings in lexicon.nouns.items() if readings == reading and noun not in lexicon.plural_nouns]
    label = view.schema.inverse_label(hop.relation) if is_turned else view.schema.label(hop.relation)
    return min(nouns, key=lambda noun: (len(noun), noun), default=f"‘{label or view.schema.label(hop.relation)}’")
