"""kill -9 at random moments of an ingest: consistent when reopened, completed by the same command, nothing doubled or lost."""

from __future__ import annotations

import csv
import random
import signal
import sqlite3
import subprocess
import sys
import time
from itertools import count
from pathlib import Path

import pytest
from support.counts import cases

from kgplatform.projection.graphs import AUDIENCES
from kgplatform.settings.load import load_settings
from kgplatform.writing.writer import Writer

CONFIG = """
[collections.rows]
kind = "snapshot"
trust = "authoritative"
mapping = "rows.toml"
paths = ["{date}/{id}"]
"""
MAPPING = """
[subject]
column = "id"
scheme = "component"
class = "sc:Component"

[[facts]]
column = "name"
relation = "rdfs:label"

[[facts]]
column = "needs"
relation = "sc:depends_on"
scheme = "component"
"""
DATES = ("2024-01-01", "2024-06-01")
FILES, ROWS = 3, 25


def write_rows(folder: Path) -> None:
    randomness = random.Random(5)
    for date in DATES:
        for number in range(FILES):
            path = folder / date / f"part{number}.csv"
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("w", newline="") as out:
                rows = csv.writer(out)
                rows.writerow(["id", "name", "needs"])
                for row in range(ROWS):
                    rows.writerow(
                        [f"s{number}-{row}", f"Service {number} {row}", f"s{randomness.randrange(FILES)}-{randomness.randrange(ROWS)}"]
                    )


def command(data: Path, source: Path) -> list[str]:
    return [sys.executable, "-m", "kgplatform", "--data", str(data), "ingest", str(source), "--json"]


def content(data: Path) -> set[str]:
    """Every quad of the projection, brought up to date."""
    with Writer.open(load_settings(data)) as writer:
        store = writer.projection.store
        return {str(quad) for quad in store.quads(name for name in store.graph_names() if name != AUDIENCES)}


def whole_documents(data: Path) -> int:
    """How many readings the ledger has; each is there with all its claims or not at all."""
    with sqlite3.connect(data / "ledger.sqlite") as ledger:
        assert ("ok",) == ledger.execute("PRAGMA integrity_check").fetchone()
        if not ledger.execute("SELECT 1 FROM sqlite_master WHERE name = 'reading'").fetchone():
            return 0
        counts = ledger.execute(
            "SELECT count(*) FROM reading r JOIN version v ON v.id = r.version JOIN claim c ON c.version = v.id GROUP BY r.document, r.ordinal"
        ).fetchall()
    assert {(ROWS * 3,)} >= set(counts)
    return len(counts)


def prepared(folder: Path) -> None:
    folder.mkdir()
    (folder / "kgplatform.toml").write_text(CONFIG)
    (folder / "rows.toml").write_text(MAPPING)
    Writer.create(load_settings(folder)).close()


@pytest.mark.full
@pytest.mark.long
@pytest.mark.timeout(1800)
def test_many_kills_lose_and_double_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KGPLATFORM_NOW", "2025-11-01")
    source = tmp_path / "rows"
    write_rows(source)
    calm = tmp_path / "calm"
    seconds_of_an_ingest(calm, source)
    wanted = content(calm)

    randomness = random.Random(7)
    usual, data, kills, partly = 0.0, None, 0, 0
    for attempt in count():
        if attempt % 25 == 0:  # a machine is not always as busy
            usual = seconds_of_an_ingest(tmp_path / f"calm{attempt}", source)
        if data is None:
            if kills >= cases(200, part=60):
                break
            prepared(data := tmp_path / f"data{attempt}")
        if is_killed(command(data, source), after=usual * randomness.uniform(0.3, 1.0)):
            kills += 1
            partly += (data / "ledger.sqlite").exists() and 0 < whole_documents(data)
            continue
        assert len(DATES) * FILES == whole_documents(data)
        assert wanted == content(data)
        data = None
    assert partly > 0, "no kill hit a ledger that already held something"


def seconds_of_an_ingest(data: Path, source: Path) -> float:
    """How long an ingest into a new directory takes that nobody disturbs."""
    prepared(data)
    started = time.monotonic()
    subprocess.run(command(data, source), check=True, capture_output=True)
    return time.monotonic() - started


def is_killed(line: list[str], *, after: float) -> bool:
    """Run a command, and kill it after so many seconds; False where it was through before, without a fault."""
    process = subprocess.Popen(line, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    try:
        _, said = process.communicate(timeout=after)
    except subprocess.TimeoutExpired:
        process.kill()
        _, said = process.communicate()
    assert process.returncode in (0, -signal.SIGKILL), said
    return process.returncode != 0


def test_a_projection_behind_its_ledger_is_brought_up_when_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KGPLATFORM_NOW", "2025-11-01")
    source = tmp_path / "rows"
    write_rows(source)
    data = tmp_path / "data"
    prepared(data)
    subprocess.run(command(data, source), check=True, capture_output=True)
    wanted = content(data)
    with Writer.open(load_settings(data)) as writer:
        with writer.ledger.transaction():
            writer.ledger.journal("test", "2025-11-01T00:00:00Z")
        writer.projection.store.load((), writer.projection.store.state())  # type: ignore[arg-type]

    assert wanted == content(data)
