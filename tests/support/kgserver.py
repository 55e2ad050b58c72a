"""A `kgplatform serve` of its own process, as its users meet it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

from support.served import with_tokens


@dataclass(frozen=True)
class Server:
    process: subprocess.Popen[str]
    url: str
    data: Path
    tokens: Mapping[str, str]

    def get(self, path: str, who: str = "", **query: str) -> httpx.Response:
        headers = {"Authorization": f"Bearer {self.tokens[who]}"} if who else {}
        return httpx.get(self.url + path, params=query or None, headers=headers, timeout=60)

    def stop(self, number: int = signal.SIGTERM) -> int:
        self.process.send_signal(number)
        return self.process.wait(timeout=40)


@contextmanager
def serving(data: Path, tokens: Mapping[str, str] | None = None) -> Iterator[Server]:
    """A server on a data directory, in which the principals get tokens if they have none yet."""
    tokens = tokens or with_tokens(data)
    command = [sys.executable, "-m", "kgplatform", "serve", "--data", str(data), "--port", "0", "--json"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ.copy())
    assert process.stdout and process.stderr
    try:
        said = ""
        while not said.endswith("}\n"):
            line = process.stdout.readline()
            assert line, process.stderr.read()
            said += line
        yield Server(process, json.loads(said)["url"].rstrip("/"), data, tokens)
    finally:
        if process.poll() is None:
            process.kill()
        process.wait()
        process.stdout.close()
        process.stderr.close()
