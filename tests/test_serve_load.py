"""Many callers at once while files are ingested: everyone is answered. How fast is the benchmark's to say, not this test's."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from conftest import REPO


@pytest.mark.long
def test_twenty_callers_are_all_answered_while_files_are_ingested() -> None:
    line = [
        sys.executable,
        str(REPO / "benchmarks/serving.py"),
        "--seconds=20",
        "--claims=2000",
        "--rows=200",
        "--only-ingesting",
        "--json",
    ]
    done = subprocess.run(line, check=False, capture_output=True, text=True, timeout=280)
    assert 0 == done.returncode, done.stderr
    found = json.loads(done.stdout)["ingesting"]

    assert found["ingests"]
    assert {"answer page", "entity page", "/api/ask", "/sparql", "all"} == set(found["kinds"])
    assert {} == {kind: told["first_errors"] for kind, told in found["kinds"].items() if told["errors"]}
