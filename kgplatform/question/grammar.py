"""English questions. Yields every reading that uses all words; which one is meant is decided by types (`fitting`)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from typing import Final

from ..extract.function_words import BE, DO, HAVE, PAST_AUXILIARIES, UNIVERSAL
from .clauses import Clauses, Parse
from .lexicon import ADVERBS, PREPOSITIONS
from .reading import COUNT, LIST, WHETHER, MentionKind, Of, Question, QuestionClause, QuestionMention, turned_readings

MAX_READINGS: Final = 60
_EXIST: Final = ("are there", "is there", "were there", "have there been", "exist", "are known", "happened", "occurred", "took place")
_LEADS: Final = ("please", "can you tell me", "could you tell me", "tell me", "show me", "give me", "list", "show", "name", "find", "and")
LEAD_WORDS: Final = frozenset(word for lead in _LEADS for word in lead.split())
_CONTRACTIONS: Final = (
    (r"\bcan't\b", "can not"),
    (r"\bwon't\b", "will not"),
    (r"n't\b", " not"),
    (r"\b(who|what|where|when|which)'s\b", r"\1 is"),
)
_INITIALS: Final = re.compile(r"(?:[A-Z]\.)+|[A-Z][a-z]{0,2}\.")
"""What keeps its full stop: `A. Kim`, `St. Louis`."""
_THERE: Final = ("are there", "is there", "were there", "was there", "have there been", "has there been")
_TRUE: Final = tuple(f"is it {word} that" for word in ("true", "correct", "right", "so", "the case"))
_WORD: Final = re.compile(r"'s\b|[^\s,;?!]+?(?='s\b)|[^\s,;?!]+|,")


def words_of(text: str) -> tuple[str, ...]:
    """The words of a question, `'s` apart, end marks dropped; `s'` is read as a possessive."""
    text = text.replace("’", "'").replace("‘", "'").strip()
    for pattern, plain in _CONTRACTIONS:
        text = re.sub(pattern, plain, text, flags=re.IGNORECASE)
    text = re.sub(r"(?<=s)'(?=\s)", " 's", text).rstrip("?!. ")
    bare = (word.strip("\"'“”") if word != "'s" else word for word in _WORD.findall(text))
    return tuple(word if _INITIALS.fullmatch(word) else word.rstrip(".:") for word in bare)


@dataclass(frozen=True)
class QuestionGrammar(Clauses):
    """The forms of questions, over the clauses of one."""

    def questions(self) -> tuple[Question, ...]:
        """Every reading, those with the fewest unknown names first."""
        start = self._skip(0, *_LEADS)
        found = islice(
            (
                q
                for parse in (self._asked, self._whether, self._said_so, self._listed, self._bare)
                for q, end in parse(start)
                if end == len(self.words)
            ),
            MAX_READINGS,
        )
        return tuple(sorted(dict.fromkeys(found), key=lambda q: q.unknown))

    def _asked(self, at: int) -> Parse[Question]:
        yield from self._when_valid(at)
        yield from self._beside(at)
        if self.low(at) == "whose":
            yield from ((Question(LIST, MentionKind("who"), (clause,)), end) for clause, end in self._noun_is(at + 1))
        if self.low(at) == "when":
            yield from ((replace(q, form=LIST, validity=("since", "until")), end) for q, end in self._whether(at + 1) if not q.validity)
        for front in ("", *PREPOSITIONS):
            start = at + 1 if front else at
            if front and self.low(at) != front:
                continue
            for wh, form, focus, middle in self._focus(start):
                yield from self._about(front or wh, form, focus, middle)

    def _focus(self, at: int) -> Iterator[tuple[str, str, MentionKind, int]]:
        """(question word, form, what is asked for, the position after)."""
        word = self.low(at)
        if (after := self._is(at, "how many")) > 0:
            for kind, end in self._kind(after, is_asked=True):
                yield "how many", COUNT, kind, end
        elif (after := self._is(at, "which of the", "which", "what")) > 0:
            for kind, end in self._kind(after, is_asked=True):
                yield "which", LIST, kind, end
        if word in ("who", "whom", "what", "which", "where", "when"):
            yield word, LIST, MentionKind(word), at + 1

    def _about(self, lead: str, form: str, focus: MentionKind, at: int) -> Parse[Question]:
        """What is said of the focus: a predicate, or a clause in which it is what is asked for."""
        word = self.low(at)
        for clauses, end in self._joined(self._said, at):
            yield from self._ended(Question(form, focus, clauses, lead), end)
        if word == "'s":
            for clause, end in self._noun_is(at + 1):
                yield from self._ended(Question(form, focus, (clause,), lead), end)
        if word in DO | BE | HAVE:
            is_past = word in PAST_AUXILIARIES
            is_negative = self.low(at + 1) == "not"
            for subject, middle in self.phrase(at + 2 if is_negative else at + 1):
                for clause, end in self._verb_to(middle, subject, lead=lead, is_past=is_past):
                    said = replace(clause, is_negative=clause.is_negative != is_negative)
                    yield from self._ended(Question(form, focus, (said,), lead), end)
                if is_negative:
                    continue
                if focus.nouns and (word in HAVE or word in BE or self.low(middle) == "have"):
                    end = middle + 1 if self.low(middle) == "have" else middle
                    yield from self._ended(Question(form, Of(focus.text, focus.nouns, subject), (), lead, was=is_past), end)
                if focus.classes and isinstance(subject, QuestionMention) and self.low(middle) in ("have", "had"):
                    yield from self._ended(Question(form, replace(focus, about=subject), (), lead, was=is_past), middle + 1)
                if word in BE and lead == "where":
                    is_in = QuestionClause("in", self.lexicon.containers, subject, True, is_past=is_past)
                    yield from self._ended(Question(form, focus, (is_in,), lead), middle)
                if word in BE and lead in ("who", "what"):
                    yield from self._ended(Question(form, subject, (), lead, was=is_past), middle)
        if focus.classes:
            yield from self._ended(Question(form, focus, (), lead), self._skip(at, *_EXIST))

    def _joined(self, parse: Callable[[int], Parse[QuestionClause]], at: int) -> Parse[tuple[QuestionClause, ...]]:
        for clause, end in parse(at):
            yield (clause,), end
            if self.low(end) == "and" and self._is(end, "and since when", "and until when") < 0:
                for others, after in self._joined(parse, end + 1):
                    yield (clause, *others), after

    def _ended(self, question: Question, at: int) -> Parse[Question]:
        """Tails: `, and since when`, `and until when`."""
        yield question, at
        start = self._skip(at, ",", "and")
        for bound in ("since", "until"):
            if (after := self._is(start, f"{bound} when")) > 0:
                yield from self._ended(replace(question, validity=(*question.validity, bound)), after)

    def _when_valid(self, at: int) -> Parse[Question]:
        """`Since when does Platform own Tax`."""
        for bound, fronts in (("since", ("since when", "from when")), ("until", ("until when", "till when"))):
            start = self._is(at, *fronts)
            if start > 0 and self.low(start) in DO | BE | HAVE:
                for question, end in self._whether(start):
                    if not question.validity:
                        yield replace(question, form=LIST, validity=(bound,)), end

    def _beside(self, at: int) -> Parse[Question]:
        """`Who owned Tax before Platform`."""
        for index in range(at + 2, len(self.words) - 1):
            if self.low(index) in ("before", "after"):
                shorter = replace(self, words=self.words[:index])
                for other, end in self.phrase(index + 1):
                    for question, middle in shorter._asked(at):
                        if middle == index and question.clauses and not question.beside:
                            yield replace(question, beside=(self.low(index), other)), end

    def _whether(self, at: int) -> Parse[Question]:
        word = self.low(at)
        if word not in DO | BE | HAVE:
            return
        is_past = word in PAST_AUXILIARIES
        for subject, middle in self.phrase(at + 1):
            if word in BE:
                said = self._be_said(self._skip(middle, *ADVERBS), is_past)
            else:
                said = self._do_said(self._skip(middle, "been", *ADVERBS), is_past)
            for clause, end in said:
                yield from self._ended(Question(WHETHER, subject, (clause,), word), end)

    def _be_said(self, at: int, is_past: bool) -> Parse[QuestionClause]:
        is_negative, after = self.low(at) == "not", self._skip(at, "not")
        yield from self._participle(after, is_negative=is_negative, is_past=is_past)
        yield from self._value(self._skip(after, "in"), is_negative=is_negative)
        yield from self._is_a(after)
        for other, end in self.phrase(after):  # Is Jack Joan's spouse?
            if isinstance(other, Of):
                yield QuestionClause(other.noun, turned_readings(other.nouns), other.owner, is_negative=is_negative, is_past=is_past), end

    def _do_said(self, at: int, is_past: bool) -> Parse[QuestionClause]:
        is_negative = self.low(at) == "not"
        for text, readings, end in self._match(self._skip(at, "not"), self.lexicon.verbs):
            yield from self._object(QuestionClause(text, readings, is_negative=is_negative, is_past=is_past), end)
        if (after := self._is(at, "have")) > 0:
            yield from self._has(after, is_past=is_past)

    def _said_so(self, at: int) -> Parse[Question]:
        """`Is it true that Platform owns Tax?`"""
        if (start := self._is(at, *_TRUE)) > 0:
            for subject, middle in self.phrase(start):
                for clause, end in self._said(middle):
                    yield from self._ended(Question(WHETHER, subject, (clause,)), end)

    def _listed(self, at: int) -> Parse[Question]:
        """`Are there incidents of Cart?` is answered by what there is."""
        if (start := self._is(at, *_THERE)) > 0:
            for kind, end in self._kind(self._skip(start, "any", "some", "a", "an")):
                yield from self._ended(Question(LIST, kind), end)

    def _bare(self, at: int) -> Parse[Question]:
        """`Amit's nationality`, `all components owned by Web`."""
        for focus, end in self.phrase(self._skip(at, *UNIVERSAL)):
            if not isinstance(focus, QuestionMention):
                yield from self._ended(Question(LIST, focus), end)
