"""kill -9 at random moments of an ingest: consistent when reopened, completed by the same command, nothing doubled or lost."""

from __future__ import annotations

import csv
import random
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from kgplatform.config import load_settings
from kgplatform.projection import AUDIENCES
from kgplatform.writer import Writer

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
                    rows.writerow([f"s{number}-{row}", f"Service {number} {row}", f"s{randomness.randrange(FILES)}-{randomness.randrange(ROWS)}"])


def command(data: Path, source: Path) -> list[str]:
    return [sys.executable, "-m", "kgplatform", "--data", str(data), "ingest", str(source), "--json"]


def content(data: Path) -> set[str]:
    """Every quad of the projection, brought up to date."""
    with Writer.open(load_settings(data)) as writer:
        store = writer.store
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


@pytest.mark.long
@pytest.mark.timeout(1800)
def test_two_hundred_kills_lose_and_double_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KGPLATFORM_NOW", "2025-11-01")
    source = tmp_path / "rows"
    write_rows(source)
    calm = tmp_path / "calm"
    prepared(calm)
    started = time.monotonic()
    subprocess.run(command(calm, source), check=True, capture_output=True)
    usual = time.monotonic() - started
    wanted = content(calm)

    randomness = random.Random(7)
    kills, rounds, partly = 0, 0, 0
    while kills < 200:
        data = tmp_path / f"data{rounds}"
        prepared(data)
        for _attempt in range(25):
            process = subprocess.Popen(command(data, source), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(usual * randomness.uniform(0.3, 1.0))
            process.send_signal(signal.SIGKILL)
            kills += process.wait() == -signal.SIGKILL
            if (data / "ledger.sqlite").exists():
                partly += 0 < whole_documents(data)
        subprocess.run(command(data, source), check=True, capture_output=True)
        assert len(DATES) * FILES == whole_documents(data)
        assert wanted == content(data)
        rounds += 1
    assert partly > 0, "no kill hit a ledger that already held something"


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
        writer.store.load((), writer.store.state())  # type: ignore[arg-type]

    assert wanted == content(data)
