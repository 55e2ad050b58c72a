"""Writing and judging through the API: ingest and its jobs, quarantine. Slow work runs in child processes."""

from __future__ import annotations

from collections import Counter
from typing import Any, Final

from flask import Response, request, url_for

from ..curation.review import discard as refuse
from ..curation.review import quarantined, refused_claim
from ..model import NOTICE_KINDS
from ..views.unread import counts, unread
from .access import view_at
from .callers import current_principal, open_writer
from .jobs import Job
from .parameters import Parameters, json_body
from .problems import HttpProblem
from .replies import FARTHEST, as_json, paged
from .submit import bring_in, discards, judge_anew, queue

MULTIPART: Final = "multipart/form-data"
MOST_ROWS: Final = 1000


def _accepted(job: Job) -> Response:
    reply = as_json(_told(job))
    reply.status_code = 202
    reply.headers["Location"] = url_for("api.job", id_=job.id)
    reply.headers["Cache-Control"] = "no-store"
    return reply


# -- ingest


def ingest() -> Response:
    """Take one file and read it in the background: 202 with the address of the job."""
    if request.mimetype == MULTIPART:
        asked = Parameters.of(request.args.items(multi=True), request.form.items(multi=True))
        sent = [(name, each) for name, each in request.files.items(multi=True)]
        if [name for name, _ in sent] != ["file"]:
            raise HttpProblem("bad-body", "the form needs exactly one file, in the part `file`")
        content, default = sent[0][1].read(), sent[0][1].filename or ""
    else:  # of whatever type: curl calls every body a form
        asked = Parameters.of_request()
        content, default = request.get_data(), ""
    name = asked.text("name", default=default, longest=300)
    folder = asked.text("folder", default="")
    collection = asked.text("collection", default="")
    again = asked.flag("again")
    asked.end()
    return _accepted(bring_in(name, content, folder=folder, collection=collection, again=again))


def jobs() -> Response:
    """The caller's own jobs, the newest first."""
    asked = Parameters.of_request()
    limit = asked.whole("limit", default=50, least=1, most=MOST_ROWS)
    offset = asked.whole("offset", default=0, least=0, most=MOST_ROWS)
    asked.end()
    mine = queue().of(current_principal())[offset : offset + limit + 1]
    return paged([_told(each) for each in mine], limit=limit, offset=offset, most=MOST_ROWS)


def job(id_: str) -> Response:
    """One of the caller's own jobs: its state, how far it is, and its summary once it is done."""
    Parameters.of_request().end()
    found = queue().find(id_, by=current_principal())
    if found is None:
        raise HttpProblem(
            "not-found", "there is no such job of yours", hint="old ones are forgotten, and all that ended when something is erased"
        )
    return as_json(_told(found))


def _told(job: Job) -> dict[str, Any]:
    return job.as_json(queue().progress(job))


# -- quarantine


def quarantine() -> Response:
    """What the gate refused, page by page: the commonest reason first."""
    asked = Parameters.of_request()
    limit = asked.whole("limit", default=50, least=1, most=MOST_ROWS)
    offset = asked.whole("offset", default=0, least=0, most=FARTHEST)
    reason = asked.text("reason", default="", longest=100)
    valid_at, recorded_at = asked.instant("valid-at"), asked.instant("recorded-at")
    asked.end()
    with view_at(valid_at, recorded_at) as view:
        rows = [each.claim for each in quarantined(view)]
    reasons = dict(Counter(row.reason for row in rows).most_common())
    rows = [row for row in rows if reason in ("", row.reason)]
    page = [row.to_dict() for row in rows[offset : offset + limit + 1]]
    return paged(page, limit=limit, offset=offset, most=FARTHEST, quarantined=len(rows), reasons=reasons)


def unread_things() -> Response:
    """What is unread of the documents that the caller may see, page by page."""
    asked = Parameters.of_request()
    limit = asked.whole("limit", default=50, least=1, most=MOST_ROWS)
    offset = asked.whole("offset", default=0, least=0, most=FARTHEST)
    kind = asked.choice("kind", ("", *NOTICE_KINDS), default="")
    asked.end()
    with view_at("", "") as view:
        rows = unread(view.notices())
    page = [row.to_dict() for row in rows if kind in ("", row.kind)][offset : offset + limit + 1]
    return paged(page, limit=limit, offset=offset, most=FARTHEST, counts=counts(rows))


def quarantined_claim(id_: str) -> Response:
    """One refused claim, by its id or the beginning of it."""
    asked = Parameters.of_request()
    valid_at, recorded_at = asked.instant("valid-at"), asked.instant("recorded-at")
    asked.end()
    with view_at(valid_at, recorded_at) as view:
        return as_json(refused_claim(view, id_).claim.to_dict())


def discard(id_: str) -> Response:
    """Record that a refused claim is not wanted; the number of the decision, with which `retry` brings it back."""
    Parameters.of_request().end()
    _require_no_body()
    with view_at() as view:
        refused = refused_claim(view, id_)
    with open_writer() as writer:
        made = refuse(writer, refused, by=current_principal().name)
    return as_json({"decision": made, "id": refused.claim.id})


def retry() -> Response:
    """Judge every claim again in the background, with the discarded claims of these decisions back: 202 with the job."""
    Parameters.of_request().end()
    decisions = _decisions()
    mine = {row.id for row in discards()}
    for decision in decisions:
        if decision not in mine:
            raise HttpProblem("not-found", f"no discarded claim has the decision {decision}", hint="name numbers that discard gave")
    return _accepted(judge_anew(decisions))


def _decisions() -> list[int]:
    if not request.get_data():
        return []
    body = json_body()
    if not isinstance(body, dict) or set(body) - {"decisions"}:
        raise HttpProblem("bad-body", "the body is an object with the one field `decisions`")
    found = body.get("decisions", [])
    if not isinstance(found, list) or len(found) > MOST_ROWS or any(type(each) not in (int, float) for each in found):
        raise HttpProblem("bad-parameter", "decisions must be a list of decision numbers")
    if any(not 0 < each < 2**53 or each != int(each) for each in found):  # 2.0 is a whole number in JSON
        raise HttpProblem("bad-parameter", "decisions must be whole numbers above 0")
    return [int(each) for each in found]


def _require_no_body() -> None:
    if request.get_data():
        raise HttpProblem("bad-body", "this operation takes no body")
