"""The data directory: where the ledger, the originals, the store and the checkpoints stand."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from filelock import FileLock, Timeout

from .errors import DataDirError, LockedError

_PROBING: Final = 1.0
"""Seconds that a server waits for its lock: `_is_locked` of another process holds it for a moment."""


def write_durably(target: Path, content: bytes) -> None:
    """Write a file whole: after a kill or a power failure it is there as before, or as given."""
    partial = target.with_suffix(".partial")
    with partial.open("wb") as out:
        out.write(content)
        out.flush()
        os.fsync(out.fileno())
    partial.rename(target)


def _unwritable(place: Path, error: OSError) -> DataDirError:
    said = error.strerror or str(error)
    return DataDirError(f"cannot be written: {said}", where=str(place), hint="see that there is room, and that this user may write here")


def _is_locked(path: Path) -> bool:
    """Whether a process holds the lock of that file; asking needs no right to write."""
    try:
        opened = os.open(path, os.O_RDONLY)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(opened, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(opened)
    return False


class DataDir:
    """Paths of a data directory, and the files in it that belong to no database."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.ledger = path / "ledger.sqlite"
        self.log = path / "ledger.sqlite-wal"
        self.lock = path / "lock"
        self.store = path / "store"
        self.originals = path / "originals"
        self.checkpoints = path / "checkpoints"
        self.jobs = path / "jobs"
        self.restoring = path / "restoring"
        self.aside = path / "set-aside"
        self.model_usage = path / "model-usage.jsonl"
        self._serving = path / "serving.lock"
        self._served = path / "serving.json"

    def make(self) -> None:
        """Make the folder, for its owner alone, where it is not there."""
        try:
            self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise _unwritable(self.path, error) from error

    def hold(self, *, wait: float = 0.0) -> FileLock:
        """The writer's lock, held until it is released. Raises LockedError where another process still holds it after `wait` seconds."""
        lock = FileLock(self.lock)
        try:
            lock.acquire(timeout=wait)
        except Timeout as error:
            url = self.served_at()
            hint = f"wait for it to end, or ask the server: kgplatform --server {url}" if url else "wait for it to end, or read"
            raise LockedError("another process is writing here", where=str(self.path), hint=hint) from error
        except OSError as error:
            raise _unwritable(self.path, error) from error
        return lock

    def is_held(self) -> bool:
        """Whether a process is writing here; no lock is taken."""
        return _is_locked(self.lock)

    # -- the one server

    @contextmanager
    def serving(self) -> Iterator[Callable[[str], None]]:
        """Be the only server here for a `with` block; the function given is to be called with the URL once it is known.

        Raises LockedError, with the URL of the other server, where one runs.
        """
        try:
            with FileLock(self._serving, timeout=_PROBING):
                self._served.unlink(missing_ok=True)  # left by a server that was killed
                try:
                    yield lambda url: write_durably(self._served, json.dumps({"url": url}).encode())
                finally:
                    self._served.unlink(missing_ok=True)
        except Timeout as error:
            url = self._stated_url()
            hint = f"stop that one first, or talk to it: kgplatform --server {url}" if url else "it is only starting, or stopping"
            raise LockedError(f"is served already{f' at {url}' if url else ''}", where=str(self.path), hint=hint) from error

    def served_at(self) -> str:
        """The URL of the server that runs on this directory, '' if none does; what a killed server left is ignored."""
        return self._stated_url() if self._served.exists() and _is_locked(self._serving) else ""

    def _stated_url(self) -> str:
        try:
            return str(json.loads(self._served.read_bytes())["url"])
        except (OSError, ValueError, KeyError, TypeError):
            return ""

    def remove_embedded(self) -> None:
        """Remove the embedded store and its checkpoints, which nothing would look after once a remote store is used."""
        for folder in (self.store, self.path / "store.new", self.checkpoints):
            shutil.rmtree(folder, ignore_errors=True)

    # -- originals

    def keep_original(self, content: bytes) -> Path:
        """Store the bytes of a document under their hash, durably: call it before the ledger names the hash."""
        target = self.originals / hashlib.sha256(content).hexdigest()
        if not target.exists():
            try:
                self.originals.mkdir(exist_ok=True)
                write_durably(target, content)
            except OSError as error:
                raise _unwritable(self.originals, error) from error
        return target

    def original(self, digest: str) -> bytes:
        """The bytes of an original, by the hash of its content. Raises OSError where it is missing."""
        return (self.originals / digest).read_bytes()

    def fault_of_original(self, digest: str) -> str:
        """`missing` or `damaged` (its bytes have another hash), '' for a sound one."""
        path = self.originals / digest
        if not path.is_file():
            return "missing"
        with path.open("rb") as content:
            return "" if hashlib.file_digest(content, "sha256").hexdigest() == digest else "damaged"

    def set_aside(self, digests: Iterable[str]) -> None:
        """Move originals into the folder `set-aside`, where nothing looks for them."""
        self.aside.mkdir(mode=0o700, exist_ok=True)
        for digest in digests:
            (self.originals / digest).rename(self.aside / digest)

    def remove_originals(self, digests: Iterable[str]) -> None:
        """Remove the originals with these hashes; a hash without an original is passed over."""
        for digest in digests:
            (self.originals / digest).unlink(missing_ok=True)

    def original_names(self) -> set[str]:
        """The hashes of the originals that stand here."""
        return {path.name for path in self.originals.iterdir() if path.suffix != ".partial"} if self.originals.exists() else set()

    @property
    def is_filled(self) -> bool:
        """Whether there are originals, checkpoints, open jobs or a store, which means that there was a ledger."""
        return bool(self.original_names() or self.checkpoint_paths() or self.has_open_jobs) or self.store.exists()

    # -- jobs of a server

    @property
    def open_jobs(self) -> Path:
        """A folder for each job that has not ended: its record, its upload, what its process says."""
        return self.jobs / "open"

    @property
    def ended_jobs(self) -> Path:
        """A file for each job that has ended: its record."""
        return self.jobs / "ended"

    @property
    def has_open_jobs(self) -> bool:
        """Whether a job of a server has not ended."""
        return any(self.open_jobs.glob("*"))

    def forget_ended_jobs(self) -> None:
        """Remove the records of ended jobs, which quote what was read."""
        for path in self.ended_jobs.glob("*"):
            if path.suffix != ".partial":  # such a file is being written
                path.unlink(missing_ok=True)

    # -- checkpoints

    def checkpoint_paths(self) -> list[Path]:
        """The checkpoints, oldest first."""
        if not self.checkpoints.exists():
            return []
        return sorted((p for p in self.checkpoints.iterdir() if p.name.isdigit()), key=lambda p: int(p.name))

    def latest_checkpoint(self) -> Path | None:
        """The newest checkpoint, None if there is none."""
        paths = self.checkpoint_paths()
        return paths[-1] if paths else None

    def next_checkpoint(self) -> Path:
        """The path at which the next checkpoint is to be written; nothing stands there yet."""
        self.checkpoints.mkdir(exist_ok=True)
        latest = self.latest_checkpoint()
        return self.checkpoints / str(int(latest.name) + 1 if latest else 1)

    def retire_checkpoints(self, *, keep: int) -> None:
        """Remove all but the newest ones, and what a killed process left half-written. Raises DataDirError where one stays."""
        paths = self.checkpoint_paths()
        kept = set(paths[len(paths) - keep :])
        if self.checkpoints.exists():
            for path in self.checkpoints.iterdir():
                if path not in kept:
                    shutil.rmtree(path, ignore_errors=True)
                    if path.exists():
                        raise DataDirError("an older checkpoint cannot be removed", where=str(path), hint="remove it by hand")
