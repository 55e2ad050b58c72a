"""What the endpoint and the API have in common: who comes in and how often, what they see, and how errors look."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import wraps
from typing import Final, ParamSpec, cast

from flask import Blueprint, Flask, Response, current_app
from flask.blueprints import BlueprintSetupState

from ..model import ANONYMOUS
from ..times import Instant
from ..views.opening import open_view
from ..views.view import View
from . import asking, health, limits, problems
from .callers import SETTINGS, current_principal, has_role, settings
from .problems import HttpProblem

P = ParamSpec("P")

PRINCIPAL: Final = "any principal"
"""In the place of a role: whoever is not nobody."""


def install(blueprint: Blueprint) -> None:
    """Count the requests of a blueprint, and give it problem+json for every error."""
    blueprint.register_error_handler(Exception, problems.told)
    blueprint.before_request(admit)
    blueprint.record_once(_prepare)


def admit() -> None:
    """Know the caller, and count the request. A wrong token counts for its address."""
    try:
        who = current_principal()
    except Exception:
        limits.count_request("")
        raise
    limits.count_request("" if who == ANONYMOUS else who.name)


def only_for(role: str, function: Callable[P, Response]) -> Callable[P, Response]:
    """The function, for callers of the role alone: nobody gets 401, somebody else 403. '' is everybody."""

    @wraps(function)
    def guarded(*arguments: P.args, **options: P.kwargs) -> Response:
        nobody = current_principal() == ANONYMOUS
        if role and nobody:
            who = role if role == PRINCIPAL else f"the role {role}"
            raise HttpProblem("not-signed-in", f"this is for {who}", hint="send a token of one who has it")
        if role not in ("", PRINCIPAL) and not has_role(role):
            raise HttpProblem("not-allowed", f"this is for the role {role}", hint="an admin can give it: kgplatform principal add")
        return function(*arguments, **options)

    return guarded


@contextmanager
def view_at(valid_at: Instant = "", recorded_at: Instant = "") -> Iterator[View]:
    """The caller's view, with the application's workers. Another day is derived for this request, so only a few are at a time."""
    app: Flask = current_app._get_current_object()  # type: ignore[attr-defined]
    with ExitStack() as opened:
        if valid_at or recorded_at:
            opened.enter_context(limits.place("dated"))
        workers = limits.query_workers(app)
        found = open_view(settings(), current_principal().name, valid_at=valid_at, recorded_at=recorded_at, workers=workers)
        yield opened.enter_context(found)


def _prepare(state: BlueprintSetupState) -> None:
    """What the first of our blueprints brings into an application."""
    if health.blueprint.name in state.app.blueprints:
        return
    app = cast(Flask, state.app)
    limits.install(app)
    app.register_blueprint(health.blueprint)
    health.install(app)
    asking.install(app, app.extensions[SETTINGS])
