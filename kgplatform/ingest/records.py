"""JSON and YAML files as records: texts by field, each record with the span it was read from."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from ..errors import LimitSourceError, SourceError, SyntaxSourceError
from .cell_values import Stated
from .evidence import compact, line_of
from .limits import is_text
from .yaml_documents import Node, YamlMapping, YamlSequence


class SourceRecord(NamedTuple):
    """One record: texts by field (nested fields dotted), and lists of objects, which are records themselves, by their dotted field.

    `error` is set on one that could not be read; it names a place only if that is not the record's. `where` is the place of the
    record for people ('' where `path:line` is), `places` are those of its fields, where they have any.
    """

    start: int
    end: int
    fields: dict[str, tuple[str, ...]]
    error: SourceError | None = None
    lists: Mapping[str, tuple[SourceRecord, ...]] = MappingProxyType({})
    where: str = ""
    places: Mapping[str, str] = MappingProxyType({})


class Header(NamedTuple):
    """The columns of a table, spelt as the mapping spells them; `renamed` has (in the file, in the mapping) where the two differ."""

    columns: tuple[str, ...]
    renamed: tuple[tuple[str, str], ...] = ()
    where: str = ""


def json_records(text: str, path: str, *, at: str) -> Iterator[SourceRecord]:
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
                where = f"{path}:{line_of(text, place)}"  # the parser's own place may be lines below
                yield SourceRecord(place, end, {}, SyntaxSourceError(error.what, where=where, hint=error.hint))
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


class _Decoder:
    """JSON values with their places; duplicate keys and deep nesting are refused, numbers keep their text."""

    def __init__(self, text: str, path: str) -> None:
        self.text, self.path = text, path
        self.json = json.JSONDecoder(object_pairs_hook=self.pairs, parse_int=Stated, parse_float=Stated, parse_constant=self.constant)

    def checked(self, start: int) -> int:
        """Where the value that begins here ends; an error names the line where the grammar breaks."""
        return self._decoded(json.JSONDecoder(parse_int=Stated, parse_constant=self.constant), start)[1]

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


def yaml_records(root: YamlMapping | YamlSequence, path: str, *, at: str) -> Iterator[SourceRecord]:
    """The mappings of a list at a dotted path of one YAML document, or the document itself."""
    node: Any = root
    for name in at.split(".") if at else ():
        node = node.get(name) if isinstance(node, YamlMapping) else None
        if node is None:
            raise SourceError(f"has no list of records at {name!r}", where=path, hint="correct `records` in the mapping")
    for item in node.items if isinstance(node, YamlSequence) else (node,):
        yield _record(_yaml_value(item), item.start, item.end)


def _yaml_value(node: Node) -> object:
    """The value of a node in which scalars keep their text: 018, 1.10 and 0x1F are ids as often as numbers."""
    if isinstance(node, YamlMapping):
        return {key: _yaml_value(value) for key, value in node.entries.items()}
    if isinstance(node, YamlSequence):
        return [_yaml_value(item) for item in node.items]
    if node.is_null:
        return None
    return Stated(node.text) if node.plain and _OF_A_TYPE.fullmatch(node.text) else node.text


_OF_A_TYPE: Final = re.compile(r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?|(?i:true|false)", re.ASCII)
"""What YAML's core schema takes for a number or a boolean, where it stands without quotes."""


def _record(value: Any, start: int, end: int) -> SourceRecord:
    if not isinstance(value, dict):
        return SourceRecord(start, end, {}, SyntaxSourceError("a record is no object", hint="records are objects with named fields"))
    record = _flat(value, start, end)
    odd = _odd_text(record)
    if odd is not None:
        what = f"{odd!a} holds an escape that is no character: \\u0000 or half of a surrogate pair"
        return SourceRecord(start, end, {}, SyntaxSourceError(what, hint="correct the escape"))
    return record


def _odd_text(record: SourceRecord) -> str | None:
    """The first field whose name or text cannot be stored; None if all can."""
    for name, texts in record.fields.items():
        if not all(map(is_text, (name, *texts))):
            return name
    inner = (_odd_text(each) for name, each_of in record.lists.items() for each in each_of)
    return next((name for name in record.lists if not is_text(name)), None) or next((odd for odd in inner if odd is not None), None)


def _flat(value: dict[str, Any], start: int, end: int) -> SourceRecord:
    fields: dict[str, tuple[str, ...]] = {}
    lists: dict[str, tuple[SourceRecord, ...]] = {}
    _flatten(value, "", fields, lists, (start, end))
    return SourceRecord(start, end, fields, lists=lists)


def _flatten(
    value: dict[str, Any],
    prefix: str,
    fields: dict[str, tuple[str, ...]],
    lists: dict[str, tuple[SourceRecord, ...]],
    span: tuple[int, int],
    depth: int = 0,
) -> None:
    for name, inner in value.items():
        if isinstance(inner, dict) and inner and depth < 8:
            _flatten(inner, f"{prefix}{name}.", fields, lists, span, depth + 1)
        elif isinstance(inner, list):
            nested = any(isinstance(item, (dict, list)) for item in inner)
            texts = (compact(inner),) if nested else tuple(_scalar(item) for item in inner if item is not None)
            if texts:
                fields[prefix + name] = texts
            if nested:
                lists[prefix + name] = tuple(_item(item, span) for item in inner if item not in (None, {}))
        elif isinstance(inner, dict):
            fields[prefix + name] = (compact(inner),)
        elif inner is not None and _scalar(inner):
            fields[prefix + name] = (_scalar(inner),)


_WORDS: Final = {True: "true", False: "false"}


def _item(value: Any, span: tuple[int, int]) -> SourceRecord:
    if isinstance(value, dict):
        return _flat(value, *span)
    return SourceRecord(
        *span, {}, SyntaxSourceError(f"an item of the list is no object: {compact(value)[:80]}", hint="make all of them objects")
    )


def _scalar(value: Any) -> str:
    if isinstance(value, bool):
        return Stated(_WORDS[value])
    return value if isinstance(value, Stated) else str(value).strip()
