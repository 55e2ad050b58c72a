"""The blocks of a text that people read: paragraphs, list items, headings and table rows, as character spans.

Code blocks (fenced and indented), HTML comments, rules, table delimiters and link definitions are no passages.
A span starts after its block's marker (`- `, `## `); a quoted block keeps its `>`, so that a reader knows that it is quoted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from .evidence import trimmed

Span = tuple[int, int]


class _Line(NamedTuple):
    start: int
    end: int
    text: str


_FENCE = re.compile(r"\s*(?P<mark>`{3,}|~{3,})(?P<info>.*)$")
_HEADING = re.compile(r" {0,3}#{1,6}(?:[ \t]+|$)")
_CLOSING_HASHES = re.compile(r"[ \t]+#+[ \t]*$")
_ITEM = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+(?=\S)")
_RULE = re.compile(r" {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,}|=+[ \t]*)$")
_TABLE_ROW = re.compile(r"\s*\|.*\|\s*$")
_TABLE_RULE = re.compile(r"[\s|:-]*-[\s|:-]*$")
_DEFINITION = re.compile(r" {0,3}\[[^\]]+\]:\s*\S+")
_INDENTED = re.compile(r"(?: {4}|\t)")
_QUOTED = re.compile(r" {0,3}>")
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_LINES = re.compile(r"[^\r\n]*(?:\r\n|\n|\r|\Z)")


def passages(text: str, start: int = 0, *, is_markdown: bool = True) -> tuple[Span, ...]:
    """The spans of the text's blocks from offset `start` on, in order, trimmed and not empty."""
    hidden = [m.span() for m in _COMMENT.finditer(text, start)] if is_markdown else []
    spans = []
    for span in _blocks(list(_lines(text, start, hidden)), is_markdown):
        first, last = trimmed(text, *span)
        if first < last:
            spans.append((first, last))
    return tuple(spans)


def _lines(text: str, start: int, hidden: list[Span]) -> Iterator[_Line]:
    """The lines outside comments; a comment cuts its line, and stands as a blank line, so that no block spans it."""
    for match in _LINES.finditer(text, start):
        if match.start() == match.end():
            return
        begin, end = match.span()
        for first, last in hidden:
            if first < end and last > begin:
                if begin < first:
                    yield _Line(begin, first, text[begin:first])
                yield _Line(min(first, end), min(first, end), "")
                begin = min(last, end)
        if begin < end or not hidden:
            yield _Line(begin, end, text[begin:end].rstrip("\r\n"))


def _blocks(lines: list[_Line], is_markdown: bool) -> Iterator[Span]:
    """Markdown's blocks; plain text knows paragraphs and list items only."""
    open_: Span | None = None
    fence, is_item, is_quote, after_blank = "", False, False, True

    for line in lines:
        blank, quoted = not line.text.strip(), bool(_QUOTED.match(line.text))
        mark = _FENCE.match(line.text) if is_markdown else None
        if fence:
            if mark and mark["mark"].startswith(fence) and not mark["info"].strip():
                fence = ""
            continue
        single: Span | None = None
        begins = 0
        if mark:
            fence = mark["mark"]
        elif is_markdown and (heading := _HEADING.match(line.text)):
            closing = _CLOSING_HASHES.search(line.text)
            single = (line.start + heading.end(), line.start + (closing.start() if closing else len(line.text)))
        elif is_markdown and _TABLE_ROW.match(line.text):
            single = (line.start, line.start) if _TABLE_RULE.fullmatch(line.text) else (line.start, line.end)
        elif is_markdown and (_RULE.match(line.text) or _DEFINITION.match(line.text)):
            pass
        elif is_markdown and after_blank and not is_item and not blank and _INDENTED.match(line.text):
            continue
        elif item := _ITEM.match(line.text):
            begins = item.end()
        elif not blank:
            if open_ is None or quoted != is_quote:
                if open_:
                    yield open_
                open_, is_quote = (line.start, line.end), quoted
                is_item = is_item and bool(_INDENTED.match(line.text) or line.text.startswith("  "))
            else:
                open_ = (open_[0], line.end)
            after_blank = False
            continue
        if open_:
            yield open_
            open_ = None
        if single:
            yield single
        if begins:
            open_, is_quote = (line.start + begins, line.end), False
        is_item = bool(begins) or (blank and is_item)
        after_blank = blank or bool(single)
    if open_:
        yield open_
