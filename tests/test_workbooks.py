"""XLSX workbooks are read as CSV is: sheets, cells with their types and places, and what is told of them."""

from __future__ import annotations

import datetime as dt
import re
from pathlib import Path
from typing import Any

import pytest
from openpyxl.utils.datetime import CALENDAR_MAC_1904
from support.ingesting import Desk, claim_of, facts
from support.tabling import people_desk
from support.workbooks import HEAD, PEOPLE, ROWS, rewritten, told, workbook

from kgplatform.terms import LABEL, PP, SC, TYPE, UNMAPPED, XSD, literal

INCIDENTS = '[subject]\ncolumn = "id"\nscheme = "x"\n' + "".join(
    f'[[facts]]\ncolumn = "{name}"\nrelation = "sc:tag"\ndatatype = "xsd:{datatype}"\n'
    for name, datatype in (("day", "date"), ("at", "dateTime"), ("n", "decimal"), ("on", "boolean"), ("text", "string"))
)


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return people_desk(tmp_path, PEOPLE)


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


def test_a_list_of_objects_is_not_looked_for_in_a_sheet(desk: Desk) -> None:
    desk.lay(
        "mappings/people.toml", '[subject]\ncolumn = "staff_id"\nscheme = "x"\n[[facts]]\neach = "a"\ncolumn = "b"\nrelation = "sc:tag"\n'
    )

    assert "goes through the list 'a'" in desk.wrong("a.xlsx", workbook()).what


def test_a_sheet_without_a_column_of_the_mapping_is_told(desk: Desk) -> None:
    problem = desk.wrong("a.xlsx", workbook(Staff=[("staff_ids", "name"), (1, 2)]))

    assert "names the column 'since'" in problem.what or "names the column 'staff_id'" in problem.what
    assert problem.where.endswith("people.toml")


@pytest.mark.parametrize("id_", [12345678901234567890, 1234567890123456, 1.23457e18])
def test_a_number_of_more_digits_than_a_spreadsheet_keeps_is_no_id(desk: Desk, id_: float) -> None:
    desk.lay("a.xlsx", workbook(Staff=[HEAD, (id_, "Ann", "Core", None, ""), ("12345678901234567890", "Bob", "Core", None, "")]))
    (reading,), (problem,) = desk.read("a.xlsx")

    assert "is an id of which a spreadsheet kept the first digits only" in problem.what
    assert "person:12345678901234567890" == claim_of(reading, LABEL).fact.subject
