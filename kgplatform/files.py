"""The data directory: where the ledger, the originals, the store and the checkpoints stand."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Iterable
from pathlib import Path


class DataDir:
    """Paths of a data directory, and the files in it that belong to no database."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.ledger = path / "ledger.sqlite"
        self.lock = path / "lock"
        self.store = path / "store"
        self.originals = path / "originals"
        self.checkpoints = path / "checkpoints"

    def remove_embedded(self) -> None:
        """Remove the embedded store and its checkpoints, of which nobody knows once a remote store has their place."""
        for folder in (self.store, self.path / "store.new", self.checkpoints):
            shutil.rmtree(folder, ignore_errors=True)

    # -- originals

    def keep_original(self, content: bytes) -> Path:
        """Store the bytes of a document under their hash, durably, before the ledger speaks of them."""
        target = self.originals / hashlib.sha256(content).hexdigest()
        if not target.exists():
            self.originals.mkdir(exist_ok=True)
            partial = target.with_suffix(".partial")
            with partial.open("wb") as out:
                out.write(content)
                out.flush()
                os.fsync(out.fileno())
            partial.rename(target)
        return target

    def original(self, digest: str) -> bytes:
        return (self.originals / digest).read_bytes()

    def remove_originals(self, digests: Iterable[str]) -> None:
        for digest in digests:
            (self.originals / digest).unlink(missing_ok=True)

    def remove_orphans(self, known: set[str]) -> None:
        """Remove originals that no version of the ledger names: left by a process that was killed."""
        if self.originals.exists():
            for path in self.originals.iterdir():
                if path.name not in known:
                    path.unlink()

    # -- checkpoints

    def checkpoint_paths(self) -> list[Path]:
        """The checkpoints, oldest first."""
        if not self.checkpoints.exists():
            return []
        return sorted((p for p in self.checkpoints.iterdir() if p.name.isdigit()), key=lambda p: int(p.name))

    def latest_checkpoint(self) -> Path | None:
        paths = self.checkpoint_paths()
        return paths[-1] if paths else None

    def next_checkpoint(self) -> Path:
        self.checkpoints.mkdir(exist_ok=True)
        latest = self.latest_checkpoint()
        return self.checkpoints / str(int(latest.name) + 1 if latest else 1)

    def retire_checkpoints(self, *, keep: int) -> None:
        """Remove all but the newest ones, and what a killed process left half-written."""
        paths = self.checkpoint_paths()
        kept = set(paths[len(paths) - keep :])
        if self.checkpoints.exists():
            for path in self.checkpoints.iterdir():
                if path not in kept:
                    shutil.rmtree(path, ignore_errors=True)
