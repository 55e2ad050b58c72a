"""How far an ingest is, told while it runs: a bar on a terminal, or a file that another program reads."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, SpinnerColumn, TextColumn
from rich.progress import Progress as Bar

from ..errors import UsageError
from ..graph import READING

_BEAT: Final = 0.25
"""Seconds between two states of the file."""


@dataclass
class Stand:
    """What was read so far: documents whole, with their claims, and the records of tables, those of the table that is read now too."""

    stage: str = READING
    documents: int = 0
    claims: int = 0
    records: int = 0


class Progress:
    """Sees what is read, and tells it. `bar` is a console that is a terminal, or None; `file` is written anew about four times a second."""

    def __init__(self, *, bar: Console | None, file: Path | None, paths: Sequence[Path]) -> None:
        self._stand = Stand()
        self._file = file
        self._next = 0.0
        self._bar = _bar(bar) if bar else None
        if self._bar:
            self._task = self._bar.add_task(READING, total=_files(paths), name="")

    def __enter__(self) -> Self:
        if self._bar:
            self._bar.start()
        self._tell()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._bar:
            self._bar.stop()

    def stage(self, name: str) -> None:
        """It is READING, WAITING or WRITING now."""
        self._stand.stage = name
        if self._bar:
            self._bar.update(self._task, description=name)
        self._tell()

    def again(self) -> None:
        """All is read once more."""
        self._stand = Stand()
        if self._bar:
            self._bar.reset(self._task, description=READING)

    def record(self) -> None:
        """One more record of a table is read."""
        self._stand.records += 1
        if time.monotonic() >= self._next:
            self._tell()

    def file(self, path: str, *, documents: int = 0, claims: int = 0) -> None:
        """One more file is read, or could not be."""
        self._stand.documents += documents
        self._stand.claims += claims
        if self._bar:
            self._bar.update(self._task, advance=1, name=Path(path).name)
        if time.monotonic() >= self._next:
            self._tell()

    def _tell(self) -> None:
        if self._file is None:
            return
        self._next = time.monotonic() + _BEAT
        partial = self._file.with_name(f"{self._file.name}.{os.getpid()}")
        try:
            partial.write_text(json.dumps(asdict(self._stand)), encoding="utf-8")
            partial.rename(self._file)
        except OSError as error:
            raise UsageError(f"cannot be written: {error.strerror}", where=str(self._file), hint="name another file") from error


def _bar(console: Console) -> Bar:
    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    return Bar(*columns, TextColumn("{task.fields[name]}", markup=False), console=console, transient=True)


def _files(paths: Sequence[Path]) -> int:
    return sum(sum(len(names) for _folder, _below, names in os.walk(path)) or 1 for path in paths)
