"""Language models: one completion asked for and checked, counted, capped, recorded. Nothing here knows the ontology.

`openai` is imported when a model is first called, so that everything else works without it.
"""

from __future__ import annotations

from .base import (
    BUDGET,
    BUSY,
    EMPTY,
    LENGTH,
    NOT_JSON,
    NOTHING,
    OF_REPLY,
    OUT_OF_SCHEMA,
    PROTOCOL,
    RATE,
    REFUSAL,
    REJECTED,
    SERVER,
    TIMEOUT,
    UNREACHABLE,
    UNRECORDED,
    Completer,
    CompletionFailed,
    Message,
    Reply,
    Request,
    Spent,
    completed,
)
from .client import OpenAICompleter
from .recorded import Recording, Replay
from .session import Caps, Prices, Session, completer_of, open_session
from .usage import Call, Usage, UsageLog

__all__ = [
    "BUDGET",
    "BUSY",
    "EMPTY",
    "LENGTH",
    "NOTHING",
    "NOT_JSON",
    "OF_REPLY",
    "OUT_OF_SCHEMA",
    "PROTOCOL",
    "RATE",
    "REFUSAL",
    "REJECTED",
    "SERVER",
    "TIMEOUT",
    "UNREACHABLE",
    "UNRECORDED",
    "Call",
    "Caps",
    "Completer",
    "CompletionFailed",
    "Message",
    "OpenAICompleter",
    "Prices",
    "Recording",
    "Replay",
    "Reply",
    "Request",
    "Session",
    "Spent",
    "Usage",
    "UsageLog",
    "completed",
    "completer_of",
    "open_session",
]
