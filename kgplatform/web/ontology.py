"""Classes and relations: what the ontology declares of each, how much the caller sees of it, and examples."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from flask import Blueprint, abort, render_template, request

from ..query.facts import Stored, shown
from ..query.naming import names_of
from ..query.statistics import class_extents, facts_of_relation, members, relation_sizes
from ..schema import Relation, Schema
from ..terms import RDF, RDFS, XSD, curie
from ..views.view import View
from .callers import view_for_request
from .rendering import dated, full_iri
from .replies import FARTHEST

blueprint = Blueprint("ontology", __name__)

PAGE: Final = 50
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


@blueprint.get("/ontology")
def overview() -> str:
    """Every class below the classes that it is a kind of, and every relation, with how much there is of each."""
    view = view_for_request()
    relations = relation_sizes(view)
    rows = sorted(
        ((view.schema.label(iri), iri, relations.get(view.schema.canonical(iri)[0], 0), _ends(view, iri)) for iri in view.schema.relations),
        key=lambda row: (row[0].casefold(), row[1]),
    )
    return render_template(
        "ontology.html",
        tree=_tree(view.schema),
        sizes=class_extents(view),
        label_of=view.schema.label,
        used=[row for row in rows if row[2]],
        unused=[row for row in rows if not row[2]],
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


@blueprint.get("/class/<path:name>")
def one_class(name: str) -> str:
    view = view_for_request()
    iri = full_iri(name)
    declared = view.schema.classes.get(iri)
    if declared is None:
        abort(404)
    below = sorted(view.schema.descendants(iri) - {iri})
    sizes = class_extents(view)
    offset = _offset()
    found = members(view, iri, limit=PAGE + 1, offset=offset)
    names = names_of(view, found)
    return render_template(
        "class.html",
        declared=declared,
        label=view.schema.label(iri),
        short=curie(iri),
        above=sorted(view.schema.ancestors(iri) - {iri}),
        below=below,
        size=sizes.get(iri, 0),
        sizes=sizes,
        label_of=view.schema.label,
        examples=[(each, names[each]) for each in found[:PAGE]],
        leaving=sorted(r.iri for r in view.schema.relations.values() if r.domain & view.schema.ancestors(iri)),
        arriving=sorted(r.iri for r in view.schema.relations.values() if r.range & view.schema.ancestors(iri)),
        offset=offset,
        next=offset + PAGE if len(found) > PAGE else None,
    )


@blueprint.get("/relation/<path:name>")
def relation(name: str) -> str:
    view = view_for_request()
    iri = full_iri(name)
    declared = view.schema.relations.get(iri)
    if declared is None:
        abort(404)
    stored, is_turned = view.schema.canonical(iri)
    offset = _offset()
    found = facts_of_relation(view, stored, limit=PAGE + 1, offset=offset)
    return render_template(
        "relation.html",
        declared=declared,
        label=view.schema.label(iri),
        inverse=view.schema.inverse_label(iri),
        short=curie(iri),
        stored=stored if is_turned else "",
        label_of=view.schema.label,
        value=kind_of_value(declared),
        size=relation_sizes(view).get(stored, 0),
        traits=_traits(declared),
        examples=_told(view, found[:PAGE]),
        offset=offset,
        next=offset + PAGE if len(found) > PAGE else None,
    )


def _offset() -> int:
    return max(0, min(request.args.get("from", 0, type=int), FARTHEST))


def _ends(view: View, iri: str) -> str:
    """`component to team`, in the labels of the classes."""
    declared = view.schema.relations[iri]
    domain = " or ".join(sorted(view.schema.label(c) for c in declared.domain)) or "anything"
    range_ = kind_of_value(declared) if declared.is_literal else " or ".join(sorted(view.schema.label(c) for c in declared.range))
    return f"{domain} → {range_ or 'anything'}"


def kind_of_value(declared: Relation) -> str:
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


def _told(view: View, facts: list[Stored]) -> list[dict[str, Any]]:
    names = names_of(view, {f.subject for f in facts} | {f.object.value for f in facts if "NamedNode" in type(f.object).__name__})
    return [
        {
            "subject": {"iri": f.subject, "label": names[f.subject]},
            "object": dated(
                view.schema,
                f.relation,
                {"iri": f.object.value if f.object.value in names else "", "label": names.get(f.object.value, shown(f.object))},
            ),
        }
        for f in facts
    ]
