"""The model planner: a question to a plan by a language model, checked like every plan, mended at most twice.

The model picks words of the ontology and numbered names of the question; which entity bears a name is decided here, as for
the rule planner: a name that fits in several ways is ambiguous, never picked. Its reply is read as a plan or not at all.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import product
from math import prod
from typing import Any, Final

from ..errors import PlanError
from ..extract.function_words import STOP
from ..language.dates import UNCLEAR, find_dates
from ..llm import NOT_JSON, TIMEOUT, CompletionFailed, Request, Session, completed
from ..query.algebra import Plan
from ..query.check import check
from ..query.entity_names import Named, names_of, types_of
from ..query.expansion import entities_of
from ..query.graphview import GraphView
from ..terms import curie
from ..times import Instant
from .grammar import words_of
from .lexicon import read_lexicon
from .link import link, note_of, told_apart
from .locate import renamed
from .model_form import Words, hop_out, read_plan
from .model_prompt import first_request, repaired, words_for
from .model_when import YEAR, check_when, years_of
from .periods import UnclearDate, find_period
from .planner import EXAMPLE, MAX_WORDS, Ambiguous, Planned, RefusedQuestion
from .reading import QuestionMention

MAX_REPAIRS: Final = 2
MAX_NAMES: Final = 12
MAX_KINDS: Final = 64
_LEAST_MISTAKABLE: Final = 4
_MAX_SHOWN: Final = 2000
Bearers = Mapping[str, tuple[QuestionMention, tuple[Named, ...]]]
"""`name:1` -> the words of the question, and what bears that name."""


def plan_with_model(view: GraphView, question: str, *, session: Session, max_tokens: int) -> Planned | RefusedQuestion | Ambiguous:
    """The plan of a question in the caller's view, with what it cost.

    A reply that is no plan, or none that passes the checks, is refused with the reason. Raises LanguageModelError where
    the model cannot be asked at all.
    """
    if any(span.kind == UNCLEAR for span in find_dates(question)):
        return RefusedQuestion("a date of the question can be read in more than one way", "write the date as 2024, 2024-03 or 2024-03-01")
    tokens = words_of(question)
    if not tokens or len(tokens) > MAX_WORDS:
        return RefusedQuestion(f"the question has {len(tokens)} words, 1 to {MAX_WORDS} are read", EXAMPLE)
    part = session.part()
    at = _asked_instant(view, question)
    names = _names(view, tokens, at=at)
    types = types_of(view, [named.iri for _, bearers in names.values() for named in bearers])
    asked = _Asked(view, question, words_for(view.schema, question), names, types)
    outcome = _planned(
        asked, first_request(view.schema, asked.words, question, asked.classes(), at=view.valid_at, max_tokens=max_tokens), part
    )
    if isinstance(outcome, _Chosen):
        notes = (*_notes(view, outcome, names, at=at), f"planned by the language model {part.model}")
        return Planned(outcome.plan, notes, part.spent)
    return replace(outcome, spent=part.spent)


@dataclass(frozen=True, slots=True)
class _Asked:
    """A question, the words that a plan of it may use, and who bears the names in it."""

    view: GraphView
    question: str
    words: Words
    names: Bearers
    types: Mapping[str, frozenset[str]]

    def classes(self) -> dict[str, tuple[str, set[str]]]:
        """`name:1` -> the words of the question, and the classes of whatever bears the name."""
        return {
            id_: (mention.text, {class_ for named in bearers for class_ in self.types.get(named.iri, ())})
            for id_, (mention, bearers) in self.names.items()
        }

    def types_of(self, bearers: Iterable[Named]) -> dict[str, frozenset[str]]:
        """IRI -> classes, for the bearers that the caller sees facts of."""
        return {named.iri: self.types[named.iri] for named in bearers if named.iri in self.types}

    def alike(self, id_: str) -> list[tuple[Named, ...]]:
        """The bearers of a name, grouped by their classes."""
        groups: dict[frozenset[str] | None, list[Named]] = {}
        for named in self.names[id_][1]:
            groups.setdefault(self.types.get(named.iri), []).append(named)
        return [tuple(group) for group in groups.values()]


@dataclass(frozen=True, slots=True)
class _Chosen:
    """A plan that passed the checks, and who bears each name in it."""

    plan: Plan
    bearers: dict[str, Named]


def _planned(asked: _Asked, request: Request, session: Session) -> _Chosen | RefusedQuestion | Ambiguous:
    """Ask for a plan, and again with what is wrong with it, at most MAX_REPAIRS times; a model that repeats its plan is not asked again."""
    fault = RefusedQuestion("the language model gave no plan")
    refused: Any = None
    for _ in range(MAX_REPAIRS + 1):
        try:
            value = completed(session, request)
        except CompletionFailed as error:
            if not error.is_of_reply:
                raise
            fault = RefusedQuestion(f"the language model gave no plan: {error.what}", error.hint, is_late=error.kind == TIMEOUT)
            if error.kind != NOT_JSON:
                return fault
            request = repaired(request, "", error.what)
            continue
        plan: Plan | None = None
        try:
            read = _read(asked, value)
            _check_when(asked, read)
            plan = read
            return _chosen(asked, plan)
        except PlanError as error:
            if value == refused:
                return fault
            refused = value
            fault = RefusedQuestion(f"the language model's plan is refused: {error.what[:300]}", error.hint[:300])
            mend = _mend(asked, plan) if plan else ""
            complaint = f"{error.where}: {error.what}. {mend or error.hint}"
            request = repaired(request, json.dumps(value, ensure_ascii=False)[:_MAX_SHOWN], complaint[:_MAX_SHOWN])
    return fault


def _read(asked: _Asked, value: Any) -> Plan:
    """The plan of a reply. Raises PlanError, also for a value that no plan can hold."""
    try:
        return replace(read_plan(value, asked.words, asked.names), question=asked.question)
    except (ValueError, RecursionError) as error:
        raise PlanError(f"this is no plan: {error}") from error


def _chosen(asked: _Asked, plan: Plan) -> _Chosen | Ambiguous:
    """The plan with the one bearer of each name for which it passes the checks. Raises PlanError where there is none.

    The checks look only at the classes of a bearer, so bearers of the same classes are tried once.
    """
    view, names = asked.view, asked.names
    used = [id_ for id_ in entities_of(plan) if id_ in names]
    alike = [asked.alike(id_) for id_ in used]
    if prod(map(len, alike)) > MAX_KINDS:
        raise PlanError("the names of the question stand for things of too many kinds", where="$.hops", hint="ask for less at once")
    failure: PlanError | None = None
    passed: list[tuple[_Chosen, tuple[tuple[Named, ...], ...]]] = []
    for groups in product(*alike):
        bearers = {id_: group[0] for id_, group in zip(used, groups, strict=True)}
        candidate = renamed(plan, {id_: named.iri for id_, named in bearers.items()})
        try:
            check(candidate, view.schema, view.principal, types=asked.types_of(bearers.values()))
            passed.append((_Chosen(candidate, bearers), groups))
        except PlanError as error:
            failure = failure or _as_named(error, asked, bearers)
    if failure and not passed:
        raise failure
    for index, id_ in enumerate(used):
        several = {named.iri: named for _, groups in passed for named in groups[index]}
        if len(several) > 1:
            return Ambiguous(names[id_][0].text, told_apart(view, several))
    return passed[0][0]


def _check_when(asked: _Asked, plan: Plan) -> None:
    named = " ".join(mention.text for mention, _ in asked.names.values())
    stated = frozenset(YEAR.findall(asked.question)) - frozenset(YEAR.findall(named))
    kinds = {id_: tuple(asked.types.get(one.iri, frozenset()) for one in bearers) for id_, (_, bearers) in asked.names.items()}
    check_when(plan, asked.view.schema, asked.words, stated=stated, kinds=kinds)


def _mend(asked: _Asked, plan: Plan) -> str:
    """Advice to turn one hop round, if that makes the plan pass: the most frequent mistake of models. '' for no such hop."""
    for index, hop in enumerate(plan.hops):
        turned = replace(hop, subject=hop.object, object=hop.subject)
        try:
            _chosen(asked, replace(plan, hops=(*plan.hops[:index], turned, *plan.hops[index + 1 :])))
        except PlanError:
            continue
        return f"Hop {index} fits the other way round: {json.dumps(hop_out(turned, asked.words))}"
    return ""


def _as_named(error: PlanError, asked: _Asked, bearers: Mapping[str, Named]) -> PlanError:
    """The error in the words of the question: it goes back to the model, which learns no IRI."""
    what = error.what
    for id_, named in bearers.items():
        what = what.replace(curie(named.iri), f"“{asked.names[id_][0].text}”")
    return PlanError(what, where=error.where, hint=error.hint)


# -- the names in the question


def _asked_instant(view: GraphView, question: str) -> Instant:
    try:
        period, _ = find_period(question)
    except UnclearDate:  # several dates: the model decides what each is for
        return view.valid_at
    return period.first if period else view.valid_at


def _names(view: GraphView, words: tuple[str, ...], *, at: Instant) -> dict[str, tuple[QuestionMention, tuple[Named, ...]]]:
    """What is named in the question, as the question writes it, numbered in its order."""
    links, spans = link(view, words, at=at)
    longest = [s for s in spans if not any(o != s and o[0] <= s[0] and s[1] <= o[1] for o in spans)]
    mentions = [(start, QuestionMention(" ".join(words[start:end]))) for start, end in longest]
    mentions += _mistyped(view, words, {n for start, end in longest for n in range(start, end)})
    bearers = [(mention, links.candidates(mention)) for _, mention in sorted(mentions, key=lambda m: m[0])]
    return {f"name:{number}": pair for number, pair in enumerate(_once(bearers), start=1)}


def _mistyped(view: GraphView, words: tuple[str, ...], named: set[int]) -> Iterator[tuple[int, QuestionMention]]:
    """Words that are neither names nor the ontology's: each may be a name with a typing mistake."""
    lexicon = read_lexicon(view.schema)
    tables = (lexicon.verbs, lexicon.predicates, lexicon.nouns, lexicon.classes, lexicon.values)
    known = {word for table in tables for phrase in table for word in phrase.split()} | STOP
    for index, word in enumerate(words):
        if index not in named and len(word) >= _LEAST_MISTAKABLE and word.casefold() not in known:
            yield index, QuestionMention(word)


def _once(found: list[tuple[QuestionMention, tuple[Named, ...]]]) -> list[tuple[QuestionMention, tuple[Named, ...]]]:
    return list({mention.text: (mention, bearers) for mention, bearers in found if bearers}.values())[:MAX_NAMES]


def _notes(view: GraphView, found: _Chosen, names: Bearers, *, at: Instant) -> Iterator[str]:
    """Sentences about what the plan leaves out of the question or adds to it, and how names were read."""
    for year in sorted(years_of(found.plan) - set(YEAR.findall(found.plan.question))):
        yield f"the plan is about {year}, which the question does not say"
    shown = names_of(view, [named.iri for named in found.bearers.values()])
    for id_, (mention, _) in names.items():
        if id_ not in found.bearers:
            yield f"the plan leaves “{mention.text}” out"
        elif note := note_of(found.bearers[id_], mention, shown, at=at):
            yield note
