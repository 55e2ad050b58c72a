"""XLSX workbooks as texts of rows, which are stored, quoted and shown in their place. Nothing in a workbook is computed or fetched.

The text has a line `Sheet: NAME` before the rows of each sheet, which follow as CSV; rows without a value are left out. `Workbook.rows`
gives the rows of such a text back with the place of each cell, also after secrets were masked in it.
"""

from __future__ import annotations

import csv
import io
import sys
import warnings
import zipfile
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import openpyxl
from openpyxl.utils import get_column_letter

from ..errors import KgError, LimitSourceError, MappingError, SourceError, SyntaxSourceError, nearest
from ..model import Notice, Problem
from .cell_values import Rounded, Stated
from .evidence import trimmed
from .limits import require_room
from .mappings import TableMapping
from .records import Header, SourceRecord
from .rows import TableRow, header_of, measured, row_records
from .sheet_parts import SheetParts, parts_of
from .workbook_values import value_text

ENDINGS: Final = (".xlsx", ".xlsm")
OTHERS: Final = (".xls", ".xlsb", ".ods", ".numbers", ".xlt", ".xltx", ".xltm")
"""Workbooks that are not read; their error says in which format to save them."""
_MAX_CELLS: Final = 20_000_000
_OLE: Final = b"\xd0\xcf\x11\xe0"
_MANY: Final = 5
"""Places that are named in a notice; the others are counted."""


class SheetRow(NamedTuple):
    """A row of the text: of which sheet ('' for headings and gaps), and which of its cells have a type of their own."""

    sheet: str
    number: int = 0
    typed: frozenset[int] = frozenset()


class Workbook(NamedTuple):
    """A workbook as text. `lines` say for each CSV row of the text where it comes from; `hidden` are the hidden sheets."""

    text: str
    lines: tuple[SheetRow, ...]
    sheets: tuple[str, ...]
    hidden: frozenset[str]
    problems: tuple[Problem, ...]
    notices: dict[str, tuple[Notice, ...]]

    def rows(self, text: str, path: str) -> dict[str, list[TableRow]]:
        """The rows of each sheet, with their cells as they stand in `text`: this workbook's, or the same after masking."""
        rows: dict[str, list[TableRow]] = {name: [] for name in self.sheets}
        offsets = [0]
        csv.field_size_limit(sys.maxsize)
        reader = csv.reader(measured(text, offsets))
        for line in self.lines:
            first = reader.line_num
            cells = next(reader)
            if line.sheet:
                start, end = trimmed(text, offsets[first], offsets[reader.line_num])
                values = tuple(_typed(cell.strip()) if at in line.typed else cell.strip() for at, cell in enumerate(cells))
                places = tuple(f"sheet {line.sheet}, cell {get_column_letter(at + 1)}{line.number}" for at in range(len(cells)))
                where = f"{path}, sheet {line.sheet}, row {line.number}"
                rows[line.sheet].append(TableRow(where, line.number, start, end, values, places=places))
        return {name: _padded(of_sheet) for name, of_sheet in rows.items()}


def _padded(rows: list[TableRow]) -> list[TableRow]:
    """Rows as wide as the widest: a sheet does not say where its empty cells end."""
    width = max((len(row.cells) for row in rows), default=0)
    return [row._replace(cells=(*row.cells, *[""] * (width - len(row.cells)))) for row in rows]


def read_workbook(content: bytes, path: str, *, max_bytes: int) -> Workbook:
    """The text of a workbook. SourceError for one that is broken, encrypted, no workbook, or larger than `max_bytes` as text."""
    if content.startswith(_OLE):
        raise SourceError("is encrypted, or a workbook of the old format .xls", where=path, hint="save it as .xlsx without a password")
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive, warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of features that openpyxl leaves out: they hold no values
            require_room(archive, path, max_bytes)
            return _rendered(
                archive, openpyxl.load_workbook(io.BytesIO(content), read_only=True, data_only=True, keep_links=False), path, max_bytes
            )
    except KgError:
        raise
    except Exception as error:  # openpyxl raises whatever its parse meets: KeyError, TypeError, ValueError, BadZipFile ...
        what = f"is no readable XLSX workbook: {str(error)[:200] or type(error).__name__}"
        raise SyntaxSourceError(what, where=path, hint="open it in a spreadsheet program and save it again") from error


def _rendered(archive: zipfile.ZipFile, book: Any, path: str, max_bytes: int) -> Workbook:
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    lines: list[SheetRow] = []
    problems: list[Problem] = []
    notices: dict[str, tuple[Notice, ...]] = {}
    cells = 0
    for sheet in book.worksheets:
        sheet.reset_dimensions()  # a stated size of XFD1048576 would be filled with empty cells
        parts = parts_of(archive, sheet._worksheet_path)
        if lines:
            text.write("\n")
            lines.append(SheetRow(""))
        writer.writerow([f"Sheet: {sheet.title}"])
        lines.append(SheetRow(""))
        for number, row in enumerate(sheet.iter_rows(), 1):
            cells += len(row)
            if cells > _MAX_CELLS or text.tell() > max_bytes:
                raise LimitSourceError(
                    f"holds more than max_file_bytes = {max_bytes} as text, or {_MAX_CELLS:,} cells", where=path, hint="split it"
                )
            values = [value_text(cell) for cell in row]
            while values and not values[-1]:
                values.pop()
            if values:
                writer.writerow(values)
                lines.append(SheetRow(sheet.title, number, frozenset(at for at, cell in enumerate(row) if not isinstance(cell.value, str))))
        problems.extend(_uncomputed(parts, sheet.title, path))
        notices[sheet.title] = tuple(_sheet_notices(parts, sheet.title, path))
    hidden = frozenset(sheet.title for sheet in book.worksheets if sheet.sheet_state != "visible")
    return Workbook(text.getvalue(), tuple(lines), tuple(sheet.title for sheet in book.worksheets), hidden, tuple(problems), notices)


def _uncomputed(parts: SheetParts, sheet: str, path: str) -> Iterator[Problem]:
    if parts.uncomputed:
        what = f"{len(parts.uncomputed)} formulas without a computed value: {_listed(parts.uncomputed)}"
        yield Problem(f"{path}, sheet {sheet}", f"holds {what}", "open it in a spreadsheet program and save it")


def _sheet_notices(parts: SheetParts, sheet: str, path: str) -> Iterator[Notice]:
    where = f"{path}, sheet {sheet}"
    if parts.merged:
        what = f"merged cells, whose value counts for the first of them only: {_listed(parts.merged)}"
        yield Notice("guessed", what, len(parts.merged), where)
    if parts.hidden_rows:
        yield Notice(
            "guessed", f"hidden rows, which are read like others: {_listed(map(str, parts.hidden_rows))}", len(parts.hidden_rows), where
        )
    if parts.hidden_columns:
        what = f"hidden columns, which are read like others: {_listed(parts.hidden_columns)}"
        yield Notice("guessed", what, len(parts.hidden_columns), where)


def _listed(places: Any) -> str:
    named = list(places)
    more = f" and {len(named) - _MANY:,} more" if len(named) > _MANY else ""
    return ", ".join(named[:_MANY]) + more


def sheet_records(
    book: Workbook, of_sheets: dict[str, list[TableRow]], mapping: TableMapping, path: str
) -> tuple[list[Header | SourceRecord], tuple[Notice, ...]]:
    """The records of the sheets that the mapping names, else of all visible ones whose header has its columns; and notices of the sheets.

    MappingError where there is no such sheet, or none that fits.
    """
    rows = {name: [row for row in of_sheet if row.number > mapping.layout.skip_lines] for name, of_sheet in of_sheets.items()}
    stated_sheets = mapping.layout.sheets
    for name in stated_sheets:
        if name not in rows:
            hint = nearest(name, book.sheets) or f"its sheets are {', '.join(book.sheets)}"
            raise MappingError(f"names the sheet {name!r}, which {path} does not have", where=mapping.path, hint=hint)
    open_ = [name for name in stated_sheets or book.sheets if rows[name] and (stated_sheets or name not in book.hidden)]
    if not open_:
        raise SourceError(
            "holds no rows in a visible sheet",
            where=path,
            hint="name a hidden one with `sheet` in the mapping, if it is meant",
            reason="empty",
        )
    lacking = (
        {} if stated_sheets else {name: sorted(mapping.columns - set(header_of(rows[name][0], mapping.columns).columns)) for name in open_}
    )
    fitting = [name for name in open_ if not lacking.get(name)]
    notices = [notice for name in fitting for notice in book.notices[name]]
    for name in book.sheets:
        why = (
            "hidden"
            if name in book.hidden
            else f"without a column {lacking[name][0]!r}"
            if lacking.get(name)
            else "not named by the mapping"
        )
        if name not in fitting and rows[name]:
            notices.append(Notice("skipped", f"sheet {name}, {why}", 1, f"{path}, sheet {name}"))
    return [record for name in fitting or open_[:1] for record in row_records(rows[name], mapping, path)], tuple(notices)


def _typed(text: str) -> Stated:
    return Rounded(text) if text.isdigit() and len(text.lstrip("0")) > 15 else Stated(text)
