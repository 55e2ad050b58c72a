"""Completions over the real protocol: replies that can be used, and every way in which they cannot."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.modelserver import ModelServer, model_server

from kgplatform.errors import ConfigError, LanguageModelError
from kgplatform.llm import (
    EMPTY,
    LENGTH,
    NOT_JSON,
    OUT_OF_SCHEMA,
    PROTOCOL,
    RATE,
    REFUSAL,
    REJECTED,
    SERVER,
    TIMEOUT,
    UNREACHABLE,
    UNRECORDED,
    CompletionFailed,
    Message,
    OpenAICompleter,
    Prices,
    Recording,
    Replay,
    Request,
    Session,
    Spent,
    completed,
)
from kgplatform.settings.load import load_settings

SCHEMA = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"], "additionalProperties": False}
REQUEST = Request((Message("system", "You plan."), Message("user", "Who owns Tax?")), "plan", SCHEMA, 100)


def client(server: ModelServer, *, timeout: float = 5.0, retries: int = 2, key: str = "") -> OpenAICompleter:
    return OpenAICompleter(base_url=server.url, model="recorded-model", key=key, timeout=timeout, retries=retries, backoff=0.01)


@pytest.fixture
def good() -> Iterator[ModelServer]:
    with model_server("plan-good") as server:
        yield server


def test_a_request_goes_out_with_its_strict_schema_and_its_cap_on_tokens(good: ModelServer) -> None:
    completed(client(good), REQUEST)

    (path, headers, sent), *more = good.seen
    assert [] == more
    assert "/v1/chat/completions" == path
    assert "Bearer none" == headers["authorization"]
    assert {**REQUEST.as_json(), "model": "recorded-model"} == sent
    assert {"name": "plan", "strict": True, "schema": SCHEMA} == sent["response_format"]["json_schema"]


def test_keys_and_accounts_of_the_shell_are_not_sent(good: ModelServer, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "OPENAI_ADMIN_KEY"):
        monkeypatch.setenv(name, "elsewhere")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://192.0.2.1/v1")

    completed(client(good, key="ours"), REQUEST)

    assert "Bearer ours" == good.seen[0][1]["authorization"]
    assert "elsewhere" not in str(good.seen)


def test_a_reply_is_counted(good: ModelServer) -> None:
    session = Session(client(good), prices=Prices(input=1.0, output=10.0))

    completed(session, REQUEST)
    completed(session, REQUEST)

    assert (2, 1624, 192) == (session.spent.calls, session.spent.input_tokens, session.spent.output_tokens)
    assert pytest.approx((1624 * 1.0 + 192 * 10.0) / 1_000_000) == session.spent.cost


def test_a_reply_without_a_count_is_counted_at_its_worst_case() -> None:
    with model_server("plan-uncounted") as server:
        session = Session(client(server))
        completed(session, REQUEST)

    assert (1, REQUEST.size // 3 + 1, 100) == (session.spent.calls, session.spent.input_tokens, session.spent.output_tokens)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("truncated", LENGTH),
        ("truncated-whole", LENGTH),
        ("refused", REFUSAL),
        ("filtered", REFUSAL),
        ("empty", EMPTY),
        ("sparql", NOT_JSON),
        ("chatter", NOT_JSON),
        ("nan", NOT_JSON),
        ("surrogate", NOT_JSON),
        ("deep", NOT_JSON),
        ("long", OUT_OF_SCHEMA),
        ("no-choices", PROTOCOL),
        ("not-a-completion", PROTOCOL),
        ("odd-types", PROTOCOL),
        ("unauthorised", REJECTED),
        ("no-such-model", REJECTED),
        ("moved", REJECTED),
        ("busy-long", RATE),
    ],
)
def test_a_reply_that_cannot_be_used_is_a_failure_that_is_not_tried_again(name: str, kind: str) -> None:
    with model_server(name) as server:
        session = Session(client(server))
        with pytest.raises(CompletionFailed) as failed:
            completed(session, REQUEST)

    assert kind == failed.value.kind
    assert 1 == len(server.seen) == session.spent.calls


@pytest.mark.parametrize(("name", "kind"), [("busy", RATE), ("broken", SERVER), ("hangs-up", UNREACHABLE)])
def test_what_may_pass_is_tried_again_a_bounded_number_of_times(name: str, kind: str) -> None:
    with model_server(name) as server, pytest.raises(CompletionFailed) as failed:
        completed(client(server, retries=2), REQUEST)

    assert (kind, 3) == (failed.value.kind, len(server.seen))


def test_tries_wait_longer_each_time() -> None:
    with model_server("broken") as server:
        completer = OpenAICompleter(base_url=server.url, model="m", timeout=5, retries=2, backoff=0.2)
        began = time.monotonic()
        with pytest.raises(CompletionFailed):
            completed(completer, REQUEST)

    assert 0.75 * (0.2 + 0.4) <= time.monotonic() - began


SLOW_IMPORT = """
import sys, time
from importlib.abc import MetaPathFinder

class Slow(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        time.sleep(2.5 if name == "openai" else 0)

sys.meta_path.insert(0, Slow())
from test_llm import REQUEST
from kgplatform.llm import OpenAICompleter, completed
completed(OpenAICompleter(base_url=sys.argv[1], model="m", timeout=2, retries=0), REQUEST)
"""


def test_the_first_completion_of_a_process_has_all_of_its_time(good: ModelServer) -> None:
    """Importing the client takes a second, more on a busy machine."""
    line = [sys.executable, "-c", SLOW_IMPORT, good.url]
    done = subprocess.run(line, cwd=Path(__file__).parent, capture_output=True, text=True, timeout=60, check=False)

    assert (0, 1) == (done.returncode, len(good.seen)), done.stderr


def test_a_try_that_succeeds_ends_the_failures() -> None:
    with model_server("busy", "broken", "plan-good") as server:
        session = Session(client(server))
        completed(session, REQUEST)

    assert (3, 1) == (len(server.seen), session.spent.calls)


@pytest.mark.parametrize("name", ["silent", "drip", "drip-headers", "drip-error"])
def test_a_completion_ends_at_its_deadline(name: str) -> None:
    with model_server(name) as server:
        session, began = Session(client(server, timeout=0.6)), time.monotonic()
        with pytest.raises(CompletionFailed) as failed:
            completed(session, REQUEST)
        took = time.monotonic() - began

    assert TIMEOUT == failed.value.kind
    assert took < 10, "the server is silent for 20 seconds, and drips for longer"
    assert Spent(1, REQUEST.size // 3 + 1, 100) == session.spent, "the server may bill it"


@pytest.mark.parametrize("name", ["flood", "flood-error", "packed", "packed-error"])
def test_a_flood_is_not_read_to_its_end(name: str) -> None:
    with model_server(name) as server, pytest.raises(CompletionFailed) as failed:
        completed(client(server), REQUEST)

    assert PROTOCOL == failed.value.kind


def test_a_server_that_is_not_there_is_unreachable(good: ModelServer) -> None:
    completer = OpenAICompleter(base_url="http://127.0.0.1:9/v1", model="m", timeout=5, retries=1, backoff=0.01)

    with pytest.raises(CompletionFailed) as failed:
        completed(completer, REQUEST)

    assert UNREACHABLE == failed.value.kind
    assert "\n" not in str(failed.value)


def test_no_message_shows_the_key() -> None:
    with model_server("unauthorised") as server, pytest.raises(CompletionFailed) as failed:
        completed(client(server, key="sk-secret"), REQUEST)

    assert "secret" not in f"{failed.value} {failed.value.as_json()}"


# -- recordings


def test_a_recording_replays_without_a_server(good: ModelServer, tmp_path: Path) -> None:
    heard = completed(Recording(client(good), tmp_path), REQUEST)

    replayed = Session(Replay(tmp_path, model="recorded-model"))
    assert heard == completed(replayed, REQUEST)
    assert (1, 812, 96) == (replayed.spent.calls, replayed.spent.input_tokens, replayed.spent.output_tokens)


def test_a_recording_keeps_a_cut_reply(tmp_path: Path) -> None:
    with model_server("truncated") as server, pytest.raises(CompletionFailed):
        completed(Recording(client(server), tmp_path), REQUEST)

    with pytest.raises(CompletionFailed) as failed:
        completed(Replay(tmp_path, model="recorded-model"), REQUEST)
    assert LENGTH == failed.value.kind


def test_what_was_not_recorded_is_a_failure(good: ModelServer, tmp_path: Path) -> None:
    completed(Recording(client(good), tmp_path), REQUEST)
    other = Request(REQUEST.messages, REQUEST.name, REQUEST.schema, 101)

    for model, request in (("recorded-model", other), ("another-model", REQUEST)):
        with pytest.raises(CompletionFailed) as failed:
            completed(Replay(tmp_path, model=model), request)
        assert UNRECORDED == failed.value.kind


def test_a_broken_recording_is_named(tmp_path: Path) -> None:
    path = tmp_path / f"{REQUEST.key('m')}.json"
    path.write_text("{}", encoding="utf-8")

    with pytest.raises(LanguageModelError, match="is no recording"):
        completed(Replay(tmp_path, model="m"), REQUEST)


# -- settings


def settings_of(tmp_path: Path, text: str) -> Path:
    (tmp_path / "kgplatform.toml").write_text(text, encoding="utf-8")
    return tmp_path


def test_the_model_table_is_read_and_the_key_comes_from_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KGPLATFORM_MODEL_KEY", "ours")
    text = '[model]\nbase_url = "http://127.0.0.1:1/v1"\nname = "m"\ninput_price = 1\nplanner = "rules-then-model"\nsend_scopes = ["finance"]\n'

    model = load_settings(settings_of(tmp_path, text)).model

    assert model is not None
    assert ("m", "ours", 1.0, "rules-then-model", False) == (model.name, model.key, model.input_price, model.planner, model.extractor)
    assert frozenset({"finance"}) == model.send_scopes
    assert "ours" not in repr(model)


def test_without_a_model_table_there_is_no_model(tmp_path: Path) -> None:
    assert load_settings(settings_of(tmp_path, "")).model is None


def test_a_planner_or_an_extractor_without_a_model_is_an_error(tmp_path: Path) -> None:
    for line in ('planner = "model"', "extractor = true"):
        with pytest.raises(ConfigError, match="base_url"):
            load_settings(settings_of(tmp_path, f"[model]\n{line}"))


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('base_url = "127.0.0.1:1"', "model.base_url is not the http or https URL"),
        ('base_url = "http://me:secret@127.0.0.1/v1"', "model.base_url holds credentials"),
        ('name = ""', "model.name is missing"),
        ('planner = "modle"', "did you mean model"),
        ('api_key = "secret"', "model.api_key is no setting"),
        ("input_price = -1", "model.input_price must be 0 or above"),
        ("input_price = true", "model.input_price must be a number"),
        ('extractor = "yes"', "model.extractor must be true or false"),
        ("max_tokens = 0", "model.max_tokens must be above 0"),
    ],
)
def test_a_wrong_model_table_is_named(tmp_path: Path, line: str, said: str) -> None:
    lines = {"base_url": 'base_url = "http://127.0.0.1:1/v1"', "name": 'name = "m"'}
    lines[line.partition(" ")[0]] = line

    with pytest.raises(ConfigError) as failed:
        load_settings(settings_of(tmp_path, "[model]\n" + "\n".join(lines.values())))

    assert said in str(failed.value)
    assert "secret" not in str(failed.value)


def test_the_fixtures_say_what_they_are() -> None:
    from support.modelserver import RECORDED

    said = [json.loads(path.read_text(encoding="utf-8")) for path in RECORDED.glob("*.json")]
    assert {("by hand", True)} == {(each["made"], bool(each["about"])) for each in said}
