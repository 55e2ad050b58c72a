"""What is kept of an XLSX file, how it waits until it is read, and which files are none; through the command line too."""

from __future__ import annotations

import datetime as dt
import io
import re
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.commandline import done
from support.ingesting import Desk, facts
from support.tabling import SETTINGS, people_desk
from support.workbooks import HEAD, PEOPLE, ROWS, rewritten, told, workbook

from kgplatform.ingest.admission import waiting
from kgplatform.ingest.secrets import masked
from kgplatform.ingest.unpacked import unpacked
from kgplatform.ingest.unpacked_workbook import workbook_of
from kgplatform.ingest.workbooks import read_workbook
from kgplatform.terms import PP, TYPE, class_node


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return people_desk(tmp_path, PEOPLE)


def test_what_is_kept_is_the_text_and_not_the_file(desk: Desk) -> None:
    reading = desk.one("a.xlsx", workbook(Staff=ROWS, Rooms=[("room",), ("1",)]))

    assert "Sheet: Staff\nstaff_id,name,team,since,note\n18,Ann,Core,2021-03-01,x\n\nSheet: Rooms\nroom\n1\n" == reading.text
    assert reading.text.encode() == reading.content


def test_secrets_of_a_workbook_are_masked_in_all_that_is_kept(desk: Desk) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" * 2
    desk.lay(
        "a.xlsx",
        workbook(
            Staff=[
                ("staff_id", "name", "team", "since", "password"),
                (18, "Ann", "Core", "2021", "hunter2-Öl-9x!"),
                (19, secret, "Web", "", ""),
            ]
        ),
    )
    (reading,), _ = desk.read("a.xlsx")

    for hidden in ("hunter2", secret):
        assert hidden not in reading.text
        assert hidden.encode() not in reading.content
        assert not [claim for claim in reading.claims if hidden in str(claim)]
    assert 1 == len(told(reading, "masked"))
    assert ("person:18", PP.works_for, "team:core") in facts(reading)


def formats(book: Any) -> None:
    book["S"]["B2"].number_format, book["S"]["C2"].number_format = "000", "yyyy-mm-dd h:mm"
    book["S"].merge_cells("A4:B4")
    book["S"].row_dimensions[2].hidden = book["S"].column_dimensions["C"].hidden = True


@pytest.mark.parametrize(
    "content",
    [
        workbook(
            formats,
            S=[("id", "a", "b"), (" 1 ", 18, dt.datetime(2021, 3, 1)), (True, dt.time(9, 5), "two\nlines"), ("=1+1", "#N/A", 'é,"q"')],
        ),
        workbook(Staff=[("HR export",), (), *ROWS, (None,) * 5, (7, 1e20)], Rooms=[("room",), ("1",)], Empty=[]),
    ],
)
def test_a_workbook_that_waits_is_read_as_the_file_would_be(content: bytes) -> None:
    path = Path("a.xlsx")
    waits = waiting(content, path, 1_000_000)

    for where in ("a.xlsx", "elsewhere/b.xlsx"):
        file = unpacked(waits, where, max_bytes=1_000_000)
        assert file is not None and read_workbook(content, where, max_bytes=1_000_000) == workbook_of(file, where)[0]


@pytest.mark.parametrize(
    ("part", "change"),
    [
        ("unpacked.json", lambda text: "[]"),
        ("unpacked.json", lambda text: text.replace('"Staff"', '"Stuff"', 1)),
        ("unpacked.json", lambda text: text.replace('"Staff", 2', '"Staff", "x"')),
        ("unpacked.json", lambda text: text[:20]),
        ("unpacked.csv", lambda text: "Sheet: Staff\n"),
    ],
)
def test_what_somebody_wrote_like_a_waiting_workbook_is_no_workbook(desk: Desk, part: str, change: Callable[[str], str]) -> None:
    content = rewritten(waiting(workbook(), Path("a.xlsx"), 1_000_000), part, change)

    assert desk.wrong("a.xlsx", content).what.startswith("is no readable XLSX workbook")


def test_a_packed_workbook_passes_the_door_whole(desk: Desk) -> None:
    content = workbook(Staff=[HEAD, (18, "ghp_" + "a1B2c3D4e5F6g7H8i9J0" * 2, "Core", "2021", "")])

    assert content == masked(content, "a.xlsx").content


# -- files that are none


def encrypted() -> bytes:
    return b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600


def bomb() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/worksheets/sheet1.xml", b" " * 20_000_000)
    return out.getvalue()


def entities(text: str) -> str:
    return text.replace("<worksheet", '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]><worksheet', 1)


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (encrypted(), "is encrypted, or a workbook of the old format .xls"),
        (b"PK\x03\x04 and nothing else", "is no readable XLSX workbook: File is not a zip file"),
        (b"name,team\nAnn,Core\n", "is no readable XLSX workbook: File is not a zip file"),
        (workbook()[:-200], "is no readable XLSX workbook"),
        (rewritten(workbook(), "xl/worksheets/sheet1.xml", lambda text: text[: len(text) // 2]), "is no readable XLSX workbook"),
        (rewritten(workbook(), "xl/worksheets/sheet1.xml", entities), "is no readable XLSX workbook"),
        (rewritten(workbook(), "xl/workbook.xml", lambda text: "<x/>"), "holds no rows in a visible sheet"),
        (bomb(), "unpacks to 20,000,000 bytes, more than 8 times max_file_bytes = 1000000"),
        (workbook(Staff=[]), "holds no rows in a visible sheet"),
    ],
)
def test_what_is_no_workbook_gives_one_line(desk: Desk, content: bytes, what: str) -> None:
    (desk.root / "kgplatform.toml").write_text("max_file_bytes = 1000000\n" + SETTINGS)

    assert desk.wrong("a.xlsx", content).what.startswith(what)


def test_a_text_that_grows_beyond_the_limit_is_refused(desk: Desk) -> None:
    (desk.root / "kgplatform.toml").write_text("max_file_bytes = 100000\n" + SETTINGS)
    content = workbook(Staff=[HEAD, *[(n, "A" * 1000, "Core", "2021", "") for n in range(200)]])

    assert "holds more than max_file_bytes = 100000 as text" in desk.wrong("a.xlsx", content).what


def test_a_sheet_that_states_a_vast_size_is_read_at_its_own(desk: Desk) -> None:
    def far(book: Any) -> None:
        book["Staff"]["A1000000"] = 20

    content = rewritten(
        workbook(far), "xl/worksheets/sheet1.xml", lambda text: re.sub(r'dimension ref="[^"]*"', 'dimension ref="A1:XFD1048576"', text)
    )

    assert {"person:18", "person:20"} <= {c.fact.subject for c in desk.one("a.xlsx", content).claims}


@pytest.mark.parametrize("name", ["a.xls", "a.ods", "a.xlsb"])
def test_other_workbooks_are_told_how_they_would_be_read(desk: Desk, name: str) -> None:
    assert "save it as .xlsx" == desk.wrong(name, b"x").hint


def test_a_workbook_with_macros_is_read_without_them(desk: Desk) -> None:
    assert ("person:18", TYPE, class_node(PP.Person)) in facts(desk.one("a.xlsm", workbook()))


# -- through the command line


@pytest.fixture
def people(tmp_path: Path) -> Path:
    """A data directory with a mapping for the staff list."""
    (tmp_path / "people.toml").write_text(PEOPLE.replace("slug = true", 'class = "sc:Team"\nlabel = true\nslug = true'))
    (tmp_path / "kgplatform.toml").write_text(
        'packs = ["people-places", "service-catalog"]\n[collections.people]\nmapping = "people.toml"\n'
    )
    done("--config", tmp_path / "kgplatform.toml", "init", "--data", tmp_path / "kgdata")
    return tmp_path


def test_an_answer_names_the_cell_that_it_rests_on(people: Path) -> None:
    (people / "staff.xlsx").write_bytes(workbook())
    done("ingest", people / "staff.xlsx", "--data", people / "kgdata")
    answer = done("ask", "Who does Ann work for?", "--data", people / "kgdata", "--json").json

    assert ["sheet Staff, cell C2; sheet Staff, cell D2"] == [citation["note"] for citation in answer["citations"]]


def test_the_same_workbook_saved_again_is_unchanged(people: Path) -> None:
    (people / "staff.xlsx").write_bytes(workbook())
    done("ingest", people / "staff.xlsx", "--data", people / "kgdata")
    (people / "staff.xlsx").write_bytes(workbook(lambda book: setattr(book["Staff"].sheet_properties, "tabColor", "FF0000")))
    summary = done("ingest", people / "staff.xlsx", "--data", people / "kgdata", "--json").json

    assert (1, 0) == (summary["documents_read"], summary["documents_new"])


def test_a_renamed_workbook_is_the_same_document(people: Path) -> None:
    folder = people / "files"
    folder.mkdir()
    (folder / "staff.xlsx").write_bytes(workbook())
    done("ingest", folder, "--data", people / "kgdata")
    (folder / "staff.xlsx").rename(folder / "people.xlsx")
    summary = done("ingest", folder, "--data", people / "kgdata", "--json").json

    assert 0 == summary["documents_new"], summary


def test_nothing_of_a_secret_stays_in_the_data_directory(people: Path) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" * 2
    (people / "staff.xlsx").write_bytes(workbook(Staff=[(*HEAD, "password"), (18, secret, "Core", "2021", "x", "hunter2-9x!")]))
    done("ingest", people / "staff.xlsx", "--data", people / "kgdata")
    kept = b"".join(path.read_bytes() for path in (people / "kgdata").rglob("*") if path.is_file())

    assert secret.encode() not in kept
    assert b"hunter2-9x!" not in kept
