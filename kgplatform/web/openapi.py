"""The OpenAPI 3.1 description of the endpoint and the API: paths, roles and codes. What goes in and out is of `request_forms` and `results`."""

from __future__ import annotations

from functools import cache
from typing import Any, Final, NamedTuple

from .. import __version__
from ..forms.base import OneOf
from ..forms.schemas import form_schemas
from .problems import KINDS
from .request_forms import (
    NOT_BLANK,
    AskForm,
    DatedForm,
    DatedPageForm,
    DecisionsForm,
    EntityParameters,
    ExportForm,
    IngestForm,
    JobsForm,
    PlanParameters,
    QuarantineForm,
    RejectForm,
    ReportForm,
    RequestForm,
    SearchForm,
    TakeBackForm,
    UnreadForm,
)
from .schemas import ANY, SCHEMAS, TEXT, Json, ref
from .sparql import QUERY_EXAMPLE, RESULT_TYPES, QueryText, SparqlForm

ANYBODY: Final[list[Json]] = [{}, {"bearer": []}, {"basic": []}]
SIGNED_IN: Final[list[Json]] = [{"bearer": []}, {"basic": []}]
PLAN_EXAMPLE: Final[Json] = {
    "question": "Which on-call rotation owns the tax dependency of Checkout?",
    "variables": [{"name": "team", "class": "sc:Team"}, {"name": "rotation", "class": "sc:Rotation"}],
    "hops": [
        {"subject": {"entity": "component:checkout"}, "relation": "sc:depends_on", "object": {"entity": "component:tax"}},
        {"subject": {"entity": "component:tax"}, "relation": "sc:owned_by", "object": {"var": "team"}},
        {"subject": {"var": "team"}, "relation": "sc:on_call", "object": {"var": "rotation"}},
    ],
    "select": ["rotation"],
}


class Operation(NamedTuple):
    """One method of one path. `codes` are those beside 400, 401, 429 and 500, and those that a role and a body bring along."""

    method: str
    path: str
    name: str
    summary: str
    reply: Json
    takes: type[RequestForm] = RequestForm
    role: str = ""
    codes: tuple[int, ...] = ()
    body: Json | None = None
    status: str = "200"


def _content(media_type: str, schema: Json, example: Any = None) -> Json:
    return {media_type: {"schema": schema} if example is None else {"schema": schema, "example": example}}


def _json(name: str) -> Json:
    return _content("application/json", ref(name))


def _taking(schema: Json, example: Any, *, required: bool = True) -> Json:
    return {"required": required, "content": _content("application/json", schema, example)}


def _one_of(choice: type[OneOf]) -> Json:
    return {"oneOf": [ref(form.__name__) for form in choice.__subclasses__()]}


def _formats(*media_types: str) -> Json:
    return {media_type: {"schema": {}} for media_type in media_types}


PRINCIPAL: Final = "any principal"
UNTAGGED: Final = ("export", "docs", "healthz", "readyz", "metrics")
"""Reads whose replies have no ETag."""
_SPARQL: Final = (404, 406, 413, 415, 503)
_RESULTS: Final = _formats(*RESULT_TYPES)
_QUERY: Final[Json] = {
    "required": True,
    "content": {
        **_content("application/sparql-query", QueryText.SCHEMA, QUERY_EXAMPLE),
        **_content("application/x-www-form-urlencoded", ref("SparqlForm"), {"query": QUERY_EXAMPLE}),
    },
}
_BYTES: Final[Json] = {"type": "string", "format": "binary", "minLength": 1}
_FILE: Final[Json] = {
    **SCHEMAS["IngestForm"],
    "properties": {"file": _BYTES, **SCHEMAS["IngestForm"]["properties"]},
    "required": ["file"],
}
_UPLOAD: Final[Json] = {
    "required": True,
    "content": {**_content("multipart/form-data", _FILE), **_content("application/octet-stream", _BYTES)},
}
_ASKED: Final = _taking(ref("AskForm"), {"question": "Who owned Tax in June 2023?"})
_REJECTED: Final = _taking(_one_of(RejectForm), {"claim": "0000", "reason": "the memo was a draft"})
_UNREAD: Final = "What was read without effect: documents without claims, keys without a mapping, parts left out, masked and guessed values"
_EVERYTHING: Final = "Facts, assertions and their sources, whole"
# fmt: off
OPERATIONS: Final = (
    Operation("get", "/sparql", "sparql", "A query's result", _RESULTS, SparqlForm, codes=_SPARQL),
    Operation("post", "/sparql", "sparql", "A query's result, the query in the body", _RESULTS, SparqlForm, codes=_SPARQL, body=_QUERY),
    Operation("get", "/api/ask", "ask", "Answer a question", _json("Answer"), AskForm, codes=(404, 503)),
    Operation("post", "/api/ask", "ask", "Answer a question, the parameters as JSON", _json("Answer"), codes=(404, 503), body=_ASKED),
    Operation("post", "/api/plan", "plan", "Run a plan, checked like any other", _json("Answer"), PlanParameters, codes=(503,),
              body=_taking(ref("PlanForm"), PLAN_EXAMPLE)),
    Operation("get", "/api/entity", "entity", "One entity with its facts and sources", _json("EntityReply"), EntityParameters, codes=(404, 503)),
    Operation("get", "/api/search", "search", "Entities by name", _json("Hits"), SearchForm, codes=(503,)),
    Operation("post", "/api/ingest", "ingest", "Read one file in the background", _json("Job"), IngestForm, "editor", (404, 413, 503), _UPLOAD, "202"),
    Operation("get", "/api/jobs", "jobs", "The caller's jobs", _json("Jobs"), JobsForm, PRINCIPAL),
    Operation("get", "/api/jobs/{id_}", "job", "One job", _json("Job"), role=PRINCIPAL, codes=(404,)),
    Operation("get", "/api/quarantine", "quarantine", "What the gate refused, and why", _json("Quarantine"), QuarantineForm, "steward", (503,)),
    Operation("get", "/api/unread", "unread", _UNREAD, _json("UnreadPage"), UnreadForm, "steward", (503,)),
    Operation("get", "/api/quarantine/{id_}", "quarantined_claim", "One refused claim", _json("RefusedClaim"), DatedForm, "steward", (404, 503)),
    Operation("post", "/api/quarantine/{id_}/discard", "discard", "Record that a refused claim is not wanted", _json("Discarded"), role="steward",
              codes=(404, 503)),
    Operation("post", "/api/quarantine/retry", "retry", "Judge every claim again, with these discarded ones back", _json("Job"), role="steward",
              codes=(404, 503), body=_taking(ref("RetryForm"), {"decisions": []}, required=False), status="202"),
    Operation("post", "/api/reject", "reject", "Reject a claim that was accepted, or all of a document", _json("Rejection"), role="steward",
              codes=(404, 503), body=_REJECTED),
    Operation("post", "/api/reject/undo", "unreject", "Take a rejection back", _json("Rejection"), role="steward", codes=(404, 503),
              body=_taking(_one_of(TakeBackForm), {"claim": "0000"})),
    Operation("get", "/api/decisions", "decisions", "What was rejected, merged and kept apart, and why", _json("Decisions"), DecisionsForm, "steward"),
    Operation("get", "/api/validate", "validate", "All shapes over the view", {**_json("Report"), **_formats("text/turtle", "text/plain")}, ReportForm,
              "steward", (503,)),
    Operation("get", "/api/conflicts", "conflicts", "Where sources disagree", _json("Conflicts"), DatedPageForm, "steward", (503,)),
    Operation("get", "/api/export", "export", _EVERYTHING, _formats("application/trig", "text/turtle"), ExportForm, codes=(503,)),
    Operation("get", "/api/openapi.json", "openapi", "This description", _content("application/json", ANY)),
    Operation("get", "/api/docs", "docs", "This description as a page", _content("text/html", TEXT)),
    Operation("get", "/healthz", "healthz", "The process lives", _json("Status")),
    Operation("get", "/readyz", "readyz", "It can answer", _json("Status"), codes=(503,)),
    Operation("get", "/metrics", "metrics", "Prometheus counters", _content("text/plain", TEXT)),
)
# fmt: on


def _described(each: Operation) -> Json:
    is_json = each.body is not None and "application/json" in each.body["content"]
    codes = sorted({400, 401, 429, 500, *each.codes, *((403,) if each.role else ()), *((413, 415) if is_json else ())})
    parameters = _parameters(each.takes, without=("query",) if each.body is _QUERY else ())
    made: Json = {
        "operationId": f"{each.name}_{each.method}",
        "summary": each.summary,
        "parameters": [_in_path(each), *parameters] if "{id_}" in each.path else parameters,
        "security": SIGNED_IN if each.role else ANYBODY,
        "responses": {
            each.status: {"description": "Accepted: the job" if each.status == "202" else "As asked", "content": each.reply},
            **{str(code): {"$ref": f"#/components/responses/Problem{code}"} for code in codes},
        },
    }
    if each.method == "get" and each.name not in UNTAGGED:
        made["responses"]["304"] = {"description": "As the caller has it already (If-None-Match)"}
    return {**made, **({"x-role": each.role} if each.role else {}), **({"requestBody": each.body} if each.body else {})}


def _parameters(form: type[RequestForm], *, without: tuple[str, ...]) -> list[Json]:
    """The fields of a form as parameters of an address."""
    schema = form_schemas(form)[form.__name__]
    return [
        _parameter(name, dict(each), is_needed=name in schema["required"])
        for name, each in schema["properties"].items()
        if name not in without
    ]


def _parameter(name: str, schema: Json, *, is_needed: bool) -> Json:
    made: Json = {"name": name, "in": "query", "description": schema.pop("description", ""), "required": is_needed}
    examples = schema.pop("examples", ())
    return {**made, "schema": schema, **({"example": examples[0]} if examples else {})}


def _in_path(each: Operation) -> Json:
    about = "The id of a job of the caller." if each.name == "job" else "The id, or its beginning."
    return {
        **_parameter("id_", {"type": "string", "minLength": 1, "maxLength": 100, "pattern": NOT_BLANK}, is_needed=True),
        "in": "path",
        "description": about,
    }


@cache
def document() -> Json:
    """The whole description."""
    statuses = sorted({kind.status for kind in KINDS.values()})
    paths: dict[str, Json] = {}
    for each in OPERATIONS:
        paths.setdefault(each.path, {})[each.method] = _described(each)
    problem = {"application/problem+json": {"schema": ref("Problem")}}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "kgplatform",
            "version": __version__,
            "description": "Cited answers and SPARQL over what the caller may see. Nobody named means public.",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "servers": [{"url": "/"}],
        "paths": paths,
        "components": {
            "schemas": SCHEMAS,
            "responses": {f"Problem{status}": {"description": _titles(status), "content": problem} for status in statuses},
            "securitySchemes": {
                "bearer": {"type": "http", "scheme": "bearer", "description": "A token that `kgplatform token create` printed."},
                "basic": {"type": "http", "scheme": "basic", "description": "The token as password, any user name."},
            },
        },
    }


def _titles(status: int) -> str:
    return "; ".join(kind.title for kind in KINDS.values() if kind.status == status)
