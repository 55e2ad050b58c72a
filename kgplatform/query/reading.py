"""What a question says, before it is linked to the graph: phrases, and clauses about them.

Which on-call rotation owns the tax dependency of Checkout?

focus   Kind(on-call rotation)
clause  it owns Of(dependency, called tax, owner Checkout)
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from ..extract.phrases import Reading, Readings
from .lexicon import ValueWord

LIST: Final = "list"
COUNT: Final = "count"
WHETHER: Final = "whether"


@dataclass(frozen=True, slots=True)
class Mention:
    """Words that name an entity; `kinds` are classes that the question gives it (`the Tax service`)."""

    text: str
    kinds: frozenset[str] = frozenset()
    is_known: bool = True


@dataclass(frozen=True, slots=True)
class Kind:
    """Some things of a class: `components`, `Tax incidents`, `teams that own Tax`; no classes: anything.

    `nouns` are relations whose values the same word names (`nationality`). `about` stands before the word.
    """

    text: str
    classes: frozenset[str] = frozenset()
    clauses: tuple[Clause, ...] = ()
    nouns: Readings = frozenset()
    about: Mention | None = None
    extreme: str = ""


@dataclass(frozen=True, slots=True)
class Of:
    """What a relation leads to from its owner: `Jack's spouse`, `the dependency of Checkout`; `called` names it as well."""

    noun: str
    nouns: Readings
    owner: Phrase
    called: Mention | None = None


Phrase = Mention | Kind | Of


@dataclass(frozen=True, slots=True)
class Clause:
    """What is said about a phrase: it `text` other, or other `text` it (`is_turned`).

    `other` None is anything. `value` stands for a literal. `order` says that it does so with the most or the fewest.
    `kinds` says that it is one of these classes; then nothing else is said.
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

    def turned(self) -> Clause:
        return replace(self, is_turned=not self.is_turned)


@dataclass(frozen=True, slots=True)
class Question:
    """One reading of a question. `validity` are bounds that are asked for; `beside` is who comes before or after."""

    form: str
    focus: Phrase
    clauses: tuple[Clause, ...] = ()
    wh: str = ""
    validity: tuple[str, ...] = ()
    beside: tuple[str, Phrase] | None = None

    @property
    def unknown(self) -> int:
        """How many words of it are names that nothing bears: the fewer, the better it was read."""
        return _unknown(self.focus) + sum(_unknown_in(c) for c in self.clauses) + (_unknown(self.beside[1]) if self.beside else 0)

    @property
    def is_past(self) -> bool:
        return any(c.is_past for c in self.clauses)


def _unknown(phrase: Phrase | None) -> int:
    match phrase:
        case Mention(text=text, is_known=False):
            return len(text.split())
        case Kind(clauses=clauses, about=about):
            return sum(map(_unknown_in, clauses)) + _unknown(about)
        case Of(owner=owner, called=called):
            return _unknown(owner) + _unknown(called)
    return 0


def _unknown_in(clause: Clause) -> int:
    return _unknown(clause.other)


def turned_readings(readings: Readings) -> Readings:
    return frozenset(Reading(r.relation, not r.turned) for r in readings)
