"""Reads the schema out of OWL in Turtle. What each construct becomes stands in docs/owl-to-shacl.md."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import pyoxigraph as ox

from ..terms import RDFS
from .classes import read_classes
from .graph import Graph, namespace, require
from .prefixes import read_names
from .relations import read_relations
from .values import Schema


@lru_cache(maxsize=8)  # every view loads the schema of its release
def load_schema(turtle: str, shapes: str = "") -> Schema:
    """The schema that an ontology text declares (core and packs, one after the other).

    The shapes are parsed and carried along; what they demand is the gate's.
    Raises OntologyError with the line where a text is no Turtle, and with the name where a declaration is wrong.
    """
    graph = Graph(turtle, "ontology")
    Graph(shapes, "shapes")
    classes = read_classes(graph)
    relations = read_relations(graph, classes)
    own = graph.own
    for iri, class_ in classes.items():
        for restriction in class_.restrictions:
            if namespace(restriction.relation) in own:
                require(restriction.relation, relations, "relation", graph.where(ox.NamedNode(iri), RDFS.subClassOf))
        classes[iri] = replace(class_, restrictions=tuple(r for r in class_.restrictions if r.relation in relations))
    names = read_names(turtle, graph, (*classes, *relations))
    return Schema(classes, dict(sorted(relations.items())), turtle, shapes, names)
