"""A question's way: plan, check, compile, execute, tell, cite. Every end of it is an answer with an outcome."""

from __future__ import annotations

from dataclasses import replace
from time import monotonic
from typing import NamedTuple

from ..errors import QueryTimeout
from ..llm import NOTHING, Spent
from ..model import TRUST_LEVELS, CompiledQuery
from ..query.algebra import ALWAYS, SINCE, EntityTerm, Plan, Time, Variable
from ..query.check import CheckedPlan, CheckFailed, check
from ..query.codec import to_json
from ..query.compile import compile_plan
from ..query.execute import BUDGET, Budget, OutOfTime, Result, execute
from ..query.expansion import above, entities_of, mistakable
from ..query.facts import negatives
from ..query.graphview import GraphView
from ..query.naming import types_of
from ..query.time_filters import denies, holds
from ..question.locate import located
from ..question.planner import Ambiguous, RefusedQuestion, plan_question
from ..results import Answer, Cost, Item, Json, Meaning, Outcome
from ..times import MAX, MIN
from .bounds import until_words
from .cite import cited, evidence
from .draft import AnswerDraft
from .explain import explained
from .future import beyond_words, is_to_come
from .outcomes.answered import answer
from .outcomes.known_zero import unknown_because
from .outcomes.unrecorded_events import unrecorded_words
from .planners import Planner
from .trusted import holding
from .wider_sense import widened
from .words.context import context_of
from .words.marks import clauses_of, uncited, unmarked
from .words.plans import nothing_words, plan_words
from .words.solutions import fact_words, first_words, solution_sentences


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
        told = "; ".join(str(candidate) for candidate in planned.candidates)
        draft = AnswerDraft("ambiguous", f"“{planned.text}” can be any of {len(planned.candidates)}: {told}.")
        finished = _finished(view, question, draft, began, planned.spent, candidates=planned.candidates)
        return AnswerWithMention(finished, planned.text)
    if isinstance(planned, RefusedQuestion):
        outcome: Outcome = "timed_out" if planned.is_late else "no_match" if planned.unknown else "invalid"
        draft = AnswerDraft(outcome, _sentences(planned.reason, planned.suggestion))
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
        draft = _answered(view, checked, result, least=least, budget=budget)
        draft = _with_apart(draft, unrecorded_words(view, checked, least=least, budget=budget))
    except CheckFailed as error:
        told = _sentences(error.reason, error.suggestion)
        draft = AnswerDraft("invalid", told, warnings=(f"the plan failed the check of {error.check}",))
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


def _sentences(*told: str) -> str:
    """Each of these, where it says something, as a sentence of its own."""
    return " ".join(f"{text[:1].upper()}{text[1:]}{'' if text[-1] in '.?!' else '.'}" for text in told if text)


# -- when something was found, and when not


def _answered(view: GraphView, checked: CheckedPlan, result: Result, *, least: str, budget: Budget) -> AnswerDraft:
    plan = checked.plan
    if plan.time.kind == SINCE and is_to_come(plan, view):
        return _nothing(view, plan, hint=beyond_words(view))
    if result.solutions or result.total is not None or result.cut:
        if result.total is not None and not result.cut and not holding(view, plan, result, least=least).total:
            return _none(view, checked, result, least=least, budget=budget)
        if result.solutions or result.total is not None:
            return answer(view, checked, result, least=least)
        return AnswerDraft("truncated", f"Nothing was found, and {'; '.join(result.cut)}.", warnings=result.cut)
    denied = _denied(view, plan, least=least)
    if denied:
        return denied
    relaxed = _at_any_time(view, checked, least=least, budget=budget)
    if relaxed:
        return relaxed
    return _mistakable(view, checked, least=least, budget=budget) or _nothing(
        view, plan, hint=beyond_words(view) if is_to_come(plan, view) else ""
    )


def _none(view: GraphView, checked: CheckedPlan, result: Result, *, least: str, budget: Budget) -> AnswerDraft:
    """`0 stored` where that is known; else that nothing is, and when something was first known of what was asked."""
    unknown = unknown_because(view, checked, least=least, budget=budget)
    if unknown is None and not is_to_come(checked.plan, view):
        return answer(view, checked, result, least=least)
    relaxed = _at_any_time(view, checked, least=least, budget=budget)
    return relaxed or _nothing(view, checked.plan, hint=beyond_words(view) if is_to_come(checked.plan, view) else unknown or "")


def _with_apart(made: AnswerDraft, apart: str) -> AnswerDraft:
    return replace(made, sentence=f"{made.sentence}{uncited(f' {_sentences(apart)}')}") if apart else made


def _nothing(view: GraphView, plan: Plan, *, hint: str = "") -> AnswerDraft:
    after = f"; {hint}" if hint else ""
    return AnswerDraft("no_match", f"{nothing_words(context_of(view, plan, None))}{after}.")


def _denied(view: GraphView, plan: Plan, *, least: str) -> AnswerDraft | None:
    """A stored source that says that it is not so: the answer is no where it is denied for all of the asked time, else nothing matches."""
    if not plan.is_yes_no or len(plan.hops) != 1:
        return None
    hop = plan.hops[0]
    stored, turned = view.schema.canonical(hop.relation)
    subject, object_ = (hop.object, hop.subject) if turned else (hop.subject, hop.object)
    if not isinstance(subject, EntityTerm) or not isinstance(object_, EntityTerm):
        return None
    ends = [(subject.id, object_.id)]
    if view.schema.relations[stored].symmetric:
        ends.append((object_.id, subject.id))
    relations = above(view.schema, stored)
    found = {iri: fact for one, other in ends for iri, fact in negatives(view, one, relations, other).items()}
    sources = cited(view, found.values(), least=least)
    found = {iri: fact for iri, fact in found.items() if sources.get(iri)}
    held = {iri: fact for iri, fact in found.items() if denies(plan.time, fact.start.at, fact.end.at, at=view.valid_at)}
    near = {iri: fact for iri, fact in found.items() if holds(plan.time, fact.start.at, fact.end.at, at=view.valid_at)}
    told = held or near
    if not told:
        return None
    words = context_of(view, plan, None)
    assertions, citations = evidence(told.values(), sources, words.names)
    said = "; ".join(fact_words(words, fact) for fact in told.values())
    if held:
        items = (Item(label="no", value="no"),)
        return AnswerDraft("answered", f"No: {said}.", answers=items, assertions=assertions, citations=citations)
    return replace(_nothing(view, plan, hint=f"stored is only that {said}"), assertions=assertions, citations=citations)


def _at_any_time(view: GraphView, checked: CheckedPlan, *, least: str, budget: Budget) -> AnswerDraft | None:
    """What the same plan finds without its time: the answer is still that nothing matches, and says since or until when."""
    plan = checked.plan
    asked = {index for index, hop in enumerate(plan.hops) if hop.is_of_plan}
    if plan.time.kind == ALWAYS or plan.absences or not asked:
        return None
    anytime = check(replace(plan, time=Time(ALWAYS), aggregate=None), view.schema, view.principal, types=_seen(view, plan))
    result = execute(view, anytime, min_trust=least, budget=budget)
    rows = [
        [result.facts[iri] for hop, _, iri in row.facts if hop in asked or hop >= len(plan.hops)]
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
    return _nothing(view, plan, hint=hint)


def _seen(view: GraphView, plan: Plan) -> dict[str, frozenset[str]]:
    return types_of(view, [iri for iri in entities_of(plan) if iri not in view.schema.classes])


def _mistakable(view: GraphView, checked: CheckedPlan, *, least: str, budget: Budget) -> AnswerDraft | None:
    """Facts of a relation that must not be taken for the asked one: they are named, and answer nothing."""
    plan = checked.plan
    for index, hop in enumerate(plan.hops):
        for other in sorted(mistakable(view.schema, hop.relation)):
            ends = {t for t in (hop.subject, hop.object)}
            loose = tuple(Variable(v.name, "" if any(getattr(t, "name", "") == v.name for t in ends) else v.class_) for v in plan.variables)
            hops = (*plan.hops[:index], replace(hop, relation=other), *plan.hops[index + 1 :])
            try:
                near = check(
                    replace(plan, variables=loose, hops=hops, aggregate=None), view.schema, view.principal, types=_seen(view, plan)
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
