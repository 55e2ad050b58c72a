"""That nothing stored matches, and when it did or will, if it ever does."""

from __future__ import annotations

from dataclasses import replace

from ...model import TRUST_LEVELS
from ...query.algebra import ALWAYS, Plan, Time
from ...query.check import CheckedPlan, check
from ...query.entity_names import types_of
from ...query.execute import Budget, execute
from ...query.expansion import entities_of
from ...query.graphview import GraphView
from ...query.time_filters import holds
from ...times import MAX, MIN
from ..bounds import until_words
from ..draft import AnswerDraft
from ..words.context import context_of
from ..words.plans import nothing_words
from ..words.solutions import first_words


def nothing(view: GraphView, plan: Plan, *, hint: str = "") -> AnswerDraft:
    """`Nothing stored says that Tax depends on a component; HINT.`"""
    after = f"; {hint}" if hint else ""
    return AnswerDraft("no_match", f"{nothing_words(context_of(view, plan, None))}{after}.")


def at_any_time(view: GraphView, checked: CheckedPlan, *, least: str, budget: Budget) -> AnswerDraft | None:
    """What the same plan finds without its time: the answer is still that nothing matches, and says since or until when."""
    plan = checked.plan
    timed_hops = {index for index, hop in enumerate(plan.hops) if hop.is_of_plan}
    if plan.time.kind == ALWAYS or plan.absences or not timed_hops:
        return None
    anytime = check(replace(plan, time=Time(ALWAYS), aggregate=None), view.schema, view.principal, types=types_of_ends(view, plan))
    result = execute(view, anytime, min_trust=least, budget=budget)
    rows = [
        [result.facts[iri] for hop, _, iri in row.facts if hop in timed_hops or hop >= len(plan.hops)]
        for solution in result.solutions
        for row in solution.rows
    ]
    if not rows:
        return None
    starts = [max((fact.start for fact in row), key=lambda bound: bound.at) for row in rows]
    ends = [min((fact.end for fact in row), key=lambda bound: bound.at) for row in rows]
    over = [end for end in ends if not holds(plan.time, MIN, end.at, at=view.valid_at)]
    to_come = [start for start in starts if not holds(plan.time, start.at, MAX, at=view.valid_at)]
    if TRUST_LEVELS.index(least):
        hint = ""  # the bounds may be those of sources that are trusted less
    elif over:
        hint = f"it was so {until_words(max(over, key=lambda bound: bound.at))}"
    else:
        hint = first_words(min(to_come, key=lambda bound: bound.at)) if len(to_come) == len(rows) else ""
    return nothing(view, plan, hint=hint)


def types_of_ends(view: GraphView, plan: Plan) -> dict[str, frozenset[str]]:
    """Entity -> its classes, of those that a plan names."""
    return types_of(view, [iri for iri in entities_of(plan) if iri not in view.schema.classes])
