"""Writing and judging through the API: ingest and its jobs, quarantine. Slow work runs in child processes."""

from __future__ import annotations

from collections import Counter
from typing import Any, Final

from flask import Response, request, url_for
from msgspec import UNSET

from ..curation.discards import discards
from ..curation.review import quarantined, refused_claim
from ..views.unread import counts, unread
from .access import view_at
from .callers import current_principal, graph_for_request, settings
from .job_records import Job
from .parameters import body, no_parameters, pairs, parameters, read_parameters
from .problems import HttpProblem
from .replies import FARTHEST, as_json, paged
from .request_forms import DatedForm, IngestForm, JobsForm, QuarantineForm, RetryForm, UnreadForm
from .submit import bring_in, judge_anew, queue

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
        asked = read_parameters(IngestForm, pairs(request.args.items(multi=True), request.form.items(multi=True)))
        sent = [(name, each) for name, each in request.files.items(multi=True)]
        if [name for name, _ in sent] != ["file"]:
            raise HttpProblem("bad-body", "the form needs exactly one file, in the part `file`")
        content, default = sent[0][1].read(), sent[0][1].filename or ""
    else:  # of whatever type: curl calls every body a form
        asked = parameters(IngestForm)
        content, default = request.get_data(), ""
    made = bring_in(asked.name or default, content, folder=asked.folder, collection=asked.collection, again=asked.again)
    return _accepted(made)


def jobs() -> Response:
    """The caller's own jobs, the newest first."""
    asked = parameters(JobsForm)
    mine = queue().of(current_principal())[asked.offset : asked.offset + asked.limit + 1]
    return paged([_told(each) for each in mine], limit=asked.limit, offset=asked.offset, most=MOST_ROWS)


def job(id_: str) -> Response:
    """One of the caller's own jobs: its state, how far it is, and its summary once it is done."""
    no_parameters()
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
    asked = parameters(QuarantineForm)
    with view_at(*asked.dates) as view:
        rows = [each.claim for each in quarantined(view)]
    reasons = dict(Counter(row.reason for row in rows).most_common())
    rows = [row for row in rows if asked.reason in ("", row.reason)]
    page = [row.to_dict() for row in rows[asked.offset : asked.offset + asked.limit + 1]]
    return paged(page, limit=asked.limit, offset=asked.offset, most=FARTHEST, quarantined=len(rows), reasons=reasons)


def unread_things() -> Response:
    """What is unread of the documents that the caller may see, page by page."""
    asked = parameters(UnreadForm)
    with view_at("", "") as view:
        rows = unread(view.notices())
    page = [row.to_dict() for row in rows if asked.kind in (UNSET, row.kind)][asked.offset : asked.offset + asked.limit + 1]
    return paged(page, limit=asked.limit, offset=asked.offset, most=FARTHEST, counts=counts(rows))


def quarantined_claim(id_: str) -> Response:
    """One refused claim, by its id or the beginning of it."""
    with view_at(*parameters(DatedForm).dates) as view:
        return as_json(refused_claim(view, id_).claim.to_dict())


def discard(id_: str) -> Response:
    """Record that a refused claim is not wanted; the number of the decision, with which `retry` brings it back."""
    no_parameters()
    _require_no_body()
    return as_json(graph_for_request().discard(id_).to_dict())


def retry() -> Response:
    """Judge every claim again in the background, with the discarded claims of these decisions back: 202 with the job."""
    no_parameters()
    decisions = _decisions()
    mine = {each.id for each in discards(settings(), current_principal().scopes)}
    for decision in decisions:
        if decision not in mine:
            raise HttpProblem("not-found", f"no discarded claim has the decision {decision}", hint="name numbers that discard gave")
    return _accepted(judge_anew(decisions))


def _decisions() -> list[int]:
    return [int(each) for each in body(RetryForm).decisions] if request.get_data() else []


def _require_no_body() -> None:
    if request.get_data():
        raise HttpProblem("bad-body", "this operation takes no body")
