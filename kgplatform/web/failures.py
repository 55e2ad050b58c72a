"""Errors as answers: a page for people, problem+json for programs. Never a traceback, never a path of the server."""

from __future__ import annotations

from typing import Final

from flask import Flask, Response, render_template, request
from flask_wtf.csrf import CSRFError
from werkzeug.exceptions import HTTPException

from .callers import MACHINES
from .problems import KINDS, is_ours, problem_of, told

TOLD: Final = {
    400: "The request was not understood",
    401: "Who is asking?",
    403: "Not for this role",
    404: "Nothing here",
    405: "Not this way",
    413: "Too large",
    429: "Too many requests",
    500: "Something is wrong on the server",
    503: "Busy for the moment",
}

STALE_FORM: Final = "This form is of a session that has ended. Go back, load the page again, and send it once more."


def install(app: Flask) -> None:
    """Answer every exception of the application."""
    app.register_error_handler(Exception, answered)


def wants_problem() -> bool:
    """Whether the caller is a program: a route for programs, or a client that does not take HTML."""
    if request.blueprint in MACHINES or is_ours(request.path):
        return True
    accepted = request.accept_mimetypes
    return bool(accepted) and not accepted.accept_html


def answered(error: Exception) -> Response:
    """The answer to a request that failed, in the form that its caller reads."""
    if isinstance(error, HTTPException) and (error.code or 500) < 400:
        moved = error.get_response()
        return Response(moved.get_data(), moved.status_code, headers=list(moved.headers))
    if wants_problem():
        return told(error)
    problem = problem_of(error)
    made = problem.response()
    detail = STALE_FORM if isinstance(error, CSRFError) else problem.detail
    page = render_template(
        "error.html",
        status=problem.status,
        title=TOLD.get(problem.status, KINDS[problem.kind].title),
        what=_sentence(detail or KINDS[problem.kind].about),
        hint="" if "kgplatform " in problem.hint else _sentence(problem.hint),  # a command line is no help on a page
    )
    made.set_data(page)
    made.content_type = "text/html; charset=utf-8"
    return made


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}{'' if not text or text[-1] in '.?!' else '.'}"
