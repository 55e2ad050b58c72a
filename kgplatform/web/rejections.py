"""Rejecting what was accepted and is wrong, and the list of what was decided: pages for stewards, and the same through the API."""

from __future__ import annotations

from typing import Final

from flask import Blueprint, Response, flash, redirect, render_template, request, url_for

from ..browse.labels import node_label
from ..curation.rejections import described
from .callers import current_principal, graph_for_request, needs_role, settings, view_for_request
from .parameters import body, parameters
from .replies import FARTHEST, as_json, paged
from .request_forms import DecisionsForm, RejectForm, TakeBackForm

blueprint = Blueprint("rejections", __name__, url_prefix="/steward")
PAGE: Final = 100


# -- the API


def reject() -> Response:
    """Reject a claim, or all of a document, with a reason; the decision."""
    return as_json(graph_for_request().reject(**body(RejectForm).to_dict()).to_dict())


def unreject() -> Response:
    """Take the rejection of a claim, or of all of a document, back; the decision that ended."""
    return as_json(graph_for_request().unreject(**body(TakeBackForm).to_dict()).to_dict())


def decisions() -> Response:
    """What was decided, newest first."""
    asked = parameters(DecisionsForm)
    rows = graph_for_request().decisions(ended=asked.ended)
    page = [row.to_dict() for row in rows[asked.offset : asked.offset + asked.limit + 1]]
    return paged(page, limit=asked.limit, offset=asked.offset, most=FARTHEST)


# -- pages


@blueprint.get("/decisions")
@needs_role("steward")
def listed() -> str:
    """Every decision that the caller may see, those that were taken back too."""
    offset = max(0, min(request.args.get("from", 0, type=int), FARTHEST))
    rows = graph_for_request().decisions(ended=True)
    following = offset + PAGE if len(rows) > offset + PAGE else None
    return render_template("decisions.html", rows=rows[offset : offset + PAGE], offset=offset, next=following, spoken=_spoken)


@blueprint.get("/reject")
@needs_role("steward")
def asked() -> str:
    """The form that asks for the reason."""
    claim, document = request.args.get("claim", ""), request.args.get("document", "")
    about = described(settings(), current_principal(), claim=claim, document=document)
    return render_template("reject.html", about=about, claim=claim, document=document, spoken=_spoken)


@blueprint.post("/reject")
@needs_role("steward")
def rejected() -> Response:
    """Reject what the form names, for the reason that it gives."""
    form = {name: request.form.get(name, "") for name in ("claim", "document", "reason")}
    made = graph_for_request().reject(form["claim"], document=form["document"], reason=form["reason"])
    flash(f"Rejected. It is decision {made.decision}; it can be taken back here.")
    return redirect(url_for("rejections.listed"), 303)  # type: ignore[return-value]


@blueprint.post("/reject/undo")
@needs_role("steward")
def taken_back() -> Response:
    """Take back the rejection whose decision the form names."""
    ended = graph_for_request().undo_rejection(request.form.get("decision", 0, type=int))
    flash(f"Taken back: decision {ended.decision}.")
    return redirect(url_for("rejections.listed"), 303)  # type: ignore[return-value]


def _spoken(node: str) -> str:
    """A node of a claim for people."""
    return node_label(view_for_request(), node)
