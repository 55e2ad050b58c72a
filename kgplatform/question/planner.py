"""The rule planner: a question in English to a plan, driven by the words of the ontology. It never guesses.

Every reading of the words is drafted as a graph, every relation that its words may mean is tried, and types decide.
What has no reading that fits is refused with a reason; what fits in several ways is refused as ambiguous.
"""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from typing import Final

from ..extract.function_words import BE, DO, HAVE, STOP, UNIVERSAL, WH
from ..llm import NOTHING, Spent
from ..query.algebra import Plan
from ..query.entity_names import names_of
from ..query.graphview import GraphView
from ..results import Meaning
from .draft import Draft, Unreadable, choices, draft
from .fitting import Fitted, Misfit, fitted
from .grammar import LEAD_WORDS, QuestionGrammar, words_of
from .lexicon import ADVERBS, NO_NAMES, PREPOSITIONS, Lexicon, read_lexicon
from .link import Links, link, note_of, told_apart
from .periods import Period, UnclearDate, find_period
from .reading import Question
from .shaping import plan_of

MAX_WORDS: Final = 60
MAX_CHOICES: Final = 200
EXAMPLE: Final = "name one thing and ask for one relation of it, as in “What does X depend on?”"


@dataclass(frozen=True, slots=True)
class Planned:
    """A plan, and notes on how the question was read."""

    plan: Plan
    notes: tuple[str, ...] = ()
    spent: Spent = NOTHING


@dataclass(frozen=True, slots=True)
class RefusedQuestion:
    """No plan: `reason` and what to do instead. `unknown` is a name that nothing visible bears; `is_late`: time ran out."""

    reason: str
    suggestion: str = ""
    unknown: str = ""
    is_late: bool = False
    spent: Spent = NOTHING


@dataclass(frozen=True, slots=True)
class Ambiguous:
    """Several entities that a name may mean."""

    text: str
    candidates: tuple[Meaning, ...]
    spent: Spent = NOTHING


def plan_question(view: GraphView, question: str) -> Planned | RefusedQuestion | Ambiguous:
    """The plan of a question in the caller's view."""
    try:
        period, rest = find_period(question)
    except UnclearDate as error:
        return RefusedQuestion(str(error), "write the date as 2024, 2024-03 or 2024-03-01")
    words = words_of(rest)
    if not words:
        return RefusedQuestion("the question is empty", EXAMPLE)
    if len(words) > MAX_WORDS:
        return RefusedQuestion(f"the question has {len(words)} words, at most {MAX_WORDS} are read", "ask a shorter question")
    lexicon = read_lexicon(view.schema)
    links, names = link(view, words, at=period.first if period else view.valid_at)
    date_at = len(words_of(question[: period.span.start])) if period else -1
    readings = QuestionGrammar(lexicon, words, names, date_at).questions()
    if not readings:
        return _not_understood(words, lexicon, names)
    outcome = _decided(view, question, readings, period, links)
    if isinstance(outcome, RefusedQuestion) and outcome.unknown and not _reads_like_a_name(outcome.unknown, words, lexicon, names):
        return _not_understood(words, lexicon, names, among=outcome.unknown)
    return outcome


def _decided(
    view: GraphView, text: str, readings: tuple[Question, ...], period: Period | None, links: Links
) -> Planned | RefusedQuestion | Ambiguous:
    """The plan of the reading whose types fit with the fewest repairs; of equal ones the first, since readings come by preference."""
    refusals: list[RefusedQuestion] = []
    for unknown in sorted({r.unknown for r in readings}):
        best: list[Fitted] = []
        for reading in (r for r in readings if r.unknown == unknown):
            try:
                fits = _fits(draft(reading, view.schema), links, refusals)
            except Unreadable as error:
                refusals.append(RefusedQuestion(error.reason, error.suggestion))
                continue
            chosen = _chosen(fits)
            if chosen:
                best.append(chosen)
                if not chosen.repairs:
                    break
            elif fits:
                refusals.insert(0, _several(view, fits))
        if best:
            return _planned(view, text, min(best, key=lambda f: f.repairs), period)
    return next((r for r in refusals if not r.unknown), None) or refusals[0]


def _chosen(found: list[Fitted]) -> Fitted | None:
    """Of the choices of relations that fit one reading, the one with the fewest repairs; of several the most general, or none."""
    least = min((f.repairs for f in found), default=0)
    best = list({_relations(f): f for f in reversed(found) if f.repairs == least}.values())[::-1]
    return next((f for f in best if all(_is_above(f, other) for other in best)), None)


def _several(view: GraphView, found: list[Fitted]) -> RefusedQuestion:
    least = min(f.repairs for f in found)
    found = [f for f in found if f.repairs == least]
    shared = set(_relations(found[0])).intersection(*map(_relations, found))
    labels = sorted({view.schema.label(relation) for f in found for relation, *_ in set(_relations(f)) - shared})
    return RefusedQuestion(f"the question can mean any of {', '.join(labels)}", "name the relation")


def _fits(made: Draft, links: Links, refusals: list[RefusedQuestion]) -> list[Fitted]:
    found: list[Fitted] = []
    for number, choice in enumerate(choices(made)):
        if number >= MAX_CHOICES:
            break
        try:
            found.append(fitted(made, choice, links))
        except Misfit as error:
            refusals.append(RefusedQuestion(error.reason, error.suggestion, error.unknown))
    return found


def _planned(view: GraphView, text: str, best: Fitted, period: Period | None) -> Planned | RefusedQuestion | Ambiguous:
    for index, bearers in best.known.items():
        mention = best.nodes[index].mention
        if len(bearers) > 1 and mention:
            return Ambiguous(mention.text, told_apart(view, [bearer.iri for bearer in bearers]))
    try:
        plan = plan_of(best, text, period)
    except Unreadable as error:
        return RefusedQuestion(error.reason, error.suggestion or EXAMPLE)
    except UnclearDate as error:
        return RefusedQuestion(str(error), EXAMPLE)
    names = names_of(view, [bearers[0].iri for bearers in best.known.values()])
    notes = [
        note_of(bearers[0], mention, names, at=view.valid_at)
        for index, bearers in best.known.items()
        if (mention := best.nodes[index].mention)
    ]
    return Planned(plan, tuple(dict.fromkeys(note for note in (*notes, *best.notes) if note)))


def _relations(fit: Fitted) -> tuple[tuple[str, int, int], ...]:
    return tuple((e.relation, e.subject, e.object) for e in fit.edges)


def _is_above(one: Fitted, other: Fitted) -> bool:
    """Whether every relation of one is that of the other or a superproperty of it, with the same ends."""
    schema = one.draft.schema
    return len(one.edges) == len(other.edges) and all(
        b.relation in schema.subrelations(a.relation) and (a.subject, a.object) == (b.subject, b.object)
        for a, b in zip(one.edges, other.edges, strict=True)
    )


def _reads_like_a_name(text: str, words: tuple[str, ...], lexicon: Lexicon, names: frozenset[tuple[int, int]]) -> bool:
    """Whether words that name nothing visible may be a name: `Tax Engine` may, `Tax two years ago` and `next owner of Tax` do not."""
    at = _place(text, words)
    inside = {i for start, end in names if at.start <= start and end <= at.stop for i in range(start, end)}
    relations = {word for table in (lexicon.verbs, lexicon.predicates, lexicon.nouns) for phrase in table for word in phrase.split()}
    is_plain = not inside and not any(words[i] in relations - set(PREPOSITIONS) for i in at)
    return is_plain or all(words[i][:1].isupper() for i in at if i not in inside)


def _place(text: str, words: tuple[str, ...]) -> range:
    """Where the words of a text stand among the words of the question."""
    wanted = tuple(text.split())
    return next((range(i, i + len(wanted)) for i in range(len(words)) if words[i : i + len(wanted)] == wanted), range(len(words)))


def _not_understood(words: tuple[str, ...], lexicon: Lexicon, names: frozenset[tuple[int, int]], *, among: str = "") -> RefusedQuestion:
    """Names the first word that is no name, no word of the ontology and no function word, with the nearest that is."""
    function = (LEAD_WORDS - NO_NAMES) | STOP | BE | DO | HAVE | WH | frozenset(PREPOSITIONS) | {",", "before", "after"} | ADVERBS
    named = {i for start, end in names for i in range(start, end)}
    known = sorted(
        {
            word
            for table in (lexicon.verbs, lexicon.predicates, lexicon.nouns, lexicon.classes)
            for phrase in table
            for word in phrase.split()
        }
    )
    if words[:2] == ("Is", "it") or words[:2] == ("is", "it"):
        function |= {"it", "true", "correct", "right", "case"}
    for index in _place(among, words) if among else range(len(words)):
        word = words[index]
        low = word.casefold()
        if index not in named and low not in function and low not in known:
            near = difflib.get_close_matches(low, known, n=1, cutoff=0.75)
            return RefusedQuestion(f"“{word}” is not understood", f"did you mean “{near[0]}”?" if near else EXAMPLE)
    joined = next((word for word in words if word.casefold() in ("or", "and", *UNIVERSAL)), "")
    if joined:
        return RefusedQuestion(f"the form of the question is not understood, perhaps because of “{joined}”", "ask for one thing at a time")
    return RefusedQuestion("the form of the question is not understood", EXAMPLE)
