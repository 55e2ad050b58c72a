"""XLSX workbooks as a spreadsheet program saves them, and the staff list that most of them are."""

from __future__ import annotations

import datetime as dt
import io
import zipfile
from collections.abc import Callable, Sequence
from typing import Any

import openpyxl

from kgplatform.model import Notice, Reading
from support.ingesting import people_mapping

PEOPLE = people_mapping("staff_id")
HEAD = ("staff_id", "name", "team", "since", "note")
ROWS = [HEAD, (18, "Ann", "Core", dt.date(2021, 3, 1), "x")]


def workbook(change: Callable[[Any], object] | None = None, /, **sheets: Sequence[tuple[object, ...]]) -> bytes:
    """A workbook as a spreadsheet program saves it; `change` may do to it what it likes before."""
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in (sheets or {"Staff": ROWS}).items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    if change:
        change(book)
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def rewritten(content: bytes, part: str, change: Callable[[str], str]) -> bytes:
    """The workbook with one of its parts changed."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            text = old.read(name)
            new.writestr(name, change(text.decode()) if name == part else text)
    return out.getvalue()


def told(reading: Reading, kind: str) -> list[Notice]:
    return [notice for notice in reading.notices if notice.kind == kind]
