"""Who plans the questions of this application: pages and API alike, with one session with the language model a day.

The caps of a session hold for a day (UTC) of the server, whatever was spent on it before the server was started. A few calls
are made at once, and no more: a model that is slow must not take every thread.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from typing import Final, cast

from flask import Flask, current_app, request
from prometheus_client.metrics_core import CounterMetricFamily, Metric
from prometheus_client.registry import Collector

from ..answer.planners import Planner, or_rules, planner_of
from ..errors import LanguageModelError
from ..llm import BUSY, NOTHING, Completer, CompletionFailed, Reply, Request, Session, Spent, UsageLog, completer_of, open_session
from ..model import ANONYMOUS
from ..settings.load import Settings
from .callers import current_principal, settings
from .health import METRICS
from .limits import count_model_call, place
from .problems import HttpProblem

_DESK: Final = "kgplatform.asking"
_BY_RULES: Final = "the language model could not be asked, so the question was read by the rules alone"
log = logging.getLogger("kgplatform.web")


class FewAtOnce:
    """Passes calls on, while there is a place for them and their caller has not had too many (see `limits`)."""

    def __init__(self, completer: Completer) -> None:
        self.model = completer.model
        self._completer = completer

    def complete(self, request: Request) -> Reply:
        """The reply of the model. Raises CompletionFailed where there is no place, or the caller has had too many."""
        try:
            with place("model"):
                who = current_principal()
                count_model_call("" if who == ANONYMOUS else who.name)
                return self._completer.complete(request)
        except HttpProblem as busy:
            raise CompletionFailed(BUSY, f"the language model was not asked: {busy.detail}", hint=busy.hint) from busy


class AskingDesk:
    """The planners of one application, and what it spent since it was started."""

    def __init__(self, chosen: Settings) -> None:
        self._usage = UsageLog.of(chosen)
        self._model, self._planner = chosen.model, chosen.planner
        self._completer = FewAtOnce(completer_of(chosen.model)) if chosen.model else None
        self._opening = threading.Lock()
        self._day = ""
        self._sessions: list[Session] = []

    @property
    def spent(self) -> Spent:
        """Of all sessions: one that is over may still have calls under way."""
        with self._opening:
            return sum((session.spent for session in self._sessions), NOTHING)

    def planner(self, choice: str, session: Session | None) -> Planner:
        """The planner of that name; '' is the configured one."""
        return planner_of(self._model, choice or self._planner, session=session)

    def session_of(self, day: str) -> Session | None:
        """The session of a day (in UTC, as 2025-11-01); None without a model."""
        if self._model is None:
            return None
        with self._opening:
            if not self._sessions or self._day != day:
                before = self._usage.read(day=day).spent
                self._sessions.append(open_session(self._model, completer=self._completer, usage=self._usage, before=before))
                self._day = day
            return self._sessions[-1]


class SpentMetrics(Collector):
    """What was spent on the language model, for Prometheus."""

    def __init__(self, desk: AskingDesk) -> None:
        self._desk = desk

    def collect(self) -> Iterator[Metric]:
        """The sums since the application was started."""
        spent = self._desk.spent
        yield CounterMetricFamily("kgplatform_model_calls", "Calls of the language model.", value=spent.calls)
        tokens = CounterMetricFamily("kgplatform_model_tokens", "Tokens of those calls.", labels=("side",))
        tokens.add_metric(("input",), spent.input_tokens)
        tokens.add_metric(("output",), spent.output_tokens)
        yield tokens
        yield CounterMetricFamily("kgplatform_model_cost", "Estimated money for them, in the currency of the prices.", value=spent.cost)


def install(app: Flask, chosen: Settings) -> None:
    """Give an application its planners, and its metrics where a model is configured."""
    desk = app.extensions[_DESK] = AskingDesk(chosen)
    if chosen.model:
        app.extensions[METRICS].registry.register(SpentMetrics(desk))


def planner(choice: str = "") -> Planner:
    """The planner of that name for this request; '' is the configured one."""
    desk = _desk()
    return desk.planner(choice, desk.session_of(_today()))


def planner_for_people() -> Planner:
    """The configured planner; where the language model cannot be asked, the rules, with a note that says so."""
    desk, day = _desk(), _today()
    return or_rules(lambda: desk.session_of(day), lambda part: desk.planner("", part), note=_BY_RULES, on_failure=_warn)


def _warn(error: LanguageModelError) -> None:
    log.warning("%s: %s", request.path, error)


def _desk() -> AskingDesk:
    return cast(AskingDesk, current_app.extensions[_DESK])


def _today() -> str:
    return settings().clock()[:10]
