"""Errors of the endpoint and the API as problem+json (RFC 9457). One table says which status each kind has.

What a caller may do something about is told in full. A fault of the platform is logged here and told without its details,
since those name files and hidden things.
"""

from __future__ import annotations

import json
import logging
from typing import Any, Final, NamedTuple

from flask import Flask, Response, request
from werkzeug.exceptions import HTTPException

from ..errors import (
    KgError,
    LanguageModelError,
    LockedError,
    PlanError,
    QueryRefused,
    QuerySyntaxError,
    QueryTimeout,
    ResultTooLarge,
    UnknownName,
    UsageError,
)
from ..llm import CompletionFailed

MEDIA_TYPE: Final = "application/problem+json"
CHALLENGE: Final = 'Bearer realm="kgplatform", Basic realm="kgplatform", charset="UTF-8"'
OURS: Final = ("/api", "/sparql", "/healthz", "/readyz", "/metrics")

log = logging.getLogger("kgplatform.web")


class ProblemKind(NamedTuple):
    """A kind of problem: its status, its title, and what to know of it (shown at `/api/docs`)."""

    status: int
    title: str
    about: str


KINDS: Final = {
    "bad-parameter": ProblemKind(400, "A parameter is missing or wrong", "Unknown and repeated parameters are refused too."),
    "bad-body": ProblemKind(400, "The body cannot be read", "It is not the JSON, form or file that the operation takes."),
    "bad-plan": ProblemKind(400, "The plan is not well formed", "A well-formed plan that fails a check is an answer: outcome `invalid`."),
    "query-syntax": ProblemKind(400, "The query does not parse", "The detail names line and column."),
    "query-refused": ProblemKind(
        400, "The query asks for what is not allowed", "Updates, SERVICE, LOAD, FROM, and graphs named in parameters."
    ),
    "not-signed-in": ProblemKind(401, "This needs a principal", "Send a token, as Bearer or as the password of HTTP Basic."),
    "bad-token": ProblemKind(401, "The token is not known", "A wrong token is never taken for nobody; leave it out to ask as the public."),
    "not-allowed": ProblemKind(403, "The principal lacks the role", "The detail names the role."),
    "not-found": ProblemKind(404, "There is nothing here", "What the caller may not see is as unknown as what does not exist."),
    "no-such-method": ProblemKind(405, "The method is not for this address", "The header Allow lists the methods."),
    "not-acceptable": ProblemKind(406, "No wanted format fits", "The detail lists the formats of this kind of result."),
    "too-large": ProblemKind(413, "The body is too large", "The limit of files is `max_file_bytes` of kgplatform.toml."),
    "result-too-large": ProblemKind(413, "The result is too large", "Page with LIMIT and OFFSET, or ask for less."),
    "no-such-part": ProblemKind(416, "There is no such part of the file", "The header Content-Range says how long it is."),
    "unsupported-media-type": ProblemKind(415, "The body has a type that is not read here", "The detail lists the types that are."),
    "too-many-requests": ProblemKind(429, "Too many requests", "Wait as long as Retry-After says."),
    "fault": ProblemKind(500, "Something failed in the platform", "The log of the server has the reason."),
    "busy": ProblemKind(
        503, "The platform is busy", "Another writer is at work, or all places for queries are taken. Retry-After says when to try."
    ),
    "query-timeout": ProblemKind(
        503, "The query was ended at its limits", "It ran out of time or memory: ask for less. The same query would end so again."
    ),
    "model-failed": ProblemKind(503, "The language model did not help", "It could not be reached, or its reply could not be used."),
    "not-ready": ProblemKind(503, "The platform cannot answer yet", "It has no data directory, or no projection to read."),
}

_STATUS: Final = {401: "not-signed-in", 403: "not-allowed", 404: "not-found", 405: "no-such-method", 406: "not-acceptable"} | {
    413: "too-large",
    415: "unsupported-media-type",
    416: "no-such-part",
    429: "too-many-requests",
}


class HttpProblem(Exception):
    """What a request ends with when it cannot be answered; `reason`, one of model.SKIPPED, is why a file that was sent is not read."""

    def __init__(self, kind: str, detail: str = "", *, hint: str = "", reason: str = "", headers: dict[str, str] | None = None) -> None:
        super().__init__(detail)
        self.kind = kind
        self.detail = detail
        self.hint = hint
        self.reason = reason
        self.headers = dict(headers or {})

    @property
    def status(self) -> int:
        """Its HTTP status."""
        return KINDS[self.kind].status

    def response(self) -> Response:
        """It as problem+json, with the headers that its status asks for."""
        kind = KINDS[self.kind]
        body: dict[str, Any] = {"type": f"/api/docs#{self.kind}", "title": kind.title, "status": kind.status}
        body |= {name: text for name, text in (("detail", self.detail), ("hint", self.hint), ("reason", self.reason)) if text}
        made = Response(json.dumps(body, ensure_ascii=False), status=kind.status, content_type=MEDIA_TYPE, headers=self.headers)
        if kind.status == 401:
            made.headers.setdefault("WWW-Authenticate", CHALLENGE)
        if kind.status == 503 and self.kind != "query-timeout":
            made.headers.setdefault("Retry-After", "5")
        made.headers["Cache-Control"] = "no-store"
        return made


def problem_of(error: Exception) -> HttpProblem:
    """The problem that an exception is to its caller. What is nobody's fault but ours is logged."""
    match error:
        case HttpProblem():
            return error
        case QuerySyntaxError():
            return HttpProblem("query-syntax", error.what, hint=error.hint)
        case QueryRefused():
            return HttpProblem("query-refused", error.what, hint=error.hint)
        case ResultTooLarge():
            return HttpProblem("result-too-large", error.what, hint=error.hint)
        case QueryTimeout():
            return HttpProblem("query-timeout", error.what, hint=error.hint)
        case PlanError():
            return HttpProblem("bad-plan", _placed(error), hint=error.hint)
        case UnknownName():
            return HttpProblem("not-found", error.what, hint=error.hint)
        case UsageError():
            return HttpProblem("bad-parameter", _placed(error), hint=error.hint)
        case LockedError():
            return HttpProblem("busy", error.what, hint="try again in a few seconds")
        case CompletionFailed(__cause__=HttpProblem() as ours):  # the model was not asked: no place, or too often
            return ours
        case LanguageModelError():
            log.warning("%s %s: %s", request.method, request.path, error)
            return HttpProblem("model-failed", hint="try again later, or send a plan to /api/plan")
        case KgError():
            log.error("%s %s: %s", request.method, request.path, error)
            return HttpProblem("fault")
        case HTTPException():
            return _of_http(error)
        case _:
            log.error("%s %s failed", request.method, request.path, exc_info=error)
            return HttpProblem("fault")


def _placed(error: KgError) -> str:
    """What is wrong, with the parameter or the place in the plan where it is."""
    return ": ".join(part for part in (error.where, error.what) if part)


def _of_http(error: HTTPException) -> HttpProblem:
    code = error.code or 500
    kind = _STATUS.get(code, "bad-body" if code < 500 else "fault")
    headers = {name: value for name, value in error.get_headers() if name in ("Allow", "Content-Range", "Retry-After", "WWW-Authenticate")}
    detail = (error.description or "") if kind not in ("fault", "not-found") else ""
    return HttpProblem(kind, " ".join(detail.split()), headers=headers)


def is_ours(path: str) -> bool:
    """Whether a path belongs to the endpoint or the API, which speak problem+json and not pages."""
    return any(path == root or path.startswith(f"{root}/") for root in OURS)


def told(error: Exception) -> Response:
    """The response to an exception, for Flask's error handlers."""
    return problem_of(error).response()


def install(app: Flask) -> None:
    """Answer what leads nowhere below our paths, which no blueprint gets to see, with a problem too."""

    @app.before_request
    def unrouted() -> Response | None:
        astray = request.routing_exception
        if astray is None or not is_ours(request.path) or (isinstance(astray, HTTPException) and (astray.code or 500) < 400):
            return None
        return told(astray)
