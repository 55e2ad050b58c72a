"""Asking and looking through the API: ask, plan, entity, search, conflicts. Each is one call of what the command line calls."""

from __future__ import annotations

from typing import Any, Final

from flask import Response, request

from ..answer.ask import ask as answer_to
from ..answer.ask import run_plan
from ..answer.entity import entity as described
from ..answer.planners import RULES, Planner
from ..answer.plans import from_json
from ..curation.review import conflicts as disagreements
from ..model import ANONYMOUS
from ..results import Answer
from ..retrieve.lexical import search as found
from ..settings.load import WITH_MODEL
from .access import view_at
from .asking import planner
from .callers import current_principal, settings
from .parameters import body, json_body, parameters
from .problems import HttpProblem
from .replies import FARTHEST, as_json, paged
from .request_forms import AskForm, DatedPageForm, EntityParameters, PlanParameters, SearchForm

MOST_HITS: Final = 1000


def ask() -> Response:
    """The answer to a question in English."""
    asked = body(AskForm) if request.method == "POST" else parameters(AskForm)
    chosen = _planner(str(asked.planner))
    with view_at(*asked.dates) as view:
        return _answered(answer_to(view, asked.question, min_trust=asked.min_trust, explain=asked.explain, planner=chosen))


def _planner(named: str) -> Planner:
    """The planner that is asked for. To choose another than the rules or the configured one is for principals alone: it may cost
    money."""
    configured = settings().planner
    chosen = named or configured
    if chosen in WITH_MODEL and settings().model is None:
        raise HttpProblem("not-found", "no language model is configured here", hint=f"planner={RULES} needs none")
    if chosen not in (RULES, configured) and current_principal() == ANONYMOUS:
        raise HttpProblem("not-signed-in", f"the planner {chosen} is for any principal", hint="send a token, or leave planner out")
    return planner(chosen)


def plan() -> Response:
    """The answer to a plan, as `ask` gives it in its field `plan`. It is checked like any other."""
    asked = parameters(PlanParameters)
    wanted = from_json(json_body())
    with view_at(*asked.dates) as view:
        return _answered(run_plan(view, wanted, min_trust=asked.min_trust))


def entity() -> Response:
    """One entity with all its facts and their sources, or the candidates that its name may mean."""
    asked = parameters(EntityParameters)
    with view_at(*asked.dates) as view:
        return as_json(described(view, asked.name).to_dict())


def search() -> Response:
    """Entities by name, tolerant of typing mistakes, page by page."""
    asked = parameters(SearchForm)
    with view_at(*asked.dates) as view:
        hits = found(view, asked.q, limit=asked.offset + asked.limit + 1)
    return paged([hit.to_dict() for hit in hits[asked.offset :]], limit=asked.limit, offset=asked.offset, most=MOST_HITS)


def conflicts() -> Response:
    """Where sources disagree, page by page; with a date, about what held then."""
    asked = parameters(DatedPageForm)
    with view_at(*asked.dates) as view:
        rows = [one.to_dict() for one in disagreements(view, at=asked.dates[0])]
    return paged(rows[asked.offset : asked.offset + asked.limit + 1], limit=asked.limit, offset=asked.offset, most=FARTHEST)


def _answered(answer: Answer) -> Response:
    """What took how long is told, and is no reason to fetch an answer again."""
    told: dict[str, Any] = answer.to_dict()
    return as_json(told, counts={name: value for name, value in told.items() if name not in ("cost", "explanation")})
