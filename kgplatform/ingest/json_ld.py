"""JSON-LD, cut into pieces in the order that a streaming parser needs (https://www.w3.org/TR/json-ld11-streaming/).

Contexts that it names are inserted from a folder: nothing is ever fetched.
"""

from __future__ import annotations

import hashlib
import json
import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from json.decoder import JSONArray, JSONDecoder, JSONObject  # type: ignore[attr-defined]
from json.scanner import py_make_scanner  # type: ignore[attr-defined]
from pathlib import Path
from typing import Any, Final, NamedTuple
from urllib.parse import urljoin, urlsplit

from ..errors import LimitSourceError, SourceError, SyntaxSourceError
from ..model import Notice
from .evidence import MAX_QUOTE, line_of
from .limits import MAX_DEPTH
from .rdf_statements import StatementPiece

_ENDINGS: Final = ("", ".jsonld", ".json")
_FIRST: Final = ("@context", "@type", "@id")
_LAST: Final = ("@graph", "@included")
_BLANK: Final = re.compile(r"[\s,]*")


class JsonNode(NamedTuple):
    """A JSON value with its span: an object (`Member`s), an array (`Node`s), or a scalar as it was decoded."""

    value: Any
    start: int
    end: int


class Member(NamedTuple):
    """One key of an object: its span is from the key to the end of the value."""

    key: str
    value: JsonNode
    start: int

    @property
    def end(self) -> int:
        """The offset behind its value."""
        return self.value.end


class Members(tuple[Member, ...]):
    """The members of an object in the order of the text."""

    def get(self, key: str) -> JsonNode | None:
        """The value of the first member with the key, None if there is none."""
        return next((member.value for member in self if member.key == key), None)


class _Decoder(JSONDecoder):
    """The standard library's decoder with the span of each value; it accepts the same texts."""

    def __init__(self) -> None:
        super().__init__(strict=False)
        self.parse_object = self._object
        self.parse_array = self._array
        self.scan_once = py_make_scanner(self)

    def _object(self, at: tuple[str, int], strict: bool, scan: Callable[[str, int], tuple[Any, int]], *_: object) -> tuple[Members, int]:
        text, start = at
        pairs, end = JSONObject(at, strict, _placed(scan), None, list, {})
        members: list[Member] = []
        for key, value in pairs:
            blank = _BLANK.match(text, start)
            members.append(Member(key, value, blank.end() if blank else start))
            start = value.end
        return Members(members), end

    def _array(self, at: tuple[str, int], scan: Callable[[str, int], tuple[Any, int]]) -> tuple[list[JsonNode], int]:
        items: tuple[list[JsonNode], int] = JSONArray(at, _placed(scan))
        return items


def _placed(scan: Callable[[str, int], tuple[Any, int]]) -> Callable[[str, int], tuple[JsonNode, int]]:
    def placed(text: str, start: int) -> tuple[JsonNode, int]:
        value, end = scan(text, start)
        return JsonNode(value, start, end), end

    return placed


def _parsed(text: str, path: str) -> JsonNode:
    """The whole of a JSON text. SyntaxSourceError with its line, LimitSourceError for one nested too deeply."""
    try:
        start = len(text) - len(text.lstrip())
        value, end = _Decoder().scan_once(text, start)
        if text[end:].strip():
            raise json.JSONDecodeError("Extra data", text, end)
    except StopIteration as error:
        raise SyntaxSourceError("is not valid JSON", where=f"{path}:{line_of(text, error.value)}", hint="correct this place") from error
    except json.JSONDecodeError as error:
        raise SyntaxSourceError(f"is not valid JSON: {error.msg}", where=f"{path}:{error.lineno}", hint="correct this place") from error
    except RecursionError as error:
        raise LimitSourceError(f"is nested more than {MAX_DEPTH} levels deep", where=path, hint="flatten it") from error
    return JsonNode(value, start, end)


# -- contexts


@dataclass
class Contexts:
    """JSON-LD contexts from a folder: that of https://example.org/a/b stands there as example.org/a/b, with or without .jsonld or .json."""

    folder: Path | None
    used: dict[str, str] = field(default_factory=dict)

    def text(self, url: str, path: str, within: tuple[str, ...]) -> str:
        """The JSON text of the value of `@context` in the file for a URL, read within others. Raises SourceError where there is none."""
        if url in within:
            raise SourceError(f"names itself by way of other contexts: {url}", where=path, hint="break the circle")
        if url not in self.used:
            self.used[url] = self._read(url, path, within)
        return self.used[url]

    @property
    def signature(self) -> str:
        """A digest of the contexts that were used, '' where none was: with other contexts the same file says something else."""
        return hashlib.sha256(repr(sorted(self.used.items())).encode()).hexdigest()[:8] if self.used else ""

    def _read(self, url: str, path: str, within: tuple[str, ...]) -> str:
        parts = urlsplit(url)
        name = f"{parts.hostname or ''}{parts.path}".strip("/")
        if self.folder is None or not name or ".." in name.split("/"):
            hint = "name a folder with a copy of it as `jsonld_contexts` in kgplatform.toml, or write the context into the file"
            raise SourceError(f"names the @context {url}, and nothing is fetched", where=path, hint=hint)
        for ending in _ENDINGS:
            file = self.folder / (name + ending)
            if file.is_file():
                break
        else:
            hint = f"put a copy of it at {self.folder / name}.jsonld"
            raise SourceError(f"names the @context {url}, and nothing is fetched", where=path, hint=hint)
        try:
            text = file.read_text(encoding="utf-8-sig")
        except (OSError, UnicodeDecodeError) as error:
            raise SourceError(f"is no readable context: {error}", where=str(file), hint="put a JSON-LD context there") from error
        root = _parsed(text, str(file))
        context = root.value.get("@context") if isinstance(root.value, Members) else None
        if context is None:
            raise SourceError("has no @context", where=str(file), hint="put a JSON-LD context there")
        return self.whole(context, text, str(file), within=(*within, url))

    def whole(self, node: JsonNode, text: str, path: str, *, within: tuple[str, ...] = ()) -> str:
        """A context as text in which the contexts that it names, relative to its own URL, are written out."""
        if isinstance(node.value, str):
            return self.text(urljoin(within[-1], node.value) if within else node.value, path, within)
        if isinstance(node.value, list):
            return "[" + ",".join(self._flat(item, text, path, within) for item in node.value) + "]"
        if not isinstance(node.value, Members):
            return text[node.start : node.end]
        members = []
        for member in node.value:
            if member.key == "@import":
                imported = self.whole(member.value, text, path, within=within)
                members.append(imported[1:-1])  # its terms, which those that follow may override
            elif isinstance(member.value.value, Members) and (scoped := member.value.value.get("@context")):
                definition = [
                    f"{json.dumps(piece.key)}:{self.whole(scoped, text, path, within=within) if piece.value is scoped else text[piece.value.start : piece.end]}"
                    for piece in member.value.value
                ]
                members.append(f"{json.dumps(member.key)}:{{{','.join(definition)}}}")
            else:
                members.append(f"{json.dumps(member.key)}:{text[member.value.start : member.end]}")
        return "{" + ",".join(piece for piece in members if piece.strip()) + "}"

    def _flat(self, node: JsonNode, text: str, path: str, within: tuple[str, ...]) -> str:
        """One context of an array; where it stands for an array, the members of that."""
        context = self.whole(node, text, path, within=within)
        return context[1:-1] if context.startswith("[") else context


# -- pieces


@dataclass
class JsonLd:
    """A JSON-LD text as pieces. `terms` are the keys of its nodes; those that give no statement have no mapping."""

    text: str
    pieces: list[StatementPiece] = field(default_factory=list)
    terms: list[Member] = field(default_factory=list)
    _pending: str = ""
    _aliases: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, text: str, path: str, contexts: Contexts) -> JsonLd:
        """Cut a text. Raises SourceError where it is not JSON, or names a context that is not at hand."""
        document = cls(text)
        root = _parsed(text, path)
        document._learn(root, lambda node: contexts.whole(node, text, path))
        document._emit(root, (root.start, root.end), lambda node: contexts.whole(node, text, path), in_value=False)
        document._flush(root.start, root.end)
        return document

    def _learn(self, node: JsonNode, context: Callable[[JsonNode], str]) -> None:
        """The words that stand for keywords in any context of the text."""
        for member in node.value if isinstance(node.value, Members) else ():
            if member.key == "@context":
                self._aliases |= _aliases(json.loads(context(member.value)))
            else:
                self._learn(member.value, context)
        for item in node.value if isinstance(node.value, list) else ():
            self._learn(item, context)

    def _keyword(self, key: str) -> str:
        return self._aliases.get(key, key)

    def _rank(self, member: Member) -> int:
        keyword = self._keyword(member.key)
        return _FIRST.index(keyword) if keyword in _FIRST else len(_FIRST) + (keyword in _LAST)

    def _emit(self, node: JsonNode, around: tuple[int, int], context: Callable[[JsonNode], str], *, in_value: bool) -> None:
        """Append a value to the pieces; `around` is the span of the member or item that it is."""
        if isinstance(node.value, Members):
            self._emit_object(node, around, context)
            return
        if isinstance(node.value, list):
            self._pending += "["
            for n, item in enumerate(node.value):
                self._pending += "," if n else ""
                first = around[0] if in_value and item.end - around[0] <= MAX_QUOTE else item.start
                self._emit(item, (first, item.end), context, in_value=in_value)
            self._pending += "]"
        else:
            self._pending += self.text[node.start : node.end]
        self._flush(*around)

    def _emit_object(self, node: JsonNode, around: tuple[int, int], context: Callable[[JsonNode], str]) -> None:
        """Append an object. The parser gives the statements of its id and types once it has read the next key, or the end."""
        self._pending += "{"
        heads = [member for member in node.value if self._keyword(member.key) in ("@type", "@id")]
        known_from = max((member.end for member in heads), default=node.end)
        starts = (around[0], node.start, max((member.start for member in heads), default=node.start))
        pending_heads = (next((start for start in starts if known_from - start <= MAX_QUOTE), starts[-1]), known_from)
        for n, member in enumerate(sorted(node.value, key=self._rank)):
            self._pending += f"{',' if n else ''}{json.dumps(member.key)}:"
            keyword = self._keyword(member.key)
            if keyword == "@context":
                self._pending += context(member.value)
            elif member in heads:
                self._pending += self.text[member.value.start : member.end]
            else:
                self._flush(*pending_heads)
                if not keyword.startswith("@"):
                    self.terms.append(member)
                first = node.start if member.end - node.start <= MAX_QUOTE else member.start
                self._emit(member.value, (first, member.end), context, in_value=True)
        self._pending += "}"
        self._flush(*pending_heads)

    def _flush(self, start: int, end: int) -> None:
        self.pieces.append(StatementPiece(self._pending, start, end))
        self._pending = ""

    def unmapped(self, spans: Iterable[tuple[int, int]], path: str) -> Iterator[Notice]:
        """The terms that no statement came from although they have a value, counted, given the spans of all statements."""
        ends = sorted({end for _start, end in spans})
        first: dict[str, int] = {}
        counts: dict[str, int] = {}
        covered = 0
        for member in sorted(self.terms, key=lambda member: member.start):
            place = bisect_right(ends, member.start)
            is_read = place < len(ends) and ends[place] <= member.end
            if is_read or member.start < covered or member.value.value in (None, "") or member.value.value in ([], ()):
                continue
            covered = member.end
            first.setdefault(member.key, member.start)
            counts[member.key] = counts.get(member.key, 0) + 1
        for key, count in counts.items():
            yield Notice("unmapped", f"JSON-LD term {key}", count, f"{path}:{line_of(self.text, first[key])}")


def _aliases(context: Any) -> dict[str, str]:
    """The terms of a context, and of those within it, that stand for keywords."""
    if isinstance(context, list):
        return {term: keyword for each in context for term, keyword in _aliases(each).items()}
    if not isinstance(context, dict):
        return {}
    aliases: dict[str, str] = {}
    for term, definition in context.items():
        keyword = definition.get("@id") if isinstance(definition, dict) else definition
        if not term.startswith("@") and isinstance(keyword, str) and keyword.startswith("@"):
            aliases[term] = keyword
        if isinstance(definition, dict) and "@context" in definition:
            aliases |= _aliases(definition["@context"])
    return aliases
