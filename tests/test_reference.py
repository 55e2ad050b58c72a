"""Settings files in another place: what they name is followed where it stands, and comes along into a backup."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.commandline import done, kg

from kgplatform.admin.named_files import followed, install, take_along
from kgplatform.errors import ConfigError
from kgplatform.settings.load import FILE, load_settings

PACK = """@prefix : <https://films.example/films#> .
@prefix kg: <https://w3id.org/kgplatform/core#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:Film a owl:Class ; rdfs:label "film"@en ; kg:keyScheme "film" .
"""
MAPPING = '[subject]\ncolumn = "id"\nscheme = "film"\nclass = "https://films.example/films#Film"\n'


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """Settings with a pack beside, one above, and a mapping below."""
    folder = tmp_path / "films"
    (folder / "mappings").mkdir(parents=True)
    (folder / "mappings/rows.toml").write_text(MAPPING, encoding="utf-8")
    (folder / "films.ttl").write_text(PACK, encoding="utf-8")
    (folder / "films.shapes.ttl").write_text("# shapes", encoding="utf-8")
    (tmp_path / "other.ttl").write_text(PACK.replace("films", "other").replace('"film"', '"other"'), encoding="utf-8")
    path = folder / FILE
    (tmp_path / "contexts/example.org").mkdir(parents=True)
    (tmp_path / "contexts/example.org/c.jsonld").write_text("{}", encoding="utf-8")
    path.write_text(
        '# ours\njsonld_contexts = "../contexts"\npacks = ["service-catalog", "films.ttl", "../other.ttl"]\n[collections.rows]  # of films\nmapping = "mappings/rows.toml"\n',
        encoding="utf-8",
    )
    return path


def test_packs_and_mappings_are_followed_where_they_stand(source: Path, tmp_path: Path) -> None:
    install(source, tmp_path / "data")
    settings = load_settings(tmp_path / "data")

    assert ["films.ttl", "other.ttl", "films.shapes.ttl", "rows.toml"] == [path.name for path in followed(settings)]
    assert all(path.resolve().is_relative_to(tmp_path) and path.is_file() for path in followed(settings))
    assert {FILE} == {path.name for path in (tmp_path / "data").iterdir()}
    assert "# of films" in (tmp_path / "data" / FILE).read_text(encoding="utf-8")


def test_a_root_that_the_settings_state_is_kept(source: Path, tmp_path: Path) -> None:
    moved = tmp_path / "elsewhere.toml"
    moved.write_text(f'root = "films"\n{source.read_text(encoding="utf-8")}', encoding="utf-8")
    install(moved, tmp_path / "data")

    assert source.parent / "films.ttl" in followed(load_settings(tmp_path / "data"))


def test_settings_in_the_data_directory_itself_stay_as_they_are(source: Path) -> None:
    before = source.read_bytes()
    install(source, source.parent)

    assert before == source.read_bytes()


def test_what_comes_along_needs_nothing_from_where_it_was(source: Path, tmp_path: Path) -> None:
    install(source, tmp_path / "data")
    take_along(load_settings(tmp_path / "data"), tmp_path / "kept")
    (tmp_path / "kept").rename(tmp_path / "moved")
    for path in (source.parent / "films.ttl", tmp_path / "other.ttl", source.parent / "mappings/rows.toml"):
        path.unlink()
    settings = load_settings(tmp_path / "moved")

    assert "service-catalog" == settings.packs[0]
    assert ["films.ttl", "other.ttl", "films.shapes.ttl", "rows.toml"] == [path.name for path in followed(settings)]
    assert all(path.is_relative_to(tmp_path / "moved") for path in followed(settings))
    assert settings.jsonld_contexts and "{}" == (settings.jsonld_contexts / "example.org/c.jsonld").read_text(encoding="utf-8")
    assert MAPPING == followed(settings)[-1].read_text(encoding="utf-8")


def test_a_named_file_that_is_gone_is_told_with_its_place(source: Path, tmp_path: Path) -> None:
    (source.parent / "mappings/rows.toml").unlink()

    with pytest.raises(ConfigError, match="cannot be copied") as caught:
        take_along(load_settings(tmp_path / "data", config=source), tmp_path / "kept")
    assert str(source.parent / "mappings/rows.toml") == caught.value.where


def test_a_restored_backup_stands_by_itself(source: Path, tmp_path: Path) -> None:
    done("--config", source, "init", "--data", tmp_path / "data")
    done("backup", tmp_path / "kept", "--data", tmp_path / "data")
    for path in sorted(source.parent.rglob("*.t*"), reverse=True):
        path.unlink()
    (tmp_path / "other.ttl").unlink()
    done("restore", tmp_path / "kept", "--data", tmp_path / "again")

    assert "released as the packs say" in done("doctor", "--data", tmp_path / "again").out
    assert "no pack" in kg("shapes", "generate", "--data", tmp_path / "data").err


def test_a_broken_pack_is_mended_where_it_stands_and_nothing_is_left_of_the_first_try(source: Path, tmp_path: Path) -> None:
    pack = source.parent / "films.ttl"
    pack.write_text(PACK.replace("owl:Class", "owl:Class owl:Class"), encoding="utf-8")
    data = tmp_path / "data"

    refused = kg("--config", source, "init", "--data", data)
    assert 1 == refused.code and str(pack) in refused.err
    assert not data.exists()
    pack.write_text(PACK, encoding="utf-8")
    assert "made" in done("--config", source, "init", "--data", data).out
