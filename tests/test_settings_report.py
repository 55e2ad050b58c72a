"""Settings that cannot have an effect: listed with file, line and key, or refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.commandline import done

from kgplatform.checks.settings import setting_notes
from kgplatform.errors import ConfigError
from kgplatform.settings.load import load_settings
from kgplatform.validate.unused_axioms import Note


def noted(folder: Path, text: str) -> list[Note]:
    (folder / "kgplatform.toml").write_text(text, encoding="utf-8")
    return list(setting_notes(load_settings(folder)))


TEXTS = '[collections.memos]\npaths = ["memos/{id}.md", "README"]\n'
TABLES = '[collections.sales]\npaths = ["sales/{date}/*.csv"]\n'
MODEL = 'model.base_url = "http://127.0.0.1:8080/v1"\nmodel.name = "small"\n'


@pytest.mark.parametrize(
    ("text", "line", "key", "why"),
    [
        (TEXTS + 'mapping = "m.toml"', 3, "collections.memos.mapping", "its paths fit no CSV"),
        (TEXTS + 'trust = "reviewed"', 3, "collections.memos.trust", "texts alone"),
        (TABLES + 'texts = "reviewed"', 3, "collections.sales.texts", "fit no texts"),
        ('collections.a.paths = ["*.ttl"]\ncollections.a.mapping = "m.toml"', 2, "collections.a.mapping", "its paths fit no CSV"),
        ('[collections.a]\npaths = ["x/{id}",\n "x/{id}"]', 2, "collections.a.paths", "stands there twice"),
        ('[collections.a]\nexclude = ["!keep.md", "*.bak"]', 2, "collections.a.exclude", "takes back"),
        ('\nexclude = ["!keep.md"]', 2, "exclude", "takes back"),
        ('exclude = ["a", "a"]', 1, "exclude", "stands there twice"),
        ('packs = ["people-places", "people-places"]', 1, "packs", "people-places is read already"),
        ('packs = ["service-catalog", "people-places"]', 1, "packs", "people-places is read already"),
        ('packs = ["core", "people-places"]', 1, "packs", "core is always read"),
        ("[model]\nmax_tokens = 5", 2, "model.max_tokens", "no model is named"),
        (MODEL + "model.max_call_cost = 1", 3, "model.max_call_cost", "a cap on money needs"),
        (MODEL + 'model.send_scopes = ["hr"]', 3, "model.send_scopes", "model.extractor is false"),
    ],
)
def test_a_setting_without_effect_is_listed_with_its_line(tmp_path: Path, text: str, line: int, key: str, why: str) -> None:
    notes = noted(tmp_path, text)

    assert [(f"kgplatform.toml:{line}", key)] == [note[:2] for note in notes]
    assert why in notes[0][2]


def test_a_folder_without_contexts_is_listed(tmp_path: Path) -> None:
    (tmp_path / "contexts").mkdir()

    assert "jsonld_contexts" in str(noted(tmp_path, 'jsonld_contexts = "contexts"'))
    (tmp_path / "contexts/x.jsonld").write_text("{}", encoding="utf-8")
    assert [] == noted(tmp_path, 'jsonld_contexts = "contexts"')


@pytest.mark.parametrize(
    "text",
    [
        '[collections.memos]\nmapping = "m.toml"\ntexts = "reviewed"\ntrust = "reviewed"',  # named on the command line, it takes any file
        '[collections.memos]\npaths = ["memos/{id}"]\nmapping = "m.toml"\ntexts = "reviewed"\ntrust = "reviewed"',
        'default_collection = "memos"\n' + TEXTS + 'mapping = "m.toml"',
        TABLES + 'mapping = "m.toml"\ntrust = "reviewed"\ntexts = "extracted"',
        TEXTS + 'texts = "reviewed"\nexclude = ["*.md", "!README"]',
        '[collections.a]\npaths = ["a/{id}.md"]\n[collections.b]\npaths = ["a/notes-{id}.md", "b/*.md"]',
        'packs = ["people-places", "service-catalog"]',
        MODEL + 'model.extractor = true\nmodel.send_scopes = ["hr"]\nmodel.input_price = 1\nmodel.max_call_cost = 1',
    ],
)
def test_a_setting_with_an_effect_is_not_listed(tmp_path: Path, text: str) -> None:
    assert [] == noted(tmp_path, text)


def test_the_settings_that_come_along_have_an_effect(repo: Path, tmp_path: Path) -> None:
    assert [] == noted(tmp_path, (repo / "kgplatform.example.toml").read_text(encoding="utf-8"))
    assert () == setting_notes(load_settings(tmp_path, config=repo / "sample_data/kgplatform.toml"))


@pytest.mark.parametrize(
    ("first", "second"),
    [("x/{id}", "x/{id}"), ("x/{id}.md", "x/*.md"), ("{id}/x.csv", "{date}/x.csv"), ("x/*", "x/{date}")],
)
def test_a_pattern_whose_files_fit_two_collections_is_refused_with_its_line(tmp_path: Path, first: str, second: str) -> None:
    text = f'[collections.a]\npaths = ["{first}"]\n[collections.b]\npaths = ["y/{{id}}", "{second}"]'
    with pytest.raises(ConfigError, match="belongs to neither") as caught:
        noted(tmp_path, text)

    assert str(tmp_path / "kgplatform.toml") in caught.value.where and caught.value.where.endswith((":2", ":4"))


def test_a_wrong_setting_is_told_with_its_line(tmp_path: Path) -> None:
    for text, line in (('\n[collections.memos]\nkinds = "x"', 3), ('collections = { memos = { kind = "x" } }', 1), ("\n\nstore.x = 1", 3)):
        with pytest.raises(ConfigError) as caught:
            noted(tmp_path, text)
        assert caught.value.where.endswith(f"kgplatform.toml:{line}")


def test_init_and_doctor_list_settings_without_effect(tmp_path: Path) -> None:
    (tmp_path / "k.toml").write_text(TEXTS + 'mapping = "m.toml"\n', encoding="utf-8")
    (tmp_path / "m.toml").write_text("", encoding="utf-8")
    shown = done("--config", tmp_path / "k.toml", "init", "--data", tmp_path / "kg").out

    assert "collections.memos.mapping: its paths fit no CSV" in shown and "note: kgplatform.toml:" in shown
    assert "no effect: kgplatform.toml:" in done("doctor", "--data", tmp_path / "kg").out
