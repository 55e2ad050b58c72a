"""What is told of a table: records and cells that could not be read, values that were changed on reading, fields that no rule names."""

from __future__ import annotations

from ..errors import SourceError
from ..model import Notice, Problem
from ..terms import curie
from .evidence import line_of
from .records import SourceRecord

MOST_TOLD = 100
"""Bad records and cells of one file that are told one by one. Their number is a matter of whoever wrote the file, and may be millions."""


class Tellings:
    """Collects what is told of one file. `is_lossy` once something that the file says was not taken."""

    def __init__(self, text: str, path: str) -> None:
        self._text, self._path = text, path
        self._problems: list[Problem] = []
        self._untold = 0
        self._guessed: dict[str, tuple[int, str]] = {}
        self._changed: dict[str, tuple[int, str, str]] = {}
        self._unmapped: dict[str, tuple[int, str]] = {}
        self._advised: dict[tuple[str, str, str], tuple[int, str, str]] = {}

    @property
    def is_lossy(self) -> bool:
        return bool(self._problems)

    def unread(self, error: SourceError, record: SourceRecord, column: str = "") -> None:
        """A record that was not read, or a cell of it: then the claims that need the cell are left out."""
        if len(self._problems) >= MOST_TOLD:
            self._untold += 1
            return
        what = f"{column!r}: {error.what}" if column else error.what
        self._problems.append(Problem(error.where or self.where(record), what, error.hint))

    def where(self, record: SourceRecord) -> str:
        return record.where or f"{self._path}:{line_of(self._text, record.start)}"

    def guess(self, what: str, where: str) -> None:
        count, first = self._guessed.get(what) or (0, where)
        self._guessed[what] = (count + 1, first)

    def changed(self, column: str, note: str, record: SourceRecord) -> None:
        """A value that was normalised; the first one is told in full, all are counted."""
        count, first, where = self._changed.get(column) or (0, note, self.where(record))
        self._changed[column] = (count + 1, first, where)

    def unmapped(self, field: str, record: SourceRecord, count: int = 1) -> None:
        before, where = self._unmapped.get(field) or (0, self.where(record))
        self._unmapped[field] = (before + count, where)

    def advise(self, column: str, text: str, datatype: str, key: str, record: SourceRecord) -> None:
        """A value that is quarantined and that a key of the mapping may make readable."""
        count, where, first = self._advised.get((column, datatype, key)) or (0, self.where(record), text)
        self._advised[column, datatype, key] = (count + 1, where, first)

    def problems(self) -> tuple[Problem, ...]:
        problems = list(self._problems)
        if self._untold:
            problems.append(
                Problem(self._path, f"has {self._untold:,} more records or cells that cannot be read", "correct those above first")
            )
        for (column, datatype, key), (count, where, text) in self._advised.items():
            more = f", and {count - 1:,} more like it" if count > 1 else ""
            problems.append(Problem(where, f"{column!r}: {text!r} is no {curie(datatype)}{more}", key))
        return tuple(problems)

    def notices(self) -> tuple[Notice, ...]:
        return (
            *(Notice("unmapped", field, count, where) for field, (count, where) in self._unmapped.items()),
            *(Notice("guessed", what, count, where) for what, (count, where) in self._guessed.items()),
            *(Notice("guessed", f"values of {column!r}: {note}", count, where) for column, (count, note, where) in self._changed.items()),
        )
