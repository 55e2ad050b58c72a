"""What is known of jobs: each is a record in a file, so that it outlives server and browser.

jobs/open/ID/     job.json   the record: who wanted what, and how it stands     upload/   what came with it
                  out, err   what its child says     progress   how far it is   child     locked for as long as its child lives
jobs/ended/ID     the record of a job that has ended; nothing else is kept of it
"""

from __future__ import annotations

import datetime as dt
import json
import logging
import re
import secrets
import shutil
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from ..data_directory import DataDir, write_durably
from ..times import Instant, to_instant

INGEST: Final = "ingest"
RETRY: Final = "retry"
QUEUED: Final = "queued"
RUNNING: Final = "running"
DONE: Final = "done"
FAILED: Final = "failed"
KEPT: Final = 200
"""Ended jobs of a data directory that are remembered, the newest."""

_ABANDONED: Final = 3600.0
_ID: Final = re.compile("[0-9a-f]{32}")
log = logging.getLogger("kgplatform.web")


def now() -> Instant:
    """The second of the machine's clock, which job records count by."""
    return to_instant(dt.datetime.now(dt.UTC))


def _new_id() -> str:
    return f"{time.time_ns():016x}{secrets.token_hex(8)}"


@dataclass(frozen=True, slots=True)
class Job:
    """One piece of work: who wanted it, how it stands, and what came out (`summary`, or in `error` why nothing did).

    `again` reads what was erased before; `document` is what an ingest's file will be called, `upload` its path below the upload folder ('.'
    is that folder whole);
    `decisions` are those that a retry takes back, `scopes` what its principal could see when it was sent: the record tells of
    nothing else. Ids sort by the time of submission.
    """

    kind: str
    by: str
    about: str
    collection: str = ""
    document: str = ""
    upload: str = ""
    again: bool = False
    decisions: tuple[int, ...] = ()
    scopes: tuple[str, ...] = ()
    id: str = field(default_factory=_new_id)
    state: str = QUEUED
    attempts: int = 0
    created: Instant = field(default_factory=now)
    started: Instant = ""
    ended: Instant = ""
    summary: dict[str, Any] | None = None
    error: str = ""

    @property
    def warning(self) -> str:
        """Why a job that is done gave nothing, '' where it gave something."""
        return str((self.summary or {}).get("warning") or "")

    def as_json(self, progress: dict[str, Any] | None) -> dict[str, Any]:
        """The job as the API tells it, with how far it is."""
        return {
            "id": self.id,
            "kind": self.kind,
            "about": self.about,
            "state": self.state,
            "created": self.created,
            "started": self.started or None,
            "ended": self.ended or None,
            "progress": progress,
            "summary": self.summary,
            "warning": self.warning or None,
            "error": self.error or None,
        }


class JobRecords:
    """The records of a data directory."""

    def __init__(self, place: DataDir) -> None:
        self._place = place

    def folder(self, job: Job) -> Path:
        """Where a job that has not ended has its files."""
        return self._place.open_jobs / job.id

    def has_open(self) -> bool:
        """Whether there is a job that has not ended."""
        return bool(_names(self._place.open_jobs))

    def open(self) -> Iterator[Job]:
        """The jobs that have not ended, in their order."""
        for name in _names(self._place.open_jobs):
            job = _read(self._place.open_jobs / name / "job.json", name)
            if job is not None:
                yield job

    def every(self) -> list[Job]:
        """All jobs, the newest first."""
        ended = (_read(self._place.ended_jobs / name, name) for name in _names(self._place.ended_jobs))
        known = {job.id: job for job in (*self.open(), *ended) if job is not None}
        return sorted(known.values(), key=lambda job: job.id, reverse=True)

    def find(self, id_: str) -> Job | None:
        """The job of that id; None where there is none."""
        if not _ID.fullmatch(id_):
            return None
        return _read(self._place.open_jobs / id_ / "job.json", id_) or _read(self._place.ended_jobs / id_, id_)

    def begin(self, job: Job, *, name: str, content: bytes) -> None:
        """Keep a new job, with the file that it reads; '' is none."""
        self._place.jobs.mkdir(mode=0o700, exist_ok=True)
        self.folder(job).mkdir(parents=True)
        if name:
            file = self.folder(job) / "upload" / name
            file.parent.mkdir(parents=True)
            write_durably(file, content)
        self.keep(job)  # last: without it there is no job

    def keep(self, job: Job) -> Job:
        """Record how a job stands."""
        write_durably(self.folder(job) / "job.json", _written(job))
        return job

    def end(self, job: Job, *, summary: dict[str, Any] | None = None, error: str = "") -> None:
        """Record the end, remove what the job brought and said, and forget the oldest ended ones."""
        ended = self._place.ended_jobs
        ended.mkdir(parents=True, exist_ok=True)
        done = replace(job, summary=summary, error=error, state=FAILED if error else DONE, ended=now())
        write_durably(ended / job.id, _written(done))
        shutil.rmtree(self.folder(job), ignore_errors=True)
        for old in _names(ended)[:-KEPT]:
            (ended / old).unlink(missing_ok=True)

    def take_up(self) -> None:
        """Jobs as another server left them: none is at work, and what ended or never began is tidied up."""
        for name in _names(self._place.open_jobs):
            folder = self._place.open_jobs / name
            if (self._place.ended_jobs / name).exists() or not (folder / "job.json").exists() and _age(folder) > _ABANDONED:
                shutil.rmtree(folder, ignore_errors=True)
        for partial in self._place.ended_jobs.glob("*.partial"):
            partial.unlink(missing_ok=True)
        for job in self.open():
            if job.state == RUNNING:
                self.keep(replace(job, state=QUEUED, started=""))


def _names(folder: Path) -> list[str]:
    """The ids of the jobs in a folder, the oldest first."""
    try:
        return sorted(path.name for path in folder.iterdir() if _ID.fullmatch(path.name))
    except FileNotFoundError:
        return []


def _age(folder: Path) -> float:
    with suppress(FileNotFoundError):
        return time.time() - folder.stat().st_mtime
    return 0.0


def _written(job: Job) -> bytes:
    return json.dumps(asdict(job), ensure_ascii=False, indent=1).encode()


_BLANK: Final = Job(INGEST, "", "")


def _read(path: Path, id_: str) -> Job | None:
    """A job by its record; None where there is none. A record that cannot be read is skipped, and the log says so."""
    try:
        told = json.loads(path.read_bytes())
        job = Job(**{**told, **{name: tuple(told.get(name, ())) for name in ("decisions", "scopes")}})
        wrong = [name for name, value in asdict(_BLANK).items() if name != "summary" and type(getattr(job, name)) is not type(value)]
        if wrong or job.id != id_ or not isinstance(job.summary, dict | None) or job.kind not in (INGEST, RETRY):
            raise ValueError(f"{', '.join(wrong) or 'id, kind or summary'} cannot be")
    except FileNotFoundError:
        return None
    except (OSError, ValueError, TypeError, LookupError) as error:
        log.warning("a job is skipped, its record is broken: %s: %s", path, error)
        return None
    return job
