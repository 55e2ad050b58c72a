"""Walking folders, placing files in collections, and one clear line for what cannot be read."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from support.ingesting import Desk, schema

from kgplatform.errors import ConfigError, UnknownName, UsageError
from kgplatform.ingest.files import read_paths
from kgplatform.model import SKIPPED, Problem

SETTINGS = """
max_file_bytes = 2000
[collections.catalogue]
kind = "snapshot"
paths = ["catalogue/{date}/{id}", "catalogue/{id}"]
[collections.memos]
paths = ["memos/{id}"]
[collections.finance]
scopes = ["finance"]
paths = ["finance/{id}"]
[collections.finance-reports]
scopes = ["finance"]
paths = ["finance/reports/{id}"]
[collections.twin]
paths = ["memos/twin-{id}"]
[collections.twin-too]
paths = ["memos/{id}-a.md"]
"""
YAML = "apiVersion: backstage.io/v1alpha1\nkind: Component\nmetadata:\n  name: tax\n"


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    (tmp_path / "kgplatform.toml").write_text(SETTINGS)
    return Desk(tmp_path)


def placed(desk: Desk, *paths: str) -> list[tuple[str, str, str]]:
    readings, problems = desk.read(*paths)
    assert [] == problems
    return [(r.collection, r.document, r.declared[:10]) for r in readings]


# -- which files are documents


@pytest.mark.parametrize("name", ["README.md", "readme.txt", "README", "LICENSE", "NOTICE", "ORIGIN.md", "CHANGELOG.md"])
def test_what_describes_a_folder_is_a_text_like_others(desk: Desk, name: str) -> None:
    desk.lay(f"memos/{name}", "Tax is a component.\n")
    (reading,), problems = desk.read()

    assert ([], name, True, 1) == (problems, reading.document, reading.is_text, len(reading.passages))


def test_each_file_that_a_walk_passes_over_is_told_with_its_reason(desk: Desk, tmp_path: Path) -> None:
    for name in (".hidden.md", ".git/a.md", "kgplatform.toml", "mappings/a.toml", "a.md"):
        desk.lay(f"memos/{name}", "Tax is a component.\n")
    os.symlink(tmp_path, tmp_path / "memos" / "up")

    assert {".git/": "hidden", ".hidden.md": "hidden", "kgplatform.toml": "settings", "mappings/": "settings", "up/": "link"} == passed(
        desk, "memos"
    )


def passed(desk: Desk, path: str) -> dict[str, str]:
    """Path below the folder -> why a walk of the folder passed it over."""
    items = read_paths([desk.root / path], settings=desk.settings, schema=schema())
    problems = [item for item in items if isinstance(item, Problem)]
    assert all(problem.what for problem in problems)
    return {problem.where.removeprefix(f"{desk.root / path}/"): problem.reason for problem in problems}


def test_a_file_that_is_named_is_read_whatever_its_name(desk: Desk) -> None:
    desk.exclude("*.md")
    desk.lay("memos/.README.md", "Tax is a component.\n")

    assert [("memos", ".README.md", "")] == placed(desk, "memos/.README.md")


def test_a_name_that_is_not_utf_8_costs_itself(desk: Desk, tmp_path: Path) -> None:
    desk.lay("memos/a.md", "Tax is a component.\n")
    Path(os.fsdecode(os.fsencode(tmp_path / "memos") + b"/caf\xe9.md")).write_text("Tax is a component.\n")
    (reading,), (problem,) = desk.read()

    assert ("a.md", "name") == (reading.document, problem.reason)
    assert problem.where.encode()


def test_a_folder_that_cannot_be_opened_is_told(desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.lay("memos/a.md", "Tax is a component.\n")
    (tmp_path / "memos" / "closed").mkdir()
    scandir = os.scandir

    def refusing(path: str) -> object:
        if str(path).endswith("closed"):
            raise PermissionError(13, "Permission denied", path)
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refusing)  # who tests as root may open everything
    (reading,), (problem,) = desk.read()

    assert ("a.md", "Permission denied", "unreadable") == (reading.document, problem.what, problem.reason)


@pytest.mark.parametrize(
    ("patterns", "read"),
    [
        (("**/CHANGELOG.md",), ["README.md", "docs/drafts/a.md", "docs/a.bak.md"]),
        (("CHANGELOG.md",), ["README.md", "docs/drafts/a.md", "docs/a.bak.md"]),
        (("*.md", "!README.md"), ["README.md"]),
        (("drafts/",), ["CHANGELOG.md", "README.md", "docs/CHANGELOG.md", "docs/a.bak.md"]),
        (("docs/drafts/",), ["CHANGELOG.md", "README.md", "docs/CHANGELOG.md", "docs/a.bak.md"]),
        (("/CHANGELOG.md", "/docs/"), ["README.md"]),
        (("*.bak.*", "docs/**/a.md"), ["CHANGELOG.md", "README.md", "docs/CHANGELOG.md"]),
        (("changelog.md",), ["CHANGELOG.md", "README.md", "docs/CHANGELOG.md", "docs/drafts/a.md", "docs/a.bak.md"]),
    ],
)
@pytest.mark.parametrize("of", ["", "memos"])
def test_a_setting_excludes_by_patterns_as_gitignore_has_them(desk: Desk, patterns: tuple[str, ...], read: list[str], of: str) -> None:
    """For all collections, or for one."""
    desk.exclude(*patterns, collection=of)
    for name in ("CHANGELOG.md", "README.md", "docs/CHANGELOG.md", "docs/drafts/a.md", "docs/a.bak.md"):
        desk.lay(f"memos/{name}", "Tax is a component.\n")

    assert sorted(read) == sorted(document for _, document, _ in placed(desk, "memos"))
    assert {"excluded"} == set(passed(desk, "memos").values()) or patterns == ("changelog.md",)


@pytest.mark.parametrize("start", [".", "memos", "memos/drafts"])
def test_a_pattern_excludes_the_same_file_from_wherever_its_folder_is_read(desk: Desk, start: str) -> None:
    desk.exclude("memos/drafts/*.md")
    desk.lay("memos/drafts/a.md", "Tax is a component.\n")
    desk.lay("memos/drafts/b.txt", "Tax is a component.\n")

    readings, problems = desk.read(start, collection="memos")

    assert ([], ["drafts/b.txt"]) == (problems, [reading.document for reading in readings])


def test_what_one_collection_excludes_another_may_read(desk: Desk) -> None:
    desk.exclude("*.md", collection="finance")
    for name in ("memos/a.md", "finance/a.md", "finance/b.txt"):
        desk.lay(name, "Tax is a component.\n")

    assert [("finance", "b.txt", ""), ("memos", "a.md", "")] == sorted(placed(desk))


@pytest.mark.parametrize("line", ["", " ", "!", "!!a", "# drafts", "a\\", "["])
def test_a_pattern_that_matches_nothing_is_refused_when_the_settings_are_read(desk: Desk, line: str) -> None:
    desk.exclude(line)
    with pytest.raises(ConfigError, match="exclude holds .* which matches no path"):
        desk.read()


def test_a_link_to_a_folder_is_not_followed(desk: Desk, tmp_path: Path) -> None:
    desk.lay("memos/a.md", "Tax is a component.\n")
    os.symlink(tmp_path, tmp_path / "memos" / "up")
    (reading,), (problem,) = desk.read()

    assert ("a.md", "link") == (reading.document, problem.reason)


def test_files_come_in_the_order_of_their_paths(desk: Desk) -> None:
    for name in ("b.md", "a.md", "c/a.md"):
        desk.lay(f"memos/{name}", "Tax is a component.\n")

    assert ["a.md", "b.md", "c/a.md"] == [document for _, document, _ in placed(desk)]


def test_a_file_that_is_reached_twice_is_read_once(desk: Desk) -> None:
    desk.lay("memos/a.md", "Tax is a component.\n")

    assert 1 == len(placed(desk, "memos", "memos/a.md"))


# -- where they belong


def test_a_pattern_gives_collection_document_and_date(desk: Desk) -> None:
    desk.lay("catalogue/2024-04-02/sub/catalog.yaml", YAML)

    assert [("catalogue", "sub/catalog.yaml", "2024-04-02")] == placed(desk)


@pytest.mark.parametrize("start", [".", "catalogue", "catalogue/2024-04-02", "catalogue/2024-04-02/catalog.yaml"])
def test_a_document_is_the_same_from_wherever_it_is_read(desk: Desk, start: str) -> None:
    desk.lay("catalogue/2024-04-02/catalog.yaml", YAML)

    assert [("catalogue", "catalog.yaml", "2024-04-02")] == placed(desk, start)


def test_the_more_specific_pattern_wins(desk: Desk) -> None:
    desk.lay("finance/reports/a.md", "Tax is a component.\n")

    assert [("finance-reports", "a.md", "")] == placed(desk)


def test_a_folder_far_above_claims_nothing(desk: Desk) -> None:
    desk.lay("memos/deep/down/a.md", "Tax is a component.\n")
    readings, (problem,) = desk.read("memos/deep/down")

    assert ([], "belongs to no collection") == (readings, problem.what)


def test_a_named_collection_is_taken_and_keeps_its_ids(desk: Desk) -> None:
    desk.lay("memos/deep/down/a.md", "Tax is a component.\n")
    (reading,), _ = desk.read("memos/deep/down", collection="memos")
    (other,), _ = desk.read("memos/deep/down", collection="finance")

    assert ("memos", "deep/down/a.md") == (reading.collection, reading.document)
    assert ("finance", "a.md") == (other.collection, other.document)


def test_a_file_of_two_collections_belongs_to_neither(desk: Desk) -> None:
    desk.lay("memos/twin-a.md", "Tax is a component.\n")
    readings, (problem,) = desk.read()

    assert ([], "fits the collections twin and twin-too") == (readings, problem.what)


def test_versions_of_one_document_come_by_date(desk: Desk) -> None:
    for date in ("2024-04-02", "2023-09-10", "2024"):
        desk.lay(f"catalogue/{date}/b.yaml", YAML)
    desk.lay("catalogue/2024-01-05/a.yaml", YAML)

    assert ["2023-09-10", "2024-01-01", "2024-04-02"] == [date for _, document, date in placed(desk) if document == "b.yaml"]


def test_versions_dated_by_their_front_matter_come_by_date_too(desk: Desk) -> None:
    desk.lay("memos/1.md", "---\nid: note\ndate: 2024-04-02\n---\nTax is a component.\n")
    desk.lay("memos/2.md", "---\nid: note\ndate: 2023-09-10\n---\nTax is a service.\n")

    assert [("memos", "note", "2023-09-10"), ("memos", "note", "2024-04-02")] == placed(desk)


def test_two_files_that_would_be_one_version_are_a_problem(desk: Desk) -> None:
    for folder in "ab":
        desk.lay(f"{folder}/x.md", "---\nid: note\n---\nTax is a component.\n")
    (reading,), (problem,) = desk.read("a", "b", collection="memos")

    assert reading.path.endswith("a/x.md")
    assert problem.what.endswith("a/x.md: memos/note")


def test_equal_paths_below_two_folders_are_two_documents(desk: Desk) -> None:
    for folder in "ab":
        desk.lay(f"{folder}/x.yaml", YAML)
    readings, (problem,) = desk.read("a", "b", collection="catalogue")

    assert ["x.yaml", "b/x.yaml"] == [reading.document for reading in readings]
    assert problem.where.endswith("b/x.yaml") and "catalogue/x.yaml is another file" in problem.what


def test_what_the_caller_declares_wins(desk: Desk) -> None:
    desk.lay("memos/1.md", "---\nid: note\ndate: 2024-04-02\n---\nTax is a component.\n")
    (reading,), _ = desk.read("memos/1.md", document="other", declared="2025-01")

    assert ("other", "2025-01-01T00:00:00Z") == (reading.document, reading.declared)


def test_a_document_id_fits_one_file_only(desk: Desk) -> None:
    desk.lay("memos/a.md", "Tax is a component.\n")
    desk.lay("memos/b.md", "Tax is a component.\n")
    with pytest.raises(UsageError):
        desk.read(document="x")


def test_an_undeclared_collection_is_an_error(desk: Desk) -> None:
    with pytest.raises(UnknownName):
        desk.read(collection="memo")


# -- one clear line per file that cannot be read, and the rest goes on


@pytest.mark.parametrize(
    ("name", "content", "line", "what"),
    [
        ("a.yaml", b"", "", "is empty"),
        ("a.md", b"\xef\xbb\xbf \n", "", "is empty"),
        ("a.yaml", b"# nothing\n---\n", "", "holds nothing but comments"),
        ("a.yaml", b"x" * 2001, "", "is larger than max_file_bytes = 2000"),
        ("a.yaml", b"a: 1\nb: \xff\n", "2", "is not UTF-8 at byte 8 (perhaps another encoding)"),
        ("a.yaml", "a: 1\n".encode("utf-16"), "1", "is not UTF-8 at byte 0 (perhaps UTF-16)"),
        ("a.csv", b"a\0b\n", "", "holds NUL bytes and is no text"),
        ("a.yaml", b"a: [1\n", "1", "is not valid YAML: expected ',' or ']', but got '<stream end>'"),
        ("a.yaml", b"a: 1\na: 2\n", "2", "the key 'a' stands twice"),
        ("a.yaml", b"a: &x [*x]\n", "1", "the alias *x contains itself"),
        ("a.yaml", b"just text\n", "1", "holds no mapping"),
        ("a.yaml", b"# one\na: 1\n", "2", "holds records, and its collection has no mapping"),
        ("a.docx", b"PK", "", "is of no known type: .docx"),
        ("a.png", b"\x89PNG\r\n", "", "is of no known type: .png"),
        ("gradlew", b"#!/bin/sh\nexit\n", "", "is of no known type: no extension"),
    ],
)
def test_what_cannot_be_read_gives_one_line_and_the_rest_goes_on(desk: Desk, name: str, content: bytes, line: str, what: str) -> None:
    path = desk.lay(f"catalogue/{name}", content)
    desk.lay("catalogue/z.yaml", YAML)
    readings, (problem,) = desk.read()

    assert (what, f"{path}:{line}" if line else str(path)) == (problem.what, problem.where)
    assert ["z.yaml"] == [r.document for r in readings]
    assert problem.hint and problem.reason in SKIPPED


def test_a_path_that_does_not_exist_is_a_problem(desk: Desk) -> None:
    readings, (problem,) = desk.read("memos/none.md")

    assert ([], "no such file or folder") == (readings, problem.what)


def test_a_pipe_is_no_file(desk: Desk, tmp_path: Path) -> None:
    desk.lay("memos/a.md", "Tax is a component.\n")
    os.mkfifo(tmp_path / "memos" / "b.md")
    readings, (problem,) = desk.read()

    assert (1, "is not a regular file") == (len(readings), problem.what)


def test_a_byte_order_mark_is_no_part_of_the_text(desk: Desk) -> None:
    assert YAML == desk.one("catalogue/a.yaml", "\ufeff" + YAML).text


def test_a_reading_keeps_the_bytes_of_its_file(desk: Desk) -> None:
    assert YAML.replace("\n", "\r\n").encode() == desk.one("catalogue/a.yaml", YAML.replace("\n", "\r\n")).content
