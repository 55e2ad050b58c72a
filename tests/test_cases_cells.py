"""Cells of tables as they come: ids, dates, words for no value and numbers, and that a bad cell costs its claim only."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.ingesting import Desk, claim_of, facts
from support.tabling import HEAD, ROW, people_desk, says, since, told

from kgplatform.terms import LABEL, PP, SC, UNMAPPED, XSD, literal
from kgplatform.times import Bound


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return people_desk(tmp_path)


# -- ids keep their text


@pytest.mark.parametrize(
    "id_", ["018", "0899", "12e5", "007", "0x1F", "1_000", "2021-03-01", "1.10", "5.0", "12:30", "yes", "NO", "1e3", "+7", "0o17"]
)
def test_an_id_of_a_yaml_record_keeps_its_text(desk: Desk, id_: str) -> None:
    reading = desk.one("a.yaml", f"- staff_id: {id_}\n  name: A\n")

    assert f"person:{id_}" == claim_of(reading, LABEL).fact.subject


@pytest.mark.parametrize("id_", ["1.0", "1", "12345678901234567890123", "1E5", "1.10", "-0", "0.1e1"])
def test_a_number_of_a_json_record_keeps_its_text(desk: Desk, id_: str) -> None:
    reading = desk.one("a.json", f'[{{"staff_id": {id_}, "name": "A"}}]')

    assert f"person:{id_}" == claim_of(reading, LABEL).fact.subject


def test_a_boolean_of_yaml_is_one_however_it_is_written(desk: Desk) -> None:
    desk.lay(
        "mappings/people.toml",
        '[subject]\ncolumn = "id"\nscheme = "x"\n[[facts]]\ncolumn = "on"\nrelation = "sc:tag"\ndatatype = "xsd:boolean"\n',
    )
    claim = claim_of(desk.one("a.yaml", "- id: 1\n  on: TRUE\n"), SC.tag)

    assert (literal("true", XSD.boolean), "written TRUE") == (claim.fact.object, claim.note)


@pytest.mark.parametrize("id_", ["1.23457E+15", "1E+20"])
def test_an_id_that_a_spreadsheet_shortened_is_no_id(desk: Desk, id_: str) -> None:
    desk.lay("a.csv", f"{HEAD}{id_},Ann,Core,2021-03-01,go,x\n{ROW}")
    (reading,), _ = desk.read("a.csv")

    assert {"person:1"} == {
        claim.fact.subject for claim in reading.claims if claim.fact.relation == LABEL and claim.fact.subject != "team:core"
    }
    assert f"'{id_}' is an id of which a spreadsheet kept the first digits only" in reading.problems[0].what


# -- dates


@pytest.mark.parametrize(
    ("formats", "text", "day"),
    [
        ('"%d/%m/%Y"', "01/03/2021", "2021-03-01"),
        ('"%m/%d/%Y"', "01/03/2021", "2021-01-03"),
        ('"%d.%m.%Y"', "1.3.2021", "2021-03-01"),
        ('"%B %Y"', "March 2021", "2021-03"),
        ('"%b %Y"', "mar 2021", "2021-03"),
        ('"%d %B %Y"', "1 Sept. 2021", "2021-09-01"),
        ('"%A, %d %b %Y"', "Mon, 1 Mar 2021", "2021-03-01"),
        ('"%Y%m%d"', "20210301", "2021-03-01"),
        ('"%m/%d/%y"', "3/1/21", "2021-03-01"),
        ('"%d/%m/%y"', "1/3/69", "1969-03-01"),
        ('"%Y"', "2021", "2021"),
        ('"%d.%m.%Y %H:%M"', "1.3.2021 9:05", "2021-03-01T09:05:00Z"),
        ('"%m/%d/%Y %I:%M %p"', "3/1/2021 12:30 AM", "2021-03-01T00:30:00Z"),
        ('"%d.%m.%Y %H:%M %z"', "1.3.2021 9:05 +0200", "2021-03-01T07:05:00Z"),
        ('"excel"', "44256", "2021-03-01"),
        ('"excel"', "44256.5", "2021-03-01T12:00:00Z"),
        ('"excel"', "59", "1900-02-28"),
        ('"excel"', "61", "1900-03-01"),
        ('"excel-1904"', "42794", "2021-03-01"),
        ('["%d/%m/%Y", "%B %Y", "excel"]', "March 2021", "2021-03"),
        ('"%d/%m/%Y"', "2021-03-01T10:00:00Z", "2021-03-01T10:00:00Z"),
    ],
)
def test_a_date_is_read_as_the_mapping_says(desk: Desk, formats: str, text: str, day: str) -> None:
    says(desk, f"date_format = {formats}\n")

    assert day == since(desk.one("a.csv", f'{HEAD}1,Ann,Core,"{text}",go,x\n'))


def test_what_a_date_was_read_from_stands_in_the_note_and_is_counted(desk: Desk) -> None:
    says(desk, 'date_format = "%d/%m/%Y"\n')
    reading = desk.one("a.csv", f"{HEAD}1,Ann,Core,01/03/2021,go,x\n2,Bob,Core,02/03/2021,go,x\n3,Cy,Core,2021-03-01,go,x\n")

    assert "'01/03/2021' read as %d/%m/%Y, as the mapping says" == claim_of(reading, PP.works_for, "person:1").note
    assert "" == claim_of(reading, LABEL, "person:1").note == claim_of(reading, PP.works_for, "person:3").note
    (notice,) = told(reading, "guessed")
    assert (2, "2") == (notice.count, notice.where.rpartition(":")[2])


def test_where_two_formats_read_a_date_otherwise_the_first_counts_and_the_note_names_the_other(desk: Desk) -> None:
    says(desk, 'date_format = ["%d/%m/%Y", "%m/%d/%Y"]\n')
    reading = desk.one("a.csv", f"{HEAD}1,Ann,Core,03/04/2024,go,x\n2,Bob,Core,12/25/2024,go,x\n")

    assert (
        "'03/04/2024' read as %d/%m/%Y, as the mapping says; %m/%d/%Y would read 2024-03-04"
        == claim_of(reading, PP.works_for, "person:1").note
    )
    assert ["2024-04-03", "2024-12-25"] == [since(reading, "1"), since(reading, "2")]


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("01/03/2021", 'date_format = "%d/%m/%Y" or date_format = "%m/%d/%Y"'),
        ("25/03/2021", 'date_format = "%d/%m/%Y"'),
        ("1.3.2021", 'date_format = "%d.%m.%Y"'),
        ("March 2021", 'date_format = "%B %Y"'),
        ("20210301", 'date_format = "%Y%m%d"'),
        ("44256", 'date_format = "excel"'),
    ],
)
def test_a_date_that_is_not_iso_names_the_key_that_would_read_it(desk: Desk, text: str, hint: str) -> None:
    problem = desk.wrong("a.csv", f"{HEAD}1,Ann,Core,{text},go,x\n")

    assert f"'since': not an ISO 8601 date: {text!r}" == problem.what
    assert problem.hint.endswith(hint)


@pytest.mark.parametrize("text", ["2021-13-01", "31/02/2021", "00/03/2021", "1/3/21", "44256"])
def test_a_date_of_no_calendar_or_another_format_costs_its_claim(desk: Desk, text: str) -> None:
    says(desk, 'date_format = "%d/%m/%Y"\n')
    desk.lay("a.csv", f"{HEAD}1,Ann,Core,{text},go,x\n")
    (reading,), (problem,) = desk.read("a.csv")

    assert PP.works_for not in {relation for _, relation, _ in facts(reading)}
    assert literal("Ann") == claim_of(reading, LABEL).fact.object
    assert "'since'" in problem.what


def test_a_date_that_is_a_value_is_read_alike_and_a_bad_one_told_with_the_key(desk: Desk) -> None:
    mapping = (
        '[subject]\ncolumn = "id"\nscheme = "incident"\nclass = "sc:Incident"\n[[facts]]\ncolumn = "day"\nrelation = "sc:occurred_on"\n'
    )
    desk.lay("mappings/people.toml", mapping)
    desk.lay("a.csv", "id,day\n1,25/03/2021\n2,26/03/2021\n")
    (reading,), (problem,) = desk.read("a.csv")
    desk.lay("mappings/people.toml", 'date_format = "%d/%m/%Y"\n' + mapping)

    assert "'day': '25/03/2021' is no xsd:date, and 1 more like it" == problem.what
    assert problem.hint.endswith('date_format = "%d/%m/%Y"')
    assert reading.complete
    assert literal("25/03/2021", XSD.date) == claim_of(reading, SC.occurred_on, "incident:1").fact.object
    assert literal("2021-03-25", XSD.date) == claim_of(desk.one("a.csv", "id,day\n1,25/03/2021\n"), SC.occurred_on).fact.object


def test_a_time_without_zone_is_taken_as_utc_and_says_so(desk: Desk) -> None:
    claim = claim_of(desk.one("a.csv", f"{HEAD}1,Ann,Core,2021-03-01T10:00:00,go,x\n"), PP.works_for)

    assert Bound("stated", "2021-03-01T10:00:00Z", "instant") == claim.fact.start
    assert "no zone stated, taken as UTC" == claim.note


def test_a_column_has_a_format_of_its_own(desk: Desk) -> None:
    says(desk, 'date_format = "%m/%d/%Y"\n', '[columns.since]\ndate_format = "%d/%m/%Y"\n')

    assert "2021-03-01" == since(desk.one("a.csv", f"{HEAD}1,Ann,Core,01/03/2021,go,x\n"))


# -- words for no value


def test_words_for_no_value_are_no_values(desk: Desk) -> None:
    says(desk, 'empty = ["N/A", "null", "-", "none"]\n')
    reading = desk.one("a.csv", f"{HEAD}30,Nu,N/A,NULL,-,n/a\n31,Nv,null,9999-12-31,none,\n")

    assert {"Nu", "Nv"} == {object.strip('"') for _, relation, object in facts(reading) if relation == LABEL}
    assert {LABEL, "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"} == {relation for _, relation, _ in facts(reading)}


def test_without_the_key_such_a_word_costs_its_claim_and_names_the_key(desk: Desk) -> None:
    desk.lay("a.csv", f"{HEAD}30,Nu,N/A,2021,go,x\n")
    (reading,), (problem,) = desk.read("a.csv")

    assert "'team': 'N/A' may mean that there is no value" == problem.what
    assert "empty = ['N/A']" in problem.hint and "empty = []" in problem.hint
    assert [literal("go")] == [c.fact.object for c in reading.claims if c.fact.relation == SC.tag]
    assert PP.works_for not in {relation for _, relation, _ in facts(reading)}


def test_an_empty_list_makes_all_words_values_and_a_column_may_differ(desk: Desk) -> None:
    says(desk, "empty = []\n", '[columns.skills]\nempty = ["-"]\n')
    reading = desk.one("a.csv", f"{HEAD}30,Nu,None,2021,-,x\n")

    assert "team:none" == claim_of(reading, PP.works_for).fact.object
    assert SC.tag not in {relation for _, relation, _ in facts(reading)}


def test_a_spreadsheets_error_is_a_bad_cell(desk: Desk) -> None:
    desk.lay("a.csv", f"{HEAD}1,Ann,#REF!,2021,go,#N/A\n")
    (reading,), (problem,) = desk.read("a.csv")

    assert "'team': '#REF!' is an error of a spreadsheet" == problem.what
    assert literal("#N/A") == claim_of(reading, UNMAPPED["csv/note"]).fact.object


def test_a_text_that_a_spreadsheet_protects_is_read_as_the_text(desk: Desk) -> None:
    claim = claim_of(desk.one("a.csv", f'{HEAD}="017",Ann,Core,2021,go,x\n'), PP.works_for)

    assert "person:017" == claim.fact.subject


# -- numbers


NUMBERS = '[subject]\ncolumn = "id"\nscheme = "x"\n[[facts]]\ncolumn = "n"\nrelation = "sc:tag"\ndatatype = "xsd:decimal"\n'


@pytest.mark.parametrize(
    ("keys", "text", "value"),
    [
        ('decimal = ","\n', "1234,5", "1234.5"),
        ('decimal = ","\nthousands = "."\n', "1.234.567,89", "1234567.89"),
        ('thousands = ","\n', "1,234.50", "1234.50"),
        ('decimal = ","\nthousands = " "\n', "1 234,5", "1234.5"),
        ('decimal = ","\nthousands = " "\n', "1\u202f234,5", "1234.5"),
        ('thousands = "\'"\n', "1’234.5", "1234.5"),
        ('decimal = ","\n', "-7", "-7"),
    ],
)
def test_a_number_is_read_by_the_marks_that_the_mapping_states(desk: Desk, keys: str, text: str, value: str) -> None:
    desk.lay("mappings/people.toml", keys + NUMBERS)
    claim = claim_of(desk.one("a.csv", f'id,n\n1,"{text}"\n'), SC.tag)

    assert literal(value, XSD.decimal) == claim.fact.object
    assert (f"written {text}" if text != "-7" else "") == claim.note.partition(";")[0]


@pytest.mark.parametrize(
    ("keys", "text"), [('decimal = ","\n', "1234.5"), ('thousands = ","\n', "1,23"), ('decimal = ","\nthousands = "."\n', "1.23")]
)
def test_a_number_that_breaks_the_marks_is_never_read_otherwise(desk: Desk, keys: str, text: str) -> None:
    desk.lay("mappings/people.toml", keys + NUMBERS)
    desk.lay("a.csv", f'id,n\n1,"{text}"\n')
    (reading,), problems = desk.read("a.csv")

    assert literal(text.replace(",", ""), XSD.decimal) not in {c.fact.object for c in reading.claims}
    assert bool(problems) or literal(text, XSD.decimal) == claim_of(reading, SC.tag).fact.object


@pytest.mark.parametrize(
    ("text", "hint"), [("1,5", 'decimal = ","'), ("1.234,5", 'decimal = "," and thousands = "."'), ("1,234.50", 'thousands = ","')]
)
def test_a_number_with_other_marks_names_the_keys(desk: Desk, text: str, hint: str) -> None:
    desk.lay("mappings/people.toml", NUMBERS)

    assert desk.wrong("a.csv", f'id,n\n1,"{text}"\n').hint.endswith(hint)


def test_a_number_of_json_has_no_marks_of_the_mapping(desk: Desk) -> None:
    desk.lay("mappings/people.toml", 'decimal = ","\nthousands = "."\n' + NUMBERS)

    assert literal("1.234", XSD.decimal) == claim_of(desk.one("a.json", '[{"id": 1, "n": 1.234}]'), SC.tag).fact.object


# -- the keys that messages propose


@pytest.mark.parametrize(
    ("date", "key"),
    [
        ("Feb 1 2021", 'date_format = "%B %d %Y"'),
        ("1. March 2021", 'date_format = "%d. %B %Y"'),
        ("Monday, 1 March 2021", 'date_format = "%A, %d %B %Y"'),
        ("202103", 'date_format = "%Y%m"'),
        ("unknown", "empty = ['unknown']"),
        ("0000-00-00", "empty = ['0000-00-00']"),
        ("00.00.0000", "empty = ['00.00.0000']"),
    ],
)
def test_the_key_that_would_read_a_date_is_named(desk: Desk, date: str, key: str) -> None:
    desk.lay("a.csv", f'{HEAD}1,Ann,Core,"{date}",go,x\n')
    (reading,), _ = desk.read("a.csv")

    (problem,) = reading.problems
    assert key in problem.hint
    (reading,), _ = says(desk, key.replace("'", '"') + "\n").read("a.csv")
    assert () == reading.problems
