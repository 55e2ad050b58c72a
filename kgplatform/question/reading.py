"""What a question says, before it is linked to the graph: phrases, and clauses about them.

Which on-call rotation owns the tax dependency of Checkout?

focus   Kind(on-call rotation)
clause  it owns Of(dependency, called tax, owner Checkout)
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from ..language.phrases import PhraseReading, Readings
from .lexicon import ValueWord

LIST: Final = "list"
COUNT: Final = "count"
WHETHER: Final = "whether"


@dataclass(frozen=True, slots=True)
class QuestionMention:
    """Words that name an entity; `kinds` are classes that the question gives it (`the Tax service`).

    `within` is the other thing that the same words can mean: of `the Billing API`, an API that is called Billing.
    """

    text: str
    kinds: frozenset[str] = frozenset()
    is_known: bool = True
    within: QuestionMention | None = None


@dataclass(frozen=True, slots=True)
class MentionKind:
    """Some things of a class: `components`, `Tax incidents`, `teams that own Tax`; no classes: anything.

    `nouns` are relations whose values the same word names (`nationality`). `about` stands before the word.
    `is_all` says that it means all of them: `the components that depend on Tax`.
    """

    text: str
    classes: frozenset[str] = frozenset()
    clauses: tuple[QuestionClause, ...] = ()
    nouns: Readings = frozenset()
    about: QuestionMention | None = None
    extreme: str = ""
    is_all: bool = False


@dataclass(frozen=True, slots=True)
class Of:
    """What a relation leads to from its owner: `Jack's spouse`, `the dependency of Checkout`; `called` names it as well.

    `is_all` says that it means all of them: `Checkout's dependencies`.
    """

    noun: str
    nouns: Readings
    owner: Phrase
    called: QuestionMention | None = None
    is_all: bool = False


Phrase = QuestionMention | MentionKind | Of


@dataclass(frozen=True, slots=True)
class QuestionClause:
    """What a question says about a phrase: the phrase is the subject of `text` and `other` its object, or the reverse (`is_turned`).

    `other` is None for anything. `values` are literals that the word stands for. `order` is for a superlative: with the most or
    the fewest. `kinds` says that the phrase is of one of these classes, and nothing else. `is_dated` says that the period of
    the question is that of this clause: `resolved in May 2025`.
    """

    text: str = ""
    readings: Readings = frozenset()
    other: Phrase | None = None
    is_turned: bool = False
    is_negative: bool = False
    is_past: bool = False
    values: frozenset[ValueWord] = frozenset()
    words: str = ""
    order: str = ""
    kinds: frozenset[str] = frozenset()
    is_dated: bool = False

    def turned(self) -> QuestionClause:
        """The clause with the other phrase as its subject, or again as its object."""
        return replace(self, is_turned=not self.is_turned)


@dataclass(frozen=True, slots=True)
class Question:
    """One reading of a question. `validity` are bounds that are asked for; `beside` is who comes before or after.

    `was` says that it is asked in the past without a clause that shows it: `who was the owner of Tax`.
    """

    form: str
    focus: Phrase
    clauses: tuple[QuestionClause, ...] = ()
    wh: str = ""
    validity: tuple[str, ...] = ()
    beside: tuple[str, Phrase] | None = None
    was: bool = False

    @property
    def unknown(self) -> int:
        """How many of its words are unknown names; readings with fewer of them are preferred."""
        return _unknown(self.focus) + sum(_unknown_in(c) for c in self.clauses) + (_unknown(self.beside[1]) if self.beside else 0)

    @property
    def is_past(self) -> bool:
        """Whether the question, or one of its clauses, is in the past tense."""
        return self.was or any(c.is_past for c in self.clauses)

    @property
    def speaks_of_all(self) -> bool:
        """Whether it makes a statement about all of several things, as `the components that depend on Tax` does."""
        return any(_is_of_all(phrase) for phrase in (self.focus, *(c.other for c in self.clauses)))


def _is_of_all(phrase: Phrase | None) -> bool:
    match phrase:
        case MentionKind(is_all=is_all, clauses=clauses):
            return is_all or any(_is_of_all(clause.other) for clause in clauses)
        case Of(is_all=is_all, owner=owner, called=called):
            return (is_all and not called) or _is_of_all(owner)
    return False


def _unknown(phrase: Phrase | None) -> int:
    match phrase:
        case QuestionMention(text=text, is_known=False):
            return len(text.split())
        case MentionKind(clauses=clauses, about=about):
            return sum(map(_unknown_in, clauses)) + _unknown(about)
        case Of(owner=owner, called=called):
            return _unknown(owner) + _unknown(called)
    return 0


def _unknown_in(clause: QuestionClause) -> int:
    return _unknown(clause.other)


def turned_readings(readings: Readings) -> Readings:
    """The readings with subject and object exchanged."""
    return frozenset(PhraseReading(r.relation, not r.turned) for r in readings)
