"""Walking folders, placing files in collections, and one clear line for what cannot be read."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from ingesting import Desk

from kgplatform.errors import UnknownName, UsageError

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
paths = ["memos/twin-{id}"]
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


def test_what_only_describes_a_folder_is_no_document(desk: Desk) -> None:
    for name in ("README.md", "LICENSE", "NOTICE", "ORIGIN.md", "CHANGELOG.md", ".hidden.md", ".git/a.md", "mappings/a.toml"):
        desk.lay(f"memos/{name}", "Tax is a component.\n")
    desk.lay("memos/a.md", "Tax is a component.\n")

    assert [("memos", "a.md", "")] == placed(desk)


def test_a_file_that_is_named_is_read_whatever_its_name(desk: Desk) -> None:
    desk.lay("memos/README.md", "Tax is a component.\n")

    assert [("memos", "README.md", "")] == placed(desk, "memos/README.md")


def test_a_link_to_a_folder_is_not_followed(desk: Desk, tmp_path: Path) -> None:
    desk.lay("memos/a.md", "Tax is a component.\n")
    os.symlink(tmp_path, tmp_path / "memos" / "up")

    assert [("memos", "a.md", "")] == placed(desk)


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
    desk.lay("a/x.yaml", YAML)
    desk.lay("b/x.yaml", YAML)
    (reading,), (problem,) = desk.read("a", "b", collection="catalogue")

    assert reading.path.endswith("a/x.yaml")
    assert problem.what.endswith("a/x.yaml: catalogue/x.yaml")


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
        ("Makefile", b"all:\n", "", "is of no known type: no extension"),
    ],
)
def test_what_cannot_be_read_gives_one_line_and_the_rest_goes_on(desk: Desk, name: str, content: bytes, line: str, what: str) -> None:
    path = desk.lay(f"catalogue/{name}", content)
    desk.lay("catalogue/z.yaml", YAML)
    readings, (problem,) = desk.read()

    assert (what, f"{path}:{line}" if line else str(path)) == (problem.what, problem.where)
    assert ["z.yaml"] == [r.document for r in readings]
    assert problem.hint


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
