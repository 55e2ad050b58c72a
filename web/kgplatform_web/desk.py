"""Writing and judging through the API: ingest and its jobs, quarantine, validate. Slow work runs in child processes."""

from __future__ import annotations

import json
import subprocess
import tempfile
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Final, cast

from flask import Flask, Response, current_app, request, url_for

from kgplatform.config import Settings
from kgplatform.errors import LockedError, SourceError
from kgplatform.ingest.placing import place
from kgplatform.ledger.decisions import in_force
from kgplatform.model import Principal
from kgplatform.review import discard as refuse
from kgplatform.review import quarantined, refused_claim

from .callers import SETTINGS, current_principal, ledger_for_request, open_writer, settings
from .doors import view_at
from .jobs import Job, Jobs, command
from .limits import place as place_for
from .parameters import Parameters, json_body
from .problems import Problem
from .replies import as_json, paged

JOBS: Final = "kgplatform.jobs"
MULTIPART: Final = "multipart/form-data"
MOST_ROWS: Final = 1000
VALIDATE_SECONDS: Final = 120.0
_LOCK_PATIENCE: Final = 5.0


def jobs_of(app: Flask) -> Jobs:
    """The job queue of an application."""
    if JOBS not in app.extensions:
        app.extensions.setdefault(JOBS, Jobs(app.extensions[SETTINGS].data))
    return cast(Jobs, app.extensions[JOBS])


def _submit(job: Job) -> Response:
    made = jobs_of(current_app._get_current_object()).submit(job)  # type: ignore[attr-defined]
    reply = as_json(made.as_json())
    reply.status_code = 202
    reply.headers["Location"] = url_for("api.job", id_=made.id)
    reply.headers["Cache-Control"] = "no-store"
    return reply


# -- ingest


def ingest() -> Response:
    """Take one file and read it in the background: 202 with the address of the job."""
    if request.mimetype == MULTIPART:
        asked = Parameters.of(request.args.items(multi=True), request.form.items(multi=True))
        sent = [(name, each) for name, each in request.files.items(multi=True)]
        if [name for name, _ in sent] != ["file"]:
            raise Problem("bad-body", "the form needs exactly one file, in the part `file`")
        content, default = sent[0][1].read(), sent[0][1].filename or ""
    else:  # of whatever type: curl calls every body a form
        asked = Parameters.of_request()
        content, default = request.get_data(), ""
    name = _safe_name(asked.text("name", default=default, longest=300))
    collection = asked.text("collection", default="")
    asked.end()
    if not content:
        raise Problem("bad-body", "the file is empty")
    if len(content) > settings().max_file_bytes:
        raise Problem("too-large", f"the file has {len(content):,} bytes", hint=f"at most {settings().max_file_bytes:,} are read")
    folder = Path(tempfile.mkdtemp(prefix="kgplatform-upload-"))
    file = folder / name
    chosen = _collection_of(file, folder, collection)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content)
    return _submit(Job("ingest", current_principal().name, f"{chosen}: {name}", ("ingest", f"--collection={chosen}", str(folder)), folder))


def _safe_name(name: str) -> str:
    """A relative path that stays below its folder and that a walk of the folder reads."""
    path = PurePosixPath(name)
    parts = path.parts
    if not parts or path.is_absolute() or any(part == ".." or part.startswith((".", "-")) or len(part.encode()) > 200 for part in parts):
        raise Problem("bad-parameter", "the file needs a name such as memos/handover.md, in `name`", hint="no .., no leading . or -")
    if "\\" in name or not name.isprintable():
        raise Problem("bad-parameter", "the file's name holds a backslash or a control character")
    if not path.suffix:
        raise Problem("bad-parameter", "the file's name needs an ending, which says what it is", hint="such as .md, .csv, .yaml, .ttl")
    return str(path)


def _collection_of(file: Path, folder: Path, named: str) -> str:
    """The collection that the file is for, among those whose every reader-scope the editor holds. Others do not exist for them."""
    mine = _visible(settings(), current_principal())
    if named and named not in mine.collections:
        folder.rmdir()
        raise Problem("bad-parameter", f"there is no collection {named!r}", hint=f"one of {', '.join(mine.collections)}")
    try:
        return place(file, folder, mine, collection=named).collection.name
    except SourceError as error:
        folder.rmdir()
        raise Problem(
            "bad-parameter", f"the file {error.what}", hint=f"name one of {', '.join(mine.collections)} in `collection`"
        ) from error


def _visible(chosen: Settings, who: Principal) -> Settings:
    mine = {name: each for name, each in chosen.collections.items() if each.scopes <= who.scopes}
    return replace(chosen, collections=mine, default_collection=chosen.default_collection if chosen.default_collection in mine else "")


def jobs() -> Response:
    """The caller's own jobs, the newest first."""
    asked = Parameters.of_request()
    limit = asked.whole("limit", default=50, least=1, most=MOST_ROWS)
    offset = asked.whole("offset", default=0, least=0, most=MOST_ROWS)
    asked.end()
    mine = [job.as_json() for job in jobs_of(current_app._get_current_object()).of(current_principal().name)]  # type: ignore[attr-defined]
    return paged(mine[offset : offset + limit + 1], limit=limit, offset=offset)


def job(id_: str) -> Response:
    """One of the caller's own jobs: its state, and its summary once it is done."""
    Parameters.of_request().end()
    found = jobs_of(current_app._get_current_object()).find(id_, by=current_principal().name)  # type: ignore[attr-defined]
    if found is None:
        raise Problem("not-found", "there is no such job of yours", hint="jobs are forgotten when the server stops")
    return as_json(found.as_json())


# -- quarantine


def quarantine() -> Response:
    """What the gate refused, page by page: the commonest reason first."""
    asked = Parameters.of_request()
    limit = asked.whole("limit", default=50, least=1, most=MOST_ROWS)
    offset = asked.whole("offset", default=0, least=0, most=1_000_000)
    reason = asked.text("reason", default="")
    valid_at, recorded_at = asked.instant("valid-at"), asked.instant("recorded-at")
    asked.end()
    with view_at(valid_at, recorded_at) as view:
        rows = quarantined(view)
    reasons = dict(Counter(row.code for row in rows).most_common())
    rows = [row for row in rows if reason in ("", row.code)]
    page = [row.as_json() for row in rows[offset : offset + limit + 1]]
    return paged(page, limit=limit, offset=offset, quarantined=len(rows), reasons=reasons)


def quarantined_claim(id_: str) -> Response:
    """One refused claim, by its id or the beginning of it."""
    Parameters.of_request().end()
    with view_at() as view:
        return as_json(refused_claim(view, id_).as_json())


def discard(id_: str) -> Response:
    """Record that a refused claim is not wanted; the number of the decision, with which `retry` brings it back."""
    Parameters.of_request().end()
    _require_no_body()
    with view_at() as view:
        refused = refused_claim(view, id_)
    until = time.monotonic() + _LOCK_PATIENCE
    while True:
        try:
            with open_writer() as writer:
                made = refuse(writer, refused, by=current_principal().name)
            break
        except LockedError:
            if time.monotonic() > until:
                raise
            time.sleep(0.2)
    return as_json({"decision": made, "id": refused.claim})


def retry() -> Response:
    """Judge every claim again in the background, with the discarded claims of these decisions back: 202 with the job."""
    Parameters.of_request().end()
    decisions = _decisions()
    who = current_principal()
    mine = {row.id for row in in_force(ledger_for_request()) if row.decision.kind == "refuse" and row.decision.scopes <= who.scopes}
    for decision in decisions:
        if decision not in mine:
            raise Problem("not-found", f"no discarded claim has the decision {decision}", hint="name numbers that discard gave")
    return _submit(Job("retry", who.name, "quarantine", ("quarantine", "retry", f"--as={who.name}", *map(str, decisions))))


def _decisions() -> list[int]:
    if not request.get_data():
        return []
    body = json_body()
    if not isinstance(body, dict) or set(body) - {"decisions"}:
        raise Problem("bad-body", "the body is an object with the one field `decisions`")
    found = body.get("decisions", [])
    if not isinstance(found, list) or len(found) > MOST_ROWS or any(type(each) is not int or not 0 < each < 2**53 for each in found):
        raise Problem("bad-parameter", "decisions must be a list of decision numbers")
    return found


def _require_no_body() -> None:
    if request.get_data():
        raise Problem("bad-body", "this operation takes no body")


# -- validate


def validate() -> Response:
    """All shapes over what the caller sees, judged in a child process."""
    asked = Parameters.of_request()
    dates = {name: asked.take(name) for name in ("valid-at", "recorded-at")}
    checked = Parameters({name: value for name, value in dates.items() if value is not None})
    stated = [(name, instant) for name in dates if (instant := checked.instant(name))]
    asked.end()
    options = [f"--{name}={instant}" for name, instant in stated]
    line = command(settings().data, "validate", f"--as={current_principal().name}", *options)
    with place_for("dated"):
        try:
            done = subprocess.run(line, capture_output=True, timeout=VALIDATE_SECONDS, stdin=subprocess.DEVNULL, check=False)
        except subprocess.TimeoutExpired as error:
            raise Problem("query-timeout", f"the validation was ended after {VALIDATE_SECONDS:g} s") from error
    if done.returncode != 0:
        current_app.logger.error("validate ended with code %s: %s", done.returncode, done.stderr.decode(errors="replace").strip())
        raise Problem("fault")
    return as_json(json.loads(done.stdout))
