"""Sentences whose clauses remember their facts, by marks inside the text, until the citations are numbered.

A mark stands at the end of a clause and holds the IRIs of its assertions between two characters that no name has here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from ...results import Clause

_FIRST: Final = "\ue000"
_LAST: Final = "\ue001"
_MARK: Final = re.compile(f"{_FIRST}([^{_LAST}]*){_LAST}")


def mark(assertions: Iterable[str]) -> str:
    """The mark of these assertions, '' of none."""
    listed = " ".join(dict.fromkeys(assertions))
    return f"{_FIRST}{listed}{_LAST}" if listed else ""


def uncited(text: str) -> str:
    """The text as a clause of its own that rests on no fact."""
    return f"{text}{_FIRST}{_LAST}" if text else ""


def unmarked(text: str) -> str:
    """The text without marks."""
    return without_signs(_MARK.sub("", text))


def without_signs(name: str) -> str:
    """A name without the characters that marks are made of."""
    return name.replace(_FIRST, "").replace(_LAST, "")


def before_mark(text: str, more: str) -> str:
    """The text with more words in its last clause: before the mark at its end, if it has one."""
    at = text.rindex(_FIRST) if text.endswith(_LAST) else len(text)
    return text[:at] + more + text[at:]


def marked_assertions(text: str) -> tuple[str, ...]:
    """The assertions of all clauses, in the order in which the text tells them."""
    return tuple(dict.fromkeys(iri for match in _MARK.finditer(text) for iri in match[1].split()))


def clauses_of(text: str, citations: Mapping[str, Sequence[int]]) -> tuple[Clause, ...]:
    """The clauses of a marked text, by the citations of each of its assertions. What follows the last mark belongs to it."""
    parts, at = list[tuple[str, tuple[int, ...]]](), 0
    for match in _MARK.finditer(text):
        cited = {number for iri in match[1].split() for number in citations.get(iri, ())}
        end = match.end() + text.startswith(".", match.end())  # the full stop belongs to the clause before it
        parts.append((unmarked(text[at : match.start()]) + text[match.end() : end], tuple(sorted(cited))))
        at = end
    rest = unmarked(text[at:])
    if not parts:
        return (Clause(text=rest),) if rest else ()
    last, cited_last = parts[-1]
    return tuple(Clause(text=words, citations=numbers) for words, numbers in (*parts[:-1], (last + rest, cited_last)))
