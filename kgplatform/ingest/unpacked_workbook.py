"""A workbook as it is stored until it is read: its text, and what else is known of its sheets.

The file itself cannot be stored: its content is compressed, where a mask of equal length would break it.
"""

from __future__ import annotations

import csv
import io
import json
import zipfile
import zlib
from typing import Any, Final

from ..errors import SyntaxSourceError
from ..model import Notice, Problem
from .workbooks import SheetRow, Workbook, require_room

_TEXT: Final = "unpacked.csv"
_SHEETS: Final = "unpacked.json"


def packed(book: Workbook, path: str) -> bytes:
    """The workbook that was read at `path` as an archive of two parts; it may be read at another one."""
    archive_bytes = io.BytesIO()
    stated = book._asdict() | {
        "text": "",
        "lines": [(line.sheet, line.number, sorted(line.typed)) for line in book.lines],
        "hidden": sorted(book.hidden),
        "problems": [(item.where.removeprefix(path), item.what, item.hint, item.reason) for item in book.problems],
        "notices": {
            name: [(item.kind, item.what, item.count, item.where.removeprefix(path)) for item in listed]
            for name, listed in book.notices.items()
        },
    }
    with zipfile.ZipFile(archive_bytes, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(_TEXT, book.text)
        archive.writestr(_SHEETS, json.dumps(stated))
    return archive_bytes.getvalue()


def unpacked(content: bytes, path: str, *, max_bytes: int) -> Workbook | None:
    """The workbook of such an archive; None for any other content. SyntaxSourceError for one that somebody else wrote."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            if {_TEXT, _SHEETS} != set(archive.namelist()):
                return None
            require_room(archive, path, max_bytes)
            text, stated = archive.read(_TEXT).decode(), json.loads(archive.read(_SHEETS))
    except (zipfile.BadZipFile, zlib.error, ValueError, RuntimeError, EOFError, OSError):
        return None
    try:
        book = _workbook(text, stated, path)
        book.rows(text, path)
    except (AttributeError, KeyError, TypeError, ValueError, StopIteration, csv.Error) as error:
        raise SyntaxSourceError(
            "is no readable XLSX workbook", where=path, hint="open it in a spreadsheet program and save it again"
        ) from error
    return book


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
