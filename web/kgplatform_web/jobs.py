"""Slow work in child processes, one after the other: each is one command line of `python -m kgplatform`.

So two uploads never fight for the writer's lock, and one that meets another writer waits for it. A job lives as long as
the server; its files stand in a folder that only the server can read, and are gone when it ends.
"""

from __future__ import annotations

import datetime as dt
import json
import logging
import queue
import secrets
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from kgplatform.times import Instant, to_instant

from .problems import Problem

QUEUED: Final = "queued"
RUNNING: Final = "running"
DONE: Final = "done"
FAILED: Final = "failed"
STOPPED: Final = "the server stopped"
LOCKED: Final = "another process is writing here"
"""What the command line says when somebody else holds the data directory."""

PATIENCE: Final = 60.0
"""Seconds for which a job tries again while another process writes."""

_KEPT: Final = 200
_WAITING: Final = 50
log = logging.getLogger("kgplatform.web")


@dataclass
class Job:
    """One piece of work: who wanted it, how far it is, and what came out (`summary`, or in `error` why nothing did)."""

    kind: str
    by: str
    about: str
    arguments: tuple[str, ...]
    folder: Path | None = None
    id: str = field(default_factory=lambda: secrets.token_hex(12))
    state: str = QUEUED
    created: Instant = ""
    started: Instant = ""
    ended: Instant = ""
    summary: dict[str, Any] | None = None
    error: str = ""

    def as_json(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "kind": self.kind,
            "about": self.about,
            "state": self.state,
            "created": self.created,
            "started": self.started or None,
            "ended": self.ended or None,
            "summary": self.summary,
            "error": self.error or None,
        }


def command(data: Path, *arguments: str) -> list[str]:
    """The command line of a child on this data directory, printing JSON."""
    return [sys.executable, "-m", "kgplatform", *arguments, f"--data={data.absolute()}", "--json"]


class Jobs:
    """The queue of one application and the thread that works it off."""

    def __init__(self, data: Path) -> None:
        self._data = data
        self._jobs: dict[str, Job] = {}
        self._queue: queue.Queue[Job | None] = queue.Queue(_WAITING)
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._child: subprocess.Popen[str] | None = None
        self._is_ending = threading.Event()

    def submit(self, job: Job) -> Job:
        """Queue a job. Its files are removed if there is no room for it."""
        job.created = _now()
        with self._lock:
            if self._is_ending.is_set():
                raise _busy(job, "the server is stopping")
            self._jobs[job.id] = job
            try:
                self._queue.put_nowait(job)
            except queue.Full as error:
                del self._jobs[job.id]
                raise _busy(job, f"{_WAITING} jobs are waiting already") from error
            ended = [each.id for each in self._jobs.values() if each.ended]
            for old in ended[: max(0, len(self._jobs) - _KEPT)]:
                del self._jobs[old]
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="kgplatform-jobs", daemon=True)
                self._thread.start()
        return job

    def find(self, id_: str, *, by: str) -> Job | None:
        """The job of that id, if it is this principal's."""
        found = self._jobs.get(id_)
        return found if found is not None and found.by == by else None

    def of(self, by: str) -> list[Job]:
        """The jobs of a principal, the newest first."""
        with self._lock:
            return [job for job in reversed(self._jobs.values()) if job.by == by]

    def close(self, *, grace: float = 10.0) -> None:
        """Take nothing more; the running child may finish within the grace, and is ended after it. What it committed stands."""
        with self._lock:
            self._is_ending.set()
            thread = self._thread
        if thread is None:
            return
        try:
            self._queue.put_nowait(None)  # for a thread that waits for work
        except queue.Full:
            pass
        thread.join(grace)
        child = self._child
        if child is not None and child.poll() is None:
            child.terminate()
        thread.join(5.0)
        for job in list(self._jobs.values()):
            if not job.ended:
                self._end(job, error=STOPPED)

    def _work(self) -> None:
        while not self._is_ending.is_set():
            job = self._queue.get()
            if job is None:
                return
            job.started, job.state = _now(), RUNNING
            try:
                self._run(job)
            except Exception as error:  # a job must not take the thread along, which runs all others
                log.error("job %s failed", job.id, exc_info=error)
                self._end(job, error="something failed in the platform; the log of the server has the reason")

    def _run(self, job: Job) -> None:
        """One child, and again while another process writes."""
        until = time.monotonic() + PATIENCE
        while True:
            code, out, err = self._spoken(job.arguments)
            if code == 0:
                self._end(job, summary=json.loads(_without(job, out)))
                return
            if LOCKED not in err or time.monotonic() > until or self._is_ending.wait(1.0):
                break
        log.warning("job %s ended with code %s: %s", job.id, code, err.strip())
        last = (err.strip().splitlines() or [""])[-1]
        told = _without(job, last.replace(f"{self._data.absolute()}: ", ""))
        self._end(job, error=STOPPED if code < 0 and self._is_ending.is_set() else told or f"it ended with code {code}")

    def _spoken(self, arguments: Sequence[str]) -> tuple[int, str, str]:
        # a session of its own: an interrupt at the server's terminal is the server's to pass on
        child = subprocess.Popen(
            command(self._data, *arguments),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            start_new_session=True,
        )
        self._child = child
        try:
            out, err = child.communicate()
        finally:
            self._child = None
        return child.returncode, out, err

    def _end(self, job: Job, *, summary: dict[str, Any] | None = None, error: str = "") -> None:
        if job.folder is not None:
            shutil.rmtree(job.folder, ignore_errors=True)
        job.summary, job.error, job.state = summary, error, FAILED if error else DONE
        job.ended = _now()


def _busy(job: Job, why: str) -> Problem:
    if job.folder is not None:
        shutil.rmtree(job.folder, ignore_errors=True)
    return Problem("busy", why, hint="try again later")


def _without(job: Job, text: str) -> str:
    """A text without the folder in which the job's files stand."""
    return text.replace(f"{job.folder}/", "") if job.folder else text


def _now() -> Instant:
    return to_instant(dt.datetime.now(dt.UTC))
