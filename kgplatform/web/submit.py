"""What callers want to be worked on, by page or API: a file, with the name and collection it may have, or judging again. Each is a job."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import takewhile
from pathlib import PurePosixPath
from typing import Any, Final, cast

from flask import Flask, current_app

from ..errors import SourceError
from ..settings.load import Settings
from ..writing.uploads import UploadedDocument, belongs_to_settings, kept_meanwhile, uploaded_document
from .callers import SETTINGS, current_principal, settings
from .job_records import INGEST, RETRY, Job
from .jobs import Jobs
from .problems import HttpProblem

JOBS: Final = "kgplatform.jobs"
LISTED: Final = 10
"""Jobs that a page lists."""

_MOST_FOLDERS: Final = 8
_LONGEST_PART: Final = 200


def jobs_of(app: Flask) -> Jobs:
    """The job queue of an application, at work."""
    if JOBS not in app.extensions:
        app.extensions.setdefault(JOBS, Jobs(app.extensions[SETTINGS])).resume()
    return cast(Jobs, app.extensions[JOBS])


def queue() -> Jobs:
    """The one of this request's application."""
    return jobs_of(current_app._get_current_object())  # type: ignore[attr-defined]


def bring_in(name: str, content: bytes, *, folder: str = "", collection: str = "", again: bool = False) -> Job:
    """The job that reads a file into a collection: the one that is named, or that the file's path says, of those the caller may see.

    `folder` is where the file stood, which the paths of collections may speak of; the document is not called by it.
    """
    name, above = usable_name(name), _usable_folder(folder)
    where = _document(above, name, collection)
    try:
        kept = kept_meanwhile(settings(), above, name, content)
    except SourceError as error:
        raise _refusal("too-large" if error.reason == "size" else "bad-body", error) from error
    job = _job(
        INGEST,
        f"{where.collection}: {name}",
        collection=where.collection,
        document=where.name,
        again=again,
        upload=str(above if "/" in name else above / name),
    )
    return queue().submit(job, name=str(above / name), content=kept)


def _refusal(kind: str, error: SourceError, *, hint: str = "") -> HttpProblem:
    return HttpProblem(kind, f"the file {error.what}", hint=hint or error.hint, reason=error.reason)


def judge_anew(decisions: Iterable[int]) -> Job:
    """The job that judges every claim again, with the discarded claims of these decisions (of those that the caller may see) back."""
    return queue().submit(_job(RETRY, "quarantine", decisions=tuple(decisions)))


def _job(kind: str, about: str, **more: Any) -> Job:
    """A job of the caller, who has to see as much as now to hear of it."""
    who = current_principal()
    return Job(kind, who.name, about, scopes=tuple(sorted(who.scopes)), **more)


def usable_name(text: str) -> str:
    """A relative path that stays below its folder and that a walk of the folder reads. Raises the Problem of another."""
    if "\\" in text or not text.isprintable():
        raise HttpProblem("bad-parameter", "the file's name holds a backslash or a control character", hint="rename it", reason="name")
    parts = PurePosixPath(text).parts
    if any(len(part.encode()) > _LONGEST_PART for part in parts):
        raise HttpProblem(
            "bad-parameter", f"a part of the file's name has more than {_LONGEST_PART} bytes", hint="rename it", reason="name"
        )
    if not parts or not all(map(_is_usable, parts)):
        what = "the file needs a name such as handover.md or memos/handover.md"
        raise HttpProblem("bad-parameter", what, hint="no .., no leading . or -", reason="name")
    if len(parts) > 1 and belongs_to_settings(PurePosixPath(text)):
        hint = "give it another name, or leave its folder out"
        raise HttpProblem("bad-parameter", "a file of this name belongs to the settings", hint=hint, reason="settings")
    return "/".join(parts)


def _usable_folder(text: str) -> PurePosixPath:
    """The folders nearest to a file, as far up as they can stand here too."""
    nearest = takewhile(_is_usable, reversed(PurePosixPath(text).parts))
    return PurePosixPath(*reversed(list(nearest)[:_MOST_FOLDERS]))


def _is_usable(part: str) -> bool:
    return part.isprintable() and not part.startswith((".", "-", "/")) and "\\" not in part and len(part.encode()) <= _LONGEST_PART


def open_to_caller() -> Settings:
    """The settings with the collections whose every scope the caller holds. Others do not exist for them."""
    chosen = settings()
    mine = {name: each for name, each in chosen.collections.items() if each.scopes <= current_principal().scopes}
    return replace(chosen, collections=mine, default_collection=chosen.default_collection if chosen.default_collection in mine else "")


def _document(above: PurePosixPath, name: str, collection: str) -> UploadedDocument:
    mine = open_to_caller()
    known = ", ".join(mine.collections)
    if collection and collection not in mine.collections:
        raise HttpProblem("not-found", "there is no such collection", hint=f"one of {known}")
    try:
        return uploaded_document(mine, current_principal().scopes, above, name, collection=collection)
    except SourceError as error:
        hint = f"name one of {known} as its collection" if error.reason == "collection" else ""
        raise _refusal("bad-parameter", error, hint=hint) from error
