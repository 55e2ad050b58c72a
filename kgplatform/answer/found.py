"""A result as one caller may be told of it: its facts by least trust, their words, and what of it sources dispute."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from ..query.algebra import Plan
from ..query.execute import Result, ResultRow, Solution
from ..query.facts import Stored
from ..query.graphview import GraphView
from ..query.superlatives import contenders
from .future import is_unreached
from .marks import before_mark
from .scenes import Scene, scene
from .telling import fact_words
from .trusted import backed


@dataclass(frozen=True)
class AnswerRows:
    """`disputed` are facts of which a source says another value, `redated` those on whose dates sources disagree.

    `contenders` are the groups that the dispute could make the ones with the most or the fewest.
    """

    plan: Plan
    result: Result
    scene: Scene
    facts: Mapping[str, Stored]
    disputed: frozenset[str]
    redated: frozenset[str]
    sources: Mapping[str, tuple[Any, ...]]
    contenders: tuple[Solution, ...] = ()


def found_in(view: GraphView, plan: Plan, result: Result, *, least: str) -> AnswerRows:
    facts, sources = backed(view, [*result.facts.values(), *result.against.values()], least=least)
    stored = {iri: fact for iri, fact in facts.items() if sources.get(iri) or iri in result.facts}
    values = {a for a, fact in stored.items() for b in fact.against if b in stored and not fact.same_fact(stored[b])}
    rivals = contenders(plan, result, values)
    shown = {iri for solution in result.solutions for row in solution.rows for *_, iri in row.facts}
    shown |= values.intersection(iri for solution in rivals for row in solution.rows for *_, iri in row.facts)
    kept = {iri: fact for iri, fact in stored.items() if iri in shown or shown.intersection(fact.against)}
    values &= kept.keys()
    dates = {a for a, fact in kept.items() for b in fact.against if b in kept and fact.same_fact(kept[b])}
    words = replace(scene(view, plan, result, beside=rivals), is_unreached=is_unreached(view, plan, result))
    return AnswerRows(plan, result, words, kept, frozenset(values), frozenset(dates - values), sources, rivals)


def is_disputed(found: AnswerRows, row: ResultRow) -> bool:
    return any(iri in found.disputed for *_, iri in row.facts)


def undisputed(found: AnswerRows) -> list[Solution]:
    """The solutions that are met without a disputed fact, in those ways."""
    rows = ((s, tuple(row for row in s.rows if not is_disputed(found, row))) for s in found.result.solutions)
    return [replace(solution, rows=left) for solution, left in rows if left]


def disputes(found: AnswerRows, solution: Solution) -> int:
    """How many of what a solution counts are met by disputed facts alone; of a solution that counts nothing, 1 if it is itself."""
    plan, sure = found.plan, [row for row in solution.rows if not is_disputed(found, row)]
    if solution.count is None or plan.aggregate is None:
        return int(not sure)
    return solution.count - len({str(row.values[plan.aggregate.variable]) for row in sure})


def dispute_words(found: AnswerRows) -> str:
    """Every disputed fact with the documents that say it."""
    facts = sorted((found.facts[iri] for iri in found.disputed), key=lambda f: (found.scene.names[f.subject], str(f.object)))
    told = "; ".join(before_mark(fact_words(found.scene, fact), f" ({_documents(found, fact)})") for fact in facts[:8])
    return f"{told}; and {len(facts) - 8} more" if len(facts) > 8 else told


def disagreement(found: AnswerRows) -> str:
    return f" Sources disagree: {dispute_words(found)}." if found.disputed else redating(found)


def redating(found: AnswerRows) -> str:
    return " Sources disagree on the dates." if found.redated else ""


def _documents(found: AnswerRows, fact: Stored) -> str:
    return ", ".join(dict.fromkeys(citation.document for citation in found.sources.get(fact.iri, ())))
