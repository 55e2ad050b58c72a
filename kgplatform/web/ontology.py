"""Classes and relations: what the ontology declares of each, how much the caller sees of it, and examples."""

from __future__ import annotations

from typing import Final

from flask import Blueprint, abort, render_template, request

from ..browse import ontology
from ..terms import curie
from .callers import view_for_request
from .rendering import dated, full_iri
from .replies import FARTHEST

blueprint = Blueprint("ontology", __name__)

PAGE: Final = 50


@blueprint.get("/ontology")
def overview() -> str:
    """Every class below the classes that it is a kind of, and every relation, with how much there is of each."""
    view = view_for_request()
    found = ontology.overview(view)
    return render_template(
        "ontology.html",
        tree=found.tree,
        sizes=found.sizes,
        label_of=view.schema.label,
        used=[row for row in found.relations if row.facts],
        unused=[row for row in found.relations if not row.facts],
    )


@blueprint.get("/class/<path:name>")
def one_class(name: str) -> str:
    """A class, and what there is of it, page by page."""
    view, iri, offset = view_for_request(), full_iri(name), _offset()
    found = ontology.class_extent(view, iri, limit=PAGE + 1, offset=offset)
    if found is None:
        abort(404)
    return render_template(
        "class.html",
        declared=found,
        label=view.schema.label(iri),
        short=curie(iri),
        above=found.above,
        below=found.below,
        size=found.sizes.get(iri, 0),
        sizes=found.sizes,
        label_of=view.schema.label,
        examples=found.things[:PAGE],
        leaving=found.leaving,
        arriving=found.arriving,
        offset=offset,
        next=offset + PAGE if len(found.things) > PAGE else None,
    )


@blueprint.get("/relation/<path:name>")
def relation(name: str) -> str:
    """A relation, and the facts of it, page by page."""
    view, iri, offset = view_for_request(), full_iri(name), _offset()
    found = ontology.relation_extent(view, iri, limit=PAGE + 1, offset=offset)
    if found is None:
        abort(404)
    shown = [{"subject": s.to_dict(), "object": dated(view, found.stored, o.to_dict())} for s, o in found.facts[:PAGE]]
    return render_template(
        "relation.html",
        declared=found.declared,
        label=view.schema.label(iri),
        inverse=view.schema.inverse_label(iri),
        short=curie(iri),
        stored=found.stored if found.is_turned else "",
        label_of=view.schema.label,
        value=found.value,
        size=found.size,
        traits=found.traits,
        examples=shown,
        offset=offset,
        next=offset + PAGE if len(found.facts) > PAGE else None,
    )


def _offset() -> int:
    return max(0, min(request.args.get("from", 0, type=int), FARTHEST))
