"""Asking and looking through the API: ask, plan, entity, search. Each is one call of what the command line calls."""

from __future__ import annotations

from typing import Any, Final

from flask import Response, request

from kgplatform.answer.ask import ask as answer_to
from kgplatform.answer.ask import run_plan
from kgplatform.answer.entity import entity as described
from kgplatform.answer.planners import planner_of
from kgplatform.answer.result import Answer
from kgplatform.errors import UnknownName
from kgplatform.model import TRUST_LEVELS
from kgplatform.query.codec import from_json
from kgplatform.retrieve.lexical import search as found

from .callers import settings
from .doors import view_at
from .parameters import Parameters, json_body
from .problems import Problem
from .replies import as_json, paged

MOST_HITS: Final = 1000


def ask() -> Response:
    """The answer to a question in English."""
    asked = Parameters.of_json() if request.method == "POST" else Parameters.of_request()
    question = asked.text("question")
    min_trust = asked.choice("min-trust", TRUST_LEVELS, default=TRUST_LEVELS[0])
    valid_at, recorded_at = asked.instant("valid-at"), asked.instant("recorded-at")
    asked.end()
    planner = planner_of(settings().model)
    with view_at(valid_at, recorded_at) as view:
        return _answered(answer_to(view, question, min_trust=min_trust, planner=planner))


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
        try:
            return as_json(described(view, name).as_json())
        except UnknownName as error:
            hint = error.hint if error.hint.startswith("did you mean") else "GET /api/search?q= finds names"
            raise Problem("not-found", error.what, hint=hint) from error


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
    return paged([hit.as_json() for hit in hits[offset:]], limit=limit, offset=offset)


def _answered(answer: Answer) -> Response:
    """What took how long is told, and is no reason to fetch an answer again."""
    told: dict[str, Any] = answer.as_json()
    return as_json(told, counts={name: value for name, value in told.items() if name != "cost"})
