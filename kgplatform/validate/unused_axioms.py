"""What has no effect in an ontology: constructs that nothing reads, names that nothing declares, imports not found.

There is no second list here of what is read: the readers of classes and relations are run, and what they never asked for is reported.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

import pyoxigraph as ox

from ..errors import OntologyError
from ..schema import Relation, Schema
from ..schema.classes import EVERYTHING, OF_LANGUAGES, read_classes
from ..schema.graph import Graph, Node, name, union
from ..schema.relations import read_relations
from ..terms import DESCRIPTION, KG, OWL, RDF, RDFS, SH, TYPE, XSD, curie

_INDIVIDUALS: Final = "the ontology holds no individuals"
IGNORED: Final = {
    OWL.equivalentClass: "a class has one name here: give the other one as skos:altLabel",
    OWL.equivalentProperty: "a relation has one name here: give the other one as skos:altLabel",
    OWL.complementOf: "nothing is inferred from what a thing is not: write owl:disjointWith",
    OWL.hasSelf: "SHACL Core cannot compare a node with itself",
    OWL.hasKey: "who is who is decided by mention keys and people, never inferred from values",
    OWL.propertyChainAxiom: "a question walks the chain step by step, so that its answer says the path",
    OWL.IrreflexiveProperty: "SHACL Core cannot compare a node with itself",
    OWL.ReflexiveProperty: "a fact that no source states is not stored",
    OWL.sameAs: f"{_INDIVIDUALS}: merges are decisions in the ledger",
    OWL.differentFrom: f"{_INDIVIDUALS}: keeping apart is a decision in the ledger",
    OWL.AllDifferent: f"{_INDIVIDUALS}: keeping apart is a decision in the ledger",
    OWL.NamedIndividual: f"{_INDIVIDUALS}: facts come from documents",
    OWL.NegativePropertyAssertion: f"{_INDIVIDUALS}: negative facts are claims of documents",
    OWL.deprecated: "a notice for people: remove the term in a change request",
    OWL.DeprecatedClass: "a notice for people: remove the term in a change request",
    OWL.DeprecatedProperty: "a notice for people: remove the term in a change request",
}
"""Constructs that never have an effect, and why. Those of `ELSEWHERE` have one only at the places that docs/owl-to-shacl.md names."""
ELSEWHERE: Final = {
    OWL.unionOf: "it is read in a domain, a range or a restriction only",
    OWL.oneOf: f"it is read of literals only: {_INDIVIDUALS}",
    OWL.inverseOf: "it joins two relations that are declared",
    OWL.Restriction: "it is read as a superclass only",
}
_UNREAD: Final = "nothing reads it here: see docs/owl-to-shacl.md"
_CORE: Final = "ontology/core.ttl:"
_FOR_PEOPLE: Final = frozenset({RDFS.label, RDFS.comment, RDFS.seeAlso, RDFS.isDefinedBy, OWL.versionInfo})
_READ_TYPES: Final = frozenset(
    OWL[kind]
    for kind in (
        *("Ontology", "Class", "Restriction", "ObjectProperty", "DatatypeProperty", "AnnotationProperty", "FunctionalProperty"),
        *("InverseFunctionalProperty", "SymmetricProperty", "AsymmetricProperty", "TransitiveProperty", "AllDisjointClasses"),
        *("AllDisjointProperties", "OntologyProperty", "DataRange", "Annotation"),
    )
)


class Note(NamedTuple):
    """One thing that has no effect: its place (`films.ttl:12`), what it belongs to, and the reason."""

    where: str
    subject: str
    message: str

    def __str__(self) -> str:
        return f"{self.where}: {self.subject}: {self.message}"


def ontology_notes(schema: Schema) -> tuple[Note, ...]:
    """The notes, each once. Raises OntologyError for a `kg:` annotation that core does not declare, or whose value is of the wrong kind."""
    graph = Graph(schema.turtle, "ontology")
    _check_annotations(graph)
    notes = (
        *unread(schema),
        *_imports(graph),
        *_undeclared(graph, schema),
        *_individuals(graph, schema),
        *_shapes(graph),
        *_alone(graph, schema),
        *_ends(graph, schema),
    )
    notes += tuple(_idle_files(graph, schema))
    return tuple(dict.fromkeys(notes))


# -- constructs


def unread(schema: Schema) -> Iterator[Note]:
    """The constructs that become neither a shape nor an expansion of questions, with the reason. Core, which describes records, is left out."""
    graph = Graph(schema.turtle, "ontology")
    read_relations(graph, read_classes(graph))
    read = frozenset(graph.asked)
    unused: list[tuple[Node, str, str]] = []
    for subject, predicate in graph.pairs:
        if _says_nothing_of_the_world(graph, subject) or graph.line(subject, predicate).startswith(_CORE):
            continue
        for term in _types(graph, subject) if predicate == RDF.type else [predicate]:
            is_construct = term.startswith((str(OWL), str(RDFS), str(KG))) and term not in _FOR_PEOPLE
            if is_construct and (predicate == RDF.type or (subject, predicate) not in read):
                unused.append((subject, predicate, term))
    inside = _inside(graph, unused)
    for subject, predicate, term in unused:
        if subject not in inside:
            yield Note(graph.line(subject, predicate), name(subject), _reason(term))


def _says_nothing_of_the_world(graph: Graph, subject: Node) -> bool:
    """Whether a subject is a header, a note on an axiom, the definition of a datatype, or an annotation property, which no claim uses."""
    kinds = graph.iris(subject, RDF.type)
    if kinds & {OWL.Ontology, OWL.Axiom, OWL.Annotation, RDFS.Datatype}:
        return True
    return (
        OWL.AnnotationProperty in kinds
        and not kinds & {OWL.ObjectProperty, OWL.DatatypeProperty}
        and not graph.flag(subject, KG.assertable)
    )


def _types(graph: Graph, subject: Node) -> list[str]:
    return [
        kind
        for kind in sorted(graph.iris(subject, RDF.type))
        if kind.startswith(str(OWL)) and kind not in _READ_TYPES and kind != OWL.Thing
    ]


def _reason(term: str) -> str:
    return f"{curie(term)} is ignored: {IGNORED.get(term) or ELSEWHERE.get(term) or _UNREAD}"


def _inside(graph: Graph, left: list[tuple[Node, str, str]]) -> set[Node]:
    """The blank nodes below what is reported: they are not reported again."""
    parts: dict[Node, list[Node]] = {}
    for subject, predicate in graph.pairs:
        parts.setdefault(subject, []).extend(o for o in graph.objects(subject, predicate) if isinstance(o, ox.BlankNode))
    todo: list[Node] = [o for subject, predicate, _ in left for o in graph.objects(subject, predicate) if isinstance(o, ox.BlankNode)]
    inside: set[Node] = set()
    while todo:
        node = todo.pop()
        if node not in inside:
            inside.add(node)
            todo += parts.get(node, [])
    return inside


# -- names


def _imports(graph: Graph) -> Iterator[Note]:
    """The imports that no file of the packs is."""
    headers = {s.value for s in graph.subjects if isinstance(s, ox.NamedNode) and OWL.Ontology in graph.iris(s, RDF.type)}
    headers |= {iri for s in graph.subjects for iri in graph.iris(s, OWL.versionIRI)}
    known = {iri.rstrip("#/") for iri in (*headers, *map(str, (RDF, RDFS, OWL, XSD)))}
    for subject in graph.subjects:
        for imported in sorted(graph.iris(subject, OWL.imports)):
            if imported.rstrip("#/") not in known:
                hint = "name its file among the packs, or leave the import out"
                yield Note(graph.line(subject, OWL.imports), name(subject), f"owl:imports {curie(imported)} is not found: {hint}")


def _undeclared(graph: Graph, schema: Schema) -> Iterator[Note]:
    """Notes on terms of other vocabularies that are declared nowhere, at their first use."""
    declared = {s.value for s in graph.subjects if isinstance(s, ox.NamedNode) and graph.objects(s, RDF.type)} | EVERYTHING | OF_LANGUAGES
    implied = schema.classes.keys() - declared
    reported: set[str] = set()
    for subject, predicate in graph.pairs:
        for iri in sorted(graph.iris(subject, predicate) - reported):
            if iri in implied and predicate != RDF.type:
                reported.add(iri)
                yield Note(graph.line(subject, predicate), curie(iri), "it is declared nowhere, and taken for a class without a name")
            elif predicate in (RDFS.subPropertyOf, OWL.inverseOf, OWL.onProperty) and iri not in declared:
                reported.add(iri)
                yield Note(graph.line(subject, predicate), curie(iri), f"it is declared nowhere: {curie(predicate)} says nothing here")


def _individuals(graph: Graph, schema: Schema) -> Iterator[Note]:
    counts: dict[str, list[Node]] = {}
    for subject in graph.subjects:
        for class_ in sorted(graph.iris(subject, RDF.type) & schema.classes.keys() - OF_LANGUAGES):
            counts.setdefault(class_, []).append(subject)
    for class_, members in counts.items():
        what = "1 individual is" if len(members) == 1 else f"{len(members)} individuals are"
        yield Note(graph.line(members[0], RDF.type), curie(class_), f"{what} not read: facts come from documents, so read the file as one")


def _ends(graph: Graph, schema: Schema) -> Iterator[Note]:
    """Notes on domains and ranges that are wider than that of a superproperty, or not related to it."""
    for relation in schema.relations.values():
        node = ox.NamedNode(relation.iri)
        for axiom in (RDFS.domain, RDFS.range):
            stated = (
                frozenset(c for e in graph.objects(node, axiom) for c in union(graph, e, where="")) - EVERYTHING
                if _is_of_classes(relation, axiom)
                else frozenset()
            )
            mine = relation.domain if axiom == RDFS.domain else relation.range
            for parent in sorted(relation.parents if stated else ()):
                above = schema.relations[parent].domain if axiom == RDFS.domain else schema.relations[parent].range
                if above and not all(schema.is_a([c], above) for c in stated):
                    is_narrowed = all(schema.is_a([c], above) for c in mine)
                    why = "is wider than that" if is_narrowed else "lies beside that"
                    what = "which holds here too" if is_narrowed else "and only its own is looked at"
                    yield Note(graph.line(node, axiom), name(node), f"its {curie(axiom)} {why} of {curie(parent)}, {what}")


def _is_of_classes(relation: Relation, axiom: str) -> bool:
    return axiom == RDFS.domain or not relation.is_literal


def _idle_files(graph: Graph, schema: Schema) -> Iterator[Note]:
    """Notes on files that declare no class and no relation."""
    terms = schema.classes.keys() | schema.relations.keys()
    used = {
        graph.file(*pair)
        for pair in graph.pairs
        if isinstance(pair[0], ox.NamedNode) and (pair[0].value in terms or pair[1] == OWL.imports)
    }
    for file in graph.file_names:
        if file not in used and not file.startswith("ontology/"):
            yield Note(file, "the pack", "it declares no class and no relation: a file of facts is read by `kgplatform ingest`")


def _alone(graph: Graph, schema: Schema) -> Iterator[Note]:
    """Notes on classes that have nothing but a label, where every relation has a domain and a range and none takes their instances."""
    naming = schema.name_properties | {TYPE, DESCRIPTION}
    relations = [r for r in schema.relations.values() if r.iri not in naming and not r.is_qualifier]
    ends = [end for r in relations for end in (r.domain, *([] if r.is_literal else [r.range]))]
    if not all(ends) or not ends:  # a relation without a domain takes things of every class
        return
    shapes = Graph(schema.shapes, "shapes")
    used = {iri for graph_ in (graph, shapes) for pair in graph_.pairs if pair[1] != RDF.type for iri in graph_.iris(*pair)}
    for iri, class_ in schema.classes.items():
        node = ox.NamedNode(iri)
        is_used = iri in used or class_.parents or class_.restrictions or class_.key_scheme or node not in graph.subjects
        if not is_used and not any(schema.is_a([iri], end) for end in ends):
            yield Note(
                graph.line(node), curie(iri), "no relation, class or shape uses it: its things can be named and counted, nothing else"
            )


def _shapes(graph: Graph) -> Iterator[Note]:
    for subject in graph.subjects:
        if {SH.NodeShape, SH.PropertyShape} & graph.iris(subject, RDF.type):
            yield Note(
                graph.line(subject), name(subject), "a shape in an ontology file judges nothing: write it into NAME.shapes.ttl beside it"
            )


# -- annotations of the platform's own


def _check_annotations(graph: Graph) -> None:
    """Raise OntologyError for a `kg:` annotation whose value is not what its range in core says: a text, a boolean or a relation."""
    for subject, predicate in graph.pairs:
        if not predicate.startswith(str(KG)):
            continue
        node = ox.NamedNode(predicate)
        if node not in graph.subjects:
            raise OntologyError(
                f"core declares no {curie(predicate)}",
                where=graph.where(subject, predicate),
                hint="see the annotations of ontology/core.ttl",
            )
        ranges = graph.iris(node, RDFS.range)
        for value in graph.objects(subject, predicate):
            if ranges & {XSD.boolean, XSD.string, RDF.PlainLiteral} and not isinstance(value, ox.Literal):
                raise OntologyError(f"{curie(predicate)} wants a text, not {value}", where=graph.where(subject, predicate))
            if RDF.Property in ranges and not isinstance(value, ox.NamedNode):
                raise OntologyError(f"{curie(predicate)} names a relation, not {value}", where=graph.where(subject, predicate))
