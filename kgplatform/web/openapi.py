"""The OpenAPI 3.1 description of the endpoint and the API: kept by hand, here and in `schemas`, and tested against the routes."""

from __future__ import annotations

from functools import cache
from typing import Any, Final

from .. import __version__
from ..answer.planners import PLANNERS
from ..model import NOTICE_KINDS, TRUST_LEVELS
from ..query.prefixes import EXAMPLE
from ..store.guard import MAX_CHARACTERS
from ..store.results import SHORT_NAMES, SOLUTION_FORMATS, TRIPLE_FORMATS
from .bulk import EXPORTS, REPORTS
from .problems import KINDS
from .replies import FARTHEST
from .schemas import ANY, FLAG, SCHEMAS, TEXT, Json, ref

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

_CHARACTER: Final = r"[^\x00-\x08\x0b\x0c\x0e-\x1f]"


def _query(name: str, about: str, schema: Json, *, required: bool = False, example: Any = None) -> Json:
    made: Json = {"name": name, "in": "query", "description": about, "schema": schema, "required": required}
    return made if example is None else {**made, "example": example}


def _text(longest: int = 2000) -> Json:
    """A text that is not blank and holds no control characters but line breaks and tabs."""
    return {"type": "string", "minLength": 1, "maxLength": longest, "pattern": rf"^{_CHARACTER}*[^\s\x00-\x1f]{_CHARACTER}*$"}


def _closed(**fields: Json) -> Json:
    """An object with these fields, all of them, and no others."""
    return {"type": "object", "properties": fields, "required": list(fields), "additionalProperties": False}


_YEAR: Final = "([0-9]{3}[1-9]|[0-9]{2}[1-9]0|[0-9][1-9]00|[1-9]000)"
_DAY: Final = "((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))"
_TIME: Final = "T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]Z"
DATE: Final[Json] = {"type": "string", "pattern": f"^{_YEAR}(-(0[1-9]|1[0-2])|-{_DAY}({_TIME})?)?$", "not": {"pattern": "^9999-12-31"}}
DATES: Final = [
    _query("valid-at", "What held on that day (now if not given).", DATE),
    _query("recorded-at", "As the platform knew it on that day.", DATE),
]
EXPLAIN: Final = _query("explain", "With the plan in words, each check and timings, in the field `explanation`.", FLAG)
PLANNER: Final = _query(
    "planner",
    "Who plans; another than the rules and the configured one takes a principal.",
    {"type": "string", "enum": list(PLANNERS.names())},
)
TRUST: Final = _query("min-trust", "Least trust of what is shown.", {"type": "string", "enum": list(TRUST_LEVELS)})


def _paging(default: int, most_offset: int) -> list[Json]:
    return [
        _query("limit", "Rows of a page.", {"type": "integer", "minimum": 1, "maximum": 1000, "default": default}),
        _query("offset", "Rows before it; `next` has it for the next page.", {"type": "integer", "minimum": 0, "maximum": most_offset}),
    ]


CLAIM: Final[Json] = {"name": "id_", "in": "path", "required": True, "description": "The id, or its beginning.", "schema": _text(100)}
JOB: Final[Json] = {**CLAIM, "description": "The id of a job of the caller."}
SPARQL_PARAMETERS: Final = [
    _query("dataset", "The facts alone, or with the records behind them.", {"type": "string", "enum": ["facts", "full"]}),
    _query(
        "timeout", "Seconds until the query is ended; the server has an upper limit.", {"type": "number", "exclusiveMinimum": 0}, example=10
    ),
    _query("format", "Counts more than Accept.", {"type": "string", "enum": list(SHORT_NAMES)}),
    *DATES,
]


def _content(media_type: str, schema: Json, example: Any = None) -> Json:
    return {media_type: {"schema": schema} if example is None else {"schema": schema, "example": example}}


UNTAGGED: Final = ("export_get", "docs_get", "healthz_get", "readyz_get", "metrics_get")
"""Reads whose replies have no ETag."""


def _operation(
    name: str,
    summary: str,
    answer: Json,
    *,
    role: str = "",
    status: str = "200",
    parameters: list[Json] | None = None,
    body: Json | None = None,
    problems: tuple[int, ...] = (),
) -> Json:
    """One operation. Every one may also end in 400, 401, 429 and 500; a role adds 403."""
    statuses = sorted({400, 401, 429, 500, *problems, *((403,) if role else ())})
    made: Json = {
        "operationId": name,
        "summary": summary,
        "parameters": parameters or [],
        "security": SIGNED_IN if role else ANYBODY,
        "responses": {
            status: {"description": "Accepted: the job" if status == "202" else "As asked", "content": answer},
            **{str(each): {"$ref": f"#/components/responses/Problem{each}"} for each in statuses},
        },
    }
    if name.endswith("_get") and name not in UNTAGGED:
        made["responses"]["304"] = {"description": "As the caller has it already (If-None-Match)"}
    if role:
        made["x-role"] = role
    if body is not None:
        made["requestBody"] = body
    return made


def _json(name: str) -> Json:
    return _content("application/json", ref(name))


def _json_body(schema: Json, example: Any, *, required: bool = True) -> Json:
    return {"required": required, "content": _content("application/json", schema, example)}


def _paths() -> dict[str, Json]:
    question = _query("question", "In English.", _text(), required=True, example="Who owns Tax?")
    ask_fields = {"question": _text(), "explain": FLAG, **{each["name"]: each["schema"] for each in (TRUST, PLANNER, *DATES)}}
    asking = {"type": "object", "properties": ask_fields, "required": ["question"], "additionalProperties": False}
    results: Json = {media: {"schema": {}} for media in (*SOLUTION_FORMATS, *TRIPLE_FORMATS)}
    # no maxLength: who tests by this description would send millions of characters
    sparql: Json = {"type": "string", "minLength": 1, "format": "sparql-query", "description": f"At most {MAX_CHARACTERS:,} characters."}
    query = _query(
        "query",
        "Read-only SPARQL 1.1. A GET without any parameter is answered with the service description.",
        sparql,
        required=True,
        example=EXAMPLE,
    )
    fields = {"query": sparql, **{each["name"]: each["schema"] for each in SPARQL_PARAMETERS}}
    form: Json = {"type": "object", "properties": fields, "required": ["query"], "additionalProperties": False}
    numbers: Json = {"type": "array", "items": {"type": "integer", "minimum": 1, "maximum": 2**53 - 1}, "maxItems": 1000}
    taking_back: Json = {"oneOf": [_closed(claim=_text(100)), _closed(document=_text())]}
    rejecting: Json = {"oneOf": [_closed(claim=_text(100), reason=_text()), _closed(document=_text(), reason=_text())]}
    retrying: Json = {"type": "object", "properties": {"decisions": numbers}, "additionalProperties": False}
    file_name: Json = {**_text(300), "format": "file-name"}
    sent: Json = {"type": "string", "format": "binary", "minLength": 1}
    upload: Json = {
        "type": "object",
        "properties": {"file": sent, "collection": _text(), "folder": _text(), "name": file_name, "again": FLAG},
        "required": ["file"],
        "additionalProperties": False,
    }
    named = [
        _query("name", "File name with its ending; a folder in it may say the collection.", file_name, example="memos/handover.md"),
        _query("collection", "The collection, where the name does not say it.", _text(100), example="memos"),
        _query("folder", "Where the file stood: folders that the paths of collections may speak of too.", _text(), example="docs/memos"),
        _query("again", "Also where a document of this name was erased.", FLAG),
    ]
    sparql_codes = (404, 406, 413, 415, 503)
    return {
        "/sparql": {
            "get": _operation("sparql_get", "A query's result", results, parameters=[query, *SPARQL_PARAMETERS], problems=sparql_codes),
            "post": _operation(
                "sparql_post",
                "A query's result, the query in the body",
                results,
                parameters=SPARQL_PARAMETERS,
                body={
                    "required": True,
                    "content": {
                        **_content("application/sparql-query", sparql, EXAMPLE),
                        **_content("application/x-www-form-urlencoded", form, {"query": EXAMPLE}),
                    },
                },
                problems=sparql_codes,
            ),
        },
        "/api/ask": {
            "get": _operation(
                "ask_get", "Answer a question", _json("Answer"), parameters=[question, TRUST, EXPLAIN, PLANNER, *DATES], problems=(404, 503)
            ),
            "post": _operation(
                "ask_post",
                "Answer a question, the parameters as JSON",
                _json("Answer"),
                body=_json_body(asking, {"question": "Who owned Tax in June 2023?"}),
                problems=(404, 413, 415, 503),
            ),
        },
        "/api/plan": {
            "post": _operation(
                "plan_post",
                "Run a plan, checked like any other",
                _json("Answer"),
                parameters=[TRUST, *DATES],
                body=_json_body(ref("PlanForm"), PLAN_EXAMPLE),
                problems=(413, 415, 503),
            )
        },
        "/api/entity": {
            "get": _operation(
                "entity_get",
                "One entity with its facts and sources",
                _json("EntityReply"),
                parameters=[
                    _query("name", "A label, a key such as component:tax, or an IRI.", _text(), required=True, example="Tax"),
                    *DATES,
                ],
                problems=(404, 503),
            )
        },
        "/api/search": {
            "get": _operation(
                "search_get",
                "Entities by name",
                _json("Hits"),
                parameters=[
                    _query("q", "A name, or the beginning of one.", _text(), required=True, example="check"),
                    *_paging(10, 1000),
                    *DATES,
                ],
                problems=(503,),
            )
        },
        "/api/ingest": {
            "post": _operation(
                "ingest_post",
                "Read one file in the background",
                _json("Job"),
                role="editor",
                status="202",
                parameters=named,
                body={
                    "required": True,
                    "content": {**_content("multipart/form-data", upload), **_content("application/octet-stream", sent)},
                },
                problems=(404, 413, 503),
            )
        },
        "/api/jobs": {
            "get": _operation("jobs_get", "The caller's jobs", _json("Jobs"), role="any principal", parameters=_paging(50, 1000))
        },
        "/api/jobs/{id_}": {"get": _operation("job_get", "One job", _json("Job"), role="any principal", parameters=[JOB], problems=(404,))},
        "/api/quarantine": {
            "get": _operation(
                "quarantine_get",
                "What the gate refused, and why",
                _json("Quarantine"),
                role="steward",
                parameters=[_query("reason", "Only this reason.", _text(100), example="unmapped"), *_paging(50, FARTHEST), *DATES],
                problems=(503,),
            )
        },
        "/api/unread": {
            "get": _operation(
                "unread_get",
                "What was read without effect: documents without claims, keys without a mapping, parts left out, masked and guessed values",
                _json("UnreadPage"),
                role="steward",
                parameters=[_query("kind", "Only this kind.", {"type": "string", "enum": list(NOTICE_KINDS)}), *_paging(50, FARTHEST)],
                problems=(503,),
            )
        },
        "/api/quarantine/{id_}": {
            "get": _operation(
                "quarantined_claim_get",
                "One refused claim",
                _json("RefusedClaim"),
                role="steward",
                parameters=[CLAIM, *DATES],
                problems=(404, 503),
            )
        },
        "/api/quarantine/{id_}/discard": {
            "post": _operation(
                "discard_post",
                "Record that a refused claim is not wanted",
                _json("Discarded"),
                role="steward",
                parameters=[CLAIM],
                problems=(404, 503),
            )
        },
        "/api/quarantine/retry": {
            "post": _operation(
                "retry_post",
                "Judge every claim again, with these discarded ones back",
                _json("Job"),
                role="steward",
                status="202",
                body=_json_body(retrying, {"decisions": []}, required=False),
                problems=(404, 413, 415, 503),
            )
        },
        "/api/reject": {
            "post": _operation(
                "reject_post",
                "Reject a claim that was accepted, or all of a document",
                _json("Rejection"),
                role="steward",
                body=_json_body(rejecting, {"claim": "0000", "reason": "the memo was a draft"}),
                problems=(404, 413, 415, 503),
            )
        },
        "/api/reject/undo": {
            "post": _operation(
                "unreject_post",
                "Take a rejection back",
                _json("Rejection"),
                role="steward",
                body=_json_body(taking_back, {"claim": "0000"}),
                problems=(404, 413, 415, 503),
            )
        },
        "/api/decisions": {
            "get": _operation(
                "decisions_get",
                "What was rejected, merged and kept apart, and why",
                _json("Decisions"),
                role="steward",
                parameters=[_query("ended", "Those that were taken back too.", {"type": "boolean"}), *_paging(50, FARTHEST)],
            )
        },
        "/api/validate": {
            "get": _operation(
                "validate_get",
                "All shapes over the view",
                {**_json("Report"), "text/turtle": {"schema": {}}, "text/plain": {"schema": {}}},
                role="steward",
                parameters=[_query("format", "turtle is the W3C report.", {"type": "string", "enum": list(REPORTS)}), *DATES],
                problems=(503,),
            )
        },
        "/api/conflicts": {
            "get": _operation(
                "conflicts_get",
                "Where sources disagree",
                _json("Conflicts"),
                role="steward",
                parameters=[*_paging(50, FARTHEST), *DATES],
                problems=(503,),
            )
        },
        "/api/export": {
            "get": _operation(
                "export_get",
                "Facts, assertions and their sources, whole",
                {"application/trig": {"schema": {}}, "text/turtle": {"schema": {}}},
                parameters=[_query("format", "TriG, or RDF 1.2 with reifiers.", {"type": "string", "enum": list(EXPORTS)}), *DATES],
                problems=(503,),
            )
        },
        "/api/openapi.json": {"get": _operation("openapi_get", "This description", _content("application/json", ANY))},
        "/api/docs": {"get": _operation("docs_get", "This description as a page", _content("text/html", TEXT))},
        "/healthz": {"get": _operation("healthz_get", "The process lives", _json("Status"))},
        "/readyz": {"get": _operation("readyz_get", "It can answer", _json("Status"), problems=(503,))},
        "/metrics": {"get": _operation("metrics_get", "Prometheus counters", _content("text/plain", TEXT))},
    }


@cache
def document() -> Json:
    """The whole description."""
    statuses = sorted({kind.status for kind in KINDS.values()})
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
        "paths": _paths(),
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
