"""Signing in with a token, signing out, and what one may see and do."""

from __future__ import annotations

from flask import Blueprint, Response, redirect, render_template, request, session
from flask_login import login_user, logout_user

from .callers import by_token
from .rendering import path_of

blueprint = Blueprint("signin", __name__)


@blueprint.get("/sign-in")
def sign_in() -> str:
    return render_template("sign_in.html", next=request.args.get("next", ""), is_wrong=False)


@blueprint.post("/sign-in")
def check_token() -> Response:
    """A session for whoever holds the token. A wrong one is told, and nothing about why."""
    target = request.form.get("next", "")
    found = by_token(request.form.get("token", "").strip())
    if found is None:
        return Response(render_template("sign_in.html", next=target, is_wrong=True), 401, mimetype="text/html")
    chosen = session.get("valid_at", "")
    session.clear()  # nothing that an attacker planted before survives
    session["valid_at"] = chosen
    login_user(found)
    return redirect(path_of(target), 303)  # type: ignore[return-value]


@blueprint.post("/sign-out")
def sign_out() -> Response:
    logout_user()
    session.clear()
    return redirect(path_of("/"), 303)  # type: ignore[return-value]


@blueprint.get("/me")
def me() -> str:
    return render_template("me.html")
