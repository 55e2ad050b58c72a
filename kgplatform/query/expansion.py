"""What follows from the ontology for a plan: which relations answer for one, their ends, which type tests are not needed."""

from __future__ import annotations

from typing import NamedTuple

from ..schema import Relation, Schema
from ..terms import TYPE
from .algebra import ONE, EntityTerm, Plan, Term, Var


def domain_of(schema: Schema, relation: Relation) -> frozenset[str]:
    """The classes a relation may start from; of a relation that is stored turned round, those its inverse leads to."""
    stored, turned = schema.canonical(relation.iri)
    return relation.domain or (schema.relations[stored].range if turned and stored in schema.relations else frozenset())


def range_of(schema: Schema, relation: Relation) -> frozenset[str]:
    """The classes a relation may lead to; of a relation that is stored turned round, those its inverse starts from."""
    stored, turned = schema.canonical(relation.iri)
    return relation.range or (schema.relations[stored].domain if turned and stored in schema.relations else frozenset())


def can_be_both(schema: Schema, one: str, other: str) -> bool:
    """Whether an entity can be of both classes: one is below the other, or something is below both."""
    return bool(schema.descendants(one) & schema.descendants(other))


def family(schema: Schema, relation: str) -> frozenset[str]:
    """The relations whose facts answer a question about this one: itself, its subproperties, and those licensed by `kg:licenses`."""
    stored = schema.canonical(relation)[0]
    below = schema.subrelations(stored) | schema.subrelations(relation)
    licensed = {r.iri for r in schema.relations.values() if r.licenses & below}
    return frozenset(below | licensed) - mistakable(schema, relation)


def above(schema: Schema, relation: str) -> frozenset[str]:
    """The stored relations whose negative facts deny this one too, with the same ends: itself and its superproperties."""
    return frozenset(iri for iri in schema.relations if relation in schema.subrelations(iri) and not schema.canonical(iri)[1])


def mistakable(schema: Schema, relation: str) -> frozenset[str]:
    """The relations that must not be taken for this one."""
    names = {relation, schema.canonical(relation)[0]}
    return frozenset(r.iri for r in schema.relations.values() if r.not_taken_for & names)


def entities_of(plan: Plan) -> tuple[str, ...]:
    """The entities and classes that the plan names, each once."""
    ends = (t for hop in (*plan.hops, *plan.absences) for t in (hop.subject, hop.object))
    return tuple(dict.fromkeys(t.id for t in ends if isinstance(t, EntityTerm)))


def terms_of(plan: Plan) -> tuple[Term, ...]:
    """Every term at an end of a hop or of an absence, and the variables that their class alone gives, each once."""
    ends = (t for hop in (*plan.hops, *plan.absences) for t in (hop.subject, hop.object))
    return tuple(dict.fromkeys([*ends, *(Var(name) for name in generators(plan))]))


def _hop_variables(plan: Plan) -> frozenset[str]:
    """The names of the variables at the ends of hops; those of absences alone are not among them."""
    return frozenset(t.name for hop in plan.hops for t in (hop.subject, hop.object) if isinstance(t, Var))


class Way(NamedTuple):
    """Stored relations that answer a relation; `turned` where they are stored the other way round."""

    relations: tuple[str, ...]
    turned: bool


def ways(schema: Schema, relation: str) -> tuple[Way, ...]:
    """Everything that answers the relation, in the directions in which it is stored."""
    forward: set[str] = set()
    backward: set[str] = set()
    below = schema.subrelations(relation)
    reads_turned = schema.canonical(relation)[1]
    for name in family(schema, relation):
        stored, turned = schema.canonical(name)
        is_turned = turned if name in below or not reads_turned else not turned
        (backward if is_turned else forward).add(stored)
        if stored in schema.relations and schema.relations[stored].symmetric:
            forward.add(stored)
            backward.add(stored)
    return tuple(Way(tuple(sorted(names)), turned) for names, turned in ((forward, False), (backward, True)) if names)


def generators(plan: Plan) -> tuple[str, ...]:
    """The variables whose values come from their class alone: asked for, compared or counted, and bound by no hop."""
    aggregated = {plan.aggregate.variable, plan.aggregate.by} if plan.aggregate else set()
    asked = {*plan.select, *aggregated, *(f.variable for f in plan.filters)} - _hop_variables(plan)
    return tuple(v.name for v in plan.variables if v.class_ and v.name in asked)


def bound_variables(plan: Plan) -> frozenset[str]:
    """The names of the variables that get values: from hops, or from their class alone."""
    return _hop_variables(plan) | frozenset(generators(plan))


def slot_classes(schema: Schema, plan: Plan, variable: str) -> tuple[str, ...]:
    """The classes that a relation of the plan expects of a variable: the smallest set, then the narrowest; none where no relation names any."""
    expected: list[tuple[str, ...]] = []
    for hop in (*plan.hops, *plan.absences):
        relation = schema.relations.get(hop.relation)
        if relation and Var(variable) in (hop.subject, hop.object):
            wanted = (
                domain_of(schema, relation) if hop.subject == Var(variable) else range_of(schema, relation)
            )  # empty for a literal relation
            expected += [tuple(sorted(wanted))] if wanted else []
    return min(expected, key=lambda classes: (len(classes), -min(len(schema.ancestors(c)) for c in classes)), default=())


def slot_class(schema: Schema, plan: Plan, variable: str) -> str:
    """The class that the relations around a variable expect of it, '' if they name none or several."""
    wanted = slot_classes(schema, plan, variable)
    return wanted[0] if len(wanted) == 1 else ""


def is_type_implied(schema: Schema, plan: Plan, variable: str) -> bool:
    """Whether the domain or range of some hop already implies the variable's class."""
    class_ = plan.class_of(variable)
    for hop in plan.hops:
        relation = schema.relations[hop.relation]
        ends = ((hop.subject, domain_of(schema, relation), relation.also_from), (hop.object, range_of(schema, relation), relation.also_to))
        if (
            hop.relation != TYPE
            and hop.path == ONE
            and any(t == Var(variable) and w and all(schema.is_a([c], [class_]) for c in w | also) for t, w, also in ends)
        ):
            return True
    return False
