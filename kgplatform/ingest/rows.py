"""Rows of cells as records: the header that names the columns, rows that do not fit it, and peculiarities of CSV files."""

from __future__ import annotations

import csv
import io
import re
import sys
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Final, NamedTuple

from ..errors import MappingError, SourceError, SyntaxSourceError, nearest
from .evidence import trimmed
from .mappings import TableMapping
from .records import Header, SourceRecord

_SEPARATOR: Final = re.compile(r"(?i)sep=(.)[ \t]*(?:\r\n|\r|\n|$)")
"""A first line that states the delimiter to Excel; it is no row."""
_LOOKED_AT: Final = 20
"""Rows below a wrong header that are searched, to say where the header may be."""


class TableRow(NamedTuple):
    """The cells of one row, its place for people, and why it was not read. `places` are those of its cells, where they have any."""

    where: str
    number: int
    start: int
    end: int
    cells: tuple[str, ...]
    error: SourceError | None = None
    places: tuple[str, ...] = ()


def csv_rows(text: str, path: str, *, delimiter: str, stated: str, skip_lines: int) -> Iterator[TableRow]:
    """The rows of a CSV text that are not blank. The delimiter is `stated` (the mapping's), else that of a `sep=` line, else `delimiter`."""
    first = _SEPARATOR.match(text)
    skipped = skip_lines + (1 if first else 0)
    start = _line_start(text, skipped)
    lines: list[int] = [start]
    csv.field_size_limit(sys.maxsize)  # the file's own size is limited
    rows = csv.reader(measured(text[start:], lines), delimiter=stated or (first[1] if first else delimiter), strict=True)
    while True:
        line = rows.line_num
        number = skipped + line + 1
        where = f"{path}:{number}"
        try:
            cells = next(rows)
        except StopIteration:
            return
        except csv.Error as error:
            wrong = SyntaxSourceError(f"is not valid CSV: {error}", where=where, hint="check its quotes")
            yield TableRow(where, number, lines[line], lines[rows.line_num], (), wrong)
            continue
        values = tuple([cell.strip() for cell in cells])
        if any(values):
            yield TableRow(where, number, *trimmed(text, lines[line], lines[rows.line_num]), values)


def _line_start(text: str, number: int) -> int:
    """Where the line after `number` lines begins."""
    ends = islice(re.finditer(r"\r\n|\r|\n", text), number)
    last = 0
    for end in ends:
        last = end.end()
        number -= 1
    return len(text) if number > 0 else last


def measured(text: str, lines: list[int]) -> Iterator[str]:
    """The lines of a text; the offset after each is appended to `lines`."""
    for line in io.StringIO(text, newline=""):
        lines.append(lines[-1] + len(line))
        yield line


def row_records(rows: Iterable[TableRow], mapping: TableMapping, path: str) -> Iterator[Header | SourceRecord]:
    """The header first, then the records. A row that does not fit the header carries its error.

    Nameless and repeated columns are allowed where the mapping does not name them. MappingError where the mapping names a column
    that the header lacks, SourceError where the header cannot be read, or has a column of the mapping twice.
    """
    waiting = iter(rows)
    top = next(waiting, None)
    if top is None:
        return
    if top.error:
        raise top.error
    if mapping.inner:
        name = min(mapping.inner)
        raise MappingError(
            f"goes through the list {name!r}, and the rows of {path} have no lists", where=mapping.path, hint="use another mapping for it"
        )
    header = header_of(top, mapping.columns)
    missing = sorted(mapping.columns - set(header.columns))
    if missing:
        raise MappingError(
            f"names the column {missing[0]!r}, which {path} does not have",
            where=mapping.path,
            hint=_missing_hint(missing[0], top, list(islice(waiting, _LOOKED_AT)), mapping),
        )
    yield header
    needed = len(header.columns) - next((n for n, name in enumerate(reversed(top.cells)) if name), len(top.cells))
    for row in waiting:
        yield _record(row, header.columns, needed)


def _record(row: TableRow, names: tuple[str, ...], needed: int) -> SourceRecord:
    """The record of a row. A row may leave out the nameless columns at the end of the header; any other length is an error."""
    if row.error:
        return SourceRecord(row.start, row.end, {}, row.error)
    if len(row.cells) not in (len(names), needed):
        what = f"has {len(row.cells)} cells where the header has {len(names)}"
        return SourceRecord(row.start, row.end, {}, SyntaxSourceError(what, where=row.where, hint="quote cells that hold the delimiter"))
    if len(set(names)) < len(names):
        fields: dict[str, tuple[str, ...]] = {}
        for name, cell in zip(names, row.cells, strict=False):
            if cell:
                fields[name] = (*fields.get(name, ()), cell)
    else:
        fields = {name: (cell,) for name, cell in zip(names, row.cells, strict=False) if cell}
    places = dict(zip(names, row.places, strict=False)) if row.places else {}
    return SourceRecord(row.start, row.end, fields, where=row.where, places=places)


def header_of(row: TableRow, wanted: frozenset[str]) -> Header:
    """The columns that a row names, spelt as in the mapping where they differ in case or spaces only.

    SourceError where a wanted one stands twice.
    """
    by_key = {_key(name): name for name in sorted(wanted, reverse=True)}
    exact = set(row.cells) & wanted
    names: list[str] = []
    changed: list[tuple[str, str]] = []
    for number, cell in enumerate(row.cells, 1):
        other = by_key.get(_key(cell), "")
        name = other if other and other not in exact and cell not in exact else cell or f"column {number}"
        if cell and name != cell:
            changed.append((cell, name))
        names.append(name)
    for name, count in Counter(names).items():
        if count > 1 and name in wanted:
            raise SyntaxSourceError(f"the column {name!r} stands twice", where=row.where, hint="rename one of them")
    return Header(tuple(names), tuple(changed), row.where)


def _key(name: str) -> str:
    return " ".join(unicodedata.normalize("NFC", name).casefold().split())


def _missing_hint(name: str, top: TableRow, below: list[TableRow], mapping: TableMapping) -> str:
    if len(top.cells) == 1:
        marks = [*";\t|,", *dict.fromkeys(mark for mark in top.cells[0] if not mark.isalnum() and mark not in f"\"' {name}")]
        for mark in marks:
            if _key(name) in map(_key, top.cells[0].split(mark)):
                return f"add delimiter = {mark!r} to the mapping"
    for row in below:
        if mapping.columns <= set(header_of(row._replace(cells=tuple(dict.fromkeys(row.cells))), mapping.columns).columns):
            return f"the header seems to stand in line {row.number}: add skip_lines = {row.number - 1} to the mapping"
    return nearest(name, top.cells) or f"the file has {', '.join(filter(None, top.cells))}"
