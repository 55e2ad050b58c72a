"""What is reported of a table: records and cells that could not be read, values that were changed on reading, fields that no rule names."""

from __future__ import annotations

from ..errors import SourceError
from ..model import Notice, Problem
from ..terms import curie
from .evidence import line_of
from .records import SourceRecord

MOST_REPORTED = 100
"""Bad records and cells of one file that are listed; the others are counted, since a file may have millions."""


class TableReport:
    """Collects the problems and notices of one file."""

    def __init__(self, text: str, path: str) -> None:
        self._text, self._path = text, path
        self._problems: list[Problem] = []
        self._unlisted = 0
        self._guessed: dict[str, tuple[int, str]] = {}
        self._changed: dict[str, tuple[int, str, str]] = {}
        self._unmapped: dict[str, tuple[int, str]] = {}
        self._advised: dict[tuple[str, str, str], tuple[int, str, str]] = {}

    @property
    def is_lossy(self) -> bool:
        """Whether a record or cell was not read."""
        return bool(self._problems)

    def unread(self, error: SourceError, record: SourceRecord, column: str = "") -> None:
        """A record that was not read; or, with `column`, one of its cells, so that the claims that need it are left out."""
        if len(self._problems) >= MOST_REPORTED:
            self._unlisted += 1
            return
        what = f"{column!r}: {error.what}" if column else error.what
        self._problems.append(Problem(error.where or self.where(record), what, error.hint))

    def where(self, record: SourceRecord) -> str:
        """The place of a record for people: `path:line`, or sheet and row of a workbook."""
        return record.where or f"{self._path}:{line_of(self._text, record.start)}"

    def guess(self, what: str, where: str) -> None:
        """Something that was read otherwise than it stands in the file; equal texts are counted."""
        count, first = self._guessed.get(what) or (0, where)
        self._guessed[what] = (count + 1, first)

    def changed(self, column: str, note: str, record: SourceRecord) -> None:
        """A value that was normalised; the first of a column is shown, all are counted."""
        count, first, where = self._changed.get(column) or (0, note, self.where(record))
        self._changed[column] = (count + 1, first, where)

    def unmapped(self, field: str, record: SourceRecord, count: int = 1) -> None:
        """Values of a field that no rule reads, `count` of them, by the name of the field."""
        before, where = self._unmapped.get(field) or (0, self.where(record))
        self._unmapped[field] = (before + count, where)

    def advise(self, column: str, text: str, datatype: str, key: str, record: SourceRecord) -> None:
        """A value that is quarantined and that a key of the mapping may make readable."""
        count, where, first = self._advised.get((column, datatype, key)) or (0, self.where(record), text)
        self._advised[column, datatype, key] = (count + 1, where, first)

    def problems(self) -> tuple[Problem, ...]:
        """The unread records and cells in their order, the number of those beyond MOST_REPORTED, then advice for the mapping."""
        problems = list(self._problems)
        if self._unlisted:
            problems.append(
                Problem(self._path, f"has {self._unlisted:,} more records or cells that cannot be read", "correct those above first")
            )
        for (column, datatype, key), (count, where, text) in self._advised.items():
            more = f", and {count - 1:,} more like it" if count > 1 else ""
            problems.append(Problem(where, f"{column!r}: {text!r} is no {curie(datatype)}{more}", key))
        return tuple(problems)

    def notices(self) -> tuple[Notice, ...]:
        """One notice for each unmapped field, guess and changed column, with the number and the first place."""
        return (
            *(Notice("unmapped", field, count, where) for field, (count, where) in self._unmapped.items()),
            *(Notice("guessed", what, count, where) for what, (count, where) in self._guessed.items()),
            *(Notice("guessed", f"values of {column!r}: {note}", count, where) for column, (count, note, where) in self._changed.items()),
        )
