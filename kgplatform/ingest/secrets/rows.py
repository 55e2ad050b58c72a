"""The fields of tables: CSV with any delimiter, and tables of Markdown. The headers are the keys, a row is a mapping."""

from __future__ import annotations

import csv
import io
import re
import sys
from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from .fields import SecretField
from .names import Verdict, verdict, words

DELIMITERS: Final = ",;\t|"
_BEFORE_HEADER: Final = 20
"""Lines above a header that may be something else: titles, `sep=;`, notes."""

Cell = tuple[int, int, str]


def csv_fields(text: str) -> Iterator[SecretField]:
    """The cells below a header, for each delimiter that gives a header with keys of secrets, or with columns of names and values."""
    for delimiter in DELIMITERS:
        yield from _table(text, delimiter)


def _table(text: str, delimiter: str) -> Iterator[SecretField]:
    header: list[str] = []
    lines = [0]
    csv.field_size_limit(sys.maxsize)
    rows = csv.reader(_measured(text, lines), delimiter=delimiter)
    number = 0
    while True:
        first = rows.line_num
        try:
            values = next(rows)
        except StopIteration:
            return
        except csv.Error:
            continue
        number += 1
        if not header or number <= _BEFORE_HEADER and len(header) == 1 and len(values) > 1:
            header = values if _is_header(values, delimiter) else header
            if not header and number > _BEFORE_HEADER:
                return
            continue
        cells = _cells(text, lines[first], lines[rows.line_num], delimiter, values)
        for name, (start, end, value) in zip(header, cells, strict=False):
            if name.strip():
                yield SecretField((_column(name.strip()),), (number,), start, end, value)


def _is_header(values: list[str], delimiter: str) -> bool:
    """Whether a row is a header with columns of secrets, or of values; a row with another delimiter is none."""
    names = [value.strip() for value in values]
    if any(sign in name for sign in DELIMITERS if sign != delimiter for name in names):
        return False
    return any(len(name) < 60 and verdict(name) is not Verdict.NO for name in names) or any(
        name.lower() in ("value", "object") for name in names
    )


def _measured(text: str, lines: list[int]) -> Iterator[str]:
    for line in io.StringIO(text, newline=""):
        lines.append(lines[-1] + len(line))
        yield line


def _cells(text: str, start: int, end: int, delimiter: str, values: list[str]) -> Iterator[Cell]:
    """The spans of the cells of a row, without quotes and white space around them."""
    place = start
    for value in values:
        begin = place + len(text[place:end]) - len(text[place:end].lstrip(" "))
        if text[begin : begin + 1] == '"':
            last = begin + 1
            while last < end and (text[last] != '"' or text[last + 1 : last + 2] == '"'):
                last += 2 if text[last] == '"' else 1
            yield begin + 1, last, value.strip()
            rest = text.find(delimiter, last, end)
        else:
            rest = text.find(delimiter, begin, end)
            yield begin, begin + len(text[begin : rest if rest >= 0 else end].rstrip()), value.strip()
        place = rest + 1 if rest >= 0 else end


_RULE: Final = re.compile(r"^[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$", re.MULTILINE)
_EDGE: Final = re.compile(r"(?<!\\)\|")
_QUOTES: Final = "`*_\"' \t"


def markdown_fields(text: str) -> Iterator[SecretField]:
    """The cells of Markdown tables; a first cell that names a secret stands for the name of a pair with each cell beside it."""
    for table, rule in enumerate(_RULE.finditer(text)):
        above = text.rfind("\n", 0, max(0, rule.start() - 1)) + 1
        header = [value for _, _, value in _row(text, above, max(above, rule.start() - 1))]
        if "|" not in text[above : rule.start()]:
            continue
        place, number = rule.end() + 1, 0
        while place < len(text):
            end = text.find("\n", place)
            end = end if end >= 0 else len(text)
            if "|" not in text[place:end]:
                break
            number += 1
            yield from _of_row(header, list(_row(text, place, end)), table * 1_000_000 + number)
            place = end + 1


def _of_row(header: list[str], cells: list[Cell], owner: int) -> Iterator[SecretField]:
    for name, (start, end, value) in zip(header, cells, strict=False):
        yield SecretField((_column(name),), (owner,), start, end, value)
    if cells and verdict(cells[0][2]) is not Verdict.NO and len(cells[0][2]) < 60:
        for start, end, value in cells[1:]:
            yield SecretField((f"{cells[0][2]}s",), (-owner,), start, end, value)  # a plural: only what looks generated


def _column(name: str) -> str:
    """The key of a column. A column `token` or `secret` may also list words or names: there only a value that looks generated is a secret."""
    return f"{name}s" if words(name) in (("token",), ("secret",)) else name


def _row(text: str, start: int, end: int) -> Iterator[Cell]:
    line = text[start:end]
    edges = [edge.start() for edge in _EDGE.finditer(line)]
    first = [] if line.lstrip().startswith("|") else [-1]
    last = [] if line.rstrip().endswith("|") else [len(line)]
    marks = [*first, *edges, *last]
    for left, right in pairwise(marks):
        inner = line[left + 1 : right]
        begin = start + left + 1 + len(inner) - len(inner.lstrip(_QUOTES))
        value = inner.strip(_QUOTES)
        yield begin, begin + len(value), value
