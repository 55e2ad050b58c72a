"""The entities of a plan in the caller's view: their canonical IRIs and classes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ..query.algebra import EntityTerm, Hop, Plan, Term
from ..query.entity_names import canonicals, types_of
from ..query.expansion import entities_of
from ..query.graphview import GraphView
from ..terms import entity_iri


def renamed(plan: Plan, names: Mapping[str, str]) -> Plan:
    """The plan with other names for its entities."""

    def named(term: Term) -> Term:
        return EntityTerm(names.get(term.id, term.id)) if isinstance(term, EntityTerm) else term

    def moved(hop: Hop) -> Hop:
        return replace(hop, subject=named(hop.subject), object=named(hop.object))

    return replace(plan, hops=tuple(map(moved, plan.hops)), absences=tuple(map(moved, plan.absences)))


def located(view: GraphView, plan: Plan) -> tuple[Plan, dict[str, frozenset[str]]]:
    """The plan with the canonical IRI of every entity, and the classes of those that the caller can see."""
    keyed = {name: name if "://" in name else entity_iri(view.base, name) for name in entities_of(plan)}
    canonical = canonicals(view, [iri for iri in keyed.values() if iri not in view.schema.classes])
    known = {name: canonical.get(iri, iri) for name, iri in keyed.items()}
    types = types_of(view, [iri for iri in known.values() if iri not in view.schema.classes])
    return renamed(plan, known), types
