"""What is gone, renamed, unreadable, erased or hidden: what each ingest tells of it, and what is answered afterwards."""

from __future__ import annotations

import json
import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from support.commandline import done, kg
from support.histories import SETTINGS, Desk, history_desk, names, owned
from support.ingesting import Desk as Files
from support.ingesting import schema

from kgplatform.ingest.files import read_paths
from kgplatform.ledger.base import Ledger
from kgplatform.ledger.document_views import document_entries, find_document
from kgplatform.model import Problem, Reading


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    return history_desk(tmp_path, monkeypatch)


# -- gone


def whole_folder(desk: Desk) -> None:
    """Ten files, so that one of them is not many."""
    for number in range(8):
        desk.lay(f"notes/{number}.md", f"Nothing to see here, {number}.\n")
    desk.lay("notes/owner.md", owned("Atlas"))
    desk.lay("notes/rows/owners.csv", "id,owner\nquill,Cobalt\n")
    desk.ingest("notes")


def test_a_file_that_is_gone_is_told_and_still_counts(desk: Desk) -> None:
    whole_folder(desk)
    (desk.root / "notes/owner.md").unlink()

    for _ in range(2):
        summary = desk.ingest("notes")
        assert (1, ["is gone; notes/owner.md still counts"]) == (summary["gone"], names(summary))
    assert "Atlas" == desk.owner()


def test_sync_withdraws_what_is_gone_and_what_comes_back_is_said_again(desk: Desk) -> None:
    whole_folder(desk)
    for path in ("notes/owner.md", "notes/rows/owners.csv"):
        (desk.root / path).rename(desk.root / Path(path).name)
    desk.at("2026-04-01")
    summary = desk.ingest("notes", options=("--sync",))

    assert (0, 2) == (summary["gone"], summary["withdrawn"])
    assert ("no_match", "no_match") == (desk.owner(), desk.owner("Quill"))
    assert ("no_match", "Cobalt") == (desk.owner(when="March 2026"), desk.owner("Quill", "March 2026")), "retracted; ended"
    assert 0 == desk.ingest("notes", options=("--sync",))["withdrawn"], "once"
    assert "Atlas" == json.loads(kg("ask", "Who owns Ledger?", "--recorded-at", "2026-03-15", "--json").out)["answers"][0]["label"]

    desk.at("2026-05-01")
    for path in ("notes/owner.md", "notes/rows/owners.csv"):
        (desk.root / Path(path).name).rename(desk.root / path)
    desk.ingest("notes", options=("--sync",))

    assert ("Atlas", "Cobalt") == (desk.owner(), desk.owner("Quill"))


@pytest.mark.parametrize("survivors", [0, 7])
def test_sync_asks_before_it_withdraws_much_of_a_folder(desk: Desk, survivors: int) -> None:
    whole_folder(desk)
    for path in sorted((desk.root / "notes").rglob("*.*"))[survivors:]:
        path.unlink()
    said = kg("ingest", desk.root / "notes", "--sync")

    assert 1 == said.code and "nothing was withdrawn (see that it is whole, then add --yes)" in said.err
    assert 0 == json.loads(kg("ingest", desk.root / "notes", "--sync", "--json").out)["withdrawn"]
    assert 10 - survivors == json.loads(kg("ingest", desk.root / "notes", "--sync", "--yes", "--json").out)["withdrawn"]


def test_sync_leaves_alone_what_it_cannot_know_to_be_gone(desk: Desk) -> None:
    whole_folder(desk)
    desk.lay("elsewhere/other.md", owned("Delta", of="Quill"))
    desk.ingest("elsewhere")
    (desk.root / "elsewhere/other.md").unlink()
    (desk.root / "notes/owner.md").rename(desk.root / "notes/.owner.md")
    (desk.root / "notes/owner.md").symlink_to("nowhere.md")
    with sqlite3.connect(Path(os.environ["KGPLATFORM_DATA"]) / "ledger.sqlite") as ledger:
        ledger.execute("UPDATE reading SET root = '' WHERE file LIKE '%/1.md'")
        ledger.execute("UPDATE reading SET root = 'upload', file = 'notes/2.md' WHERE file LIKE '%/2.md'")
    for number in (1, 2):
        (desk.root / f"notes/{number}.md").unlink()

    assert 0 == desk.ingest("notes", options=("--sync",))["withdrawn"]
    assert "Atlas" == desk.owner()


@pytest.mark.parametrize("arguments", [["--yes"], ["--sync"]])
def test_sync_needs_a_folder_and_yes_needs_sync(desk: Desk, arguments: list[str]) -> None:
    desk.read("owner.md", owned("Atlas"))
    said = kg("ingest", desk.root / "owner.md", *arguments)

    assert (2, 1) == (said.code, len(said.err.splitlines()))


def test_a_withdrawn_document_is_listed_as_such(desk: Desk) -> None:
    whole_folder(desk)
    (desk.root / "notes/owner.md").unlink()
    desk.at("2026-04-01")
    desk.ingest("notes", options=("--sync",))

    with closing(Ledger.open(Path(os.environ["KGPLATFORM_DATA"]) / "ledger.sqlite")) as ledger:
        document = find_document(ledger, "notes", "owner.md", frozenset())
        withdrawn = [each.name for each in document_entries(ledger, frozenset()) if each.withdrawn]
    assert document is not None and "2026-04-01" == document.withdrawn[:10] and 1 == len(document.versions)
    assert ["notes/owner.md"] == withdrawn


# -- renamed


def test_a_renamed_file_goes_on_as_its_document(desk: Desk) -> None:
    whole_folder(desk)
    (desk.root / "notes/owner.md").rename(desk.root / "notes/ledger.md")
    summary = desk.ingest("notes", options=("--sync",))

    (line,) = names(summary)
    assert line.startswith("is notes/owner.md under a new name")
    assert (0, 0, 0) == (summary["gone"], summary["withdrawn"], summary["claims_new"])
    assert "Atlas" == desk.owner()

    desk.lay("notes/ledger.md", owned("Delta"))
    desk.ingest("notes", options=("--sync",))
    assert ("Delta", 11) == (desk.owner(), len(desk.documents()))


def test_a_new_file_at_the_place_of_a_renamed_one_is_another_document(desk: Desk) -> None:
    whole_folder(desk)
    desk.lay("notes/owner.md", owned("Delta"))
    desk.ingest("notes")
    (desk.root / "notes/owner.md").rename(desk.root / "notes/ledger.md")
    desk.ingest("notes")
    desk.lay("notes/owner.md", owned("Atlas", of="Quill"))
    desk.ingest("notes")

    assert ("Delta", 12) == (desk.owner(), len(desk.documents()))


def test_what_may_be_one_of_two_renamed_files_is_a_document_of_its_own(desk: Desk) -> None:
    whole_folder(desk)
    (desk.root / "notes/owner.md").unlink()
    for name in ("one.md", "two.md"):
        desk.lay(f"notes/{name}", owned("Atlas"))

    assert ["is gone; notes/owner.md still counts"] == names(desk.ingest("notes"))
    assert {"notes/one.md", "notes/two.md"} <= set(desk.documents())


# -- bad names


def test_a_bad_file_costs_itself_and_a_line(desk: Desk) -> None:
    folder = desk.root / "notes"
    desk.lay("notes/owner.md", owned("Atlas"))
    desk.lay("notes/folder.md/in.md", owned("Atlas", of="Quill"))
    bad = os.fsencode(folder)
    for name in (b"bad-\xff.md", b"new\nline.md", b"bell\x07.md", b"line\xe2\x80\xa8separator.md", b"folder-\xff/in.md", b"folder\n/in.md"):
        os.makedirs(os.path.dirname(bad + b"/" + name), exist_ok=True)
        with open(bad + b"/" + name, "w") as out:
            out.write(owned("Cobalt"))
    for link, target in (("dangling", "nowhere"), ("loop", "loop"), ("device", "/dev/zero"), ("up", ".")):
        (folder / f"{link}.md").symlink_to(target)
    os.mkfifo(folder / "pipe.md")
    before = Path.cwd()
    os.chdir(folder)
    for _ in range(25):
        os.mkdir("d" * 200)
        os.chdir("d" * 200)
    os.chdir(before)
    said = kg("ingest", folder)

    assert (0, 12) == (said.code, len(said.err.splitlines())), said.err
    assert all(line.isprintable() for line in said.err.splitlines())
    assert ("Atlas", "Atlas") == (desk.owner(), desk.owner("Quill"))


@pytest.mark.parametrize("name", [b"bad-\xff.md", b"new\nline.md", b"folder-\xff", b"folder-\xff/below", b"folder\n"])
def test_a_bad_name_that_is_given_itself_is_one_line(desk: Desk, name: bytes) -> None:
    path = os.fsencode(desk.root) + b"/" + name
    os.makedirs(os.path.dirname(path) if name.endswith(b".md") else path, exist_ok=True)
    if name.endswith(b".md"):
        with open(path, "w") as out:
            out.write(owned("Atlas"))
    said = kg("ingest", os.fsdecode(path))

    line, after = said.err.splitlines()
    assert "rename it" in line and line.isprintable() and "nothing was read" == after


def test_what_may_not_be_looked_at_costs_itself_and_a_line(tmp_path: Path) -> None:
    """As a user who is not root, whom nothing is forbidden."""
    (tmp_path / "kgplatform.toml").write_text(SETTINGS)
    files = Files(tmp_path)
    for path in ("open.md", "closed.md", "locked/in.md", "listed/in.md"):
        files.lay(f"notes/{path}", owned("Atlas"))
    settings = files.settings
    for path, mode in (("closed.md", 0), ("locked", 0), ("listed", 0o444)):
        (tmp_path / "notes" / path).chmod(mode)
    files.read("notes/open.md")  # so that all is imported
    for folder in (tmp_path, *tmp_path.parents):
        if folder.stat().st_uid == os.geteuid() and folder != Path("/"):
            folder.chmod(folder.stat().st_mode | 0o755)
    is_root = os.geteuid() == 0
    if is_root:
        os.seteuid(65534)
    try:
        found = list(read_paths([tmp_path / "notes"], settings=settings, schema=schema()))
    finally:
        if is_root:
            os.seteuid(0)

    assert ["open.md"] == [each.document for each in found if isinstance(each, Reading)]
    assert ["closed.md", "in.md", "locked"] == sorted(Path(each.where).name for each in found if isinstance(each, Problem))


def test_a_file_that_vanishes_after_the_walk_costs_itself_and_a_line(desk: Desk) -> None:
    for name in "abc":
        desk.lay(f"notes/{name}.md", owned("Atlas"))
    found = []
    for each in read_paths([desk.root / "notes"], settings=Files(desk.root).settings, schema=schema()):
        (desk.root / "notes/b.md").unlink(missing_ok=True)
        found.append(each)

    assert ["a.md", "c.md"] == [each.document for each in found if isinstance(each, Reading)]
    assert ["no such file or folder"] == [each.what for each in found if isinstance(each, Problem)]


# -- erased and read again


def test_what_was_erased_is_not_read_again_unless_it_is_asked_for(desk: Desk) -> None:
    whole_folder(desk)
    done("erase", "notes/owner.md", "--yes")
    summary = desk.ingest("notes")

    assert (["was erased on 2026-03-01"], "no_match") == (names(summary), desk.owner())
    assert 9 == summary["documents_read"]
    assert [] == names(desk.ingest("notes", options=("--again",))) and "Atlas" == desk.owner()
    assert [] == names(desk.ingest("notes")), "it is there again"


def test_only_who_holds_its_scopes_hears_that_a_document_was_erased(desk: Desk) -> None:
    done("principal", "add", "maria", "--role", "editor", "--scope", "finance")
    done("principal", "add", "jo", "--role", "editor")
    text = "---\nscope: finance\n---\n\nLedger is owned by Atlas.\n"
    desk.read("notes/owner.md", text)
    done("erase", "notes/owner.md", "--yes")

    assert ["was erased on 2026-03-01"] == names(desk.ingest("notes", options=("--as", "maria")))
    desk.lay("notes/owner.md", owned("Cobalt"))
    assert [] == names(desk.ingest("notes", options=("--as", "jo")))
    assert "Cobalt" == desk.owner()


def test_a_receipt_survives_a_backup_and_holds_no_name(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.read("notes/a-very-telling-name.md", owned("Atlas"))
    receipt = done("erase", "notes/a-very-telling-name.md", "--yes", "--json").json
    done("backup", desk.root / "kept")
    done("restore", desk.root / "kept", "--data", desk.root / "restored")
    monkeypatch.setenv("KGPLATFORM_DATA", str(desk.root / "restored"))

    assert ("purged", []) == (receipt["state"], receipt["found"])
    assert ["was erased on 2026-03-01"] == names(desk.ingest("notes"))
    assert not [path for path in (desk.root / "restored").rglob("*") if path.is_file() and b"very-telling" in path.read_bytes()]


# -- what is hidden


def test_nothing_is_told_of_documents_that_the_bringer_may_not_see(desk: Desk) -> None:
    done("principal", "add", "jo", "--role", "editor")
    hidden = "---\nscope: finance\n---\n\nLedger is owned by Atlas.\n"
    for path in ("notes/a/owner.md", "notes/a/gone.md"):
        desk.read(path, hidden)
    (desk.root / "notes/a/gone.md").unlink()
    desk.lay("notes/b/owner.md", owned("Cobalt", of="Quill"))
    desk.lay("notes/moved.md", hidden)

    for path in ("notes/b/owner.md", "notes"):
        summary = desk.ingest(path, options=("--as", "jo", "--sync") if path == "notes" else ("--as", "jo"))
        assert (0, 0, []) == (summary["gone"], summary["withdrawn"], names(summary))


def test_the_pages_of_a_withdrawn_document_say_so(desk: Desk) -> None:
    from support.browsing import site_of, words

    whole_folder(desk)
    (desk.root / "notes/owner.md").unlink()
    desk.at("2026-04-01")
    desk.ingest("notes", options=("--sync",))
    site = site_of(Path(os.environ["KGPLATFORM_DATA"]))

    assert "Withdrawn on 1 April 2026: its file was gone" in words(site.client().get("/document/notes/owner.md"))
    assert "notes/owner.md withdrawn on 1 April 2026" in words(site.client().get("/documents"))
    assert "notes/owner.md withdrawn" in words(site.client("steward").get("/steward/history"))
