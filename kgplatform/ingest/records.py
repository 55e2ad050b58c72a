"""CSV, JSON and YAML files as records: flat rows of texts, each with the span it was read from."""

from __future__ import annotations

import csv
import io
import json
import re
import sys
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from ..errors import LimitSourceError, SourceError, SyntaxSourceError
from .evidence import compact, line_of, trimmed
from .limits import is_text
from .yaml_documents import Mapping, Sequence, as_value


class Record(NamedTuple):
    """One record: texts by field (nested fields dotted). `error` is set on one that could not be read, its place where it is not the record's own."""

    start: int
    end: int
    fields: dict[str, tuple[str, ...]]
    error: SourceError | None = None


class Header(NamedTuple):
    """The columns of a CSV file, which a mapping must name rightly."""

    columns: tuple[str, ...]


def csv_records(text: str, path: str, *, delimiter: str) -> Iterator[Header | Record]:
    """The header first, then the rows. A row of another length, or with a broken quote, carries its error."""
    lines: list[int] = [0]
    csv.field_size_limit(sys.maxsize)  # the file's own size is limited
    rows = csv.reader(_measured(text, lines), delimiter=delimiter, strict=True)
    header: tuple[str, ...] | None = None
    while True:
        first = rows.line_num
        try:
            cells = next(rows)
        except StopIteration:
            return
        except csv.Error as error:
            where = f"{path}:{first + 1}"
            wrong = SyntaxSourceError(f"is not valid CSV: {error}", where=where, hint="check its quotes")
            if header is None:
                raise wrong from error
            yield Record(lines[first], lines[rows.line_num], {}, wrong)
            continue
        start, end = trimmed(text, lines[first], lines[rows.line_num])
        if not any(cell.strip() for cell in cells):
            continue
        if header is None:
            header = _header(cells, f"{path}:{first + 1}")
            yield Header(header)
        elif len(cells) != len(header):
            what = f"has {len(cells)} cells where the header has {len(header)}"
            yield Record(start, end, {}, SyntaxSourceError(what, where=f"{path}:{first + 1}", hint="quote cells that hold the delimiter"))
        else:
            yield Record(start, end, {name: (cell.strip(),) for name, cell in zip(header, cells, strict=True) if cell.strip()})


def _measured(text: str, lines: list[int]) -> Iterator[str]:
    """The lines of a text; the offset after each is appended to `lines`."""
    for line in io.StringIO(text, newline=""):
        lines.append(lines[-1] + len(line))
        yield line


def _header(cells: list[str], where: str) -> tuple[str, ...]:
    names = tuple(cell.strip() for cell in cells)
    for name in names:
        if not name:
            raise SyntaxSourceError("a column has no name", where=where, hint="the first row must name every column")
        if names.count(name) > 1:
            raise SyntaxSourceError(f"the column {name!r} stands twice", where=where, hint="rename one of them")
    return names


def json_records(text: str, path: str, *, at: str) -> Iterator[Record]:
    """The objects of the list at a dotted path ('': the whole text): one list, one object, or one object a line."""
    decoder = _Decoder(text, path)
    if path.endswith((".jsonl", ".ndjson")):
        place = decoder.skip(0)
        while place < len(text):
            try:
                value, end = decoder.value(place)
                yield _record(value, place, end)
            except SyntaxSourceError as error:
                end = place + len(_LINE.match(text, place)[0])  # type: ignore[index]
                yield Record(place, end, {}, error)
            place = decoder.skip(end)
        return
    start = decoder.skip(0)
    end = decoder.skip(decoder.checked(start))
    if end < len(text):
        raise decoder.wrong("is not valid JSON: it goes on after its end", end)
    for name in at.split(".") if at else ():
        start = decoder.member(start, name)
    if text[start] != "[":
        value, end = decoder.value(start)
        yield _record(value, start, end)
        return
    place = decoder.skip(start + 1)
    while text[place] != "]":
        value, end = decoder.value(place)
        yield _record(value, place, end)
        place = decoder.skip(end)
        place = decoder.skip(place + 1) if text[place] == "," else place


_LINE: Final = re.compile(r"[^\r\n]+")


class _Number(str):
    """A JSON number as it is written."""


class _Decoder:
    """JSON values with their places; duplicate keys and deep nesting are refused, numbers keep their text."""

    def __init__(self, text: str, path: str) -> None:
        self.text, self.path = text, path
        self.json = json.JSONDecoder(object_pairs_hook=self.pairs, parse_int=_Number, parse_float=_Number, parse_constant=self.constant)

    def checked(self, start: int) -> int:
        """Where the value that begins here ends; an error names the line where the grammar breaks."""
        return self._decoded(json.JSONDecoder(parse_int=_Number, parse_constant=self.constant), start)[1]

    def value(self, start: int) -> tuple[Any, int]:
        return self._decoded(self.json, start)

    def _decoded(self, decoder: json.JSONDecoder, start: int) -> tuple[Any, int]:
        try:
            return decoder.raw_decode(self.text, start)
        except json.JSONDecodeError as error:
            raise self.wrong(f"is not valid JSON: {error.msg}", error.pos) from error
        except RecursionError as error:
            raise LimitSourceError("is nested too deeply", where=self.path, hint="flatten it") from error
        except _Refused as error:
            places = [m.start() for m in re.finditer(error.pattern, self.text[start:])]
            raise self.wrong(str(error), start + (places[:2] or [0])[-1]) from error

    def pairs(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        out: dict[str, Any] = {}
        for key, value in pairs:
            if key in out:
                raise _Refused(f"the key {key!r} stands twice", re.escape(json.dumps(key, ensure_ascii=False)) + r"\s*:")
            out[key] = value
        return out

    def constant(self, name: str) -> Any:
        raise _Refused(f"is not valid JSON: {name} is no value", rf"(?<!\"){name}")

    def skip(self, place: int) -> int:
        while place < len(self.text) and self.text[place] in " \t\r\n":
            place += 1
        return place

    def member(self, start: int, name: str) -> int:
        """Where the value of a key of the object at `start` begins."""
        place = self.skip(start + 1)
        while self.text[start] == "{" and self.text[place] == '"':
            key, place = self.value(place)
            place = self.skip(self.skip(place) + 1)
            if key == name:
                return place
            place = self.skip(self.value(place)[1])
            place = self.skip(place + 1) if self.text[place] == "," else place
        raise SourceError(f"has no list of records at {name!r}", where=self.path, hint="correct `records` in the mapping")

    def wrong(self, what: str, place: int) -> SyntaxSourceError:
        return SyntaxSourceError(what, where=f"{self.path}:{line_of(self.text, place)}", hint="correct this place")


class _Refused(Exception):
    """What a hook of the decoder refuses, and the pattern by which its place is found."""

    def __init__(self, what: str, pattern: str) -> None:
        self.pattern = pattern
        super().__init__(what)


def yaml_records(root: Mapping | Sequence, path: str, *, at: str) -> Iterator[Record]:
    """The mappings of a list at a dotted path of one YAML document, or the document itself."""
    node: Any = root
    for name in at.split(".") if at else ():
        node = node.get(name) if isinstance(node, Mapping) else None
        if node is None:
            raise SourceError(f"has no list of records at {name!r}", where=path, hint="correct `records` in the mapping")
    for item in node.items if isinstance(node, Sequence) else (node,):
        yield _record(as_value(item), item.start, item.end)


def _record(value: Any, start: int, end: int) -> Record:
    if not isinstance(value, dict):
        return Record(start, end, {}, SyntaxSourceError("a record is no object", hint="records are objects with named fields"))
    fields: dict[str, tuple[str, ...]] = {}
    _flatten(value, "", fields, 0)
    odd = next((name for name, texts in fields.items() if not all(map(is_text, (name, *texts)))), None)
    if odd is not None:
        what = f"{odd!a} holds an escape that is no character: \\u0000 or half of a surrogate pair"
        return Record(start, end, {}, SyntaxSourceError(what, hint="correct the escape"))
    return Record(start, end, fields)


_WORDS: Final = {True: "true", False: "false"}


def _flatten(value: dict[str, Any], prefix: str, fields: dict[str, tuple[str, ...]], depth: int) -> None:
    for name, inner in value.items():
        if isinstance(inner, dict) and inner and depth < 8:
            _flatten(inner, f"{prefix}{name}.", fields, depth + 1)
        elif isinstance(inner, list) and not any(isinstance(item, (dict, list)) for item in inner):
            texts = tuple(_scalar(item) for item in inner if item is not None)
            if texts:
                fields[prefix + name] = texts
        elif isinstance(inner, (dict, list)):
            fields[prefix + name] = (compact(inner),)
        elif inner is not None and _scalar(inner):
            fields[prefix + name] = (_scalar(inner),)


def _scalar(value: Any) -> str:
    return _WORDS[value] if isinstance(value, bool) else str(value).strip()
