"""The way of a language model against a real server with a real small model. It knows nothing: form is asserted, never facts."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import fields
from typing import get_args

import pytest
from support.goldens import QUESTIONS, schema, view
from support.projection import ViewOfWorld
from support.small_model_server import MISSING, WHY_SKIPPED, small_model
from support.texts import read_text

from kgplatform.answer.ask import ask
from kgplatform.answer.planners import planner_of
from kgplatform.extract.llm import ModelExtractor
from kgplatform.llm import (
    LENGTH,
    REJECTED,
    TIMEOUT,
    Completer,
    CompletionFailed,
    Message,
    OpenAICompleter,
    Reply,
    Request,
    Session,
    Spent,
    completed,
)
from kgplatform.model import Collection, CompiledQuery
from kgplatform.query.check import check
from kgplatform.query.codec import from_json
from kgplatform.question.locate import located
from kgplatform.results import Outcome
from kgplatform.settings.load import LanguageModel
from kgplatform.terms import Term

pytestmark = [pytest.mark.long, pytest.mark.timeout(900), pytest.mark.skipif(bool(MISSING), reason=WHY_SKIPPED)]
NAME = "SmolLM2-135M"
MAX_TOKENS = 200
ASKED = [*QUESTIONS.values()][:30]
SCHEMA = {
    "type": "object",
    "properties": {
        "relation": {"type": "string", "enum": ["sc:owned_by", "sc:depends_on"]},
        "times": {"type": "integer", "enum": [1, 2, 3]},
    },
    "required": ["relation", "times"],
    "additionalProperties": False,
}


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with small_model() as base:
        yield base


def completer(url: str, *, timeout: float = 120.0) -> OpenAICompleter:
    return OpenAICompleter(base_url=url, model=NAME, timeout=timeout, retries=0)


def request(text: str, *, max_tokens: int = 60) -> Request:
    return Request((Message("user", text),), "choice", SCHEMA, max_tokens)


class Counted:
    """Passes requests on and keeps what came back, so that a ledger can be checked against it."""

    def __init__(self, completer: Completer) -> None:
        self.model = completer.model
        self._completer = completer
        self.replies: list[Reply] = []
        self.failed = 0

    def complete(self, request: Request) -> Reply:
        try:
            reply = self._completer.complete(request)
        except CompletionFailed:
            self.failed += 1
            raise
        self.replies.append(reply)
        return reply


class Watched(ViewOfWorld):
    """A view that keeps the text of every query that ran."""

    def select(self, query: CompiledQuery) -> list[dict[str, Term]]:
        ran.append(query.text)
        return super().select(query)


ran: list[str] = []


def test_a_strict_schema_is_kept(url: str) -> None:
    session = Session(completer(url))

    values = [completed(session, request(question)) for question in ASKED[:5]]

    assert [] == [value for value in values if value["relation"] not in ("sc:owned_by", "sc:depends_on") or value["times"] not in (1, 2, 3)]
    assert 5 == session.spent.calls
    assert session.spent.input_tokens > 0 < session.spent.output_tokens <= 5 * 60


def test_a_reply_that_is_cut_is_a_failure(url: str) -> None:
    session = Session(completer(url))

    with pytest.raises(CompletionFailed) as failed:
        completed(session, request("Which?", max_tokens=3))

    assert (LENGTH, 3) == (failed.value.kind, session.spent.output_tokens)


def test_a_late_reply_is_a_failure(url: str) -> None:
    began = time.monotonic()
    with pytest.raises(CompletionFailed) as failed:
        completed(completer(url, timeout=0.3), request("Tell everything. " * 400))

    assert TIMEOUT == failed.value.kind
    assert time.monotonic() - began < 5


def test_a_request_that_the_server_rejects_is_a_failure(url: str) -> None:
    with pytest.raises(CompletionFailed) as failed:
        completed(completer(url), request("Tax " * 20_000))

    assert REJECTED == failed.value.kind


def test_thirty_questions_have_closed_outcomes_and_run_nothing_unchecked(url: str, record_property: Callable[[str, object], None]) -> None:
    counted = Counted(completer(url))
    session = Session(counted)
    seen = Watched(**{each.name: getattr(view(), each.name) for each in fields(ViewOfWorld)})
    planner = planner_of(LanguageModel(url, NAME, max_tokens=MAX_TOKENS), "model", session=session)
    outcomes: Counter[str] = Counter()
    total = Spent()
    faults: list[str] = []
    checked = 0

    for question in ASKED:
        ran.clear()
        answer = ask(seen, question, planner=planner)
        outcomes[answer.outcome] += 1
        faults.append(answer.sentence[:80])
        cost = answer.cost
        total += Spent(cost.model_calls, cost.input_tokens, cost.output_tokens)
        if answer.sparql is None:
            assert answer.outcome in ("invalid", "ambiguous", "timed_out")
            assert [] == [text for text in ran if "LIMIT" in text], "only names and classes were looked up"
        else:
            assert answer.plan is not None
            plan, types = located(seen, from_json(answer.plan))
            assert check(plan, seen.schema, seen.principal, types=types), "what ran passes the checks"
            checked += 1

    whole = sum(reply.finish_reason == "stop" for reply in counted.replies)
    assert whole >= 0.9 * len(counted.replies), "nearly all replies are plans, so that the checks are what decides"
    assert checked >= 3, "some plans pass them, though the model knows nothing: the form is easy to write"
    assert set(outcomes) <= set(get_args(Outcome))
    assert 30 == sum(outcomes.values())
    assert (total.calls, total.input_tokens, total.output_tokens) == (
        session.spent.calls,
        session.spent.input_tokens,
        session.spent.output_tokens,
    )
    assert session.spent.calls == len(counted.replies) + counted.failed
    if not counted.failed:
        assert sum(reply.output_tokens or 0 for reply in counted.replies) == session.spent.output_tokens
        assert sum(reply.input_tokens or 0 for reply in counted.replies) == session.spent.input_tokens
    record_property("outcomes", dict(outcomes))
    record_property("spent", session.spent.as_json())
    record_property("whole", whole)
    print(dict(outcomes), Counter(faults), whole, session.spent)


def test_what_a_small_model_reads_stands_in_its_text_word_for_word(url: str) -> None:
    extractor = ModelExtractor(schema(), Session(completer(url)), max_tokens=MAX_TOKENS)
    text = "Platform owns Tax.\n\nCheckout depends on Tax.\n\nTax is in production.\n"
    reading = read_text(text.encode(), path="memo.md", collection=Collection("memos"), document="memo.md", declared="")

    found = extractor.read(reading)

    assert [] == [c for c in found.claims if reading.text[c.start : c.end] != c.quote or not c.quote]
    assert found.is_whole or found.problems
    print(len(found.claims), [problem.what for problem in found.problems])
