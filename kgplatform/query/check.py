"""The checker: the only maker of a `CheckedPlan`. It fails closed, with the check, the reason and a suggestion."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable
from dataclasses import InitVar, dataclass
from typing import Final

from ..errors import PlanError
from ..language.phrases import with_article
from ..model import ROLES, Principal
from ..schema import Relation, Schema
from ..terms import TYPE, curie
from .algebra import (
    COUNT,
    ONE,
    EntityTerm,
    Hop,
    Plan,
    Term,
    ValueTerm,
    Var,
)
from .check_values import COMPARABLE, compared, times
from .events import Types, UndecidedTime, is_event, timed
from .expansion import bound_variables, can_be_both, domain_of, entities_of, family, mistakable, range_of, terms_of
from .failure import CheckFailed

__all__ = ["MAX_HOPS", "CheckFailed", "CheckedPlan", "PlanCheck", "Types", "check"]

MAX_HOPS: Final = 8


@dataclass(frozen=True, slots=True)
class PlanCheck:
    """One check that a plan passed, and what was seen."""

    name: str
    said: str


_TOKEN: Final = object()


@dataclass(frozen=True, slots=True)
class CheckedPlan:
    """A plan that passed every check for this principal under this ontology. Only `check` makes one.

    Every hop says at whose time it must hold (`Hop.at`); `events` are the terms that happened on a date.
    """

    plan: Plan
    schema: Schema
    principal: Principal
    checks: tuple[PlanCheck, ...]
    token: InitVar[object]
    events: frozenset[Term] = frozenset()

    def __post_init__(self, token: object) -> None:
        if token is not _TOKEN:  # no field keeps the token, so `dataclasses.replace` cannot make one either
            raise PlanError("only the checker makes a CheckedPlan", hint="call check(plan, schema, principal)")


def check(plan: Plan, schema: Schema, principal: Principal, *, types: Types) -> CheckedPlan:
    """The plan, ready to be compiled. Its entities are IRIs. Raises CheckFailed at the first check it fails."""
    formed = [PlanCheck(name, run(plan, schema, principal, types)) for name, run in _FORM]
    try:
        settled = timed(plan, schema, types)
    except UndecidedTime as error:
        raise CheckFailed("time", error.what, suggestion=error.hint) from error
    meant = [PlanCheck(name, run(settled, schema, principal, types)) for name, run in _MEANING]
    events = frozenset(term for term in terms_of(settled) if is_event(settled, schema, types, term))
    return CheckedPlan(settled, schema, principal, (*formed, *meant), _TOKEN, events)


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
        if isinstance(hop.subject, ValueTerm):
            raise CheckFailed("ends", "a literal cannot be the subject of a fact")
        if relation.iri == TYPE:
            if not (isinstance(hop.object, EntityTerm) and hop.object.id in schema.classes):
                raise CheckFailed("ends", "'is a' leads to a class of the ontology")
            continue
        if isinstance(hop.object, EntityTerm) and relation.is_literal:
            raise CheckFailed("ends", f"{_name(schema, relation)} leads to a value, {curie(hop.object.id)} is an entity")
        if isinstance(hop.object, ValueTerm) and not relation.is_literal:
            raise CheckFailed("ends", f"{_name(schema, relation)} leads to an entity, {hop.object.node} is a value")
        ends = (
            (hop.subject, domain_of(schema, relation), relation.also_from, "start"),
            (hop.object, range_of(schema, relation), relation.also_to, "end"),
        )
        for term, usual, further, end in ends:
            known_types = types.get(term.id, frozenset()) if isinstance(term, EntityTerm) else frozenset()
            wanted = usual and usual | further
            if isinstance(term, EntityTerm) and not (_is_any(schema, known_types, usual) or schema.is_a(known_types, further)):
                raise CheckFailed(
                    "ends",
                    _misfit(schema, relation, known_types, usual, end),
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
    return f"{_name(schema, relation)} {verb} {_names(schema, wanted)}, not {_names(schema, found) or 'a thing of unknown class'}"


def _swap(plan: Plan, hop: Hop, schema: Schema, types: Types) -> str:
    """Whether the hop would fit the other way round."""
    relation = schema.relations[hop.relation]

    def fits(term: Term, wanted: frozenset[str]) -> bool:
        if isinstance(term, EntityTerm):
            return _is_any(schema, types.get(term.id, frozenset()), wanted)
        class_ = plan.class_of(term.name) if isinstance(term, Var) else ""
        return not class_ or not wanted or any(can_be_both(schema, class_, one) for one in wanted)

    fitting = fits(hop.subject, range_of(schema, relation)) and fits(hop.object, domain_of(schema, relation))
    return "the other way round it would fit" if fitting and not relation.symmetric else ""


def _name(schema: Schema, relation: Relation) -> str:
    return f"'{schema.label(relation.iri)}'"


def _names(schema: Schema, classes: Iterable[str]) -> str:
    return " or ".join(sorted(with_article(schema.label(c)) for c in classes))


def _paths(plan: Plan, schema: Schema, principal: Principal, types: Types) -> str:
    longer = [hop for hop in plan.hops if hop.path != ONE]
    for hop in longer:
        if not schema.relations[schema.canonical(hop.relation)[0]].transitive:
            raise CheckFailed("paths", f"'{schema.label(hop.relation)}' is not declared a containment and is followed once only")
    if any(hop.path != ONE for hop in plan.absences):
        raise CheckFailed("paths", "what is not stored can be asked of one step only")
    return f"{len(longer)} along declared containment" if longer else "every hop is one fact"


def _licences(plan: Plan, schema: Schema, principal: Principal, types: Types) -> str:
    sentences = []
    for iri in dict.fromkeys(hop.relation for hop in plan.hops):
        others = sorted(schema.label(r) for r in family(schema, iri) if r != schema.canonical(iri)[0])
        never = sorted(schema.label(r) for r in mistakable(schema, iri))
        also = f", also by {', '.join(others)}" if others else ""
        not_by = f", never by {', '.join(never)}" if never else ""
        if also or not_by:
            sentences.append(f"'{schema.label(iri)}' is answered by itself{also}{not_by}")
    return "; ".join(sentences) or "every relation answers for itself"


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
    if datatype not in COMPARABLE:
        raise CheckFailed("aggregates", f"{aggregate.variable} has no order", suggestion="max and min need dates or numbers")
    return f"the {aggregate.kind} of {curie(datatype)}"


def _negation(plan: Plan, schema: Schema, principal: Principal, types: Types) -> str:
    bound_names = bound_variables(plan)
    for hop in plan.absences:
        ends = [t for t in (hop.subject, hop.object) if isinstance(t, Var)]
        bound_ends = [t for t in ends if t.name in bound_names]
        if len(bound_ends) != 1:
            raise CheckFailed(
                "negation", "what has no such fact must be one bound variable", suggestion="give its variable a class or a hop"
            )
        typed = plan.class_of(bound_ends[0].name) or any(
            bound_ends[0] in (h.subject, h.object) and schema.relations[h.relation].domain for h in plan.hops
        )
        if not typed:
            raise CheckFailed(
                "negation", f"the variable {bound_ends[0].name} has no class", suggestion="say which class of things may lack the fact"
            )
    return "no stored fact, over bound and typed variables" if plan.absences else "none"


_Run = Callable[[Plan, Schema, Principal, Types], str]
_FORM: Final[tuple[tuple[str, _Run], ...]] = (
    ("principal", _principal),
    ("relations", _relations),
    ("classes", _classes),
    ("shape", _shape),
    ("entities", _entities),
    ("ends", _ends),
    ("paths", _paths),
)
_MEANING: Final[tuple[tuple[str, _Run], ...]] = (
    ("values", lambda plan, schema, principal, types: compared(plan, schema)),
    ("licences", _licences),
    ("aggregates", _aggregates),
    ("negation", _negation),
    ("time", lambda plan, schema, principal, types: times(plan, schema)),
)
