"""Facts as nodes and edges, for the drawing of an answer's path and of an entity's neighbours."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from kgplatform.answer.entity import Description
from kgplatform.schema import Schema

from .rendering import entity_href, full_iri, validity

Json = dict[str, Any]
MOST: Final = 60
"""Edges of one entity that are drawn at once."""


def path_graph(assertions: Iterable[Mapping[str, Any]], answers: Iterable[Mapping[str, Any]], schema: Schema) -> Json:
    """The assertions that an answer rests on; the entities that answer are marked."""
    asked = {row["iri"] for row in answers if row["iri"]}
    nodes: dict[str, Json] = {}
    edges = []
    for fact in assertions:
        source = _node(nodes, fact["subject"], fact["iri"], asked)
        target = _node(nodes, fact["object"], fact["iri"], asked)
        edges.append(_edge(fact["iri"], source, target, schema.label(full_iri(fact["relation"])), fact["positive"], validity(fact)))
    return {"nodes": list(nodes.values()), "edges": edges}


def neighbour_graph(found: Description, schema: Schema) -> Json:
    """The entity and what it is related to by facts that hold; `left` counts those that are not drawn."""
    told = found.as_json()
    middle = {"iri": found.iri, "label": found.label}
    nodes: dict[str, Json] = {}
    me = _node(nodes, middle, "", {found.iri})
    edges: list[Json] = []
    left = 0
    for group, shown in zip(found.groups, told["groups"], strict=True):
        for fact in shown["facts"]:
            if not fact["holds"] or fact["other"]["iri"] is None:
                continue
            if len(edges) >= MOST:
                left += 1
                continue
            other = _node(nodes, fact["other"], fact["assertion"], {found.iri})
            ends = (other, me) if group.is_turned else (me, other)
            edges.append(_edge(fact["assertion"], *ends, schema.label(group.relation), fact["positive"], fact["validity"]))
    return {"nodes": list(nodes.values()), "edges": edges, "left": left}


def _node(nodes: dict[str, Json], end: Mapping[str, Any], assertion: str, marked: set[str]) -> str:
    key = str(end["iri"] or f"value {assertion}")
    kind = "marked" if key in marked else "entity" if end["iri"] else "value"
    nodes.setdefault(key, {"id": key, "label": end["label"], "kind": kind, "href": entity_href(end["iri"]) if end["iri"] else ""})
    return key


def _edge(iri: str, source: str, target: str, label: str, positive: bool, when: str) -> Json:
    return {"id": iri, "source": source, "target": target, "label": label if positive else f"not {label}", "when": when}
