"""The names in a sentence: capitalised spans, words of scripts without capitals, code and bold names, hyphenated names, gazetteer entries.

A name takes its article and its class noun with it (`the Tax service`, `the team Avalon`), which are no part of the surface.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

from ..language.dates import MONTHS
from ..language.phrases import Phrases
from ..terms import nfc

if TYPE_CHECKING:  # importing spaCy takes 1.5 s: see sentences.pipeline
    from spacy.tokens import Doc, Span, Token


class TextMention(NamedTuple):
    """One occurrence of a name. [start, end) are its characters in the plain passage, article and class noun included.

    `hint` is the class that its noun names ("the Tax service"), '' where there is none.
    """

    surface: str
    start: int
    end: int
    hint: str = ""


@dataclass(frozen=True)
class KnownNames:
    """Words by which names are recognised in a document.

    `capitalised` has those that it capitalises inside a sentence, `lower` those that it has in lower case, and `never` those that
    are never names (stop words, months and the like).
    """

    capitalised: frozenset[str]
    lower: frozenset[str]
    never: frozenset[str]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_DAYS: Final = frozenset(["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"])
_NEVER: Final = (
    _DAYS
    | frozenset(MONTHS)
    | _words(
        """
        today yesterday tomorrow currently formerly previously originally later earlier finally however note please see
        until since because although though unless if when while whereas yes no ok i ii iii iv todo fixme tbd draft let
        suppose assume imagine pretend say consider given maybe supposedly allegedly reportedly apparently presumably
        probably possibly hopefully ideally theoretically hypothetically technically potentially seemingly arguably
        initially eventually soon usually normally generally typically effectively practically virtually temporarily
        obviously clearly certainly surely actually
        """
    )
)
_ARTICLES: Final = frozenset(("the", "our"))
_GENERIC: Final = frozenset(["service", "microservice", "application", "app", "module", "library", "website", "product", "project"])
_CAPITAL = re.compile(r"[^\W\d_]", re.UNICODE)
_QUALIFIER = re.compile(r"-(?:[a-z]+ed|born|led|run|built|made|wide|like|style|level|specific)$")
_PICTURE = re.compile("[\u2190-\u2bff\U0001f000-\U0001faff]")
_HYPHENATED = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)+")
_COMPOUNDS: Final = _words(
    """
    add-on all-hands all-time back-end built-in check-in clean-up co-owner cut-over day-to-day end-to-end fail-over
    follow-up front-end full-time hand-over high-level in-house know-how long-running long-term low-level month-end
    off-site on-call on-site open-source opt-in out-of-date part-time post-mortem pull-request read-only real-time
    roll-out run-book set-up short-term sign-off stand-by start-up time-out third-party trade-off up-to-date well-known
    work-around write-only year-end
    """
)


def names_of(docs: Iterable[Doc], stop_words: Iterable[str]) -> KnownNames:
    """The words of a document that are names, and those that are not; `stop_words` are never names."""
    capitalised: set[str] = set()
    lower: set[str] = set()
    for doc in docs:
        for sentence in doc.sents:
            first = _first(sentence)
            for token in sentence:
                if token.text.islower():
                    lower.add(token.text)
                elif token.i > first.i and token.text[0].isupper():
                    capitalised.add(token.text)
    return KnownNames(frozenset(capitalised), frozenset(lower), _NEVER | frozenset(stop_words))


def find_mentions(
    sentence: Span,
    *,
    taken: Sequence[tuple[int, int]],
    marked: Sequence[tuple[int, int]],
    names: KnownNames,
    phrases: Phrases,
    gazetteer: Mapping[str, str],
) -> tuple[TextMention, ...]:
    """The names of a sentence in order. `taken` are character spans that are no names (dates), `marked` code and bold spans.

    All spans are offsets into the text of the sentence's document. A lower-case word is a name only if it is marked,
    hyphenated without an article, or in the gazetteer. The first word of a sentence is a name unless it is an ordinary
    word, stands in lower case elsewhere in the document, or begins one of the ontology's phrases.
    """
    tokens = [t for t in sentence if not t.is_space]
    initial = _first(sentence).i
    free = [not any(start < t.idx + len(t) and t.idx < end for start, end in taken) for t in tokens]
    mentions: list[TextMention] = []
    index = 0
    while index < len(tokens):
        length = free[index] and (
            _listed(tokens, index, gazetteer)
            or _marked(tokens, index, marked, names)
            or _capitalised(tokens, free, index, initial, names, phrases)
            or _hyphenated(tokens, index)
        )
        if not length:
            index += 1
            continue
        mentions.append(_widened(tokens, index, index + length, phrases, floor=mentions[-1].end if mentions else sentence.start_char))
        index += length
        while index < len(tokens) and tokens[index].idx < mentions[-1].end:
            index += 1
    return tuple(mentions)


def _first(sentence: Span) -> Token:
    return next((t for t in sentence if _CAPITAL.match(t.text) or t.text[0].isdigit()), sentence[0])


def _listed(tokens: Sequence[Token], index: int, gazetteer: Mapping[str, str]) -> int:
    """How many tokens the longest gazetteer surface from here takes."""
    for length in range(min(6, len(tokens) - index), 0, -1):
        if gazetteer and _surface(tokens[index : index + length]) in gazetteer:
            return length
    return 0


def _marked(tokens: Sequence[Token], index: int, marked: Sequence[tuple[int, int]], names: KnownNames) -> int:
    for start, end in marked:
        if tokens[index].idx == start:
            inside = [t for t in tokens[index:] if t.idx + len(t) <= end]
            return len(inside) if not all(t.lower_ in names.never for t in inside) else 0
    return 0


def _capitalised(tokens: Sequence[Token], free: Sequence[bool], index: int, initial: int, names: KnownNames, phrases: Phrases) -> int:
    if not _is_name(tokens[index], names):
        return 0
    length = 1
    while index + length < len(tokens) and free[index + length] and _is_name(tokens[index + length], names):
        length += 1
    if tokens[index].i == initial and length == 1:
        word = tokens[index].text
        if index + 1 < len(tokens) and tokens[index + 1].text == ":":
            return 0
        if word not in names.capitalised and (word.lower() in names.lower or word.lower() in phrases.heads or word.endswith("ly")):
            return 0
    return length


def _is_name(token: Token, names: KnownNames) -> bool:
    if _QUALIFIER.search(token.text):
        return False
    return (
        _begins_as_name(token.text[0])
        and token.lower_ not in names.never
        and token.text not in ("'S", "’S")
        and not _PICTURE.search(token.text)
    )


def _begins_as_name(letter: str) -> bool:
    """A capital, or a letter of a script that has none (Chinese, Arabic, Hindi): in an English sentence that is a name."""
    return letter.isupper() or (letter.isalpha() and letter.lower() == letter.upper())


def _hyphenated(tokens: Sequence[Token], index: int) -> int:
    text = tokens[index].text
    before = tokens[index - 1].lower_ if index else ""
    return int(
        bool(_HYPHENATED.fullmatch(text))
        and text not in _COMPOUNDS
        and before not in ("a", "an", "the", "this", "that", "our", "their", "its")
    )


def _surface(tokens: Sequence[Token]) -> str:
    text = "".join(t.text_with_ws if not t.whitespace_ else t.text + " " for t in tokens)
    return nfc(" ".join(text.split()))


def _widened(tokens: Sequence[Token], first: int, last: int, phrases: Phrases, *, floor: int) -> TextMention:
    """The mention tokens[first:last] with the class noun and the article around it."""
    surface, hint = _surface(tokens[first:last]), ""
    noun, length = _class_noun(tokens, last, phrases)
    if length:
        last, hint = last + length, noun
    else:
        for size in (3, 2, 1):
            noun, length = _class_noun(tokens, first - size, phrases) if first >= size else ("", 0)
            before, verb = (tokens[i].lower_ if i >= 0 else "" for i in (first - size - 1, first - size - 2))
            if length == size and noun and before in _ARTICLES and verb not in ("has", "have") and tokens[first - size].idx >= floor:
                first, hint = first - size, noun
                break
    if first and tokens[first - 1].lower_ in _ARTICLES and tokens[first - 1].idx >= floor:
        first -= 1
    return TextMention(surface, tokens[first].idx, tokens[last - 1].idx + len(tokens[last - 1]), hint)


def _class_noun(tokens: Sequence[Token], index: int, phrases: Phrases) -> tuple[str, int]:
    """(class, tokens) of the class noun that begins here; a generic noun such as `application` has no class."""
    for size in (3, 2, 1):
        words = " ".join(t.text for t in tokens[index : index + size])
        if len(words.split()) == size and words in phrases.classes and len(phrases.classes[words]) == 1:
            return next(iter(phrases.classes[words])), size
    if index < len(tokens) and tokens[index].text in _GENERIC:
        return "", 1
    return "", 0
