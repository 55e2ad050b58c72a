"""Editors bring in files: the upload, and the page of the job that reads it."""

from __future__ import annotations

from pathlib import PurePosixPath, PureWindowsPath

from flask import Blueprint, Response, abort, jsonify, redirect, render_template, request, url_for

from kgplatform.errors import UsageError
from kgplatform.model import Collection

from .callers import current_principal, needs_role, settings
from .ingests import Job, Progress, begun, find, progress, start

blueprint = Blueprint("uploads", __name__)


@blueprint.get("/upload")
@needs_role("editor")
def upload() -> str:
    return render_template("upload.html", collections=_open_to_caller(), jobs=_mine())


@blueprint.post("/upload")
@needs_role("editor")
def receive() -> Response:
    """Begin to read one file into a collection that the caller may see."""
    sent = request.files.get("file")
    chosen = next((each for each in _open_to_caller() if each.name == request.form.get("collection")), None)
    if chosen is None:
        raise UsageError("there is no such collection", hint="choose one of the list")
    if sent is None or not sent.filename:
        raise UsageError("no file was chosen", hint="choose a file first")
    name = file_name(sent.filename)
    job = start(settings(), principal=current_principal().name, collection=chosen.name, file=name, content=sent.stream)
    return redirect(url_for("uploads.job", job_id=job.id), 303)  # type: ignore[return-value]


@blueprint.get("/jobs/<job_id>")
@needs_role("editor")
def job(job_id: str) -> str:
    found, stands = _found(job_id)
    return render_template("job.html", job=found, stands=stands)


@blueprint.get("/jobs/<job_id>/state")
@needs_role("editor")
def job_state(job_id: str) -> Response:
    """What the page of a running job asks for again and again."""
    _, stands = _found(job_id)
    return jsonify(state=stands.state, seconds=stands.seconds)


def _found(job_id: str) -> tuple[Job, Progress]:
    found = find(settings(), job_id, current_principal().name)
    if found is None:
        abort(404)
    return found, progress(settings(), found)


def _mine() -> list[tuple[Job, Progress]]:
    return [(job, progress(settings(), job)) for job, _ in zip(begun(settings(), current_principal().name), range(10), strict=False)]


def _open_to_caller() -> list[Collection]:
    """The collections whose documents the caller may see; the names of the others are not told."""
    scopes = current_principal().scopes
    return sorted((each for each in settings().collections.values() if each.scopes <= scopes), key=lambda each: each.name)


def file_name(text: str) -> str:
    """The last part of the name that a browser sent. Raises UsageError for one that no file may have."""
    name = PurePosixPath(PureWindowsPath(text).name).name
    if not name.strip(". ") or any(not c.isprintable() for c in name) or len(name.encode()) > 200:
        raise UsageError("the file has no usable name", hint="give it a short name of printable characters")
    return name
