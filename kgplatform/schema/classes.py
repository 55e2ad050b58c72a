"""Reads classes: subclasses, disjointness, restrictions, labels."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations
from typing import Final

import pyoxigraph as ox

from ..errors import OntologyError
from ..terms import ALT_LABEL, KG, LABEL, OWL, RDF, RDFS, XSD, curie
from .graph import Graph, Node, is_literal_property, namespace, node_text, opened, topmost_first, union
from .values import Class, Restriction

EVERYTHING: Final = frozenset({OWL.Thing, RDFS.Resource})
"""Classes of everything: as a domain or range they say nothing."""

OF_LANGUAGES: Final = frozenset(
    {
        *(RDF[name] for name in ("Property", "List", "Statement", "Bag", "Seq", "Alt")),
        *(RDFS[name] for name in ("Class", "Datatype", "Container", "ContainerMembershipProperty")),
        *(OWL[name] for name in ("Class", "Ontology", "ObjectProperty", "DatatypeProperty", "AnnotationProperty", "Restriction", "Axiom")),
    }
)
"""Classes of RDF, RDFS and OWL, which properties of published vocabularies name as their ends (the range of skos:memberList is rdf:List)."""

_COUNTS: Final = {
    OWL.minCardinality: ("min",),
    OWL.maxCardinality: ("max",),
    OWL.cardinality: ("min", "max"),
    OWL.minQualifiedCardinality: ("min",),
    OWL.maxQualifiedCardinality: ("max",),
    OWL.qualifiedCardinality: ("min", "max"),
}


def read_classes(graph: Graph) -> dict[str, Class]:
    """The classes by IRI, sorted. Raises OntologyError for undeclared names of its own namespaces, and for circles of subclasses."""
    declared = {
        s.value: s
        for s in graph.subjects
        if isinstance(s, ox.NamedNode) and graph.iris(s, RDF.type) & {OWL.Class, RDFS.Class} and s.value not in EVERYTHING
    }
    declared |= _implied(graph, declared, dict(_class_names(graph)))
    parents = {iri: _parents(graph, node) for iri, node in declared.items()}
    disjoint_pairs = _disjoint_pairs(graph, parents)
    uses = {c: graph.where(declared[iri], RDFS.subClassOf) for iri, above in parents.items() for c in above}
    uses |= {c: graph.where(declared[a], OWL.disjointWith) for a, c in disjoint_pairs if a in declared}
    declared |= _implied(graph, declared, uses)
    parents |= {iri: set() for iri in declared.keys() - parents.keys()}
    topmost_first(graph, parents, RDFS.subClassOf)
    hidden = {iri for iri, node in declared.items() if graph.is_hidden(node)}
    disjoint: dict[str, set[str]] = defaultdict(set)
    for a, b in disjoint_pairs:
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
        if not graph.iris(node, RDF.type) & {OWL.DatatypeProperty, OWL.ObjectProperty, RDF.Property}:
            continue
        ends = [RDFS.domain] if is_literal_property(graph, node) else [RDFS.domain, RDFS.range]
        for end in ends:
            where = graph.where(node, end)
            for expression in graph.objects(node, end):
                yield from ((iri, where) for iri in union(graph, expression, where=where))


def _implied(graph: Graph, declared: Mapping[str, ox.NamedNode], uses: Mapping[str, str]) -> dict[str, ox.NamedNode]:
    """The classes of other vocabularies that are used without a declaration: what stands as a domain is a class.

    `uses` has a place for each class that is used. Raises OntologyError for one in a namespace of the text's own.
    """
    own = graph.own
    used = sorted(uses.keys() - declared.keys() - EVERYTHING)
    unknown = [iri for iri in used if namespace(iri) in own and iri not in OF_LANGUAGES]
    if unknown:
        names = ", ".join(curie(iri) for iri in unknown)
        raise OntologyError(
            f"no such class: {names}" if len(unknown) == 1 else f"no such classes: {names}",
            where=uses[unknown[0]],
            hint="declare it with `a owl:Class`, or correct the name",
        )
    return {iri: ox.NamedNode(iri) for iri in used}


def _superclasses(graph: Graph, node: Node) -> list[Node]:
    """The superclass expressions of a class, intersections opened."""
    found = graph.objects(node, RDFS.subClassOf)
    return [part for expression in found for part in opened(graph, expression, OWL.intersectionOf, where=graph.where(node))]


def _parents(graph: Graph, node: ox.NamedNode) -> set[str]:
    above = {e.value for e in _superclasses(graph, node) if isinstance(e, ox.NamedNode)} - EVERYTHING
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
    restrictions: list[Restriction] = []
    for expression in _superclasses(graph, node):
        for on, is_turned in sorted(_restricted(graph, expression)):
            filler = _filler(graph, expression)
            if filler is None:
                continue
            classes, datatype = filler
            for axiom, kinds in _COUNTS.items():
                for count in graph.objects(expression, axiom):
                    if not isinstance(count, ox.Literal) or not count.value.isdecimal():
                        raise OntologyError(f"{curie(axiom)} is no number", where=graph.where(node))
                    restrictions.extend(Restriction(on, kind, int(count.value), classes, datatype, is_turned=is_turned) for kind in kinds)
            if graph.objects(expression, OWL.allValuesFrom):
                restrictions.append(Restriction(on, "all", 0, classes, datatype, is_turned=is_turned))
            if graph.objects(expression, OWL.someValuesFrom):
                restrictions.append(Restriction(on, "some", 1, classes, datatype, is_turned=is_turned))
            restrictions.extend(
                Restriction(on, "value", 1, value=node_text(v), is_turned=is_turned) for v in graph.objects(expression, OWL.hasValue)
            )
    return tuple(sorted(restrictions, key=lambda r: (r.relation, r.kind, r.count, sorted(r.classes), r.datatype, r.value, r.is_turned)))


def _restricted(graph: Graph, expression: Node) -> Iterator[tuple[str, bool]]:
    """The relation that a restriction is on, and whether it is meant from object to subject: its inverse without a name."""
    for on in graph.objects(expression, OWL.onProperty):
        if isinstance(on, ox.NamedNode):
            yield on.value, False
        else:
            yield from ((iri, True) for iri in graph.iris(on, OWL.inverseOf))


def _filler(graph: Graph, restriction: Node) -> tuple[frozenset[str], str] | None:
    """(classes, datatype) that a restriction is about, both empty for any value; None for an expression that is not read."""
    for axiom in (OWL.onClass, OWL.allValuesFrom, OWL.someValuesFrom, OWL.onDataRange):
        for filler in graph.objects(restriction, axiom):
            if isinstance(filler, ox.NamedNode) and filler.value.startswith((str(XSD), str(RDF), str(RDFS))):
                return frozenset(), filler.value
            members = opened(graph, filler, OWL.unionOf, where=graph.where(restriction))
            if not all(isinstance(member, ox.NamedNode) for member in members):
                graph.asked.discard((restriction, axiom))  # so that `unread` lists it
                return None
            return union(graph, filler, where=graph.where(restriction)) - EVERYTHING, ""
    return frozenset(), ""
