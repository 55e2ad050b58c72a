"""A question's way: plan, check, compile, execute, tell, cite. Every end of it is an answer with an outcome."""

from __future__ import annotations

from dataclasses import replace
from time import monotonic
from typing import NamedTuple

from ..errors import QueryTimeout
from ..llm import NOTHING, Spent
from ..model import TRUST_LEVELS, CompiledQuery
from ..query.algebra import Plan
from ..query.check import CheckedPlan, CheckFailed, check
from ..query.codec import to_json
from ..query.compile import compile_plan
from ..query.execute import BUDGET, Budget, OutOfTime, Result, execute
from ..query.graphview import GraphView
from ..question.locate import located
from ..question.planner import Ambiguous, RefusedQuestion, plan_question
from ..results import Answer, Cost, Json, Meaning, Outcome
from .draft import AnswerDraft
from .explain import explained
from .outcomes.choice import outcome_of
from .outcomes.unrecorded_events import unrecorded_words
from .planners import Planner
from .wider_sense import widened
from .words.marks import clauses_of, uncited, unmarked
from .words.wording import as_sentences


class AnswerWithMention(NamedTuple):
    """An answer, and what of its question is ambiguous ('' where nothing is), as pages need it."""

    answer: Answer
    mention: str = ""


def ask(
    view: GraphView,
    question: str,
    *,
    min_trust: str = TRUST_LEVELS[0],
    explain: bool = False,
    budget: Budget = BUDGET,
    planner: Planner = plan_question,
) -> Answer:
    """The answer to a question in English, from what the view shows. `explain` fills `Answer.explanation`.

    `planner` makes the plan and nothing else (see `planners`): every plan goes the same way.
    """
    return _asked(view, question, min_trust=min_trust, explain=explain, budget=budget, planner=planner).answer


def ask_with_mention(view: GraphView, question: str, *, planner: Planner) -> AnswerWithMention:
    """The same with its explanation, and with the words that may mean several things."""
    return _asked(view, question, min_trust=TRUST_LEVELS[0], explain=True, budget=BUDGET, planner=planner)


def _asked(view: GraphView, question: str, *, min_trust: str, explain: bool, budget: Budget, planner: Planner) -> AnswerWithMention:
    began = monotonic()
    planned = planner(view, question)
    if isinstance(planned, Ambiguous):
        choices = "; ".join(str(candidate) for candidate in planned.candidates)
        draft = AnswerDraft("ambiguous", f"“{planned.text}” can be any of {len(planned.candidates)}: {choices}.")
        finished = _finished(view, question, draft, began, planned.spent, candidates=planned.candidates)
        return AnswerWithMention(finished, planned.text)
    if isinstance(planned, RefusedQuestion):
        outcome: Outcome = "timed_out" if planned.is_late else "no_match" if planned.unknown else "invalid"
        draft = AnswerDraft(outcome, as_sentences(planned.reason, planned.suggestion))
        return AnswerWithMention(_finished(view, question, draft, began, planned.spent))
    plan, notes = widened(view, planned.plan, min_trust=min_trust, budget=budget)
    answer = run_plan(
        view, plan, min_trust=min_trust, explain=explain, budget=budget, notes=(*planned.notes, *notes),
        planning=(monotonic() - began) * 1000, spent=planned.spent,
    )  # fmt: skip
    return AnswerWithMention(answer)


def run_plan(
    view: GraphView,
    plan: Plan,
    *,
    min_trust: str = TRUST_LEVELS[0],
    explain: bool = False,
    budget: Budget = BUDGET,
    notes: tuple[str, ...] = (),
    planning: float = 0.0,
    spent: Spent = NOTHING,
) -> Answer:
    """The answer to a plan, whoever made it. It is checked like any other."""
    began = monotonic() - planning / 1000
    least = max(min_trust, view.principal.min_trust, key=TRUST_LEVELS.index)
    plan, types = located(view, plan)
    checked: CheckedPlan | None = None
    result: Result | None = None
    try:
        checked = check(plan, view.schema, view.principal, types=types)
        result = execute(view, checked, min_trust=least, budget=budget)
        draft = outcome_of(view, checked, result, least=least, budget=budget)
        draft = _with_unrecorded(draft, unrecorded_words(view, checked, least=least, budget=budget))
    except CheckFailed as error:
        refusal = as_sentences(error.reason, error.suggestion)
        draft = AnswerDraft("invalid", refusal, warnings=(f"the plan failed the check of {error.check}",))
    except (OutOfTime, QueryTimeout):
        draft = AnswerDraft("timed_out", f"No answer within {budget.seconds:g} seconds. Ask for less at once.")
    draft = replace(draft, warnings=tuple(dict.fromkeys((*draft.warnings, *notes))))
    query = result.compiled.query if result else None
    if checked and query is None:
        query = compile_plan(checked, at=view.valid_at, min_trust=least, rows=budget.rows).query
    explanation = explained(view, checked, result, draft, query, planning=planning, spent=spent) if explain else ""
    shown = checked.plan if checked else plan
    return _finished(view, plan.question, draft, began, spent, plan=to_json(shown), query=query, explanation=explanation)


def _finished(
    view: GraphView,
    question: str,
    draft: AnswerDraft,
    began: float,
    spent: Spent,
    *,
    plan: Json | None = None,
    query: CompiledQuery | None = None,
    candidates: tuple[Meaning, ...] = (),
    explanation: str = "",
) -> Answer:
    return Answer(
        question=question,
        outcome=draft.outcome,
        conflicting=draft.conflicting,
        sentence=unmarked(draft.sentence),
        clauses=clauses_of(draft.sentence, {fact.iri: fact.citations for fact in draft.assertions}),
        answers=draft.answers,
        assertions=draft.assertions,
        citations=draft.citations,
        plan=plan,
        sparql=query.text if query else None,
        parameters=query.parameters if query else {},
        warnings=draft.warnings,
        newest_source=view.newest_source() or None,
        cost=Cost(
            model_calls=spent.calls,
            input_tokens=spent.input_tokens,
            output_tokens=spent.output_tokens,
            milliseconds=round((monotonic() - began) * 1000),
        ),
        candidates=candidates,
        explanation=explanation,
    )


def _with_unrecorded(draft: AnswerDraft, words: str) -> AnswerDraft:
    return replace(draft, sentence=f"{draft.sentence}{uncited(f' {as_sentences(words)}')}") if words else draft
