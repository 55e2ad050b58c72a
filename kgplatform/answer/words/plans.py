"""What a plan asks, in words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from ...language.phrases import with_article
from ...query.algebra import (
    EntityTerm,
    Hop,
    Plan,
    Sequence,
    Term,
    ValueTerm,
    Var,
)
from ...query.expansion import bound_variables, generators, slot_class, slot_classes
from ...terms import PP
from .conditions import A_DAY, filtered_words
from .context import AnswerContext, node_words
from .sentences import ANYTHING, Link, Teller
from .times import event_dates, filters_of, is_date, is_day, is_over, when_words
from .wording import PREDICATE, VERB, listed, past_verb, plural_verb, wording

WHICH = "*"
"""The node that stands for what is asked for, when several answers are told at once."""


def plan_links(context: AnswerContext, *, root: str = "", known: Mapping[str, str] | None = None) -> tuple[dict[str, str], list[Link]]:
    """(names of variables, links) of the plan itself; the variable `root` is told as WHICH, variables that are `known` by their words."""
    plan, schema = context.plan, context.view.schema
    names = {
        f"?{v}": _some((plan.class_of(v),) if plan.class_of(v) else slot_classes(schema, plan, v), context)
        for v in sorted(bound_variables(plan))
    }
    names |= {f"?{v}": A_DAY for v in bound_variables(plan) if is_date(context, v)}
    names |= {f"?{v}": filtered_words(filters, is_date=is_date(context, v)) for v, filters in filters_of(plan).items()}
    names |= {f"?{v}": words for v, words in (known or {}).items()}
    dates = (event_dates(plan, context).keys() | _silent_dates(plan)) - (known or {}).keys()

    def node(term: Term) -> str:
        match term:
            case Var(name):
                return WHICH if name == root else f"?{name}"
            case EntityTerm(id_):
                return id_
            case ValueTerm(text):
                return text

    links = []
    for hop in plan.hops:
        if isinstance(hop.object, Var) and hop.object.name in dates:
            continue
        links.append(_turned(Link(node(hop.subject), hop.relation, node(hop.object)), context))
    return names, links


def _silent_dates(plan: Plan) -> frozenset[str]:
    """The variables of the dates that only say when other hops hold."""
    asked = {*plan.select, *(each.variable for each in plan.filters)}
    asked |= {plan.aggregate.variable, plan.aggregate.by} if plan.aggregate else set()
    return frozenset(hop.at.name for hop in (*plan.hops, *plan.absences) if isinstance(hop.at, Var)) - asked


def _turned(link: Link, context: AnswerContext) -> Link:
    stored, turned = context.view.schema.canonical(link.relation)
    return Link(link.object, stored, link.subject) if turned else link


def plan_words(context: AnswerContext) -> str:
    """What the plan looks for, as one clause: `Tax was owned by a team in 2021`."""
    if context.plan.sequence:
        return _sequence_words(context, context.plan.sequence)
    names, links = plan_links(context)
    parts = [f"{node_words(context, names, event)} happened" for event in event_dates(context.plan, context).values() if not links]
    if links:
        parts.append(plan_teller(context, names).path(_start(links), links, is_past=is_over(context)))
    parts += [f"{names['?' + name]} is stored" for name in generators(context.plan)]
    parts += [f"no stored fact says that {_absent_words(context, hop, 'it')}" for hop in context.plan.absences]
    return " and ".join(parts) + when_words(context)


def plan_teller(context: AnswerContext, names: Mapping[str, str]) -> Teller:
    """Tells paths of the plan itself, whose variables have these names."""
    people = frozenset(f"?{v}" for v in bound_variables(context.plan) if _is_person(context, v))
    return Teller(context.view.schema, context.lexicon, {**context.names, **names}, context.people | people)


def nothing_words(context: AnswerContext) -> str:
    """That nothing stored meets the plan: `Nothing stored says that Tax depends on a component`, `No system is stored`."""
    plan = context.plan
    held = next((v for hop in plan.absences for v in (hop.subject, hop.object) if isinstance(v, Var) and _is_bound(plan, v)), None)
    made = generators(plan)
    if not (held or made) or (plan.hops and not held):
        return f"Nothing stored says that {plan_words(context)}"
    root = held.name if held else made[0]
    names, links = plan_links(context, root=root)
    kind = context.view.schema.label(plan.class_of(root) or slot_class(context.view.schema, plan, root))
    told = plan_teller(context, {**names, WHICH: f"no {kind}"}).path(WHICH, links, roots=f"no {kind}", is_clause=bool(links))
    stored = "is stored" if not links else "is among those stored"
    lacks = " and ".join(f"of which no stored fact says that {_absent_words(context, hop, 'it')}" for hop in plan.absences)
    return f"{told[:1].upper()}{told[1:]} {stored}{f' {lacks}' if lacks else ''}{when_words(context)}"


def _sequence_words(context: AnswerContext, sequence: Sequence) -> str:
    """`Tax was owned by a team before Commerce`."""
    plan = context.plan
    earlier, later = plan.hops[sequence.earlier], plan.hops[sequence.later]
    asks_earlier = any(Var(name) in (earlier.subject, earlier.object) for name in plan.select)
    asked, other = (earlier, later) if asks_earlier else (later, earlier)
    rest = replace(plan, hops=tuple(hop for hop in plan.hops if hop is not other), sequence=None, validity=())
    ends = [end for end in (other.subject, other.object) if end not in (asked.subject, asked.object)]
    names, _ = plan_links(context)
    named = listed([node_words(context, names, end) for end in ends])
    return f"{plan_words(replace(context, plan=rest))} {'before' if asks_earlier else 'after'} {named}"


def _some(classes: Iterable[str], context: AnswerContext) -> str:
    """`a team`, `a group or a person`; `anything` of no class."""
    return " or ".join(sorted(with_article(context.view.schema.label(c)) for c in classes)) or ANYTHING


def _is_person(context: AnswerContext, variable: str) -> bool:
    schema = context.view.schema
    class_ = context.plan.class_of(variable) or slot_class(schema, context.plan, variable)
    return PP.Person in schema.ancestors(class_)


def _start(links: list[Link]) -> str:
    """The known end of the path from which it is told: a subject, if one is known."""
    return next((link.subject for link in links if not link.subject.startswith("?")), links[0].subject)


def _absent_words(context: AnswerContext, hop: Hop, who: str, *, is_plural: bool = False) -> str:
    schema = context.view.schema
    link = _turned(Link("s", hop.relation, "o"), context)
    is_subject = (link.subject == "s") == (isinstance(hop.subject, Var) and _is_bound(context.plan, hop.subject))
    relation = wording(schema, context.lexicon, link.relation, from_subject=is_subject)
    other = hop.object if isinstance(hop.subject, Var) and _is_bound(context.plan, hop.subject) else hop.subject
    match other:
        case EntityTerm(id_):
            what = context.names[id_]
        case ValueTerm(node):
            what = context.names[node]
        case Var(name):
            class_ = context.plan.class_of(name)
            what = f"any {schema.label(class_)}" if class_ else "any day" if is_day(context, hop) else ANYTHING
    text = relation.text if relation.kind in (VERB, PREDICATE) else f"has the {relation.text}"
    if what == ANYTHING and text.startswith("has "):
        text, what = "has", f"any {text.removeprefix('has ').removeprefix('the ')}"
    predicate = plural_verb(text) if is_plural else text
    return f"{who} {past_verb(predicate) if is_over(context) else predicate} {what}"


def _is_bound(plan: Plan, variable: Var) -> bool:
    return any(variable in (h.subject, h.object) for h in plan.hops) or variable.name in generators(plan)


def absence_words(context: AnswerContext, names: list[str], *, is_plural: bool) -> str:
    """`no stored fact says that Ledgerd, Mailer or Search are owned by anything`."""
    who = listed(names).replace(" and ", " or ")
    told = " and no stored fact says that ".join(_absent_words(context, hop, who, is_plural=is_plural) for hop in context.plan.absences)
    return f"no stored fact says that {told}"
