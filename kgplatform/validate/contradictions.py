"""Statements of an ontology that have no effect because of other statements.

These are classes that can have no members, restrictions that nothing meets, and marks without effect.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator
from typing import Final

import pyoxigraph as ox
from rdflib.namespace import SKOS as SKOS_TERMS
from rdflib.namespace import XSD as XSD_TERMS

from ..errors import OntologyError
from ..lexical_forms import is_valid
from ..schema import Class, Relation, Restriction, Schema
from ..schema.datatypes import bases
from ..schema.graph import Graph, Node, name
from ..terms import ALT_LABEL, KG, LABEL, OWL, RDF, RDFS, SKOS, XSD, curie, is_literal, literal_term
from .unused_axioms import Note

_NAMES_IRIS: Final = tuple(RDFS[each] for each in ("subClassOf", "subPropertyOf")) + tuple(
    OWL[each]
    for each in ("imports", "inverseOf", "disjointWith", "propertyDisjointWith", "onProperty", "equivalentClass", "unionOf", "members")
)
_NAMES_TEXTS: Final = (LABEL, ALT_LABEL, RDFS.comment)
_DATES: Final = frozenset({XSD.date, XSD.dateTime, XSD.gYear, XSD.gYearMonth})
_XSD: Final = frozenset(XSD[each] for each in XSD_TERMS.__annotations__)
_SKOS: Final = frozenset(SKOS[each] for each in SKOS_TERMS.__annotations__)


def contradiction_notes(schema: Schema) -> Iterator[Note]:
    """One note for each. Raises OntologyError for names that XML Schema does not have, unknown classes, and patterns that do not compile."""
    graph = Graph(schema.turtle, "ontology")
    for iri, class_ in schema.classes.items():
        node = ox.NamedNode(iri)
        if class_.asked_as and class_.asked_as not in schema.classes:
            raise OntologyError(
                f"no such class: {curie(class_.asked_as)}", where=graph.where(node, KG.askedAs), hint="declare it, or correct the name"
            )
        if node not in graph.subjects:
            continue
        if schema.disjoint(iri, iri):
            yield Note(graph.line(node), curie(iri), "nothing can be of it: it lies below two classes that are disjoint")
        for message in dict.fromkeys(_unmet(schema, class_)):
            yield Note(graph.line(node, RDFS.subClassOf), curie(iri), message)
    for relation in schema.relations.values():
        yield from _marks(schema, relation, graph)
    yield from _wrong_kinds(graph)


def _unmet(schema: Schema, class_: Class) -> Iterator[str]:
    """The restrictions of a class that its things never meet, or always."""
    for restriction in class_.restrictions:
        relation = schema.relations[restriction.relation]
        what = f"the restriction on {curie(relation.iri)}"
        if restriction.kind == "min" and not restriction.count:
            yield f"{what} to at least 0 asks nothing"
        elif not _fits(schema, class_, relation, restriction):
            yield f"{what} asks for what it never has"
        elif restriction.kind == "min" and restriction.count > _most(class_, relation, restriction):
            yield f"{what} asks for {restriction.count}, and at most {_most(class_, relation, restriction)} may be"


def _most(class_: Class, relation: Relation, restriction: Restriction) -> float:
    limits = [
        other.count
        for other in class_.restrictions
        if (other.kind, other.relation, other.is_turned) == ("max", relation.iri, restriction.is_turned)
        and (not (other.classes or other.datatype) or (other.classes, other.datatype) == (restriction.classes, restriction.datatype))
    ]
    return min([*limits, *([1] if relation.functional and not restriction.is_turned else [])], default=float("inf"))


def _fits(schema: Schema, class_: Class, relation: Relation, restriction: Restriction) -> bool:
    here, there = (relation.range, relation.domain) if restriction.is_turned else (relation.domain, relation.range)
    if here and all(schema.disjoint(class_.iri, end) for end in here):
        return False
    if restriction.value:
        if not is_literal(restriction.value):
            return not relation.is_literal
        return relation.is_literal and relation.admits(literal_term(restriction.value).datatype.value)
    if restriction.datatype:
        either = (
            relation.admits(restriction.datatype)
            or relation.datatype in bases(restriction.datatype)
            or restriction.datatype in bases(relation.datatype)
        )
        return restriction.datatype == RDFS.Literal or (relation.is_literal and either)
    if restriction.classes:
        apart = there and all(schema.disjoint(a, b) for a in restriction.classes for b in there)
        return not relation.is_literal and not apart
    return True


def _marks(schema: Schema, relation: Relation, graph: Graph) -> Iterator[Note]:
    node = ox.NamedNode(relation.iri)
    kinds = graph.iris(node, RDF.type)
    if relation.datatype.startswith(str(XSD)) and relation.datatype not in _XSD:
        raise OntologyError(
            f"XML Schema has no {curie(relation.datatype)}", where=graph.where(node, RDFS.range), hint=_nearest(relation.datatype, _XSD)
        )
    if relation.is_literal:
        for mark in sorted(kinds & {OWL.TransitiveProperty, OWL.AsymmetricProperty}):
            yield Note(graph.line(node, RDF.type), name(node), f"{curie(mark)} has no effect: its values are literals")
        for axiom in (OWL.inverseOf, KG.transitiveContainment):
            if graph.objects(node, axiom):
                yield Note(graph.line(node, axiom), name(node), f"{curie(axiom)} has no effect: its values are literals")
    if relation.is_event_date and relation.datatype not in _DATES:
        yield Note(graph.line(node, KG.isEventDate), name(node), "kg:isEventDate has no effect: its values are no dates")
    if {OWL.SymmetricProperty, OWL.AsymmetricProperty} <= kinds:
        yield Note(graph.line(node, RDF.type), name(node), "it is symmetric and asymmetric: nothing can satisfy both")
    for other in sorted(relation.disjoint):
        if relation.iri in schema.subrelations(other) or other in schema.subrelations(relation.iri):
            yield Note(
                graph.line(node, OWL.propertyDisjointWith), name(node), f"it is disjoint with {curie(other)}, and one of them is the other"
            )
    yield from _facets(relation, graph)


def _facets(relation: Relation, graph: Graph) -> Iterator[Note]:
    """Facets that no value has, and patterns that do not compile: the shapes made of these would fail every validation."""
    node = ox.NamedNode(relation.iri)
    bounds: dict[str, float] = {}
    for facet, value in relation.facets:
        term = literal_term(value)
        if facet == XSD.pattern:
            try:
                re.compile(term.value)
            except re.error as error:
                raise OntologyError(
                    f"the pattern {term.value!r} cannot be read: {error}", where=graph.where(node, RDFS.range), hint="mend the pattern"
                ) from error
        elif facet in (XSD.minInclusive, XSD.maxInclusive, XSD.minExclusive, XSD.maxExclusive) and not is_valid(
            relation.datatype, term.value
        ):
            yield Note(
                graph.line(node, RDFS.range),
                name(node),
                f"{curie(facet)} {term.value} is no {curie(relation.datatype)}: nothing compares with it",
            )
        try:
            bounds[facet] = float(term.value)
        except ValueError:
            continue
    for least, most in (("minInclusive", "maxInclusive"), ("minExclusive", "maxExclusive"), ("minLength", "maxLength")):
        if bounds.get(XSD[least], float("-inf")) > bounds.get(XSD[most], float("inf")):
            yield Note(
                graph.line(node, RDFS.range),
                name(node),
                f"no value has xsd:{least} {bounds[XSD[least]]:g} and xsd:{most} {bounds[XSD[most]]:g}",
            )


def _wrong_kinds(graph: Graph) -> Iterator[Note]:
    """Notes on texts where an IRI belongs, IRIs where a text belongs, restrictions without a demand, and terms that SKOS does not have."""
    parts: dict[Node, set[str]] = {}
    for subject, predicate in graph.pairs:
        parts.setdefault(subject, set()).add(predicate)
        values = graph.objects(subject, predicate)
        if predicate in _NAMES_IRIS and any(isinstance(value, ox.Literal) for value in values):
            yield Note(graph.line(subject, predicate), name(subject), f"{curie(predicate)} has no effect: it names an IRI, not a text")
        if predicate in _NAMES_TEXTS and not all(isinstance(value, ox.Literal) for value in values):
            yield Note(graph.line(subject, predicate), name(subject), f"{curie(predicate)} has no effect: it is a text, not a name")
        if predicate.startswith(str(SKOS)) and predicate not in _SKOS and ox.NamedNode(predicate) not in graph.subjects:
            yield Note(
                graph.line(subject, predicate), name(subject), f"SKOS has no {curie(predicate)} {_nearest(predicate, _SKOS)}".rstrip()
            )
    for subject, predicates in parts.items():
        if OWL.onProperty in predicates and not predicates - {OWL.onProperty, RDF.type, RDFS.comment, LABEL, OWL.onClass, OWL.onDataRange}:
            yield Note(graph.line(subject, OWL.onProperty), name(subject), "the restriction asks nothing")


def _nearest(iri: str, known: frozenset[str]) -> str:
    close = difflib.get_close_matches(iri, known, n=1, cutoff=0.8)
    return f"(did you mean {curie(close[0])}?)" if close else ""
