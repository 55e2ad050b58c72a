"""What a killed process, a full disk, a damaged file or a process of yesterday leaves behind, and what the next one makes of it."""

from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from test_writer import CART, NEEDS, OWNED, SECOND, TYPES, found_in, reading

from kgplatform.admin.backup import backup, restore
from kgplatform.data_directory import DataDir
from kgplatform.errors import DataDirError, LockedError, StoreError
from kgplatform.ledger.base import Ledger
from kgplatform.model import Collection, Fact, Principal
from kgplatform.settings.load import FILE, Settings, load_settings
from kgplatform.store.oxigraph import OxigraphStore
from kgplatform.terms import SC, TYPE, class_node
from kgplatform.times import parse_stated
from kgplatform.views.opening import open_view
from kgplatform.writing.writer import Writer

COLLECTIONS = {
    "rows": Collection("rows", "snapshot", trust="authoritative"),
    "memos": Collection("memos", "statement"),
}
FINANCE = frozenset({"finance"})


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    made = Settings(tmp_path / "kg", collections=COLLECTIONS, now="2025-11-01T00:00:00Z")
    with Writer.create(made) as writer:
        writer.ingest([reading(*TYPES), reading(OWNED, collection="memos")])
    return made


def relations(settings: Settings, name: str = "") -> set[str]:
    with open_view(settings, name) as view:
        return {triple.predicate.value for triple in view.triples() if triple.predicate.value.startswith(str(SC))}


def full(*_: object) -> None:
    raise StoreError("the disk is full")


# -- killed, or out of room


def test_what_was_committed_and_never_published_is_seen_by_the_next_reader(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(StoreError), Writer.open(settings) as writer:
        monkeypatch.setattr(writer.projection.store, "checkpoint", full)
        writer.ingest([reading(NEEDS, document="b.csv")])

    assert {SC.owned_by, SC.depends_on} == relations(settings)


def test_a_document_that_was_closed_and_never_published_so_is_closed(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(StoreError), Writer.open(settings) as writer:
        monkeypatch.setattr(writer.projection.store, "checkpoint", full)
        writer.ingest([replace(reading(OWNED, NEEDS, collection="memos", declared=SECOND), scopes=FINANCE)])

    assert set() == relations(settings)


def test_a_ledger_whose_making_was_cut_short_is_made(tmp_path: Path) -> None:
    settings = Settings(tmp_path / "kg", now="2025-11-01T00:00:00Z")
    settings.data.mkdir()
    with closing(sqlite3.connect(settings.data / "ledger.sqlite")) as begun:
        begun.execute("PRAGMA journal_mode = WAL")
    assert (settings.data / "ledger.sqlite").stat().st_size

    with pytest.raises(DataDirError, match="no knowledge graph here"):
        Writer.open(settings)
    Writer.create(settings).close()

    assert set() == relations(settings)


def test_a_full_disk_is_one_line_that_names_the_ledger_and_loses_nothing(settings: Settings) -> None:
    many = [Fact(f"component:x{number}", TYPE, class_node(SC.Component)) for number in range(3000)]
    with Writer.open(settings) as writer:
        pages = writer.ledger.row("PRAGMA page_count")
        assert pages
        writer.ledger.db.execute(f"PRAGMA max_page_count = {pages[0]}")
        with pytest.raises(DataDirError, match="disk is full") as caught:
            writer.ingest([reading(*many, document="many.csv")])
        writer.ledger.db.execute("PRAGMA max_page_count = 1000000")
        writer.ingest([reading(NEEDS, document="b.csv")])

    assert str(settings.data / "ledger.sqlite") == caught.value.where
    assert {SC.owned_by, SC.depends_on} == relations(settings)


def test_what_cannot_be_derived_is_not_committed_even_as_the_first_document(tmp_path: Path) -> None:
    settings = Settings(tmp_path / "kg", collections=COLLECTIONS, now="2025-11-01T00:00:00Z")
    no_iri = Fact("iri:no IRI", TYPE, class_node(SC.Component))
    with Writer.create(settings) as writer:
        with pytest.raises(ValueError, match="IRI"):
            writer.ingest([reading(no_iri)])
        writer.ingest([reading(*TYPES, OWNED, document="b.csv")])

    assert {SC.owned_by} == relations(settings)


def test_a_restore_that_was_cut_short_can_be_run_again(settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    backup(settings, tmp_path / "backup")
    data = tmp_path / "new"
    really = Path.replace

    def cut_short(path: Path, target: Path) -> Path:
        if path.name == "ledger.sqlite":
            raise KeyboardInterrupt
        return really(path, target)

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(Path, "replace", cut_short)
        restore(tmp_path / "backup", data)
    assert {"originals", "restoring"} == {path.name for path in data.iterdir()}

    restore(tmp_path / "backup", data)

    assert {SC.owned_by} == relations(replace(settings, data=data))


def test_a_restore_takes_a_backup_from_where_nothing_can_be_written(settings: Settings, tmp_path: Path) -> None:
    backup(settings, tmp_path / "backup")
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "backup").rglob("*")}

    restore(tmp_path / "backup", tmp_path / "new")

    assert before == {path: path.stat().st_mtime_ns for path in (tmp_path / "backup").rglob("*")}


def test_an_erasure_whose_log_somebody_still_read_is_completed_later(settings: Settings) -> None:
    with Writer.open(settings) as writer, closing(sqlite3.connect(settings.data / "ledger.sqlite", isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM claim").fetchone()
        writer.ledger.db.execute("PRAGMA busy_timeout = 50")
        writer.erase("memos/a.csv")
        erased = writer.purge(writer.erase("rows/a.csv"))
        assert "erased" == erased.receipt.state
        assert writer.ledger.meta("unpurged"), "the next purge does it again"

    with Writer.open(settings) as writer:
        assert ["memos/a.csv", "rows/a.csv"] == [
            erased.receipt.document for erased in writer.complete() if "purged" == erased.receipt.state
        ]
        assert not writer.ledger.meta("unpurged")
    assert [] == found_in(settings.data)


# -- damaged


def newest(settings: Settings) -> Path:
    found = DataDir(settings.data).latest_checkpoint()
    assert found is not None
    return found


@pytest.mark.parametrize("gone", ["CURRENT", "MANIFEST-*", "*.sst"])
@pytest.mark.parametrize("spoil", [Path.unlink, lambda path: path.write_bytes(b"damage")], ids=["gone", "garbage"])
def test_a_damaged_store_is_derived_again(settings: Settings, gone: str, spoil: Callable[[Path], object]) -> None:
    for path in list((settings.data / "store").glob(gone)):
        spoil(path)

    with Writer.open(settings) as writer:
        writer.ingest([reading(NEEDS, document="b.csv")])

    assert {SC.owned_by, SC.depends_on} == relations(settings)


def test_a_damaged_checkpoint_is_replaced_by_the_next_reader(settings: Settings) -> None:
    damaged = newest(settings)
    (damaged / "CURRENT").unlink()

    assert {SC.owned_by} == relations(settings)
    assert int(damaged.name) + 1 == int(newest(settings).name)


def test_a_store_whose_path_has_lock_in_it_is_not_taken_for_one_that_is_held(tmp_path: Path) -> None:
    (tmp_path / "blockchain").write_text("no folder")
    with pytest.raises(StoreError) as caught:
        OxigraphStore.open(tmp_path / "blockchain" / "store")

    assert not isinstance(caught.value, LockedError)


@pytest.mark.skipif(os.geteuid() != 0, reason="who is not root has no second user to be")
def test_a_directory_that_may_not_be_written_is_one_line_that_says_so(settings: Settings) -> None:
    with tempfile.TemporaryDirectory() as open_to_all:
        Path(open_to_all).chmod(0o755)
        data = shutil.copytree(settings.data, Path(open_to_all) / "kg")
        for path in (data, data / "ledger.sqlite"):
            path.chmod(0o755)
        os.seteuid(65534)
        try:
            with pytest.raises(DataDirError, match="Permission denied"):
                Writer.open(replace(settings, data=data))
            with pytest.raises(DataDirError, match="Permission denied"):
                Writer.create(replace(settings, data=data / "other"))
            with pytest.raises(DataDirError, match="cannot be used"):
                Ledger.open(data / "ledger.sqlite")
        finally:
            os.seteuid(0)


# -- side by side


def test_a_view_whose_checkpoint_a_writer_retires_goes_on_with_what_it_saw(settings: Settings) -> None:
    with open_view(settings) as view:
        with Writer.open(settings) as writer:
            writer.ingest([reading(NEEDS, document="b.csv")])
            writer.add_principal(Principal("fin", FINANCE))
        seen = {row["p"] for row in view.query("SELECT ?p { ?s ?p ?o }").table()}
        told = {triple.predicate.value for triple in view.triples("full")}

    assert SC.owned_by in seen and SC.depends_on not in seen
    assert seen < told


def test_a_reader_after_an_update_takes_the_time_after_it(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """The reader's own look at the clock before the update is older than the projection, which would then be derived from scratch."""
    seconds = iter(range(1000))

    def ticking(_self: Settings) -> str:
        return f"2025-11-01T00:{(second := next(seconds)) // 60:02}:{second % 60:02}Z"

    monkeypatch.setattr(Settings, "clock", ticking)
    with sqlite3.connect(settings.data / "ledger.sqlite") as ahead:
        ahead.execute("INSERT INTO journal (recorded, kind, detail) VALUES ('2025-11-01T00:00:00Z', 'test', '{}')")
    with open_view(settings) as view:
        assert DataDir(settings.data).latest_checkpoint() == view._place


def test_a_clock_that_is_set_back_takes_back_what_it_had_begun(settings: Settings) -> None:
    with Writer.open(settings) as writer:
        writer.ingest([reading(NEEDS._replace(start=parse_stated("2025-12-24")), Fact(CART, SC.owned_by, "team:web"), document="b.csv")])
    later = replace(settings, now="2025-12-25T00:00:00Z")
    assert {SC.owned_by, SC.depends_on} == relations(later)

    assert {SC.owned_by} == relations(settings)
    assert {SC.owned_by, SC.depends_on} == relations(later)


# -- settings of yesterday


def configured(data: Path, scopes: str) -> Settings:
    (data / FILE).write_text(f"[collections.rows]\nkind = 'snapshot'\n[collections.memos]\nscopes = [{scopes}]\n")
    return replace(load_settings(data), now="2025-11-01T00:00:00Z")


def test_a_process_that_read_older_settings_does_not_open_what_newer_ones_closed(settings: Settings) -> None:
    older = configured(settings.data, "")
    assert {SC.owned_by} == relations(older)
    newer = configured(settings.data, "'finance'")
    Writer.open(newer).close()

    with Writer.open(older) as writer:
        writer.ingest([reading(NEEDS, document="b.csv")])
    assert {SC.depends_on} == relations(older)
    assert {SC.depends_on} == relations(newer)


def test_nobody_reads_what_the_settings_close_while_another_process_keeps_it_open(settings: Settings) -> None:
    assert {SC.owned_by} == relations(configured(settings.data, ""))
    newer = configured(settings.data, "'finance'")
    with Writer.open(replace(settings, collections={})), pytest.raises(LockedError, match="memos is to be seen by fewer"):
        relations(newer)

    assert set() == relations(newer)
