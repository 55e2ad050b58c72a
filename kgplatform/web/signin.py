"""Signing in with a password or a token, signing out, what one may see and do, and changing one's password."""

from __future__ import annotations

from flask import Blueprint, Response, flash, redirect, render_template, request, session, url_for
from flask_login import login_user, logout_user

from ..admin.people import SHORTEST_PASSWORD, SignIn, hashed, set_password
from ..errors import UsageError
from . import limits
from .callers import PATIENCE, SignedIn, by_password, by_token, current_principal, of_session, people_for_request, settings
from .rendering import path_of
from .submit import LISTED, queue

blueprint = Blueprint("signin", __name__)


@blueprint.get("/sign-in")
def sign_in() -> str:
    """The form that asks for a token, or for name and password."""
    return render_template("sign_in.html", next=request.args.get("next", ""), name="", wrong="")


@blueprint.post("/sign-in")
def check_credential() -> Response:
    """A session for whoever holds the token, or knows name and password. Wrong ones are told, and nothing about why."""
    target, name = request.form.get("next", ""), request.form.get("name", "").strip()
    limits.admit_sign_in(name)
    way = "token" if "token" in request.form else "password"
    found = by_token(request.form["token"].strip()) if way == "token" else by_password(name, request.form.get("password", ""))
    if found is None:
        limits.count_failed_sign_in(name)
        return Response(render_template("sign_in.html", next=target, name=name, wrong=way), 401, mimetype="text/html")
    _begin(found)
    return redirect(path_of(target), 303)  # type: ignore[return-value]


def _begin(found: SignedIn) -> None:
    """A session of whoever signed in; of the one before only the chosen day goes on."""
    chosen = session.get("valid_at", "")
    session.clear()  # nothing that an attacker planted before survives
    session["valid_at"] = chosen
    session.permanent = True  # it ends after its lifetime without a request, not with the browser
    login_user(found)


@blueprint.post("/sign-out")
def sign_out() -> Response:
    """End the session."""
    logout_user()
    session.clear()
    return redirect(path_of("/"), 303)  # type: ignore[return-value]


@blueprint.get("/me")
def me() -> str:
    """What the caller may see and do, and its jobs."""
    current_principal()  # a wrong token is told here too
    return _me()


def _me(wrong: str = "") -> str:
    who = of_session()
    has_password = who is not None and people_for_request().has_password(who.principal.name)
    jobs = queue().of(current_principal())[:LISTED]
    return render_template("me.html", session_of=who, has_password=has_password, shortest=SHORTEST_PASSWORD, wrong=wrong, jobs=jobs)


@blueprint.post("/me/password")
def change_password() -> Response:
    """Another password for whoever is signed in and knows the present one. Their other sessions that began with it end."""
    who = of_session()
    if who is None:
        return redirect(url_for("signin.sign_in", next=url_for("signin.me")), 303)  # type: ignore[return-value]
    name = who.principal.name
    current, new, again = (request.form.get(field, "") for field in ("current", "new", "again"))
    if new != again:
        return _refused("The two new passwords differ.")
    limits.admit_sign_in(name)
    if by_password(name, current) is None:
        limits.count_failed_sign_in(name)
        return _refused("The present password is not right.")
    try:
        hash_ = hashed(new, name=name)
    except UsageError as error:
        return _refused(f"{error.what.capitalize()}: {error.hint}.")
    credential = set_password(settings(), name, hash_, wait=PATIENCE)
    if who.way == "password":
        _begin(SignedIn(SignIn(who.principal, credential)))
    flash("The password is changed. Sessions elsewhere that began with the old one have ended.")
    return redirect(url_for("signin.me"), 303)  # type: ignore[return-value]


def _refused(why: str) -> Response:
    return Response(_me(why), 400, mimetype="text/html")
