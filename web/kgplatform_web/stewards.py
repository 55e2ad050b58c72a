"""For stewards: the validation report, what the gate refused, where sources disagree, and what came in."""

from __future__ import annotations

from collections import Counter
from itertools import groupby
from typing import Final

from flask import Blueprint, Response, abort, flash, redirect, render_template, request, url_for

from kgplatform.ledger.decisions import DecisionRow, in_force
from kgplatform.ledger.shelf import arrivals, releases
from kgplatform.query.naming import names_of
from kgplatform.review import Refused, conflicts, discard, quarantined, refused_claim, retry
from kgplatform.terms import entity_iri, is_entity, is_literal, literal_value
from kgplatform.validate.report import KINDS, validate_graph

from .callers import current_principal, ledger_for_request, needs_role, open_writer, stated_instant, view_for_request
from .excerpts import excerpts

blueprint = Blueprint("stewards", __name__, url_prefix="/steward")

PAGE: Final = 100
FIRST: Final = 8
"""Claims of each cause that the overview of the quarantine shows."""
CAUSES: Final = {
    "unknown-relation": "No declared relation fits what the source says.",
    "unknown-class": "The class is not declared.",
    "unknown-subject-type": "Nothing says what the subject is.",
    "unknown-object-type": "Nothing says what the object is.",
    "wrong-subject-type": "The relation does not start at things of this class.",
    "wrong-object-type": "The relation does not lead to things of this class.",
    "swapped": "It would fit with subject and object turned round.",
    "malformed-value": "The value is not of the datatype.",
    "missing-qualifier": "The relation needs a qualifier that is not there.",
    "shape": "A shape that looks at one fact refuses it.",
}


@blueprint.get("/report")
@needs_role("steward")
def report() -> str:
    """All shapes over what the caller sees."""
    view = view_for_request()
    found = validate_graph(view.triples("full"), view.schema)
    iris = {row.focus[1:-1] for row in found.rows if row.focus.startswith(f"<{view.base}id/")}
    return render_template(
        "report.html",
        report=found,
        groups=[(kind, found.of_kind(kind)) for kind in KINDS],
        names=names_of(view, iris),
        looked_at=sorted(
            ((found.shapes.name(shape), count) for shape, count in found.looked_at.items()), key=lambda row: (-row[1], row[0])
        ),
    )


@blueprint.get("/conflicts")
@needs_role("steward")
def disagreements() -> str:
    view = view_for_request()
    return render_template("conflicts.html", conflicts=conflicts(view, at=stated_instant()))


@blueprint.get("/history")
@needs_role("steward")
def history() -> str:
    """What was read of the documents that the caller may see; the journal itself counts hidden ones too."""
    offset = max(0, min(request.args.get("from", 0, type=int), 10_000_000))
    ledger = ledger_for_request()
    rows = arrivals(ledger, view_for_request().audience, limit=PAGE + 1, offset=offset)
    days = [(recorded, list(same)) for recorded, same in groupby(rows[:PAGE], key=lambda row: row.recorded)]
    return render_template(
        "history.html", days=days, releases=releases(ledger)[:20], offset=offset, next=offset + PAGE if len(rows) > PAGE else None
    )


# -- quarantine


@blueprint.get("/quarantine")
@needs_role("steward")
def quarantine() -> str:
    """Refused claims, by cause."""
    view = view_for_request()
    rows = quarantined(view)
    chosen = request.args.get("reason", "")
    offset = max(0, min(request.args.get("from", 0, type=int), 10_000_000))
    shown = [row for row in rows if not chosen or row.code == chosen]
    return render_template(
        "quarantine.html",
        counts=Counter(row.code for row in rows).most_common(),
        total=len(rows),
        chosen=chosen,
        groups=_page(shown[offset : offset + PAGE]) if chosen else _first_of_each(shown),
        causes=CAUSES,
        spoken=_spoken,
        label_of=view.schema.label,
        discarded=_discarded(),
        offset=offset,
        next=offset + PAGE if chosen and len(shown) > offset + PAGE else None,
    )


def _page(rows: list[Refused]) -> list[tuple[str, list[Refused]]]:
    return [(code, list(same)) for code, same in groupby(rows, key=lambda row: row.code)]


def _first_of_each(rows: list[Refused]) -> list[tuple[str, list[Refused]]]:
    return [(code, same[:FIRST]) for code, same in _page(rows)]


@blueprint.get("/quarantine/<claim>")
@needs_role("steward")
def one_refused(claim: str) -> str:
    view = view_for_request()
    found = refused_claim(view, claim)
    return render_template(
        "refused.html",
        one=found,
        told=found.as_json(),
        excerpt=excerpts([{"version": found.citation.version, **found.as_json()}])[0],
        cause=CAUSES.get(found.code, ""),
        spoken=_spoken,
        label=view.schema.label(found.fact.relation),
    )


def _spoken(node: str) -> str:
    """A node of a claim for people: a literal's value, a key's identifier."""
    if is_literal(node):
        return literal_value(node)
    if is_entity(node):
        view = view_for_request()
        iri = entity_iri(view.base, node)
        return names_of(view, [iri])[iri]
    return node


def _discarded() -> list[DecisionRow]:
    """The discards in force that rest on documents which the caller may see."""
    audience = view_for_request().audience
    return [row for row in in_force(ledger_for_request()) if row.decision.kind == "refuse" and row.decision.scopes <= audience]


@blueprint.post("/quarantine/<claim>/discard")
@needs_role("steward")
def discard_refused(claim: str) -> Response:
    found = refused_claim(view_for_request(), claim)
    with open_writer() as writer:
        made = discard(writer, found, by=current_principal().name)
    flash(f"Discarded. It is decision {made}; you can bring it back below.")
    return redirect(url_for("stewards.quarantine"), 303)  # type: ignore[return-value]


@blueprint.post("/quarantine/retry")
@needs_role("steward")
def judge_again() -> Response:
    """Judge everything again by the packs as they are now; a discard that is named ends first."""
    named = request.form.get("decision", "")
    chosen = [row.id for row in _discarded() if str(row.id) == named]
    if named and not chosen:
        abort(404)
    before = len(quarantined(view_for_request()))
    with open_writer() as writer:
        changed = retry(writer, chosen)
    flash(f"Judged again{', by a changed ontology' if changed else ''}: {before} claims were in quarantine before.")
    return redirect(url_for("stewards.quarantine"), 303)  # type: ignore[return-value]
