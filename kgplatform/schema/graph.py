"""The triples of one Turtle text, as the readers of classes and relations ask for them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping
from functools import cached_property
from graphlib import CycleError, TopologicalSorter
from typing import Final

import pyoxigraph as ox

from ..errors import OntologyError
from ..packs.positions import Places, positioned, syntax_reason
from ..terms import KG, OWL, RDF, RDFS, XSD, curie, literal
from .values import Labels

_LITERALS: Final = (RDFS.Literal, RDF.langString, RDF.PlainLiteral, RDF.XMLLiteral, RDF.HTML, RDF.JSON)
Node = ox.NamedNode | ox.BlankNode | ox.Literal | ox.Triple


class Graph:
    """The triples of a text, by subject and predicate. The type of a term says whether it is a blank node or an IRI."""

    def __init__(self, turtle: str, name: str) -> None:
        self._objects: dict[tuple[Node, str], list[Node]] = defaultdict(list)
        self._lines: dict[tuple[Node, str], int] = {}
        self._places = Places(turtle, name)
        self.asked: set[tuple[Node, str]] = set()
        """What a reader asked for, whether it was there or not."""
        self._typed_in: dict[Node, set[str]] = defaultdict(set)
        self.subjects: dict[Node, int] = {}
        """Each subject with its first line."""
        try:
            for (subject, predicate, value), line in positioned(turtle):
                self._objects[subject, predicate.value].append(value)
                self._lines.setdefault((subject, predicate.value), line)
                self.subjects.setdefault(subject, line)
                if predicate.value == RDF.type:
                    self._typed_in[subject].add(self._places.file(line))
        except SyntaxError as error:
            raise OntologyError(f"not Turtle: {syntax_reason(error)}", where=self._places.at(error.lineno or 1)) from error

    def line(self, subject: Node, predicate: str = "") -> str:
        """The place of what is said of a subject with a predicate, or at all: `films.ttl:12`."""
        return self._places.at(self._lines.get((subject, predicate)) or self.subjects.get(subject, 1))

    def where(self, subject: Node, predicate: str = "") -> str:
        """The place as `line` gives it, and the subject's name: `films.ttl:12: films:directed_by`."""
        return f"{self.line(subject, predicate)}: {name(subject)}"

    @property
    def file_names(self) -> Iterable[str]:
        """The files that the text is joined from."""
        return self._places.files

    def file(self, subject: Node, predicate: str) -> str:
        """The file that first says something of a subject with a predicate."""
        return self._places.file(self._lines[subject, predicate])

    @property
    def pairs(self) -> Iterable[tuple[Node, str]]:
        """Each subject with each of its predicates, in the order of the text."""
        return self._lines.keys()

    def objects(self, subject: Node, predicate: str) -> list[Node]:
        """The values of a subject and predicate, in the order of the text; notes in `asked` that they were read."""
        self.asked.add((subject, predicate))
        return self._objects.get((subject, predicate), [])

    def iris(self, subject: Node, predicate: str) -> frozenset[str]:
        """The values that are IRIs, others left out."""
        return frozenset(o.value for o in self.objects(subject, predicate) if isinstance(o, ox.NamedNode))

    def texts(self, subject: Node, predicate: str) -> Labels:
        """The literal values as (text, language), sorted by language and text, each once."""
        found = {(o.value, o.language or ""): None for o in self.objects(subject, predicate) if isinstance(o, ox.Literal)}
        return tuple(sorted(found, key=lambda pair: (pair[1], pair[0])))

    def text(self, subject: Node, predicate: str) -> str:
        """The first literal value that is untagged or English, else the first of any language; an empty text if there is none."""
        texts = self.texts(subject, predicate)
        return next((text for text, language in texts if language in ("", "en")), texts[0][0] if texts else "")

    def flag(self, subject: Node, predicate: str) -> bool | None:
        """The one boolean value; None where there is none."""
        for value in self.objects(subject, predicate):
            if not isinstance(value, ox.Literal) or value.value not in ("true", "false", "1", "0"):
                raise OntologyError(f"{curie(predicate)} is neither true nor false", where=self.where(subject, predicate))
            return value.value in ("true", "1")
        return None

    def is_hidden(self, node: Node) -> bool:
        """Whether a term serves the platform's own records (`kg:assertable false`) and is not for claims.

        A term of another vocabulary that a second file declares is not hidden.
        """
        hides = self.flag(node, KG.assertable) is False
        is_ours = isinstance(node, ox.NamedNode) and node.value.startswith(str(KG))
        return hides and (is_ours or len(self._typed_in[node]) < 2)

    @cached_property
    def own(self) -> frozenset[str]:
        """The namespaces that the text itself defines, whose undeclared names are errors."""
        return _own_namespaces(self)

    def files(self, node: Node) -> frozenset[str]:
        """The files that declare a term."""
        return frozenset(self._typed_in[node])

    def members(self, head: Node, *, of: str) -> list[Node]:
        """The members of an RDF list; `of` names its owner for errors."""
        items: list[Node] = []
        seen: set[Node] = set()
        while head != ox.NamedNode(RDF.nil):
            firsts, rests = self.objects(head, RDF.first), self.objects(head, RDF.rest)
            if head in seen or len(firsts) != 1 or len(rests) != 1:
                raise OntologyError("a list is broken", where=of)
            seen.add(head)
            items.append(firsts[0])
            head = rests[0]
        return items


def name(node: Node) -> str:
    """What messages call a node: its CURIE, or `a blank node`."""
    return curie(node.value) if isinstance(node, ox.NamedNode) else "a blank node"


def node_text(node: Node) -> str:
    """A literal as node text, normalised as the store will hold it; any other node in N-Triples syntax."""
    if isinstance(node, ox.Literal):
        return literal(node.value, node.datatype.value, node.language or "")
    return str(node)


def union(graph: Graph, expression: Node, *, where: str) -> frozenset[str]:
    """The classes that an expression names, any of which it admits: one class, or an owl:unionOf. OntologyError for other expressions."""
    members = opened(graph, expression, OWL.unionOf, where=where)
    names = frozenset(node.value for node in members if isinstance(node, ox.NamedNode))
    if not names or len(names) < len(set(members)):
        raise OntologyError(
            "a domain, range or restriction is neither a class nor a union of classes",
            where=where,
            hint="write owl:unionOf, or declare a class for it",
        )
    return names


def opened(graph: Graph, expression: Node, axiom: str, *, where: str) -> list[Node]:
    """The members of the list that a blank expression has for the axiom, nested lists opened too, each once; else the expression itself."""
    parts: list[Node] = []
    seen: set[Node] = set()
    todo = [expression]
    while todo:
        node = todo.pop(0)
        if node not in seen:
            seen.add(node)
            lists = graph.objects(node, axiom) if isinstance(node, ox.BlankNode) else []
            parts += [] if lists else [node]
            todo += [member for head in lists for member in graph.members(head, of=where)]
    return parts


def _own_namespaces(graph: Graph) -> frozenset[str]:
    """The namespaces that the text defines: those of its headers, and for each file the one of most of its classes and relations.

    An undeclared name in one of them is an error; names of other vocabularies need no declaration.
    """
    kinds = {OWL.Class, RDFS.Class, OWL.ObjectProperty, OWL.DatatypeProperty}
    own = {str(space) for space in (KG, RDF, RDFS, OWL, XSD)}
    declared: dict[str, Counter[str]] = defaultdict(Counter)
    for node in graph.subjects:
        if not isinstance(node, ox.NamedNode):
            continue
        types = graph.iris(node, RDF.type)
        if OWL.Ontology in types:
            own |= {node.value.rstrip("#/") + mark for mark in "#/"}
        if types & kinds and not graph.is_hidden(node):
            for file in graph.files(node):
                declared[file][namespace(node.value)] += 1
    return frozenset(own | {max(counts, key=lambda space: (counts[space], space)) for counts in declared.values()})


def is_literal_property(graph: Graph, node: Node) -> bool:
    """Whether the objects of a property are literals: OWL says so by its kind, RDFS of an rdf:Property by its range."""
    kinds = graph.iris(node, RDF.type)
    if kinds & {OWL.DatatypeProperty, OWL.AnnotationProperty} or OWL.ObjectProperty in kinds:
        return bool(kinds & {OWL.DatatypeProperty, OWL.AnnotationProperty})
    ranges = graph.iris(node, RDFS.range)
    return bool(ranges) and all(_is_datatype(graph, range_) for range_ in ranges)


def _is_datatype(graph: Graph, iri: str) -> bool:
    return iri.startswith(str(XSD)) or iri in _LITERALS or RDFS.Datatype in graph.iris(ox.NamedNode(iri), RDF.type)


def namespace(iri: str) -> str:
    """The IRI up to and with its last `#`, `/` or `:`."""
    return iri[: max(iri.rfind(mark) for mark in "#/:") + 1]


def require(iri: str, relations: Iterable[str], kind: str, where: str) -> None:
    """Raise OntologyError, with the place, if the IRI is none of those that are declared; `kind` names what they are."""
    if iri not in relations:
        raise OntologyError(f"no such {kind}: {curie(iri)}", where=where, hint="declare it as a property, or correct the name")


def topmost_first(graph: Graph, parents: Mapping[str, Collection[str]], axiom: str) -> list[str]:
    """The IRIs, each after its parents. Raises OntologyError, with the circle, where they form one."""
    try:
        return list(TopologicalSorter({iri: sorted(parents[iri]) for iri in sorted(parents)}).static_order())
    except CycleError as error:
        ring = " -> ".join(curie(step) for step in reversed(error.args[1]))
        raise OntologyError(
            f"{curie(axiom)} goes round in a circle: {ring}",
            where=graph.where(ox.NamedNode(error.args[1][0]), axiom),
            hint="remove one of its steps",
        ) from error
