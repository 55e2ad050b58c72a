"""A workbook as a text, and what else is known of its sheets as JSON values: places in them are without the path that it was read at."""

from __future__ import annotations

import csv
from typing import Any

from ..errors import SyntaxSourceError
from ..model import Notice, Problem
from .rows import TableRow
from .unpacked import Unpacked
from .workbooks import SheetRow, Workbook


def unpacked_workbook(book: Workbook, path: str) -> Unpacked:
    """The workbook that was read at `path`; it may be read at another one."""
    stated = {
        "sheets": list(book.sheets),
        "lines": [(line.sheet, line.number, sorted(line.typed)) for line in book.lines],
        "hidden": sorted(book.hidden),
        "problems": [(item.where.removeprefix(path), item.what, item.hint, item.reason) for item in book.problems],
        "notices": {
            name: [(item.kind, item.what, item.count, item.where.removeprefix(path)) for item in listed]
            for name, listed in book.notices.items()
        },
    }
    return Unpacked(book.text, stated)


def workbook_of(file: Unpacked, path: str) -> tuple[Workbook, dict[str, list[TableRow]]]:
    """The workbook, and the rows of its sheets. SyntaxSourceError for parts that somebody else wrote."""
    try:
        book = _workbook(file.text, file.parts, path)
        return book, book.rows(file.text, path)
    except (AttributeError, KeyError, TypeError, ValueError, StopIteration, csv.Error) as error:
        raise SyntaxSourceError(
            "is no readable XLSX workbook", where=path, hint="open it in a spreadsheet program and save it again"
        ) from error


def _workbook(text: str, stated: Any, path: str) -> Workbook:
    return Workbook(
        text,
        tuple(SheetRow(str(sheet), int(number), frozenset(map(int, typed))) for sheet, number, typed in stated["lines"]),
        tuple(map(str, stated["sheets"])),
        frozenset(map(str, stated["hidden"])),
        tuple(Problem(f"{path}{where}", str(what), str(hint), str(reason)) for where, what, hint, reason in stated["problems"]),
        {
            name: tuple(Notice(str(kind), str(what), int(count), f"{path}{where}") for kind, what, count, where in stated["notices"][name])
            for name in stated["sheets"]
        },
    )
