"""Where files, clock and data directory differ, `ingest` and `doctor` say so in one line with what to do."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.commandline import done, kg
from test_reference import PACK

MAPPING = '[subject]\ncolumn = "id"\nscheme = "film"\nclass = "https://films.example/films#Film"\n\n[[facts]]\ncolumn = "name"\nrelation = "rdfs:label"\n'
SETTINGS = 'packs = ["films.ttl"]\ndefault_collection = "rows"\n[collections.rows]\nmapping = "rows.toml"\n'


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Settings with a pack and a mapping, by which a table was read."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("KGPLATFORM_DATA", "kgdata")
    monkeypatch.setenv("KGPLATFORM_NOW", "2026-06-01")
    folder = tmp_path / "ours"
    folder.mkdir()
    for name, text in (("films.ttl", PACK), ("rows.toml", MAPPING), ("kgplatform.toml", SETTINGS)):
        (folder / name).write_text(text)
    Path("rows.csv").write_text("id,name\na,Alien\n")
    Path("memo.md").write_text("Nothing is said here.\n")
    done("--config", folder / "kgplatform.toml", "init")
    done("ingest", "rows.csv", "memo.md")
    return folder


def told() -> list[str]:
    """What `ingest` says on standard error and in its JSON, and `doctor`, which is the same."""
    said = kg("doctor", "--json")
    ill = [row["said"] for row in said.json["checks"] if not row["well"]]
    assert bool(ill) == bool(said.code)
    lines = [
        line
        for line in done("ingest", "memo.md").err.splitlines()
        if any(what in line for what in ill) or "changed" in line or "clock" in line
    ]
    assert len(ill) == len(lines), (ill, lines)
    assert lines == [f"{each['what']} ({each['hint']})" for each in done("ingest", "memo.md", "--json").json["differences"]]
    return lines


def test_nothing_is_said_where_nothing_differs(source: Path) -> None:
    assert [] == told()


def test_a_changed_pack_is_told_until_it_is_released(source: Path) -> None:
    (source / "films.ttl").write_text(PACK.replace('"film"@en', '"movie"@en'))

    (line,) = told()
    assert "packs changed" in line and "quarantine retry" in line
    done("quarantine", "retry")
    assert [] == told()


def test_a_changed_mapping_is_told_until_its_documents_are_read_again(source: Path) -> None:
    (source / "rows.toml").write_text(f"# changed\n{MAPPING}")

    (line,) = told()
    assert "rows.toml changed since 1 documents of rows" in line and "ingest them again" in line
    done("ingest", "rows.csv")
    assert [] == told()


def test_changed_settings_are_told(source: Path) -> None:
    (source / "kgplatform.toml").write_text(f"# changed\n{SETTINGS}")

    (line,) = told()
    assert str(source / "kgplatform.toml") in line and "kgdata/kgplatform.toml" in line


def test_a_clock_that_goes_back_is_told_with_both_instants_and_nothing_is_lost(source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KGPLATFORM_NOW", "2025-01-01")

    (line,) = told()
    assert "2025-01-01T00:00:00Z" in line and "2026-06-01T00:00:00Z" in line
    monkeypatch.setenv("KGPLATFORM_NOW", "2026-06-02")
    assert [] == told()
    assert "Alien" in done("search", "Alien").out


def test_a_principal_hears_of_what_differs_as_far_as_they_see_documents(source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done("principal", "add", "ann", "--role", "editor")
    done("principal", "add", "bob", "--role", "editor", "--scope", "secret")
    Path("hidden.md").write_text("---\nscope: secret\n---\nNothing is said here.\n")
    monkeypatch.setenv("KGPLATFORM_NOW", "2026-07-01")
    done("ingest", "hidden.md")
    monkeypatch.setenv("KGPLATFORM_NOW", "2026-06-20")

    assert [] == done("ingest", "memo.md", "--as", "ann", "--json").json["differences"]
    assert ["clock"] == [each["about"] for each in done("ingest", "memo.md", "--as", "bob", "--json").json["differences"]]
    (source / "rows.toml").write_text(f"# changed\n{MAPPING}")
    assert ["mappings"] == [each["about"] for each in done("ingest", "memo.md", "--as", "ann", "--json").json["differences"]]
