"""English phrases and clauses whose verbs, nouns and classes come from the ontology, as parsers over the words of a question.

A parser takes a position and yields every (reading, position after it). Nothing is decided here: types decide later.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final, TypeVar

from ..extract.function_words import BE, DETERMINERS, DO, HAVE, PAST_AUXILIARIES, STOP
from ..language.phrases import Readings
from .lexicon import ADVERBS, ANYONE, ANYTHING, LATEST, NO_NAMES, PLACE_PREPOSITIONS, PREPOSITIONS, Lexicon
from .reading import MentionKind, Of, Phrase, QuestionClause, QuestionMention

T = TypeVar("T")
Parse = Iterator[tuple[T, int]]

_LONGEST_NAME: Final = 5
_PRESENT: Final = ("current", "present")


@dataclass(frozen=True)
class Clauses:
    """The words of one question, and the spans [from, to) of words that are the name of something visible.

    `date_at` is the position in the words at which the date of the question stood, -1 if it has none.
    """

    lexicon: Lexicon
    words: tuple[str, ...]
    names: frozenset[tuple[int, int]]
    date_at: int = -1

    # -- words

    def low(self, at: int) -> str:
        """The word at a position in lower case, '' behind the last one."""
        return self.words[at].casefold() if at < len(self.words) else ""

    def _is(self, at: int, *phrases: str) -> int:
        """The position after one of the phrases, or -1."""
        for phrase in phrases:
            length = phrase.count(" ") + 1
            if " ".join(self.words[at : at + length]).casefold() == phrase:
                return at + length
        return -1

    def _skip(self, at: int, *phrases: str) -> int:
        while (after := self._is(at, *phrases)) > 0:
            at = after
        return at

    def _match(self, at: int, table: Mapping[str, T]) -> Iterator[tuple[str, T, int]]:
        """Phrases of a table at a position, the longest first."""
        for end in range(min(len(self.words), at + 6), at, -1):
            phrase = " ".join(self.words[at:end]).casefold()
            for form in dict.fromkeys((phrase, phrase.replace("-", " "))):
                if form in table:
                    yield form, table[form], end
                    break

    # -- phrases

    def phrase(self, at: int) -> Parse[Phrase]:
        """A noun phrase, with the possessives that follow it."""
        for first, end in self._primary(at):
            yield from self._possessives(first, end)

    def _possessives(self, owner: Phrase, at: int) -> Parse[Phrase]:
        if self.low(at) == "'s":
            for noun, readings, end in self._match(self._skip(at + 1, *_PRESENT), self.lexicon.nouns):
                yield from self._possessives(Of(noun, readings, owner, is_all=noun in self.lexicon.plural_nouns), end)
            for called, middle in self._mention(at + 1):
                for noun, readings, end in self._match(middle, self.lexicon.nouns):
                    yield from self._possessives(Of(noun, readings, owner, called), end)
        yield owner, at

    def _primary(self, at: int) -> Parse[Phrase]:
        is_the, is_determined = self.low(at) == "the", self.low(at) in DETERMINERS
        for start in (at + 1, at) if is_determined else (at,):
            yield from self._noun_of(start)
            known = tuple(self._known(start))
            yield from ((named, end) for named, end in known if named.kinds)
            if is_the or not is_determined:  # after `the`, a class noun that is also a name means the name: the agent
                yield from ((named, end) for named, end in known if named.text.casefold() not in self.lexicon.plurals)
            for kind, end in self._kind(start):
                yield (replace(kind, is_all=True) if is_the and kind.text in self.lexicon.plurals else kind), end
            yield from self._mention(start)

    def _noun_of(self, at: int) -> Parse[Phrase]:
        """`dependency of Checkout`, `tax dependency of Checkout`."""
        at = self._skip(at, *_PRESENT)
        for noun, readings, end in self._match(at, self.lexicon.nouns):
            if self.low(end) == "of":
                for owner, after in self.phrase(end + 1):
                    yield Of(noun, readings, owner, is_all=noun in self.lexicon.plural_nouns), after
        for called, middle in self._known(at):
            for noun, readings, end in self._match(middle, self.lexicon.nouns):
                if self.low(end) == "of":
                    for owner, after in self.phrase(end + 1):
                        yield Of(noun, readings, owner, called), after

    def _kind(self, at: int, *, is_asked: bool = False) -> Parse[MentionKind]:
        """`components`, `deprecated components`, `Tax incidents`, `incidents of Tax`, `latest incident`, `teams that own Tax`."""
        for word, extreme in LATEST.items():
            if (after := self._is(at, word)) > 0:
                for kind, end in self._kind(after):
                    yield replace(kind, extreme=extreme), end
        for word, values, after in self._match(at, self.lexicon.values):
            for kind, end in self._kind(after):
                yield replace(kind, clauses=(*kind.clauses, QuestionClause(word, values=values))), end
        for text, classes, end in self._match(at, self.lexicon.classes):
            nouns = next((r for _, r, stop in self._match(at, self.lexicon.nouns) if stop == end), frozenset())
            yield from self._described(MentionKind(text, classes, nouns=nouns), end)
            for about, after in self._known(end + 1) if self.low(end) == "of" else ():
                yield from self._described(MentionKind(text, classes, about=about), after)
        if self.low(at) in ANYTHING | ANYONE:
            yield from self._described(MentionKind(self.low(at)), at + 1)
        if is_asked:
            for text, readings, end in self._match(at, self.lexicon.nouns):
                yield from self._described(MentionKind(text, nouns=readings), end)
        for about, middle in self._known(at):
            for text, classes, end in self._match(middle, self.lexicon.classes):
                yield from self._described(MentionKind(text, classes, about=about), end)

    def _mention(self, at: int) -> Parse[QuestionMention]:
        """A name, known or not: `Tax`, `the Tax service`, `component Tax`."""
        yield from self._known(at)
        for _, classes, middle in self._match(at, self.lexicon.classes):
            for named, end in self._known(middle):
                yield replace(named, kinds=classes), end
        for end in range(min(len(self.words), at + _LONGEST_NAME), at, -1):
            if (at, end) not in self.names and self._may_be_a_name(at, end):
                yield QuestionMention(" ".join(self.words[at:end]), is_known=False), end

    def _may_be_a_name(self, at: int, end: int) -> bool:
        return (
            not any(self.low(i) in STOP or self.words[i] in NO_NAMES or self.words[i] == "," for i in range(at, end))
            and self.words[at] not in PREPOSITIONS
            and self.words[end - 1] not in PREPOSITIONS
        )

    def _known(self, at: int) -> Parse[QuestionMention]:
        """What is named from here: `Tax`, `the Tax service`. Words that are a name and the name of something of a class mean either."""
        of_class: dict[int, QuestionMention] = {}
        plain: dict[int, QuestionMention] = {}
        for end in range(min(len(self.words), at + 8), at, -1):
            if (at, end) in self.names:
                plain[end] = QuestionMention(" ".join(self.words[at:end]))
                for _, classes, after in self._match(end, self.lexicon.classes):
                    if " ".join(self.words[end:after]).casefold() not in self.lexicon.plurals:
                        of_class[after] = replace(plain[end], kinds=classes)
        for end in sorted({*plain, *of_class}, reverse=True):
            if end in plain:
                yield replace(plain[end], within=of_class.get(end)), end
            else:
                yield of_class[end], end

    def _described(self, kind: MentionKind, at: int) -> Parse[MentionKind]:
        """The kind with the clauses that restrict it: `that own Tax`, `owned by Web`, `without an owner`."""
        yield kind, at
        for clause, end in self._restriction(at):
            yield from self._described(replace(kind, clauses=(*kind.clauses, clause)), end)

    def _restriction(self, at: int) -> Parse[QuestionClause]:
        if self.low(at) in ("that", "which", "who"):
            yield from self._said(at + 1)
            yield from self._gap(at + 1)
        if self.low(at) == "whose":
            yield from self._noun_is(at + 1)
        if self.low(at) == "in":
            yield from self._value(at + 1)
        yield from self._participle(self._skip(at, "currently", "not"), is_negative=self.low(at) == "not")
        yield from self._dated(at)
        after = self._is(at, "with no", "without any", "without an", "without a", "without")
        if after > 0:
            yield from self._lacks(after)
        elif self.low(at) == "with":
            yield from self._noun_is(at + 1)
        if self.low(at) in ("and", ","):
            yield from self._restriction(self._skip(at, "and", ","))
        for subject, middle in self.phrase(at):  # components Commerce owns
            if isinstance(subject, QuestionMention) and subject.is_known:
                yield from self._verb_to(middle, subject)

    # -- clauses about a phrase that stands before them

    def _said(self, at: int) -> Parse[QuestionClause]:
        """A predicate: `owns Tax`, `is owned by Web`, `does not depend on Tax`, `has no owner`, `is deprecated`."""
        at = self._skip(at, *ADVERBS)
        word = self.low(at)
        if word in DO and (after := self._is(at + 1, "not have")) > 0:
            yield from self._lacks(after)
        if word in DO and self.low(at + 1) == "not":
            yield from self._active(at + 2, is_negative=True, is_past=word in PAST_AUXILIARIES)
        yield from self._active(at)
        yield from self._dated(at)
        if word in BE or (word in HAVE and self.low(at + 1) == "been"):
            after = self._skip(at + (1 if word in BE else 2), *ADVERBS)
            is_negative = self.low(after) == "not"
            after = self._skip(after, "not", *ADVERBS)
            yield from self._participle(after, is_negative=is_negative, is_past=word in PAST_AUXILIARIES)
            yield from self._dated(after, is_negative=is_negative)
            yield from self._value(self._skip(after, "in"), is_negative=is_negative)
            yield from self._is_a(after)
            if self.low(after) == "without":
                yield from self._lacks(after + 1)
        if word in HAVE:
            yield from self._active(self._skip(at + 1, *ADVERBS))
            yield from self._has(at + 1, is_past=word in PAST_AUXILIARIES)

    def _active(self, at: int, *, is_negative: bool = False, is_past: bool = False) -> Parse[QuestionClause]:
        for text, readings, end in self._match(at, self.lexicon.verbs):
            said = QuestionClause(text, readings, is_negative=is_negative, is_past=is_past or text in self.lexicon.past)
            if not is_negative and text not in self.lexicon.finite:
                continue
            yield from self._object(said, end)

    def _object(self, said: QuestionClause, at: int) -> Parse[QuestionClause]:
        for order, phrases in (("most", ("the most", "most")), ("fewest", ("the fewest", "fewest", "the least"))):
            after = self._is(at, *phrases)
            if after > 0:
                for kind, end in self._kind(after):
                    yield replace(said, other=kind, order=order), end
        if self.low(at) == "no":
            for kind, end in self._kind(at + 1):
                yield replace(said, other=kind, is_negative=True), end
        if self.low(at) in ("nothing", "nobody"):
            yield replace(said, is_negative=True), at + 1
        if self.low(at) in ANYONE and not self.low(at + 1).endswith("that"):
            yield said, at + 1
        for other, end in self.phrase(at):
            yield replace(said, other=other), end

    def _participle(self, at: int, *, is_negative: bool = False, is_past: bool = False) -> Parse[QuestionClause]:
        """What may follow `is`: `owned by Web`, `on call for Platform`, `the owner of Tax`; `owned` alone is owned by anyone."""
        start = at + 1 if self.low(at) in ("the", "a", "an") else at
        for text, readings, end in self._match(start, self.lexicon.predicates):
            said = QuestionClause(text, readings, is_negative=is_negative, is_past=is_past and text not in self.lexicon.events)
            yield from self._object(said, end)
        if is_negative:
            bare = {p.rpartition(" ")[0]: r for p, r in self.lexicon.predicates.items() if p.endswith(" by")}
            for text, readings, end in self._match(at, bare):
                yield QuestionClause(text, readings, is_negative=True), end

    def _dated(self, at: int, *, is_negative: bool = False) -> Parse[QuestionClause]:
        """`resolved` (in May 2025): the period of the question is its object, if it stood there."""
        for text, readings, end in self._match(at, self.lexicon.dated):
            yield QuestionClause(text, readings, is_negative=is_negative, is_dated=end == self.date_at), end

    def _value(self, at: int, *, is_negative: bool = False) -> Parse[QuestionClause]:
        for word, values, end in self._match(at, self.lexicon.values):
            yield QuestionClause(word, values=values, is_negative=is_negative), end

    def _is_a(self, at: int) -> Parse[QuestionClause]:
        if self.low(at) in ("a", "an"):
            for text, classes, end in self._match(at + 1, self.lexicon.classes):
                yield QuestionClause(text, kinds=classes), end

    def _has(self, at: int, *, is_past: bool = False) -> Parse[QuestionClause]:
        if self.low(at) == "no":
            yield from self._lacks(at + 1)
        if (after := self._is(at, "the most", "most")) > 0 or (after := self._is(at, "the fewest", "fewest")) > 0:
            order = "fewest" if self.low(after - 1) == "fewest" else "most"
            for text, readings, end in self._match(after, self.lexicon.nouns):
                yield QuestionClause(text, readings, MentionKind(text), order=order, is_past=is_past), end
            yield from ((QuestionClause(kind.text, other=kind, order=order, is_past=is_past), end) for kind, end in self._kind(after))
        yield from self._noun_is(at)
        for kind, end in self._kind(self._skip(at, "a", "an", "any", "some")):
            yield QuestionClause(kind.text, other=kind, is_past=is_past), end

    def _lacks(self, at: int) -> Parse[QuestionClause]:
        at = self._skip(at, "a", "an", "any")
        for text, readings, end in self._match(at, self.lexicon.nouns):
            yield QuestionClause(text, readings, is_negative=True), end
        yield from ((QuestionClause(kind.text, other=kind, is_negative=True), end) for kind, end in self._kind(at))

    def _noun_is(self, at: int) -> Parse[QuestionClause]:
        """`severity high`, `lifecycle is production`, `owner Web`, `an owner`."""
        start = self._skip(at, "a", "an", "the")
        for text, readings, middle in self._match(start, self.lexicon.nouns):
            after = self._skip(middle, "is", "of", "=")
            for _, values, end in self._match(after, self.lexicon.values):
                yield QuestionClause(text, readings, values=values), end
            for other, end in self.phrase(after):
                yield QuestionClause(text, readings, other), end
            for end in range(after + 1, min(len(self.words), after + 4) + 1):
                yield QuestionClause(text, readings, words=" ".join(self.words[after:end])), end
            yield QuestionClause(text, readings), middle

    # -- clauses about a phrase that stands outside them

    def _gap(self, at: int) -> Parse[QuestionClause]:
        """`Storefront depends on` (it)."""
        for subject, middle in self.phrase(at):
            yield from self._verb_to(middle, subject)

    def _verb_to(self, at: int, subject: Phrase, *, lead: str = "", is_past: bool = False) -> Parse[QuestionClause]:
        """A verb after its subject whose object is asked for. `lead` is the preposition or question word at the front."""
        at = self._skip(at, *ADVERBS)
        if self.low(at) in BE | HAVE or (self.low(at) in DO and self.low(at + 1) == "not"):
            is_past = is_past or self.low(at) in PAST_AUXILIARIES
            at = self._skip(at + 1, "been", *ADVERBS)
        is_negative = self.low(at) == "not"
        at = self._skip(at, "not", *ADVERBS)
        forms = ((self.lexicon.verbs, at), (self.lexicon.predicates, self._skip(at, "a", "an", "the")))
        for table, start in forms:
            for text, readings, end in self._led(start, table, lead):
                is_event = text in self.lexicon.events
                was = (is_past or text in self.lexicon.past) and not is_event
                yield QuestionClause(text, readings, subject, True, is_negative=is_negative, is_past=was), end

    def _led(self, at: int, table: Mapping[str, Readings], lead: str) -> Iterator[tuple[str, Readings, int]]:
        """Phrases of a table, also those whose last preposition stands at the front or is left out after where and when."""
        yield from self._match(at, table)
        ends: tuple[str, ...] = (
            PLACE_PREPOSITIONS if lead == "where" else ("on",) if lead == "when" else (lead,) if lead in PREPOSITIONS else ()
        )
        for end in range(min(len(self.words), at + 4), at, -1):
            phrase = " ".join(self.words[at:end]).casefold()
            participle = rf"{re.escape(phrase)}(?:{re.escape(phrase[-1])}?e?d)?" if lead == "when" else re.escape(phrase)
            merged = [
                table[p] for p in table for last in ends if p.endswith(f" {last}") and re.fullmatch(participle, p.removesuffix(f" {last}"))
            ]
            if merged:
                yield f"{phrase} {ends[0]}", frozenset(reading for readings in merged for reading in readings), end
