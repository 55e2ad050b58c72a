"""A million rows stream through the graph object in bounded memory, from a directory and from a server."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from support.kgserver import Server

ROWS = 1_000_000
MOST = 500 * 1024  # kilobytes

SCRIPT = """
import pathlib
import re
import sys

import kgplatform

make = kgplatform.connect if sys.argv[1].startswith("http") else kgplatform.open
with make(sys.argv[1]) as graph:
    result = graph.sparql("SELECT ?a ?b ?c {{ ?a ?p ?x . ?b ?q ?y . ?c a sc:Component }} LIMIT {rows}", timeout=170)
    counted = sum(1 for row in result.rows() if len(row) == 3)
print(counted, re.search(r"VmHWM:\\s+(\\d+) kB", pathlib.Path("/proc/self/status").read_text())[1])
"""


def streamed(source: str | Path) -> tuple[int, int]:
    """(rows, peak memory in kilobytes) of a process that reads them one by one.

    The peak is that of its own address space: ru_maxrss of a child starts at the size of the process that started it.
    """
    command = [sys.executable, "-c", SCRIPT.format(rows=ROWS), str(source)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=280, check=False, env=os.environ.copy())
    assert 0 == done.returncode, done.stderr
    rows, memory = map(int, done.stdout.split())
    return rows, memory


@pytest.mark.long
def test_a_million_rows_of_a_directory_stream(world: Path) -> None:
    rows, memory = streamed(world)

    assert ROWS == rows
    assert memory < MOST


@pytest.mark.long
def test_a_million_rows_of_a_server_stream(server: Server) -> None:
    rows, memory = streamed(server.url)

    assert ROWS == rows
    assert memory < MOST
