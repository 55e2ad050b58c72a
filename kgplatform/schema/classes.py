"""Reads classes: subclasses, disjointness, restrictions, labels."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations
from typing import Final

import pyoxigraph as ox

from ..errors import OntologyError
from ..terms import ALT_LABEL, KG, LABEL, OWL, RDF, RDFS, XSD, curie
from .graph import Graph, Node, node_text, opened, topmost_first, union
from .values import Class, Restriction

_COUNTS: Final = {
    OWL.minCardinality: ("min",),
    OWL.maxCardinality: ("max",),
    OWL.cardinality: ("min", "max"),
    OWL.minQualifiedCardinality: ("min",),
    OWL.maxQualifiedCardinality: ("max",),
    OWL.qualifiedCardinality: ("min", "max"),
}


def read_classes(graph: Graph) -> dict[str, Class]:
    declared = {
        s.value: s
        for s in graph.subjects
        if isinstance(s, ox.NamedNode) and graph.iris(s, RDF.type) & {OWL.Class, RDFS.Class} and s.value != OWL.Thing
    }
    _check_declared(graph, declared, dict(_class_names(graph)))
    parents = {iri: _parents(graph, node) for iri, node in declared.items()}
    apart = _disjoint_pairs(graph, parents)
    uses = {c: graph.where(declared[iri], RDFS.subClassOf) for iri, above in parents.items() for c in above}
    uses |= {c: graph.where(declared[a], OWL.disjointWith) for a, c in apart if a in declared}
    _check_declared(graph, declared, uses)
    topmost_first(graph, parents, RDFS.subClassOf)
    hidden = {iri for iri, node in declared.items() if graph.flag(node, KG.assertable) is False}
    disjoint: dict[str, set[str]] = defaultdict(set)
    for a, b in apart:
        disjoint[a].add(b)
        disjoint[b].add(a)
    return {
        iri: Class(
            iri,
            labels=graph.texts(node, LABEL),
            alt_labels=graph.texts(node, ALT_LABEL),
            comment=graph.text(node, RDFS.comment),
            parents=frozenset(parents[iri] - hidden),
            disjoint=frozenset(disjoint[iri] - hidden),
            key_scheme=graph.text(node, KG.keyScheme),
            asked_as=min(graph.iris(node, KG.askedAs), default=""),
            restrictions=_restrictions(graph, node),
        )
        for iri, node in sorted(declared.items())
        if iri not in hidden
    }


def _class_names(graph: Graph) -> Iterator[tuple[str, str]]:
    """Every class that a domain, or the range of an object property, names, with the place."""
    for node in graph.subjects:
        kinds = graph.iris(node, RDF.type)
        ends = [RDFS.domain] if OWL.DatatypeProperty in kinds else [RDFS.domain, RDFS.range] if OWL.ObjectProperty in kinds else []
        for end in ends:
            where = graph.where(node, end)
            for expression in graph.objects(node, end):
                yield from ((iri, where) for iri in union(graph, expression, where=where))


def _check_declared(graph: Graph, declared: Mapping[str, ox.NamedNode], uses: Mapping[str, str]) -> None:
    """`uses` has a place for each class that is used."""
    unknown = sorted(uses.keys() - declared.keys() - {OWL.Thing})
    if unknown:
        names = ", ".join(curie(iri) for iri in unknown)
        raise OntologyError(
            f"no such class: {names}" if len(unknown) == 1 else f"no such classes: {names}",
            where=uses[unknown[0]],
            hint="declare it with `a owl:Class`, or correct the name",
        )


def _superclasses(graph: Graph, node: Node) -> list[Node]:
    """The superclass expressions of a class, intersections opened."""
    found = graph.objects(node, RDFS.subClassOf)
    return [part for expression in found for part in opened(graph, expression, OWL.intersectionOf, where=graph.where(node))]


def _parents(graph: Graph, node: ox.NamedNode) -> set[str]:
    above = {e.value for e in _superclasses(graph, node) if isinstance(e, ox.NamedNode)} - {OWL.Thing}
    unions = {s.value for s in graph.subjects if isinstance(s, ox.NamedNode) and node in _disjoint_union(graph, s)}
    return above | unions


def _disjoint_union(graph: Graph, node: Node) -> list[Node]:
    return [m for head in graph.objects(node, OWL.disjointUnionOf) for m in graph.members(head, of=graph.where(node))]


def _disjoint_pairs(graph: Graph, classes: Iterable[str]) -> set[tuple[str, str]]:
    pairs = {(iri, other) for iri in classes for other in graph.iris(ox.NamedNode(iri), OWL.disjointWith)}
    for node in list(graph.subjects):
        groups = [_disjoint_union(graph, node)]
        if OWL.AllDisjointClasses in graph.iris(node, RDF.type):
            groups += [graph.members(head, of="owl:AllDisjointClasses") for head in graph.objects(node, OWL.members)]
        for group in groups:
            pairs.update(combinations([m.value for m in group if isinstance(m, ox.NamedNode)], 2))
    return pairs


def _restrictions(graph: Graph, node: ox.NamedNode) -> tuple[Restriction, ...]:
    found: list[Restriction] = []
    for expression in _superclasses(graph, node):
        for on in sorted(graph.iris(expression, OWL.onProperty)):
            classes, datatype = _filler(graph, expression, where=graph.where(node))
            for axiom, kinds in _COUNTS.items():
                for count in graph.objects(expression, axiom):
                    if not isinstance(count, ox.Literal) or not count.value.isdecimal():
                        raise OntologyError(f"{curie(axiom)} is no number", where=graph.where(node))
                    found.extend(Restriction(on, kind, int(count.value), classes, datatype) for kind in kinds)
            if graph.objects(expression, OWL.allValuesFrom):
                found.append(Restriction(on, "all", 0, classes, datatype))
            if graph.objects(expression, OWL.someValuesFrom):
                found.append(Restriction(on, "some", 1, classes, datatype))
            found.extend(Restriction(on, "value", 1, value=node_text(v)) for v in graph.objects(expression, OWL.hasValue))
    return tuple(sorted(found, key=lambda r: (r.relation, r.kind, r.count, sorted(r.classes), r.datatype, r.value)))


def _filler(graph: Graph, restriction: Node, *, where: str) -> tuple[frozenset[str], str]:
    for axiom in (OWL.onClass, OWL.allValuesFrom, OWL.someValuesFrom, OWL.onDataRange):
        for filler in graph.objects(restriction, axiom):
            if isinstance(filler, ox.NamedNode) and filler.value.startswith((str(XSD), str(RDF), str(RDFS))):
                return frozenset(), filler.value
            return union(graph, filler, where=where) - {OWL.Thing}, ""
    return frozenset(), ""
