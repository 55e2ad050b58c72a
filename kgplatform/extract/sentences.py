"""A reading cut into sentences, each with its names, its dates and the template that the grammar reads."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

from ..errors import ConfigError
from ..language.dates import DateSpan, find_dates
from ..language.phrases import Phrases
from ..model import Reading
from .context import asides, voices
from .grammar import DATE_CLOSE, DATE_OPEN, NAME_CLOSE, NAME_OPEN
from .mentions import TextMention, find_mentions, names_of

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Span


class Sentence(NamedTuple):
    """`start` and `end` are characters of `Reading.text`. `recognised` are surfaces with the label of an entity recogniser."""

    start: int
    end: int
    mentions: tuple[TextMention, ...]
    dates: tuple[DateSpan, ...]
    template: str
    recognised: tuple[tuple[str, str], ...] = ()


MAX_SENTENCE: Final = 2000
"""Characters; what is longer is a list or a dump, no sentence, and is not read."""

TOO_LONG: Final = "too long"

_NO_WORD: Final = re.compile(r"\S{300,}")
"""Keys and encoded bytes: the tokeniser's time grows with the square of their length."""

_MARKS: Final = str.maketrans("\ue000\ue001\ue002\ue003\u2019", "    '")


@lru_cache(maxsize=4)
def pipeline(model: str) -> Language:
    """Tokeniser, sentence bounds and, with a model, its entity recogniser. Hyphenated names stay one token.

    spaCy is imported here, since that takes 1.5 s and questions are read without it.
    """
    import spacy
    from spacy.tokenizer import Tokenizer
    from spacy.util import compile_infix_regex

    if model:
        try:
            nlp = spacy.load(model, exclude=["parser", "tagger", "morphologizer", "lemmatizer", "attribute_ruler", "senter"])
        except (OSError, ValueError, ImportError) as error:
            what = f"the spaCy pipeline {model!r} cannot be loaded"
            raise ConfigError(what, hint="install it, or name none: extraction works without") from error
    else:
        nlp = spacy.blank("en")
    infixes = [str(p) for p in nlp.Defaults.infixes or () if "-" not in str(p) or "\\-\\-" in str(p)]
    if isinstance(nlp.tokenizer, Tokenizer):
        nlp.tokenizer.infix_finditer = compile_infix_regex(infixes).finditer
    nlp.add_pipe("sentencizer", first=True)
    nlp.max_length = 1 << 28
    return nlp


class Cut(NamedTuple):
    """The sentences that speak for the document itself (see `context`), and of each that does not, where it stands and why."""

    spoken: tuple[Sentence, ...]
    aside: tuple[tuple[int, str], ...] = ()


def sentences(reading: Reading, *, nlp: Language, phrases: Phrases, gazetteer: Mapping[str, str]) -> Cut:
    """All sentences of a text."""
    chosen = [
        (voice, nlp(_NO_WORD.sub(lambda run: " " * len(run.group()), voice.text.text.translate(_MARKS)))) for voice in voices(reading)
    ]
    names = names_of([doc for voice, doc in chosen if not voice.aside], nlp.Defaults.stop_words)
    spoken: list[Sentence] = []
    aside: list[tuple[int, str]] = []
    for (at, text, why), doc in chosen:
        spans = list(doc.sents)
        if why:
            aside += [(at + text.span(span.start_char, span.end_char)[0], why) for span in spans]
            continue
        recognised = tuple(sorted({(ent.text, ent.label_) for ent in doc.ents}))
        for span, reason in zip(spans, asides(doc.text, (span.start_char for span in spans)), strict=True):
            first, last = _trimmed(doc.text, span.start_char, span.end_char)
            if first >= last:
                continue
            start, end = _trimmed(reading.text, *(at + offset for offset in text.span(first, last)))
            if reason or last > first + MAX_SENTENCE:
                aside.append((start, reason or TOO_LONG))
                continue
            dates = tuple(d._replace(start=d.start + first, end=d.end + first) for d in find_dates(doc.text[first:last]))
            taken = [(d.start, d.end) for d in dates]
            mentions = find_mentions(span, taken=taken, marked=text.names, names=names, phrases=phrases, gazetteer=gazetteer)
            spoken.append(Sentence(start, end, mentions, dates, _template(span, first, last, mentions, dates), recognised))
    return Cut(tuple(spoken), tuple(aside))


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    inner = text[start:end]
    return start + len(inner) - len(inner.lstrip()), end - len(inner) + len(inner.rstrip())


def _template(span: Span, start: int, end: int, mentions: tuple[TextMention, ...], dates: tuple[DateSpan, ...]) -> str:
    marks = [(m.start, m.end, f"{NAME_OPEN}{i}{NAME_CLOSE}") for i, m in enumerate(mentions)]
    marks += [(d.start, d.end, f"{DATE_OPEN}{i}{DATE_CLOSE}") for i, d in enumerate(dates)]
    text, parts, at = span.doc.text, [], start
    for first, last, mark in sorted(marks):
        if first >= at:
            parts += [text[at:first].casefold(), mark]
            at = last
    parts.append(text[at:end].casefold())
    return " ".join("".join(parts).split())
