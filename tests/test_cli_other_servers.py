"""The command line over servers that are not as they should be: busy, not ours, out of reach."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

import pytest
from support.commandline import done, kg


class Other(BaseHTTPRequestHandler):
    """A server whose replies a test gives: (status, headers, body), one after the other, the last again and again."""

    replies: ClassVar[list[tuple[int, dict[str, str], bytes]]] = []
    seen: ClassVar[list[tuple[str, str]]] = []

    def do_GET(self) -> None:
        self.seen.append((self.path, self.headers.get("Authorization", "")))
        status, headers, body = self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    do_POST = do_GET

    def log_message(self, *_: Any) -> None:
        pass


@contextmanager
def replying(*replies: tuple[int, dict[str, str], bytes]) -> Iterator[str]:
    Other.replies[:], Other.seen[:] = list(replies), []
    with ThreadingHTTPServer(("127.0.0.1", 0), Other) as httpd:
        threading.Thread(target=httpd.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{httpd.server_port}"
        httpd.shutdown()


JSON = {"Content-Type": "application/json"}
PROBLEM = {"Content-Type": "application/problem+json"}
HITS = (200, JSON, b'{"items": [], "next": null}')
BUSY = (503, {**PROBLEM, "Retry-After": "0"}, b'{"type": "/api/docs#busy", "title": "t", "status": 503, "detail": "all places are taken"}')
LATE = (503, {**PROBLEM, "Retry-After": "0"}, b'{"type": "/api/docs#query-timeout", "title": "t", "status": 503, "detail": "ended"}')


def test_a_busy_server_is_waited_for_a_few_times() -> None:
    with replying(BUSY, (429, {"Retry-After": "0"}, b""), HITS) as url:
        assert "nothing of that name\n" == done("search", "x", "--server", url).out
        assert 3 == len(Other.seen)
    with replying(BUSY) as url:
        said = kg("search", "x", "--server", url)
        assert 6 == len(Other.seen)
    assert (1, f"{url}: all places are taken\n") == (said.code, said.err)


@pytest.mark.parametrize(
    ("reply", "command"),
    [
        (LATE, ("search", "x")),
        (BUSY, ("quarantine", "discard", "x")),
        ((503, {**PROBLEM, "Retry-After": "3600"}, BUSY[2]), ("search", "x")),
    ],
    ids=["a query that was ended", "a decision", "an hour"],
)
def test_what_is_not_waited_for_ends_at_once(reply: Any, command: tuple[str, ...]) -> None:
    with replying(reply) as url:
        assert 1 == kg(*command, "--server", url).code
        assert 1 == len(Other.seen)


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ((200, {"Content-Type": "text/html"}, b"<html>"), "is no kgplatform server: it answered 200 OK with text/html"),
        ((404, {"Content-Type": "text/plain"}, b"no"), "is no kgplatform server: it answered 404"),
        ((500, PROBLEM, b"["), "is no kgplatform server: it answered 500"),
        ((200, JSON, b"{"), "is no kgplatform server: it answered 200"),
        ((302, {"Location": "http://other.example/"}, b""), "sends on to http://other.example/"),
        ((200, {**JSON, "Content-Length": "100"}, b"{}"), "cannot be reached"),
    ],
    ids=["a page", "not found", "no problem", "broken json", "a redirect", "broken off"],
)
def test_what_is_no_server_of_ours_is_one_line(reply: Any, expected: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KGPLATFORM_TOKEN", "kg_secret")
    with replying(reply) as url:
        said = kg("search", "x", "--server", url)

    assert (1, 1, "") == (said.code, len(said.err.splitlines()), said.out)
    assert expected in said.err
    assert [("/api/search?q=x&limit=10", "Bearer kg_secret")] == Other.seen


def test_an_interrupt_while_files_are_sent_says_that_what_was_sent_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(_seconds: float) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("kgplatform.client.connection.time.sleep", interrupted)
    (tmp_path / "a.md").write_text("Ledger is a component.")
    with replying(BUSY) as url:
        said = kg("ingest", tmp_path, "--server", url)

    assert (1, 1) == (said.code, len(said.err.splitlines()))
    assert "goes on with what was sent" in said.err


def test_a_server_that_is_not_there_is_one_line() -> None:
    with replying(HITS) as url:
        pass
    said = kg("search", "x", "--server", url)

    assert (1, 1) == (said.code, len(said.err.splitlines()))
    assert "cannot be reached" in said.err


def test_a_name_that_no_server_can_have_is_one_line() -> None:
    said = kg("search", "x", "--server", "http://ü_.example")

    assert (1, 1) == (said.code, len(said.err.splitlines()))
    assert "cannot be reached" in said.err


def test_a_token_in_clear_text_to_another_machine_is_warned_of(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    without = kg("search", "x", "--server", "http://kgplatform.invalid")
    monkeypatch.setenv("KGPLATFORM_TOKEN", "kg_secret")
    with_token = kg("search", "x", "--server", "http://kgplatform.invalid")

    assert "clear text" not in without.err and "clear text" in with_token.err
    with replying(HITS) as url:
        assert "" == done("search", "x", "--server", url).err
