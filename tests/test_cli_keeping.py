"""Keeping a data directory through the command line: backup, restore, reset, upgrade, doctor, one writer."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from support.commandline import done, kg

from kgplatform.model import Reading
from kgplatform.packs.folders import sample_data
from kgplatform.settings.load import load_settings
from kgplatform.writing.writer import Writer

PUBLIC_OWNERS = "SELECT ?name WHERE { ?c sc:owned_by/rdfs:label ?name ; rdfs:label 'Invoice' } ORDER BY ?name"


def test_a_restored_backup_gives_the_same_graph(own_world: Path, tmp_path: Path) -> None:
    done("backup", tmp_path / "kept")
    done("restore", tmp_path / "kept", "--data", tmp_path / "again")

    for name in ("", "finance"):
        assert done("export", "--as", name).out == done("export", "--as", name, "--data", tmp_path / "again").out
    assert 0 == done("ingest", sample_data(), "--data", tmp_path / "again", "--json").json["claims_new"]


def test_a_backup_never_overwrites_and_a_restore_never_mixes(own_world: Path, tmp_path: Path) -> None:
    done("backup", tmp_path / "kept")

    assert 2 == kg("backup", tmp_path / "kept").code
    assert 1 == kg("restore", tmp_path / "kept").code


def test_a_damaged_backup_is_refused(own_world: Path, tmp_path: Path) -> None:
    done("backup", tmp_path / "kept")
    next((tmp_path / "kept/originals").iterdir()).write_bytes(b"something else")

    said = kg("restore", tmp_path / "kept", "--data", tmp_path / "again")
    assert 1 == said.code and "damaged" in said.err
    assert not (tmp_path / "again").exists()


def test_reset_keeps_the_settings_and_nothing_else(own_world: Path) -> None:
    assert 2 == kg("reset").code
    done("reset", "--yes")

    assert "false\n" == done("sparql", "ASK { ?s ?p ?o }", "--dataset", "full").out
    assert (own_world / "kgplatform.toml").is_file()
    assert 550 < done("ingest", sample_data(), "--json").json["claims_new"]


def test_a_newer_format_is_refused_and_an_older_one_says_upgrade(own_world: Path) -> None:
    def formatted(number: int) -> None:
        connection = sqlite3.connect(own_world / "ledger.sqlite")
        connection.execute("UPDATE meta SET value = ? WHERE key = 'format'", (str(number),))
        connection.commit()
        connection.close()

    formatted(99)
    for command in (["sparql", "ASK {}"], ["ingest", str(sample_data())], ["upgrade"]):
        said = kg(*command)
        assert 1 == said.code and "use a newer kgplatform" in said.err and 1 == len(said.err.splitlines()), command
    formatted(0)
    assert "kgplatform upgrade" in kg("sparql", "ASK {}").err


def test_upgrade_of_a_current_directory_does_nothing(own_world: Path) -> None:
    assert "nothing to do" in done("upgrade").out


def test_doctor_finds_a_missing_original(own_world: Path) -> None:
    assert all(check["well"] for check in done("doctor", "--json").json["checks"])
    next((own_world / "originals").iterdir()).unlink()

    said = kg("doctor", "--json")
    (ill,) = [check for check in said.json["checks"] if not check["well"]]
    assert 1 == said.code
    assert ("originals", "restore a backup") == (ill["name"], ill["hint"])


def test_doctor_counts_documents_that_were_stored_with_secrets(own_world: Path, tmp_path: Path) -> None:
    text = "Ledger is a component. The password: hunter2-topsecret\n"
    (tmp_path / "old.md").write_text(text)
    with Writer.open(load_settings(own_world)) as writer:  # as an older kgplatform stored it
        writer.ingest(
            [Reading("memos", "old.md", str(tmp_path / "old.md"), "old", text, (), "text/1", is_text=True, content=text.encode())]
        )
    said = kg("doctor", "--json")
    (ill,) = [check for check in said.json["checks"] if not check["well"]]

    assert 1 == said.code
    assert ("secrets", "what looks like a secret stands in 1 documents, first memos/old.md") == (ill["name"], ill["said"])
    done("erase", "memos/old.md", "--yes")
    done("ingest", tmp_path / "old.md", "--collection", "memos", "--again")
    assert all(check["well"] for check in done("doctor", "--json").json["checks"])


def test_a_second_writer_is_told_and_readers_go_on(own_world: Path) -> None:
    with Writer.open(load_settings(own_world)):
        said = kg("ingest", sample_data())
        assert 1 == said.code and "another process is writing" in said.err and 1 == len(said.err.splitlines())
        assert "Commerce" in done("sparql", PUBLIC_OWNERS).out


def test_the_demo_does_not_empty_a_directory_that_it_did_not_make(own_world: Path) -> None:
    said = kg("demo")

    assert 1 == said.code and "was not made by" in said.err
    assert "Commerce" in done("sparql", PUBLIC_OWNERS).out
