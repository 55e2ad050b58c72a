"""The Flask application: one principal and one view a request, strict headers, and the blueprints of pages and programs."""

from __future__ import annotations

import os
import secrets
from datetime import timedelta
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from flask import Flask, Response, request
from flask.sessions import SecureCookieSessionInterface, SessionMixin
from flask_login import LoginManager
from flask_wtf import CSRFProtect

from ..settings.load import Settings
from ..views.sparql import QueryWorkers
from . import (
    api,
    documents,
    entities,
    failures,
    ontology,
    pages,
    problems,
    rejections,
    rendering,
    signin,
    sparql,
    stewards,
    uploads,
)
from .callers import SETTINGS, close_request, signed_in
from .limits import WORKERS

CONTENT_POLICY: Final = (
    "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self'; object-src 'none'; base-uri 'none'; "
    "form-action 'self'; frame-ancestors 'none'"
)
HEADERS: Final = {
    "Content-Security-Policy": CONTENT_POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}
SESSION_LIFETIME: Final = timedelta(hours=12)
"""After the last request of it."""

_SECRET: Final = "web-secret"
_FORM_ROOM: Final = 1024 * 1024


class _Sessions(SecureCookieSessionInterface):
    """Session cookies are Secure where the request came by HTTPS, and never come with a static file."""

    def should_set_cookie(self, app: Flask, session: SessionMixin) -> bool:
        return request.endpoint != "static" and super().should_set_cookie(app, session)

    def get_cookie_secure(self, app: Flask) -> bool:
        return request.is_secure


def create_app(
    settings: Settings,
    *,
    workers: QueryWorkers | None = None,
) -> Flask:
    """The application over one data directory. Callers' SPARQL runs in `workers`, or in one of its own for each query."""
    app = Flask(__name__)
    app.config.update(
        SECRET_KEY=_secret(settings.data / _SECRET),
        SESSION_COOKIE_NAME="kgplatform",
        SESSION_COOKIE_HTTPONLY=True,
        SESSION_COOKIE_SAMESITE="Lax",
        PERMANENT_SESSION_LIFETIME=SESSION_LIFETIME,
        MAX_CONTENT_LENGTH=settings.max_file_bytes + _FORM_ROOM,
        WTF_CSRF_TIME_LIMIT=None,
    )
    app.session_interface = _Sessions()
    app.extensions[SETTINGS] = settings
    if workers is not None:
        app.extensions[WORKERS] = workers
    app.url_map.merge_slashes = False  # identifiers in paths may hold IRIs
    app.json.ensure_ascii = False  # type: ignore[attr-defined]

    login = LoginManager()
    login.init_app(app, add_context_processor=False)  # pages know the caller by `rendering`
    login.session_protection = None
    login.user_loader(signed_in)
    csrf = CSRFProtect(app)
    failures.install(app)
    problems.install(app)
    rendering.install(app)
    app.teardown_request(close_request)
    app.after_request(_with_headers)

    for blueprint in (pages.blueprint, ontology.blueprint, stewards.blueprint, rejections.blueprint, uploads.blueprint, signin.blueprint):
        app.register_blueprint(blueprint)
    for blueprint in (entities.blueprint, documents.blueprint):  # at the very paths of the IRIs
        app.register_blueprint(blueprint, url_prefix=urlsplit(settings.base_iri).path.rstrip("/") or None)
    for blueprint in (sparql.blueprint, api.blueprint):  # these take tokens, so no forged form reaches them
        csrf.exempt(blueprint)
        app.register_blueprint(blueprint)
    return app


def _with_headers(response: Response) -> Response:
    for name, value in HEADERS.items():
        response.headers.setdefault(name, value)
    if request.endpoint != "static":
        response.headers.setdefault("Cache-Control", "private, no-cache")
        response.vary.update(("Cookie", "Authorization"))
    return response


def _secret(path: Path) -> str:
    """The key that signs sessions: made once, readable by its owner alone."""
    if not path.exists():
        partial_file = path.with_suffix(f".{os.getpid()}")
        with open(os.open(partial_file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="ascii") as out:
            out.write(secrets.token_hex(32))
            out.flush()
            os.fsync(out.fileno())
        try:
            os.link(partial_file, path)  # the first of two servers that start at once wins
        except FileExistsError:
            pass
        partial_file.unlink()
    return path.read_text(encoding="ascii")
