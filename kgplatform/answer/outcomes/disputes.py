"""What of an answer sources dispute, and its words."""

from __future__ import annotations

from dataclasses import replace

from ...query.execute import ResultRow, Solution
from ...query.facts import Stored
from ..words.marks import before_mark
from ..words.solutions import fact_words
from .shown_result import ShownResult


def is_disputed(shown: ShownResult, row: ResultRow) -> bool:
    """Whether this way to meet the plan uses a disputed fact."""
    return any(iri in shown.disputed for *_, iri in row.facts)


def undisputed(shown: ShownResult) -> list[Solution]:
    """The solutions that are met without a disputed fact, in those ways."""
    rows = ((s, tuple(row for row in s.rows if not is_disputed(shown, row))) for s in shown.result.solutions)
    return [replace(solution, rows=left) for solution, left in rows if left]


def disputes(shown: ShownResult, solution: Solution) -> int:
    """How many of what a solution counts are met by disputed facts alone; of a solution that counts nothing, 1 if it is itself."""
    plan, sure = shown.plan, [row for row in solution.rows if not is_disputed(shown, row)]
    if solution.count is None or plan.aggregate is None:
        return int(not sure)
    return solution.count - len({str(row.values[plan.aggregate.variable]) for row in sure})


def dispute_words(shown: ShownResult) -> str:
    """Every disputed fact with the documents that say it."""
    facts = sorted((shown.facts[iri] for iri in shown.disputed), key=lambda f: (shown.context.names[f.subject], str(f.object)))
    told = "; ".join(before_mark(fact_words(shown.context, fact), f" ({_documents(shown, fact)})") for fact in facts[:8])
    return f"{told}; and {len(facts) - 8} more" if len(facts) > 8 else told


def disagreement(shown: ShownResult) -> str:
    """The last sentence of an answer whose facts or dates sources dispute, with a space before it; else ''."""
    return f" Sources disagree: {dispute_words(shown)}." if shown.disputed else redating(shown)


def redating(shown: ShownResult) -> str:
    """The same of dates alone."""
    return " Sources disagree on the dates." if shown.redated else ""


def _documents(shown: ShownResult, fact: Stored) -> str:
    return ", ".join(dict.fromkeys(citation.document for citation in shown.sources.get(fact.iri, ())))
