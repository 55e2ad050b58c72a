"""The fields of YAML and JSON texts, as far as they can be read: a broken text has those before the break."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from .fields import SecretField
from .values import looks_generated

_MARK: Final = re.compile(r"^(?:---|\.\.\.)(?=\s|$)", re.MULTILINE)
_PROPERTIES: Final = re.compile(r"(?:[&!]\S*\s+)+")
_HEADER: Final = re.compile(r"[|>][^\n]*\n")
_MOST_DEPTH: Final = 200


@dataclass(slots=True)
class _Open:
    """A mapping or list that is still open; `key` is that of the entry whose value comes next."""

    number: int
    is_mapping: bool
    key: str | None = None


class _Walk:
    """The places of a tree's values, from its events in their order."""

    def __init__(self) -> None:
        self.open: list[_Open] = []
        self.count = 0

    def enter(self, *, is_mapping: bool) -> None:
        if len(self.open) >= _MOST_DEPTH:
            raise RecursionError
        self.count += 1
        self.open.append(_Open(self.count, is_mapping))

    def leave(self) -> None:
        if self.open:
            self.open.pop()
        self.done()

    def scalar(self, start: int, end: int, value: str) -> SecretField | None:
        """The field of a value; None for a key, and for a value without any key around it."""
        top = self.open[-1] if self.open else None
        if top and top.is_mapping and top.key is None:
            top.key = value
            return None
        frames = [(each.key, each.number) for each in self.open if each.key is not None]
        self.done()
        return SecretField(tuple(key for key, _ in frames), tuple(number for _, number in frames), start, end, value) if frames else None

    def done(self) -> None:
        """Note that a node has ended: it was the value of the last key, or it is the key of the next value."""
        if not self.open or not self.open[-1].is_mapping:
            return
        self.open[-1].key = "" if self.open[-1].key is None else None


def yaml_fields(text: str) -> Iterator[SecretField]:
    """The fields of every document of a YAML stream."""
    starts = [0, *(mark.end() for mark in _MARK.finditer(text))]
    ends = [*(mark.start() for mark in _MARK.finditer(text)), len(text)]
    count = 0
    for start, end in zip(starts, ends, strict=True):
        walk = _Walk()
        walk.count = count
        anchors: dict[str, tuple[int, int, str]] = {}
        try:
            for event in YAML(typ="safe", pure=True).parse(text[start:end]):
                field = _of_event(walk, event, text, start, anchors)
                if field:
                    yield field
        except (YAMLError, ValueError, RecursionError):
            pass  # the reader of the format reports the error; `lines` reads the rest
        count = walk.count


def _of_event(walk: _Walk, event: Any, text: str, offset: int, anchors: dict[str, tuple[int, int, str]]) -> SecretField | None:
    kind = type(event).__name__
    if kind in ("MappingStartEvent", "SequenceStartEvent"):
        walk.enter(is_mapping=kind[0] == "M")
    elif kind in ("MappingEndEvent", "SequenceEndEvent"):
        walk.leave()
    elif kind == "AliasEvent":
        if event.anchor in anchors:
            return walk.scalar(*anchors[event.anchor])
        walk.done()
    elif kind == "ScalarEvent":
        place = (*_inside(text, event.start_mark.index + offset, event.end_mark.index + offset, event.style), event.value)
        if event.anchor:
            anchors[event.anchor] = place
        field = walk.scalar(*place)
        return None if _is_looked_up(event) else field
    return None


def _is_looked_up(event: Any) -> bool:
    """Whether a tag of the application says that the value comes from elsewhere: `!vault db`, `!env DB_PASSWORD`."""
    tag = event.tag or ""
    return tag[:1] == "!" and len(tag) > 1 and not looks_generated(event.value)


def _inside(text: str, start: int, end: int, style: str | None) -> tuple[int, int]:
    """The span of the value of a scalar, without tag, anchor, quotes and block header."""
    properties = _PROPERTIES.match(text, start, end)
    start = properties.end() if properties else start
    if style in ("'", '"'):
        return start + 1, end - 1
    header = _HEADER.match(text, start, end) if style in ("|", ">") else None
    start = header.end() if header else start
    return start, start + len(text[start:end].rstrip())


_TOKEN: Final = re.compile(r'"(?:[^"\\\n]|\\.)*"|[{}\[\]:,]|[^\s{}\[\]:,"]+')


def json_fields(text: str) -> Iterator[SecretField]:
    """The fields of JSON texts, one or one a line. Numbers are fields too."""
    walk = _Walk()
    try:
        for token in _TOKEN.finditer(text):
            sign = token[0]
            if sign in "{[":
                walk.enter(is_mapping=sign == "{")
            elif sign in "}]":
                walk.leave()
            elif sign not in ":,":
                is_string = sign[0] == '"'
                inside = (token.start() + 1, token.end() - 1) if is_string else token.span()
                field = walk.scalar(*inside, _unescaped(sign) if is_string else sign)
                if field:
                    yield field
    except RecursionError:
        return


def _unescaped(string: str) -> str:
    try:
        return str(json.loads(string)) if "\\" in string else string[1:-1]
    except ValueError:
        return string[1:-1]
