"""The language model behind the server: one session a day for pages and API, few calls at once, all of them on record."""

from __future__ import annotations

import json
import stat
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support.commandline import done, kg
from support.modelserver import ModelServer, model_server
from support.served import Served, opened

from kgplatform.web.callers import SETTINGS

QUESTION = "Who owns Tax?"
UNREAD = "Whose baby is Tax?"
"""A question that the rules do not understand."""


def configured(data: Path, server: ModelServer, more: str = 'planner = "model"\n') -> Path:
    with (data / "kgplatform.toml").open("a", encoding="utf-8") as file:
        file.write(f'\n[model]\nbase_url = "{server.url}"\nname = "recorded-model"\nretries = 0\n{more}')
    return data


def usage(data: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (data / "model-usage.jsonl").read_text(encoding="utf-8").splitlines()]


def metric(served: Served, name: str) -> list[str]:
    return [line for line in served.get("/metrics").text.splitlines() if line.startswith(name)]


def at_once(count: int, ask: Callable[[], None]) -> list[threading.Thread]:
    threads = [threading.Thread(target=ask) for _ in range(count)]
    for thread in threads:
        thread.start()
    return threads


def test_pages_and_api_ask_the_same_planner_in_the_same_session(own_world: Path) -> None:
    with model_server("plan-good") as server, opened(configured(own_world, server)) as served:
        told = served.get("/api/ask", question=UNREAD).get_json()
        page = served.get("/ask", q=UNREAD)

        assert ("answered", 1) == (told["outcome"], told["cost"]["model_calls"])
        assert 200 == page.status_code and "planned by the language model recorded-model" in page.text
        assert ["kgplatform_model_calls_total 2.0"] == metric(served, "kgplatform_model_calls_total")
        assert ['kgplatform_model_tokens_total{side="input"} 1624.0'] == metric(served, 'kgplatform_model_tokens_total{side="input"}')
    assert 2 == len(server.seen)


def test_a_cap_holds_for_all_requests_of_a_day_and_after_a_restart(own_world: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with model_server("plan-good") as server:
        configured(own_world, server, 'planner = "model"\nmax_session_tokens = 5000\n')
        for _ in range(2):
            with opened(own_world) as served:
                answers = [served.get("/api/ask", question=UNREAD) for _ in range(3)]
            assert 1 == len(server.seen), "a call may cost more than 4,100 tokens"
            assert 503 == answers[-1].status_code
            assert "model-failed" in answers[-1].get_json()["type"]
        monkeypatch.setenv("KGPLATFORM_NOW", "2025-11-02")
        with opened(own_world) as served:
            assert 200 == served.get("/api/ask", question=UNREAD).status_code, "the next day has its own cap"
    assert ["2025-11-01T00:00:00Z", "2025-11-02T00:00:00Z"] == [call["at"] for call in usage(own_world)]


def test_a_new_day_of_a_running_server_has_its_own_cap_and_the_same_counters(own_world: Path) -> None:
    with (
        model_server("plan-good") as server,
        opened(configured(own_world, server, 'planner = "model"\nmax_session_tokens = 5000\n')) as served,
    ):
        statuses = [served.get("/api/ask", question=UNREAD).status_code for _ in range(2)]
        served.app.extensions[SETTINGS] = replace(served.app.extensions[SETTINGS], now="2025-11-02T00:00:00Z")
        statuses.append(served.get("/api/ask", question=UNREAD).status_code)

        assert [200, 503, 200] == statuses
        assert ["kgplatform_model_calls_total 2.0"] == metric(served, "kgplatform_model_calls_total")


def test_a_call_under_way_when_the_day_changes_is_counted(own_world: Path) -> None:
    more = 'planner = "model"\ntimeout = 2\n'
    with model_server("silent", "plan-good") as server, opened(configured(own_world, server, more)) as served:

        def ask() -> None:
            served.get("/api/ask", question=UNREAD)

        (slow,) = at_once(1, ask)
        while not server.seen:
            time.sleep(0.01)
        served.app.extensions[SETTINGS] = replace(served.app.extensions[SETTINGS], now="2025-11-02T00:00:00Z")
        ask()
        slow.join(timeout=20)

        assert ["kgplatform_model_calls_total 2.0"] == metric(served, "kgplatform_model_calls_total")


def test_questions_at_once_do_not_exceed_a_cap_together(own_world: Path) -> None:
    more = 'planner = "model"\nmax_session_tokens = 5000\ntimeout = 2\n'
    with model_server("silent") as server, opened(configured(own_world, server, more)) as served:
        statuses: list[int] = []
        threads = at_once(2, lambda: statuses.append(served.get("/api/ask", question=UNREAD).status_code))
        for thread in threads:
            thread.join(timeout=20)

    assert [200, 503] == sorted(statuses)
    assert 1 == len(server.seen)


@pytest.mark.parametrize("name", ["unauthorised", "broken"])
def test_a_page_falls_back_to_the_rules_where_the_model_cannot_be_asked_and_says_so(own_world: Path, name: str) -> None:
    with model_server(name) as server, opened(configured(own_world, server)) as served:
        read, unread = served.get("/ask", q=QUESTION), served.get("/ask", q=UNREAD)

    for page in (read, unread):
        assert 200 == page.status_code
        assert "so the question was read by the rules alone" in page.text
        assert server.url not in page.text
    assert "Platform owns Tax" in read.text


def test_a_page_by_the_rules_tells_the_calls_that_were_made_before(own_world: Path) -> None:
    with model_server("plan-turned", "unauthorised") as server, opened(configured(own_world, server)) as served:
        page = served.get("/ask", q=QUESTION)

    assert "so the question was read by the rules alone" in page.text
    assert ", 2 model calls" in page.text


def test_rules_then_model_answers_without_the_model_and_shows_nothing_of_its_server(own_world: Path) -> None:
    with model_server("broken") as server, opened(configured(own_world, server, 'planner = "rules-then-model"\n')) as served:
        told = served.get("/api/ask", question=UNREAD).get_json()

    assert "invalid" == told["outcome"]
    assert "the language model did not help: server-error" in told["sentence"]


def test_slow_replies_hold_few_threads_and_others_are_told_to_come_again(own_world: Path) -> None:
    with model_server("silent") as server, opened(configured(own_world, server, 'planner = "model"\ntimeout = 3\n')) as served:
        served.app.config["QUERY_PATIENCE"] = 0.2
        kinds: list[tuple[int, str]] = []

        def ask() -> None:
            got = served.get("/api/ask", question=UNREAD)
            kinds.append((got.status_code, got.get_json().get("outcome") or got.get_json()["type"]))

        threads = at_once(5, ask)
        for thread in threads:
            thread.join(timeout=20)

    assert [(200, "timed_out")] * 2 + [(503, "/api/docs#busy")] * 3 == sorted(kinds)
    assert 2 == len(server.seen) == len(usage(own_world)), "what was not sent is not on record"


def test_no_caller_uses_up_what_all_have_of_the_model_for_the_day(own_world: Path) -> None:
    with model_server("plan-good") as server, opened(configured(own_world, server)) as served:
        served.app.config.update(MODEL_PUBLIC="1/day", MODEL_PRINCIPAL="2/day")
        public = [served.get("/api/ask", question=UNREAD) for _ in range(2)]
        own = [served.get("/api/ask", "admin", question=UNREAD).status_code for _ in range(3)]
        page = served.get("/ask", q=QUESTION)
        answered = served.get("/api/ask", question=QUESTION, planner="rules")

    assert ([200, 429], [200, 200, 429]) == ([each.status_code for each in public], own)
    assert "more than 1 calls of the language model from one caller in 1 day" == public[1].get_json()["detail"]
    assert 0 < int(public[1].headers["Retry-After"]) <= 86_400
    assert "so the question was read by the rules alone" in page.text and "Platform owns Tax" in page.text
    assert "answered" == answered.get_json()["outcome"]
    assert 3 == len(server.seen) == len(usage(own_world))


def test_what_was_spent_is_recorded_without_a_word_of_it_for_the_owner_alone(own_world: Path) -> None:
    with model_server("plan-turned", "plan-good", "truncated", "refused", "silent") as server:
        configured(own_world, server, "timeout = 1\ninput_price = 1\noutput_price = 10\n")
        for _ in range(4):
            done("ask", UNREAD, "--planner", "model")

    path = own_world / "model-usage.jsonl"
    calls = usage(own_world)
    assert ["stop", "stop", "length", "refusal", "timeout"] == [call["outcome"] for call in calls]
    assert {"plan"} == {call["purpose"] for call in calls}
    assert pytest.approx((812 + 96 * 10) / 1_000_000) == calls[0]["cost"]
    assert 0o600 == stat.S_IMODE(path.stat().st_mode)
    assert [] == [word for word in ("Tax", "baby", "Platform", "owned", server.url) if word in path.read_text(encoding="utf-8")]


@pytest.mark.long
def test_the_doctor_tells_what_was_spent(own_world: Path) -> None:
    def told() -> tuple[bool, str]:
        return next((c["well"], c["said"]) for c in kg("doctor", "--json").json["checks"] if c["name"] == "language model")

    assert (True, "none is configured") == told()
    with model_server("plan-good") as server:
        configured(own_world, server)
        done("ask", QUESTION)
        done("ask", QUESTION)
    assert f"recorded-model at {server.url}; since 2025-11-01 2 calls, 1624 + 192 tokens, cost 0; today 2 calls" in told()[1]
    with (own_world / "model-usage.jsonl").open("a", encoding="utf-8") as file:
        file.write('{"at": "2025-')
    assert (False, True) == (told()[0], "1 lines of its usage cannot be read" in told()[1])


def test_no_model_is_asked_where_its_cost_cannot_be_recorded(own_world: Path) -> None:
    from support.commandline import kg

    (own_world / "model-usage.jsonl").mkdir()
    with model_server("plan-good") as server:
        configured(own_world, server)
        said = kg("ask", QUESTION)

    assert (1, []) == (said.code, server.seen)
    assert "model-usage.jsonl: cannot be written" in said.err


def test_texts_that_a_model_read_are_on_record_too(own_world: Path, tmp_path: Path) -> None:
    (tmp_path / "tax.md").write_text("Tax is old.\n", encoding="utf-8")
    with model_server("claims-none") as server:
        configured(own_world, server, "extractor = true\n")
        done("ingest", tmp_path / "tax.md", "--collection", "memos")

    assert [("claims", "stop")] == [(call["purpose"], call["outcome"]) for call in usage(own_world)]


def test_without_a_model_nothing_is_recorded_and_no_metric_speaks_of_one(served: Served) -> None:
    assert 200 == served.get("/ask", q=QUESTION).status_code
    assert [] == metric(served, "kgplatform_model")
    assert not (served.data / "model-usage.jsonl").exists()
