"""On which line each triple of a Turtle text stands; and several files joined into one text, each with its own blank nodes.

No parser reports the lines of triples, so the text is fed to it line by line: what it yields after a line was read there.
"""

from __future__ import annotations

import io
import re
from bisect import bisect_right
from collections.abc import Container, Iterable, Iterator
from typing import Final, NamedTuple

import pyoxigraph as ox

from ..terms import XSD

_FILE: Final = "# ---- file: "
_WHOLE: Final = "# ---- file without lines: "
_OPAQUE: Final = (
    r"<[^<>\s]*>",  # IRIs
    r'"""(?:[^"\\]|\\.|"(?!""))*"""',
    r"'''(?:[^'\\]|\\.|'(?!''))*'''",
    r'"(?:[^"\\\n]|\\.)*"',
    r"'(?:[^'\\\n]|\\.)*'",
    r"#[^\n]*",  # comments
    r"\\.",  # escapes in local names
)
_BLANK_LABEL: Final = re.compile(rf"(?s:{'|'.join(_OPAQUE)})|(?P<label>(?<![\w:.%-])_:)")
_ENDS_IN_STRING: Final = re.compile(r"""["']\s*(?:#.*)?$""")


class Positioned(NamedTuple):
    """A triple, and the line (from 1) on which its object ends."""

    triple: ox.Triple
    line: int


class Lines(io.BytesIO):
    """A text as a file of which each read gives one line."""

    def __init__(self, text: str) -> None:
        super().__init__(text.encode())
        self._lines = text.split("\n")
        self.line = 0
        self._begins = True

    def read(self, size: int | None = -1) -> bytes:
        """At most `size` bytes, and none beyond the end of the current line: a parser is given one line after the other."""
        if self._begins:
            self.line = min(self.line + 1, len(self._lines))
        part = self.readline(size if size is not None else -1)  # more bytes than `size` would end the process
        self._begins = part.endswith(b"\n")
        return part

    def string_before(self) -> int:
        """The last line with content above the current one if it ends in a string; else the current one."""
        for number in range(self.line - 1, 0, -1):
            text = self._lines[number - 1].strip()
            if text and not text.startswith("#"):
                return number if _ENDS_IN_STRING.search(text) else self.line
        return self.line


def positioned(turtle: str) -> Iterator[Positioned]:
    """The triples of a Turtle text, each with its line. Raises SyntaxError, with the line, where the text is no Turtle."""
    lines = Lines(turtle)
    fed = 0
    for quad in ox.parse(lines, format=ox.RdfFormat.TURTLE):
        line = lines.line
        # a language or datatype may follow a string, so the parser yields its triple one token late
        if fed != line and isinstance(quad.object, ox.Literal) and quad.object.datatype.value == XSD.string:
            line = lines.string_before()
        fed = lines.line
        yield Positioned(quad.triple, line)


def syntax_reason(error: SyntaxError) -> str:
    """What a parser says of a text, without the place."""
    return re.sub(r"^Parser error( at line \d+( between columns \d+ and \d+| column \d+)?)?:? ?", "", str(error.msg or error))


def joined(files: Iterable[tuple[str, str]], *, whole: Container[str] = ()) -> str:
    """Turtle texts, given with the names of their files, as one text; blank nodes of different files stay different.

    `whole` are the files whose lines are not those of their text, so that places name the file alone.
    """
    parts = ((_WHOLE if name in whole else _FILE, name, text) for name, text in files)
    return "\n".join(f"{mark}{name}\n{_own_blank_nodes(text, number)}" for number, (mark, name, text) in enumerate(parts))


def _own_blank_nodes(text: str, number: int) -> str:
    return _BLANK_LABEL.sub(lambda match: f"_:f{number}-" if match["label"] else match[0], text)


class Places:
    """The places of the lines of a text: `films.ttl:12` where it is joined from files, `NAME, line 12` elsewhere."""

    def __init__(self, turtle: str, name: str) -> None:
        self._name = name
        marks = (_FILE, _WHOLE)
        lines = turtle.split("\n") if any(mark in turtle for mark in marks) else []
        self._files = [(number, line.partition(": ")[2]) for number, line in enumerate(lines, start=1) if line.startswith(marks)]
        self._whole = {number for number, _file in self._files if lines[number - 1].startswith(_WHOLE)}

    @property
    def files(self) -> list[str]:
        """The names of the files that the text is joined from; none for a text that is not joined."""
        return [file for _number, file in self._files]

    def file(self, line: int) -> str:
        """The name of the file in which a line stands."""
        index = self._index(line)
        return self._name if index < 0 else self._files[index][1]

    def at(self, line: int) -> str:
        """The place of a line: `films.ttl:12`, or the file alone where its lines are not those of the text."""
        index = self._index(line)
        if index < 0:
            return f"{self._name}, line {line}"
        start, file = self._files[index]
        return file if start in self._whole else f"{file}:{line - start}"

    def _index(self, line: int) -> int:
        return bisect_right(self._files, (line, "")) - 1
