"""Tables as they come: what a mapping says of the way they are written, what is told, and that a bad cell costs its claim only."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from ingesting import Desk, claim_of, facts, schema

from kgplatform.errors import MappingError
from kgplatform.ingest.mapping_files import load_mapping
from kgplatform.model import Notice, Reading
from kgplatform.terms import LABEL, PP, SC, TYPE, UNMAPPED, XSD, literal
from kgplatform.times import Bound

SETTINGS = '[collections.people]\nmapping = "mappings/people.toml"\npaths = ["{id}"]\n'
PEOPLE = """
[subject]
column = "staff_id"
scheme = "person"
class = "pp:Person"

[[facts]]
column = "name"
relation = "rdfs:label"

[[facts]]
column = "team"
relation = "pp:works_for"
scheme = "team"
slug = true
class = "sc:Team"
label = true
from = "since"

[[facts]]
column = "skills"
relation = "sc:tag"
"""
HEAD = "staff_id,name,team,since,skills,note\n"
ROW = "1,Ann,Core,2021-03-01,go,x\n"


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    (tmp_path / "kgplatform.toml").write_text(SETTINGS)
    desk = Desk(tmp_path)
    desk.lay("mappings/people.toml", PEOPLE)
    return desk


def says(desk: Desk, head: str, tail: str = "") -> Desk:
    desk.lay("mappings/people.toml", head + PEOPLE + tail)
    return desk


def since(reading: Reading, person: str = "1") -> str:
    bound = claim_of(reading, PP.works_for, f"person:{person}").fact.start
    assert bound
    return bound.at[: {"year": 4, "month": 7, "day": 10, "instant": 20}[bound.precision]]


def told(reading: Reading, kind: str) -> list[Notice]:
    return [notice for notice in reading.notices if notice.kind == kind]


# -- ids keep their text


@pytest.mark.parametrize("id_", ["018", "0899", "12e5", "007", "0x1F", "1_000", "2021-03-01", "1.10", "5.0", "12:30", "yes", "NO", "1e3", "+7", "0o17"])
def test_an_id_of_a_yaml_record_keeps_its_text(desk: Desk, id_: str) -> None:
    reading = desk.one("a.yaml", f"- staff_id: {id_}\n  name: A\n")

    assert f"person:{id_}" == claim_of(reading, LABEL).fact.subject


@pytest.mark.parametrize("id_", ["1.0", "1", "12345678901234567890123", "1E5", "1.10", "-0", "0.1e1"])
def test_a_number_of_a_json_record_keeps_its_text(desk: Desk, id_: str) -> None:
    reading = desk.one("a.json", f'[{{"staff_id": {id_}, "name": "A"}}]')

    assert f"person:{id_}" == claim_of(reading, LABEL).fact.subject


def test_a_boolean_of_yaml_is_one_however_it_is_written(desk: Desk) -> None:
    desk.lay("mappings/people.toml", '[subject]\ncolumn = "id"\nscheme = "x"\n[[facts]]\ncolumn = "on"\nrelation = "sc:tag"\ndatatype = "xsd:boolean"\n')
    claim = claim_of(desk.one("a.yaml", "- id: 1\n  on: TRUE\n"), SC.tag)

    assert (literal("true", XSD.boolean), "written TRUE") == (claim.fact.object, claim.note)


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

    assert "'03/04/2024' read as %d/%m/%Y, as the mapping says; %m/%d/%Y would read 2024-03-04" == claim_of(reading, PP.works_for, "person:1").note
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
    mapping = '[subject]\ncolumn = "id"\nscheme = "incident"\nclass = "sc:Incident"\n[[facts]]\ncolumn = "day"\nrelation = "sc:occurred_on"\n'
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


@pytest.mark.parametrize(("keys", "text"), [('decimal = ","\n', "1234.5"), ('thousands = ","\n', "1,23"), ('decimal = ","\nthousands = "."\n', "1.23")])
def test_a_number_that_breaks_the_marks_is_never_read_otherwise(desk: Desk, keys: str, text: str) -> None:
    desk.lay("mappings/people.toml", keys + NUMBERS)
    desk.lay("a.csv", f'id,n\n1,"{text}"\n')
    (reading,), problems = desk.read("a.csv")

    assert literal(text.replace(",", ""), XSD.decimal) not in {c.fact.object for c in reading.claims}
    assert bool(problems) or literal(text, XSD.decimal) == claim_of(reading, SC.tag).fact.object


@pytest.mark.parametrize(("text", "hint"), [("1,5", 'decimal = ","'), ("1.234,5", 'decimal = "," and thousands = "."'), ("1,234.50", 'thousands = ","')])
def test_a_number_with_other_marks_names_the_keys(desk: Desk, text: str, hint: str) -> None:
    desk.lay("mappings/people.toml", NUMBERS)

    assert desk.wrong("a.csv", f'id,n\n1,"{text}"\n').hint.endswith(hint)


def test_a_number_of_json_has_no_marks_of_the_mapping(desk: Desk) -> None:
    desk.lay("mappings/people.toml", 'decimal = ","\nthousands = "."\n' + NUMBERS)

    assert literal("1.234", XSD.decimal) == claim_of(desk.one("a.json", '[{"id": 1, "n": 1.234}]'), SC.tag).fact.object


# -- how the file is written


@pytest.mark.parametrize(
    ("keys", "text"),
    [
        ('delimiter = "|"\n', HEAD.replace(",", "|") + ROW.replace(",", "|")),
        ("", "sep=;\n" + HEAD.replace(",", ";") + ROW.replace(",", ";")),
        ("", "SEP=\t\r\n" + HEAD.replace(",", "\t") + ROW.replace(",", "\t")),
        ("skip_lines = 2\n", "HR export 2021\n\n" + HEAD + ROW),
        ("skip_lines = 1\n", "sep=;\nHR, export\n" + HEAD.replace(",", ";") + ROW.replace(",", ";")),
        ("", HEAD.replace("\n", ",\n") + ROW.replace("\n", ",\n")),
        ("", HEAD.replace("\n", ",,\n") + ROW),
        ("", HEAD.replace("\n", ",\n") + ROW + "2,Bob,,,,,\n"),
        ("", "\n\n" + HEAD + "\n,,,,,\n" + ROW),
        ("", "\ufeff" + HEAD + ROW),
        ("", HEAD.replace("staff_id", " Staff_ID ").replace("since", "SINCE") + ROW),
    ],
)
def test_a_file_is_read_however_it_is_written(desk: Desk, keys: str, text: str) -> None:
    reading = says(desk, keys).one("a.csv", text)

    assert ("person:1", PP.works_for, "team:core") in facts(reading)
    assert "2021-03-01" == since(reading)
    assert {literal("x")} == {c.fact.object for c in reading.claims if c.fact.relation == UNMAPPED["csv/note"]}


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        (HEAD.replace(",", "|") + ROW, "add delimiter = '|' to the mapping"),
        ("HR export 2021\n\n" + HEAD + ROW, "the header seems to stand in line 3: add skip_lines = 2 to the mapping"),
        ("HR, export\nof, 2021\n" + HEAD + ROW, "the header seems to stand in line 3: add skip_lines = 2 to the mapping"),
    ],
)
def test_a_header_that_is_none_names_the_key(desk: Desk, text: str, hint: str) -> None:
    assert hint == desk.wrong("a.csv", text).hint


def test_a_bad_line_after_skipped_ones_has_its_number(desk: Desk) -> None:
    assert "5" == says(desk, "skip_lines = 2\n").wrong("a.csv", f"sep=,\nHR\nexport\n{HEAD}1,2\n{ROW}").where.rpartition(":")[2]


@pytest.mark.parametrize("encoding", ["cp1252", "latin-1", "utf-16", "utf-16-le", "utf-8", "mac-roman"])
def test_a_file_is_read_in_the_encoding_that_the_mapping_states(desk: Desk, encoding: str) -> None:
    reading = says(desk, f'encoding = "{encoding}"\n').one("a.csv", (HEAD + ROW.replace("Ann", "Zoë Müller")).encode(encoding))

    assert literal("Zoë Müller") == claim_of(reading, LABEL, "person:1").fact.object
    assert reading.text == reading.content.decode()


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig", "utf-32"])
def test_a_byte_order_mark_says_the_encoding(desk: Desk, encoding: str) -> None:
    reading = says(desk, 'encoding = "cp1252"\n').one("a.csv", (HEAD + ROW.replace("Ann", "Zoë")).encode(encoding))

    assert literal("Zoë") == claim_of(reading, LABEL, "person:1").fact.object


def test_a_file_that_is_not_utf_8_names_the_key(desk: Desk) -> None:
    problem = desk.wrong("a.csv", (HEAD + ROW.replace("Ann", "Zoë")).encode("cp1252"))

    assert (f"is not UTF-8 at byte {len(HEAD) + 4}", "2") == (problem.what, problem.where.rpartition(":")[2])
    assert 'encoding = "cp1252"' in problem.hint


def test_two_columns_of_one_name_are_no_fault_where_no_rule_names_them(desk: Desk) -> None:
    reading = desk.one("a.csv", HEAD.replace("\n", ",note,\n") + "1,Ann,Core,2021-03-01,go,x,y,z\n")

    assert {literal("x"), literal("y")} == {c.fact.object for c in reading.claims if c.fact.relation == UNMAPPED["csv/note"]}
    assert literal("z") == claim_of(reading, UNMAPPED["csv/column%208"]).fact.object


def test_a_column_of_another_case_is_told(desk: Desk) -> None:
    (notice,) = told(desk.one("a.csv", HEAD.replace("team", "Team") + ROW), "guessed")

    assert "the column 'Team' is read as 'team'" == notice.what


def test_fields_without_a_rule_are_counted(desk: Desk) -> None:
    (notice,) = told(desk.one("a.csv", HEAD + ROW + ROW.replace("1,", "2,", 1)), "unmapped")

    assert ("csv note", 2, "2") == (notice.what, notice.count, notice.where.rpartition(":")[2])


# -- keys that cannot be


@pytest.mark.parametrize(
    ("keys", "what"),
    [
        ('date_format = "%d/%m"\n', "has no year"),
        ('date_format = "%d/%q/%Y"\n', "has '%q'"),
        ('date_format = "%d %Y"\n', "has %d without %m"),
        ('date_format = "%Y %y"\n', "in two ways"),
        ('date_format = ""\n', "must be a list"),
        ('encoding = "base64"\n', "is 'base64', which is not known"),
        ('encoding = "klingon"\n', "is 'klingon', which is not known"),
        ('delimiter = "ab"\n', "must be one character"),
        ("skip_lines = -1\n", "must be a whole number"),
        ("skip_lines = true\n", "must be a whole number"),
        ("empty = [1]\n", "must be a list"),
        ('decimal = "5"\n', "must be one mark"),
        ('thousands = "."\n', "is the decimal mark too"),
    ],
)
def test_a_key_that_cannot_be_is_told(desk: Desk, keys: str, what: str) -> None:
    says(desk, keys)
    with pytest.raises(MappingError) as caught:
        load_mapping(desk.root / "mappings/people.toml", schema())

    assert what in caught.value.what


def test_a_format_of_a_column_that_no_rule_reads_is_told(desk: Desk) -> None:
    says(desk, "", '[columns.sinc]\ndate_format = "excel"\n')
    with pytest.raises(MappingError) as caught:
        load_mapping(desk.root / "mappings/people.toml", schema())

    assert ("columns.sinc is used by no rule", "did you mean since?") == (caught.value.what, caught.value.hint)


def test_a_format_inside_a_rule_is_told_where_it_belongs(desk: Desk) -> None:
    says(desk, "", 'date_format = "excel"\n')
    with pytest.raises(MappingError) as caught:
        load_mapping(desk.root / "mappings/people.toml", schema())

    assert "facts[3].date_format stands at the top of the file or below [columns.NAME]" == caught.value.what


# -- lists of objects


TEAMS = """
[subject]
column = "id"
scheme = "team"
class = "sc:Team"

[[facts]]
each = "members"
column = "id"
relation = "pp:employs"
scheme = "person"
class = "pp:Person"
from = "since"

    [[facts.facts]]
    column = "name"
    relation = "rdfs:label"

    [[facts.facts]]
    each = "skills"
    column = "word"
    relation = "sc:tag"

[columns."members.since"]
date_format = "%d.%m.%Y"
"""


@pytest.fixture
def teams(desk: Desk) -> Desk:
    desk.lay("mappings/people.toml", TEAMS)
    return desk


MEMBERS = """
- id: core
  members:
  - {id: p1, name: Ann, since: 1.3.2021, role: lead, skills: [{word: go}, {word: sql, level: 3}]}
  - {id: 007, name: Bob}
  rooms: [{n: 1}]
- id: web
  members: {id: p1, name: Ann}
"""


@pytest.mark.parametrize("is_json", [False, True])
def test_the_objects_of_a_list_give_facts_each(teams: Desk, is_json: bool) -> None:
    records = [
        {"id": "core", "members": [{"id": "p1", "name": "Ann", "since": "1.3.2021", "role": "lead", "skills": [{"word": "go"}, {"word": "sql", "level": 3}]}, {"id": "007", "name": "Bob"}], "rooms": [{"n": 1}]},
        {"id": "web", "members": {"id": "p1", "name": "Ann"}},
    ]  # fmt: skip
    reading = teams.one("a.json", json.dumps(records)) if is_json else teams.one("a.yaml", MEMBERS)
    kind = "json" if is_json else "yaml"

    assert {
        ("team:core", PP.employs, "person:p1"),
        ("team:core", PP.employs, "person:007"),
        ("team:web", PP.employs, "person:p1"),
        ("person:p1", LABEL, literal("Ann")),
        ("person:007", LABEL, literal("Bob")),
        ("person:p1", SC.tag, literal("go")),
        ("person:p1", SC.tag, literal("sql")),
        ("team:core", UNMAPPED[f"{kind}/members.role"], literal("lead")),
        ("team:core", UNMAPPED[f"{kind}/members.skills.level"], literal("3")),
        ("team:core", UNMAPPED[f"{kind}/rooms"], literal('[{"n":"1"}]')),
    } == {fact for fact in facts(reading) if fact[1] != TYPE}
    assert {"2021-03-01T00:00:00Z", ""} == {c.fact.start.at if c.fact.start else "" for c in reading.claims if c.fact.relation == PP.employs}
    assert {f"{kind} {field}" for field in ("members.role", "members.skills.level", "rooms")} == {notice.what for notice in told(reading, "unmapped")}


def test_a_bad_item_of_a_list_costs_itself(teams: Desk) -> None:
    teams.lay("a.yaml", "- id: core\n  members: [{id: p1}, p2, {id: p3, since: soon}, [x], {name: Odd}]\n")
    (reading,), problems = teams.read("a.yaml")

    assert {"person:p1"} == {object for _, relation, object in facts(reading) if relation == PP.employs}
    assert ['an item of the list is no object: "p2"', "'since': not an ISO 8601 date: 'soon'", 'an item of the list is no object: ["x"]', "has no value in 'id', which 'name' is about"] == [
        problem.what for problem in problems
    ]


def test_a_list_of_plain_values_is_no_list_of_objects(teams: Desk) -> None:
    assert "'members' is no list of objects" == teams.wrong("a.yaml", "- id: core\n  members: [p1, p2]\n").what


def test_facts_about_what_a_column_names_need_no_list(desk: Desk) -> None:
    desk.lay(
        "mappings/people.toml",
        '[subject]\ncolumn = "id"\nscheme = "person"\n[[facts]]\ncolumn = "team"\nrelation = "pp:works_for"\nscheme = "team"\n'
        '[[facts.facts]]\ncolumn = "team_name"\nrelation = "rdfs:label"\n',
    )

    assert {("person:1", PP.works_for, "team:t1"), ("team:t1", LABEL, literal("Core"))} == facts(desk.one("a.csv", "id,team,team_name\n1,t1,Core\n"))


def test_facts_about_a_literal_are_refused(desk: Desk) -> None:
    desk.lay("mappings/people.toml", PEOPLE + '[[facts.facts]]\ncolumn = "note"\nrelation = "rdfs:label"\n')
    with pytest.raises(MappingError) as caught:
        load_mapping(desk.root / "mappings/people.toml", schema())

    assert "facts[3].facts does not fit sc:tag, whose values are no entities" == caught.value.what


def test_a_list_of_objects_is_not_looked_for_in_rows(teams: Desk) -> None:
    problem = teams.wrong("a.csv", "id,members\ncore,p1\n")

    assert "goes through the list 'members'" in problem.what


# -- what a message proposes


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


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("name", ["Ann", "Jürgen"])
def test_the_encoding_of_two_bytes_without_a_mark_is_named(desk: Desk, encoding: str, name: str) -> None:
    (desk.root / "a.csv").write_bytes(f"{HEAD}1,{name},Core,2021-03-01,go,x\n".encode(encoding))
    _, (problem,) = desk.read()

    assert f'encoding = "{encoding}"' in problem.hint


@pytest.mark.parametrize("mark", ["^", "~", ":", "\x1f"])
def test_any_mark_between_the_columns_is_named(desk: Desk, mark: str) -> None:
    desk.lay("a.csv", (HEAD + ROW).replace(",", mark))
    _, (problem,) = desk.read()

    assert f"add delimiter = {mark!r}" in problem.hint


@pytest.mark.parametrize("id_", ["1.23457E+15", "1E+20"])
def test_an_id_that_a_spreadsheet_shortened_is_no_id(desk: Desk, id_: str) -> None:
    desk.lay("a.csv", f"{HEAD}{id_},Ann,Core,2021-03-01,go,x\n{ROW}")
    (reading,), _ = desk.read("a.csv")

    assert {"person:1"} == {claim.fact.subject for claim in reading.claims if claim.fact.relation == LABEL and claim.fact.subject != "team:core"}
    assert f"'{id_}' is an id of which a spreadsheet kept the first digits only" in reading.problems[0].what
