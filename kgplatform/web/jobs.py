"""The queue of slow work, one job after the other. All that is known of a job stands in files (see `job_records`).

Who works off the queue holds jobs/lock, so two servers on one directory take turns. A job that was waiting or at work when
a server ended is taken up by the next one: the child that a killed server left is waited for, and believed if it finished.
"""

from __future__ import annotations

import json
import logging
import threading
from contextlib import suppress
from dataclasses import replace
from typing import Any, Final

from filelock import FileLock, Timeout

from ..data_directory import DataDir
from ..model import Principal
from ..settings.load import Settings
from .job_child import BEAT, FAULT, JobChild
from .job_records import QUEUED, RUNNING, Job, JobRecords, now
from .problems import HttpProblem

WAITING: Final = 50
"""Jobs that may wait."""
ATTEMPTS: Final = 3
"""How often a job is begun that takes its server along each time."""

_PAUSE: Final = 5.0
log = logging.getLogger("kgplatform.web")


class Jobs:
    """The queue of one application. Its thread lives from the first work until `close`."""

    def __init__(self, settings: Settings) -> None:
        self._place = DataDir(settings.data.absolute())
        self._records = JobRecords(self._place)
        self._child = JobChild(settings, self._place)
        self._submitting = threading.Lock()
        self._woken = threading.Event()
        self._is_ending = threading.Event()
        self._thread: threading.Thread | None = None

    # -- for who wants something

    def submit(self, job: Job, *, name: str = "", content: bytes = b"") -> Job:
        """Queue a job, with the file that it reads. Raises the Problem of a full queue, or of one that ends."""
        with self._submitting:
            if self._is_ending.is_set():
                raise HttpProblem("busy", "the server is stopping", hint="try again later")
            if sum(each.state == QUEUED for each in self._records.open()) >= WAITING:
                raise HttpProblem("busy", f"{WAITING} jobs are waiting already", hint="try again later")
            self._records.begin(job, name=name, content=content)
        self.resume()
        return job

    def find(self, id_: str, *, by: Principal) -> Job | None:
        """The job of that id, if it is this principal's, who still sees all that it could see then."""
        found = self._records.find(id_)
        return found if found is not None and _is_of(found, by) else None

    def of(self, by: Principal) -> list[Job]:
        """The jobs of a principal, as far as `find` gives them, the newest first."""
        return [job for job in self._records.every() if _is_of(job, by)]

    def progress(self, job: Job) -> dict[str, Any] | None:
        """How far a running job is, as `kgplatform ingest --progress` says it; None where nothing says."""
        try:
            told = json.loads((self._records.folder(job) / "progress").read_bytes()) if job.state == RUNNING else None
        except (OSError, ValueError):
            return None
        return told if isinstance(told, dict) else None

    def resume(self) -> None:
        """Work off what waits."""
        self._woken.set()
        with self._submitting:
            if self._thread is None and not self._is_ending.is_set() and self._records.has_open():
                self._thread = threading.Thread(target=self._work, name="kgplatform-jobs", daemon=True)
                self._thread.start()

    def close(self, *, grace: float = 10.0) -> None:
        """Take nothing more; the running child may finish within the grace, and is ended after it. Its job is for the next server."""
        with self._submitting:
            self._is_ending.set()
            self._woken.set()
            thread = self._thread
        if thread is None:
            return
        thread.join(grace)
        self._child.end()
        thread.join(5.0)

    # -- the work

    def _work(self) -> None:
        while not self._is_ending.is_set():
            self._woken.clear()
            try:
                self._work_off()
            except OSError as error:  # nothing can be written; perhaps it can after a while
                log.error("jobs cannot go on", exc_info=error)
                self._is_ending.wait(_PAUSE)
            else:
                self._woken.wait()

    def _work_off(self) -> None:
        """All that is open, in its order."""
        lock = FileLock(self._place.jobs / "lock")
        if not self._records.has_open() or not self._has_turn(lock):
            return
        try:
            self._records.take_up()
            while (job := next(self._records.open(), None)) is not None and not self._is_ending.is_set():
                self._run(job)
        finally:
            lock.release()

    def _has_turn(self, lock: FileLock) -> bool:
        """Whether this server is now the one that works here; False only when it ends before."""
        while not self._is_ending.is_set():
            with suppress(Timeout):
                lock.acquire(timeout=1.0, poll_interval=BEAT)
                return True
        return False

    def _run(self, job: Job) -> None:
        folder = self._records.folder(job)
        try:
            job = self._records.keep(replace(job, state=RUNNING, started=now(), attempts=job.attempts + 1))
            code = 0
            with self._child.after_others(folder) as mark:
                summary = self._child.summary(folder)
                if summary is None and job.attempts <= ATTEMPTS and not self._child.is_over:
                    code = self._child.run(job, folder, mark)
                    summary = self._child.summary(folder)
            if summary is not None:
                self._records.end(job, summary=summary)
            elif self._child.is_over:
                self._records.keep(replace(job, state=QUEUED, started="", attempts=job.attempts - 1))
            elif job.attempts > ATTEMPTS:
                self._records.end(job, error=f"the server ended {ATTEMPTS} times while it was at work on this")
            else:
                self._records.end(job, error=self._child.failure(job, folder, code))
        except Exception as error:  # a job must not take the thread along, which runs all others
            log.error("job %s failed", job.id, exc_info=error)
            self._records.end(job, error=FAULT)


def _is_of(job: Job, by: Principal) -> bool:
    return job.by == by.name and by.scopes.issuperset(job.scopes)
