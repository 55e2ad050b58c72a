"""A real `oxigraph serve` (package `oxigraph`) on a free loopback port, for tests of remote stores."""

from __future__ import annotations

import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

LOOPBACK = "127.0.0.1"


@dataclass(frozen=True)
class Server:
    url: str
    running: subprocess.Popen[bytes]

    @property
    def query_url(self) -> str:
        return f"{self.url}/query"

    @property
    def update_url(self) -> str:
        return f"{self.url}/update"

    def kill(self) -> None:
        self.running.kill()
        self.running.wait()


@contextmanager
def serving(directory: Path) -> Iterator[Server]:
    """The server over a directory, ready to answer; killed at the end."""
    beside = Path(sys.executable).with_name("oxigraph")
    program = str(beside) if beside.is_file() else shutil.which("oxigraph")
    if program is None:
        pytest.skip("needs the program `oxigraph`: pip install -e .[test]")
    port = free_port()
    running = subprocess.Popen(
        [program, "serve", "--location", str(directory), "--bind", f"{LOOPBACK}:{port}"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    server = Server(f"http://{LOOPBACK}:{port}", running)
    try:
        _wait(server)
        yield server
    finally:
        server.kill()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind((LOOPBACK, 0))
        return int(probe.getsockname()[1])


def _wait(server: Server) -> None:
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        if server.running.poll() is not None:
            raise RuntimeError(f"oxigraph serve ended with {server.running.returncode}")
        try:
            httpx.get(server.query_url, params={"query": "ASK {}"}, timeout=2).raise_for_status()
            return
        except httpx.HTTPError:
            time.sleep(0.02)
    raise RuntimeError("oxigraph serve did not become ready in 20 s")
