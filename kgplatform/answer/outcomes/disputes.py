"""What of an answer sources dispute, and its words."""

from __future__ import annotations

from dataclasses import replace

from ...query.execute import ResultRow, Solution
from ...query.facts import Stored
from ..words.marks import before_mark
from ..words.solutions import fact_words
from .rows import AnswerRows


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
