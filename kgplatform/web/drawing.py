"""Facts as nodes and edges, for the drawing of an answer's path and of an entity's neighbours."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from ..results import Entity, EntityGroup
from ..views.view import View
from .rendering import entity_href, full_iri, validity

Json = dict[str, Any]
OF_ONE: Final = 8
"""Neighbours by one relation that are drawn; the others are one node that counts them."""


def path_graph(assertions: Iterable[Mapping[str, Any]], answers: Iterable[Mapping[str, Any]], view: View) -> Json:
    """The assertions that an answer rests on; the entities that answer are marked."""
    asked = {row["iri"] for row in answers if row["iri"]}
    nodes: dict[str, Json] = {}
    edges = []
    for fact in assertions:
        source = _node(nodes, fact["subject"], fact["iri"], asked)
        target = _node(nodes, fact["object"], fact["iri"], asked)
        edges.append(_edge(fact["iri"], source, target, view.schema.label(full_iri(fact["relation"])), fact["positive"], validity(fact)))
    return {"nodes": list(nodes.values()), "edges": edges}


def anchor(group: EntityGroup) -> str:
    """Where the facts of a group stand on the page of their entity."""
    return f"{'to' if group.is_turned else 'from'}-{re.sub('[^A-Za-z0-9_-]', '-', group.relation)}"


def neighbour_graph(found: Entity, view: View) -> Json:
    """The entity and what it is related to by facts that hold: of each relation the first few, and a node that counts the rest."""
    middle = {"iri": found.iri, "label": found.label}
    nodes: dict[str, Json] = {}
    me = _node(nodes, middle, "", {found.iri})
    edges: list[Json] = []
    for group in found.groups:
        label = view.schema.label(full_iri(group.relation))
        related = [fact for fact in group.facts if fact.holds and fact.other.iri is not None]
        drawn = related if len(related) <= OF_ONE + 1 else related[:OF_ONE]
        for fact in drawn:
            other = _node(nodes, fact.other.to_dict(), fact.assertion, {found.iri})
            ends = (other, me) if group.is_turned else (me, other)
            edges.append(_edge(fact.assertion, *ends, label, fact.positive, fact.validity))
        if len(related) > len(drawn):
            key = f"more {found.iri} {anchor(group)}"
            href = f"{entity_href(found.iri)}#{anchor(group)}"
            nodes[key] = {"id": key, "label": f"{len(related) - len(drawn):,} more", "kind": "more", "href": href}
            edges.append(_edge(f"{key} edge", *((key, me) if group.is_turned else (me, key)), label, True, ""))
    return {"nodes": list(nodes.values()), "edges": edges}


def _node(nodes: dict[str, Json], end: Mapping[str, Any], assertion: str, marked: set[str]) -> str:
    key = str(end["iri"] or f"value {assertion}")
    kind = "marked" if key in marked else "entity" if end["iri"] else "value"
    nodes.setdefault(key, {"id": key, "label": end["label"], "kind": kind, "href": entity_href(end["iri"]) if end["iri"] else ""})
    return key


def _edge(iri: str, source: str, target: str, label: str, positive: bool, when: str) -> Json:
    return {"id": iri, "source": source, "target": target, "label": label if positive else f"not {label}", "when": when}
