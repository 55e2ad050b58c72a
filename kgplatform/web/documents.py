"""Documents: the text as it was read, with what was taken from it marked in place. Only for who may read the document."""

from __future__ import annotations

from typing import Any, Final

from flask import Blueprint, abort, render_template, request

from ..answer.bounds import since_words, until_words
from ..curation.rejections import rejections
from ..ledger.decisions import DecisionRow
from ..ledger.document_views import Shelved, Version, claims_said, listed, passages, shelved
from ..model import CitedClaim, Fact
from ..query.naming import canonicals, names_of
from ..query.statistics import refusals
from ..terms import class_iri, entity_iri, is_class, is_entity, is_literal, literal_value
from ..views.view import View
from .callers import has_role, ledger_for_request, view_for_request
from .excerpts import original_text, pieces

blueprint = Blueprint("documents", __name__)

PAGE: Final = 200
WINDOW: Final = 40_000
"""Characters of a document that one page shows."""


@blueprint.get("/documents")
def every() -> str:
    """The documents that the caller may read."""
    found = listed(ledger_for_request(), view_for_request().audience)
    offset = max(0, request.args.get("from", 0, type=int))
    following = offset + PAGE if len(found) > offset + PAGE else None
    return render_template("documents.html", documents=found[offset : offset + PAGE], count=len(found), offset=offset, next=following)


@blueprint.get("/document/<collection>/<path:name>")
def document(collection: str, name: str) -> str:
    """One version of a document; hidden and absent documents are the same 404."""
    view = view_for_request()
    found = shelved(ledger_for_request(), collection, name, view.audience)
    version = _version(found)
    if found is None or version is None:
        abort(404)
    text = original_text(version.hash)
    if text is None:
        abort(404)
    said = view.claims(claims_said(ledger_for_request(), found.id, version.hash))
    rejected = rejections(ledger_for_request(), found.name, {claim: fact for claim, (fact, _cited) in said.items()})
    if not has_role("steward"):
        said = {claim: pair for claim, pair in said.items() if claim not in rejected}
    refused = {**refusals(view, said), **{claim: _rejected(row) for claim, row in rejected.items() if claim in said}}
    focus = (request.args.get("start", 0, type=int), request.args.get("end", 0, type=int))
    first = _first(len(text), focus)
    window = (first, min(len(text), first + WINDOW))
    read = passages(ledger_for_request(), found.id, version.hash)
    spans = [(cited.start, cited.end, claim) for claim, (_, cited) in said.items()]
    return render_template(
        "document.html",
        found=found,
        version=version,
        is_newest=version == found.versions[-1],
        passages=len(read),
        pieces=pieces(text, spans, passages=read, refused=refused, focus=focus, window=window),
        claims=_told(view, {c: pair for c, pair in said.items() if pair[1].start < window[1] and pair[1].end > first}, refused),
        count=len(said),
        window=window,
        length=len(text),
        rejected=rejected,
        step=WINDOW,
    )


def _rejected(row: DecisionRow) -> str:
    return f"rejected by {row.by}: {row.reason}" if row.reason else f"discarded by {row.by}"


def _version(found: Shelved | None) -> Version | None:
    """The version whose hash begins as asked, or the newest."""
    if found is None or not found.versions:
        return None
    asked = request.args.get("version", "")
    if not asked:
        return found.versions[-1]
    return next((each for each in found.versions if len(asked) >= 8 and each.hash.startswith(asked)), None)


def _first(length: int, focus: tuple[int, int]) -> int:
    """Where the page's part of the text begins: as asked, or so that the focus is on it."""
    asked = request.args.get("from", -1, type=int)
    if asked < 0:
        asked = focus[0] // WINDOW * WINDOW if focus[1] > focus[0] else 0
    return max(0, min(asked, length - 1))


def _told(view: View, said: dict[str, tuple[Fact, CitedClaim]], refused: dict[str, str]) -> list[dict[str, Any]]:
    """The claims in words, in the order of the text."""
    keys = {node for fact, _ in said.values() for node in (fact.subject, fact.object) if is_entity(node)}
    iris = {key: entity_iri(view.base, key) for key in keys}
    known = canonicals(view, iris.values())
    names = names_of(view, known.values())

    def end(node: str, *, is_linked: bool) -> dict[str, str]:
        if is_literal(node):
            return {"label": literal_value(node), "iri": ""}
        if is_class(node):
            return {"label": view.schema.label(class_iri(node)), "iri": ""}
        iri = known[iris[node]]
        return {"label": names[iri], "iri": iri if is_linked else ""}

    def row(claim: str, fact: Fact, cited: CitedClaim) -> dict[str, Any]:
        is_taken = claim not in refused
        when = " ".join(part for part in (since_words(fact.start) if fact.start else "", until_words(fact.end) if fact.end else "") if part)
        return {
            "id": claim,
            "subject": end(fact.subject, is_linked=is_taken),
            "relation": view.schema.label(fact.relation),
            "object": end(fact.object, is_linked=is_taken),
            "positive": fact.positive,
            "when": when,
            "trust": cited.trust,
            "extractor": cited.extractor,
            "note": cited.note,
            "refused": refused.get(claim, ""),
            "start": cited.start,
        }

    rows = [row(claim, fact, cited) for claim, (fact, cited) in said.items()]
    return sorted(rows, key=lambda each: (each["start"], each["relation"], each["id"]))
