"""Mentions linked to entities of the caller's view: exact names of any time, identifiers, then typing mistakes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from ..derive.project import label_key
from ..extract.function_words import STOP
from ..query.entity_names import Name, Named, all_names, lookup, names_of, near, types_of
from ..query.facts import holding_now
from ..query.graphview import GraphView
from ..results import Detail, Meaning
from ..schema import Schema
from ..terms import DESCRIPTION, SC, TYPE, Term, entity_key, nfc, text_parts
from ..times import Instant, shown_instant
from .reading import QuestionMention

LONGEST_NAME: Final = 8


@dataclass
class Links:
    """The entities that the words of one question about the instant `at` may mean. Similar names are searched only where none is equal."""

    view: GraphView
    at: Instant
    exact: dict[str, tuple[Named, ...]]
    types: dict[str, frozenset[str]] = field(default_factory=dict)
    similar: dict[str, tuple[Named, ...]] = field(default_factory=dict)

    def candidates(self, mention: QuestionMention) -> tuple[Named, ...]:
        """The entities that the mention may mean, of the classes that the question gives it; those that bore the name at `at`, if any did."""
        key = label_key(nfc(mention.text))
        bearers = self.exact.get(key, ())
        if not bearers:
            if key not in self.similar:
                self.similar[key] = near(self.view, mention.text, among=self._names)
            bearers = tuple(n for n in self.similar[key] if n.distance == self.similar[key][0].distance)
        self._learn_types(bearers)
        fitting = self._of_kinds(bearers, mention.kinds) or self._of_kinds(bearers, self.schema.asked_as(mention.kinds))
        borne = tuple(n for n in fitting if n.is_borne(self.at)) or fitting
        if mention.within is None:
            return borne
        others = tuple(n for n in self.candidates(mention.within) if n.iri not in {other.iri for other in borne})
        as_written = tuple(n for n in borne if n.name == mention.text)
        return as_written if as_written and not any(n.name == mention.within.text for n in others) else (*borne, *others)

    def _of_kinds(self, found: tuple[Named, ...], kinds: frozenset[str]) -> tuple[Named, ...]:
        return tuple(n for n in found if not kinds or self.schema.is_a(self.types.get(n.iri, frozenset()), kinds))

    @cached_property
    def _names(self) -> list[Name]:
        return all_names(self.view)

    def _learn_types(self, found: Iterable[Named]) -> None:
        unknown = [n.iri for n in found if n.iri not in self.types]
        if unknown:
            self.types |= types_of(self.view, unknown)

    @property
    def schema(self) -> Schema:
        """The ontology of the view."""
        return self.view.schema


def link(view: GraphView, words: tuple[str, ...], *, at: Instant) -> tuple[Links, frozenset[tuple[int, int]]]:
    """The entities by the names among the words, and the spans [from, to) of words that are a name."""
    spans: dict[tuple[int, int], str] = {}
    for start in range(len(words)):
        for end in range(start + 1, min(len(words), start + LONGEST_NAME) + 1):
            text = " ".join(words[start:end])
            if end == start + 1 and text.casefold() in STOP and (not start or text.islower()):
                continue  # "a" is no name, "A" inside a question may be one
            spans[start, end] = label_key(nfc(text))
    exact = lookup(view, spans.values())
    return Links(view, at, exact), frozenset(span for span, key in spans.items() if exact.get(key))


def note_of(named: Named, mention: QuestionMention, names: dict[str, str], *, at: Instant) -> str:
    """A sentence about how a mention was read (a typing mistake, a former or another name), '' where there is nothing to say."""
    shown = names.get(named.iri, named.name)
    if named.by == "similar":
        return f"“{mention.text}” was read as {named.name}"
    if named.until <= at:
        return f"{named.name} is a former name of {shown} (until {shown_instant(named.until)})"
    if named.by == "alias" and label_key(shown).replace(" ", "-") != label_key(named.name).replace(" ", "-"):
        return f"{named.name} is another name of {shown}"
    return ""


def told_apart(view: GraphView, iris: Iterable[str], *, most: int = 3, is_brief: bool = False) -> tuple[Meaning, ...]:
    """The candidates with at most `most` facts in which they differ: the namespace and relations that all of them have come first.

    With `is_brief`, no more facts than are needed to distinguish them.
    """
    iris = sorted(set(iris))
    facts, types = _facts(view, iris), types_of(view, iris)
    relations = sorted({relation for of in facts.values() for relation in of})
    differing = [r for r in relations if len({frozenset(facts[iri].get(r, ())) for iri in iris}) > 1]

    def rank(relation: tuple[str, bool]) -> tuple[bool, bool, bool, str]:
        declared = view.schema.relations.get(relation[0])
        covers_all = all(relation in facts[iri] for iri in iris)
        is_namespace = relation[0] == SC.namespace  # by which catalogues distinguish equal names
        return not (covers_all or is_namespace), not is_namespace and bool(declared and declared.is_literal), relation[1], relation[0]

    ranked = sorted(differing, key=rank)[:most]
    enough = (
        n for n in range(1, len(ranked)) if len({tuple(frozenset(facts[i].get(r, ())) for r in ranked[:n]) for i in iris}) == len(iris)
    )
    chosen = ranked[: next(enough, most)] if is_brief else ranked
    names = names_of(
        view, {value for of in facts.values() for r in chosen for value, is_literal in of.get(r, ()) if not is_literal} | set(iris)
    )
    candidates = []
    for iri in iris:
        distinguishing = tuple(
            Detail(
                relation=view.schema.label(r) if not turned else view.schema.inverse_label(r) or f"is {view.schema.label(r)} of",
                value=_joined(facts[iri][r, turned], names),
            )
            for r, turned in chosen
            if (r, turned) in facts[iri]
        )
        candidates.append(Meaning(iri=iri, label=names[iri], facts=distinguishing))
    is_enough = len({str(candidate) for candidate in candidates}) == len(candidates)
    candidates = [
        candidate
        if is_enough and candidate.facts
        else Meaning(iri=candidate.iri, label=candidate.label, facts=(*candidate.facts, *_own(view, candidate.iri, types[candidate.iri])))
        for candidate in candidates
    ]
    return tuple(sorted(candidates, key=lambda c: (c.label, [(fact.relation, fact.value) for fact in c.facts], c.iri)))


def _own(view: GraphView, iri: str, types: frozenset[str]) -> tuple[Detail, ...]:
    """The classes of an entity, and its key or the document that names it, which distinguish it where no fact does."""
    kinds = ", ".join(sorted(view.schema.label(class_) for class_ in types))
    key = entity_key(view.base, iri)
    parts = text_parts(key)
    kind = (Detail(relation="kind", value=kinds),) if kinds else ()
    return (*kind, Detail(relation="named in", value=parts[0]) if parts else Detail(relation="key", value=key))


def _joined(values: set[tuple[str, bool]], names: dict[str, str]) -> str:
    return ", ".join(sorted(value if is_literal else names[value] for value, is_literal in values)[:3])


def _facts(view: GraphView, iris: list[str]) -> dict[str, dict[tuple[str, bool], set[tuple[str, bool]]]]:
    """Entity -> (relation, turned) -> (value, whether it is a literal), of the facts that hold at the view's instant."""
    facts: dict[str, dict[tuple[str, bool], set[tuple[str, bool]]]] = {iri: {} for iri in iris}
    naming = view.schema.name_properties | {DESCRIPTION, TYPE}
    for turned in (False, True):
        for entity, relation, other in holding_now(view, iris, is_turned=turned):
            if relation not in naming:
                facts[entity].setdefault((relation, turned), set()).add((other.value, "Literal" in type(other).__name__))
    return facts


def _text(term: Term) -> str:
    return term.value
