"""Shapes read as a graph: which stand alone (roots), what each is called, its kind, and what it looks at.

Blank shapes get an IRI made from their owner and content, so that two engines, two runs and two readers of one
report speak of the same shape. What SHACL Core and `sh:sparql` do not cover (`sh:target`) is refused.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Final, TypeVar

import pyoxigraph as ox
from rdflib import BNode, Graph, URIRef
from rdflib import Literal as RdflibLiteral
from rdflib.collection import Collection
from rdflib.term import Node

from ..errors import OntologyError
from ..terms import KG, RDF, RDFS, SH, TYPE, XSD, curie
from .one_claim import asking_for_more, without

LOCAL: Final = "local"
ACROSS: Final = "across"
RECORDS: Final = "records"

_A = URIRef(TYPE)
_SHAPES_OF: Final = tuple(URIRef(SH[name]) for name in ("property", "node", "not", "qualifiedValueShape"))
_LISTS_OF: Final = tuple(URIRef(SH[name]) for name in ("and", "or", "xone"))
_TARGETS: Final = tuple(URIRef(SH[name]) for name in ("targetClass", "targetNode", "targetSubjectsOf", "targetObjectsOf"))
_PROPERTY, _PATH, _DEACTIVATED = URIRef(SH.property), URIRef(SH.path), URIRef(SH.deactivated)
_MARKS: Final = ((URIRef(KG.assertionLocal), LOCAL), (URIRef(KG.acrossClaims), ACROSS), (URIRef(KG.ofRecords), RECORDS))
_TRUE = RdflibLiteral(True)
_POSTFIX: Final = {"zeroOrMorePath": "*", "oneOrMorePath": "+", "zeroOrOnePath": "?"}

# predicates of a property shape whose outcome is the same for every valid literal of one datatype
_BLIND: Final = frozenset(
    {
        *(SH.path, SH.property, SH.datatype, SH.nodeKind, SH["class"], SH.minCount, SH.maxCount, SH.severity, SH.deactivated),
        *(SH["and"], SH["or"], SH.xone, SH["not"], SH.node),
        *(SH.name, SH.description, SH.message, SH.order, SH.group, SH.defaultValue),
        *(TYPE, RDFS.label, RDFS.comment, RDFS.seeAlso, RDFS.isDefinedBy, KG.assertionLocal, KG.acrossClaims, KG.ofRecords),
    }
)
_OTHER_PATHS: Final = tuple(URIRef(SH[name]) for name in ("equals", "disjoint", "lessThan", "lessThanOrEquals"))


@dataclass(frozen=True, eq=False)
class ShapeGraph:
    """A shapes graph without blank shapes. `graph` is rdflib's, not to be changed."""

    graph: Graph

    @staticmethod
    @lru_cache(maxsize=32)
    def parse(turtle: str) -> ShapeGraph:
        """Raises OntologyError for bad Turtle, recursive shapes and SHACL-AF targets."""
        graph = Graph()
        try:
            for quad in ox.parse(turtle, format=ox.RdfFormat.TURTLE):
                graph.add((rdflib_term(quad.subject), rdflib_term(quad.predicate), rdflib_term(quad.object)))
        except SyntaxError as error:
            raise OntologyError(f"the shapes do not parse: {error}", hint="check the Turtle syntax") from error
        shapes = ShapeGraph(_named(graph))
        shapes._refuse_recursion()
        if (None, URIRef(SH.target), None) in graph:
            raise OntologyError("sh:target is not supported", hint="use sh:targetClass, targetNode, targetSubjectsOf or targetObjectsOf")
        return shapes

    def as_ntriples(self) -> str:
        """The text for engines: a graph object would tell pyshacl-turbo to read "1" as a true boolean in shapes."""
        return self.graph.serialize(format="nt")

    @cached_property
    def roots(self) -> tuple[str, ...]:
        """The active shapes that have a target of their own."""
        found = {s for target in _TARGETS for s in self.graph.subjects(target)}
        found |= {s for s in self.graph.subjects(_A, URIRef(RDFS.Class)) if _is_shape(self.graph, s)}
        return tuple(sorted(str(s) for s in found if (s, _DEACTIVATED, _TRUE) not in self.graph))

    @cached_property
    def owners(self) -> dict[str, str]:
        """Shape -> the root shape that it is part of (the first by IRI, where several share it)."""
        owners: dict[str, str] = {}
        for root in self.roots:
            for shape in self._reachable(URIRef(root)):
                owners.setdefault(str(shape), root)
        return owners

    def kind(self, shape: str) -> str:
        """LOCAL, ACROSS or RECORDS as the shape or the nearest shape around it is marked, '' where none is."""
        return self._kinds.get(shape, "")

    @cached_property
    def _kinds(self) -> dict[str, str]:
        kinds: dict[str, str] = {}

        def walk(shape: Node, around: str) -> None:
            own = next((kind for mark, kind in _MARKS if (shape, mark, _TRUE) in self.graph), around)
            # a shape inside several others looks across claims if any of these does
            if str(shape) in kinds and (kinds[str(shape)] == own or own == LOCAL):
                return
            kinds[str(shape)] = own
            for inner in _children(self.graph, shape):
                walk(inner, own)

        for root in self.roots:
            walk(URIRef(root), "")
        return kinds

    def name(self, shape: str) -> str:
        """What people read: sh:name or rdfs:label, else the IRI of the root and the path."""
        node = URIRef(shape)
        for naming in (URIRef(SH.name), URIRef(RDFS.label)):
            names = sorted(map(str, self.graph.objects(node, naming)))
            if names:
                return names[0]
        path = self.path(shape)
        owner = self.owners.get(shape, shape)
        return curie(owner) + (f" {path}" if path and owner != shape else "")

    def path(self, shape: str) -> str:
        """The path of a property shape, written as in SPARQL with CURIEs; '' for a node shape."""
        path = self.graph.value(URIRef(shape), _PATH)
        return "" if path is None else path_text(self.graph, path)

    def part(self, root: str) -> ShapeGraph:
        """One shape with all that it refers to."""
        graph = Graph()
        start: tuple[Node, ...] = (URIRef(root),)
        for inner in _closure(start, self.graph.objects):
            for predicate, value in self.graph.predicate_objects(inner):
                graph.add((inner, predicate, value))
        return ShapeGraph(graph)

    def local(self) -> ShapeGraph:
        """Only the shapes that may refuse one assertion. Raises OntologyError where one targets a fixed node."""
        graph = Graph() + self.graph
        for shape, inner in self.graph.subject_objects(_PROPERTY):
            if self.kind(str(inner)) in (ACROSS, RECORDS):
                graph.remove((shape, _PROPERTY, inner))
        for root in map(URIRef, self.roots):
            if self.kind(str(root)) != LOCAL:
                self._keep_local_parts(graph, root)
        fixed = next(graph.subjects(URIRef(SH.targetNode)), None)
        if fixed is not None:
            raise OntologyError(f"the local shape {self.name(str(fixed))} targets a fixed node", hint="mark it kg:acrossClaims true")
        for name, parameters in self.over_the_entity.items():
            without(graph, URIRef(name), parameters)
        return ShapeGraph(graph)

    @cached_property
    def over_the_entity(self) -> dict[str, frozenset[URIRef]]:
        """Local shape -> the parameters that one claim cannot be judged by: they are findings over all claims of a thing."""
        start: tuple[Node, ...] = tuple(map(URIRef, self.roots))
        judged = [s for s in _closure(start, lambda shape: self.graph.objects(shape, _PROPERTY)) if self.kind(str(s)) == LOCAL]
        asked = {str(shape): frozenset(asking_for_more(self.graph, shape)) for shape in sorted(judged, key=str)}
        return {shape: parameters for shape, parameters in asked.items() if parameters}

    def refuses(self, shape: str, component: str) -> bool:
        """Whether a violation of this constraint component refuses a claim, severity aside."""
        name = component.removeprefix(str(SH)).removesuffix("ConstraintComponent")
        return self.kind(shape) == LOCAL and URIRef(SH[name[:1].lower() + name[1:]]) not in self.over_the_entity.get(shape, ())

    def _keep_local_parts(self, graph: Graph, root: URIRef) -> None:
        """Leave a root its targets and its local property shapes, or, where it has none, neither target nor class."""
        parts = [inner for inner in self.graph.objects(root, _PROPERTY) if self.kind(str(inner)) == LOCAL]
        for predicate in (*_TARGETS, _A) if not parts else set(self.graph.predicates(root)) - {*_TARGETS, _A}:
            if predicate == _A or str(predicate).startswith(str(SH)):
                graph.remove((root, predicate, None))
        for inner in parts:
            graph.add((root, _PROPERTY, inner))

    # -- what the shapes see

    def looks_at_values_of(self, relation: str) -> bool:
        """Whether any shape may tell two valid literals of one datatype apart as values of the relation."""
        return self._watched is None or relation in self._watched

    @cached_property
    def _watched(self) -> frozenset[str] | None:
        if (None, URIRef(SH.parameter), None) in self.graph:
            return None
        watched: set[str] = set()
        for root in self.roots:
            watched.update(str(relation) for relation in self.graph.objects(URIRef(root), URIRef(SH.targetObjectsOf)))
            for shape in self._reachable(URIRef(root)):
                watched.update(str(other) for predicate in _OTHER_PATHS for other in self.graph.objects(shape, predicate))
                if (shape, URIRef(SH.sparql), None) in self.graph:
                    return None
                path = self.graph.value(shape, _PATH)
                if path is None or self._is_blind(shape):
                    continue
                if not isinstance(path, URIRef):
                    return None
                watched.add(str(path))
        return frozenset(watched)

    def _is_blind(self, shape: Node) -> bool:
        """Whether a shape has the same outcome for every valid literal of one datatype."""
        said = all(str(predicate) in _BLIND for predicate in self.graph.predicates(shape))
        return said and all(self._is_blind(inner) for inner in _children(self.graph, shape))

    @cached_property
    def may_focus_literals(self) -> bool:
        """Whether a literal may be a focus node, or be reached from two ends."""
        targeted = any((URIRef(root), URIRef(SH.targetObjectsOf), None) in self.graph for root in self.roots)
        return targeted or any("^" in self.path(str(shape)) for root in self.roots for shape in self._reachable(URIRef(root)))

    def looked_at(self, triples: Iterable[ox.Triple]) -> dict[str, int]:
        """Root shape -> how many nodes of the graph it targets."""
        class_, node, subjects, objects = ({r: set(map(str, self.graph.objects(URIRef(r), t))) for r in self.roots} for t in _TARGETS)
        for root in self.roots:
            if (URIRef(root), _A, URIRef(RDFS.Class)) in self.graph:
                class_[root].add(root)
        wanted = set().union(*subjects.values(), *objects.values())
        members: dict[str, set[str]] = {}
        below: dict[str, set[str]] = {}
        ends: dict[str, tuple[set[str], set[str]]] = {}
        for triple in triples:
            predicate = triple.predicate.value
            if predicate == TYPE and isinstance(triple.object, ox.NamedNode):
                members.setdefault(triple.object.value, set()).add(str(triple.subject))
            elif predicate == RDFS.subClassOf and isinstance(triple.object, ox.NamedNode) and isinstance(triple.subject, ox.NamedNode):
                below.setdefault(triple.object.value, set()).add(triple.subject.value)
            if predicate in wanted:
                from_, to = ends.setdefault(predicate, (set(), set()))
                from_.add(str(triple.subject))
                to.add(str(triple.object))
        counts = {}
        for root in self.roots:
            focus_nodes = set(node[root])
            for name in _closure(class_[root], lambda c: below.get(c, ())):
                focus_nodes |= members.get(name, set())
            for predicate in subjects[root]:
                focus_nodes |= ends.get(predicate, (set(), set()))[0]
            for predicate in objects[root]:
                focus_nodes |= ends.get(predicate, (set(), set()))[1]
            counts[root] = len(focus_nodes)
        return counts

    def _reachable(self, shape: Node) -> set[Node]:
        return set(_closure((shape,), lambda s: _children(self.graph, s)))

    def _refuse_recursion(self) -> None:
        done: set[Node] = set()

        def walk(shape: Node, inside: tuple[Node, ...]) -> None:
            if shape in inside:
                raise OntologyError(f"the shape {self.name(str(shape))} refers to itself", hint="recursive shapes have no agreed meaning")
            if shape not in done:
                for inner in _children(self.graph, shape):
                    walk(inner, (*inside, shape))
                done.add(shape)

        for shape in sorted(set(self.graph.subjects()), key=str):
            walk(shape, ())


T = TypeVar("T")


def _closure(start: Iterable[T], after: Callable[[T], Iterable[T]]) -> set[T]:
    seen: set[T] = set()
    todo = list(start)
    while todo:
        item = todo.pop()
        if item not in seen:
            seen.add(item)
            todo.extend(after(item))
    return seen


def rdflib_term(term: object) -> Node:
    """A term of pyoxigraph as one of rdflib, with the same lexical form."""
    if isinstance(term, ox.Literal):
        # to rdflib and pySHACL "x" and "x"^^xsd:string differ: the first is written
        datatype = None if term.language or term.datatype.value == XSD.string else URIRef(term.datatype.value)
        return RdflibLiteral(term.value, lang=term.language, datatype=datatype, normalize=False)
    return BNode(term.value) if isinstance(term, ox.BlankNode) else URIRef(str(term)[1:-1])


def _children(graph: Graph, shape: Node) -> Iterator[Node]:
    """The shapes that a shape refers to."""
    for predicate in _SHAPES_OF:
        yield from graph.objects(shape, predicate)
    for predicate in _LISTS_OF:
        for items in graph.objects(shape, predicate):
            yield from Collection(graph, items)


def _is_shape(graph: Graph, node: Node) -> bool:
    return any((node, _A, URIRef(SH[name])) in graph for name in ("NodeShape", "PropertyShape"))


def _named(graph: Graph) -> Graph:
    """The graph with an IRI for each blank shape: a hash of its owner, its content and its number among equals."""
    names: dict[Node, URIRef] = {}

    def name(shape: Node, owner: str, number: int) -> None:
        text = f"{owner}|{_content(graph, shape, ())}|{number}"
        names[shape] = URIRef("urn:kgplatform:shape:" + hashlib.sha256(text.encode()).hexdigest()[:16])

    def walk(owner: Node) -> None:
        inner = [c for c in _children(graph, owner) if isinstance(c, BNode) and c not in names]
        counts: dict[str, int] = {}
        for child in inner:
            content = _content(graph, child, ())
            counts[content] = counts.get(content, 0) + 1
            name(child, str(names.get(owner, owner)), counts[content])
        for child in inner:
            walk(child)

    owners = {s for p in (*_SHAPES_OF, *_LISTS_OF, *_TARGETS) for s in graph.subjects(p)}
    inside = {c for s in owners for c in _children(graph, s)}
    free = [s for s in owners - inside if isinstance(s, BNode)]
    for number, shape in enumerate(sorted(free, key=lambda s: _content(graph, s, ()))):
        name(shape, "", number)
    for owner in sorted((s for s in owners if isinstance(s, URIRef)), key=str) + free:
        walk(owner)
    named_graph = Graph()
    for s, p, o in graph:
        named_graph.add((names.get(s, s), p, names.get(o, o)))
    return named_graph


def _content(graph: Graph, node: Node, inside: tuple[Node, ...]) -> str:
    if not isinstance(node, BNode):
        return node.n3() if hasattr(node, "n3") else str(node)
    if node in inside:
        raise OntologyError("a blank shape refers to itself", hint="recursive shapes have no agreed meaning")
    return "[" + " ; ".join(sorted(f"{p} {_content(graph, o, (*inside, node))}" for p, o in graph.predicate_objects(node))) + "]"


def path_text(graph: Graph, path: Node) -> str:
    """A sh:path as SPARQL writes it, with CURIEs."""
    if isinstance(path, URIRef):
        return curie(str(path))
    if (path, URIRef(RDF.first), None) in graph:
        return "/".join(path_text(graph, step) for step in Collection(graph, path))
    for kind, mark in _POSTFIX.items():
        inner = graph.value(path, URIRef(SH[kind]))
        if inner is not None:
            return f"({path_text(graph, inner)}){mark}"
    inverse = graph.value(path, URIRef(SH.inversePath))
    if inverse is not None:
        return f"^({path_text(graph, inverse)})"
    options = graph.value(path, URIRef(SH.alternativePath))
    if options is not None:
        return "(" + "|".join(path_text(graph, option) for option in Collection(graph, options)) + ")"
    raise OntologyError("a sh:path has no known form", hint="see SHACL, section 2.3.1")
