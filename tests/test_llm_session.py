"""Caps and counts of a session with a model: what is not sent, what is counted how, and what is on record."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.modelserver import ModelServer, model_server

from kgplatform.errors import LanguageModelError
from kgplatform.llm import (
    BUDGET,
    NOTHING,
    Call,
    Caps,
    CompletionFailed,
    Message,
    OpenAICompleter,
    Prices,
    Reply,
    Request,
    Session,
    Spent,
    Usage,
    UsageLog,
    completed,
    open_session,
)
from kgplatform.settings.load import load_settings

REQUEST = Request((Message("system", "You plan."), Message("user", "Who owns Tax?")), "plan", {"type": "object"}, 100)


def client(server: ModelServer) -> OpenAICompleter:
    return OpenAICompleter(base_url=server.url, model="recorded-model", timeout=5.0)


@pytest.fixture
def good() -> Iterator[ModelServer]:
    with model_server("plan-good") as server:
        yield server


@pytest.mark.parametrize(
    "caps", [Caps(call_cost=0.0001), Caps(session_cost=0.0001), Caps(session_tokens=150)], ids=["call", "session", "tokens"]
)
def test_a_call_that_could_exceed_a_cap_is_not_sent(good: ModelServer, caps: Caps) -> None:
    session = Session(client(good), prices=Prices(1.0, 10.0), caps=caps)

    with pytest.raises(CompletionFailed) as failed:
        completed(session, REQUEST)

    assert (BUDGET, NOTHING, []) == (failed.value.kind, session.spent, good.seen)


def test_the_caps_of_a_session_hold_for_its_parts(good: ModelServer) -> None:
    session = Session(client(good), caps=Caps(session_tokens=1000))
    one, other = session.part(), session.part()

    completed(one, REQUEST)
    with pytest.raises(CompletionFailed, match="tokens are used up"):
        completed(other, REQUEST)

    assert (one.spent, NOTHING) == (session.spent, other.spent)


def test_calls_at_once_do_not_exceed_a_cap_together(good: ModelServer) -> None:
    request = Request(REQUEST.messages, REQUEST.name, REQUEST.schema, 1000)
    session = Session(client(good), caps=Caps(session_tokens=3500))
    kinds: list[str] = []

    def ask() -> None:
        try:
            completed(session, request)
        except CompletionFailed as error:
            kinds.append(error.kind)

    threads = [threading.Thread(target=ask) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert {BUDGET} == set(kinds)
    assert 12 == len(kinds) + session.spent.calls
    assert session.spent.calls * 908 == session.spent.input_tokens + session.spent.output_tokens <= 3500
    assert session.spent.calls == len(good.seen)


def test_a_price_makes_the_caps_on_money_hold(good: ModelServer, tmp_path: Path) -> None:
    text = f'[model]\nbase_url = "{good.url}"\nname = "m"\noutput_price = 1000000.0\nmax_call_cost = 50.0\n'
    (tmp_path / "kgplatform.toml").write_text(text, encoding="utf-8")
    model = load_settings(tmp_path).model
    assert model is not None

    with pytest.raises(CompletionFailed) as failed:
        completed(open_session(model), REQUEST)

    assert (BUDGET, []) == (failed.value.kind, good.seen)


# -- what is on record


def test_the_usage_log_adds_up_when_many_write_it(tmp_path: Path) -> None:
    path = tmp_path / "usage.jsonl"

    def spend() -> None:
        log = UsageLog(path, clock=lambda: "2025-11-01T00:00:00Z")
        for _ in range(50):
            log.append(Call("m", "plan", "stop", Spent(1, 10, 2, 5, 0.5)))

    threads = [threading.Thread(target=spend) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    log = UsageLog(path, clock=lambda: "")
    assert Usage(Spent(400, 4000, 800, 2000, 200.0), "2025-11-01T00:00:00Z") == log.read() == log.read(day="2025-11-01")
    assert Usage() == log.read(day="2025-11-02")


def test_what_was_spent_before_counts_for_the_caps_alone(good: ModelServer) -> None:
    session = Session(client(good), caps=Caps(session_tokens=1000), before=Spent(1, 500, 400))

    with pytest.raises(CompletionFailed, match="tokens are used up"):
        completed(session, REQUEST)

    assert NOTHING == session.spent


class Stopped:
    """A model that ends with an exception."""

    model = "m"

    def __init__(self, error: BaseException) -> None:
        self._error = error

    def complete(self, request: Request) -> Reply:
        raise self._error


def test_a_call_that_is_interrupted_is_on_record_at_its_worst_case(tmp_path: Path) -> None:
    path, worst = tmp_path / "usage.jsonl", Spent(1, REQUEST.size // 3 + 1, 100)
    session = Session(Stopped(KeyboardInterrupt()), usage=UsageLog(path, clock=lambda: "2025-11-01"))

    with pytest.raises(KeyboardInterrupt):
        session.part().complete(REQUEST)

    assert worst == session.spent == UsageLog(path, clock=lambda: "").read().spent
    assert "interrupted" == json.loads(path.read_text(encoding="utf-8"))["outcome"]


def test_a_call_that_was_not_sent_costs_nothing(tmp_path: Path) -> None:
    path = tmp_path / "usage.jsonl"
    session = Session(Stopped(LanguageModelError("no client", where="openai")), usage=UsageLog(path, clock=lambda: "2025-11-01"))

    with pytest.raises(LanguageModelError):
        completed(session, REQUEST)

    assert (NOTHING, "") == (session.spent, path.read_text(encoding="utf-8"))
