"""Plans over assertions with intervals, in plain Python: every assignment of facts to hops is tried. An oracle for answers.

It knows nothing of SPARQL, of the checker, or of how a plan is compiled. The rules, as docs/asking.md says them:

- What is said of an event holds whenever it was reported, unless a later report of the event says another value in its place.
- Other hops of a plan about an event hold when it happened: at the first instant of a day, in all of a year.
- A time of a plan about an event selects the event by its date.
- All else holds at the time of the plan; over a period or at any time, all such facts of a row at one instant.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import product
from typing import NamedTuple

from kgplatform.model import DerivedAssertion
from kgplatform.query.algebra import COUNT, FEWEST, Comparison, EntityTerm, Hop, InPeriod, Plan, Term, Time, Var
from kgplatform.schema import Schema
from kgplatform.terms import TYPE, literal_term
from kgplatform.times import MAX, MIN, parse_stated
from support.projection import World

Binding = Mapping[str, str]


class Asked(NamedTuple):
    """What a plan yields: distinct values of what is asked for, with how many are counted for each."""

    answers: frozenset[tuple[str, int]]


class Unclear(Exception):
    """The plan does not say whose time a hop takes."""


def first(text: str) -> str:
    return parse_stated(text).at


def after(text: str) -> str:
    """The first instant after what a date names."""
    moment, parts = dt.datetime.fromisoformat(first(text)), text.count("-")
    if parts == 0:
        return f"{moment.year + 1:04}-01-01T00:00:00Z"
    if parts == 1:
        return f"{moment.year + moment.month // 12:04}-{moment.month % 12 + 1:02}-01T00:00:00Z"
    return f"{moment + dt.timedelta(days=1):%Y-%m-%d}T00:00:00Z"


class Model:
    """A world as one caller sees it, at an instant."""

    def __init__(self, world: World, schema: Schema, *, scopes: frozenset[str], now: str) -> None:
        self.schema, self.now = schema, now
        self.facts = [a for a, sources in world.facts.items() if a.positive and any(not s.scope or s.scope in scopes for s in sources)]
        self.types: dict[str, set[str]] = {}
        for fact in self.facts:
            if fact.relation == TYPE:
                self.types.setdefault(fact.subject, set()).add(fact.object[1:-1])

    # -- whose time

    def date_of(self, plan: Plan, term: Term) -> str:
        """The relation that says when a thing happened, '' of what is no event."""
        for relation in sorted(r.iri for r in self.schema.relations.values() if r.is_event_date):
            (happening,) = self.schema.relations[relation].domain
            kinds = self.types.get(term.id, set()) if isinstance(term, EntityTerm) else self.kinds(plan, term)
            if happening in kinds or any(h.subject == term and h.relation == relation for h in plan.hops):
                return relation
        return ""

    def kinds(self, plan: Plan, term: Term) -> set[str]:
        if not isinstance(term, Var):
            return set()
        kinds = {plan.class_of(term.name)}
        for hop in (*plan.hops, *plan.absences):
            relation = self.schema.relations[hop.relation]
            kinds |= set(relation.domain) if hop.subject == term else set()
            kinds |= set(relation.range) if hop.object == term else set()
        return kinds

    def nearest_event(self, plan: Plan, hop: Hop) -> Term | None:
        """By the number of hops between them; an event hides what is behind it."""
        distance: dict[Term, int] = {hop.subject: 0, hop.object: 0}
        while True:
            more = {
                other: distance[term] + 1
                for one in plan.hops
                for term, other in ((one.subject, one.object), (one.object, one.subject))
                if term in distance and other not in distance and not self.date_of(plan, term)
            }
            if not more:
                break
            least = min(more.values())
            distance |= {term: steps for term, steps in more.items() if steps == least}
        events = {term: steps for term, steps in distance.items() if self.date_of(plan, term)}
        nearest = [term for term, steps in events.items() if steps == min(events.values())]
        if len(nearest) > 1:
            raise Unclear
        return nearest[0] if nearest else None

    # -- rows

    def matches(self, hop: Hop, binding: Binding) -> Iterator[tuple[DerivedAssertion, Binding]]:
        relation = self.schema.relations[hop.relation]
        for fact in self.facts:
            if fact.relation == hop.relation:
                for one, other in ((fact.subject, fact.object), (fact.object, fact.subject))[: 2 if relation.symmetric else 1]:
                    bound = dict(binding)
                    if all(self.fits(term, node, bound) for term, node in ((hop.subject, one), (hop.object, other))):
                        yield fact, bound

    def fits(self, term: Term, node: str, binding: dict[str, str]) -> bool:
        if isinstance(term, Var):
            return binding.setdefault(term.name, node) == node
        return node == (term.id if isinstance(term, EntityTerm) else term.node)

    def rows(self, hops: tuple[Hop, ...], binding: Binding) -> Iterator[tuple[tuple[DerivedAssertion, ...], Binding]]:
        first_hop, rest = (hops[0], hops[1:]) if hops else (None, ())
        if first_hop is None:
            yield (), binding
            return
        for fact, bound in self.matches(first_hop, binding):
            for facts, whole in self.rows(rest, bound):
                yield (fact, *facts), whole

    # -- when

    def is_withdrawn(self, plan: Plan, hop: Hop, fact: DerivedAssertion) -> bool:
        if fact.end.kind not in ("observed", "succeeded"):
            return False
        if self.date_of(plan, hop.subject):
            alike = [f for f in self.facts if f.relation == fact.relation and f.subject == fact.subject]
        elif self.date_of(plan, hop.object):
            alike = [f for f in self.facts if f.relation == fact.relation and f.object == fact.object]
        else:
            return False
        return any(f.end.at > fact.end.at for f in alike)

    def event_of(self, plan: Plan, hop: Hop, time: Time) -> Term | None:
        """The event at whose date a hop holds, None if it holds at that of none."""
        is_own = hop.relation == TYPE or any(self.date_of(plan, end) for end in (hop.subject, hop.object))
        if hop.at or is_own or time.kind != "now" or not self.is_about_events(plan):
            return None
        return self.nearest_event(plan, hop)

    def at(self, plan: Plan, hop: Hop, time: Time, days: Mapping[Term, str]) -> Callable[[DerivedAssertion], bool] | None:
        """Whether a fact holds when the hop must; None where it takes the time of the plan."""
        event = self.event_of(plan, hop, time)
        if event is not None:
            return lambda fact: self.covers(fact, days[event])
        is_own = self.is_about_events(plan) and any(self.date_of(plan, end) for end in (hop.subject, hop.object))
        if hop.at == "whenever" or (not hop.at and (is_own or (hop.relation == TYPE and self.is_about_events(plan)))):
            return lambda fact: not self.is_withdrawn(plan, hop, fact)
        return None

    def is_about_events(self, plan: Plan) -> bool:
        return any(self.date_of(plan, end) for hop in plan.hops for end in (hop.subject, hop.object))

    def days(self, plan: Plan, event: Term, binding: Binding) -> Iterator[str]:
        """The day on which the event happened: what the plan calls it, where it does."""
        relation = self.date_of(plan, event)
        named = next((h.object for h in plan.hops if (h.subject, h.relation) == (event, relation) and isinstance(h.object, Var)), None)
        if named is not None:
            yield literal_term(binding[named.name]).value
            return
        node = event.id if isinstance(event, EntityTerm) else binding[event.name] if isinstance(event, Var) else ""
        for fact in self.facts:
            if (fact.subject, fact.relation) == (node, relation) and not self.is_withdrawn(plan, Hop(event, relation, Var("_")), fact):
                yield literal_term(fact.object).value

    def covers(self, fact: DerivedAssertion, day: str) -> bool:
        if len(day) == 4:
            return fact.start.at <= first(day) and after(day) <= fact.end.at
        return fact.start.at <= first(day) < fact.end.at

    def meets(self, time: Time, fact: DerivedAssertion) -> bool:
        start, end = fact.start.at, fact.end.at
        match time.kind:
            case "now":
                return start <= self.now < end
            case "at":
                return start <= first(time.start) < end
            case "since":
                return start < after(time.start) and start <= self.now < end
            case "before":
                return start < first(time.start)
            case "after":
                return after(time.start) < end
            case "during":
                last = first(time.end) if time.end else after(time.start)
                return start <= first(time.start) and last <= end if time.mode == "throughout" else start < last and first(time.start) < end
        return True

    def lacks(self, time: Time) -> Time:
        """When a fact must not hold: in all of the time since something, in no part of a whole period."""
        if time.kind == "since":
            return Time("during", after(time.start), f"{self.now[:-4]}:01Z" if self.now.endswith(":00Z") else self.now)
        return Time(time.kind, time.start, time.end) if time.kind == "during" else time

    # -- answers

    def ask(self, plan: Plan) -> Asked:
        plan, time = self.dated(plan)
        found: dict[str, set[str]] = {}
        for facts, binding in self.rows(plan.hops, {}):
            if self.is_met(plan, time, facts, binding):
                key = binding[plan.select[0]] if plan.select else binding[plan.aggregate.by] if plan.aggregate and plan.aggregate.by else ""
                found.setdefault(key, set()).add(binding[plan.aggregate.variable] if plan.aggregate else "")
        if plan.aggregate is None:
            return Asked(frozenset((key, 0) for key in found))
        counts = {key: len(values) for key, values in found.items()}
        if plan.aggregate.kind == COUNT and not plan.aggregate.by:
            return Asked(frozenset({("", counts.get("", 0))}))
        if plan.aggregate.order and counts:
            best = min(counts.values()) if plan.aggregate.order == FEWEST else max(counts.values())
            counts = {key: count for key, count in counts.items() if count == best}
        return Asked(frozenset(counts.items()))

    def dated(self, plan: Plan) -> tuple[Plan, Time]:
        """The time of a plan about one event as a period of its date."""
        terms = dict.fromkeys(end for hop in plan.hops for end in (hop.subject, hop.object))
        events = [term for term in terms if self.date_of(plan, term)]
        if not events or plan.time.kind in ("now", "always") or any(hop.at == "plan" for hop in (*plan.hops, *plan.absences)):
            return plan, plan.time
        if len(events) > 1 or plan.time.mode == "throughout":
            raise Unclear
        start, end = plan.time.start, plan.time.end
        period = {
            "at": (first(start), after(first(start)[:10])),
            "since": (first(start), ""),
            "before": ("", first(start)),
            "after": (after(start), ""),
            "during": (first(start), first(end) if end else after(start)),
        }[plan.time.kind]
        relation = self.date_of(plan, events[0])
        held = next((h.object for h in plan.hops if (h.subject, h.relation) == (events[0], relation) and isinstance(h.object, Var)), None)
        day = held or Var("_day")
        hops = plan.hops if held else (*plan.hops, Hop(events[0], relation, day))
        assert isinstance(day, Var)
        return replace(plan, hops=hops, filters=(*plan.filters, InPeriod(day.name, *period)), time=Time()), Time()

    def is_met(self, plan: Plan, time: Time, facts: tuple[DerivedAssertion, ...], binding: Binding) -> bool:
        """Whether some choice of the dates of its events bears the row."""
        events = {event for hop in (*plan.hops, *plan.absences) if (event := self.event_of(plan, hop, time)) is not None}
        choices = product(*([(event, day) for day in self.days(plan, event, binding)] for event in events))
        return any(self.is_borne(plan, time, facts, binding, dict(days)) for days in choices)

    def is_borne(self, plan: Plan, time: Time, facts: tuple[DerivedAssertion, ...], binding: Binding, days: Mapping[Term, str]) -> bool:
        of_plan = []
        for hop, fact in zip(plan.hops, facts, strict=True):
            own = self.at(plan, hop, time, days)
            if own is None:
                of_plan.append(fact)
            elif not own(fact):
                return False
        if not all(self.meets(time, fact) for fact in of_plan) or not self.at_once(time, of_plan):
            return False
        if not all(self.is_of_class(plan, v.name, binding[v.name], v.class_) for v in plan.variables if v.name in binding and v.class_):
            return False
        lacks = not any(self.is_there(plan, time, hop, binding, days) for hop in plan.absences)
        return lacks and all(self.passes(each, binding) for each in plan.filters)

    def at_once(self, time: Time, facts: list[DerivedAssertion]) -> bool:
        together = time.kind in ("always", "before", "after") or (time.kind == "during" and time.mode != "throughout")
        return not together or not facts or max(f.start.at for f in facts) < min(f.end.at for f in facts)

    def is_of_class(self, plan: Plan, name: str, node: str, class_: str) -> bool:
        """Whether it is said to be, at any time; a relation that only such things have says it as well."""
        kinds = self.kinds(replace(plan, variables=()), Var(name))
        return class_ in kinds or self.schema.is_a(self.types.get(node, set()), [class_])

    def is_there(self, plan: Plan, time: Time, hop: Hop, binding: Binding, days: Mapping[Term, str]) -> bool:
        own = self.at(plan, hop, time, days)
        there = [fact for fact, _ in self.matches(hop, binding)]
        return any(self.meets(self.lacks(time), fact) if own is None else own(fact) for fact in there)

    def passes(self, each: Comparison | InPeriod, binding: Binding) -> bool:
        value = literal_term(binding[each.variable])
        if isinstance(each, InPeriod):
            begins = first(value.value)
            ends = after(value.value) if len(value.value) == 4 else begins
            inside = (
                ends <= (first(each.end) if each.end else MAX) if len(value.value) == 4 else begins < (first(each.end) if each.end else MAX)
            )
            return (first(each.start) if each.start else MIN) <= begins and inside
        text, other = value.value.casefold(), literal_term(each.value.node).value.casefold()
        return {"=": text == other, "!=": text != other, "contains": other in text}[each.operator]

    # -- none

    def is_known_none(self, plan: Plan) -> bool:
        """Of a count that found none: whether what was asked of was spoken of by then, and things of its kind had the relation then."""
        plan, time = self.dated(plan)
        for hop in (*plan.hops, *plan.absences):
            for thing in (end.id for end in (hop.subject, hop.object) if isinstance(end, EntityTerm)):
                if not any(thing in (f.subject, f.object) and self.is_by(plan, hop, time, f) for f in self.facts):
                    return False
        return all(self.is_had(plan, hop, time) for hop in plan.hops)

    def then(self, plan: Plan, hop: Hop, time: Time) -> Time:
        """The time of the plan, or the period in which its events happened."""
        is_own = self.is_about_events(plan) and any(self.date_of(plan, end) for end in (hop.subject, hop.object))
        if self.event_of(plan, hop, time) is None and hop.at != "whenever" and not (is_own and not hop.at):
            return time
        dates = {h.object for h in plan.hops if self.schema.relations[h.relation].is_event_date}
        periods = [each for each in plan.filters if isinstance(each, InPeriod) and Var(each.variable) in dates]
        if not periods:
            return Time("always")
        start, end = periods[0].start, min((each.end for each in periods if each.end), key=first, default="")
        return Time("during", start, end) if start and end else Time("before", end) if end else Time("after", start)

    def is_by(self, plan: Plan, hop: Hop, time: Time, fact: DerivedAssertion) -> bool:
        lasting = fact._replace(end=fact.end._replace(at=MAX))
        return fact.start.at > MIN and self.meets(self.then(plan, hop, time), lasting)

    def is_had(self, plan: Plan, hop: Hop, time: Time) -> bool:
        ends = [
            (side, self.types.get(end.id, set()))
            for side, end in (("subject", hop.subject), ("object", hop.object))
            if isinstance(end, EntityTerm)
        ]
        is_own = self.is_about_events(plan) and any(self.date_of(plan, end) for end in (hop.subject, hop.object))
        for fact, bound in self.matches(Hop(Var("subject"), hop.relation, Var("object")), {}):
            kinds = [
                side
                for side, types in ends
                if any(self.schema.is_a(self.types.get(bound[side], set()) | self.implied(hop, side), [t]) for t in types)
            ]
            if kinds or not any(types for _, types in ends):
                if hop.at == "whenever" or (is_own and not hop.at):
                    if not self.is_withdrawn(Plan(hops=(hop,)), hop, fact):
                        return True
                elif self.meets(self.then(plan, hop, time), fact):
                    return True
        return False

    def implied(self, hop: Hop, side: str) -> set[str]:
        relation = self.schema.relations[hop.relation]
        return set(relation.domain if side == "subject" else relation.range)
