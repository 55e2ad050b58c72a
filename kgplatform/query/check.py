"""The checker: the only maker of a `CheckedPlan`. It fails closed, with the check, the reason and a suggestion."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from ..errors import PlanError
from ..model import ROLES, Principal
from ..schema import Relation, Schema
from ..terms import TYPE, XSD, curie, literal_term
from ..times import MAX, MIN, Instant
from .algebra import (
    ALWAYS,
    COUNT,
    DURING,
    NOW,
    ONE,
    OVERLAPS,
    SINCE,
    Comparison,
    Entity,
    Hop,
    InPeriod,
    Plan,
    Term,
    Time,
    Value,
    Var,
    bound,
)
from .expansion import bound_variables, can_be_both, domain_of, entities_of, family, mistakable, range_of

MAX_HOPS: Final = 8
_COMPARABLE: Final = frozenset({XSD.date, XSD.dateTime, XSD.integer, XSD.decimal, XSD.double, XSD.float, XSD.gYear})
_NUMBERS: Final = frozenset({XSD.integer, XSD.decimal, XSD.double, XSD.float})


class CheckFailed(PlanError):
    """A plan that may not run. `check` names which one of the checks it failed."""

    def __init__(self, check: str, reason: str, *, suggestion: str = "") -> None:
        self.check = check
        super().__init__(reason, where=f"check {check}", hint=suggestion)

    @property
    def reason(self) -> str:
        return self.what

    @property
    def suggestion(self) -> str:
        return self.hint


@dataclass(frozen=True, slots=True)
class Check:
    """One check that a plan passed, and what was seen."""

    name: str
    said: str


_TOKEN: Final = object()

Types = Mapping[str, frozenset[str]]
"""Entity IRI -> its classes, as the caller may see them. An entity that the caller cannot see is not in it."""


@dataclass(frozen=True, slots=True)
class CheckedPlan:
    """A plan that passed every check for this principal under this ontology. Only `check` makes one."""

    plan: Plan
    schema: Schema
    principal: Principal
    checks: tuple[Check, ...]
    token: object

    def __post_init__(self) -> None:
        if self.token is not _TOKEN:
            raise PlanError("only the checker makes a CheckedPlan", hint="call check(plan, schema, principal)")


def check(plan: Plan, schema: Schema, principal: Principal, *, types: Types) -> CheckedPlan:
    """The plan, ready to be compiled. Its entities are IRIs. Raises CheckFailed at the first check it fails."""
    done = tuple(Check(name, said) for name, run in _CHECKS for said in [run(plan, schema, principal, types)])
    return CheckedPlan(plan, schema, principal, done, _TOKEN)


# -- the checks: each returns what it saw, or raises CheckFailed


def _principal(plan: Plan, schema: Schema, principal: Principal, types: Types) -> str:
    if not set(principal.roles) & set(ROLES):
        raise CheckFailed("principal", f"{principal.name} has no role that may ask", suggestion="an administrator can give the role reader")
    return f"{principal.name} may ask as {', '.join(principal.roles)}"


def _shape(plan: Plan, schema: Schema, principal: Principal, types: Types) -> str:
    count = len(plan.hops) + len(plan.absences)
    if count > MAX_HOPS:
        raise CheckFailed("shape", f"{count} hops are asked for, at most {MAX_HOPS} are allowed", suggestion="ask for less at once")
    declared = [v.name for v in plan.variables]
    if len(set(declared)) < len(declared):
        raise CheckFailed("shape", "a variable is declared twice")
    bound_names = bound_variables(plan)
    wanted = [*plan.select, *(f.variable for f in plan.filters)]
    if plan.aggregate:
        wanted += [name for name in (plan.aggregate.variable, plan.aggregate.by) if name]
    for name in wanted:
        if name not in bound_names:
            raise CheckFailed("shape", f"the variable {name} is asked for and stands in no hop", suggestion="add a hop or a class for it")
    if not plan.hops and not bound_names:
        raise CheckFailed("shape", "the plan asks for nothing", suggestion="add a hop or a variable with a class")
    indexes = [v.hop for v in plan.validity] + ([plan.sequence.earlier, plan.sequence.later] if plan.sequence else [])
    if any(index >= len(plan.hops) for index in indexes):
        raise CheckFailed(
            "shape", "a hop is named that the plan does not have", suggestion=f"hops are counted from 0 to {len(plan.hops) - 1}"
        )
    if any(plan.hops[index].path != ONE for index in indexes):
        raise CheckFailed("shape", "the dates of a path of containment cannot be asked for, only those of one fact")
    if len(_islands(plan)) > 1:
        raise CheckFailed("shape", "the hops are not connected", suggestion="let them share a variable or an entity")
    return f"{len(plan.hops)} hops, connected, every asked variable bound"


def _islands(plan: Plan) -> list[set[Term]]:
    islands: list[set[Term]] = []
    for hop in plan.hops:
        ends: set[Term] = {hop.subject, hop.object}
        islands = [*(i for i in islands if not i & ends), set().union(ends, *(i for i in islands if i & ends))]
    joined = {term for island in islands for term in island}
    loose: list[set[Term]] = [{Var(name)} for name in bound_variables(plan) if Var(name) not in joined]
    return [*islands, *loose]


def _relations(plan: Plan, schema: Schema, principal: Principal, types: Types) -> str:
    names = [hop.relation for hop in (*plan.hops, *plan.absences)]
    for name in names:
        if name not in schema.relations:
            raise CheckFailed("relations", f"there is no relation {curie(name)}", suggestion=_closest(name, schema.relations))
        if schema.relations[name].is_qualifier:
            raise CheckFailed("relations", f"{curie(name)} qualifies facts and is none itself")
    return ", ".join(dict.fromkeys(curie(name) for name in names)) or "none needed"


def _classes(plan: Plan, schema: Schema, principal: Principal, types: Types) -> str:
    names = [v.class_ for v in plan.variables if v.class_]
    for name in names:
        if name not in schema.classes:
            raise CheckFailed("classes", f"there is no class {curie(name)}", suggestion=_closest(name, schema.classes))
    return ", ".join(dict.fromkeys(curie(name) for name in names)) or "none named"


def _closest(name: str, known: Iterable[str]) -> str:
    near = difflib.get_close_matches(curie(name), [curie(iri) for iri in known], n=1)
    return f"did you mean {near[0]}?" if near else ""


def _entities(plan: Plan, schema: Schema, principal: Principal, types: Types) -> str:
    named = entities_of(plan)
    for iri in named:
        if iri not in types and iri not in schema.classes:
            raise CheckFailed("entities", f"there is no entity {curie(iri)}", suggestion="search for it by name")
    return f"{len(set(named))} known"


def _ends(plan: Plan, schema: Schema, principal: Principal, types: Types) -> str:
    expected: dict[str, list[frozenset[str]]] = {v.name: [frozenset({v.class_})] for v in plan.variables if v.class_}
    for hop in (*plan.hops, *plan.absences):
        relation = schema.relations[hop.relation]
        if isinstance(hop.subject, Value):
            raise CheckFailed("ends", "a literal cannot be the subject of a fact")
        if relation.iri == TYPE:
            if not (isinstance(hop.object, Entity) and hop.object.id in schema.classes):
                raise CheckFailed("ends", "'is a' leads to a class of the ontology")
            continue
        if isinstance(hop.object, Entity) and relation.is_literal:
            raise CheckFailed("ends", f"{_name(schema, relation)} leads to a value, {curie(hop.object.id)} is an entity")
        if isinstance(hop.object, Value) and not relation.is_literal:
            raise CheckFailed("ends", f"{_name(schema, relation)} leads to an entity, {hop.object.node} is a value")
        for term, wanted, end in ((hop.subject, domain_of(schema, relation), "start"), (hop.object, range_of(schema, relation), "end")):
            if isinstance(term, Entity) and not _is_any(schema, types.get(term.id, frozenset()), wanted):
                raise CheckFailed(
                    "ends",
                    _misfit(schema, relation, types.get(term.id, frozenset()), wanted, end),
                    suggestion=_swap(plan, hop, schema, types),
                )
            if isinstance(term, Var) and wanted:
                for earlier in expected.setdefault(term.name, []):
                    if not any(can_be_both(schema, one, other) for one in earlier for other in wanted):
                        raise CheckFailed(
                            "ends", _misfit(schema, relation, earlier, wanted, end), suggestion=_swap(plan, hop, schema, types)
                        )
                expected[term.name].append(wanted)
    return "every hop starts and ends where its relation may"


def _is_any(schema: Schema, found: frozenset[str], wanted: frozenset[str]) -> bool:
    return not wanted or schema.may_fill(found, wanted)


def _misfit(schema: Schema, relation: Relation, found: Iterable[str], wanted: Iterable[str], end: str) -> str:
    verb = "starts from" if end == "start" else "leads to"
    return f"{_name(schema, relation)} {verb} a {_names(schema, wanted)}, not a {_names(schema, found) or 'thing of unknown class'}"


def _swap(plan: Plan, hop: Hop, schema: Schema, types: Types) -> str:
    """Whether the hop would fit the other way round."""
    relation = schema.relations[hop.relation]

    def fits(term: Term, wanted: frozenset[str]) -> bool:
        if isinstance(term, Entity):
            return _is_any(schema, types.get(term.id, frozenset()), wanted)
        class_ = plan.class_of(term.name) if isinstance(term, Var) else ""
        return not class_ or not wanted or any(can_be_both(schema, class_, one) for one in wanted)

    fitting = fits(hop.subject, range_of(schema, relation)) and fits(hop.object, domain_of(schema, relation))
    return "the other way round it would fit" if fitting and not relation.symmetric else ""


def _name(schema: Schema, relation: Relation) -> str:
    return f"'{schema.label(relation.iri)}'"


def _names(schema: Schema, classes: Iterable[str]) -> str:
    return " or ".join(sorted(schema.label(c) for c in classes))


def _paths(plan: Plan, schema: Schema, principal: Principal, types: Types) -> str:
    longer = [hop for hop in plan.hops if hop.path != ONE]
    for hop in longer:
        if not schema.relations[schema.canonical(hop.relation)[0]].transitive:
            raise CheckFailed("paths", f"'{schema.label(hop.relation)}' is not declared a containment and is followed once only")
    if any(hop.path != ONE for hop in plan.absences):
        raise CheckFailed("paths", "what is not stored can be asked of one step only")
    return f"{len(longer)} along declared containment" if longer else "every hop is one fact"


def _values(plan: Plan, schema: Schema, principal: Principal, types: Types) -> str:
    datatypes = {
        hop.object.name: schema.relations[hop.relation].datatype
        for hop in plan.hops
        if isinstance(hop.object, Var) and schema.relations[hop.relation].is_literal
    }
    for hop in (*plan.hops, *plan.absences):
        relation = schema.relations[hop.relation]
        if isinstance(hop.object, Value):
            held = literal_term(hop.object.node)
            if not relation.admits(held.datatype.value):
                raise CheckFailed(
                    "values", f"'{schema.label(relation.iri)}' holds {curie(relation.datatype)}, not {curie(held.datatype.value)}"
                )
            if relation.values and hop.object.node not in relation.values:
                allowed = sorted(literal_term(v).value for v in relation.values)
                raise CheckFailed(
                    "values", f"{held.value!r} is no value of '{schema.label(relation.iri)}'", suggestion=f"one of {', '.join(allowed)}"
                )
    for each in plan.filters:
        datatype = datatypes.get(each.variable, "")
        if not datatype:
            raise CheckFailed("values", f"{each.variable} is no literal and cannot be compared")
        if isinstance(each, InPeriod):
            if datatype not in (XSD.date, XSD.dateTime):
                raise CheckFailed("values", f"{each.variable} holds {curie(datatype)}, which lies in no period")
            if not (each.start or each.end):
                raise CheckFailed("values", f"the period of {each.variable} has neither start nor end")
            for side in (each.start, each.end):
                if side:
                    _date(side)
            _period(bound(each.start).at if each.start else MIN, bound(each.end).at if each.end else MAX, each)
        else:
            _comparable(each, datatype)
    return f"{len(plan.filters)} comparisons of fitting datatypes" if plan.filters else "nothing to compare"


def _comparable(each: Comparison, datatype: str) -> None:
    given = literal_term(each.value.node).datatype.value
    if each.operator == "contains":
        return
    alike = given == datatype or {given, datatype} <= _NUMBERS or (datatype not in _COMPARABLE and given == XSD.string)
    if not alike:
        raise CheckFailed("values", f"{each.variable} holds {curie(datatype)} and is compared with {curie(given)}")
    if each.operator not in ("=", "!=") and datatype not in _COMPARABLE:
        raise CheckFailed("values", f"{curie(datatype)} has no order for {each.operator}")


def _licences(plan: Plan, schema: Schema, principal: Principal, types: Types) -> str:
    said = []
    for iri in dict.fromkeys(hop.relation for hop in plan.hops):
        others = sorted(schema.label(r) for r in family(schema, iri) if r != schema.canonical(iri)[0])
        never = sorted(schema.label(r) for r in mistakable(schema, iri))
        also = f", also by {', '.join(others)}" if others else ""
        not_by = f", never by {', '.join(never)}" if never else ""
        if also or not_by:
            said.append(f"'{schema.label(iri)}' is answered by itself{also}{not_by}")
    return "; ".join(said) or "every relation answers for itself"


def _aggregates(plan: Plan, schema: Schema, principal: Principal, types: Types) -> str:
    aggregate = plan.aggregate
    if aggregate is None:
        return "none"
    if plan.validity or plan.sequence:
        raise CheckFailed("aggregates", "a number and dates of validity cannot be asked for at once", suggestion="ask two questions")
    if aggregate.kind == COUNT:
        if aggregate.order and not aggregate.by:
            raise CheckFailed("aggregates", "the most or the fewest of what? no variable to group by is given")
        return f"counts distinct {aggregate.variable}" + (f" for each {aggregate.by}" if aggregate.by else "")
    datatype = next((schema.relations[h.relation].datatype for h in plan.hops if h.object == Var(aggregate.variable)), "")
    if datatype not in _COMPARABLE:
        raise CheckFailed("aggregates", f"{aggregate.variable} has no order", suggestion="max and min need dates or numbers")
    return f"the {aggregate.kind} of {curie(datatype)}"


def _negation(plan: Plan, schema: Schema, principal: Principal, types: Types) -> str:
    bound_names = bound_variables(plan)
    for hop in plan.absences:
        ends = [t for t in (hop.subject, hop.object) if isinstance(t, Var)]
        held = [t for t in ends if t.name in bound_names]
        if len(held) != 1:
            raise CheckFailed(
                "negation", "what has no such fact must be one bound variable", suggestion="give its variable a class or a hop"
            )
        typed = plan.class_of(held[0].name) or any(
            held[0] in (h.subject, h.object) and schema.relations[h.relation].domain for h in plan.hops
        )
        if not typed:
            raise CheckFailed(
                "negation", f"the variable {held[0].name} has no class", suggestion="say which class of things may lack the fact"
            )
    return "no stored fact, over bound and typed variables" if plan.absences else "none"


def _time(plan: Plan, schema: Schema, principal: Principal, types: Types) -> str:
    time = plan.time
    if time.kind in (NOW, ALWAYS):
        if time.start or time.end:
            raise CheckFailed("time", f"the time {time.kind} takes no dates")
        return "now" if time.kind == NOW else "whenever"
    if not time.start:
        raise CheckFailed("time", f"the time {time.kind} needs a start")
    for side in (time.start, time.end):
        if side:
            _date(side)
    if time.kind != DURING and (time.end or time.mode != OVERLAPS):
        raise CheckFailed("time", f"the time {time.kind} takes no end and no mode", suggestion=f"use {DURING} for a period")
    if plan.sequence:
        raise CheckFailed("time", "who was before or after is asked of any time", suggestion="ask who was at that time instead")
    _period(*time.period(), time)
    return f"{time.kind} {time.start}" + (f" to {time.end}" if time.end else "") + (" (since: still so)" if time.kind == SINCE else "")


def _period(first: Instant, after: Instant, stated: Time | InPeriod) -> None:
    if first >= after:
        raise CheckFailed("time", f"the period from {stated.start} to {stated.end} is empty", suggestion="give the earlier date first")


def _date(text: str) -> None:
    try:
        bound(text)
    except PlanError as error:
        raise CheckFailed("time", error.what, suggestion=error.hint) from error


_Run = Callable[[Plan, Schema, Principal, Types], str]
_CHECKS: Final[tuple[tuple[str, _Run], ...]] = (
    ("principal", _principal),
    ("relations", _relations),
    ("classes", _classes),
    ("shape", _shape),
    ("entities", _entities),
    ("ends", _ends),
    ("paths", _paths),
    ("values", _values),
    ("licences", _licences),
    ("aggregates", _aggregates),
    ("negation", _negation),
    ("time", _time),
)
