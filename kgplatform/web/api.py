"""The API: every route with the role that it is for. What they do stands in `reading`, `bulk` and `write`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

from flask import Blueprint, Response, render_template

from . import access, bulk, reading, rejections, write
from .openapi import document
from .parameters import no_parameters
from .problems import KINDS
from .replies import as_json


class ApiRoute(NamedTuple):
    """One address: its methods, the role that it is for ('' is everybody), what answers it, and its name in the description."""

    rule: str
    methods: tuple[str, ...]
    role: str
    answer: Callable[..., Response]


def openapi() -> Response:
    """The description of the endpoint and the API."""
    no_parameters()
    return as_json(document())


def docs() -> Response:
    """The same description as a page."""
    no_parameters()
    return Response(render_template("api.html", spec=document(), problems=KINDS))


ROUTES: Final = (
    ApiRoute("/api/ask", ("GET", "POST"), "", reading.ask),
    ApiRoute("/api/plan", ("POST",), "", reading.plan),
    ApiRoute("/api/entity", ("GET",), "", reading.entity),
    ApiRoute("/api/search", ("GET",), "", reading.search),
    ApiRoute("/api/ingest", ("POST",), "editor", write.ingest),
    ApiRoute("/api/jobs", ("GET",), access.PRINCIPAL, write.jobs),
    ApiRoute("/api/jobs/<id_>", ("GET",), access.PRINCIPAL, write.job),
    ApiRoute("/api/quarantine", ("GET",), "steward", write.quarantine),
    ApiRoute("/api/quarantine/<id_>", ("GET",), "steward", write.quarantined_claim),
    ApiRoute("/api/quarantine/<id_>/discard", ("POST",), "steward", write.discard),
    ApiRoute("/api/quarantine/retry", ("POST",), "steward", write.retry),
    ApiRoute("/api/unread", ("GET",), "steward", write.unread_things),
    ApiRoute("/api/reject", ("POST",), "steward", rejections.reject),
    ApiRoute("/api/reject/undo", ("POST",), "steward", rejections.unreject),
    ApiRoute("/api/decisions", ("GET",), "steward", rejections.decisions),
    ApiRoute("/api/validate", ("GET",), "steward", bulk.validate),
    ApiRoute("/api/conflicts", ("GET",), "steward", reading.conflicts),
    ApiRoute("/api/export", ("GET",), "", bulk.export),
    ApiRoute("/api/openapi.json", ("GET",), "", openapi),
    ApiRoute("/api/docs", ("GET",), "", docs),
)

blueprint = Blueprint("api", __name__)
access.install(blueprint)
for route in ROUTES:
    blueprint.add_url_rule(route.rule, route.answer.__name__, access.only_for(route.role, route.answer), methods=list(route.methods))
