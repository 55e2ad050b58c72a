"""What replies of the API hold, as JSON Schema: the part of its description that callers write code against."""

from __future__ import annotations

from typing import Any, Final

from ..answer.plans import PlanForm
from ..forms.schemas import form_schemas
from ..results import json_schemas
from .problems import KINDS
from .request_forms import AskForm, IngestForm, RejectForm, RetryForm, TakeBackForm
from .sparql import SparqlForm

Json = dict[str, Any]

TEXT: Final[Json] = {"type": "string"}
MAYBE: Final[Json] = {"type": ["string", "null"]}
WHOLE: Final[Json] = {"type": "integer", "minimum": 0}
FLAG: Final[Json] = {"type": "boolean"}
ANY: Final[Json] = {"type": "object"}


def record(**properties: Json) -> Json:
    """An object with at least these fields."""
    return {"type": "object", "properties": properties, "required": list(properties)}


def list_of(items: Json) -> Json:
    """A list of any length."""
    return {"type": "array", "items": items}


def ref(name: str) -> Json:
    """The schema of that name in the description."""
    return {"$ref": f"#/components/schemas/{name}"}


def page_of(items: Json, **more: Json) -> Json:
    """One page of a list; `next` is the address of the next one."""
    return record(**more, items=list_of(items), limit=WHOLE, offset=WHOLE, next=MAYBE)


_PROGRESS: Final = record(stage={"type": "string", "enum": ["reading", "waiting", "writing"]}, documents=WHOLE, claims=WHOLE, records=WHOLE)
SCHEMAS: Final[dict[str, Json]] = {
    **json_schemas(),
    **form_schemas(PlanForm, AskForm, IngestForm, RetryForm, RejectForm, TakeBackForm, SparqlForm),
    "EntityReply": {"oneOf": [ref("Entity"), record(asked=TEXT, outcome={"const": "ambiguous"}, candidates=list_of(ref("Meaning")))]},
    "UnreadPage": page_of(ref("Unread"), counts=ANY),
    "Problem": {
        **record(type={"type": "string", "enum": [f"/api/docs#{kind}" for kind in KINDS]}, title=TEXT, status=WHOLE),
        "description": "RFC 9457. `detail` says what is wrong and `hint` what to do, `reason` in one word why a file that was sent is not read.",
    },
    "Hits": page_of(ref("Hit")),
    "Job": record(
        id=TEXT,
        kind={"type": "string", "enum": ["ingest", "retry"]},
        about=TEXT,
        state={"type": "string", "enum": ["queued", "running", "done", "failed"]},
        created=TEXT,
        started=MAYBE,
        ended=MAYBE,
        progress={**_PROGRESS, "type": ["object", "null"]},
        summary={"anyOf": [ref("IngestSummary"), ref("Retried"), {"type": "null"}]},
        warning=MAYBE,
        error=MAYBE,
    ),
    "Jobs": page_of(ref("Job")),
    "Quarantine": page_of(ref("RefusedClaim"), quarantined=WHOLE, reasons=ANY),
    "Decisions": page_of(ref("RecordedDecision")),
    "Conflicts": page_of(ref("Conflict")),
    "Status": record(status=TEXT),
}
