"""A data directory of an older format: told in one line, kept, upgraded and restored; and who may read its files."""

from __future__ import annotations

import os
import shutil
import sqlite3
import stat
from contextlib import closing
from pathlib import Path

import pytest
from support.commandline import done, kg

from kgplatform.ledger.base import Ledger
from kgplatform.ledger.tables import FORMAT
from kgplatform.packs.folders import sample_data

OLDER = (1, 2)
FIXTURES = Path(__file__).parent / "fixtures"


def format_of(data: Path) -> str:
    with closing(sqlite3.connect(data / "ledger.sqlite")) as ledger:
        return str(ledger.execute("SELECT value FROM meta WHERE key = 'format'").fetchone()[0])


def tables_of(data: Path) -> set[tuple[str, str]]:
    with closing(sqlite3.connect(data / "ledger.sqlite")) as ledger:
        rows = ledger.execute("SELECT name, sql FROM sqlite_master WHERE sql NOT NULL")
        return {(name, " ".join(line for line in sql.split("\n") if not line.startswith("--"))) for name, sql in rows}


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture(params=OLDER)
def number(request: pytest.FixtureRequest) -> int:
    return int(request.param)


@pytest.fixture
def old(own_world: Path, number: int) -> Path:
    """The sample world, with a token, as a kgplatform of that format wrote it."""
    done("token", "create", "finance", "--note", "nightly job")
    new, ledger = own_world / "ledger.new", own_world / "ledger.sqlite"
    with closing(sqlite3.connect(new, isolation_level=None)) as written:
        written.executescript((FIXTURES / f"ledger-format-{number}.sql").read_text("utf-8"))
        written.execute("PRAGMA journal_mode = WAL")
        written.execute("ATTACH ? AS present", (str(ledger),))
        for (table,) in written.execute("SELECT name FROM main.sqlite_master WHERE type = 'table'").fetchall():
            if not table.startswith("sqlite_"):
                columns = ", ".join(row[1] for row in written.execute(f"PRAGMA main.table_info({table})"))
                written.execute(f"INSERT INTO main.{table} ({columns}) SELECT {columns} FROM present.{table}")
        written.execute("UPDATE meta SET value = ? WHERE key = 'format'", (str(number),))
    for path in own_world.glob("ledger.sqlite*"):
        path.unlink()
    new.rename(ledger)
    ledger.chmod(0o644)
    return own_world


def test_an_older_directory_is_told_in_one_line_that_says_what_to_do(old: Path) -> None:
    before = (old / "ledger.sqlite").read_bytes()

    for command in (["ask", "Who owns Tax?"], ["ingest", str(sample_data())], ["principal", "list"], ["init"], ["serve", "--port", "0"]):
        said = kg(*command)
        assert 1 == said.code and 1 == len(said.err.splitlines()) and "run `kgplatform upgrade`" in said.err, said.err
    assert "kgplatform upgrade" in kg("doctor").out
    assert before == (old / "ledger.sqlite").read_bytes()


def test_an_upgraded_directory_has_the_tables_of_a_new_one_and_says_what_it_said(
    old: Path, number: int, world: Path, tmp_path: Path
) -> None:
    Ledger.create(tmp_path / "ledger.sqlite").close()

    assert f"upgraded from format {number} to {FORMAT}" in done("upgrade").out
    assert tables_of(tmp_path) == tables_of(old)
    for name in ("", "finance"):
        assert done("export", "--as", name, "--data", world).out == done("export", "--as", name).out
    assert ["nightly job"] == [token["note"] for token in done("token", "list", "--json").json]
    assert [False] == [who["has_password"] for who in done("principal", "list", "--json").json]
    assert "nothing to do" in done("upgrade").out


def test_an_upgrade_that_fails_leaves_the_directory_as_it_was(old: Path, number: int) -> None:
    with closing(sqlite3.connect(old / "ledger.sqlite", isolation_level=None)) as ledger:
        ledger.execute("ALTER TABLE claim ADD COLUMN note TEXT")

    said = kg("upgrade")
    assert 1 == said.code and 1 == len(said.err.splitlines()) and "could not be upgraded" in said.err
    assert str(number) == format_of(old)


def test_an_older_directory_is_backed_up_as_it_is_and_its_backup_restored_in_this_format(
    old: Path, number: int, world: Path, tmp_path: Path
) -> None:
    done("backup", tmp_path / "kept")
    done("restore", tmp_path / "kept", "--data", tmp_path / "again")

    assert (str(number), str(FORMAT)) == (format_of(tmp_path / "kept"), format_of(tmp_path / "again"))
    for name in ("", "finance"):
        assert done("export", "--as", name, "--data", world).out == done("export", "--as", name, "--data", tmp_path / "again").out


def test_a_backup_of_a_newer_format_is_refused_and_nothing_is_made(own_world: Path, tmp_path: Path) -> None:
    done("backup", tmp_path / "kept")
    with closing(sqlite3.connect(tmp_path / "kept/ledger.sqlite", isolation_level=None)) as ledger:
        ledger.execute("UPDATE meta SET value = '99' WHERE key = 'format'")

    said = kg("restore", tmp_path / "kept", "--data", tmp_path / "again")
    assert 1 == said.code and "use a newer kgplatform" in said.err
    assert not (tmp_path / "again").exists()


def test_what_holds_hashes_and_quotes_is_readable_by_its_owner_alone(tmp_path: Path) -> None:
    before = os.umask(0o022)
    try:
        done("init", "--data", tmp_path / "d")
        with closing(sqlite3.connect(tmp_path / "d/ledger.sqlite")) as open_reader:
            open_reader.execute("SELECT 1 FROM meta").fetchone()
            done("principal", "add", "maria", "--data", tmp_path / "d")
            assert {0o600} == {mode_of(path) for path in (tmp_path / "d").glob("ledger.sqlite*")}
        done("backup", tmp_path / "kept", "--data", tmp_path / "d")
        shutil.copytree(tmp_path / "kept", tmp_path / "copied")
        (tmp_path / "copied/ledger.sqlite").chmod(0o644)
        done("restore", tmp_path / "copied", "--data", tmp_path / "again")
    finally:
        os.umask(before)

    assert [0o700, 0o700, 0o700] == [mode_of(tmp_path / name) for name in ("d", "kept", "again")]
    assert [0o600, 0o600] == [mode_of(tmp_path / name / "ledger.sqlite") for name in ("kept", "again")]


def test_an_upgrade_closes_the_ledger_to_others(old: Path) -> None:
    done("upgrade")

    assert 0o600 == mode_of(old / "ledger.sqlite")
