"""Where in an RDF text each statement stands.

The parser reads from a file object only as far as it needs for its next statement (pyoxigraph 0.5, measured for Turtle, TriG, RDF/XML
and streaming JSON-LD). So a text is cut into pieces that end where a statement can end, and the parser is given one piece at a time: what
it yields was read from the last piece. It gets every byte in order, so a wrong cut can misplace a quote, but not change a fact.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import IO, Final, NamedTuple, cast

import pyoxigraph as ox

from .evidence import MAX_QUOTE


class StatementPiece(NamedTuple):
    """Text that is handed to the parser at once, and the span of the source that statements read from it cite."""

    text: str
    start: int
    end: int


PlacedQuad = tuple[ox.Quad, tuple[int, int]]


class _Feed:
    """The pieces as a file of bytes. `span` is that of the piece that was read last."""

    def __init__(self, pieces: Iterable[StatementPiece]) -> None:
        self._pieces = iter(pieces)
        self._rest = b""
        self.span = (0, 0)

    def read(self, size: int) -> bytes:
        if not self._rest:
            piece = next((piece for piece in self._pieces if piece.text), None)
            if piece is None:
                return b""
            self._rest, self.span = piece.text.encode(), (piece.start, piece.end)
        chunk, self._rest = self._rest[:size], self._rest[size:]
        return chunk


def placed_quads(pieces: Iterable[StatementPiece], format_: ox.RdfFormat, *, base: str) -> Iterator[PlacedQuad]:
    """The quads of a text that was cut, each with its span. Raises SyntaxError and ValueError as pyoxigraph does."""
    feed = _Feed(pieces)
    for quad in ox.parse(cast(IO[bytes], feed), format=format_, base_iri=base):
        yield quad, feed.span


# -- Turtle and TriG

_TOKEN: Final = re.compile(
    r"""(?P<blank>(?:\s+|\#[^\r\n]*)+)
    |(?P<term>\"{3}(?:[^"\\]|\\.|\"{1,2}(?!\"))*\"{3}|'{3}(?:[^'\\]|\\.|'{1,2}(?!'))*'{3}
        |"(?:[^"\\\r\n]|\\.)*"|'(?:[^'\\\r\n]|\\.)*'
        |<[^\s<>"{}|^`]*>
        |(?:\\.|[^\s;,.\[\](){}"'<>\#\\|]|\.(?=[^\s;,.\[\](){}"'<>\#]))+)
    |(?P<open>\{\||[\[({])
    |(?P<close>\|\}|[\])}])
    |(?P<stop>[;,.])
    |.""",
    re.VERBOSE | re.DOTALL,
)
_DIRECTIVES: Final = {"prefix": 2, "base": 1, "version": 1}
"""SPARQL-style directives and how many terms follow; they end without a full stop."""
_SUBJECT, _VERB, _OBJECT = range(3)


@dataclass(slots=True)
class _Frame:
    """A statement as far as it was read: where its subject and its verb begin, and what the next term is."""

    subject: int = -1
    verb: int = -1
    awaited: int = _SUBJECT
    directive: int = 0

    def take(self, word: str, start: int) -> None:
        if self.directive:
            self.directive -= 1
        elif self.awaited == _SUBJECT:
            self.directive = _DIRECTIVES.get(word.lower(), 0)
            if not self.directive:
                self.subject, self.awaited = start, _VERB
        elif self.awaited == _VERB:
            self.verb, self.awaited = start, _OBJECT

    def span(self, end: int) -> tuple[int, int]:
        """From the subject where that is not too long to quote, else from the verb."""
        first = self.subject if 0 <= self.subject and end - self.subject <= MAX_QUOTE else max(self.verb, self.subject)
        return min(max(first, 0), end), end


def turtle_pieces(text: str) -> Iterator[StatementPiece]:
    """Turtle or TriG, cut after each `;` `,` `.` and closing bracket."""
    frames = [_Frame()]
    begun = end = 0
    span = (0, 0)
    for token in _TOKEN.finditer(text):
        kind, frame = token.lastgroup, frames[-1]
        if kind == "blank":
            continue
        if span[1]:  # the piece before ended with a stop or a bracket, and with the white space behind it
            yield StatementPiece(text[begun : token.start()], *span)
            begun, span = token.start(), (0, 0)
        if kind == "open":
            frames.append(_opened(token[0], token.start(), frame))
        elif kind == "close":
            end = token.end()
            span = frame.span(end)
            if len(frames) > 1:
                frames.pop()
            around = frames[-1].span(end)  # the statement whose object is the bracket ends here too
            span = around if frames[-1].subject >= 0 and end - around[0] <= MAX_QUOTE else span
            if token[0] == "}":
                frames[-1] = _Frame()
        elif kind == "stop":
            span = frame.span(end)
            if token[0] == ";":
                frame.awaited = _VERB
            elif token[0] == ".":
                frames[-1] = _Frame()
        else:
            end = token.end()
            frame.take(token[0], token.start())
    yield StatementPiece(text[begun:], *(span if span[1] else frames[-1].span(len(text))))


def _opened(bracket: str, start: int, outer: _Frame) -> _Frame:
    """The frame inside a bracket; the bracket, except braces, is a term of the statement around it."""
    if bracket == "{":
        return _Frame()
    if bracket == "{|":
        return _Frame(outer.subject, outer.verb, _VERB)
    outer.take(bracket, start)
    return _Frame(start, start, _VERB) if bracket == "[" else _Frame(outer.subject, outer.verb, _OBJECT)


# -- RDF/XML

_MARKUP: Final = re.compile(
    r"""<!--.*?-->|<!\[CDATA\[.*?\]\]>|<\?.*?\?>|<![A-Z]+[^\[>]*(?:\[.*?\]\s*)?>
    |<(?P<end>/?)[^\s/>!?](?:[^>"']|"[^"]*"|'[^']*')*?(?P<empty>/?)>""",
    re.VERBOSE | re.DOTALL,
)


def rdf_xml_pieces(text: str) -> Iterator[StatementPiece]:
    """RDF/XML, cut after each tag: an element is cited whole, with the tag of its subject where that is not too long to quote."""
    begun = 0
    open_tags: list[int] = []
    for tag in _MARKUP.finditer(text):
        if tag["end"] is None:
            continue
        start = tag.start()
        if tag["end"]:
            start = open_tags.pop() if open_tags else start
        outer = open_tags[-1] if len(open_tags) > 1 else start  # the first is rdf:RDF
        if not tag["end"] and not tag["empty"]:
            open_tags.append(start)
        yield StatementPiece(text[begun : tag.end()], outer if tag.end() - outer <= MAX_QUOTE else start, tag.end())
        begun = tag.end()
    yield StatementPiece(text[begun:], begun, len(text))
