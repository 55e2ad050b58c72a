"""Where in a text a claim was read: spans, quotes, and what one reading of a file found."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Final, NamedTuple
from urllib.parse import quote

from ..model import Candidate, Fact, Notice, Passage, Problem, Reading, Scopes
from ..terms import UNMAPPED, is_unmapped, literal, unmapped_key
from ..times import Instant

MAX_QUOTE: Final = 300
_LINE_END = re.compile(r"[\r\n]")


class ReadClaims(NamedTuple):
    """What a format reader took from one file; `complete` is False where a part could not be read."""

    claims: tuple[Candidate, ...]
    extractor: str
    problems: tuple[Problem, ...] = ()
    complete: bool = True
    scopes: Scopes = frozenset()
    notices: tuple[Notice, ...] = ()
    title: str = ""
    declared: Instant = ""
    passages: tuple[Passage, ...] | None = None
    """Of a text for people: what extractors read of it. None where there is nothing for them."""


def line_of(text: str, offset: int) -> int:
    """The line number, from 1, of a character offset; lines end with LF, CR or both."""
    return text.count("\n", 0, offset) + text.count("\r", 0, offset) - text.count("\r\n", 0, offset) + 1


def lines_around(text: str, start: int, end: int) -> tuple[int, int]:
    """The span widened to whole lines, without the white space around them."""
    first = max(text.rfind("\n", 0, start), text.rfind("\r", 0, start)) + 1
    line_end = _LINE_END.search(text, max(start, end - 1))
    last = line_end.start() if line_end else len(text)
    return trimmed(text, first, last)


def trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """The span without white space at its ends."""
    inner = text[start:end]
    return start + len(inner) - len(inner.lstrip()), max(start, end - len(inner) + len(inner.rstrip()))


def candidate(text: str, fact: Fact, span: tuple[int, int], extractor: str, *, graph: str = "", note: str = "") -> Candidate:
    """The claim with its quote: `text[start:end]`, cut after the first lines where it is longer than 300 characters."""
    start, end = span
    if end - start > MAX_QUOTE:
        ends = [m.start() for m in _LINE_END.finditer(text, start, start + MAX_QUOTE)]
        start, end = trimmed(text, start, ends[-1] if ends else start + MAX_QUOTE)
    return Candidate(fact, start, end, text[start:end], extractor, graph=graph, note=note)


def require_quoted(claims: Iterable[Candidate], text: str) -> None:
    """Raise ValueError for a claim whose quote is not the text at its span, or is empty: every answer rests on quotes."""
    for claim in claims:
        if not 0 <= claim.start < claim.end <= len(text) or claim.quote != text[claim.start : claim.end]:
            raise ValueError(f"a claim does not quote the text: {claim!r:.200}")


def unmapped(subject: str, format_: str, field: str, value: str) -> Fact:
    """The fact of a value that no mapping reads; the gate quarantines it under its field."""
    return Fact(subject, UNMAPPED[f"{format_}/{quote(field, safe='.-_/')}"], literal(value))


def unmapped_keys(reading: Reading) -> tuple[Notice, ...]:
    """One notice for each key whose values became unmapped claims: `backstage spec.profile.color`, how many, and the first place.

    Keys for which the reader has a notice of its own, with a better place, are left out.
    """
    known = {notice.what for notice in reading.notices if notice.kind == "unmapped"}
    spans: dict[str, list[int]] = {}
    for claim in reading.claims:
        if is_unmapped(claim.fact.relation):
            spans.setdefault(claim.fact.relation, []).append(claim.start)
    return tuple(
        Notice("unmapped", unmapped_key(relation), len(starts), f"{reading.path}:{line_of(reading.text, min(starts))}")
        for relation, starts in spans.items()
        if unmapped_key(relation) not in known
    )


def compact(value: object) -> str:
    """JSON without white space between tokens; keys keep their order."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
