"""The model planner: a question to a plan by a language model, checked like every plan, mended at most twice.

The model picks words of the ontology and numbered names of the question; which entity bears a name is decided here, as for
the rule planner: a name that fits in several ways is ambiguous, never picked. Its reply is read as a plan or not at all.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice, product
from typing import Any, Final

from ..errors import PlanError
from ..extract.dates import UNCLEAR, find_dates
from ..llm import NOT_JSON, TIMEOUT, CompletionFailed, Request, Session, completed
from ..terms import curie
from ..times import Instant
from .algebra import Plan
from .check import check
from .codec import from_json
from .expansion import entities_of
from .grammar import words_of
from .graphview import GraphView
from .lexicon import STOP, read_lexicon
from .link import link, note_of, told_apart
from .locate import renamed
from .model_prompt import first_request, repaired
from .naming import Named, names_of, types_of
from .periods import UnclearDate, find_period
from .plan import EXAMPLE, MAX_WORDS, Ambiguous, Planned, Refused
from .reading import Mention

MAX_REPAIRS: Final = 2
MAX_NAMES: Final = 12
MAX_BEARERS: Final = 64
_LEAST_MISTAKABLE: Final = 4
_MAX_SHOWN: Final = 2000
Bearers = Mapping[str, tuple[Mention, tuple[Named, ...]]]
"""`name:1` -> the words of the question, and what bears that name."""


def plan_with_model(view: GraphView, question: str, *, session: Session, max_tokens: int) -> Planned | Refused | Ambiguous:
    """The plan of a question in the caller's view, with what it cost.

    A reply that is no plan, or none that passes the checks, is refused with the reason. Raises LanguageModelError where
    the model cannot be asked at all.
    """
    if any(span.kind == UNCLEAR for span in find_dates(question)):
        return Refused("a date of the question can be read in more than one way", "write the date as 2024, 2024-03 or 2024-03-01")
    words = words_of(question)
    if not words or len(words) > MAX_WORDS:
        return Refused(f"the question has {len(words)} words, 1 to {MAX_WORDS} are read", EXAMPLE)
    part = session.part()
    at = _asked_instant(view, question)
    names = _names(view, words, at=at)
    types = types_of(view, [named.iri for _, bearers in names.values() for named in bearers])
    listed = {id_: (mention.text, {c for named in bearers for c in types.get(named.iri, ())}) for id_, (mention, bearers) in names.items()}
    request = first_request(view.schema, question, listed, at=view.valid_at, max_tokens=max_tokens)
    found = _asked(view, question, request, part, names, types)
    if isinstance(found, _Chosen):
        notes = (*_notes(view, found, names, at=at), f"planned by the language model {part.model}")
        return Planned(found.plan, notes, part.spent)
    return replace(found, spent=part.spent)


@dataclass(frozen=True, slots=True)
class _Chosen:
    """A plan that passed the checks, and who bears each name in it."""

    plan: Plan
    bearers: dict[str, Named]


def _asked(
    view: GraphView, question: str, request: Request, session: Session, names: Bearers, types: Mapping[str, frozenset[str]]
) -> _Chosen | Refused | Ambiguous:
    fault = Refused("the language model gave no plan")
    for _ in range(MAX_REPAIRS + 1):
        try:
            value = completed(session, request)
        except CompletionFailed as error:
            if not error.is_of_reply:
                raise
            fault = Refused(f"the language model gave no plan: {error.what}", error.hint, is_late=error.kind == TIMEOUT)
            if error.kind != NOT_JSON:
                return fault
            request = repaired(request, "", error.what)
            continue
        try:
            return _chosen(view, replace(_read(value), question=question), names, types)
        except PlanError as error:
            fault = Refused(f"the language model's plan is refused: {error.what[:300]}", error.hint[:300])
            said = f"{error.where}: {error.what} {error.hint}"
            request = repaired(request, json.dumps(value, ensure_ascii=False)[:_MAX_SHOWN], said[:_MAX_SHOWN])
    return fault


def _read(value: Any) -> Plan:
    """The plan of a reply. Raises PlanError, also for a value that no plan can hold."""
    try:
        return from_json(value)
    except (ValueError, RecursionError) as error:
        raise PlanError(f"this is no plan: {error}") from error


def _chosen(view: GraphView, plan: Plan, names: Bearers, types: Mapping[str, frozenset[str]]) -> _Chosen | Ambiguous:
    """The plan with the one bearer of each name for which it passes the checks. Raises PlanError where there is none."""
    classes = {curie(c): c for c in view.schema.classes}
    used = [id_ for id_ in entities_of(plan) if id_ not in classes]
    for id_ in used:
        if id_ not in names:
            raise PlanError(f"{id_!r} is none of the numbered names", where="entity", hint=f"use {', '.join(names) or 'variables alone'}")
    failure: PlanError | None = None
    passed: list[_Chosen] = []
    for chosen in islice(product(*(names[id_][1] for id_ in used)), MAX_BEARERS):
        bearers = dict(zip(used, chosen, strict=True))
        candidate = renamed(plan, {**classes, **{id_: named.iri for id_, named in bearers.items()}})
        try:
            check(candidate, view.schema, view.principal, types={named.iri: types[named.iri] for named in chosen if named.iri in types})
            passed.append(_Chosen(candidate, bearers))
        except PlanError as error:
            failure = failure or error
    if failure and not passed:
        raise failure
    for id_ in used:
        several = {one.bearers[id_].iri: one.bearers[id_] for one in passed}
        if len(several) > 1:
            return Ambiguous(names[id_][0].text, told_apart(view, several.values()))
    return passed[0]


# -- the names in the question


def _asked_instant(view: GraphView, question: str) -> Instant:
    try:
        period, _ = find_period(question)
    except UnclearDate:  # several dates: the model says which is meant for what
        return view.valid_at
    return period.first if period else view.valid_at


def _names(view: GraphView, words: tuple[str, ...], *, at: Instant) -> dict[str, tuple[Mention, tuple[Named, ...]]]:
    """What is named in the question, as the question writes it, numbered in its order."""
    links, spans = link(view, words, at=at)
    longest = [s for s in spans if not any(o != s and o[0] <= s[0] and s[1] <= o[1] for o in spans)]
    mentions = [(start, Mention(" ".join(words[start:end]))) for start, end in longest]
    mentions += _mistyped(view, words, {n for start, end in longest for n in range(start, end)})
    found = [(mention, links.candidates(mention)) for _, mention in sorted(mentions, key=lambda m: m[0])]
    return {f"name:{number}": pair for number, pair in enumerate(_once(found), start=1)}


def _mistyped(view: GraphView, words: tuple[str, ...], named: set[int]) -> Iterator[tuple[int, Mention]]:
    """Words that are neither names nor the ontology's: each may be a name with a typing mistake."""
    lexicon = read_lexicon(view.schema)
    tables = (lexicon.verbs, lexicon.predicates, lexicon.nouns, lexicon.classes, lexicon.values)
    known = {word for table in tables for phrase in table for word in phrase.split()} | STOP
    for index, word in enumerate(words):
        if index not in named and len(word) >= _LEAST_MISTAKABLE and word.casefold() not in known:
            yield index, Mention(word)


def _once(found: list[tuple[Mention, tuple[Named, ...]]]) -> list[tuple[Mention, tuple[Named, ...]]]:
    return list({mention.text: (mention, bearers) for mention, bearers in found if bearers}.values())[:MAX_NAMES]


def _notes(view: GraphView, found: _Chosen, names: Bearers, *, at: Instant) -> Iterator[str]:
    shown = names_of(view, [named.iri for named in found.bearers.values()])
    for id_, (mention, _) in names.items():
        if id_ not in found.bearers:
            yield f"the plan leaves “{mention.text}” out"
        elif note := note_of(found.bearers[id_], mention, shown, at=at):
            yield note
