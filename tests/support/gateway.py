"""A gateway: a real HTTP server between a remote store and a real `oxigraph serve`, which makes what goes wrong on the way."""

from __future__ import annotations

import http.server
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import httpx
import pyoxigraph as ox

from kgplatform.model import CompiledQuery
from kgplatform.store.base import Delta, ProjectionState
from kgplatform.store.probes import connect
from kgplatform.store.remote import RemoteStore
from kgplatform.times import MAX, MIN
from support.oxigraph_server import LOOPBACK, Server

GRAPH = "https://kg.example/graph/public"
EVERYTHING = CompiledQuery("SELECT ?s ?o { ?s ?p ?o } ORDER BY ?o", ("s", "o"))
Answer = tuple[int, str, bytes]


def at(seq: int) -> ProjectionState:
    return ProjectionState(seq, "derive-1", MIN, MAX)


def quad(value: str) -> ox.Quad:
    return ox.Quad(
        ox.NamedNode("https://kg.example/id/tax"), ox.NamedNode("https://kg.example/said"), ox.Literal(value), ox.NamedNode(GRAPH)
    )


def added(*values: str) -> Delta:
    return Delta(added=frozenset(map(quad, values)))


class Gateway(http.server.ThreadingHTTPServer):
    """Passes requests on to a server; `ask` and `change` may be replaced, and None as an answer cuts the connection."""

    def __init__(self, server: Server) -> None:
        self.server_url = server.url
        self._client = httpx.Client(timeout=20)
        self.headers_seen: list[dict[str, str]] = []
        self.updates_seen = 0
        self.ask: Callable[[bytes, dict[str, str]], Answer | None] = self.passed_query
        self.change: Callable[[bytes, dict[str, str]], Answer | None] = self.passed_update
        super().__init__((LOOPBACK, 0), _Passing)
        threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://{LOOPBACK}:{self.server_port}"

    def store(self, *, timeout: float = 10.0, settling: float = 3.0, user: str = "", password: str = "", token: str = "") -> RemoteStore:
        urls = (f"{self.url}/query", f"{self.url}/update")
        return RemoteStore(*urls, timeout=timeout, settling=settling, user=user, password=password, token=token)

    def connect(self) -> RemoteStore:
        return connect(f"{self.url}/query", f"{self.url}/update")

    def passed_query(self, body: bytes, headers: dict[str, str]) -> Answer:
        return self._passed("query", body, headers)

    def passed_update(self, body: bytes, headers: dict[str, str]) -> Answer:
        return self._passed("update", body, headers)

    def _passed(self, path: str, body: bytes, headers: dict[str, str]) -> Answer:
        kept = {name: value for name, value in headers.items() if name.lower() in ("content-type", "accept")}
        reply = self._client.post(f"{self.server_url}/{path}", content=body, headers=kept)
        return reply.status_code, reply.headers.get("content-type", ""), reply.content


class _Passing(http.server.BaseHTTPRequestHandler):
    server: Gateway

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        headers = dict(self.headers.items())
        self.server.headers_seen.append(headers)
        if self.path == "/update":
            self.server.updates_seen += 1
            answer = self.server.change(body, headers)
        else:
            answer = self.server.ask(body, headers)
        self.close_connection = True
        if answer is None:
            return
        status, media_type, content = answer
        self.send_response(status)
        self.send_header("Content-Type", media_type)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:
        pass


@contextmanager
def gateway_before(server: Server) -> Iterator[Gateway]:
    """A gateway before the server, which is emptied first; so far it passes everything on."""
    httpx.post(server.update_url, content="DROP ALL", headers={"Content-Type": "application/sparql-update"}).raise_for_status()
    running = Gateway(server)
    yield running
    running.shutdown()
    running.server_close()
