"""The API: every route with the role that it is for. What they do stands in `reading`, `bulk` and `write`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

from flask import Blueprint, Response, render_template

from . import access, bulk, reading, rejections, write
from .openapi import document
from .parameters import Parameters
from .problems import KINDS
from .replies import as_json


class Route(NamedTuple):
    """One address: its methods, the role that it is for ('' is everybody), what answers it, and its name in the description."""

    rule: str
    methods: tuple[str, ...]
    role: str
    answer: Callable[..., Response]


def openapi() -> Response:
    """The description of the endpoint and the API."""
    Parameters.of_request().end()
    return as_json(document())


def docs() -> Response:
    """The same description as a page."""
    Parameters.of_request().end()
    return Response(render_template("api.html", spec=document(), problems=KINDS))


ROUTES: Final = (
    Route("/api/ask", ("GET", "POST"), "", reading.ask),
    Route("/api/plan", ("POST",), "", reading.plan),
    Route("/api/entity", ("GET",), "", reading.entity),
    Route("/api/search", ("GET",), "", reading.search),
    Route("/api/ingest", ("POST",), "editor", write.ingest),
    Route("/api/jobs", ("GET",), access.PRINCIPAL, write.jobs),
    Route("/api/jobs/<id_>", ("GET",), access.PRINCIPAL, write.job),
    Route("/api/quarantine", ("GET",), "steward", write.quarantine),
    Route("/api/quarantine/<id_>", ("GET",), "steward", write.quarantined_claim),
    Route("/api/quarantine/<id_>/discard", ("POST",), "steward", write.discard),
    Route("/api/quarantine/retry", ("POST",), "steward", write.retry),
    Route("/api/unread", ("GET",), "steward", write.unread_things),
    Route("/api/reject", ("POST",), "steward", rejections.reject),
    Route("/api/reject/undo", ("POST",), "steward", rejections.unreject),
    Route("/api/decisions", ("GET",), "steward", rejections.decisions),
    Route("/api/validate", ("GET",), "steward", bulk.validate),
    Route("/api/conflicts", ("GET",), "steward", reading.conflicts),
    Route("/api/export", ("GET",), "", bulk.export),
    Route("/api/openapi.json", ("GET",), "", openapi),
    Route("/api/docs", ("GET",), "", docs),
)

blueprint = Blueprint("api", __name__)
access.install(blueprint)
for route in ROUTES:
    blueprint.add_url_rule(route.rule, route.answer.__name__, access.only_for(route.role, route.answer), methods=list(route.methods))
