"""Words of a class that mean a wider class, where the ontology says so and the relation takes the wider one.

Which team owns Tax?      team: sc:Team, which is asked as sc:Group, one of the classes that own: any group
"""

from __future__ import annotations

from dataclasses import replace

from ..schema import Schema
from .algebra import Plan, Var, Variable
from .expansion import domain_of, range_of


def as_meant(plan: Plan, schema: Schema) -> Plan:
    """The plan with the wider class (`kg:askedAs`) for each variable at an end that takes it."""
    return replace(plan, variables=tuple(_widened(variable, plan, schema) for variable in plan.variables))


def wider_variables(plan: Plan, meant: Plan) -> tuple[tuple[Variable, Variable], ...]:
    """The variables that mean more than they were asked as: (as asked, as meant)."""
    return tuple((one, other) for one, other in zip(plan.variables, meant.variables, strict=True) if one != other)


def _widened(variable: Variable, plan: Plan, schema: Schema) -> Variable:
    declared = schema.classes.get(variable.class_)
    if declared is None or not declared.asked_as:
        return variable
    for hop in (*plan.hops, *plan.absences):
        relation = schema.relations.get(hop.relation)
        if relation is None:
            continue
        ends = ((hop.subject, domain_of(schema, relation)), (hop.object, range_of(schema, relation)))
        if any(term == Var(variable.name) and declared.asked_as in wanted for term, wanted in ends):
            return replace(variable, class_=declared.asked_as)
    return variable
