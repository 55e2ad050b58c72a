"""What replies of the API hold, as JSON Schema: the part of its description that callers write code against."""

from __future__ import annotations

from typing import Any, Final

from ..model import NOTICE_KINDS
from ..query.codec import PLAN_SCHEMA
from .problems import KINDS

Json = dict[str, Any]

TEXT: Final[Json] = {"type": "string"}
MAYBE: Final[Json] = {"type": ["string", "null"]}
WHOLE: Final[Json] = {"type": "integer", "minimum": 0}
FLAG: Final[Json] = {"type": "boolean"}
ANY: Final[Json] = {"type": "object"}


def record(**properties: Json) -> Json:
    return {"type": "object", "properties": properties, "required": list(properties)}


def list_of(items: Json) -> Json:
    return {"type": "array", "items": items}


def ref(name: str) -> Json:
    return {"$ref": f"#/components/schemas/{name}"}


def page_of(items: Json, **more: Json) -> Json:
    return record(**more, items=list_of(items), limit=WHOLE, offset=WHOLE, next=MAYBE)


_OUTCOMES: Final = ("answered", "no_match", "ambiguous", "truncated", "invalid", "unsupported", "timed_out", "stale")
_BOUND: Final = record(kind=TEXT, at=MAYBE, after=MAYBE, shown=TEXT)
_END: Final = record(iri=MAYBE, label=TEXT)
_CITATION: Final = record(
    document=TEXT,
    version=TEXT,
    claim=TEXT,
    quote=TEXT,
    start=WHOLE,
    end=WHOLE,
    valid_from=MAYBE,
    valid_to=MAYBE,
    scope=list_of(TEXT),
    trust=TEXT,
    note=TEXT,
    line=WHOLE,
)
_FACT: Final = record(
    assertion=TEXT, other=_END, positive=FLAG, qualifiers=ANY, holds=FLAG, start=_BOUND, end=_BOUND, validity=TEXT, trust=MAYBE
)
_PROGRESS: Final = record(stage={"type": "string", "enum": ["reading", "waiting", "writing"]}, documents=WHOLE, claims=WHOLE, records=WHOLE)
SCHEMAS: Final[dict[str, Json]] = {
    "Problem": {
        **record(type={"type": "string", "enum": [f"/api/docs#{kind}" for kind in KINDS]}, title=TEXT, status=WHOLE),
        "description": "RFC 9457. `detail` says what is wrong and `hint` what to do, `reason` in one word why a file that was sent is not read.",
    },
    "Answer": record(
        question=TEXT,
        outcome={"type": "string", "enum": list(_OUTCOMES)},
        conflicting=FLAG,
        sentence=TEXT,
        clauses=list_of(record(text=TEXT, citations=list_of(WHOLE))),
        answers=list_of(record(iri=MAYBE, label=TEXT, value={"type": ["string", "integer", "null"]}, disputed=WHOLE)),
        assertions=list_of(record(iri=TEXT, subject=_END, relation=TEXT, object=_END, positive=FLAG, start=_BOUND, end=_BOUND)),
        citations=list_of(_CITATION),
        plan={"type": ["object", "null"]},
        sparql=MAYBE,
        parameters=ANY,
        warnings=list_of(TEXT),
        newest_source=MAYBE,
        cost=record(milliseconds=WHOLE, model_calls=WHOLE, input_tokens=WHOLE, output_tokens=WHOLE),
    ),
    "Entity": {
        "oneOf": [
            record(
                asked=TEXT,
                outcome={"const": "answered"},
                iri=TEXT,
                key=TEXT,
                label=TEXT,
                names=list_of(TEXT),
                types=list_of(TEXT),
                redirected_from=MAYBE,
                groups=list_of(record(relation=TEXT, label=TEXT, is_turned=FLAG, facts=list_of(_FACT))),
            ),
            record(asked=TEXT, outcome={"const": "ambiguous"}, candidates=list_of(ANY)),
        ]
    },
    "Hits": page_of(record(iri=TEXT, key=TEXT, label=TEXT, types=TEXT, matched=TEXT, way=TEXT, score={"type": "number"})),
    "Plan": PLAN_SCHEMA,
    "Job": record(
        id=TEXT,
        kind={"type": "string", "enum": ["ingest", "retry"]},
        about=TEXT,
        state={"type": "string", "enum": ["queued", "running", "done", "failed"]},
        created=TEXT,
        started=MAYBE,
        ended=MAYBE,
        progress={**_PROGRESS, "type": ["object", "null"]},
        summary={"type": ["object", "null"]},
        warning=MAYBE,
        error=MAYBE,
    ),
    "Jobs": page_of(ref("Job")),
    "RefusedClaim": record(
        id=TEXT,
        reason=TEXT,
        message=TEXT,
        document=TEXT,
        subject=TEXT,
        relation=TEXT,
        object=TEXT,
        quote=TEXT,
        scope=list_of(TEXT),
        trust=TEXT,
    ),
    "Quarantine": page_of(ref("RefusedClaim"), quarantined=WHOLE, reasons=ANY),
    "Unread": page_of(
        record(kind={"type": "string", "enum": list(NOTICE_KINDS)}, what=TEXT, count=WHOLE, documents=WHOLE, document=TEXT, place=TEXT),
        counts=ANY,
    ),
    "Discarded": record(decision=WHOLE, id=TEXT),
    "Rejection": record(decision=WHOLE, document=TEXT, claim=TEXT, reason=TEXT),
    "Decisions": page_of(
        record(
            decision=WHOLE,
            kind={"type": "string", "enum": ["rejected", "merged", "kept apart"]},
            a=TEXT,
            b=TEXT,
            document=TEXT,
            subject=TEXT,
            relation=TEXT,
            object=TEXT,
            reason=TEXT,
            by=TEXT,
            recorded=TEXT,
            ended=TEXT,
            ended_by=TEXT,
            scope=list_of(TEXT),
        )
    ),
    "Report": record(engine=TEXT, outcome=TEXT, conforms={"type": ["boolean", "null"]}, looked_at=list_of(ANY), conflicts=list_of(ANY)),
    "Conflicts": page_of(
        record(
            subject=TEXT,
            label=TEXT,
            relation=TEXT,
            relation_label=TEXT,
            values=list_of(
                record(value=TEXT, label=TEXT, positive=FLAG, valid_from=TEXT, valid_to=TEXT, assertion=TEXT, documents=list_of(TEXT))
            ),
        )
    ),
    "Status": record(status=TEXT),
}
