"""Who asks, and what they see: the principal and the view of one request. Every page, endpoint and route reads through these."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from functools import wraps
from typing import Final, ParamSpec, TypeVar, cast
from urllib.parse import quote

from flask import abort, current_app, g, redirect, request, session, url_for
from flask_login import UserMixin, current_user

from ..admin.people import People, SignIn
from ..errors import UsageError
from ..local import LocalGraph
from ..model import ANONYMOUS, Principal
from ..settings.load import Settings
from ..times import Instant, parse_asked
from ..views.opening import open_view
from ..views.sparql import QueryWorkers
from ..views.view import View
from .limits import WORKERS, place
from .problems import HttpProblem

P = ParamSpec("P")
R = TypeVar("R")

MACHINES: Final = ("api", "endpoint")
"""The blueprints for programs: their errors are problem+json, the session's date does not reach them, and no session writes there."""

SETTINGS: Final = "kgplatform.settings"
PATIENCE: Final = 5.0
"""Seconds for which a request waits while another process writes."""

_SAFE: Final = ("GET", "HEAD", "OPTIONS")


class SignedIn(UserMixin):  # type: ignore[misc]
    """A principal that signed in, for as long as its credential stands."""

    def __init__(self, sign_in: SignIn) -> None:
        self.principal = sign_in.principal
        self.way, self.credential_id = sign_in.credential.split(" ")
        self.id = f"{sign_in.credential} {sign_in.principal.name}"


def settings() -> Settings:
    """The settings of this application."""
    return cast(Settings, current_app.extensions[SETTINGS])


def _open() -> ExitStack:
    """What this request opened; closed when it ends."""
    if "opened" not in g:
        g.opened = ExitStack()
    return cast(ExitStack, g.opened)


def close_request(_error: BaseException | None = None) -> None:
    """Close what the request opened, its view and the look-up of callers."""
    opened = g.pop("opened", None)
    if opened is not None:
        opened.close()


def people_for_request() -> People:
    """Who may ask, for looking up the caller."""
    if "people" not in g:
        g.people = _open().enter_context(People(settings()))
    return cast(People, g.people)


# -- who asks


def current_principal() -> Principal:
    """The principal of the request's token (Bearer, or Basic with the token as password), else of its session, else the public.

    Raises the Problem of a token that nobody has: it is never taken for nobody.
    """
    if "principal" not in g:
        g.principal = _principal()
    return cast(Principal, g.principal)


def _principal() -> Principal:
    if _states_token():
        stated = request.authorization  # None where it is no such header
        token = stated and (stated.token if stated.type == "bearer" else stated.password if stated.type == "basic" else None)
        found = people_for_request().by_token(token) if token else None
        if found is None:
            raise HttpProblem("bad-token", hint="send a token that `kgplatform token create` printed, or none at all")
        return found.principal
    if request.blueprint in MACHINES and request.method not in _SAFE:
        return ANONYMOUS  # these take no CSRF token, so a cookie alone must not write
    who = of_session()
    return who.principal if who else ANONYMOUS


def _states_token() -> bool:
    return bool(request.headers.get("Authorization", "").strip())


def of_session() -> SignedIn | None:
    """Who signed in to the session of this request; None where nobody did, and where the request states a token instead."""
    if _states_token() or not current_user.is_authenticated:
        return None
    return cast(SignedIn, current_user)


def signed_in(user_id: str) -> SignedIn | None:
    """Whom a session names, None once the token was revoked, the password changed, or the principal removed."""
    way, _, rest = user_id.partition(" ")
    number, _, name = rest.partition(" ")
    found = people_for_request().by_credential(name, f"{way} {number}")
    return SignedIn(found) if found else None


def by_token(token: str) -> SignedIn | None:
    """Who signs in with this token; None for a token that nobody has."""
    found = people_for_request().by_token(token)
    return SignedIn(found) if found else None


def by_password(name: str, password: str) -> SignedIn | None:
    """Who signs in with name and password; None where they do not belong together, after the same work whatever the reason."""
    found = people_for_request().by_password(name, password)
    return SignedIn(found) if found else None


def has_role(role: str) -> bool:
    """Whether the caller may act in the role; an admin may in all."""
    return bool({role, "admin"} & set(current_principal().roles))


def here() -> str:
    """The address of this page, to come back to: what its path holds of ?, # and % stays part of the path.

    Of a form that was sent, and of an error of one, it is the home page; of the sign-in itself where that leads.
    """
    if request.endpoint == "signin.sign_in":
        return request.args.get("next", "/")
    if request.method not in ("GET", "HEAD"):
        return "/"
    query = request.query_string.decode("latin-1")
    return quote(request.path, safe="/:;@!$&'()*+,=~") + (f"?{query}" if query else "")


def needs_role(role: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Only for callers of the role: others are asked to sign in, or told that they may not."""

    def guarded(function: Callable[P, R]) -> Callable[P, R]:
        @wraps(function)
        def called(*arguments: P.args, **options: P.kwargs) -> R:
            if not has_role(role):
                if current_principal() == ANONYMOUS and request.blueprint not in MACHINES:
                    return cast(R, redirect(url_for("signin.sign_in", next=here())))
                abort(403, f"This is for the role {role}.")
            return function(*arguments, **options)

        return called

    return guarded


# -- what they see


def stated_instant() -> Instant:
    """The instant that the request's `valid-at`, else the session's date, states; '' is now. Raises UsageError."""
    return instant(own_day() or chosen_day(), name="valid-at")


def own_day() -> str:
    """The day that this request states for itself, as it is written; '' if none."""
    return request.args.get("valid-at", "").strip()


def chosen_day() -> str:
    """The day that the session was set to, which programs know nothing of; '' is now."""
    return "" if request.blueprint in MACHINES else session.get("valid_at", "")


def instant(text: str, *, name: str) -> Instant:
    """The first second of a date that a caller states, '' for none. Raises UsageError."""
    try:
        return parse_asked(text).at if text.strip() else ""
    except ValueError as error:
        raise UsageError(
            str(error), where=name, hint="use YYYY, YYYY-MM, YYYY-MM-DD or a UTC instant such as 2025-11-01T12:00:00Z"
        ) from error


def view_for_request() -> View:
    """The caller's view, opened once for a request and closed when it ends. Another day has few places, as in `access.view_at`."""
    if "view" not in g:
        valid_at = stated_instant()
        if valid_at:
            _open().enter_context(place("dated"))
        workers = cast("QueryWorkers | None", current_app.extensions.get(WORKERS))
        opened = open_view(settings(), current_principal().name, valid_at=valid_at, workers=workers)
        g.view = _open().enter_context(opened)
    return cast(View, g.view)


def graph_for_request() -> LocalGraph:
    """The graph object as the caller, for what it decides. Raises LockedError where another process still writes after a few seconds."""
    return LocalGraph(settings(), current_principal().name, wait=PATIENCE)
