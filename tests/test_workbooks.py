"""XLSX workbooks are read as CSV is: sheets, cells with their types and places, and what is told of them."""

from __future__ import annotations

import datetime as dt
import io
import re
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from openpyxl.utils.datetime import CALENDAR_MAC_1904
from support.commandline import done
from support.ingesting import Desk, claim_of, facts, people_mapping
from support.tabling import SETTINGS, people_desk

from kgplatform.ingest.admission import waiting
from kgplatform.ingest.secrets import masked
from kgplatform.ingest.unpacked_workbook import unpacked
from kgplatform.ingest.workbooks import read_workbook
from kgplatform.model import Notice, Reading
from kgplatform.terms import LABEL, PP, SC, TYPE, UNMAPPED, XSD, class_node, literal

PEOPLE = people_mapping("staff_id")
HEAD = ("staff_id", "name", "team", "since", "note")
ROWS = [HEAD, (18, "Ann", "Core", dt.date(2021, 3, 1), "x")]
INCIDENTS = '[subject]\ncolumn = "id"\nscheme = "x"\n' + "".join(
    f'[[facts]]\ncolumn = "{name}"\nrelation = "sc:tag"\ndatatype = "xsd:{datatype}"\n'
    for name, datatype in (("day", "date"), ("at", "dateTime"), ("n", "decimal"), ("on", "boolean"), ("text", "string"))
)


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return people_desk(tmp_path, PEOPLE)


def workbook(change: Callable[[Any], object] | None = None, /, **sheets: Sequence[tuple[object, ...]]) -> bytes:
    """A workbook as a spreadsheet program saves it; `change` may do to it what it likes before."""
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in (sheets or {"Staff": ROWS}).items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    if change:
        change(book)
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def rewritten(content: bytes, part: str, change: Callable[[str], str]) -> bytes:
    """The workbook with one of its parts changed."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            text = old.read(name)
            new.writestr(name, change(text.decode()) if name == part else text)
    return out.getvalue()


def told(reading: Reading, kind: str) -> list[Notice]:
    return [notice for notice in reading.notices if notice.kind == kind]


def test_a_sheet_gives_the_facts_that_its_csv_gives(desk: Desk) -> None:
    sheet = desk.one("a.xlsx", workbook())
    rows = desk.one("a.csv", "staff_id,name,team,since,note\n18,Ann,Core,2021-03-01,x\n")

    assert {fact for fact in facts(rows) if "unmapped" not in fact[1]} == {fact for fact in facts(sheet) if "unmapped" not in fact[1]}
    assert claim_of(rows, PP.works_for).fact == claim_of(sheet, PP.works_for).fact
    assert literal("x") == claim_of(sheet, UNMAPPED["xlsx/note"]).fact.object


def test_every_claim_names_its_sheet_and_cell_and_quotes_its_row(desk: Desk) -> None:
    reading = desk.one("a.xlsx", workbook())

    assert "sheet Staff, cell C2; sheet Staff, cell D2" == claim_of(reading, PP.works_for).note
    assert ("sheet Staff, cell A2", "18,Ann,Core,2021-03-01,x") == (
        claim_of(reading, TYPE, "person:18").note,
        claim_of(reading, TYPE, "person:18").quote,
    )
    assert "sheet Staff, cell E2" == claim_of(reading, UNMAPPED["xlsx/note"]).note


def test_what_is_kept_is_the_text_and_not_the_file(desk: Desk) -> None:
    reading = desk.one("a.xlsx", workbook(Staff=ROWS, Rooms=[("room",), ("1",)]))

    assert "Sheet: Staff\nstaff_id,name,team,since,note\n18,Ann,Core,2021-03-01,x\n\nSheet: Rooms\nroom\n1\n" == reading.text
    assert reading.text.encode() == reading.content


@pytest.mark.parametrize(
    ("column", "value", "number_format", "text"),
    [
        ("day", dt.date(2021, 3, 1), "", literal("2021-03-01", XSD.date)),
        ("day", dt.datetime(2021, 3, 1), "dd/mm/yy", literal("2021-03-01", XSD.date)),
        ("day", dt.datetime(2021, 3, 1), "yyyy-mm-dd h:mm", literal("2021-03-01", XSD.date)),
        ("at", dt.datetime(2021, 3, 1, 10, 30), "", literal("2021-03-01T10:30:00Z", XSD.dateTime)),
        ("at", dt.datetime(2021, 3, 1), "d.m.yyyy hh:mm", literal("2021-03-01T00:00:00Z", XSD.dateTime)),
        ("n", 1234.5, "#,##0.00", literal("1234.5", XSD.decimal)),
        ("n", 0.1 + 0.2, "", literal("0.3", XSD.decimal)),
        ("n", 16.0, "", literal("16", XSD.decimal)),
        ("n", 1e20, "", literal("1" + "0" * 20, XSD.decimal)),
        ("n", 1e-7, "", literal("0.0000001", XSD.decimal)),
        ("n", -3, "", literal("-3", XSD.decimal)),
        ("on", True, "", literal("true", XSD.boolean)),
        ("text", 18, "000", literal("018")),
        ("text", "018", "", literal("018")),
        ("text", 44256, "", literal("44256")),
        ("text", "two\nlines, and “quotes”", "", literal("two\nlines, and “quotes”")),
        ("text", dt.time(9, 5), "", literal("09:05:00")),
        ("text", dt.timedelta(hours=26, minutes=3), "", literal("PT26H3M0S")),
    ],
)
def test_a_cell_keeps_its_type(desk: Desk, column: str, value: object, number_format: str, text: str) -> None:
    desk.lay("mappings/people.toml", 'decimal = ","\n' + INCIDENTS)

    def formatted(book: Any) -> None:
        if number_format:
            book["S"]["B2"].number_format = number_format

    columns = ("id", column, *sorted({"day", "at", "n", "on", "text"} - {column}))
    reading = desk.one("a.xlsx", workbook(formatted, S=[columns, ("a", value)]))

    assert text == claim_of(reading, SC.tag).fact.object


@pytest.mark.parametrize("year", [1900, 1904])
def test_both_epochs_give_the_same_day(desk: Desk, year: int) -> None:
    def epoch(book: Any) -> None:
        if year == 1904:
            book.epoch = CALENDAR_MAC_1904

    start = claim_of(desk.one("a.xlsx", workbook(epoch)), PP.works_for).fact.start

    assert start and "2021-03-01T00:00:00Z" == start.at


def test_all_visible_sheets_with_the_columns_are_read_and_the_others_told(desk: Desk) -> None:
    def hide(book: Any) -> None:
        book["Old"].sheet_state = "hidden"

    other = [HEAD, (19, "Bob", "Web", "2022", "")]
    reading = desk.one(
        "a.xlsx", workbook(hide, Staff=ROWS, More=other, Rooms=[("room",), ("1",)], Old=[HEAD, (7, "Cy", "Web", "2022", "")], Empty=[])
    )

    assert {literal("Ann"), literal("Bob")} == {c.fact.object for c in reading.claims if c.fact.relation == LABEL}
    assert ["sheet Rooms, without a column 'name'", "sheet Old, hidden"] == [notice.what for notice in told(reading, "skipped")]
    assert "sheet More, cell B2" == claim_of(reading, LABEL, "person:19").note


def test_a_mapping_names_its_sheet_also_a_hidden_one(desk: Desk) -> None:
    def hide(book: Any) -> None:
        book["Old"].sheet_state = "veryHidden"

    desk.lay("mappings/people.toml", 'sheet = "Old"\n' + PEOPLE)
    reading = desk.one("a.xlsx", workbook(hide, Staff=ROWS, Old=[HEAD, (7, "Cy", "Web", "2022", "")]))

    assert {literal("Cy")} == {c.fact.object for c in reading.claims if c.fact.relation == LABEL}
    assert ["sheet Staff, not named by the mapping"] == [notice.what for notice in told(reading, "skipped")]


def test_a_sheet_that_is_not_there_is_told(desk: Desk) -> None:
    desk.lay("mappings/people.toml", 'sheet = ["Stuff"]\n' + PEOPLE)
    problem = desk.wrong("a.xlsx", workbook())

    assert problem.what.startswith("names the sheet 'Stuff'")
    assert "did you mean Staff?" == problem.hint


def test_title_rows_are_skipped_by_the_key_which_a_message_names(desk: Desk) -> None:
    content = workbook(Staff=[("HR export",), (), *ROWS])
    hint = desk.wrong("a.xlsx", content).hint
    desk.lay("mappings/people.toml", "skip_lines = 2\n" + PEOPLE)

    assert "the header seems to stand in line 3: add skip_lines = 2 to the mapping" == hint
    assert "sheet Staff, cell B4" == claim_of(desk.one("a.xlsx", content), LABEL).note


def test_merged_cells_hidden_rows_and_columns_are_told(desk: Desk) -> None:
    def change(book: Any) -> None:
        sheet = book["Staff"]
        sheet.merge_cells("E1:F1")
        sheet.row_dimensions[2].hidden = True
        sheet.column_dimensions["C"].hidden = True

    reading = desk.one("a.xlsx", workbook(change))

    assert {
        "merged cells, whose value counts for the first of them only: E1:F1",
        "hidden rows, which are read like others: 2",
        "hidden columns, which are read like others: C",
    } == {notice.what for notice in told(reading, "guessed")}
    assert literal("Ann") == claim_of(reading, LABEL).fact.object


def test_a_formula_gives_its_computed_value_and_one_without_is_told(desk: Desk) -> None:
    content = rewritten(
        workbook(Staff=[HEAD, (18, "=1+1", "=2+2", "2021", "")]),
        "xl/worksheets/sheet1.xml",
        lambda text: re.sub(r"(<f>1\+1</f>)<v ?/?>(?:</v>)?", r"\1<v>2</v>", text),
    )
    desk.lay("a.xlsx", content)
    (reading,), (problem,) = desk.read("a.xlsx")

    assert literal("2") == claim_of(reading, LABEL).fact.object
    assert "holds 1 formulas without a computed value: C2" == problem.what
    assert not reading.complete


def test_an_error_cell_costs_its_claim(desk: Desk) -> None:
    desk.lay("a.xlsx", workbook(Staff=[HEAD, (18, "Ann", "#N/A", "2021", ""), (19, "#REF!", "Core", "2021", "")]))
    (reading,), problems = desk.read("a.xlsx")

    assert ["'team': '#N/A' is an error of a spreadsheet", "'name': '#REF!' is an error of a spreadsheet"] == [p.what for p in problems]
    assert problems[0].where.endswith("a.xlsx, sheet Staff, row 2")
    assert literal("Ann") == claim_of(reading, LABEL).fact.object
    assert ("person:19", PP.works_for, "team:core") in facts(reading)


def test_short_rows_empty_rows_and_cells_beyond_the_header_are_read(desk: Desk) -> None:
    reading = desk.one("a.xlsx", workbook(Staff=[HEAD, (18, "Ann"), (), (None,) * 5, (19, "Bob", "Web", "2022", None, "beyond")]))

    assert {literal("Ann"), literal("Bob")} == {c.fact.object for c in reading.claims if c.fact.relation == LABEL}
    assert "sheet Staff, cell F5" == claim_of(reading, UNMAPPED["xlsx/column%206"]).note


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
        assert read_workbook(content, where, max_bytes=1_000_000) == unpacked(waits, where, max_bytes=1_000_000)


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


def test_a_list_of_objects_is_not_looked_for_in_a_sheet(desk: Desk) -> None:
    desk.lay(
        "mappings/people.toml", '[subject]\ncolumn = "staff_id"\nscheme = "x"\n[[facts]]\neach = "a"\ncolumn = "b"\nrelation = "sc:tag"\n'
    )

    assert "goes through the list 'a'" in desk.wrong("a.xlsx", workbook()).what


def test_a_sheet_without_a_column_of_the_mapping_is_told(desk: Desk) -> None:
    problem = desk.wrong("a.xlsx", workbook(Staff=[("staff_ids", "name"), (1, 2)]))

    assert "names the column 'since'" in problem.what or "names the column 'staff_id'" in problem.what
    assert problem.where.endswith("people.toml")


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


@pytest.mark.parametrize("id_", [12345678901234567890, 1234567890123456, 1.23457e18])
def test_a_number_of_more_digits_than_a_spreadsheet_keeps_is_no_id(desk: Desk, id_: float) -> None:
    desk.lay("a.xlsx", workbook(Staff=[HEAD, (id_, "Ann", "Core", None, ""), ("12345678901234567890", "Bob", "Core", None, "")]))
    (reading,), (problem,) = desk.read("a.xlsx")

    assert "is an id of which a spreadsheet kept the first digits only" in problem.what
    assert "person:12345678901234567890" == claim_of(reading, LABEL).fact.subject
