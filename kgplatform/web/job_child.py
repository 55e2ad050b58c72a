"""The child process that does a job, one after the other: started, waited for, and what it said at its end."""

from __future__ import annotations

import fcntl
import json
import logging
import os
import signal
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, Final

from ..data_directory import DataDir
from ..settings.load import Settings
from .job_records import RETRY, Job
from .subprocesses import command

FAULT: Final = "something failed in the platform; the log of the server has the reason"
BEAT: Final = 0.2
"""Seconds between two looks at what others hold."""

_PATIENCE: Final = 3600  # seconds for which a child waits while somebody else writes
log = logging.getLogger("kgplatform.web")


class JobChild:
    """What does jobs, each in a process of its own that outlives the server when that is killed."""

    def __init__(self, settings: Settings, place: DataDir) -> None:
        self._settings = settings
        self._place = place
        self._is_over = threading.Event()
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def is_over(self) -> bool:
        """Whether the server has ended the children, so that a job without a summary is for the next one."""
        return self._is_over.is_set()

    def end(self) -> None:
        """End the child that is at work; none is waited for any more."""
        self._is_over.set()
        process = self._process
        if process is not None:
            process.terminate()

    @contextmanager
    def after_others(self, folder: Path) -> Iterator[IO[bytes]]:
        """The locked file that a child holds while it lives: had when the one that an ended server left is through."""
        with (folder / "child").open("a+b") as mark:
            while True:
                try:
                    fcntl.flock(mark, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                except BlockingIOError:
                    if self._is_over.wait(BEAT):
                        mark.seek(0)
                        with suppress(ValueError, ProcessLookupError):
                            os.kill(int(mark.read()), signal.SIGTERM)
                        fcntl.flock(mark, fcntl.LOCK_EX)
                        break
            yield mark

    def run(self, job: Job, folder: Path, mark: IO[bytes]) -> int:
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
        self._process = child
        try:
            mark.truncate(0)
            mark.write(str(child.pid).encode())
            mark.flush()
            if self.is_over:
                child.terminate()
            return child.wait()
        finally:
            self._process = None

    def summary(self, folder: Path) -> dict[str, Any] | None:
        """What a child of this job printed at its end; None before."""
        try:
            found = json.loads(self._shown((folder / "out").read_text(encoding="utf-8"), folder))
        except (OSError, ValueError):
            return None
        return found if isinstance(found, dict) else None

    def failure(self, job: Job, folder: Path, code: int) -> str:
        """Why a child that ended with this code gave nothing, without the paths of this machine; the log has all that it said."""
        said = (folder / "err").read_text(encoding="utf-8", errors="replace").strip()
        log.warning("job %s ended with code %s: %s", job.id, code, said)
        last = said.rpartition("\n")[2]
        is_fault = not last or code < 0 or last.startswith("unexpected ")
        return FAULT if is_fault else self._shown(last, folder)

    def _shown(self, text: str, folder: Path) -> str:
        """A text without the paths of this machine."""
        for place in (folder / "upload", self._place.path, self._settings.root.absolute()):
            text = text.replace(f"{place}/", "").replace(f"{place}: ", "")
        return text


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
