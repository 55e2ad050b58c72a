"""Tables as they come: what a mapping says of the way they are written, which keys cannot be, and lists of objects."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.ingesting import Desk, claim_of, facts, schema
from support.tabling import HEAD, PEOPLE, ROW, people_desk, says, since, told

from kgplatform.errors import MappingError
from kgplatform.ingest.mapping_files import load_mapping
from kgplatform.terms import LABEL, PP, SC, TYPE, UNMAPPED, literal


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return people_desk(tmp_path)


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
    assert {"2021-03-01T00:00:00Z", ""} == {
        c.fact.start.at if c.fact.start else "" for c in reading.claims if c.fact.relation == PP.employs
    }
    assert {f"{kind} {field}" for field in ("members.role", "members.skills.level", "rooms")} == {
        notice.what for notice in told(reading, "unmapped")
    }


def test_a_bad_item_of_a_list_costs_itself(teams: Desk) -> None:
    teams.lay("a.yaml", "- id: core\n  members: [{id: p1}, p2, {id: p3, since: soon}, [x], {name: Odd}]\n")
    (reading,), problems = teams.read("a.yaml")

    assert {"person:p1"} == {object for _, relation, object in facts(reading) if relation == PP.employs}
    assert [
        'an item of the list is no object: "p2"',
        "'since': not an ISO 8601 date: 'soon'",
        'an item of the list is no object: ["x"]',
        "has no value in 'id', which 'name' is about",
    ] == [problem.what for problem in problems]


def test_a_list_of_plain_values_is_no_list_of_objects(teams: Desk) -> None:
    assert "'members' is no list of objects" == teams.wrong("a.yaml", "- id: core\n  members: [p1, p2]\n").what


def test_facts_about_what_a_column_names_need_no_list(desk: Desk) -> None:
    desk.lay(
        "mappings/people.toml",
        '[subject]\ncolumn = "id"\nscheme = "person"\n[[facts]]\ncolumn = "team"\nrelation = "pp:works_for"\nscheme = "team"\n'
        '[[facts.facts]]\ncolumn = "team_name"\nrelation = "rdfs:label"\n',
    )

    assert {("person:1", PP.works_for, "team:t1"), ("team:t1", LABEL, literal("Core"))} == facts(
        desk.one("a.csv", "id,team,team_name\n1,t1,Core\n")
    )


def test_facts_about_a_literal_are_refused(desk: Desk) -> None:
    desk.lay("mappings/people.toml", PEOPLE + '[[facts.facts]]\ncolumn = "note"\nrelation = "rdfs:label"\n')
    with pytest.raises(MappingError) as caught:
        load_mapping(desk.root / "mappings/people.toml", schema())

    assert "facts[3].facts does not fit sc:tag, whose values are no entities" == caught.value.what


def test_a_list_of_objects_is_not_looked_for_in_rows(teams: Desk) -> None:
    problem = teams.wrong("a.csv", "id,members\ncore,p1\n")

    assert "goes through the list 'members'" in problem.what
