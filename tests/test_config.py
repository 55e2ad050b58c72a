"""Settings: what kgplatform.toml and the environment say, and how a mistake in them is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from kgplatform.errors import ConfigError, UnknownName
from kgplatform.model import Collection
from kgplatform.settings.load import UNDECLARED, RemoteAddress, load_settings, stated_data


def written(folder: Path, text: str) -> Path:
    path = folder / "kgplatform.toml"
    path.write_text(text, encoding="utf-8")
    return path


def refused(folder: Path, text: str) -> str:
    with pytest.raises(ConfigError) as caught:
        load_settings(folder, config=written(folder, text))
    return str(caught.value)


def test_a_directory_without_a_settings_file_has_the_defaults(tmp_path: Path) -> None:
    settings = load_settings(tmp_path)

    assert "https://kg.example/" == settings.base_iri
    assert {"documents": UNDECLARED} == settings.collections
    assert "documents" == settings.default_collection


def test_the_settings_file_of_the_data_directory_is_read(tmp_path: Path) -> None:
    written(tmp_path, 'base_iri = "https://graph.example.org/"')

    assert "https://graph.example.org/" == load_settings(tmp_path).base_iri


def test_the_example_file_loads_and_shows_the_defaults(repo: Path, tmp_path: Path) -> None:
    settings = load_settings(tmp_path, config=repo / "kgplatform.example.toml")
    without = load_settings(tmp_path)

    assert ["catalogue", "documents", "finance"] == sorted(settings.collections)
    assert (without.base_iri, without.packs, without.max_file_bytes) == (settings.base_iri, settings.packs, settings.max_file_bytes)
    assert UNDECLARED == settings.collections["documents"]


def test_every_commented_line_of_the_example_file_is_a_setting_with_its_default(repo: Path, tmp_path: Path) -> None:
    lines = (repo / "kgplatform.example.toml").read_text(encoding="utf-8").splitlines()
    commented = [line[2:] for line in lines if line.startswith("# ") and " = " in line]
    path = written(tmp_path, "\n".join(commented))
    (tmp_path / "empty.toml").touch()

    assert len(commented) >= 5
    assert load_settings(tmp_path / "none", config=tmp_path / "empty.toml") == load_settings(tmp_path / "none", config=path)


def test_a_collection_keeps_all_that_is_said_of_it(tmp_path: Path) -> None:
    settings = load_settings(
        tmp_path,
        config=written(
            tmp_path,
            """
            [collections.finance]
            kind = "snapshot"
            scopes = ["finance", "board"]
            trust = "reviewed"
            texts = "authoritative"
            typed = "open"
            mapping = "mappings/m.toml"
            paths = ["finance/{date}/{id}"]
            """,
        ),
    )

    expected = Collection(
        "finance",
        "snapshot",
        frozenset({"finance", "board"}),
        "reviewed",
        "authoritative",
        "open",
        "mappings/m.toml",
        ("finance/{date}/{id}",),
    )
    assert expected == settings.collection("finance")
    assert tmp_path / "mappings/m.toml" == settings.mapping_path(expected)


def test_declared_collections_without_a_default_refuse_files_that_none_claims(tmp_path: Path) -> None:
    assert "" == load_settings(tmp_path, config=written(tmp_path, '[collections.memos]\nkind = "statement"')).default_collection


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('base_irl = "https://x.example/"', "base_irl is no setting (did you mean base_iri?)"),
        ('[collections.memos]\nscope = ["x"]', "collections.memos.scope is no setting (did you mean scopes?)"),
        ('[collections.memos]\nkind = "snapshots"', "did you mean snapshot?"),
        ('[collections.memos]\ntrust = "high"', "not one of extracted, reviewed, authoritative"),
        ('[collections.memos]\nscopes = ["public"]', "scopes = []"),
        ('[collections.memos]\nmapping = "../m.toml"', "beside or below the settings file"),
        ('[collections.memos]\nmapping = "/m.toml"', "beside or below the settings file"),
        ("collections = 3", "collections must be a table"),
        ("packs = [1]", "packs must be a list of texts"),
        ("max_file_bytes = 0", "must be above 0"),
        ("max_file_bytes = true", "must be a whole number"),
        ('base_iri = "kg.example"', "not an absolute IRI"),
        ('base_iri = "https://kg example/"', "not an absolute IRI"),
        ('base_iri = "https://[kg/"', "not an absolute IRI"),
        ('default_collection = "memo"\n[collections.memos]', "did you mean memos?"),
        ("base_iri =", "is not TOML"),
    ],
)
def test_a_wrong_setting_is_one_line_that_names_file_key_and_remedy(tmp_path: Path, text: str, said: str) -> None:
    message = refused(tmp_path, text)

    assert said in message
    assert str(tmp_path / "kgplatform.toml") in message
    assert "\n" not in message


def test_a_settings_file_that_is_not_utf8_is_one_line(tmp_path: Path) -> None:
    path = tmp_path / "kgplatform.toml"
    path.write_bytes(b'base_iri = "\xff"')

    with pytest.raises(ConfigError, match="is not UTF-8"):
        load_settings(tmp_path)


def test_a_named_settings_file_must_exist(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no such file"):
        load_settings(tmp_path, config=tmp_path / "absent.toml")


def test_the_environment_names_data_settings_and_clock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written(tmp_path, 'base_iri = "https://env.example/"')
    monkeypatch.setenv("KGPLATFORM_DATA", str(tmp_path / "elsewhere"))
    monkeypatch.setenv("KGPLATFORM_CONFIG", str(path))
    monkeypatch.setenv("KGPLATFORM_NOW", "2025-11-01")

    assert tmp_path / "elsewhere" == stated_data()
    settings = load_settings(tmp_path / "elsewhere")
    assert "https://env.example/" == settings.base_iri
    assert "2025-11-01T00:00:00Z" == settings.clock()


def test_a_clock_that_is_no_date_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KGPLATFORM_NOW", "tomorrow")

    with pytest.raises(ConfigError, match="not an ISO 8601 date"):
        load_settings(tmp_path)


def test_the_clock_moves_where_none_is_fixed(tmp_path: Path) -> None:
    assert load_settings(tmp_path).clock() > "2025"


def test_an_unknown_collection_comes_with_the_nearest_one(tmp_path: Path) -> None:
    settings = load_settings(tmp_path, config=written(tmp_path, "[collections.memos]"))

    with pytest.raises(UnknownName) as caught:
        settings.collection("memo")
    assert "did you mean memos?" in str(caught.value)


def test_settings_cannot_be_changed_after_they_were_read(tmp_path: Path) -> None:
    settings = load_settings(tmp_path)

    with pytest.raises(AttributeError):
        settings.base_iri = "x"  # type: ignore[misc]


# -- the remote store


REMOTE = '[store]\nquery_url = "http://sparql.example/query"\nupdate_url = "http://sparql.example/update"\n'


def test_a_remote_store_has_its_urls_from_the_file_and_its_credentials_from_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written(tmp_path, REMOTE)
    assert RemoteAddress("http://sparql.example/query", "http://sparql.example/update") == load_settings(tmp_path, config=path).remote
    monkeypatch.setenv("KGPLATFORM_STORE_USER", "kg")
    monkeypatch.setenv("KGPLATFORM_STORE_PASSWORD", "hidden")

    settings = load_settings(tmp_path, config=path)
    assert settings.remote is not None and ("kg", "hidden") == (settings.remote.user, settings.remote.password)
    assert "hidden" not in repr(settings)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (REMOTE.partition("update_url")[0], "store.update_url is not the http"),
        (REMOTE.replace("http:", "file:"), "store.query_url is not the http"),
        (REMOTE.replace("//sparql", "//kg:hidden@sparql"), "store.query_url holds credentials"),
        (REMOTE + 'password = "hidden"', "store.password is no setting"),
    ],
)
def test_a_mistake_in_the_remote_store_names_its_key(tmp_path: Path, text: str, said: str) -> None:
    message = refused(tmp_path, text)

    assert said in message and "hidden" not in message


def test_an_account_and_a_token_together_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("USER", "TOKEN"):
        monkeypatch.setenv(f"KGPLATFORM_STORE_{name}", "x")

    assert "KGPLATFORM_STORE_TOKEN" in refused(tmp_path, REMOTE)


@pytest.mark.parametrize(
    "path",
    ["/data/*.md", "~/docs/*.md", "C:/docs/*.md", "docs\\\\*.md", "../docs/*.md", "./a.md", "docs//a.md", "docs/", "", "docs/{name}.md"],
)
def test_a_path_of_a_collection_that_no_file_can_fit_is_refused(tmp_path: Path, path: str) -> None:
    (tmp_path / "kgplatform.toml").write_text(f'[collections.docs]\npaths = ["docs/*.md", "{path}"]\n', encoding="utf-8")

    with pytest.raises(ConfigError) as caught:
        load_settings(tmp_path)
    assert "collections.docs.paths" in caught.value.what and "which no file fits" in caught.value.what


@pytest.mark.parametrize("path", ["*.md", "docs/{id}/{date}.md", "a b/c-*.csv", "{id}.yaml"])
def test_a_path_that_a_file_can_fit_is_taken(tmp_path: Path, path: str) -> None:
    (tmp_path / "kgplatform.toml").write_text(f'[collections.docs]\npaths = ["{path}"]\n', encoding="utf-8")

    assert (path,) == load_settings(tmp_path).collections["docs"].paths
