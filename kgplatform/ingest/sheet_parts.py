"""What a sheet of a workbook says besides its values: merged cells, hidden rows and columns, formulas that were never computed."""

from __future__ import annotations

import zipfile
from typing import Final, NamedTuple

from defusedxml.ElementTree import iterparse
from openpyxl.utils import get_column_letter

_MOST: Final = 10_000
"""Places of each kind that are kept for one sheet."""


class SheetParts(NamedTuple):
    """Ranges, rows, columns and cells by their names in the sheet."""

    merged: tuple[str, ...]
    hidden_rows: tuple[int, ...]
    hidden_columns: tuple[str, ...]
    uncomputed: tuple[str, ...]


def parts_of(archive: zipfile.ZipFile, part: str) -> SheetParts:
    """The parts of one sheet, read from its XML as it streams by."""
    merged: list[str] = []
    rows: list[int] = []
    columns: list[str] = []
    uncomputed: list[str] = []
    number = 0
    with archive.open(part) as source:
        for event, element in iterparse(source, events=("start", "end")):
            tag = element.tag.rpartition("}")[2]
            if event == "start":
                if tag == "row":
                    number = int(element.get("r") or number + 1)
                    if element.get("hidden") in ("1", "true") and len(rows) < _MOST:
                        rows.append(number)
                continue
            if tag == "c":
                formula, value = (next((child for child in element if child.tag.endswith(name)), None) for name in ("}f", "}v"))
                if formula is not None and (value is None or not value.text) and element.get("t") != "str" and len(uncomputed) < _MOST:
                    uncomputed.append(element.get("r") or f"in row {number}")
            elif tag == "mergeCell" and len(merged) < _MOST:
                merged.append(element.get("ref") or "")
            elif tag == "col" and element.get("hidden") in ("1", "true"):
                first, last = int(element.get("min") or 1), int(element.get("max") or 1)
                columns.append(get_column_letter(first) if first == last else f"{get_column_letter(first)} to {get_column_letter(last)}")
            if tag in ("c", "row", "mergeCell", "col"):
                element.clear()
    return SheetParts(tuple(merged), tuple(rows), tuple(columns), tuple(uncomputed))
