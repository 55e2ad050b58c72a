"""What was spent on a model, durably: one JSON line for each call, with no word of what was asked or replied."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final, NamedTuple

from ..data_directory import DataDir
from ..errors import LanguageModelError
from ..settings.load import Settings
from ..times import Instant
from .base import NOTHING, Spent

_MODE: Final = 0o600
_FLAGS: Final = os.O_WRONLY | os.O_APPEND | os.O_CREAT


@dataclass(frozen=True, slots=True)
class Call:
    """One call: for what (plan, claims), of which model, how it ended, and what it cost."""

    model: str
    purpose: str
    outcome: str
    spent: Spent


class Usage(NamedTuple):
    """The sum of a log, or of one day of it. `unread` lines could not be read, as after a power failure."""

    spent: Spent = NOTHING
    since: Instant = ""
    unread: int = 0


class UsageLog:
    """The log at a path, for its owner alone; processes may share it. It only grows."""

    def __init__(self, path: Path, *, clock: Callable[[], Instant]) -> None:
        self._path = path
        self._clock = clock

    @classmethod
    def of(cls, settings: Settings) -> UsageLog:
        """That of a data directory."""
        return cls(DataDir(settings.data).model_usage, clock=settings.clock)

    def ready(self) -> None:
        """Raise LanguageModelError where a call could not be recorded: it is not made then."""
        try:
            os.close(os.open(self._path, _FLAGS, _MODE))
        except OSError as error:
            raise self._unwritten(error) from error

    def append(self, call: Call) -> None:
        """Write one call, in one line. Raises LanguageModelError where it cannot be written."""
        line = {"at": self._clock(), "model": call.model, "purpose": call.purpose, "outcome": call.outcome, **asdict(call.spent)}
        try:
            file = os.open(self._path, _FLAGS, _MODE)
            try:
                os.write(file, json.dumps(line).encode() + b"\n")  # one write: lines of several processes do not mix
            finally:
                os.close(file)
        except OSError as error:
            raise self._unwritten(error) from error

    def read(self, *, day: str = "") -> Usage:
        """What was spent, on that day (2025-11-01, in UTC) or ever."""
        total = Usage()
        try:
            with self._path.open(encoding="utf-8", errors="replace") as lines:
                for line in lines:
                    try:
                        entry = json.loads(line)
                        at, spent = str(entry["at"]), Spent(*(entry[name] + 0 for name in asdict(NOTHING)))
                    except (ValueError, LookupError, TypeError):
                        total = total._replace(unread=total.unread + 1)
                        continue
                    if at.startswith(day):
                        total = total._replace(spent=total.spent + spent, since=total.since or at)
        except FileNotFoundError:
            pass
        except OSError as error:
            raise LanguageModelError(f"cannot be read: {error.strerror}", where=str(self._path)) from error
        return total

    def _unwritten(self, error: OSError) -> LanguageModelError:
        hint = "a model is not asked where its cost cannot be recorded"
        return LanguageModelError(f"cannot be written: {error.strerror}", where=str(self._path), hint=hint)
