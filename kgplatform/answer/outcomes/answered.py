"""Results to answers: the sentence, the values, the warnings. No number where something was cut."""

from __future__ import annotations

from dataclasses import replace

import pyoxigraph as ox

from ...query.algebra import COUNT, NOW, Plan, Var
from ...query.check import CheckedPlan
from ...query.execute import Result, Solution
from ...query.expansion import bound_variables
from ...query.facts import Stored
from ...query.graphview import GraphView
from ...results import Item, Outcome
from ...terms import XSD
from ..bounds import iso, since_words, until_words, validity_words
from ..cite import evidence
from ..draft import AnswerDraft, AnswerStatement, iri_of
from ..future import beyond_words, known_words
from ..trusted import holding
from ..words.context import context_of
from ..words.marks import before_mark, mark, marked_assertions, uncited
from ..words.plans import absence_words, nothing_words
from ..words.solutions import fact_words, node_of, solution_sentences
from ..words.times import time_words, when_words
from ..words.wording import listed
from .counts import count_statement, groups_statement, joined
from .disputes import disagreement, dispute_words, disputes, redating, undisputed
from .shown_result import ShownResult, shown_result


def answer(view: GraphView, checked: CheckedPlan, result: Result, *, least: str) -> AnswerDraft:
    """The answer of a result with at least one solution, or a count of none."""
    plan, result = checked.plan, holding(view, checked.plan, result, least=least)
    if not result.solutions and result.total is None:
        return _unborne(view, plan, result, least=least)
    shown = shown_result(view, plan, result, least=least)
    outcome: Outcome = "truncated" if result.cut else "answered"
    sentence, items, warnings = _statement(shown)
    if shown.context.is_unreached:
        if plan.is_yes_no:
            outcome, items = "no_match", ()
            sentence = f"{nothing_words(context_of(view, plan, None))}; {sentence.removeprefix('Yes: ')}"
        sentence = f"{sentence}{uncited(f' That is {known_words(view)}.')}"
        warnings = (*warnings, beyond_words(view))
    in_order = dict.fromkeys([*(iri for iri in marked_assertions(sentence) if iri in shown.facts), *shown.facts])
    assertions, citations = evidence([shown.facts[iri] for iri in in_order], shown.sources, shown.context.names)
    return AnswerDraft(
        outcome=outcome,
        sentence=sentence,
        conflicting=bool(shown.disputed or shown.redated),
        answers=items,
        assertions=assertions,
        citations=citations,
        warnings=(*warnings, *_limited(plan, result), *result.cut),
    )


def _unborne(view: GraphView, plan: Plan, result: Result, *, least: str) -> AnswerDraft:
    """That nothing is left of what was found, since only sources of less trust say when it was so."""
    nothing = nothing_words(context_of(view, plan, None))
    sentence = f"{nothing}; no source of trust {least} or above says so of that time."
    return AnswerDraft("truncated" if result.cut else "no_match", sentence, warnings=result.cut)


def _limited(plan: Plan, result: Result) -> tuple[str, ...]:
    """What the plan's own limit left out."""
    number = len(result.solutions)
    if number == result.found:
        return ()
    return (f"the first {number}; there are more" if result.cut else f"the first {number} of {result.found}",)


# -- by what was asked


def _statement(shown: ShownResult) -> AnswerStatement:
    plan, result = shown.plan, shown.result
    if plan.aggregate and plan.aggregate.kind == COUNT:
        if result.cut:
            return AnswerStatement("No number is given, since not everything was read.", _items(shown))
        return groups_statement(shown) if plan.aggregate.by else count_statement(shown)
    if plan.is_yes_no:
        sentences = solution_sentences(shown.context, _as_rows(shown), shown.facts, with_validity=_shows_validity(shown))
        return AnswerStatement(f"Yes: {sentences[0]}.{disagreement(shown)}", (Item(label="yes", value="yes"),))
    if plan.validity and not plan.select:
        sentences = [fact_words(shown.context, fact) for fact in _dated(shown)]
        items = tuple(Item(label=_bound_label(shown, fact), value=_bound_value(shown, fact)) for fact in _dated(shown))
        return AnswerStatement(f"{'; '.join(sentences)}.{disagreement(shown)}", items)
    return _lacking(shown) if plan.absences else _listed(shown)


def _lacking(shown: ShownResult) -> AnswerStatement:
    """`Web owns Storefront; no stored fact says that Storefront depends on Tax`: what lacks the fact need not be what is asked for."""
    plan, solutions = shown.plan, undisputed(shown) or shown.result.solutions
    ends = {end.name for hop in plan.absences for end in (hop.subject, hop.object) if isinstance(end, Var)}
    held = sorted(ends & bound_variables(plan))
    lacking = {str(term): term for s in solutions for row in s.rows[:1] for name, term in row.values.items() if name in held}
    names = [shown.context.name(term) for term in lacking.values()]
    absence = absence_words(shown.context, names, is_plural=len(names) > 1) + when_words(shown.context)
    if not plan.hops:
        sentence = absence + mark(shown.facts)
    else:
        sentence = "; ".join([*solution_sentences(shown.context, solutions, shown.facts, with_validity=False), absence])
    return AnswerStatement(f"{sentence[0].upper()}{sentence[1:]}.{disagreement(shown)}", _items(shown))


def _listed(shown: ShownResult) -> AnswerStatement:
    if shown.plan.sequence:
        return AnswerStatement(f"{'; '.join(_in_sequence(shown))}.{disagreement(shown)}", _items(shown))
    sure = undisputed(shown)
    sentences = solution_sentences(shown.context, sure, shown.facts, with_validity=_shows_validity(shown)) if sure else []
    time = time_words(shown.context)
    parts = []
    if sentences:
        joint = joined(sentences)
        parts.append(f"{time[0].upper()}{time[1:]}: {joint}." if time else f"{joint}.")
    if shown.disputed:
        parts.append(f"Sources disagree: {dispute_words(shown)}.")
    return AnswerStatement(" ".join(parts) + redating(shown), _items(shown))


def _in_sequence(shown: ShownResult) -> list[str]:
    """`Commerce owned Tax, from June 2022 until 1 March 2024, before Platform`."""
    sequence = shown.plan.sequence
    assert sequence is not None
    told = []
    for key, row in ((solution.key[0], row) for solution in shown.result.solutions for row in solution.rows):
        facts = {hop: shown.facts[iri] for hop, _, iri in row.facts}
        asks_earlier = any(end == key or end == key.value for end in (facts[sequence.earlier].object, facts[sequence.earlier].subject))
        asked, other = (sequence.earlier, sequence.later) if asks_earlier else (sequence.later, sequence.earlier)
        ends = {node_of(facts[other].object), facts[other].subject} - {node_of(facts[asked].object), facts[asked].subject}
        names = listed(sorted(shown.context.names[e] for e in ends))
        words = before_mark(fact_words(shown.context, facts[asked]), f", {'before' if asks_earlier else 'after'} {names}")
        told.append((facts[asked].start.at, words))
    return list(dict.fromkeys(words for _, words in sorted(told)))


# -- parts


def _items(shown: ShownResult) -> tuple[Item, ...]:
    solutions = shown.result.solutions
    if not solutions or not solutions[0].key:
        return ()
    return tuple(
        Item(iri=iri_of(s.key[0]), label=shown.context.name(s.key[0]), value=_item_value(shown, s), disputed=disputes(shown, s))
        for s in solutions
    )


def _item_value(shown: ShownResult, solution: Solution) -> str | int | None:
    term = solution.key[0]
    if isinstance(term, ox.Literal):
        return term.value
    if not shown.plan.validity:
        return None
    facts = [shown.facts[iri] for row in solution.rows for hop, _, iri in row.facts if hop == shown.plan.validity[0].hop]
    return ", ".join(dict.fromkeys(_bound_value(shown, fact) or "unknown" for fact in facts))


def _bound_value(shown: ShownResult, fact: Stored) -> str | None:
    """What was asked of since and until as ISO 8601: one date, or an interval."""
    asked = [v.bound for v in shown.plan.validity]
    start, end = iso(fact.start), iso(fact.end)
    if "since" in asked and "until" in asked:
        return f"{start or '..'}/{end or '..'}"
    return start if "since" in asked else end


def _bound_label(shown: ShownResult, fact: Stored) -> str:
    asked = [v.bound for v in shown.plan.validity]
    if "since" in asked and "until" in asked:
        return validity_words(fact) or "unknown"
    return (since_words(fact.start) if "since" in asked else until_words(fact.end)).removeprefix("since ").removeprefix(
        "until "
    ) or "unknown"


def _dated(shown: ShownResult) -> list[Stored]:
    hop = shown.plan.validity[0].hop
    wanted = dict.fromkeys(iri for s in shown.result.solutions for row in s.rows for index, _, iri in row.facts if index == hop)
    return sorted((shown.facts[iri] for iri in wanted), key=lambda fact: fact.start.at)


def _as_rows(shown: ShownResult) -> list[Solution]:
    """A yes as a solution about the subject of its first fact."""
    solution = (undisputed(shown) or shown.result.solutions)[0]
    first = shown.facts[solution.rows[0].facts[0][2]]
    return [replace(solution, key=(ox.NamedNode(first.subject),))]


def _shows_validity(shown: ShownResult) -> bool:
    """Dates are told when asked for, when the question names a time, and of a state that has one value at a time; a day is none."""
    plan, relations = shown.plan, shown.context.view.schema.relations
    told = [relations[hop.relation] for hop in plan.hops if hop.relation in relations]
    is_state = 0 < len(told) < 3 and told[0].functional
    is_day = bool(told) and told[0].datatype in (XSD.date, XSD.dateTime)
    return bool(plan.validity or plan.sequence or (not is_day and (plan.time.kind != NOW or is_state)))
