"""`/healthz`, `/readyz` and `/metrics`: whether the process lives, whether it can answer, and how it fares.

The metrics count requests and seconds, never what is stored: a number that grows with the ledger would tell of hidden things.
"""

from __future__ import annotations

import time
from typing import Final

from flask import Blueprint, Flask, Response, current_app, g, jsonify, request
from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST

from ..admin.readiness import require_readable
from ..errors import DataDirError
from .callers import settings
from .problems import HttpProblem, told

METRICS: Final = "kgplatform.metrics"
_BUCKETS: Final = (0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)

blueprint = Blueprint("health", __name__)
blueprint.register_error_handler(Exception, told)


class Metrics:
    """The counters of one application."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        names = ("route", "method", "status")
        self.requests = Counter("kgplatform_requests_total", "Requests answered.", names, registry=self.registry)
        self.seconds = Histogram(
            "kgplatform_request_seconds", "Seconds to an answer.", ("route",), registry=self.registry, buckets=_BUCKETS
        )

    def count(self, response: Response) -> None:
        """Count a request that was answered, and its seconds."""
        route = request.url_rule.rule if request.url_rule else "(none)"
        self.requests.labels(route, request.method if request.method in _METHODS else "(other)", str(response.status_code)).inc()
        if "began" in g:
            self.seconds.labels(route).observe(time.monotonic() - g.began)


_METHODS: Final = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")


def install(app: Flask) -> None:
    """Count every request of the application, those of pages too."""
    metrics = app.extensions[METRICS] = Metrics()

    @app.before_request
    def begin() -> None:
        g.began = time.monotonic()

    @app.after_request
    def count(response: Response) -> Response:
        metrics.count(response)
        return response


@blueprint.get("/healthz")
def healthz() -> Response:
    """The process lives."""
    return _fresh(jsonify(status="alive"))


@blueprint.get("/readyz")
def readyz() -> Response:
    """The ledger opens, and there is a projection to read."""
    try:
        require_readable(settings())
    except DataDirError as error:
        raise HttpProblem("not-ready", error.what, hint=error.hint) from error
    return _fresh(jsonify(status="ready"))


@blueprint.get("/metrics")
def metrics() -> Response:
    """The counters in Prometheus' text format."""
    found: Metrics = current_app.extensions[METRICS]
    return _fresh(Response(generate_latest(found.registry), content_type=CONTENT_TYPE_LATEST))


def _fresh(response: Response) -> Response:
    response.headers["Cache-Control"] = "no-store"
    return response
