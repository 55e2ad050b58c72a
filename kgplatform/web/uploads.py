"""Editors bring in files: the upload, and the page of any job, whether its owner began it by page or API."""

from __future__ import annotations

import datetime as dt
from pathlib import PurePosixPath
from typing import Any, Final

from flask import Blueprint, Response, abort, jsonify, redirect, render_template, request, url_for

from ..browse.documents import is_there
from ..model import ANONYMOUS
from ..times import to_datetime
from ..views.unread import KINDS
from .callers import current_principal, here, needs_role, settings
from .job_records import QUEUED, RETRY, RUNNING, Job
from .problems import HttpProblem
from .submit import LISTED, bring_in, open_to_caller, queue

blueprint = Blueprint("uploads", __name__)

STAGES: Final = {
    "": "Starting",
    "reading": "Reading",
    "waiting": "Read. Waiting for another process that writes",
    "writing": "Judging and writing",
}
"""What `kgplatform ingest --progress` says, in words."""


@blueprint.get("/upload")
@needs_role("editor")
def upload() -> str:
    """The form that sends a file, and the latest jobs of the caller."""
    collections = sorted(open_to_caller().collections.values(), key=lambda each: each.name)
    return render_template("upload.html", collections=collections, jobs=queue().of(current_principal())[:LISTED])


@blueprint.post("/upload")
@needs_role("editor")
def receive() -> Response:
    """Begin to read one file into a collection that the caller may see."""
    sent = request.files.get("file")
    if sent is None or not sent.filename:
        raise HttpProblem("bad-body", "no file was chosen", hint="choose a file first")
    name = PurePosixPath(sent.filename).name  # a browser may send a path of its machine
    job = bring_in(name, sent.stream.read(), collection=request.form.get("collection", ""), again="again" in request.form)
    return redirect(url_for("uploads.job", job_id=job.id), 303)  # type: ignore[return-value]


@blueprint.get("/jobs/<job_id>")
def job(job_id: str) -> str | Response:
    """How a job of the caller stands; those of others are not there."""
    if current_principal() == ANONYMOUS:
        return redirect(url_for("signin.sign_in", next=here()))  # type: ignore[return-value]
    found = _found(job_id)
    is_read = bool(found.document) and is_there(settings(), current_principal().scopes, found.document)
    return render_template("job.html", job=found, stands=_stands(found), is_there=is_read, kinds=KINDS)


@blueprint.get("/jobs/<job_id>/state")
def job_state(job_id: str) -> Response:
    """What the page of a job that has not ended asks for again and again."""
    return jsonify(_stands(_found(job_id)))


def _found(job_id: str) -> Job:
    found = queue().find(job_id, by=current_principal())
    if found is None:
        abort(404)
    return found


def _stands(job: Job) -> dict[str, Any]:
    """The stage in words, what was read so far, and the seconds since the job began or was sent."""
    told = queue().progress(job) or {}
    begun = "Judging again" if job.kind == RETRY else STAGES.get(str(told.get("stage", "")), STAGES[""])
    since = dt.datetime.now(dt.UTC) - to_datetime(job.started or job.created)
    return {
        "has_ended": job.state not in (QUEUED, RUNNING),
        "stage": "Waiting for its turn" if job.state == QUEUED else begun,
        "seconds": max(0, int(since.total_seconds())),
        **{name: told[name] for name in ("documents", "claims", "records") if isinstance(told.get(name), int)},
    }
