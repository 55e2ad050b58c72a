"""Inline Markdown taken off a passage, with the way back: every plain character knows its offset in the source."""

from __future__ import annotations

import re
from typing import Final, NamedTuple


class Plain(NamedTuple):
    """A passage without its marks: `text[i]` stands at `offsets[i]` of the passage, whose length is `size`.

    `names` are spans of `text` that were code or bold.
    """

    text: str
    offsets: tuple[int, ...]
    names: tuple[tuple[int, int], ...]
    size: int

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The passage's span of the plain characters [start, end), with the marks that stand directly around them."""
        first = self.offsets[start - 1] + 1 if start else 0
        return first, self.offsets[end] if end < len(self.offsets) else self.size


INVISIBLE: Final = frozenset("\u00ad\u200b\u200e\u200f\u2060\ufeff\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
"""Soft hyphens, zero-width spaces and marks of writing direction: no part of a word."""

_MARKS = re.compile(
    r"(?P<code>`{1,3})(?P<coded>[^`\n]{1,200})(?P=code)"
    r"|!?\[(?P<linked>[^\[\]\n]{1,300})\](?:\([^()\s]{0,2000}(?:\s+\"[^\"\n]{0,300}\")?\)|\[[^\[\]\n]{0,100}\])"
    r"|(?P<strong>\*\*|__)(?=\S)(?P<bold>[^*\n]{1,300}?)(?<=\S)(?P=strong)"
    r"|(?<![\w*])(?P<em>[*_])(?=[^\s*_])(?P<slanted>[^*_\n]{1,300})(?<=\S)(?P=em)(?![\w*])"
    r"|(?P<struck>~~[^~\n]{1,1000}~~)"
)
_NAME = re.compile(r"[\w./-]+(?: [\w./-]+){0,3}")


def plain(passage: str) -> Plain:
    """The passage as it reads: links by their text, emphasis without its marks, struck text and invisible characters gone."""
    text: list[str] = []
    offsets: list[int] = []
    names: list[tuple[int, int]] = []

    def take(start: int, end: int) -> None:
        kept = [at for at in range(start, end) if passage[at] not in INVISIBLE]
        text.extend(passage[at] for at in kept)
        offsets.extend(kept)

    def walk(start: int, end: int) -> None:
        at = start
        for match in _MARKS.finditer(passage, start, end):
            take(at, match.start())
            at, first = match.end(), len(text)
            if match["coded"]:
                take(*match.span("coded"))
            elif match["struck"]:
                continue
            else:
                inner = next(name for name in ("linked", "bold", "slanted") if match[name])
                walk(*match.span(inner))
            if (match["coded"] or match["bold"]) and _NAME.fullmatch("".join(text[first:])):
                names.append((first, len(text)))
        take(at, end)

    walk(0, len(passage))
    return Plain("".join(text), tuple(offsets), tuple(names), len(passage))
