"""One completion as a value: what is asked, what came back, what it cost, and how it can fail."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, Final, NamedTuple, Protocol

from ..errors import LanguageModelError

Json = Any

UNREACHABLE: Final = "unreachable"
RATE: Final = "rate-limited"
SERVER: Final = "server-error"
REJECTED: Final = "rejected"
BUDGET: Final = "budget"
BUSY: Final = "busy"
UNRECORDED: Final = "unrecorded"
TIMEOUT: Final = "timeout"
LENGTH: Final = "length"
REFUSAL: Final = "refusal"
EMPTY: Final = "empty"
NOT_JSON: Final = "not-json"
OUT_OF_SCHEMA: Final = "out-of-schema"
PROTOCOL: Final = "protocol"
OF_REPLY: Final = frozenset({TIMEOUT, LENGTH, REFUSAL, EMPTY, NOT_JSON, OUT_OF_SCHEMA, PROTOCOL})
"""The kinds that concern one reply: another request may well succeed. The rest concern the model as a whole."""

MAX_REPLY_CHARACTERS: Final = 65_536


class CompletionFailed(LanguageModelError):
    """No usable reply; `kind` says why, and is one of the constants above."""

    def __init__(self, kind: str, what: str, *, hint: str = "") -> None:
        self.kind = kind
        super().__init__(what, where="language model", hint=hint)

    @property
    def is_of_reply(self) -> bool:
        """Whether only this reply failed, so that another request may succeed."""
        return self.kind in OF_REPLY


class Message(NamedTuple):
    """`role` is system, user or assistant."""

    role: str
    content: str


@dataclass(frozen=True)
class Request:
    """The messages, and the strict JSON Schema that the reply must meet. `max_tokens` bounds the reply."""

    messages: tuple[Message, ...]
    name: str
    schema: dict[str, Json]
    max_tokens: int

    def as_json(self) -> dict[str, Json]:
        """What is sent, but for the model's name."""
        return {
            "messages": [message._asdict() for message in self.messages],
            "max_tokens": self.max_tokens,
            "temperature": 0,
            "response_format": {"type": "json_schema", "json_schema": {"name": self.name, "strict": True, "schema": self.schema}},
        }

    @cached_property
    def size(self) -> int:
        """Bytes as sent."""
        return len(json.dumps(self.as_json(), ensure_ascii=False).encode(errors="replace"))

    def key(self, model: str) -> str:
        """What names a recording of it: a hash of the whole request and the model."""
        return hashlib.sha256(json.dumps([model, self.as_json()], sort_keys=True).encode()).hexdigest()[:32]


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back, unread. Tokens are None where the server did not count them."""

    text: str
    finish_reason: str = "stop"
    refusal: str = ""
    input_tokens: int | None = None
    output_tokens: int | None = None
    milliseconds: int = 0


@dataclass(frozen=True, slots=True)
class Spent:
    """What a part of the work cost: completions, tokens, time, and estimated money in the currency of the prices."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    milliseconds: int = 0
    cost: float = 0.0

    def __add__(self, other: Spent) -> Spent:
        return Spent(
            self.calls + other.calls,
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.milliseconds + other.milliseconds,
            self.cost + other.cost,
        )

    def as_json(self) -> dict[str, int | float]:
        """The fields by name, as the usage log and the API write them."""
        return asdict(self)


NOTHING: Final = Spent()


class Completer(Protocol):
    """Whatever answers a request: a server, a session with caps, recorded replies."""

    @property
    def model(self) -> str:
        """The name of the model, as replies and recordings state it."""

    def complete(self, request: Request) -> Reply:
        """The reply, unread. Raises CompletionFailed."""


def completed(completer: Completer, request: Request) -> Json:
    """The JSON value of the reply. Raises CompletionFailed where there is none: a cut or refused reply is a failure."""
    reply = completer.complete(request)
    if reply.refusal or reply.finish_reason == "content_filter":
        raise CompletionFailed(REFUSAL, f"the model refused: {clipped(reply.refusal or 'its content filter stopped the reply')}")
    if reply.finish_reason == "length":
        raise CompletionFailed(
            LENGTH, f"the reply was cut off at {request.max_tokens} tokens", hint="raise max_tokens, or ask for less at once"
        )
    if not reply.text.strip():
        raise CompletionFailed(EMPTY, "the reply is empty")
    if len(reply.text) > MAX_REPLY_CHARACTERS:
        raise CompletionFailed(OUT_OF_SCHEMA, f"the reply has {len(reply.text)} characters, at most {MAX_REPLY_CHARACTERS} are read")
    try:
        value = json.loads(reply.text, parse_constant=_no_number)
        json.dumps(value, ensure_ascii=False).encode()
    except (ValueError, RecursionError) as error:  # also lone surrogates, which no store can hold
        raise CompletionFailed(NOT_JSON, f"the reply is not JSON: {clipped(str(error))}") from error
    return value


def _no_number(text: str) -> Json:
    raise ValueError(f"{text} is no JSON number")


def clipped(text: str, most: int = 200) -> str:
    """A text of unknown origin on one line of at most `most` characters."""
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1]}…"
