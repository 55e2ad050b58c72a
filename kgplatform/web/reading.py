"""Asking and looking through the API: ask, plan, entity, search, conflicts. Each is one call of what the command line calls."""

from __future__ import annotations

from typing import Any, Final

from flask import Response, request

from ..answer.ask import ask as answer_to
from ..answer.ask import run_plan
from ..answer.entity import entity as described
from ..answer.planners import PLANNERS, RULES, Planner
from ..curation.review import conflicts as disagreements
from ..model import ANONYMOUS, TRUST_LEVELS
from ..query.codec import from_json
from ..results import Answer
from ..retrieve.lexical import search as found
from ..settings.load import WITH_MODEL
from .access import view_at
from .asking import planner
from .callers import current_principal, settings
from .parameters import Parameters, json_body
from .problems import HttpProblem
from .replies import FARTHEST, as_json, paged

MOST_HITS: Final = 1000


def ask() -> Response:
    """The answer to a question in English."""
    asked = Parameters.of_json() if request.method == "POST" else Parameters.of_request()
    question = asked.text("question")
    min_trust = asked.choice("min-trust", TRUST_LEVELS, default=TRUST_LEVELS[0])
    explain = asked.flag("explain")
    chosen = _planner(asked)
    valid_at, recorded_at = asked.instant("valid-at"), asked.instant("recorded-at")
    asked.end()
    with view_at(valid_at, recorded_at) as view:
        return _answered(answer_to(view, question, min_trust=min_trust, explain=explain, planner=chosen))


def _planner(asked: Parameters) -> Planner:
    """The planner that is asked for. To choose another than the rules or the configured one is for principals alone: it may cost
    money."""
    configured = settings().planner
    chosen = asked.choice("planner", PLANNERS.names(), default=configured)
    if chosen in WITH_MODEL and settings().model is None:
        raise HttpProblem("not-found", "no language model is configured here", hint=f"planner={RULES} needs none")
    if chosen not in (RULES, configured) and current_principal() == ANONYMOUS:
        raise HttpProblem("not-signed-in", f"the planner {chosen} is for any principal", hint="send a token, or leave planner out")
    return planner(chosen)


def plan() -> Response:
    """The answer to a plan, as `ask` gives it in its field `plan`. It is checked like any other."""
    asked = Parameters.of_request()
    min_trust = asked.choice("min-trust", TRUST_LEVELS, default=TRUST_LEVELS[0])
    valid_at, recorded_at = asked.instant("valid-at"), asked.instant("recorded-at")
    asked.end()
    wanted = from_json(json_body())
    with view_at(valid_at, recorded_at) as view:
        return _answered(run_plan(view, wanted, min_trust=min_trust))


def entity() -> Response:
    """One entity with all its facts and their sources, or the candidates that its name may mean."""
    asked = Parameters.of_request()
    name = asked.text("name")
    valid_at, recorded_at = asked.instant("valid-at"), asked.instant("recorded-at")
    asked.end()
    with view_at(valid_at, recorded_at) as view:
        return as_json(described(view, name).to_dict())


def search() -> Response:
    """Entities by name, tolerant of typing mistakes, page by page."""
    asked = Parameters.of_request()
    text = asked.text("q")
    limit = asked.whole("limit", default=10, least=1, most=MOST_HITS)
    offset = asked.whole("offset", default=0, least=0, most=MOST_HITS)
    valid_at, recorded_at = asked.instant("valid-at"), asked.instant("recorded-at")
    asked.end()
    with view_at(valid_at, recorded_at) as view:
        hits = found(view, text, limit=offset + limit + 1)
    return paged([hit.to_dict() for hit in hits[offset:]], limit=limit, offset=offset, most=MOST_HITS)


def conflicts() -> Response:
    """Where sources disagree, page by page; with a date, about what held then."""
    asked = Parameters.of_request()
    limit = asked.whole("limit", default=50, least=1, most=1000)
    offset = asked.whole("offset", default=0, least=0, most=FARTHEST)
    valid_at, recorded_at = asked.instant("valid-at"), asked.instant("recorded-at")
    asked.end()
    with view_at(valid_at, recorded_at) as view:
        rows = [one.to_dict() for one in disagreements(view, at=valid_at)]
    return paged(rows[offset : offset + limit + 1], limit=limit, offset=offset, most=FARTHEST)


def _answered(answer: Answer) -> Response:
    """What took how long is told, and is no reason to fetch an answer again."""
    told: dict[str, Any] = answer.to_dict()
    return as_json(told, counts={name: value for name, value in told.items() if name not in ("cost", "explanation")})
