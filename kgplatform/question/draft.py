"""One reading of a question as a graph that is not yet typed: nodes, and steps between them whose relation is still open."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Final

from ..language.phrases import PhraseReading, Readings
from ..query.expansion import domain_of, range_of
from ..schema import Schema
from ..terms import TYPE, XSD, literal
from .reading import WHETHER, MentionKind, Of, Phrase, Question, QuestionClause, QuestionMention

THING: Final = frozenset[str]()


@dataclass(frozen=True, slots=True)
class DraftNode:
    """An entity that is named (`mention`), a literal (`value`), or what is asked for, of any of `classes`."""

    name: str
    classes: frozenset[str] = THING
    mention: QuestionMention | None = None
    value: str = ""


@dataclass(frozen=True, slots=True)
class Step:
    """subject phrase object, by node index; a reading that is turned goes from object to subject.

    `equals` compares the literal at the object with a text. `is_dated` says that the question's period is about it.
    """

    subject: int
    readings: Readings
    object: int
    text: str = ""
    is_absent: bool = False
    equals: str = ""
    is_dated: bool = False


@dataclass
class Draft:
    """The graph of one reading. Numbers are indexes of `nodes` or `steps`, -1 for none.

    `focus` is the node that is asked for, `main` the step that asks, `beside` the same step for who came before or after.
    `counted` and `order` belong to a superlative, `extreme` is (node, max or min) of an event's date.
    """

    question: Question
    schema: Schema
    nodes: list[DraftNode] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    types: list[tuple[int, frozenset[str]]] = field(default_factory=list)
    focus: int = -1
    counted: int = -1
    order: str = ""
    extreme: tuple[int, str] | None = None
    beside: int = -1
    main: int = -1

    def add(self, phrase: Phrase) -> int:
        """Add the node of a phrase, with the nodes and steps inside it; returns its index. Raises Unreadable."""
        match phrase:
            case QuestionMention():
                return self._node(phrase.text, mention=phrase)
            case Of(noun=noun, nouns=nouns, owner=owner, called=called):
                start = self.add(owner)
                end = self.add(called) if called else self._node(noun)
                self.steps.append(Step(start, nouns, end, noun))
                return end
            case MentionKind():
                node = self._node(phrase.text, classes=phrase.classes or self._led_to(phrase.nouns))
                if phrase.about:
                    self.steps.append(
                        Step(node, self._connections(phrase.classes), self.add(phrase.about), f"{phrase.about.text} {phrase.text}")
                    )
                for clause in phrase.clauses:
                    self.say(node, clause)
                if phrase.extreme:
                    self.extreme = (node, phrase.extreme)
                return node

    def say(self, node: int, clause: QuestionClause) -> int:
        """Add what the clause says of the node; returns the index of its step, or -1. Raises Unreadable."""
        if clause.kinds:
            self.types.append((node, clause.kinds))
            return -1
        if clause.values:
            meant = [v for v in clause.values if not clause.readings or v.relation in {r.relation for r in clause.readings}]
            value = min(meant, default=None)
            if value is None:
                raise Unreadable(f"{clause.text} has no value {clause.words}")
            end = self._node(clause.text, value=value.node)
            return self._step(Step(node, frozenset({PhraseReading(value.relation, False)}), end, clause.text, clause.is_negative))
        if clause.words:
            literal_readings = frozenset(r for r in clause.readings if self.schema.relations[r.relation].is_literal)
            if not literal_readings:
                raise Unreadable(f"{clause.text} leads to no value")
            return self._step(Step(node, literal_readings, self._node(clause.text), clause.text, clause.is_negative, clause.words))
        other = self.add(clause.other) if clause.other else self._node(clause.text)
        if not clause.readings and isinstance(clause.other, MentionKind):  # Web has components
            clause = replace(clause.turned(), readings=self._connections(clause.other.classes))
        ends = (other, node) if clause.is_turned else (node, other)
        if clause.order:
            self.counted, self.order = other, clause.order
        return self._step(Step(ends[0], clause.readings, ends[1], clause.text, clause.is_negative, is_dated=clause.is_dated))

    def _step(self, step: Step) -> int:
        self.steps.append(step)
        return len(self.steps) - 1

    def _node(self, text: str, *, classes: frozenset[str] = THING, mention: QuestionMention | None = None, value: str = "") -> int:
        base = re.sub(r"\W+", "_", text, flags=re.ASCII).strip("_").lower()
        base = base if base[:1].isalpha() else f"x_{base}".rstrip("_")
        taken = {node.name for node in self.nodes}
        name = base if base not in taken else next(f"{base}{i}" for i in range(2, 99) if f"{base}{i}" not in taken)
        self.nodes.append(DraftNode(name, classes, mention, value))
        return len(self.nodes) - 1

    def _led_to(self, nouns: Readings) -> frozenset[str]:
        """The classes of what a noun names: a spouse is a person. None if the relation takes several classes (an owner is a group or a person)."""
        relations = [(self.schema.relations[r.relation], r.turned) for r in nouns]
        ends = [domain_of(self.schema, r) if turned else range_of(self.schema, r) for r, turned in relations]
        return frozenset().union(*(end for end in ends if len(end) == 1))

    def _connections(self, classes: frozenset[str]) -> Readings:
        """The relations that lead from such things to something, or to them from it."""
        connections: set[PhraseReading] = set()
        for relation in self.schema.relations.values():
            if relation.canonical or relation.is_literal or relation.iri == TYPE or not relation.domain or not relation.range:
                continue
            if self.schema.is_a(classes, domain_of(self.schema, relation)):
                connections.add(PhraseReading(relation.iri, False))
            if self.schema.is_a(classes, range_of(self.schema, relation)):
                connections.add(PhraseReading(relation.iri, True))
        return frozenset(connections)


class Unreadable(Exception):
    """A reading that cannot be a question; another reading of the same words may be one."""

    def __init__(self, reason: str, *, suggestion: str = "") -> None:
        self.reason, self.suggestion = reason, suggestion
        super().__init__(reason)


def draft(question: Question, schema: Schema) -> Draft:
    """The graph of a reading. Raises Unreadable."""
    if question.form == WHETHER and question.speaks_of_all:
        raise Unreadable("yes or no is not answered of all of several things", suggestion="ask which of them do, or which do not")
    graph = Draft(question, schema)
    graph.focus = graph.add(question.focus)
    for clause in question.clauses:
        step = graph.say(graph.focus, clause)
        graph.main = step if graph.main < 0 else graph.main
    if graph.main < 0 and graph.steps:
        graph.main = next((i for i, s in enumerate(graph.steps) if graph.focus in (s.subject, s.object)), -1)
    if question.beside:
        graph.beside = _beside(graph, question.beside[1])
    return graph


def _beside(made: Draft, other: Phrase) -> int:
    """Add a second step like the main one, with the phrase after `before` or `after` in the place of what is asked for."""
    if made.main < 0:
        raise Unreadable("nothing comes before or after")
    node, main = made.add(other), made.steps[made.main]
    ends = {"subject": node} if main.subject == made.focus else {"object": node}
    made.steps.append(replace(main, **ends))  # type: ignore[arg-type]
    return len(made.steps) - 1


def literal_of(words: str, datatype: str) -> str:
    """The node of a word that a question compares with. Raises Unreadable where it is no such value."""
    try:
        if datatype in (XSD.integer, XSD.decimal, XSD.double):
            float(words)
        return literal(words, datatype if datatype in (XSD.integer, XSD.decimal, XSD.double, XSD.date) else XSD.string)
    except ValueError as error:
        raise Unreadable(f"{words} is not a number") from error


def choices(made: Draft) -> Iterator[tuple[PhraseReading, ...]]:
    """Every choice of one reading for each step."""

    def extend(done: tuple[PhraseReading, ...]) -> Iterator[tuple[PhraseReading, ...]]:
        if len(done) == len(made.steps):
            yield done
            return
        if len(done) == made.beside:
            yield from extend((*done, done[made.main]))
            return
        for reading in sorted(made.steps[len(done)].readings):
            yield from extend((*done, reading))

    yield from extend(())
