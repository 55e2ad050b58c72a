"""For stewards: the validation report, what the gate refused, where sources disagree, and what came in."""

from __future__ import annotations

import json
from collections import Counter
from itertools import groupby
from tempfile import TemporaryFile
from typing import Final

from flask import Blueprint, Response, abort, flash, redirect, render_template, request, url_for

from ..browse.documents import arrivals, releases
from ..browse.excerpts import excerpts
from ..browse.labels import labels, node_label
from ..curation.discards import discards
from ..curation.review import RefusedEvidence, cited_conflicts, quarantined, refused_claim
from ..terms import is_class
from ..views.unread import KINDS, counts, unread
from .callers import current_principal, graph_for_request, needs_role, settings, stated_instant, view_for_request
from .submit import judge_anew
from .subprocesses import printed

blueprint = Blueprint("stewards", __name__, url_prefix="/steward")

REPORTED: Final = ("violation", "conflict", "finding", "defect")
"""The lists of a report (see results.Report), as they follow on its page."""

PAGE: Final = 100
FIRST: Final = 8
"""Claims of each cause that the overview of the quarantine shows."""
CAUSES: Final = {
    "unmapped": "No mapping reads this key or column.",
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
    """All shapes over what the caller sees, as `kgplatform validate` prints it."""
    dates = [f"--valid-at={at}"] if (at := stated_instant()) else []
    with TemporaryFile() as out:
        printed(settings(), out, "validate", f"--as={current_principal().name}", *dates)
        found = json.load(out)
    view = view_for_request()
    groups = [(kind, found[f"{kind}s"]) for kind in REPORTED]
    iris = {row["focus"][1:-1] for _kind, rows in groups for row in rows if row["focus"].startswith(f"<{view.base}id/")}
    looked_at = sorted(found["looked_at"], key=lambda row: (-row["focus_nodes"], row["name"]))
    return render_template("report.html", report=found, groups=groups, names=labels(view, iris), looked_at=looked_at)


@blueprint.get("/conflicts")
@needs_role("steward")
def disagreements() -> str:
    """Where sources disagree."""
    view = view_for_request()
    return render_template("conflicts.html", conflicts=cited_conflicts(view, at=stated_instant()))


@blueprint.get("/history")
@needs_role("steward")
def history() -> str:
    """What was read of the documents that the caller may see; the journal itself counts hidden ones too."""
    offset = max(0, min(request.args.get("from", 0, type=int), 10_000_000))
    view = view_for_request()
    rows = arrivals(view, limit=PAGE + 1, offset=offset)
    days = [(recorded, list(same)) for recorded, same in groupby(rows[:PAGE], key=lambda row: row.recorded)]
    return render_template(
        "history.html", days=days, releases=releases(view)[:20], offset=offset, next=offset + PAGE if len(rows) > PAGE else None
    )


@blueprint.get("/unread")
@needs_role("steward")
def unread_things() -> str:
    """What was read without effect, by kind."""
    rows = unread(view_for_request().notices())
    chosen = request.args.get("kind", "")
    offset = max(0, min(request.args.get("from", 0, type=int), 10_000_000))
    shown = [row for row in rows if row.kind == chosen][offset : offset + PAGE + 1]
    groups = [
        (kind, [row for row in shown[:PAGE] if row.kind == kind] if chosen else [row for row in rows if row.kind == kind][:FIRST])
        for kind in KINDS
    ]
    return render_template(
        "unread.html",
        counts=counts(rows),
        kinds=KINDS,
        chosen=chosen,
        first=FIRST,
        groups=[(kind, same) for kind, same in groups if same],
        offset=offset,
        next=offset + PAGE if len(shown) > PAGE else None,
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
    shown = [row for row in rows if not chosen or row.claim.reason == chosen]
    return render_template(
        "quarantine.html",
        counts=Counter(row.claim.reason for row in rows).most_common(),
        total=len(rows),
        chosen=chosen,
        groups=_page(shown[offset : offset + PAGE]) if chosen else _first_of_each(shown),
        causes=CAUSES,
        spoken=_spoken,
        label_of=view.schema.label,
        discarded=discards(settings(), current_principal().scopes),
        offset=offset,
        next=offset + PAGE if chosen and len(shown) > offset + PAGE else None,
    )


def _page(rows: list[RefusedEvidence]) -> list[tuple[str, list[RefusedEvidence]]]:
    return [(code, list(same)) for code, same in groupby(rows, key=lambda row: row.claim.reason)]


def _first_of_each(rows: list[RefusedEvidence]) -> list[tuple[str, list[RefusedEvidence]]]:
    return [(code, same[:FIRST]) for code, same in _page(rows)]


@blueprint.get("/quarantine/<claim>")
@needs_role("steward")
def one_refused(claim: str) -> str:
    """One refused claim where it stands, with the reason."""
    view = view_for_request()
    found = refused_claim(view, claim)
    return render_template(
        "refused.html",
        one=found,
        told=found.claim.to_dict(),
        excerpt=excerpts(settings(), [{"version": found.citation.version, **found.claim.to_dict()}])[0],
        cause=CAUSES.get(found.claim.reason, ""),
        spoken=_spoken,
        label=view.schema.label(found.fact.relation),
    )


def _spoken(node: str) -> str:
    """A node of a claim for people; of a class what the source says, since it may be none that is declared."""
    return node if is_class(node) else node_label(view_for_request(), node)


@blueprint.post("/quarantine/<claim>/discard")
@needs_role("steward")
def discard_refused(claim: str) -> Response:
    """Record that a refused claim is not wanted."""
    made = graph_for_request().discard(claim)
    flash(f"Discarded. It is decision {made.decision}; you can bring it back below.")
    return redirect(url_for("stewards.quarantine"), 303)  # type: ignore[return-value]


@blueprint.post("/quarantine/retry")
@needs_role("steward")
def judge_again() -> Response:
    """Judge everything again in the background, by the packs as they are now; a discard that is named ends first."""
    named = request.form.get("decision", "")
    chosen = [each.id for each in discards(settings(), current_principal().scopes) if str(each.id) == named]
    if named and not chosen:
        abort(404)
    return redirect(url_for("uploads.job", job_id=judge_anew(chosen).id), 303)  # type: ignore[return-value]
