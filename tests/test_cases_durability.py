"""A missing, empty, older or foreign ledger stops every command, which says what stands there and how to restore; nothing is removed."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from support.commandline import done, kg

from kgplatform.data_directory import DataDir
from kgplatform.errors import LostLedger
from kgplatform.projection.projection import Projection
from kgplatform.settings.load import FILE, load_settings
from kgplatform.views.opening import open_view
from kgplatform.writing.writer import Writer

CONFIG = """
default_collection = "memos"
[collections.memos]
kind = "statement"
"""
COMMANDS = (
    ("ingest", "memo.md"),
    ("ask", "Who owns Tax?"),
    ("search", "Tax"),
    ("sparql", "ASK {}"),
    ("export",),
    ("init",),
    ("erase", "memos/memo.md", "--yes"),
    ("backup", "kept"),
    ("reset", "--yes"),
    ("upgrade",),
    ("doctor",),
    ("principal", "list"),
    ("quarantine", "retry"),
    ("serve", "--port", "0"),
)

pytestmark = pytest.mark.long


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory of one memo, with a copy of its ledger from before a second one; the ledger of another directory too."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("KGPLATFORM_DATA", "kgdata")
    monkeypatch.setenv("KGPLATFORM_NOW", "2025-11-01")
    for name in ("kgdata", "other"):
        (tmp_path / name).mkdir()
        (tmp_path / name / FILE).write_text(CONFIG)
        (tmp_path / "memo.md").write_text(f"Tax is owned by Platform, says {name}.\n")
        done("init", "--data", name)
        done("ingest", "memo.md", "--data", name)
    shutil.copyfile("kgdata/ledger.sqlite", "older.sqlite")
    (tmp_path / "memo.md").write_text("Tax is owned by Commerce.\n")
    done("ingest", "memo.md")
    return tmp_path / "kgdata"


def gone(ledger: Path) -> None:
    ledger.unlink()


def without_a_byte(ledger: Path) -> None:
    ledger.write_bytes(b"")


def older(ledger: Path) -> None:
    shutil.copyfile("older.sqlite", ledger)


def foreign(ledger: Path) -> None:
    shutil.copyfile("other/ledger.sqlite", ledger)


LOSSES = (gone, without_a_byte, older, foreign)


def held(data: Path) -> dict[str, bytes]:
    """Every file that a command could lose."""
    return {str(path): path.read_bytes() for path in data.rglob("*") if path.is_file() and path.name not in ("lock", "serving.lock", "LOG")}


@pytest.mark.parametrize("lose", LOSSES)
def test_a_lost_ledger_stops_every_command_with_what_stands_there(data: Path, lose: Callable[[Path], None]) -> None:
    lose(data / "ledger.sqlite")
    before = held(data)

    for command in COMMANDS:
        said = kg(*command)
        assert 1 == said.code, command
        told = said.out if command == ("doctor",) else said.err
        assert "3 originals" in told or "2 originals" in told, (command, told)
        assert re.search(r"checkpoints? at event \d+", told) and "restore" in told, (command, told)
        assert "kgplatform init" not in told, command
    assert before == held(data)
    assert not Path("kept").exists() and not Path("kept.partial").exists()


@pytest.mark.parametrize("lose", LOSSES)
def test_the_originals_alone_are_enough_to_stop(data: Path, lose: Callable[[Path], None]) -> None:
    """Of an older ledger too, where no store or checkpoint is left to speak for it."""
    for name in ("store", "checkpoints"):
        shutil.rmtree(data / name)
    lose(data / "ledger.sqlite")
    before = held(data / "originals")

    for command in (("ingest", "memo.md"), ("ask", "Who owns Tax?"), ("init",), ("erase", "memos/memo.md", "--yes")):
        said = kg(*command)
        assert 1 == said.code and "originals" in said.err and "restore" in said.err, (command, said.err)
    assert before == held(data / "originals")


@pytest.mark.parametrize("kept", ["originals", "store", "checkpoints"])
def test_whatever_is_left_of_a_directory_keeps_init_from_beginning_anew(data: Path, kept: str) -> None:
    for name in {"originals", "store", "checkpoints"} - {kept}:
        shutil.rmtree(data / name)
    (data / "ledger.sqlite").unlink()

    said = kg("init")
    assert 1 == said.code and kept.removesuffix("s") in said.err
    assert (data / kept).exists() and not (data / "ledger.sqlite").exists()


def test_the_ledger_put_back_is_all_it_takes(data: Path) -> None:
    (data / "ledger.sqlite").rename("aside")
    assert 1 == kg("ask", "Who owns Tax?").code
    Path("aside").rename(data / "ledger.sqlite")

    assert 0 == kg("ask", "Who owns Tax?").code


def test_a_log_without_its_ledger_is_not_overwritten(data: Path) -> None:
    for name in ("originals", "store", "checkpoints"):
        shutil.rmtree(data / name)
    (data / "ledger.sqlite").rename(data / "ledger.sqlite-wal")

    assert "ledger's log" in kg("init").err


def test_foreign_files_beside_a_new_directory_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data/notes.txt").write_text("mine")
    done("init", "--data", tmp_path / "data")

    assert "mine" == (tmp_path / "data/notes.txt").read_text()


def test_init_where_a_graph_is_leaves_it_as_it_is(data: Path) -> None:
    before = (data / "ledger.sqlite").read_bytes()
    done("init")

    assert before == (data / "ledger.sqlite").read_bytes()


# -- a failed init


@pytest.mark.parametrize(
    "settings",
    ['packs = ["none.ttl"]', "packs = 3", "no toml", '[store]\nquery_url = "http://127.0.0.1:9/q"\nupdate_url = "http://127.0.0.1:9/u"'],
)
def test_an_init_that_fails_leaves_nothing_behind(tmp_path: Path, settings: str) -> None:
    (tmp_path / "own.toml").write_text(settings)
    assert 1 == kg("--config", tmp_path / "own.toml", "init", "--data", tmp_path / "data").code
    assert not (tmp_path / "data").exists()

    (tmp_path / "data").mkdir()
    (tmp_path / "data" / FILE).write_text(settings)
    assert 1 == kg("init", "--data", tmp_path / "data").code
    assert [FILE] == [path.name for path in (tmp_path / "data").iterdir()]


def test_a_disk_that_fills_up_during_init_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(Projection, "publish", full)
        assert 1 == kg("init", "--data", tmp_path / "data").code
    assert not (tmp_path / "data").exists()
    done("init", "--data", tmp_path / "data")


# -- leftovers


def test_an_original_that_a_killed_ingest_left_is_told_and_stays_until_a_purge(data: Path) -> None:
    left = DataDir(data).keep_original(b"of an ingest that was killed")
    done("ingest", "memo.md")
    done("ask", "Who owns Tax?")

    assert "left by an ingest that was killed" in done("doctor").out
    assert left.exists()


def test_a_store_is_never_ahead_of_its_ledger(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A first document and a release fill the store inside their transaction: killed there, the store says that it has followed nothing."""
    settings = load_settings(data)
    with pytest.raises(KeyboardInterrupt), Writer.open(settings) as writer:
        really = writer.projection._load

        def killed(now: str) -> None:
            really(now)
            raise KeyboardInterrupt

        monkeypatch.setattr(writer.projection, "_load", killed)
        monkeypatch.setattr(writer.projection, "publish", lambda: None)
        writer.release(writer.schema.turtle, "")
    with Writer.open(settings) as writer:
        state = writer.projection.store.state()
        assert state is not None and writer.ledger.seq == state.applied_seq


def test_a_reader_meets_a_lost_ledger_too(data: Path) -> None:
    older(data / "ledger.sqlite")

    with pytest.raises(LostLedger, match="older"), open_view(load_settings(data)):
        pass
