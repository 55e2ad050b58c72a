"""That only facts of another relation are stored, which must not be taken for the asked one."""

from __future__ import annotations

from dataclasses import replace

from ...query.algebra import Plan, Variable
from ...query.check import CheckedPlan, CheckFailed, check
from ...query.execute import Budget, Result, execute
from ...query.expansion import mistakable
from ...query.graphview import GraphView
from ..cite import cited, evidence
from ..draft import AnswerDraft
from ..words.context import context_of
from ..words.marks import uncited
from ..words.plans import plan_words
from ..words.solutions import solution_sentences
from .no_match import types_of_ends


def mistaken(view: GraphView, checked: CheckedPlan, *, least: str, budget: Budget) -> AnswerDraft | None:
    """Facts of a relation that must not be taken for the asked one: they are named, and answer nothing."""
    plan = checked.plan
    for index, hop in enumerate(plan.hops):
        for other in sorted(mistakable(view.schema, hop.relation)):
            ends = {t for t in (hop.subject, hop.object)}
            loose = tuple(Variable(v.name, "" if any(getattr(t, "name", "") == v.name for t in ends) else v.class_) for v in plan.variables)
            hops = (*plan.hops[:index], replace(hop, relation=other), *plan.hops[index + 1 :])
            try:
                near = check(
                    replace(plan, variables=loose, hops=hops, aggregate=None), view.schema, view.principal, types=types_of_ends(view, plan)
                )
                result = execute(view, near, min_trust=least, budget=budget)
            except CheckFailed:
                continue
            if result.solutions:
                return _unsupported(view, plan, near, result, asked=hop.relation, other=other, least=least)
    return None


def _unsupported(view: GraphView, plan: Plan, near: CheckedPlan, result: Result, *, asked: str, other: str, least: str) -> AnswerDraft:
    words = context_of(view, near.plan, result)
    told = solution_sentences(words, result.solutions, result.facts, with_validity=False) if near.plan.select else []
    label, mistaken = view.schema.label(asked), view.schema.label(other)
    stored = f" Stored is: {'; '.join(told)}." if told else ""
    sources = cited(view, result.facts.values(), least=least)
    assertions, citations = evidence(result.facts.values(), sources, words.names)
    nothing = plan_words(context_of(view, plan, None))
    return AnswerDraft(
        "unsupported",
        f"{uncited(f'Nothing stored says that {nothing}.')}{stored}{uncited(f' ‘{mistaken}’ must not be taken for ‘{label}’.')}",
        assertions=assertions,
        citations=citations,
    )
