"""What an extractor skipped in a text: sentences that it set aside, and why a text gave no claim."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from ..ingest.evidence import line_of
from ..model import Notice, Reading
from .grammar import is_hedged
from .language import other_language
from .sentences import Cut

HEDGED: Final = "hedged, reported, planned or asked"

NO_TEXT: Final = "no text: it holds nothing but code, rules or front matter"
LANGUAGE: Final = "language: it is written in {}, and sentences are read in English"
NO_NAMES: Final = "no names: no sentence of it names anything"
SET_ASIDE: Final = "set aside: every sentence of it that names something is {}"
NO_RECORD: Final = "no record: nothing in it states a fact"
NO_RELATION: Final = "no readable sentence: none states a relation of the ontology between names"


def set_aside(reading: Reading, cut: Cut) -> tuple[Notice, ...]:
    """The sentences that were read and set aside, counted by reason with their first place."""
    reasons: dict[str, list[int]] = {}
    for start, reason in sorted([*cut.aside, *_hedged(cut)]):
        reasons.setdefault(reason, []).append(start)
    return tuple(
        Notice("skipped", f"sentences: {reason}", len(starts), f"{reading.path}:{line_of(reading.text, starts[0])}")
        for reason, starts in reasons.items()
    )


def silent(reading: Reading, cut: Cut, stop_words: Collection[str]) -> str:
    """Why a text gave no claim: the first reason that accounts for all of it."""
    if not reading.passages:
        return NO_TEXT
    language = other_language("\n".join(passage.text for passage in reading.passages), stop_words)
    if language:
        return LANGUAGE.format(language)
    hedged = {start for start, _reason in _hedged(cut)}
    naming = [sentence for sentence in cut.spoken if sentence.mentions and sentence.start not in hedged]
    if naming:
        return NO_RELATION
    reasons = dict.fromkeys(reason for _start, reason in (*cut.aside, *_hedged(cut)))
    return SET_ASIDE.format(", or ".join(reasons)) if reasons else NO_NAMES


def _hedged(cut: Cut) -> list[tuple[int, str]]:
    return [(sentence.start, HEDGED) for sentence in cut.spoken if sentence.mentions and is_hedged(sentence.template)]
