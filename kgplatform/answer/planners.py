"""Who plans a question: the rules, a language model, the model where the rules cannot, or an installed package. All yield the same plans."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from ..errors import LanguageModelError, PlanError
from ..llm import NOTHING, CompletionFailed, Session, open_session
from ..query.algebra import Plan
from ..query.codec import from_json, to_json
from ..query.graphview import GraphView
from ..question.model_plan import plan_with_model
from ..question.planner import Ambiguous, Planned, RefusedQuestion, plan_question
from ..registry import Registry
from ..settings.load import LanguageModel
from ..settings.tables import DEFAULT_PLANNER

Planner = Callable[[GraphView, str], Planned | RefusedQuestion | Ambiguous]
Maker = Callable[[LanguageModel | None, Session | None], Planner]
"""Makes a planner of the configured model, and of the session that counts and caps its calls; both may be None."""
RULES: Final = DEFAULT_PLANNER
PLANNERS: Final = Registry[Maker]("planner")


def planner_of(model: LanguageModel | None, choice: str = "", *, session: Session | None = None) -> Planner:
    """The planner of that name ('' is the model's, the rules without a model). `session` counts and caps the calls;
    a new one is opened if none is given. Raises UsageError for an unknown name, LanguageModelError where a model is asked for and none
    is configured, PluginError where an outside planner fails.
    """
    choice = choice or (model.planner if model else RULES)
    make = PLANNERS.get(choice)
    with PLANNERS.calling(choice):
        planner = make(model, session)
    if PLANNERS.is_own(choice):
        return planner

    def outside(view: GraphView, question: str) -> Planned | RefusedQuestion | Ambiguous:
        with PLANNERS.calling(choice):
            planned = planner(view, question)
            if not isinstance(planned, Planned | RefusedQuestion | Ambiguous):
                raise TypeError(f"it gave {type(planned).__name__}, not Planned, RefusedQuestion or Ambiguous")
            if isinstance(planned, Planned):
                _require_form(planned.plan)
            return planned

    return outside


def _require_form(plan: object) -> None:
    """Raise TypeError for what has not the form of a plan; whether it may run is for the checker to say."""
    if not isinstance(plan, Plan):
        raise TypeError(f"it planned {type(plan).__name__}, not Plan")
    try:
        from_json(to_json(plan))
    except PlanError as error:
        raise TypeError(f"it planned what is no plan: {error}") from error


def by_rules(model: LanguageModel | None, session: Session | None) -> Planner:
    """The grammar of questions alone; no model is asked."""
    return plan_question


def by_model(model: LanguageModel | None, session: Session | None) -> Planner:
    """The language model plans every question. Raises LanguageModelError where none is configured."""
    named, opened = _opened(model, session, "model")

    def plan(view: GraphView, question: str) -> Planned | RefusedQuestion | Ambiguous:
        return plan_with_model(view, question, session=opened, max_tokens=named.max_tokens)

    return plan


def by_rules_then_model(model: LanguageModel | None, session: Session | None) -> Planner:
    """The model plans what the rules do not understand. Raises LanguageModelError where none is configured."""
    named, opened = _opened(model, session, "rules-then-model")

    def plan(view: GraphView, question: str) -> Planned | RefusedQuestion | Ambiguous:
        """A name that nobody bears, or several bear, is no question for a model: only what is not understood is."""
        first = plan_question(view, question)
        if not isinstance(first, RefusedQuestion) or first.unknown:
            return first
        part = opened.part()
        try:
            second = plan_with_model(view, question, session=part, max_tokens=named.max_tokens)
        except LanguageModelError as error:
            reason = error.kind if isinstance(error, CompletionFailed) else error.what
            return replace(_also(first, f"the language model did not help: {reason}"), spent=part.spent)
        if isinstance(second, RefusedQuestion):
            return replace(_also(first, "the language model gave no plan either"), spent=second.spent)
        return second

    return plan


def or_rules(
    open_session: Callable[[], Session | None],
    planner: Callable[[Session | None], Planner],
    *,
    note: str,
    on_failure: Callable[[LanguageModelError], None],
) -> Planner:
    """The planner of a part of the session; where the language model cannot be asked, the rules, with a note that says so."""

    def plan(view: GraphView, question: str) -> Planned | RefusedQuestion | Ambiguous:
        part = None
        try:
            session = open_session()
            part = session.part() if session else None
            return planner(part)(view, question)
        except LanguageModelError as error:
            on_failure(error)
        found = plan_question(view, question)
        if isinstance(found, Planned):
            found = replace(found, notes=(*found.notes, note))
        elif isinstance(found, RefusedQuestion):
            found = _also(found, note)
        return replace(found, spent=part.spent if part else NOTHING)

    return plan


def _opened(model: LanguageModel | None, session: Session | None, choice: str) -> tuple[LanguageModel, Session]:
    if model is None:
        raise LanguageModelError(
            "no language model is configured",
            where=f"planner {choice}",
            hint="add a [model] table with base_url and name to kgplatform.toml, or use the planner rules",
        )
    return model, session or open_session(model)


def _also(refused: RefusedQuestion, note: str) -> RefusedQuestion:
    return replace(refused, suggestion="; ".join(filter(None, (refused.suggestion, note))))
