"""The fields of RDF texts: Turtle, TriG, N-Triples, N-Quads and XML. Predicates and elements are the keys, their subjects the mappings."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from typing import Final

from .fields import SecretField

_TURTLE: Final = re.compile(
    r'#[^\n\r]*|"""(?P<a>.*?)(?<!\\)"""|' + r"'''(?P<b>.*?)(?<!\\)'''" + r'|"(?P<c>(?:[^"\\\n\r]|\\.)*)"|' + r"'(?P<d>(?:[^'\\\n\r]|\\.)*)'"
    r"|<(?P<iri>[^<>\s]*)>|(?P<sign>[\[\](){};,])|(?P<tail>\^\^|@[A-Za-z][\w-]*)|(?P<word>[^\s\"'<>\[\](){};,^]+)",
    re.DOTALL,
)


class _Statements:
    """The state of a reader of Turtle: its subject and predicate, and the outer ones while it is inside brackets."""

    def __init__(self) -> None:
        self.outer: list[tuple[str, str]] = []
        self.subject = self.predicate = ""
        self.numbers: dict[str, int] = {}

    def term(self, name: str) -> None:
        if not self.subject:
            self.subject = name
        elif not self.predicate:
            self.predicate = name

    def sign(self, sign: str, place: int) -> None:
        if sign == "[":
            self.outer.append((self.subject, self.predicate))
            self.subject, self.predicate = f"[{place}", ""
        elif sign == "]":
            inner = self.subject
            self.subject, self.predicate = self.outer.pop() if self.outer else ("", "")
            self.subject = self.subject or inner
        elif sign == ";":
            self.predicate = ""
        elif sign in "{}.":
            self.subject = self.predicate = ""

    def field(self, start: int, end: int, value: str) -> SecretField | None:
        if not self.subject or not self.predicate:
            return None
        outer = self.outer[-1][1] if self.outer else ""
        number = self.numbers.setdefault(self.subject, len(self.numbers) + 1)
        return (
            SecretField((outer, self.predicate), (0, number), start, end, value)
            if outer
            else SecretField((self.predicate,), (number,), start, end, value)
        )


def turtle_fields(text: str) -> Iterator[SecretField]:
    """The literals of a Turtle, TriG, N-Triples or N-Quads text."""
    state = _Statements()
    is_typed = False
    for token in _TURTLE.finditer(text):
        kind = token.lastgroup
        if kind == "sign":
            state.sign(token[0], token.start())
        elif kind == "tail":
            is_typed = token[0] == "^^"
            if token[0] in ("@prefix", "@base"):
                state.subject = state.predicate = token[0]
        elif kind in ("a", "b", "c", "d"):
            field = state.field(*token.span(kind), token[kind])
            if field:
                yield field
        elif is_typed:
            is_typed = False  # the name of a datatype
            if (token["word"] or "").endswith("."):
                state.sign(".", 0)
        elif kind == "iri":
            state.term(token["iri"])
        elif kind == "word":
            yield from _word(state, token)


def _word(state: _Statements, token: re.Match[str]) -> Iterator[SecretField]:
    word = token["word"]
    name = word.rstrip(".")
    if name and not state.predicate:
        state.term(name)
    elif name and (name[0].isdigit() or name[0] in "+-"):
        field = state.field(token.start(), token.start() + len(name), name)
        if field:
            yield field
    if word.endswith("."):
        state.sign(".", 0)


_XML: Final = re.compile(
    r"<!--.*?-->|<\?.*?\?>|<!\[CDATA\[(?P<cdata>.*?)\]\]>|<!(?:[^\[>]|\[.*?\])*>|</(?P<close>[\w:.-]+)\s*>"
    r"|<(?P<open>[\w:.-]+)(?P<attributes>(?:\s+[\w:.-]+\s*=\s*(?:\"[^\"]*\"|'[^']*'))*)\s*(?P<empty>/?)>|(?P<text>[^<]+)",
    re.DOTALL,
)
_ATTRIBUTE: Final = re.compile(r"""([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')""")


def xml_fields(text: str) -> Iterator[SecretField]:
    """The attributes and the texts of an XML text's elements; an element's text is also the value beside its attributes."""
    path: list[tuple[str, int]] = []
    count = 0
    for token in _XML.finditer(text):
        if token["open"]:
            count += 1
            path.append((token["open"], count))
            for match in _ATTRIBUTE.finditer(text, *token.span("attributes")):
                group = 2 if match[2] is not None else 3
                yield SecretField(
                    (token["open"], match[1]), (path[-2][1] if len(path) > 1 else 0, count), *match.span(group), unescape(match[group])
                )
            if token["empty"]:
                path.pop()
        elif token["close"] and path:
            path.pop()
        elif path and (token["text"] or token["cdata"] or "").strip():
            yield from _of_text(token, path)


def _of_text(token: re.Match[str], path: list[tuple[str, int]]) -> Iterator[SecretField]:
    group = "text" if token["text"] else "cdata"
    start = token.start(group) + len(token[group]) - len(token[group].lstrip())
    value = token[group].strip()
    place = (start, start + len(value), unescape(value))
    (name, number), above = path[-1], path[-2][1] if len(path) > 1 else 0
    yield SecretField((name,), (above,), *place)
    yield SecretField((name, "value"), (above, number), *place)
