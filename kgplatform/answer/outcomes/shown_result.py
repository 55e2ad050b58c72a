"""A result as one caller may be told of it: its facts by least trust, their words, and what of it sources dispute."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from ...query.algebra import Plan
from ...query.execute import Result, Solution
from ...query.facts import Stored
from ...query.graphview import GraphView
from ...query.superlatives import contenders
from ..future import is_unreached
from ..trusted import backed
from ..words.context import AnswerContext, context_of


@dataclass(frozen=True)
class ShownResult:
    """`disputed` are facts of which a source says another value, `redated` those on whose dates sources disagree.

    `contenders` are the groups that the dispute could make the ones with the most or the fewest.
    """

    plan: Plan
    result: Result
    context: AnswerContext
    facts: Mapping[str, Stored]
    disputed: frozenset[str]
    redated: frozenset[str]
    sources: Mapping[str, tuple[Any, ...]]
    contenders: tuple[Solution, ...] = ()


def shown_result(view: GraphView, plan: Plan, result: Result, *, least: str) -> ShownResult:
    """The result with what sources of at least the trust `least` say of it."""
    facts, sources = backed(view, [*result.facts.values(), *result.against.values()], least=least)
    stored = {iri: fact for iri, fact in facts.items() if sources.get(iri) or iri in result.facts}
    values = {a for a, fact in stored.items() for b in fact.against if b in stored and not fact.same_fact(stored[b])}
    rivals = contenders(plan, result, values)
    shown = {iri for solution in result.solutions for row in solution.rows for *_, iri in row.facts}
    shown |= values.intersection(iri for solution in rivals for row in solution.rows for *_, iri in row.facts)
    kept = {iri: fact for iri, fact in stored.items() if iri in shown or shown.intersection(fact.against)}
    values &= kept.keys()
    dates = {a for a, fact in kept.items() for b in fact.against if b in kept and fact.same_fact(kept[b])}
    words = replace(context_of(view, plan, result, beside=rivals), is_unreached=is_unreached(view, plan, result))
    return ShownResult(plan, result, words, kept, frozenset(values), frozenset(dates - values), sources, rivals)
