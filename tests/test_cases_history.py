"""What is said again, corrected or named otherwise: files that change under one name, and what is answered after each ingest."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from support.commandline import done
from support.histories import Desk, history_desk, names, owned

from kgplatform.ledger.base import Ledger
from kgplatform.ledger.document_views import document_entries, find_document


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    return history_desk(tmp_path, monkeypatch)


# -- said again


@pytest.mark.parametrize(
    "dates",
    [
        ("2026-02-01", "2026-02-01", "2026-02-01"),
        ("2026-01-01", "2026-02-01", "2026-01-01"),
        ("2026-01-01", "2026-02-01", "2026-02-20"),
        ("2026-02-01", "2026-01-01", "2026-02-01"),
        ("", "", ""),
        ("2026-02-01", "", "2026-02-01"),
        ("", "2026-02-01", ""),
    ],
)
def test_what_is_said_again_after_something_else_holds_again(desk: Desk, dates: tuple[str, str, str]) -> None:
    owners = []
    for day, (who, date) in enumerate(zip(("Atlas", "Cobalt", "Atlas"), dates, strict=True)):
        desk.at(f"2026-03-0{day + 1}")
        desk.read("memo.md", owned(who, date=date))
        owners.append(desk.owner())
        assert 0 == desk.ingest("memo.md")["claims_new"], "read twice in a row"

    assert ["Atlas", "Cobalt", "Atlas"] == owners


def test_a_row_of_a_snapshot_that_comes_back_holds_again(desk: Desk) -> None:
    owners = []
    for day, who in enumerate(("Atlas", "Cobalt", "Atlas")):
        desk.at(f"2026-03-0{day + 1}")
        desk.read("rows/2026-02-01/owners.csv", f"id,owner\nledger,{who}\n")
        owners.append(desk.owner())

    assert ["Atlas", "Cobalt", "Atlas"] == owners


def test_dated_versions_that_are_read_again_change_nothing_together_or_one_by_one(desk: Desk) -> None:
    paths = [f"rows/2026-0{month}-01/owners.csv" for month in (1, 2)]
    for path, who in zip(paths, ("Atlas", "Cobalt"), strict=True):
        desk.lay(path, f"id,owner\nledger,{who}\n")
    desk.ingest("rows")

    for chosen in (["rows"], paths, paths[:1]):
        assert 0 == desk.ingest(*chosen)["claims_new"]
        assert ("Cobalt", "Atlas") == (desk.owner(), desk.owner(when="January 2026"))


def test_a_corrected_older_version_is_corrected_in_its_place(desk: Desk) -> None:
    for month, who in ((1, "Atlas"), (2, "Cobalt")):
        desk.read(f"rows/2026-0{month}-01/owners.csv", f"id,owner\nledger,{who}\n")

    desk.read("rows/2026-01-01/owners.csv", "id,owner\nledger,Delta\n")

    assert ("Cobalt", "Delta") == (desk.owner(), desk.owner(when="January 2026"))


def test_the_page_of_a_document_shows_what_it_says_now_as_its_newest_version(desk: Desk) -> None:
    for who, date in (("Atlas", "2026-01-01"), ("Cobalt", "2026-02-01"), ("Atlas", "2026-01-01")):
        desk.read("memo.md", owned(who, date=date))

    with closing(Ledger.open(Path(os.environ["KGPLATFORM_DATA"]) / "ledger.sqlite")) as ledger:
        document = find_document(ledger, "notes", "memo.md", frozenset())
        (row,) = (each for each in document_entries(ledger, frozenset()) if each.name == "notes/memo.md")
    assert document is not None
    assert ["2026-02-01", "2026-01-01"] == [version.date[:10] for version in document.versions]
    assert ("2026-01-01", 2) == (row.date[:10], row.versions)


# -- corrected


def test_a_correction_of_the_same_date_keeps_it(desk: Desk) -> None:
    desk.read("memo.md", "---\ndate: 2024-02-20\n---\n\nQuil is owned by Cobalt.\n")
    desk.read("memo.md", "---\ndate: 2024-02-20\n---\n\nQuill is owned by Cobalt.\n")

    assert "Cobalt" == desk.owner("Quill", "June 2025")


@pytest.mark.parametrize(
    ("first", "second", "when"),
    [
        ("2024-02-20", "", "June 2025"),
        ("2025-12-20", "2025-02-20", "June 2025"),
    ],
)
def test_a_correction_without_date_keeps_the_date_and_one_with_another_date_takes_that(
    desk: Desk, first: str, second: str, when: str
) -> None:
    desk.read("memo.md", owned("Atlas", of="Quill", date=first))
    desk.read("memo.md", owned("Cobalt", of="Quill", date=second))

    assert "Cobalt" == desk.owner("Quill", when)


def test_a_correction_of_a_file_that_its_path_dates_keeps_that_date(desk: Desk) -> None:
    desk.read("memos/2024-02-20/note.md", owned("Atlas", of="Quill"))
    desk.read("memos/2024-02-20/note.md", owned("Cobalt", of="Quill"))

    assert "Cobalt" == desk.owner("Quill", "June 2025")


def test_a_catalogue_that_changes_under_one_date_changes_when_it_is_read(desk: Desk) -> None:
    desk.read("rows/2024-02-20/owners.csv", "id,owner\nledger,Atlas\n")
    desk.read("rows/2024-02-20/owners.csv", "id,owner\nledger,Cobalt\n")

    assert ("Cobalt", "no_match") == (desk.owner(), desk.owner(when="2023"))


# -- named


def test_two_files_of_one_name_that_are_given_singly_are_two_documents(desk: Desk) -> None:
    desk.read("a/owner.md", owned("Atlas"))
    second = desk.read("b/owner.md", owned("Cobalt", of="Quill"))

    assert ("Atlas", "Cobalt") == (desk.owner(), desk.owner("Quill"))
    assert ["is the document notes/b/owner.md, since notes/owner.md is another file"] == names(second)
    assert [] == names(desk.ingest("b/owner.md")), "told once"


@pytest.mark.parametrize(
    ("first", "later"), [("notes", "notes/a"), ("notes", "notes/a/owner.md"), ("notes/a/owner.md", "notes"), ("notes/a", "notes")]
)
def test_a_document_keeps_its_name_however_it_is_read_again(desk: Desk, first: str, later: str, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.lay("notes/a/owner.md", owned("Atlas"))
    desk.ingest(first)

    desk.lay("notes/a/owner.md", owned("Cobalt"))
    monkeypatch.chdir(desk.root / later if (desk.root / later).is_dir() else (desk.root / later).parent)
    done("ingest", "owner.md" if later.endswith(".md") else ".")

    assert "Cobalt" == desk.owner()
    assert 2 == len(desk.documents())


def test_equal_paths_below_two_folders_are_two_documents_while_both_are_there(desk: Desk) -> None:
    for folder, of in (("one", "Ledger"), ("two", "Quill")):
        desk.lay(f"{folder}/team/owner.md", owned("Atlas", of=of))
        desk.ingest(folder)

    assert ("Atlas", "Atlas") == (desk.owner(), desk.owner("Quill"))


def test_a_folder_that_was_moved_brings_the_same_documents(desk: Desk) -> None:
    desk.lay("one/owner.md", owned("Atlas"))
    desk.ingest("one")
    (desk.root / "one").rename(desk.root / "two")
    desk.lay("two/owner.md", owned("Cobalt"))

    assert ["is read as notes/owner.md, whose file is gone from where it was"] == names(desk.ingest("two"))
    assert "Cobalt" == desk.owner()


def test_a_directory_of_an_older_format_goes_on_under_its_names(desk: Desk) -> None:
    desk.read("notes/a/owner.md", owned("Atlas"))
    with sqlite3.connect(Path(os.environ["KGPLATFORM_DATA"]) / "ledger.sqlite") as ledger:
        ledger.execute("UPDATE reading SET root = '', file = ''")
        ledger.execute("UPDATE document SET path = 'notes/a/owner.md' WHERE name = 'owner.md'")

    desk.lay("notes/a/owner.md", owned("Cobalt"))
    desk.ingest("notes")

    assert (2, "Cobalt") == (len(desk.documents()), desk.owner())
