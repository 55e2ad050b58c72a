"""Which outcome a result has: answered, denied, known at another time only, unsupported, or nothing that matches."""

from __future__ import annotations

from ...query.algebra import SINCE
from ...query.check import CheckedPlan
from ...query.execute import Budget, Result
from ...query.graphview import GraphView
from ..draft import AnswerDraft
from ..future import beyond_words, is_to_come
from ..trusted import holding
from .answered import answer
from .denied import denied
from .known_zero import unknown_because
from .no_match import at_any_time, nothing
from .unsupported import mistaken


def outcome_of(view: GraphView, checked: CheckedPlan, result: Result, *, least: str, budget: Budget) -> AnswerDraft:
    """What the result of a checked plan says, by the first of the outcomes that fits."""
    plan = checked.plan
    if plan.time.kind == SINCE and is_to_come(plan, view):
        return nothing(view, plan, hint=beyond_words(view))
    if result.solutions or result.total is not None or result.cut:
        if result.total is not None and not result.cut and not holding(view, plan, result, least=least).total:
            return _none_counted(view, checked, result, least=least, budget=budget)
        if result.solutions or result.total is not None:
            return answer(view, checked, result, least=least)
        return AnswerDraft("truncated", f"Nothing was found, and {'; '.join(result.cut)}.", warnings=result.cut)
    return (
        denied(view, plan, least=least)
        or at_any_time(view, checked, least=least, budget=budget)
        or mistaken(view, checked, least=least, budget=budget)
        or nothing(view, plan, hint=beyond_words(view) if is_to_come(plan, view) else "")
    )


def _none_counted(view: GraphView, checked: CheckedPlan, result: Result, *, least: str, budget: Budget) -> AnswerDraft:
    """`0 stored` where that is known; else that nothing is, and when something was first known of what was asked."""
    unknown = unknown_because(view, checked, least=least, budget=budget)
    if unknown is None and not is_to_come(checked.plan, view):
        return answer(view, checked, result, least=least)
    relaxed = at_any_time(view, checked, least=least, budget=budget)
    return relaxed or nothing(view, checked.plan, hint=beyond_words(view) if is_to_come(checked.plan, view) else unknown or "")
