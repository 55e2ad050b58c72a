"""A server that speaks the protocol of chat completions on the loopback, and replays recorded bodies in order."""

from __future__ import annotations

import gzip
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Final

RECORDED: Final = Path(__file__).parent.parent / "fixtures" / "llm"
FLOOD: Final = 32 * 1_048_576
"""Bytes of a body that is far longer than anyone reads."""


def recorded(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((RECORDED / f"{name}.json").read_text(encoding="utf-8"))
    return found


@dataclass
class ModelServer:
    """`url` is its base URL, `seen` the requests as they came: (path, headers, JSON)."""

    url: str
    queue: list[str]
    seen: list[tuple[str, dict[str, str], dict[str, Any]]] = field(default_factory=list)
    ending: threading.Event = field(default_factory=threading.Event)

    def asked(self, number: int = -1) -> dict[str, Any]:
        return self.seen[number][2]


@contextmanager
def model_server(*names: str) -> Iterator[ModelServer]:
    """Replies with these recordings in order; the last one stays."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            length = int(self.headers["Content-Length"])
            server.seen.append((self.path, {k.lower(): v for k, v in self.headers.items()}, json.loads(self.rfile.read(length))))
            reply = recorded(server.queue.pop(0) if len(server.queue) > 1 else server.queue[0])
            body = json.dumps(reply["body"]).encode()
            pace = reply.get("pace", "")
            if pace == "silent":
                server.ending.wait(20)
                return
            if pace == "drip-headers":
                self._drip(b"HTTP/1.1 200 OK\r\nX-Slow: " + b"a" * 150)
                return
            self.send_response(reply["status"])
            for header, value in {"Content-Type": "application/json", **reply.get("headers", {})}.items():
                self.send_header(header, value)
            if pace == "packed":
                body = gzip.compress(b" " * FLOOD)
            if pace != "flood":
                self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            try:
                self._write(body, pace)
            except OSError:
                pass  # the client had enough

        def _write(self, body: bytes, pace: str) -> None:
            if pace == "drip":
                self._drip(body)
            elif pace == "flood":
                for _ in range(FLOOD // 65_536):
                    self.wfile.write(b" " * 65_536)
            elif pace == "hang-up":
                self.wfile.write(body[: len(body) // 2])
                self.wfile.flush()
            else:
                self.wfile.write(body)

        def _drip(self, text: bytes) -> None:
            try:
                for byte in text:
                    self.wfile.write(bytes([byte]))
                    self.wfile.flush()
                    if server.ending.wait(0.1):
                        return
            except OSError:
                pass  # the client had enough

        def log_message(self, format: str, *args: Any) -> None:
            pass

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    http.daemon_threads = True
    server = ModelServer(f"http://127.0.0.1:{http.server_address[1]}/v1", list(names))
    thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.ending.set()
        http.shutdown()
        http.server_close()
        thread.join(timeout=5)
