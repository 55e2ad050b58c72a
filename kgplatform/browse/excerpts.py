"""Places in documents: a quote with what stands around it, and a text cut into marked pieces."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

from ..data_directory import DataDir
from ..errors import EncodingSourceError
from ..ingest.limits import decoded
from ..ingest.text import is_text_path
from ..settings.load import Settings

AROUND: Final = 140
LINES: Final = 3
"""How much of the text around a quote is shown: so many characters, of so many lines, at most."""


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A quote in its document's words; `is_prose` where these are running text and no lines of a file format."""

    before: str
    quote: str
    after: str
    is_prose: bool


@dataclass(frozen=True, slots=True)
class ExcerptPiece:
    """A part of a text that the same claims cover. `first_of` are the claims that begin with it, `is_read` is inside a passage."""

    text: str
    claims: tuple[str, ...]
    first_of: tuple[str, ...]
    is_read: bool
    is_refused: bool
    is_focus: bool
    begins_focus: bool


def original_text(settings: Settings, version: str) -> str | None:
    """The text of a version by its hash; None where its bytes are no longer there. Whoever asks has seen that the caller may read it."""
    directory = DataDir(settings.data)
    try:
        return decoded(directory.original(version), directory.originals / version)
    except (OSError, EncodingSourceError):
        return None


def excerpts(settings: Settings, citations: Iterable[Mapping[str, Any]]) -> list[Excerpt]:
    """For each citation (its `document`, `version`, `start`, `end`, `quote`), which the caller can see, its quote in the lines around it."""
    texts: dict[str, str | None] = {}
    out = []
    for citation in citations:
        version, start, end = citation["version"], citation["start"], citation["end"]
        if version not in texts:
            texts[version] = original_text(settings, version)
        text, is_prose = texts[version], is_text_path(citation["document"])
        if text is None or text[start:end] != citation["quote"]:
            out.append(Excerpt("", citation["quote"], "", is_prose))
        else:
            out.append(Excerpt(_tail(text[max(0, start - AROUND) : start]), text[start:end], _head(text[end : end + AROUND]), is_prose))
    return out


def _tail(text: str) -> str:
    """What stands before a quote: from its paragraph's beginning, or some whole words or lines."""
    last = text.rpartition("\n\n")[2]
    lines = last.split("\n")
    if len(lines) > LINES:
        return "\n".join(lines[-LINES:])
    return last if len(last) < AROUND else f"… {last.partition(' ')[2]}"


def _head(text: str) -> str:
    first = text.partition("\n\n")[0]
    lines = first.split("\n")
    if len(lines) > LINES:
        return "\n".join(lines[:LINES])
    return first if len(first) < AROUND else f"{first.rpartition(' ')[0]} …"


def pieces(
    text: str,
    spans: Iterable[tuple[int, int, str]],
    *,
    passages: Sequence[tuple[int, int]],
    refused: Iterable[str],
    focus: tuple[int, int],
    window: tuple[int, int],
) -> list[ExcerptPiece]:
    """The part of a text inside `window`, cut wherever a passage or one of the spans (start, end, claim) begins or ends.

    Without passages the whole text counts as read.
    """
    first, last = window
    shown = [(max(s, first), min(e, last), claim) for s, e, claim in spans if s < last and e > first and s < e]
    read = [(max(s, first), min(e, last)) for s, e in passages or [window] if s < last and e > first]
    not_taken = frozenset(refused)
    inside = (max(focus[0], first), min(focus[1], last))
    bounds = [*(pair[:2] for pair in shown), *read, *([inside] if inside[0] < inside[1] else [])]
    cuts = sorted({first, last, *(cut for pair in bounds for cut in pair)})
    begun: set[str] = set()
    out = []
    for start, end in pairwise(cuts):
        covering = tuple(claim for s, e, claim in shown if s <= start and end <= e)
        new = tuple(claim for claim in dict.fromkeys(covering) if claim not in begun)
        begun.update(new)
        is_read = any(s <= start and end <= e for s, e in read)
        is_focus = inside[0] <= start and end <= inside[1]
        is_refused = bool(covering) and all(claim in not_taken for claim in covering)
        out.append(ExcerptPiece(text[start:end], covering, new, is_read, is_refused, is_focus, is_focus and start == inside[0]))
    return out
