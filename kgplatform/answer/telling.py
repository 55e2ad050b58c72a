"""What a plan asks and what its solutions say, in words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import pyoxigraph as ox

from ..query.algebra import (
    AFTER,
    ALWAYS,
    AT,
    BEFORE,
    DURING,
    NOW,
    SINCE,
    THROUGHOUT,
    Entity,
    Filter,
    Hop,
    InPeriod,
    Plan,
    Sequence,
    Term,
    Time,
    Value,
    Var,
    bound,
)
from ..query.execute import Result, Row, Solution
from ..query.expansion import bound_variables, generators, slot_class, slot_classes
from ..query.facts import Stored
from ..query.graphview import GraphView
from ..query.lexicon import Lexicon, read_lexicon
from ..query.naming import names_of, types_of
from ..terms import PP, TYPE, XSD, literal_term
from ..times import Bound, shown, shown_instant
from .alike import distinct_names
from .bounds import validity_words
from .conditions import A_DAY, event_words, filtered_words, value_words
from .sentences import ANYTHING, Link, Teller
from .wording import PREDICATE, VERB, listed, past_verb, plural_verb, with_article, wording

WHICH = "*"
"""The node that stands for what is asked for, when several answers are told at once."""


@dataclass(frozen=True)
class Scene:
    """The names of everything that one answer speaks of; `over` are the facts that ended, though no trusted source may say when."""

    view: GraphView
    plan: Plan
    lexicon: Lexicon
    names: Mapping[str, str]
    people: frozenset[str]
    over: frozenset[str] = frozenset()

    def teller(self, more: Mapping[str, str] | None = None) -> Teller:
        return Teller(self.view.schema, self.lexicon, {**self.names, **(more or {})}, self.people)

    def name(self, term: ox.NamedNode | ox.Literal | ox.BlankNode) -> str:
        return value_words(term) if isinstance(term, ox.Literal) else self.names.get(term.value, term.value)


def scene(view: GraphView, plan: Plan, result: Result | None, *, beside: Iterable[Solution] = ()) -> Scene:
    """Looks up the names of all entities of a plan and its solutions at once, and of the solutions that are told beside these."""
    ends = [t for hop in (*plan.hops, *plan.absences) for t in (hop.subject, hop.object)]
    iris = {t.id for t in ends if isinstance(t, Entity)}
    stored = [*result.facts.values(), *result.against.values()] if result else []
    iris |= {f.subject for f in stored} | {f.object.value for f in stored if isinstance(f.object, ox.NamedNode)}
    iris |= {term.value for solution in beside for term in solution.key if isinstance(term, ox.NamedNode)}
    names = {str(f.object): _quoted(f.object) for f in stored if isinstance(f.object, ox.Literal)}
    names |= {t.node: _quoted(literal_term(t.node)) for t in ends if isinstance(t, Value)}
    classes = {iri for iri in iris if iri in view.schema.classes}
    names |= distinct_names(view, names_of(view, iris - classes)) | {iri: view.schema.label(iri) for iri in classes}
    types = types_of(view, iris - classes)
    people = frozenset(iri for iri, held in types.items() if view.schema.is_a(held, [PP.Person]))
    over = frozenset(fact.iri for fact in stored if fact.end.at <= view.valid_at)
    return Scene(view, plan, read_lexicon(view.schema), names, people, over)


def _quoted(literal: ox.Literal) -> str:
    """The words of a literal inside a sentence: what may be a sentence itself stands in quotes."""
    told = value_words(literal)
    return f"“{told}”" if literal.value.count(" ") > 3 else told


# -- the plan in words


def plan_links(scene: Scene, *, root: str = "", known: Mapping[str, str] | None = None) -> tuple[dict[str, str], list[Link]]:
    """(names of variables, links) of the plan itself; the variable `root` is told as WHICH, variables that are `known` by their words."""
    plan, schema = scene.plan, scene.view.schema
    names = {f"?{v}": _some((plan.class_of(v),) if plan.class_of(v) else slot_classes(schema, plan, v), scene) for v in sorted(bound_variables(plan))}
    names |= {f"?{v}": A_DAY for v in bound_variables(plan) if is_date(scene, v)}
    names |= {f"?{v}": filtered_words(filters, is_date=is_date(scene, v)) for v, filters in filters_of(plan).items()}
    names |= {f"?{v}": words for v, words in (known or {}).items()}
    dates = event_dates(plan, scene).keys() - (known or {}).keys()

    def node(term: Term) -> str:
        match term:
            case Var(name):
                return WHICH if name == root else f"?{name}"
            case Entity(id_):
                return id_
            case Value(text):
                return text

    links = []
    for hop in plan.hops:
        if isinstance(hop.object, Var) and hop.object.name in dates:
            continue
        links.append(_turned(Link(node(hop.subject), hop.relation, node(hop.object)), scene))
    return names, links


def filters_of(plan: Plan) -> dict[str, list[Filter]]:
    """Variable -> all its filters."""
    found: dict[str, list[Filter]] = {}
    for each in plan.filters:
        found.setdefault(each.variable, []).append(each)
    return found


def is_date(scene: Scene, variable: str) -> bool:
    return any(_is_day(scene, hop) for hop in (*scene.plan.hops, *scene.plan.absences) if hop.object == Var(variable))


def _is_day(scene: Scene, hop: Hop) -> bool:
    return scene.view.schema.relations[hop.relation].datatype in (XSD.date, XSD.dateTime)


def event_dates(plan: Plan, scene: Scene) -> dict[str, Term]:
    """The variable of the day on which an event must have happened, with the event; the sentence says when instead.

    None where more is asked of that day than one period, or of the days of several events: then each day is told of its event.
    """
    relations = scene.view.schema.relations
    periods = {v for v, filters in filters_of(plan).items() if len(filters) == 1 and isinstance(filters[0], InPeriod)}
    found = ((hop.object, hop) for hop in plan.hops if relations[hop.relation].is_event_date)
    dates = {term.name: hop.subject for term, hop in found if isinstance(term, Var) and term.name in periods}
    return dates if len(dates) == 1 else {}


def _turned(link: Link, scene: Scene) -> Link:
    stored, turned = scene.view.schema.canonical(link.relation)
    return Link(link.object, stored, link.subject) if turned else link


def plan_words(scene: Scene) -> str:
    """What the plan looks for, as one clause: `Tax was owned by a team in 2021`."""
    if scene.plan.sequence:
        return _sequence_words(scene, scene.plan.sequence)
    names, links = plan_links(scene)
    parts = [f"{_node_words(scene, names, event)} happened" for event in event_dates(scene.plan, scene).values() if not links]
    if links:
        parts.append(plan_teller(scene, names).path(_start(links), links, is_past=is_over(scene)))
    parts += [f"{names['?' + name]} is stored" for name in generators(scene.plan)]
    parts += [f"no stored fact says that {_absent_words(scene, hop, 'it')}" for hop in scene.plan.absences]
    return " and ".join(parts) + when_words(scene)


def plan_teller(scene: Scene, names: Mapping[str, str]) -> Teller:
    people = frozenset(f"?{v}" for v in bound_variables(scene.plan) if _is_person(scene, v))
    return Teller(scene.view.schema, scene.lexicon, {**scene.names, **names}, scene.people | people)


def nothing_words(scene: Scene) -> str:
    """That nothing stored meets the plan: `Nothing stored says that Tax depends on a component`, `No system is stored`."""
    plan = scene.plan
    held = next((v for hop in plan.absences for v in (hop.subject, hop.object) if isinstance(v, Var) and _is_bound(plan, v)), None)
    made = generators(plan)
    if not (held or made) or (plan.hops and not held):
        return f"Nothing stored says that {plan_words(scene)}"
    root = held.name if held else made[0]
    names, links = plan_links(scene, root=root)
    kind = scene.view.schema.label(plan.class_of(root) or slot_class(scene.view.schema, plan, root))
    told = plan_teller(scene, {**names, WHICH: f"no {kind}"}).path(WHICH, links, roots=f"no {kind}", is_clause=bool(links))
    stored = "is stored" if not links else "is among those stored"
    lacks = " and ".join(f"of which no stored fact says that {_absent_words(scene, hop, 'it')}" for hop in plan.absences)
    return f"{told[:1].upper()}{told[1:]} {stored}{f' {lacks}' if lacks else ''}{when_words(scene)}"


def _sequence_words(scene: Scene, sequence: Sequence) -> str:
    """`Tax was owned by a team before Commerce`."""
    plan = scene.plan
    earlier, later = plan.hops[sequence.earlier], plan.hops[sequence.later]
    asks_earlier = any(Var(name) in (earlier.subject, earlier.object) for name in plan.select)
    asked, other = (earlier, later) if asks_earlier else (later, earlier)
    rest = replace(plan, hops=tuple(hop for hop in plan.hops if hop is not other), sequence=None, validity=())
    ends = [end for end in (other.subject, other.object) if end not in (asked.subject, asked.object)]
    names, _ = plan_links(scene)
    named = listed([_node_words(scene, names, end) for end in ends])
    return f"{plan_words(replace(scene, plan=rest))} {'before' if asks_earlier else 'after'} {named}"


def _node_words(scene: Scene, names: Mapping[str, str], term: Term) -> str:
    match term:
        case Var(name):
            return names.get(f"?{name}", ANYTHING)
        case Entity(id_):
            return scene.names[id_]
        case Value(node):
            return scene.names[node]


def is_over(scene: Scene) -> bool:
    """Whether the plan asks of the past: of any time, or of one that ended before the view's instant."""
    time = scene.plan.time
    if time.kind in (ALWAYS, BEFORE):
        return True
    if time.kind == AT:
        return bound(time.start).at < scene.view.valid_at
    return time.kind == DURING and time.period()[1] <= scene.view.valid_at


def _some(classes: Iterable[str], scene: Scene) -> str:
    """`a team`, `a group or a person`; `anything` of no class."""
    return " or ".join(sorted(with_article(scene.view.schema.label(c)) for c in classes)) or ANYTHING


def _is_person(scene: Scene, variable: str) -> bool:
    schema = scene.view.schema
    class_ = scene.plan.class_of(variable) or slot_class(schema, scene.plan, variable)
    return PP.Person in schema.ancestors(class_)


def _start(links: list[Link]) -> str:
    """The known end of the path from which it is told: a subject, if one is known."""
    return next((link.subject for link in links if not link.subject.startswith("?")), links[0].subject)


def _absent_words(scene: Scene, hop: Hop, who: str, *, is_plural: bool = False) -> str:
    schema = scene.view.schema
    link = _turned(Link("s", hop.relation, "o"), scene)
    is_subject = (link.subject == "s") == (isinstance(hop.subject, Var) and _is_bound(scene.plan, hop.subject))
    said = wording(schema, scene.lexicon, link.relation, from_subject=is_subject)
    other = hop.object if isinstance(hop.subject, Var) and _is_bound(scene.plan, hop.subject) else hop.subject
    match other:
        case Entity(id_):
            what = scene.names[id_]
        case Value(node):
            what = scene.names[node]
        case Var(name):
            class_ = scene.plan.class_of(name)
            what = f"any {schema.label(class_)}" if class_ else "any day" if _is_day(scene, hop) else ANYTHING
    text = said.text if said.kind in (VERB, PREDICATE) else f"has the {said.text}"
    if what == ANYTHING and text.startswith("has "):
        text, what = "has", f"any {text.removeprefix('has ').removeprefix('the ')}"
    told = plural_verb(text) if is_plural else text
    return f"{who} {past_verb(told) if is_over(scene) else told} {what}"


def _is_bound(plan: Plan, variable: Var) -> bool:
    return any(variable in (h.subject, h.object) for h in plan.hops) or variable.name in generators(plan)


def absence_words(scene: Scene, names: list[str], *, is_plural: bool) -> str:
    """`no stored fact says that Ledgerd, Mailer or Search are owned by anything`."""
    who = listed(names).replace(" and ", " or ")
    told = " and no stored fact says that ".join(_absent_words(scene, hop, who, is_plural=is_plural) for hop in scene.plan.absences)
    return f"no stored fact says that {told}"


# -- when


def is_any_past(scene: Scene) -> bool:
    """Whether the plan asks of any time up to now."""
    return scene.plan.time in (Time(ALWAYS), Time(BEFORE, scene.view.valid_at))


def time_words(scene: Scene) -> str:
    """`in June 2023`, `on 15 March 2024`, `since 2024`; '' of now and of any time."""
    time = scene.plan.time
    if time.kind == NOW or is_any_past(scene):
        return ""
    start = bound(time.start)
    if time.kind == DURING and time.end:
        whole = "throughout the time " if time.mode == THROUGHOUT else ""
        return f"{whole}from {shown(start)} until {shown(bound(time.end))}"
    word = {AT: "on" if start.precision in ("day", "instant") else "at the start of", SINCE: "since", BEFORE: "before", AFTER: "after"}.get(
        time.kind, "in"
    )
    if time.kind == DURING:
        word = "throughout" if time.mode == THROUGHOUT else "on" if start.precision == "day" else "in"
    return f"{word} {shown(start)}"


def when_words(scene: Scene) -> str:
    events = [f for f in scene.plan.filters if isinstance(f, InPeriod) and f.variable in event_dates(scene.plan, scene)]
    told = " ".join(words for words in (event_words(events), time_words(scene)) if words)
    return f" {told}" if told else ""


# -- solutions in words


def row_links(row: Row, facts: Mapping[str, Stored]) -> list[Link]:
    found = [facts[iri] for *_, iri in row.facts if iri in facts]
    return [Link(f.subject, f.relation, node_of(f.object)) for f in found if f.relation != TYPE] or [
        Link(f.subject, f.relation, node_of(f.object)) for f in found[:1]
    ]


def node_of(term: ox.NamedNode | ox.Literal | ox.BlankNode) -> str:
    return str(term) if isinstance(term, ox.Literal) else term.value


def solution_sentences(scene: Scene, solutions: Iterable[Solution], facts: Mapping[str, Stored], *, with_validity: bool) -> list[str]:
    """One sentence for all solutions that are met in the same way, without full stops."""
    groups: dict[tuple[tuple[Link, ...], str, bool], list[str]] = {}
    for solution in solutions:
        root = node_of(solution.key[0])
        alike = _alike(scene, solution.rows, facts)
        links = row_links(alike[0], facts)
        validity = _validities(alike, facts) if with_validity else ""
        is_past = all(_is_past(scene, _facts_of(row, facts)) for row in alike)
        shape = tuple(Link(WHICH if k.subject == root else k.subject, k.relation, WHICH if k.object == root else k.object) for k in links)
        groups.setdefault((shape, validity, is_past), []).append(root)
    told = []
    for (links_, validity, is_past), roots in groups.items():
        if len(roots) == 1:
            links = [Link(*(roots[0] if part == WHICH else part for part in link)) for link in links_]
            text = scene.teller().path(roots[0], links, is_past=is_past)
        else:
            words = listed([scene.names[root] for root in roots])
            text = scene.teller({WHICH: words}).path(WHICH, links_, roots=words, is_plural=True, is_past=is_past)
        told.append(f"{text}, {validity}" if validity else text)
    return told


def _facts_of(row: Row, facts: Mapping[str, Stored]) -> list[Stored]:
    return [facts[iri] for *_, iri in row.facts if iri in facts]


def _alike(scene: Scene, rows: Iterable[Row], facts: Mapping[str, Stored]) -> list[Row]:
    """The rows that say the same as the one that is told, of this and other times; a row that still holds is told before others."""
    ordered = sorted(rows, key=lambda row: _is_past(scene, _facts_of(row, facts)))
    links = row_links(ordered[0], facts)
    return [row for row in ordered if row_links(row, facts) == links]


def _validities(rows: list[Row], facts: Mapping[str, Stored]) -> str:
    """When the one fact of these rows held, in the order of time; joined by `or` where sources disagree on the dates. '' of a path."""
    if any(len(row.facts) != 1 for row in rows):
        return ""
    held = sorted({facts[row.facts[0][2]] for row in rows}, key=lambda fact: (fact.start.at, fact.end.at))
    is_disputed = any(other.iri in fact.against for fact in held for other in held)
    told = dict.fromkeys(words for fact in held if (words := validity_words(fact)))
    return (", or " if is_disputed else ", and ").join(told)


def _is_past(scene: Scene, facts: Iterable[Stored]) -> bool:
    """Whether what is told no longer holds at the view's instant, or is told of a time that is over without its dates."""
    told_of_past = is_over(scene) and not is_any_past(scene)
    return any(
        fact.end.at <= scene.view.valid_at or fact.iri in scene.over or (told_of_past and not validity_words(fact)) for fact in facts
    )


def fact_words(scene: Scene, fact: Stored) -> str:
    """One fact with its validity: `Web owns Notify, since 1 January 2025`."""
    link = Link(fact.subject, fact.relation, node_of(fact.object))
    turned = wording(scene.view.schema, scene.lexicon, fact.relation, from_subject=False)
    root = link.object if isinstance(fact.object, ox.NamedNode) and turned.kind == VERB else link.subject
    told = scene.teller().path(root, [link], is_past=_is_past(scene, [fact]))
    told = told if fact.positive else f"it is not so that {told}"
    validity = validity_words(fact)
    return f"{told}, {validity}" if validity else told


def first_words(start: Bound) -> str:
    kind = {"stated": "first stated", "observed": "first observed"}.get(start.kind, "first seen")
    return f"{kind} {shown(start) if start.kind != 'unknown' else shown_instant(start.at, start.precision)}"
