"""Who plans a question: the rules, a language model, or the model where the rules cannot. All yield the same plans."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from ..errors import LanguageModelError, UsageError
from ..llm import CompletionFailed, Session, open_session
from ..query.graphview import GraphView
from ..question.model_plan import plan_with_model
from ..question.planner import Ambiguous, Planned, Refused, plan_question
from ..settings.load import PLANNERS, LanguageModel

Planner = Callable[[GraphView, str], Planned | Refused | Ambiguous]
RULES, MODEL, RULES_THEN_MODEL = PLANNERS


def planner_of(model: LanguageModel | None, choice: str = "", *, session: Session | None = None) -> Planner:
    """The planner of that name ('' is the configured one, the rules without a model). `session` counts and caps the calls;
    a new one is opened if none is given. Raises LanguageModelError where a model is asked for and none is configured.
    """
    choice = choice or (model.planner if model else RULES)
    if choice not in PLANNERS:
        raise UsageError(f"no planner {choice}", hint=f"one of {', '.join(PLANNERS)}")
    if choice == RULES:
        return plan_question
    if model is None:
        raise LanguageModelError(
            "no language model is configured",
            where=f"planner {choice}",
            hint="add a [model] table with base_url and name to kgplatform.toml, or use the planner rules",
        )
    opened, max_tokens = session or open_session(model), model.max_tokens

    def with_model(view: GraphView, question: str) -> Planned | Refused | Ambiguous:
        return plan_with_model(view, question, session=opened, max_tokens=max_tokens)

    def with_rules_first(view: GraphView, question: str) -> Planned | Refused | Ambiguous:
        """A name that nobody bears, or several bear, is no question for a model: only what is not understood is."""
        first = plan_question(view, question)
        if not isinstance(first, Refused) or first.unknown:
            return first
        part = opened.part()
        try:
            second = plan_with_model(view, question, session=part, max_tokens=max_tokens)
        except LanguageModelError as error:
            said = error.kind if isinstance(error, CompletionFailed) else error.what
            return replace(_also(first, f"the language model did not help: {said}"), spent=part.spent)
        if isinstance(second, Refused):
            return replace(_also(first, "the language model gave no plan either"), spent=second.spent)
        return second

    return with_model if choice == MODEL else with_rules_first


def _also(refused: Refused, note: str) -> Refused:
    return replace(refused, suggestion="; ".join(filter(None, (refused.suggestion, note))))
