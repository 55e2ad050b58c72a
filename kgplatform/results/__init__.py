"""What the graph object gives back: frozen values, the same from a data directory and from a server.

Each is what the JSON of the command line and of the API holds: `to_dict()` gives that JSON, and `from_dict` reads it.
Dates are ISO 8601 at the precision that a source stated; trust is one of model.TRUST_LEVELS.
"""

from __future__ import annotations

import msgspec
from msgspec import UNSET, UnsetType

from .answers import (
    AmbiguousEntity,
    Answer,
    Assertion,
    Citation,
    Clause,
    Cost,
    Detail,
    End,
    Entity,
    EntityFact,
    EntityGroup,
    FactSource,
    Hit,
    Item,
    Limit,
    Meaning,
    Outcome,
    entity_of,
    single_entity,
)
from .base import GraphResult, Json
from .stewardship import (
    Backup,
    Conflict,
    ConflictValue,
    Discarded,
    Finding,
    LookedAt,
    Receipt,
    RecordedDecision,
    RefusedClaim,
    Rejection,
    Report,
    Retried,
    Unread,
)
from .summaries import Difference, DocumentSummary, IngestSummary, NoticeSummary, Trouble

__all__ = [
    "UNSET",
    "AmbiguousEntity",
    "Answer",
    "Assertion",
    "Backup",
    "Citation",
    "Clause",
    "Conflict",
    "ConflictValue",
    "Cost",
    "Detail",
    "Difference",
    "Discarded",
    "DocumentSummary",
    "End",
    "Entity",
    "EntityFact",
    "EntityGroup",
    "FactSource",
    "Finding",
    "GraphResult",
    "Hit",
    "IngestSummary",
    "Item",
    "Json",
    "Limit",
    "LookedAt",
    "Meaning",
    "NoticeSummary",
    "Outcome",
    "Receipt",
    "RecordedDecision",
    "RefusedClaim",
    "Rejection",
    "Report",
    "Retried",
    "Trouble",
    "Unread",
    "UnsetType",
    "entity_of",
    "json_schemas",
    "single_entity",
]


def json_schemas() -> dict[str, Json]:
    """Name -> JSON Schema (2020-12) of every value and of what stands in it, with references as OpenAPI writes them."""
    kinds = (Answer, Entity, Hit, RefusedClaim, Conflict, RecordedDecision, Rejection, Discarded, Retried, Report, Unread, IngestSummary)
    _names, schemas = msgspec.json.schema_components(kinds, ref_template="#/components/schemas/{name}")
    return schemas
