"""Reads relations: ends, datatypes, inverses, time behaviour, licences."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Final

import pyoxigraph as ox

from ..errors import OntologyError
from ..terms import ALT_LABEL, KG, LABEL, OWL, RDF, RDFS, XSD, curie
from .classes import EVERYTHING
from .graph import Graph, Node, is_literal_property, name, namespace, node_text, require, topmost_first, union
from .values import Class, Relation, Schema

_OF_CLAIMS: Final = frozenset({OWL.ObjectProperty, OWL.DatatypeProperty})
_LANGUAGE_DATATYPES: Final = (RDF.langString, RDF.PlainLiteral, RDFS.Literal)
_FACETS: Final = (
    *(XSD.minInclusive, XSD.maxInclusive, XSD.minExclusive, XSD.maxExclusive),
    *(XSD.minLength, XSD.maxLength, XSD.length, XSD.pattern),
)


def read_relations(graph: Graph, classes: dict[str, Class]) -> dict[str, Relation]:
    """The relations by IRI, with what follows from inverses and superproperties. Raises OntologyError for what contradicts itself."""
    declared = {
        s.value: s
        for s in graph.subjects
        if isinstance(s, ox.NamedNode)
        and graph.iris(s, RDF.type) & {OWL.ObjectProperty, OWL.DatatypeProperty, OWL.AnnotationProperty, RDF.Property}
    }
    offered = {iri: node for iri, node in declared.items() if _is_assertable(graph, node)}
    parents = {iri: set(graph.iris(node, RDFS.subPropertyOf)) for iri, node in declared.items()}
    own = graph.own
    for iri, above in parents.items():
        above -= {parent for parent in above - declared.keys() if namespace(parent) not in own}
        for parent in above:
            require(parent, declared, "relation", graph.where(declared[iri], RDFS.subPropertyOf))
    topmost_first(graph, parents, RDFS.subPropertyOf)
    schema = Schema(classes)
    disjoint = _disjoint_groups(graph)
    relations = {iri: _relation(graph, node, frozenset(parents[iri] & offered.keys()), schema) for iri, node in offered.items()}
    relations = {iri: replace(relation, disjoint=relation.disjoint | disjoint.get(iri, frozenset())) for iri, relation in relations.items()}
    relations = {iri: _without_foreign_inverse(relation, relations.keys(), own) for iri, relation in relations.items()}
    _check_references(graph, relations)
    whole = _narrowed(graph, _turned(graph, relations), schema)
    _check_further_ends(graph, whole, classes)
    return whole


def _without_foreign_inverse(relation: Relation, known: Collection[str], own: frozenset[str]) -> Relation:
    is_foreign = relation.inverse and relation.inverse not in known and not relation.canonical and namespace(relation.inverse) not in own
    return replace(relation, inverse="") if is_foreign else relation


def _disjoint_groups(graph: Graph) -> dict[str, frozenset[str]]:
    """Relation -> those that stand before it in a list of owl:AllDisjointProperties."""
    before: dict[str, frozenset[str]] = {}
    for node in graph.subjects:
        if OWL.AllDisjointProperties in graph.iris(node, RDF.type):
            for head in graph.objects(node, OWL.members):
                members = [m.value for m in graph.members(head, of="owl:AllDisjointProperties") if isinstance(m, ox.NamedNode)]
                for number, member in enumerate(members):
                    before[member] = before.get(member, frozenset()) | frozenset(members[:number])
    return before


def _is_assertable(graph: Graph, node: ox.NamedNode) -> bool:
    kinds = graph.iris(node, RDF.type)
    if graph.is_hidden(node):
        return False
    return bool(graph.flag(node, KG.assertable)) or bool(kinds & _OF_CLAIMS) or OWL.AnnotationProperty not in kinds


def _relation(graph: Graph, node: ox.NamedNode, parents: frozenset[str], schema: Schema) -> Relation:
    kinds = graph.iris(node, RDF.type)
    if {OWL.ObjectProperty, OWL.DatatypeProperty} <= kinds:
        raise OntologyError("a relation has entities or literals as objects, not both", where=graph.where(node))
    is_literal = is_literal_property(graph, node)
    datatype, values, facets = _datatype(graph, node) if is_literal else ("", frozenset[str](), ())
    return Relation(
        node.value,
        labels=graph.texts(node, LABEL),
        alt_labels=graph.texts(node, ALT_LABEL),
        inverse_labels=graph.texts(node, KG.inverseLabel),
        comment=graph.text(node, RDFS.comment),
        domain=_end(graph, node, RDFS.domain, schema),
        range=frozenset() if is_literal else _end(graph, node, RDFS.range, schema),
        datatype=datatype,
        values=values,
        facets=facets,
        parents=parents,
        inverse=min(graph.iris(node, OWL.inverseOf) | graph.iris(node, KG.storedAs), default=""),
        canonical=min(graph.iris(node, KG.storedAs), default=""),
        functional=bool(graph.flag(node, KG.functionalAtATime)) or OWL.FunctionalProperty in kinds,
        symmetric=OWL.SymmetricProperty in kinds,
        transitive=bool(graph.flag(node, KG.transitiveContainment)) or OWL.TransitiveProperty in kinds,
        required_qualifiers=graph.iris(node, KG.requiresQualifier),
        licenses=graph.iris(node, KG.licenses),
        not_taken_for=graph.iris(node, KG.notToBeTakenFor),
        is_event_date=bool(graph.flag(node, KG.isEventDate)),
        is_qualifier=bool(graph.flag(node, KG.isQualifier)),
        inverse_functional=OWL.InverseFunctionalProperty in kinds,
        asymmetric=OWL.AsymmetricProperty in kinds,
        disjoint=graph.iris(node, OWL.propertyDisjointWith),
        known=frozenset(node_text(value) for value in graph.objects(node, KG.knownValue)),
        also_from=graph.iris(node, KG.alsoFrom),
        also_to=graph.iris(node, KG.alsoTo),
    )


def _end(graph: Graph, node: ox.NamedNode, axiom: str, schema: Schema) -> frozenset[str]:
    """The classes of a domain or range. Several axioms mean all of them at once: then the narrowest is taken."""
    ends = [union(graph, e, where=graph.where(node)) for e in graph.objects(node, axiom)]
    ends = [classes for classes in ends if not classes & EVERYTHING]
    for classes in ends:
        hidden = sorted(c for c in classes if c not in schema.classes)
        if hidden:
            raise OntologyError(f"{curie(hidden[0])} is a class of the platform's own records", where=graph.where(node))
        if all(schema.is_a([c], other) for other in ends for c in classes):
            return classes
    if not ends:
        return frozenset()
    raise OntologyError(f"several {curie(axiom)} mean all of them at once, and none lies below the others", where=graph.where(node),
                        hint="write one owl:unionOf if any of them will do")  # fmt: skip


def _datatype(graph: Graph, node: ox.NamedNode) -> tuple[str, frozenset[str], tuple[tuple[str, str], ...]]:
    """(datatype, value set, facets) of a literal relation."""
    ranges = _narrowest(graph.objects(node, RDFS.range))
    if len(ranges) > 1:
        raise OntologyError("a literal relation has one rdfs:range", where=graph.where(node), hint="write one datatype or value set")
    return _data_range(graph, ranges[0], where=graph.where(node)) if ranges else (RDFS.Literal, frozenset(), ())


def _narrowest(ranges: list[Node]) -> list[Node]:
    """The ranges without those that another one narrows: any literal, and any text beside strings."""
    texts = {ox.NamedNode(XSD.string), ox.NamedNode(RDF.langString)}
    left = [r for r in dict.fromkeys(ranges) if r != ox.NamedNode(RDFS.Literal)]
    return [r for r in left if r != ox.NamedNode(RDF.PlainLiteral) or not texts & set(left)] or ranges[:1]


def _data_range(
    graph: Graph, range_: Node, *, where: str, above: tuple[Node, ...] = ()
) -> tuple[str, frozenset[str], tuple[tuple[str, str], ...]]:
    for head in graph.objects(range_, OWL.oneOf):
        literals = [m for m in graph.members(head, of=where) if isinstance(m, ox.Literal)]
        datatypes = {m.datatype.value for m in literals}
        if len(datatypes) != 1:
            raise OntologyError("the values of a value set have one datatype", where=where)
        return datatypes.pop(), frozenset(node_text(m) for m in literals), ()
    for base in graph.objects(range_, OWL.onDatatype):
        boxes = [m for head in graph.objects(range_, OWL.withRestrictions) for m in graph.members(head, of=where)]
        facets = {(facet, node_text(v)) for box in boxes for facet in _FACETS for v in graph.objects(box, facet)}
        if len(facets) < len(boxes):
            raise OntologyError("a facet of the datatype is not known", where=where, hint=", ".join(curie(f) for f in _FACETS))
        return base.value if isinstance(base, ox.NamedNode) else "", frozenset(), tuple(sorted(facets))
    if not isinstance(range_, ox.NamedNode):
        raise OntologyError("a data range is a datatype, a value set or a restricted datatype", where=where)
    for definition in graph.objects(range_, OWL.equivalentClass):
        if definition in (range_, *above):
            raise OntologyError(f"{name(definition)} is defined by itself", where=where)
        return _data_range(graph, definition, where=where, above=(range_, *above))
    if range_.value.startswith(str(XSD)) or range_.value in _LANGUAGE_DATATYPES:
        return range_.value, frozenset(), ()
    if RDFS.Datatype not in graph.iris(range_, RDF.type):
        if namespace(range_.value) not in graph.own:
            return RDFS.Literal, frozenset(), ()  # a datatype of another vocabulary: nothing says what it admits
        raise OntologyError(f"no such datatype: {curie(range_.value)}", where=where, hint="declare it with `a rdfs:Datatype`")
    return range_.value, frozenset(), ()


def _check_references(graph: Graph, relations: dict[str, Relation]) -> None:
    for relation in relations.values():
        where = graph.where(ox.NamedNode(relation.iri))
        named = {relation.inverse, relation.canonical} - {""}
        for iri in sorted(named | relation.licenses | relation.not_taken_for | relation.required_qualifiers | relation.disjoint):
            require(iri, relations, "relation", where)
        if relation.symmetric and relation.domain != relation.range:
            raise OntologyError("a symmetric relation has one class at both ends", where=where)


def _check_further_ends(graph: Graph, relations: dict[str, Relation], classes: dict[str, Class]) -> None:
    """Raise OntologyError for a kg:alsoFrom or kg:alsoTo that names no class, or whose end is not restricted: there it has no effect."""
    for relation in relations.values():
        for predicate, further, end in ((KG.alsoFrom, relation.also_from, relation.domain), (KG.alsoTo, relation.also_to, relation.range)):
            where = graph.where(ox.NamedNode(relation.iri), predicate)
            for iri in sorted(further):
                require(iri, classes, "class", where)
            if further and not end:
                missing = "rdfs:domain" if predicate == KG.alsoFrom else "a class as rdfs:range"
                raise OntologyError(
                    f"{curie(predicate)} has no effect on {curie(relation.iri)} without {missing}", where=where, hint="remove it"
                )


def _stored(relations: dict[str, Relation]) -> dict[str, Relation]:
    """The relations with one of each pair of inverses stored as the other.

    Where no kg:storedAs says which, it is the one that states owl:inverseOf; where both do, the one with the greater IRI.
    """
    oriented = dict(relations)
    targets = {relation.canonical for relation in relations.values()}
    for iri, relation in sorted(relations.items()):
        other = oriented.get(relation.inverse)
        if other is None or oriented[iri].canonical or other.canonical:
            continue
        turned, stored = (other.iri, iri) if other.inverse == iri and iri < other.iri else (iri, other.iri)
        if turned == stored or turned in targets or relation.is_literal or other.is_literal:
            oriented[iri] = replace(oriented[iri], inverse="")
            continue
        targets.add(stored)
        oriented[turned] = replace(oriented[turned], canonical=stored, inverse=stored)
    return oriented


def _turned(graph: Graph, relations: dict[str, Relation]) -> dict[str, Relation]:
    """The relations with their inverses linked both ways; each of a pair takes names and ends from the other where it states none."""
    relations = _stored(relations)
    linked = dict(relations)
    for iri, relation in sorted(relations.items()):
        stored = relations.get(relation.canonical)
        if not stored:
            continue
        if stored.canonical or stored.is_literal or relation.is_literal:
            raise OntologyError(f"{curie(relation.iri)} cannot be stored as {curie(stored.iri)}", where=graph.where(ox.NamedNode(iri), KG.storedAs),
                                hint="kg:storedAs names a relation between entities that is stored itself")  # fmt: skip
        names = tuple(dict.fromkeys((*relation.labels, *relation.alt_labels, *linked[stored.iri].inverse_labels)))
        linked[stored.iri] = replace(linked[stored.iri], inverse=relation.iri, inverse_labels=names)
        linked[relation.iri] = replace(
            relation,
            inverse=stored.iri,
            inverse_labels=tuple(dict.fromkeys((*stored.labels, *stored.alt_labels, *relation.inverse_labels))),
            domain=relation.domain or stored.range,
            range=relation.range or stored.domain,
            also_from=relation.also_from or stored.also_to,
            also_to=relation.also_to or stored.also_from,
            functional=False,
        )
    return linked


def _narrowed(graph: Graph, relations: dict[str, Relation], schema: Schema) -> dict[str, Relation]:
    """The relations with the ends of their superproperties: a subproperty keeps its own only where they are narrower."""
    narrowed: dict[str, Relation] = {}
    for iri in topmost_first(graph, {iri: relation.parents for iri, relation in relations.items()}, RDFS.subPropertyOf):
        relation = relations[iri]
        where = graph.where(ox.NamedNode(iri), RDFS.subPropertyOf)
        for above in (narrowed[parent] for parent in sorted(relation.parents)):
            if above.is_literal != relation.is_literal:
                raise OntologyError(f"cannot be a subproperty of {curie(above.iri)}: one has literals, one entities", where=where)
            relation = replace(
                relation,
                domain=_both(relation, above, RDFS.domain, schema, where),
                range=_both(relation, above, RDFS.range, schema, where),
                functional=relation.functional or above.functional,
            )
        narrowed[iri] = relation
    return narrowed


def _both(relation: Relation, above: Relation, axiom: str, schema: Schema, where: str) -> frozenset[str]:
    """The classes that fit both the domain (or range) of a property and that of a superproperty.

    The property keeps its own where neither lies below the other: there is no class for their intersection. That, or a wider end, is
    an error if all terms are of one namespace, so of one author; between vocabularies both hold, as in FIBO.
    """
    own, theirs = (property_.domain if axiom == RDFS.domain else property_.range for property_ in (relation, above))
    if not own or not theirs or all(schema.is_a([c], theirs) for c in own):
        return own or theirs
    if len({namespace(iri) for iri in (relation.iri, above.iri, *own, *theirs)}) == 1:
        raise OntologyError(f"its domain or range is wider than that of {curie(above.iri)}", where=where, hint="narrow it, or widen that")
    fitting = {c for c in own if schema.is_a([c], theirs)} | {c for c in theirs if schema.is_a([c], own)}
    if not fitting and all(schema.disjoint(a, b) for a in own for b in theirs):
        what = f"nothing fits its {curie(axiom)} and that of {curie(above.iri)}: their classes are disjoint"
        raise OntologyError(what, where=where, hint="correct one of the two")
    return frozenset(fitting) or own
