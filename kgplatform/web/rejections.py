"""Rejecting what was accepted and is wrong, and the list of what was decided: pages for stewards, and the same through the API."""

from __future__ import annotations

from typing import Final

from flask import Blueprint, Response, flash, redirect, render_template, request, url_for

from ..curation import rejections
from ..query.naming import names_of
from ..terms import class_iri, entity_iri, is_class, is_entity, is_literal, literal_value
from .callers import current_principal, ledger_for_request, needs_role, open_writer, view_for_request
from .parameters import body, parameters
from .replies import FARTHEST, as_json, paged
from .request_forms import DecisionsForm, RejectForm, TakeBackForm

blueprint = Blueprint("rejections", __name__, url_prefix="/steward")
PAGE: Final = 100


# -- the API


def reject() -> Response:
    """Reject a claim, or all of a document, with a reason; the decision."""
    asked = body(RejectForm)
    with open_writer() as writer:
        return as_json(rejections.reject(writer, current_principal(), **asked.to_dict()).to_dict())


def unreject() -> Response:
    """Take the rejection of a claim, or of all of a document, back; the decision that ended."""
    asked = body(TakeBackForm)
    with open_writer() as writer:
        return as_json(rejections.take_back(writer, current_principal(), **asked.to_dict()).to_dict())


def decisions() -> Response:
    """What was decided, newest first."""
    asked = parameters(DecisionsForm)
    rows = rejections.decided(ledger_for_request(), current_principal(), ended=asked.ended)
    page = [row.to_dict() for row in rows[asked.offset : asked.offset + asked.limit + 1]]
    return paged(page, limit=asked.limit, offset=asked.offset, most=FARTHEST)


# -- pages


@blueprint.get("/decisions")
@needs_role("steward")
def listed() -> str:
    """Every decision that the caller may see, those that were taken back too."""
    offset = max(0, min(request.args.get("from", 0, type=int), FARTHEST))
    rows = rejections.decided(ledger_for_request(), current_principal(), ended=True)
    following = offset + PAGE if len(rows) > offset + PAGE else None
    return render_template("decisions.html", rows=rows[offset : offset + PAGE], offset=offset, next=following, spoken=_spoken)


@blueprint.get("/reject")
@needs_role("steward")
def asked() -> str:
    """The form that asks for the reason."""
    claim, document = request.args.get("claim", ""), request.args.get("document", "")
    about = rejections.described(ledger_for_request(), current_principal(), claim=claim, document=document)
    return render_template("reject.html", about=about, claim=claim, document=document, spoken=_spoken)


@blueprint.post("/reject")
@needs_role("steward")
def rejected() -> Response:
    form = {name: request.form.get(name, "") for name in ("claim", "document", "reason")}
    with open_writer() as writer:
        made = rejections.reject(writer, current_principal(), **form)
    flash(f"Rejected. It is decision {made.decision}; it can be taken back here.")
    return redirect(url_for("rejections.listed"), 303)  # type: ignore[return-value]


@blueprint.post("/reject/undo")
@needs_role("steward")
def taken_back() -> Response:
    with open_writer() as writer:
        ended = rejections.end(writer, current_principal(), request.form.get("decision", 0, type=int))
    flash(f"Taken back: decision {ended.decision}.")
    return redirect(url_for("rejections.listed"), 303)  # type: ignore[return-value]


def _spoken(node: str) -> str:
    """A node of a claim for people."""
    if is_literal(node):
        return literal_value(node)
    view = view_for_request()
    if is_class(node):
        return view.schema.label(class_iri(node))
    if is_entity(node):
        iri = entity_iri(view.base, node)
        return names_of(view, [iri])[iri]
    return node
