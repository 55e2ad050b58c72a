"""The ontology as it is declared, and how much of it a view holds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from ..query.entity_names import names_of
from ..query.facts import Stored, shown
from ..query.statistics import class_extents, class_sizes, facts_of_relation, members, relation_sizes
from ..results import End
from ..schema import Relation, Schema
from ..terms import RDF, RDFS, XSD, curie
from ..views.view import View

_KINDS: Final = {
    **dict.fromkeys((XSD.string, RDF.langString, RDF.PlainLiteral), "text"),
    **dict.fromkeys((XSD.integer, XSD.nonNegativeInteger, XSD.positiveInteger, XSD.int, XSD.long), "whole number"),
    **dict.fromkeys((XSD.decimal, XSD.double, XSD.float), "number"),
    XSD.date: "date",
    XSD.dateTime: "date and time",
    XSD.gYear: "year",
    XSD.boolean: "yes or no",
    XSD.anyURI: "address",
    RDFS.Literal: "any value",
}
"""Datatypes in words."""


class RelationRow(NamedTuple):
    """A relation in a list: `ends` is `component → team`, in labels of classes; `facts` is how many hold."""

    label: str
    iri: str
    facts: int
    ends: str


class Overview(NamedTuple):
    """`tree` has every class with its depth, each below a class that it is a kind of; `sizes` how many things are of a class."""

    tree: list[tuple[int, str]]
    sizes: dict[str, int]
    relations: list[RelationRow]


class ClassExtent(NamedTuple):
    """A class with those above and below it (IRIs), the relations that leave and reach it, and some of its `things` (IRI, label)."""

    comment: str
    above: list[str]
    below: list[str]
    leaving: list[str]
    arriving: list[str]
    sizes: dict[str, int]
    things: list[tuple[str, str]]


class RelationExtent(NamedTuple):
    """A relation: `stored` is the one that its facts are kept under, turned round or not; `facts` are some of them."""

    declared: Relation
    stored: str
    is_turned: bool
    value: str
    size: int
    traits: list[str]
    facts: list[tuple[End, End]]


def largest_classes(view: View) -> list[tuple[str, str, int]]:
    """(label, IRI, how many entities are said to be of it) of every class that has some, the largest first."""
    sizes = class_sizes(view)
    rows = ((view.schema.label(iri), iri, size) for iri, size in sizes.items() if iri in view.schema.classes)
    return sorted(rows, key=lambda row: (-row[2], row[0]))


def overview(view: View) -> Overview:
    """Every class and relation; the relations by label."""
    schema, sizes = view.schema, relation_sizes(view)
    rows = (RelationRow(schema.label(iri), iri, sizes.get(schema.canonical(iri)[0], 0), _ends(view, iri)) for iri in schema.relations)
    return Overview(_tree(schema), class_extents(view), sorted(rows, key=lambda row: (row.label.casefold(), row.iri)))


def class_extent(view: View, iri: str, *, limit: int, offset: int) -> ClassExtent | None:
    """A class with a page of its things; None for one that is not declared."""
    declared = view.schema.classes.get(iri)
    if declared is None:
        return None
    above, relations = view.schema.ancestors(iri), view.schema.relations.values()
    found = members(view, iri, limit=limit, offset=offset)
    names = names_of(view, found)
    return ClassExtent(
        comment=declared.comment,
        above=sorted(above - {iri}),
        below=sorted(view.schema.descendants(iri) - {iri}),
        leaving=sorted(relation.iri for relation in relations if relation.domain & above),
        arriving=sorted(relation.iri for relation in relations if relation.range & above),
        sizes=class_extents(view),
        things=[(each, names[each]) for each in found],
    )


def relation_extent(view: View, iri: str, *, limit: int, offset: int) -> RelationExtent | None:
    """A relation with a page of its facts, as they are stored; None for one that is not declared."""
    declared = view.schema.relations.get(iri)
    if declared is None:
        return None
    stored, is_turned = view.schema.canonical(iri)
    return RelationExtent(
        declared=declared,
        stored=stored,
        is_turned=is_turned,
        value=_kind_of_value(declared),
        size=relation_sizes(view).get(stored, 0),
        traits=_traits(declared),
        facts=_labelled(view, facts_of_relation(view, stored, limit=limit, offset=offset)),
    )


def _tree(schema: Schema) -> list[tuple[int, str]]:
    """(depth, class), each below a class that it is a kind of, by label."""

    def below(parent: str, depth: int) -> Iterator[tuple[int, str]]:
        for iri in sorted(children.get(parent, ()), key=lambda c: (schema.label(c).casefold(), c)):
            yield depth, iri
            yield from below(iri, depth + 1)

    children: dict[str, list[str]] = {}
    for iri, declared in schema.classes.items():
        children.setdefault(min(declared.parents & schema.classes.keys() - {iri}, default=""), []).append(iri)
    return list(below("", 0))


def _ends(view: View, iri: str) -> str:
    """`component to team`, in the labels of the classes."""
    declared = view.schema.relations[iri]
    domain = " or ".join(sorted(view.schema.label(c) for c in declared.domain)) or "anything"
    range_ = _kind_of_value(declared) if declared.is_literal else " or ".join(sorted(view.schema.label(c) for c in declared.range))
    return f"{domain} → {range_ or 'anything'}"


def _kind_of_value(declared: Relation) -> str:
    return _KINDS.get(declared.datatype, curie(declared.datatype))


def _traits(declared: Relation) -> list[str]:
    said = {
        "one value at a time": declared.functional,
        "holds both ways": declared.symmetric,
        "contains what its parts contain": declared.transitive,
        "never both ways": declared.asymmetric,
        "dates events": declared.is_event_date,
        "takes qualifiers": bool(declared.required_qualifiers),
    }
    return [words for words, holds in said.items() if holds]


def _labelled(view: View, facts: list[Stored]) -> list[tuple[End, End]]:
    names = names_of(view, {f.subject for f in facts} | {f.object.value for f in facts if "NamedNode" in type(f.object).__name__})

    def end(value: str, shown_as: str) -> End:
        return End(iri=value if value in names else None, label=names.get(value, shown_as))

    return [(End(iri=f.subject, label=names[f.subject]), end(f.object.value, shown(f.object))) for f in facts]
