"""Ingests that run in a process of their own. A job is a few files in the data directory, so it outlives browser and server.

jobs/ID.json    who, when, what        jobs/ID/upload/  the file, until it was read
jobs/ID/out     the summary (JSON)     jobs/ID/err      what went wrong      jobs/ID/exit  the exit code
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any, Final

from kgplatform.config import Settings
from kgplatform.times import Instant, to_datetime

RUNNING: Final = "running"
DONE: Final = "done"
FAILED: Final = "failed"
PATIENCE: Final = 120.0
"""Seconds that a job waits for another process that writes."""

_BUSY: Final = "another process is writing"


@dataclass(frozen=True, slots=True)
class Job:
    """One ingest of one uploaded file, begun by a principal."""

    id: str
    principal: str
    collection: str
    file: str
    size: int
    began: Instant
    pid: int


@dataclass(frozen=True, slots=True)
class Progress:
    """How a job stands: its state, the summary once it is done, and what it complained of."""

    state: str
    summary: dict[str, Any] | None
    said: str
    seconds: int


def _folder(settings: Settings) -> Path:
    return settings.data / "jobs"


def start(settings: Settings, *, principal: str, collection: str, file: str, content: IO[bytes]) -> Job:
    """Keep the upload and begin to read it. `file` becomes the document's id in the collection."""
    job = secrets.token_hex(12)
    place = _folder(settings) / job
    upload = place / "upload" / file
    upload.parent.mkdir(parents=True)
    with upload.open("wb") as out:
        shutil.copyfileobj(content, out)
    command = [sys.executable, "-m", "kgplatform", "--data", str(settings.data.absolute()), "--json"]
    command += ["ingest", str(upload.absolute()), "--collection", collection]
    child = _run(command, place)
    made = Job(job, principal, collection, file, upload.stat().st_size, settings.clock(), child.pid)
    (_folder(settings) / f"{job}.json").write_text(json.dumps(asdict(made)), encoding="utf-8")
    _watched.add(job)
    threading.Thread(target=_watch, args=(child, command, place), name=f"job-{job}", daemon=True).start()
    return made


_watched: set[str] = set()
"""The jobs that a thread of this process waits for."""


def _run(command: list[str], place: Path) -> subprocess.Popen[bytes]:
    with (place / "out").open("wb") as out, (place / "err").open("wb") as err:
        return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=err, start_new_session=True)


def _watch(child: subprocess.Popen[bytes], command: list[str], place: Path) -> None:
    """Wait for the process; while another one writes, begin again after a moment."""
    until = time.monotonic() + PATIENCE
    try:
        while child.wait() and _BUSY in _text(place / "err") and time.monotonic() < until:
            time.sleep(1)
            child = _run(command, place)
        (place / "exit").write_text(str(child.returncode), encoding="ascii")
        shutil.rmtree(place / "upload", ignore_errors=True)  # the ledger keeps what it read; nothing else may
    finally:
        _watched.discard(place.name)


def find(settings: Settings, job: str, principal: str) -> Job | None:
    """The job of this id, if the principal began it."""
    return next((each for each in begun(settings, principal) if each.id == job), None)


def begun(settings: Settings, principal: str) -> Iterator[Job]:
    """The jobs that the principal began, newest first."""
    paths = sorted(_folder(settings).glob("*.json"), key=lambda path: (path.stat().st_mtime, path.name), reverse=True)
    for path in paths:
        job = Job(**json.loads(path.read_text(encoding="utf-8")))
        if job.principal == principal:
            yield job


def progress(settings: Settings, job: Job) -> Progress:
    place = _folder(settings) / job.id
    seconds = max(0, int((to_datetime(settings.clock()) - to_datetime(job.began)).total_seconds()))
    summary = _summary(place / "out")
    if summary is None and not (place / "exit").exists() and (job.id in _watched or _lives(job.pid)):
        return Progress(RUNNING, None, "", seconds)
    shutil.rmtree(place / "upload", ignore_errors=True)
    said = _text(place / "err").replace(str(place.absolute() / "upload") + os.sep, "")
    if summary is None:
        return Progress(FAILED, None, said or "the process that read the file ended without a word", seconds)
    return Progress(DONE, summary, said, seconds)


def _summary(path: Path) -> dict[str, Any] | None:
    """The summary that the ingest printed at its end; None before."""
    try:
        found = json.loads(_text(path))
    except ValueError:
        return None
    return found if isinstance(found, dict) and "claims_read" in found else None


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
