"""Answers, entities and hits: what is asked and looked at."""

from __future__ import annotations

from html import escape
from typing import Literal

from ..errors import AmbiguousName
from .base import GraphResult, Json

Outcome = Literal["answered", "no_match", "ambiguous", "truncated", "invalid", "unsupported", "timed_out", "stale"]


class End(GraphResult, frozen=True, kw_only=True):
    """One end of a fact: an entity or class by `iri`, or a value, which is its label."""

    iri: str | None
    label: str

    def __str__(self) -> str:
        return self.label


class Limit(GraphResult, frozen=True, kw_only=True):
    """When something began or ended: `at` where it is known, `shown` in words; `kind` says how it is known, `after` the latest date before
    it."""

    kind: str
    at: str | None
    after: str | None
    shown: str

    def __str__(self) -> str:
        return self.shown


class Citation(GraphResult, frozen=True, kw_only=True):
    """One claim of a document: its words, from character `start` to `end` (and on `line`, 0 where there are none), and who may see it."""

    document: str
    version: str
    claim: str
    quote: str
    start: int
    end: int
    valid_from: str | None
    valid_to: str | None
    scope: tuple[str, ...]
    trust: str
    note: str
    line: int

    def __str__(self) -> str:
        line = f", line {self.line}" if self.line else ""
        return f"{self.document}{line}: “{' '.join(self.quote.split())}”"

    def _repr_html_(self) -> str:
        return f"<q>{escape(' '.join(self.quote.split()))}</q> <small>{escape(self.document)}{f', line {self.line}' if self.line else ''}</small>"


class Assertion(GraphResult, frozen=True, kw_only=True):
    """A fact with its time; `citations` are indexes into those of its answer, `conflicts_with` the IRIs of the facts that sources set
    against it."""

    iri: str
    subject: End
    relation: str
    object: End
    positive: bool
    qualifiers: dict[str, str]
    start: Limit
    end: Limit
    conflicts_with: tuple[str, ...]
    citations: tuple[int, ...]

    def __str__(self) -> str:
        return f"{self.subject} {'' if self.positive else 'not '}{self.relation} {self.object}"


class Item(GraphResult, frozen=True, kw_only=True):
    """One answer: an entity by `iri`, or a value. With dates asked for, `value` holds them as ISO 8601.

    `disputed` is how many of a number rest on facts that sources dispute; of what is no number, 1 if it does itself.
    """

    iri: str | None = None
    label: str
    value: str | int | None = None
    disputed: int = 0


class Clause(GraphResult, frozen=True, kw_only=True):
    """A part of a sentence, and the citations that it rests on, by their indexes; all parts together are the sentence."""

    text: str
    citations: tuple[int, ...] = ()


class Detail(GraphResult, frozen=True, kw_only=True):
    """A fact that tells one candidate from the others."""

    relation: str
    value: str


class Meaning(GraphResult, frozen=True, kw_only=True):
    """One of several entities that a name may mean, and the facts that tell it from the others."""

    iri: str
    label: str
    facts: tuple[Detail, ...]

    def __str__(self) -> str:
        told = ", ".join(f"{fact.relation} {fact.value}" for fact in self.facts)
        return f"{self.label} ({told})" if told else self.label


class Cost(GraphResult, frozen=True, kw_only=True):
    """What an answer took; the calls and tokens are those of the language model."""

    model_calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    milliseconds: int = 0


class Answer(GraphResult, frozen=True, kw_only=True, omit_defaults=True):
    """The answer to a question: its outcome, its sentence, and everything that it rests on.

    `candidates` are what an ambiguous name may mean; `explanation` is there only where it was asked for.
    """

    question: str
    outcome: Outcome
    conflicting: bool
    sentence: str
    clauses: tuple[Clause, ...]
    answers: tuple[Item, ...]
    assertions: tuple[Assertion, ...]
    citations: tuple[Citation, ...]
    plan: Json | None
    sparql: str | None
    parameters: dict[str, str]
    warnings: tuple[str, ...]
    newest_source: str | None
    cost: Cost
    candidates: tuple[Meaning, ...] = ()
    explanation: str = ""

    def __bool__(self) -> bool:
        """Whether something was answered; that nothing was found is no `no`."""
        return self.outcome in ("answered", "truncated") and bool(self.sentence)

    def __str__(self) -> str:
        return "".join(f"{clause.text}{''.join(f' [{number + 1}]' for number in clause.citations)}" for clause in self.clauses)

    def __repr__(self) -> str:
        return f"<Answer {self.outcome}: {self.sentence}>"

    def _repr_html_(self) -> str:
        sentence = "".join(
            escape(clause.text) + "".join(f"<sup>[{number + 1}]</sup>" for number in clause.citations) for clause in self.clauses
        )
        notes = "".join(f"<p><em>{escape(warning)}</em></p>" for warning in self.warnings)
        sources = "".join(f"<li>{citation._repr_html_()}</li>" for citation in self.citations)
        disputed = " <strong>Sources disagree.</strong>" if self.conflicting else ""
        return f"<p>{sentence}{disputed}</p>{notes}" + (f"<ol>{sources}</ol>" if sources else "")


class Hit(GraphResult, frozen=True, kw_only=True):
    """An entity whose name matched, and how: exact, prefix, word (in the middle) or similar. `score` is 0 to 100."""

    iri: str
    key: str
    label: str
    types: str
    matched: str
    way: str
    score: float


class FactSource(GraphResult, frozen=True, kw_only=True):
    """A claim behind a fact of an entity."""

    document: str
    claim: str
    line: int
    quote: str
    trust: str
    note: str
    dated: str


class EntityFact(GraphResult, frozen=True, kw_only=True):
    """A fact of an entity as seen from it: `other` is its other end, `holds` whether it does at the time that is looked at."""

    assertion: str
    other: End
    positive: bool
    qualifiers: dict[str, str]
    holds: bool
    start: Limit
    end: Limit
    validity: str
    trust: str | None
    conflicting: bool
    sources: tuple[FactSource, ...]


class EntityGroup(GraphResult, frozen=True, kw_only=True):
    """The facts of one relation in one direction; `is_turned` where the entity is their object."""

    relation: str
    label: str
    is_turned: bool
    facts: tuple[EntityFact, ...]


class Entity(GraphResult, frozen=True, kw_only=True):
    """An entity with all its facts in both directions. `redirected_from` is the IRI that was asked for, where it is one with another."""

    asked: str
    outcome: Literal["answered"] = "answered"
    iri: str
    key: str
    label: str
    names: tuple[str, ...]
    types: tuple[str, ...]
    redirected_from: str | None
    groups: tuple[EntityGroup, ...]

    def __repr__(self) -> str:
        return f"<Entity {self.label} ({', '.join(self.types)}): {sum(len(group.facts) for group in self.groups)} facts>"

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{escape(group.label)}</td><td>{escape(fact.other.label)}</td><td>{escape(fact.validity)}</td></tr>"
            for group in self.groups
            for fact in group.facts
        )
        return f"<p><strong>{escape(self.label)}</strong> {escape(', '.join(self.types))}</p><table>{rows}</table>"


class AmbiguousEntity(GraphResult, frozen=True, kw_only=True):
    """The entities that a name may mean."""

    asked: str
    outcome: Literal["ambiguous"] = "ambiguous"
    candidates: tuple[Meaning, ...]


def entity_of(told: Json) -> Entity:
    """The entity of this JSON. AmbiguousName, with what the name may mean, where it tells candidates instead."""
    return single_entity(AmbiguousEntity.from_dict(told) if told["outcome"] == "ambiguous" else Entity.from_dict(told))


def single_entity(named: Entity | AmbiguousEntity) -> Entity:
    """The entity of a name. AmbiguousName, with what the name may mean, where that is several."""
    if isinstance(named, AmbiguousEntity):
        raise AmbiguousName(f"can be any of {len(named.candidates)}", where=named.asked, candidates=named.candidates)
    return named
