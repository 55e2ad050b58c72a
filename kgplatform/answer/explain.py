"""How an answer came about: the plan in words, each check, the query with its parameters, timings."""

from __future__ import annotations

from ..llm import Spent
from ..model import CompiledQuery
from ..query.check import CheckedPlan
from ..query.execute import Result
from ..query.graphview import GraphView
from .draft import AnswerDraft
from .words.context import context_of
from .words.plans import plan_words


def explained(
    view: GraphView,
    checked: CheckedPlan | None,
    result: Result | None,
    draft: AnswerDraft,
    query: CompiledQuery | None,
    *,
    planning: float,
    spent: Spent,
) -> str:
    """Several lines for people; the JSON of the answer has the same plan, query and parameters."""
    lines = []
    if checked:
        lines.append(f"plan: {plan_words(context_of(view, checked.plan, result))}")
        lines += [f"  {note}" for note in draft.warnings]
        lines.append("checks:")
        lines += [f"  {check.name}: {check.said}" for check in checked.checks]
    else:
        lines.append(f"the plan was refused: {draft.sentence}")
    if query:
        lines.append("query:")
        lines += [f"  {line}" for line in query.text.splitlines()]
        lines.append("parameters:")
        lines += [f"  ?{name} = {value}" for name, value in query.parameters.items()]
    if result:
        times = {"plan": planning, **result.milliseconds}
        lines.append("milliseconds: " + ", ".join(f"{name} {value:.1f}" for name, value in times.items()))
        lines.append(f"distinct solutions: {len(result.solutions)}, rows: {sum(len(s.rows) for s in result.solutions)}")
    if spent.calls:
        lines.append(
            f"language model: {spent.calls} calls, {spent.input_tokens} + {spent.output_tokens} tokens, cost about {spent.cost:.4g}"
        )
    return "\n".join(lines)
