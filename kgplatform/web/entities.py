"""Entities at the paths of their own IRIs: a page for people, triples for programs, neighbours for the drawing."""

from __future__ import annotations

from typing import Any, Final
from urllib.parse import urlencode

import pyoxigraph as ox
from flask import Blueprint, Response, abort, jsonify, redirect, render_template, request, url_for

from ..answer.entity import EntityWithSources, entity, entity_with_sources
from ..browse.entities import triples
from ..model import CitedClaim
from ..results import AmbiguousEntity, Entity
from ..terms import entity_iri
from ..times import shown_instant
from ..views.view import View
from .callers import view_for_request
from .drawing import anchor, neighbour_graph
from .problems import HttpProblem
from .rendering import dated, entity_href, full_iri
from .replies import best_match
from .timeline import Scale

blueprint = Blueprint("entities", __name__)

HTML: Final = "text/html"
FORMATS: Final = {
    "turtle": ("text/turtle", ox.RdfFormat.TURTLE),
    "ntriples": ("application/n-triples", ox.RdfFormat.N_TRIPLES),
    "jsonld": ("application/ld+json", ox.RdfFormat.JSON_LD),
    "rdfxml": ("application/rdf+xml", ox.RdfFormat.RDF_XML),
}
_SHOWN: Final = 12
_MOST: Final = 200
"""Facts of one relation that stand open, and that the page has at all: those between are behind a fold, those beyond in the triples."""


@blueprint.get("/id/<scheme>/<path:identifier>")
def at_iri(scheme: str, identifier: str) -> Response:
    """The entity of this IRI, as the caller prefers it; what the caller may not see is the same as what is not there."""
    view = view_for_request()
    return _answered(view, entity_with_sources(view, entity_iri(view.base, f"{scheme}:{identifier}")))


@blueprint.get("/entity")
def by_name() -> Response:
    """The entity of a name, key or IRI: at its own path where it has one here."""
    view = view_for_request()
    name = request.args.get("name", "").strip()
    if not name:
        return redirect(url_for("pages.home"))  # type: ignore[return-value]
    found = entity_with_sources(view, name)
    if isinstance(found, AmbiguousEntity):
        return Response(render_template("candidates.html", found=found))
    own = entity_href(found.entity.iri)
    if own.startswith(url_for("entities.by_name")):
        return _answered(view, found)
    more = urlencode([(name, value) for name, value in request.args.items(multi=True) if name != "name"])
    return redirect(f"{own}?{more}" if more else own, 303)  # type: ignore[return-value]


@blueprint.get("/neighbours")
def neighbours() -> Response:
    """What is drawn around one entity, as JSON."""
    view = view_for_request()
    found = entity(view, request.args.get("iri", ""))
    if isinstance(found, AmbiguousEntity):  # a name of several
        abort(404)
    return jsonify(neighbour_graph(found, view))


def _answered(view: View, found: EntityWithSources | AmbiguousEntity) -> Response:
    if isinstance(found, AmbiguousEntity):  # the IRI of nothing, yet a name of several
        abort(404)
    wanted = request.args.get("format", "")
    if wanted and wanted not in FORMATS:
        raise HttpProblem("bad-parameter", f"there is no format {wanted[:40]!r}", hint=f"one of {', '.join(FORMATS)}")
    offered = [HTML, *(media for media, _ in FORMATS.values())]
    chosen = FORMATS[wanted][0] if wanted else best_match(offered) if request.accept_mimetypes else HTML
    if chosen is None:
        abort(406, f"An entity is given as one of {', '.join(offered)}.")
    made = Response(_page(view, found)) if chosen == HTML else _triples(view, found.entity, chosen)
    made.vary.add("Accept")
    return made


def _triples(view: View, found: Entity, media: str) -> Response:
    body = triples(view, found.iri, next(form for name, form in FORMATS.values() if name == media))
    return Response(body, content_type=f"{media}; charset=utf-8" if media.startswith("text/") else media)


def _source(citation: CitedClaim) -> dict[str, Any]:
    return {
        "document": citation.document,
        "version": citation.version,
        "start": citation.start,
        "end": citation.end,
        "quote": citation.quote,
        "trust": citation.trust,
        "note": citation.note,
        "line": citation.line,
        "dated": shown_instant(citation.dated) if citation.dated else "",
    }


def _page(view: View, found: EntityWithSources) -> str:
    entity, sources = found
    told = entity.to_dict()["groups"]
    facts = [fact for group in told for fact in group["facts"]]
    scale = Scale.over(facts, view.valid_at)
    groups = [
        {
            **group,
            "iri": full_iri(group["relation"]),
            "anchor": anchor(shown),
            "size": len(group["facts"]),
            "facts": [
                {
                    **fact,
                    "other": dated(view, full_iri(group["relation"]), fact["other"]),
                    "bar": scale.bar(fact),
                    "sources": [_source(each) for each in sources.get(fact["assertion"], ())],
                }
                for fact in group["facts"][:_MOST]
            ],
        }
        for shown, group in zip(entity.groups, told, strict=True)
    ]
    return render_template(
        "entity.html",
        found=entity,
        outgoing=[group for group in groups if not group["is_turned"]],
        incoming=[group for group in groups if group["is_turned"]],
        count=len(facts),
        documents=sorted({citation.document for citations in sources.values() for citation in citations}),
        graph=neighbour_graph(entity, view),
        scale=scale,
        shown=_SHOWN,
        most=_MOST,
        formats=list(FORMATS),
    )
