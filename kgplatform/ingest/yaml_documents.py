"""YAML as nodes with their spans: several documents in one text, each read or refused by itself.

No YAML loader refuses cycles or counts aliases, so nodes are composed here from the parser's events,
which also gives every value the character span it was read from. Scalars keep their written text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.reader import ReaderError

from ..errors import LimitSourceError, SourceError, SyntaxSourceError
from .evidence import line_of
from .limits import MAX_ALIAS_NODES, MAX_DEPTH, is_text


@dataclass(frozen=True, slots=True)
class Scalar:
    """One value as it is written; `plain` where it has no quotes, and so may be a number, a boolean or null."""

    text: str
    start: int
    end: int
    plain: bool = False
    size: int = 1

    @property
    def is_null(self) -> bool:
        """Whether it is YAML's null: nothing, `~` or `null`, without quotes."""
        return self.plain and self.text in ("", "~", "null", "Null", "NULL")


@dataclass(frozen=True, slots=True)
class YamlSequence:
    """The items of a list, in their order."""

    items: tuple[Node, ...]
    start: int
    end: int
    size: int = 1


@dataclass(frozen=True, slots=True)
class YamlMapping:
    """Entries by key, in their order. The start of a value is the start of its key."""

    entries: dict[str, Node]
    start: int
    end: int
    size: int = 1

    def get(self, name: str) -> Node | None:
        """The node below a key, None where it is absent."""
        return self.entries.get(name)

    def text(self, name: str) -> str:
        """The scalar below a key; '' where it is absent, null or no scalar."""
        node = self.entries.get(name)
        return node.text.strip() if isinstance(node, Scalar) and not node.is_null else ""

    def mapping(self, name: str) -> YamlMapping:
        """The mapping below a key; an empty one where it is absent or something else."""
        node = self.entries.get(name)
        return node if isinstance(node, YamlMapping) else YamlMapping({}, self.start, self.end)


Node = Scalar | YamlSequence | YamlMapping


class Document(NamedTuple):
    """One document of a stream: its root, or why it was not read. `start` is its offset in the text."""

    start: int
    root: Node | None
    error: SourceError | None = None


_MARK = re.compile(r"^(?:---|\.\.\.)(?=\s|$)", re.MULTILINE)
_NOTHING = re.compile(r"(?:\s*(?:[#%].*)?(?:\r\n|\n|\r|$))*\Z")
_INT = re.compile(r"[-+]?(?:0|[1-9]\d*)\Z", re.ASCII)
_FLOAT = re.compile(r"[-+]?(?:\d+\.\d*|\.\d+|\d+)(?:[eE][-+]?\d+)?\Z", re.ASCII)


def documents(text: str, path: str) -> Iterator[Document]:
    """The documents of a YAML text in order. A bad one carries its error (with path:line); the others are read."""
    marks = list(_MARK.finditer(text))
    starts = [0, *(m.end() for m in marks)]
    ends = [*(m.start() for m in marks), len(text)]
    for start, end in zip(starts, ends, strict=True):
        part = text[start:end]
        if _NOTHING.match(part):
            continue
        try:
            root = _compose(part, start, path, text)
        except SourceError as error:
            yield Document(start, None, error)
        else:
            if root is not None and not (isinstance(root, Scalar) and root.is_null):
                yield Document(start, root)


def as_value(node: Node) -> object:
    """The JSON value of a node (YAML 1.2 core schema for plain scalars; dates stay text)."""
    if isinstance(node, YamlMapping):
        return {key: as_value(value) for key, value in node.entries.items()}
    if isinstance(node, YamlSequence):
        return [as_value(item) for item in node.items]
    if not node.plain:
        return node.text
    if node.is_null:
        return None
    if node.text.lower() in ("true", "false"):
        return node.text.lower() == "true"
    if _INT.match(node.text) and len(node.text) < 19:
        return int(node.text)
    if _FLOAT.match(node.text) and not _INT.match(node.text) and abs(float(node.text)) < 1e300:
        return float(node.text)
    return node.text


@dataclass(slots=True)
class _Frame:
    """A collection that is still open."""

    start: int
    anchor: str
    is_mapping: bool
    items: list[Node] = field(default_factory=list)
    entries: dict[str, Node] = field(default_factory=dict)
    merged: list[YamlMapping] = field(default_factory=list)
    key: Scalar | None = None
    size: int = 1


class _Composer:
    """Builds nodes from events with an explicit stack, so that depth, aliases and cycles can be refused."""

    def __init__(self, offset: int, path: str, text: str) -> None:
        self.offset, self.path, self.whole = offset, path, text
        self.stack: list[_Frame] = []
        self.anchors: dict[str, Node] = {}
        self.repeated = 0
        self.root: Node | None = None

    def take(self, event: Any) -> None:
        kind = type(event).__name__
        start, end = event.start_mark.index + self.offset, event.end_mark.index + self.offset
        if kind == "ScalarEvent":
            value = _paired(event.value)
            if not is_text(value):
                what = "holds an escape that is no character: \\0 or half of a surrogate pair"
                raise SyntaxSourceError(what, where=self.where(start), hint="correct the escape")
            plain = event.style is None and not event.tag
            self.close(Scalar(value, start, self.last(start, end), plain), event.anchor or "")
        elif kind == "AliasEvent":
            self.close(self.aliased(event.anchor, start, end), "")
        elif kind in ("SequenceStartEvent", "MappingStartEvent"):
            if len(self.stack) >= MAX_DEPTH:
                raise LimitSourceError(f"is nested deeper than {MAX_DEPTH} levels", where=self.where(start), hint="flatten it")
            self.stack.append(_Frame(start, event.anchor or "", kind == "MappingStartEvent"))
        elif kind in ("SequenceEndEvent", "MappingEndEvent"):
            frame = self.stack.pop()
            self.close(self.completed(frame, end), frame.anchor)

    def aliased(self, anchor: str, start: int, end: int) -> Node:
        if any(frame.anchor == anchor for frame in self.stack):
            raise LimitSourceError(f"the alias *{anchor} contains itself", where=self.where(start), hint="write the value out")
        if anchor not in self.anchors:
            raise SyntaxSourceError(
                f"the alias *{anchor} has no anchor", where=self.where(start), hint=f"add &{anchor} or write the value out"
            )
        node = self.anchors[anchor]
        self.repeated += node.size
        if self.repeated > MAX_ALIAS_NODES:
            what = f"its aliases repeat more than {MAX_ALIAS_NODES} nodes"
            raise LimitSourceError(what, where=self.where(start), hint="write the values out")
        return replace(node, start=start, end=end)

    def completed(self, frame: _Frame, end: int) -> Node:
        if not frame.is_mapping:
            return YamlSequence(tuple(frame.items), frame.start, self.last(frame.start, end), frame.size)
        entries = dict(frame.entries)
        for source in frame.merged:
            for key, value in source.entries.items():
                entries.setdefault(key, value)
        return YamlMapping(entries, frame.start, self.last(frame.start, end), frame.size)

    def close(self, node: Node, anchor: str) -> None:
        if anchor:
            self.anchors[anchor] = node
        if not self.stack:
            self.root = node
            return
        frame = self.stack[-1]
        frame.size += node.size
        if not frame.is_mapping:
            frame.items.append(node)
        elif frame.key is None:
            frame.key = self.new_key(frame, node)
        else:
            self.enter(frame, frame.key, node)
            frame.key = None

    def new_key(self, frame: _Frame, node: Node) -> Scalar:
        if not isinstance(node, Scalar):
            raise SyntaxSourceError("a key is a list or a mapping", where=self.where(node.start), hint="use a plain key")
        if node.text in frame.entries or (node.text == "<<" and frame.merged):
            raise SyntaxSourceError(f"the key {node.text!r} stands twice", where=self.where(node.start), hint="keep one of them")
        return node

    def enter(self, frame: _Frame, key: Scalar, node: Node) -> None:
        if key.text == "<<" and key.plain:
            sources = node.items if isinstance(node, YamlSequence) else (node,)
            for source in sources:
                if not isinstance(source, YamlMapping):
                    raise SyntaxSourceError("<< merges what is no mapping", where=self.where(key.start), hint="write the keys out")
                frame.merged.append(source)
            return
        frame.entries[key.text] = replace(node, start=key.start)

    def last(self, start: int, end: int) -> int:
        return max(start, start + len(self.whole[start:end].rstrip()))

    def where(self, index: int) -> str:
        return f"{self.path}:{line_of(self.whole, index)}"


def _paired(text: str) -> str:
    """The text with each pair of escaped surrogates as the one character that JSON means by it."""
    try:
        return text.encode("utf-16", "surrogatepass").decode("utf-16")
    except UnicodeDecodeError:
        return text


def _compose(part: str, offset: int, path: str, whole: str) -> Node | None:
    composer = _Composer(offset, path, whole)
    try:
        for event in YAML(typ="safe", pure=True).parse(part):
            composer.take(event)
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = min(mark.index, len(part.rstrip())) if mark else 0
        what = f"is not valid YAML: {error.problem or error.context}"
        raise SyntaxSourceError(what, where=composer.where(offset + place), hint="correct this place") from error
    except ReaderError as error:
        what = "is not valid YAML: it holds a character that YAML does not allow"
        raise SyntaxSourceError(what, where=composer.where(offset + int(error.position)), hint="remove the control character") from error
    except (YAMLError, ValueError) as error:
        raise SyntaxSourceError(f"is not valid YAML: {error}", where=composer.where(offset), hint="correct this document") from error
    return composer.root
