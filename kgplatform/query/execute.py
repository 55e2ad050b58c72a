"""Running a checked plan: rows within a budget, grouped to distinct solutions, counted where that is asked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from time import monotonic
from typing import Final, NamedTuple

from ..model import TRUST_LEVELS
from ..terms import Term
from ..times import Instant
from .algebra import COUNT, FEWEST, MAXIMUM, Aggregate, Plan, Var
from .check import CheckedPlan
from .compile import Compiled, compile_plan
from .events import at_of
from .facts import Stored, read_facts
from .forms import MAX_DEPTH
from .graphview import GraphView
from .time_filters import met


@dataclass(frozen=True, slots=True)
class Budget:
    """What one question may cost. `cited` is how many assertions an answer carries at most."""

    rows: int = 10_000
    seconds: float = 30.0
    cited: int = 2_000


BUDGET: Final = Budget()


class OutOfTime(Exception):
    """The deadline passed."""


class ResultRow(NamedTuple):
    """One match of the plan: the values of its variables, and the facts used, as (hop, step, assertion IRI)."""

    values: Mapping[str, Term]
    facts: tuple[tuple[int, int, str], ...]


@dataclass(frozen=True, slots=True)
class Solution:
    """One distinct answer: the terms that are asked for, and every match that gives them.

    `count` is set where values are counted for each such answer.
    """

    key: tuple[Term, ...]
    rows: tuple[ResultRow, ...]
    count: int | None = None


@dataclass(frozen=True, slots=True)
class Result:
    """The result of a plan. `cut` names the budgets that were reached; `total` is the number, if one was asked for.

    `rows` are all rows and `read` their facts; `facts` are those of the solutions, and `against` what contradicts them. If
    the plan asks for the groups with the most or the fewest, `facts` has also the contradicted facts of the other groups.
    `found` counts the solutions before the plan's limit.
    """

    compiled: Compiled
    rows: tuple[ResultRow, ...]
    read: Mapping[str, Stored]
    solutions: tuple[Solution, ...]
    facts: Mapping[str, Stored]
    against: Mapping[str, Stored]
    cut: tuple[str, ...]
    found: int
    total: int | None
    milliseconds: Mapping[str, float]


def execute(view: GraphView, checked: CheckedPlan, *, min_trust: str = TRUST_LEVELS[0], budget: Budget = BUDGET) -> Result:
    """The solutions of the plan in the view. Raises CheckFailed, OutOfTime, QueryTimeout."""
    plan, began = checked.plan, monotonic()
    least = max(min_trust, view.principal.min_trust, key=TRUST_LEVELS.index)
    compiled = compile_plan(checked, at=view.valid_at, min_trust=least, rows=budget.rows)
    compiled_at = monotonic()
    matches = [_row(compiled, row) for row in view.select(compiled.query)]
    read_at = _in_time(began, budget)
    cut = []
    if len(matches) > budget.rows:
        cut.append(f"only the first {budget.rows} rows were read")
        matches = matches[: budget.rows]
    complete = [row for row in matches if all(step < MAX_DEPTH for _, step, _ in row.facts)]
    if len(complete) < len(matches):
        cut.append(f"containment was followed {MAX_DEPTH} times and goes on")
    facts = read_facts(view, {iri for row in complete for *_, iri in row.facts})
    _in_time(began, budget)
    result = with_rows(view, plan, Result(compiled, (), facts, (), {}, {}, tuple(cut), 0, None, {}), _nearest(plan, complete, facts))
    ended = monotonic()
    times = {"compile": (compiled_at - began) * 1000, "query": (read_at - compiled_at) * 1000, "evidence": (ended - read_at) * 1000}
    return replace(result, milliseconds=times)


def with_rows(view: GraphView, plan: Plan, result: Result, rows: Iterable[ResultRow]) -> Result:
    """The result that these of its rows give."""
    rows = tuple(rows)
    solutions, total = _solutions(plan, rows)
    count = len(solutions)
    if plan.limit and plan.aggregate is None:
        solutions = solutions[: plan.limit]
    used = dict.fromkeys(iri for solution in solutions for row in solution.rows for *_, iri in row.facts)
    if plan.aggregate and plan.aggregate.order:
        used |= dict.fromkeys(iri for row in rows for *_, iri in row.facts if result.read[iri].against)
    facts = {iri: result.read[iri] for iri in used}
    against = _against(view, plan, rows, facts)
    return replace(result, rows=rows, solutions=solutions, facts=facts, against=against, found=count, total=total)


def _in_time(began: float, budget: Budget) -> float:
    now = monotonic()
    if now - began > budget.seconds:
        raise OutOfTime
    return now


def _row(compiled: Compiled, row: Mapping[str, Term]) -> ResultRow:
    values = {name: row[name] for name in compiled.values if name in row}
    return ResultRow(values, tuple((e.hop, e.step, row[e.name].value) for e in compiled.evidence if e.name in row))


def _nearest(plan: Plan, rows: list[ResultRow], facts: Mapping[str, Stored]) -> list[ResultRow]:
    """The rows with the last fact before another one, or the first after it, ties included; all rows without a sequence."""
    if plan.sequence is None:
        return rows

    def fact(row: ResultRow, hop: int) -> Stored:
        return facts[next(iri for index, _, iri in row.facts if index == hop)]

    earlier, later = plan.sequence.earlier, plan.sequence.later
    gaps: dict[str, Instant] = {}
    asks_earlier = any(Var(name) in (plan.hops[earlier].subject, plan.hops[earlier].object) for name in plan.select)
    for row in rows:
        anchor, bound = (
            (fact(row, later).iri, fact(row, earlier).end.at) if asks_earlier else (fact(row, earlier).iri, fact(row, later).start.at)
        )
        gaps[anchor] = (max if asks_earlier else min)(gaps.get(anchor, bound), bound)
    return [
        row
        for row in rows
        if (asks_earlier and fact(row, earlier).end.at == gaps[fact(row, later).iri])
        or (not asks_earlier and fact(row, later).start.at == gaps[fact(row, earlier).iri])
    ]


def _against(view: GraphView, plan: Plan, rows: Iterable[ResultRow], facts: Mapping[str, Stored]) -> dict[str, Stored]:
    """What contradicts the facts: other values that held at the time asked for, and other dates of the same fact."""
    others = read_facts(view, {iri for fact in facts.values() for iri in fact.against})
    kept: dict[str, Stored] = {}
    for row in rows if others else ():
        for hop, _, iri in row.facts:
            for other in (others[each] for each in (facts[iri].against if iri in facts else ()) if each in others):
                moment = at_of(plan, view.schema, hop)
                if facts[iri].same_fact(other) or met(plan, moment, row.values, other.start.at, other.end.at, at=view.valid_at):
                    kept[other.iri] = other
    return kept


def _solutions(plan: Plan, rows: tuple[ResultRow, ...]) -> tuple[tuple[Solution, ...], int | None]:
    aggregate = plan.aggregate
    if aggregate is None:
        return grouped(rows, plan.select), None
    if aggregate.kind == COUNT and not aggregate.by:
        values = grouped(rows, (aggregate.variable,))
        return values, len(values)
    if aggregate.kind == COUNT:
        groups = [counted(solution, aggregate.variable) for solution in grouped(rows, (aggregate.by,))]
        if not aggregate.order:
            return tuple(groups), None
        best = (min if aggregate.order == FEWEST else max)((g.count or 0 for g in groups), default=0)
        return tuple(g for g in groups if g.count == best), None
    return _extreme(rows, aggregate), None


def grouped(rows: Iterable[ResultRow], names: Iterable[str]) -> tuple[Solution, ...]:
    """The rows grouped by the values of these variables, in the order of those values."""
    groups: dict[tuple[Term, ...], list[ResultRow]] = {}
    for row in rows:
        groups.setdefault(tuple(row.values[name] for name in names), []).append(row)
    return tuple(Solution(key, tuple(members)) for key, members in sorted(groups.items(), key=lambda item: [str(term) for term in item[0]]))


def counted(solution: Solution, variable: str) -> Solution:
    """The solution with the number of distinct values that the variable has in it."""
    return Solution(solution.key, solution.rows, len({str(row.values[variable]) for row in solution.rows}))


def _extreme(rows: tuple[ResultRow, ...], aggregate: Aggregate) -> tuple[Solution, ...]:
    """Dates of one datatype compare as text, numbers as numbers."""

    def value(row: ResultRow) -> tuple[float, str]:
        text = row.values[aggregate.variable].value
        try:
            return float(text), ""
        except ValueError:
            return 0.0, text

    if not rows:
        return ()
    best = (max if aggregate.kind == MAXIMUM else min)(value(row) for row in rows)
    return grouped([row for row in rows if value(row) == best], (aggregate.by or aggregate.variable,))
