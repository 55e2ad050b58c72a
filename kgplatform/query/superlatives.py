"""Groups with the most or the fewest, and the groups that would have them if a dispute were settled otherwise."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from dataclasses import replace

from .algebra import FEWEST, Plan
from .execute import Result, Solution, counted, grouped


def contenders(plan: Plan, result: Result, disputed: AbstractSet[str]) -> tuple[Solution, ...]:
    """The groups outside the result that would have the most (fewest), or as many, if the disputed facts were settled otherwise.

    A group has at least what it has without the disputed facts, and at most what it has with all of them.
    """
    aggregate = plan.aggregate
    if aggregate is None or not aggregate.order:
        return ()
    groups = [counted(group, aggregate.variable) for group in grouped(result.rows, (aggregate.by,))]
    least = {group.key: _sure(group, aggregate.variable, disputed) for group in groups}
    if aggregate.order == FEWEST:
        most_of_any = min((group.count or 0 for group in groups), default=0)
        possible = [group for group in groups if least[group.key] <= most_of_any]
    else:
        least_of_any = max(least.values(), default=0)
        possible = [group for group in groups if (group.count or 0) >= least_of_any]
    leading = {solution.key for solution in result.solutions}
    return tuple(group for group in possible if group.key not in leading)


def _sure(group: Solution, variable: str, disputed: AbstractSet[str]) -> int:
    rows = tuple(row for row in group.rows if not any(iri in disputed for *_, iri in row.facts))
    return counted(replace(group, rows=rows), variable).count or 0
