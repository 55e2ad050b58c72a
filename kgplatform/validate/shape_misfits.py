"""What in shapes, at any depth, has no effect under the ontology: names that no pack declares, values that a relation cannot have."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

import pyoxigraph as ox

from ..schema import Relation, Schema
from ..schema.graph import Node, namespace
from ..terms import KG, OWL, RDF, RDFS, SH, TYPE, XSD, curie
from .satisfiable import family
from .shape_syntax import TARGETS, ShapeText, is_true, without_strings
from .unused_axioms import Note

_GIVEN: Final = frozenset({TYPE, RDFS.subClassOf})
"""What paths may name beside the relations of the packs."""
_OTHERS: Final = (SH.equals, SH.disjoint, SH.lessThan, SH.lessThanOrEquals)
_BOUNDS: Final = (SH.minInclusive, SH.maxInclusive, SH.minExclusive, SH.maxExclusive)
_OF_ENTITIES: Final = (SH.IRI, SH.BlankNode, SH.BlankNodeOrIRI)
_OF_LITERALS: Final = (SH.datatype, SH.languageIn, *_BOUNDS)
_DECLARED: Final = frozenset({OWL.Class, RDFS.Class, OWL.ObjectProperty, OWL.DatatypeProperty, OWL.AnnotationProperty, RDF.Property})
_NAME: Final = re.compile(r"<([^<>\s]+)>|(?<![\w?$:@^])([A-Za-z][\w.-]*|):([A-Za-z_][\w-]*)")
"""An IRI of a query, or a prefix and a local name."""
_TEXTS: Final = (XSD.string, RDF.langString, RDF.PlainLiteral, RDFS.Literal)


def misfit_notes(schema: Schema, text: ShapeText) -> Iterator[Note]:
    """One note for each name or value without effect. Shapes of the platform's own records are left out."""
    records = _of_records(text)
    for shape in text.shapes():
        if shape in records:
            continue
        misfits = (*_unknown(schema, text, shape), *_of_values(schema, text, shape), *_of_focus(text, shape), *_zero(text, shape))
        for predicate, message in misfits:
            yield Note(text.graph.line(shape, predicate), text.name(shape), message)
    yield from _in_queries(schema, text)
    yield from _misplaced(text)


Misfits = Iterator[tuple[str, str]]
"""Predicates of a shape, each with what is wrong."""


def _of_records(text: ShapeText) -> set[Node]:
    todo = [shape for shape in text.graph.subjects if any(map(is_true, text.graph.objects(shape, KG.ofRecords)))]
    records: set[Node] = set()
    while todo:
        shape = todo.pop()
        if shape not in records:
            records.add(shape)
            todo += text.children(shape)
    return records


def _unknown(schema: Schema, text: ShapeText, shape: Node) -> Misfits:
    graph = text.graph
    for predicate in (SH["class"], SH.targetClass):
        for class_ in sorted(graph.iris(shape, predicate) - schema.classes.keys()):
            yield predicate, f"no class {curie(class_)} is declared"
    used = [(SH.path, iri) for path in graph.objects(shape, SH.path) for iri in _steps(text, path)]
    used += [
        (predicate, iri)
        for predicate in (*_OTHERS, SH.targetSubjectsOf, SH.targetObjectsOf)
        for iri in sorted(graph.iris(shape, predicate))
    ]
    for head in graph.objects(shape, SH.ignoredProperties):
        members = graph.members(head, of=text.where(shape, SH.ignoredProperties))
        used += [(SH.ignoredProperties, member.value) for member in members if isinstance(member, ox.NamedNode)]
    for predicate, iri in dict.fromkeys(used):
        if iri not in schema.relations and iri not in _GIVEN:
            yield predicate, f"no relation {curie(iri)} is declared"


def _steps(text: ShapeText, path: Node) -> Iterator[str]:
    """The relations of a path."""
    if isinstance(path, ox.NamedNode):
        yield path.value
        return
    graph = text.graph
    parts = graph.members(path, of=text.where(path)) if graph.objects(path, RDF.first) else []
    for kind in ("inversePath", "zeroOrMorePath", "oneOrMorePath", "zeroOrOnePath", "alternativePath"):
        parts += graph.objects(path, SH[kind])
    for part in parts:
        yield from _steps(text, part)


def _of_values(schema: Schema, text: ShapeText, shape: Node) -> Misfits:
    """What a property shape asks of values that its relation never has."""
    graph = text.graph
    for iri in graph.iris(shape, SH.path) & schema.relations.keys():
        relation = schema.relations[iri]
        kinds = graph.iris(shape, SH.nodeKind)
        if relation.is_literal and kinds & set(_OF_ENTITIES) or not relation.is_literal and SH.Literal in kinds:
            yield SH.nodeKind, f"{curie(iri)} has {_values_of(relation)} alone"
        listed = [member for head in graph.objects(shape, SH["in"]) for member in graph.members(head, of=text.where(shape, SH["in"]))]
        for predicate, values in ((SH["in"], listed), (SH.hasValue, graph.objects(shape, SH.hasValue))):
            for value in values:
                if not _may_have(relation, value):
                    yield predicate, f"{curie(iri)} never has the value {curie(value.value) if isinstance(value, ox.NamedNode) else value}"
        if not relation.is_literal or relation.datatype not in _TEXTS:
            for predicate in (SH.languageIn, SH.uniqueLang):
                if any(value for value in graph.objects(shape, predicate) if predicate == SH.languageIn or is_true(value)):
                    yield predicate, f"no value of {curie(iri)} has a language"
        for predicate in _BOUNDS:
            for value in graph.objects(shape, predicate):
                if not _may_compare(relation, value):
                    yield predicate, f"no value of {curie(iri)} compares with {value}"


def _values_of(relation: Relation) -> str:
    return "literals" if relation.is_literal else "entities"


def _may_have(relation: Relation, value: Node) -> bool:
    if isinstance(value, ox.Literal) and relation.is_literal:
        return relation.admits(value.datatype.value)
    return isinstance(value, ox.Literal) == relation.is_literal


def _may_compare(relation: Relation, bound: Node) -> bool:
    if not isinstance(bound, ox.Literal) or relation.datatype == RDFS.Literal:
        return True
    return relation.is_literal and family(bound.datatype.value) == family(relation.datatype)


def _of_focus(text: ShapeText, shape: Node) -> Misfits:
    """What a node shape asks of entities that only literals have."""
    graph = text.graph
    if graph.objects(shape, SH.path) or not any(graph.objects(shape, target) for target in TARGETS):
        return
    if graph.objects(shape, SH.targetObjectsOf) or any(isinstance(node, ox.Literal) for node in graph.objects(shape, SH.targetNode)):
        return
    for predicate in (*_OF_LITERALS, *([SH.nodeKind] if SH.Literal in graph.iris(shape, SH.nodeKind) else [])):
        if graph.objects(shape, predicate):
            yield predicate, f"{curie(predicate)} asks of entities what only literals have: write it into a property shape"


def _zero(text: ShapeText, shape: Node) -> Misfits:
    for name in ("minCount", "minLength", "qualifiedMinCount"):
        if any(isinstance(value, ox.Literal) and value.value.strip("0") == "" for value in text.graph.objects(shape, SH[name])):
            yield SH[name], f"sh:{name} 0 asks nothing"


def _in_queries(schema: Schema, text: ShapeText) -> Iterator[Note]:
    """Names of a query in a namespace of the packs that none of them declares."""
    graph = text.graph
    declared = schema.classes.keys() | schema.relations.keys()
    own = {namespace(iri) for iri in declared}
    prefixes = {
        prefix.value: space.value
        for node in graph.subjects
        for prefix, space in zip(graph.objects(node, SH["prefix"]), graph.objects(node, SH.namespace), strict=False)
        if isinstance(prefix, ox.Literal) and isinstance(space, ox.Literal)
    }
    for subject, predicate in graph.pairs:
        for query in graph.objects(subject, predicate) if predicate == SH.select else ():
            for iri in dict.fromkeys(_names_of(str(getattr(query, "value", "")), prefixes)):
                if iri not in declared and namespace(iri) in own:
                    yield Note(
                        graph.line(subject, predicate),
                        text.name(subject),
                        f"no class or relation {curie(iri)} is declared, which the query names",
                    )


def _names_of(query: str, prefixes: Mapping[str, str]) -> Iterator[str]:
    for whole, prefix, local in _NAME.findall(without_strings(query)):
        if whole:
            yield whole
        elif prefix in prefixes:
            yield prefixes[prefix] + local


def _misplaced(text: ShapeText) -> Iterator[Note]:
    """What belongs into the ontology: declarations, and imports, which nobody follows from shapes."""
    shapes = set(text.shapes())
    for subject in text.graph.subjects:
        if subject not in shapes and text.graph.iris(subject, TYPE) & _DECLARED:
            yield Note(
                text.graph.line(subject, TYPE),
                text.name(subject),
                "a declaration in a shapes file is not read: write it into the ontology file",
            )
        for imported in sorted(text.graph.iris(subject, OWL.imports) - {str(SH)}):
            yield Note(
                text.graph.line(subject, OWL.imports),
                text.name(subject),
                f"owl:imports {curie(imported)} is not followed from a shapes file",
            )
