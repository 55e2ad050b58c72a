"""Unfinished erasures, damaged files, backups that check, and a doctor who sees all of it where nothing can be written."""

from __future__ import annotations

import os
import random
import shutil
import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path

import pytest
from support.commandline import done, kg

from kgplatform.data_directory import DataDir
from kgplatform.settings.load import FILE, load_settings
from kgplatform.store.integrity import damage
from kgplatform.writing.writer import Writer

pytestmark = pytest.mark.long

SECRET = "an unlikely Zanzibar clause"
MEMO = f"---\ndate: 2026-01-01\n---\n\nLedger is a component. Ledger is owned by Atlas. {SECRET}.\n"


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("KGPLATFORM_DATA", "kgdata")
    monkeypatch.setenv("KGPLATFORM_NOW", "2026-06-01")
    Path("memo.md").write_text(MEMO)
    Path("other.md").write_text(MEMO.replace("Atlas", "Delta").replace(SECRET, "nothing more"))
    done("init")
    done("ingest", "memo.md", "other.md")
    return tmp_path / "kgdata"


def holding(data: Path) -> list[str]:
    return [path.name for path in data.rglob("*") if path.is_file() and b"Atlas" in path.read_bytes()]


def checked(name: str) -> tuple[bool, str]:
    return next((row["well"], row["said"]) for row in kg("doctor", "--json").json["checks"] if row["name"] == name)


# -- erasures


def cut_short(data: Path) -> str:
    """An erasure that is killed before it purges, and before it removes the original; its document."""
    with pytest.MonkeyPatch.context() as patch, Writer.open(load_settings(data)) as writer:
        name = next(str(row[0]) for row in writer.ledger.rows("SELECT collection || '/' || name FROM document WHERE name LIKE '%memo.md'"))
        patch.setattr(DataDir, "remove_originals", lambda *_: None)
        writer.erase(name)
    return name


@pytest.mark.parametrize("command", [("purge",), ("doctor", "--mend"), ("erase", "other.md", "--yes")])
def test_an_erasure_that_was_killed_is_told_and_completed_with_its_receipt(data: Path, command: tuple[str, ...]) -> None:
    name = cut_short(data)
    assert holding(data)
    assert (False, "1 not completed") == checked("erasures")
    done("ask", "Who owns Ledger?")
    assert holding(data), "only what says so completes it"

    said = done(*command)
    assert name in said.out + said.err and "purged" in said.out + said.err
    assert [] == holding(data)
    assert (True, "all completed") == checked("erasures")


def test_what_is_kept_of_an_unfinished_erasure_is_no_text_of_the_document(data: Path) -> None:
    cut_short(data)
    with Writer.open(load_settings(data)) as writer:
        writer.directory.remove_originals(writer.directory.original_names())
        rows = list(writer.ledger.rows("SELECT pad, sealed FROM unpurged"))

    assert rows and all(word not in bytes(part) for row in rows for part in row for word in (b"Atlas", b"Ledger", b"memo"))


def test_a_purge_removes_what_a_killed_ingest_left_and_says_so(data: Path) -> None:
    left = DataDir(data).keep_original(b"left by an ingest that was killed")

    assert {"receipts": [], "leftovers": 1} == done("purge", "--json").json
    assert not left.exists()
    assert "no erasure was left" in done("purge").out


# -- damage


def flipped(path: Path, position: int) -> None:
    content = bytearray(path.read_bytes())
    content[position] ^= 0xFF
    path.write_bytes(content)


def test_a_sound_store_of_values_of_every_kind_is_sound(own_world: Path) -> None:
    checkpoint = DataDir(own_world).latest_checkpoint()

    assert checkpoint is not None and "" == damage(checkpoint)


@pytest.mark.parametrize("kind", ["*.sst", "MANIFEST-*", "CURRENT"])
def test_flipped_bytes_of_a_store_are_found_and_mended(data: Path, kind: str) -> None:
    before = done("export").out
    checkpoint = DataDir(data).latest_checkpoint()
    assert checkpoint is not None and "" == damage(checkpoint)
    victim = max(checkpoint.glob(kind), key=lambda path: path.stat().st_size)
    flipped(victim, victim.stat().st_size // 3)

    assert not checked("store")[0]
    assert 1 == kg("doctor").code
    done("doctor", "--mend")
    assert checked("store")[0] and before == done("export").out


def test_most_flipped_bytes_are_found_wherever_they_are(data: Path, tmp_path: Path) -> None:
    checkpoint = DataDir(data).latest_checkpoint()
    assert checkpoint is not None
    randomness = random.Random(3)
    files = [path for path in sorted(checkpoint.iterdir()) if path.suffix == ".sst" and path.stat().st_size > 2000]
    missed = 0
    for number in range(30):
        copied = Path(shutil.copytree(checkpoint, tmp_path / f"copy{number}"))
        victim = copied / randomness.choice(files).name
        flipped(victim, randomness.randrange(victim.stat().st_size))
        missed += not damage(copied)

    assert missed <= 2, "a byte that nothing reads may be wrong"


@pytest.mark.parametrize("what", ["gone", "changed"])
def test_a_backup_with_a_damaged_original_fails_and_leaves_nothing(data: Path, what: str) -> None:
    original = next((data / "originals").iterdir())
    original.unlink() if what == "gone" else original.write_bytes(b"something else")

    said = kg("backup", "kept")
    assert 1 == said.code and 1 == len(said.err.splitlines()) and original.name in said.err
    assert not Path("kept").exists() and not Path("kept.partial").exists()
    assert not checked("originals")[0]


def test_a_backup_of_a_damaged_ledger_fails_and_leaves_nothing(data: Path) -> None:
    with closing(sqlite3.connect(data / "ledger.sqlite")) as ledger:
        ledger.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        pages = ledger.execute("SELECT rootpage FROM sqlite_master WHERE name = 'claim_subject'").fetchone()
        size = ledger.execute("PRAGMA page_size").fetchone()[0]
    flipped(data / "ledger.sqlite", (pages[0] - 1) * size + size - 20)

    said = kg("backup", "kept")
    assert 1 == said.code and 1 == len(said.err.splitlines()) and "ledger" in said.err
    assert not Path("kept").exists() and not Path("kept.partial").exists()
    assert not checked("ledger")[0]


@pytest.mark.skipif(os.geteuid() != 0, reason="who is not root has no second user to be")
def test_doctor_and_backup_work_where_nothing_can_be_written(data: Path) -> None:
    with tempfile.TemporaryDirectory() as open_to_all:
        Path(open_to_all).chmod(0o755)
        copied = Path(shutil.copytree(data, Path(open_to_all) / "kg"))
        (copied / "lock").unlink()
        for path in copied.rglob("*"):
            path.chmod(0o755 if path.is_dir() else 0o644)
        copied.chmod(0o755)
        before = sorted(path.name for path in copied.rglob("*"))
        kept = Path(tempfile.mkdtemp(prefix="kept"))
        kept.chmod(0o777)
        os.seteuid(65534)
        try:
            said = kg("doctor", "--data", copied)
            backed_up = kg("backup", kept / "one", "--data", copied)
        finally:
            os.seteuid(0)
        assert (0, 0) == (said.code, backed_up.code), said.out + said.err + backed_up.err
        assert before == sorted(path.name for path in copied.rglob("*"))
        assert (kept / "one" / FILE).is_file()
        shutil.rmtree(kept)


def test_an_older_ledger_is_taken_as_it_is_only_when_that_is_said(data: Path) -> None:
    shutil.copyfile(data / "ledger.sqlite", "older.sqlite")
    Path("third.md").write_text(MEMO.replace("Atlas", "Nova"))
    done("ingest", "third.md")
    shutil.copyfile("older.sqlite", data / "ledger.sqlite")
    for name in ("store", "checkpoints"):
        shutil.rmtree(data / name)
    assert "doctor --mend" in kg("ask", "Who owns Ledger?").err

    done("doctor", "--mend")
    done("ask", "Who owns Ledger?")
    assert 1 == len(list((data / "set-aside").iterdir()))
