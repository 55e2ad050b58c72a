"""Slow work in child processes, one after the other. All that is known of a job stands in files, so it outlives server and browser.

jobs/open/ID/     job.json   the record: who wanted what, and how it stands     upload/   what came with it
                  out, err   what its child says     progress   how far it is   child     locked for as long as its child lives
jobs/ended/ID     the record of a job that has ended; nothing else is kept of it

Who works off the queue holds jobs/lock, so two servers on one directory take turns. A job that was waiting or at work when
a server ended is taken up by the next one: the child that a killed server left is waited for, and believed if it finished.
"""

from __future__ import annotations

import datetime as dt
import fcntl
import json
import logging
import os
import re
import secrets
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import IO, Any, Final

from filelock import FileLock, Timeout

from ..data_directory import DataDir, write_durably
from ..model import Principal
from ..settings.load import Settings
from ..times import Instant, to_instant
from .problems import HttpProblem
from .subprocesses import command

INGEST: Final = "ingest"
RETRY: Final = "retry"
QUEUED: Final = "queued"
RUNNING: Final = "running"
DONE: Final = "done"
FAILED: Final = "failed"
KEPT: Final = 200
"""Ended jobs of a data directory that are remembered, the newest."""
WAITING: Final = 50
"""Jobs that may wait."""
ATTEMPTS: Final = 3
"""How often a job is begun that takes its server along each time."""

_PATIENCE: Final = 3600  # seconds for which a child waits while somebody else writes
_BEAT: Final = 0.2
_PAUSE: Final = 5.0
_ABANDONED: Final = 3600.0
_ID: Final = re.compile("[0-9a-f]{32}")
_FAULT: Final = "something failed in the platform; the log of the server has the reason"
log = logging.getLogger("kgplatform.web")


def _now() -> Instant:
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
    created: Instant = field(default_factory=_now)
    started: Instant = ""
    ended: Instant = ""
    summary: dict[str, Any] | None = None
    error: str = ""

    @property
    def warning(self) -> str:
        """Why a job that is done gave nothing, '' where it gave something."""
        return str((self.summary or {}).get("warning") or "")

    def as_json(self, progress: dict[str, Any] | None) -> dict[str, Any]:
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


class Jobs:
    """The queue of one application. Its thread lives from the first work until `close`."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._place = DataDir(settings.data.absolute())
        self._submitting = threading.Lock()
        self._woken = threading.Event()
        self._is_ending = threading.Event()
        self._is_over = threading.Event()
        self._thread: threading.Thread | None = None
        self._child: subprocess.Popen[bytes] | None = None

    # -- for who wants something

    def submit(self, job: Job, *, name: str = "", content: bytes = b"") -> Job:
        """Queue a job, with the file that it reads. Raises the Problem of a full queue, or of one that ends."""
        with self._submitting:
            if self._is_ending.is_set():
                raise HttpProblem("busy", "the server is stopping", hint="try again later")
            if sum(each.state == QUEUED for each in self._open()) >= WAITING:
                raise HttpProblem("busy", f"{WAITING} jobs are waiting already", hint="try again later")
            folder = self._place.open_jobs / job.id
            self._place.jobs.mkdir(mode=0o700, exist_ok=True)
            folder.mkdir(parents=True)
            if name:
                file = folder / "upload" / name
                file.parent.mkdir(parents=True)
                write_durably(file, content)
            self._record(job)  # last: without it there is no job
        self.resume()
        return job

    def find(self, id_: str, *, by: Principal) -> Job | None:
        """The job of that id, if it is this principal's, who still sees all that it could see then."""
        if not _ID.fullmatch(id_):
            return None
        found = _read(self._place.open_jobs / id_ / "job.json", id_) or _read(self._place.ended_jobs / id_, id_)
        return found if found is not None and _is_of(found, by) else None

    def of(self, by: Principal) -> list[Job]:
        """The jobs of a principal, as far as `find` gives them, the newest first."""
        known = {job.id: job for job in (*self._open(), *self._ended())}
        return sorted((job for job in known.values() if _is_of(job, by)), key=lambda job: job.id, reverse=True)

    def progress(self, job: Job) -> dict[str, Any] | None:
        """How far a running job is, as `kgplatform ingest --progress` says it; None where nothing says."""
        try:
            told = json.loads((self._place.open_jobs / job.id / "progress").read_bytes()) if job.state == RUNNING else None
        except (OSError, ValueError):
            return None
        return told if isinstance(told, dict) else None

    def resume(self) -> None:
        """Work off what waits."""
        self._woken.set()
        with self._submitting:
            if self._thread is None and not self._is_ending.is_set() and any(True for _ in _names(self._place.open_jobs)):
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
        self._is_over.set()
        child = self._child
        if child is not None:
            child.terminate()
        thread.join(5.0)

    # -- the records

    def _open(self) -> Iterator[Job]:
        """The jobs that have not ended, in their order."""
        for name in _names(self._place.open_jobs):
            job = _read(self._place.open_jobs / name / "job.json", name)
            if job is not None:
                yield job

    def _ended(self) -> Iterator[Job]:
        for name in _names(self._place.ended_jobs):
            job = _read(self._place.ended_jobs / name, name)
            if job is not None:
                yield job

    def _record(self, job: Job) -> Job:
        write_durably(self._place.open_jobs / job.id / "job.json", _written(job))
        return job

    def _end(self, job: Job, *, summary: dict[str, Any] | None = None, error: str = "") -> None:
        """Record the end, remove what the job brought and said, and forget the oldest ended ones."""
        ended = self._place.ended_jobs
        ended.mkdir(parents=True, exist_ok=True)
        done = replace(job, summary=summary, error=error, state=FAILED if error else DONE, ended=_now())
        write_durably(ended / job.id, _written(done))
        shutil.rmtree(self._place.open_jobs / job.id, ignore_errors=True)
        for old in _names(ended)[:-KEPT]:
            (ended / old).unlink(missing_ok=True)

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
        if not _names(self._place.open_jobs) or not self._has_turn(lock):
            return
        try:
            self._take_up()
            while (job := next(self._open(), None)) is not None and not self._is_ending.is_set():
                self._run(job)
        finally:
            lock.release()

    def _has_turn(self, lock: FileLock) -> bool:
        """Whether this server is now the one that works here; False only when it ends before."""
        while not self._is_ending.is_set():
            with suppress(Timeout):
                lock.acquire(timeout=1.0, poll_interval=_BEAT)
                return True
        return False

    def _take_up(self) -> None:
        """Jobs as another server left them: none is at work, and what ended or never began is tidied up."""
        for name in _names(self._place.open_jobs):
            folder = self._place.open_jobs / name
            if (self._place.ended_jobs / name).exists() or not (folder / "job.json").exists() and _age(folder) > _ABANDONED:
                shutil.rmtree(folder, ignore_errors=True)
        for partial in self._place.ended_jobs.glob("*.partial"):
            partial.unlink(missing_ok=True)
        for job in self._open():
            if job.state == RUNNING:
                self._record(replace(job, state=QUEUED, started=""))

    def _run(self, job: Job) -> None:
        folder = self._place.open_jobs / job.id
        try:
            job = self._record(replace(job, state=RUNNING, started=_now(), attempts=job.attempts + 1))
            code = 0
            with self._after_others(folder) as mark:
                summary = self._summary(folder)
                if summary is None and job.attempts <= ATTEMPTS and not self._is_over.is_set():
                    code = self._child_of(job, folder, mark)
                    summary = self._summary(folder)
            if summary is not None:
                self._end(job, summary=summary)
            elif self._is_over.is_set():
                self._record(replace(job, state=QUEUED, started="", attempts=job.attempts - 1))
            elif job.attempts > ATTEMPTS:
                self._end(job, error=f"the server ended {ATTEMPTS} times while it was at work on this")
            else:
                said = (folder / "err").read_text(encoding="utf-8", errors="replace").strip()
                log.warning("job %s ended with code %s: %s", job.id, code, said)
                self._end(job, error=self._told(said, folder, code))
        except Exception as error:  # a job must not take the thread along, which runs all others
            log.error("job %s failed", job.id, exc_info=error)
            self._end(job, error=_FAULT)

    @contextmanager
    def _after_others(self, folder: Path) -> Iterator[IO[bytes]]:
        """The locked file that a child holds while it lives: had when the one that an ended server left is through."""
        with (folder / "child").open("a+b") as mark:
            while True:
                try:
                    fcntl.flock(mark, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                except BlockingIOError:
                    if self._is_over.wait(_BEAT):
                        mark.seek(0)
                        with suppress(ValueError, ProcessLookupError):
                            os.kill(int(mark.read()), signal.SIGTERM)
                        fcntl.flock(mark, fcntl.LOCK_EX)
                        break
            yield mark

    def _child_of(self, job: Job, folder: Path, mark: IO[bytes]) -> int:
        """The exit code of the job's child. It holds the mark, so that the next server knows of it if this one is killed."""
        with (folder / "out").open("wb") as out, (folder / "err").open("wb") as err:
            # a session of its own: an interrupt at the server's terminal is the server's to pass on
            child = subprocess.Popen(
                command(self._settings, *_arguments(job, folder)),
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                pass_fds=[mark.fileno()],
                start_new_session=True,
            )
        self._child = child
        try:
            mark.truncate(0)
            mark.write(str(child.pid).encode())
            mark.flush()
            if self._is_over.is_set():
                child.terminate()
            return child.wait()
        finally:
            self._child = None

    def _summary(self, folder: Path) -> dict[str, Any] | None:
        """What a child of this job printed at its end; None before."""
        try:
            found = json.loads(self._shown((folder / "out").read_text(encoding="utf-8"), folder))
        except (OSError, ValueError):
            return None
        return found if isinstance(found, dict) else None

    def _shown(self, text: str, folder: Path) -> str:
        """A text without the paths of this machine."""
        for place in (folder / "upload", self._place.path, self._settings.root.absolute()):
            text = text.replace(f"{place}/", "").replace(f"{place}: ", "")
        return text

    def _told(self, said: str, folder: Path, code: int) -> str:
        last = said.rpartition("\n")[2]
        is_fault = not last or code < 0 or last.startswith("unexpected ")
        return _FAULT if is_fault else self._shown(last, folder)


def _is_of(job: Job, by: Principal) -> bool:
    return job.by == by.name and by.scopes.issuperset(job.scopes)


def _arguments(job: Job, folder: Path) -> tuple[str, ...]:
    """The command line of a job's child. Its figures are those that may be told to who began it."""
    common = (f"--as={job.by}", f"--wait={_PATIENCE}")
    if job.kind == RETRY:
        return ("quarantine", "retry", *common, *map(str, job.decisions))
    again = ("--again",) if job.again else ()
    return (
        "ingest",
        *common,
        *again,
        f"--collection={job.collection}",
        f"--progress={folder / 'progress'}",
        str(folder / "upload" / job.upload),
    )


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
