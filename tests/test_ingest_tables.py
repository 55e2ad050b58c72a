"""CSV, JSON and YAML records through a mapping; and what is wrong with rows, files and mappings."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
import pytest
from support.ingesting import Desk, claim_of, facts, people_mapping, schema

from kgplatform.errors import MappingError
from kgplatform.ingest.mapping_files import load_mapping
from kgplatform.ingest.mapping_tables import FactTable, FormatTable, MappingFile, StatementTable, SubjectTable
from kgplatform.ingest.table_report import MOST_REPORTED
from kgplatform.terms import LABEL, PP, SC, TYPE, UNMAPPED, XSD, class_node, literal
from kgplatform.times import Bound

SETTINGS = '[collections.staff]\nkind = "snapshot"\nmapping = "mappings/staff.toml"\npaths = ["{id}"]\n[collections.plain]\n'
STAFF = people_mapping("id", 'class = "sc:Team"', "label = true", 'until = "left"')
STATEMENTS = '[statement]\nsubject = "s"\nrelation = "r"\nobject = "o"\nfrom = "since"\n'


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    (tmp_path / "kgplatform.toml").write_text(SETTINGS)
    desk = Desk(tmp_path)
    desk.lay("mappings/staff.toml", STAFF)
    return desk


def with_facts(desk: Desk, *rules: str, head: str = "") -> None:
    subject = '[subject]\ncolumn = "id"\nscheme = "component"\n'
    desk.lay("mappings/staff.toml", head + subject + "".join(f"[[facts]]\n{rule}\n" for rule in rules))


def test_a_row_gives_its_type_labels_and_relations(desk: Desk) -> None:
    reading = desk.one("staff.csv", "id,name,team,since,left\np1,Alex Kim,Site Reliability,,\n")

    assert {
        ("person:p1", TYPE, class_node(PP.Person)),
        ("person:p1", LABEL, literal("Alex Kim")),
        ("person:p1", PP.works_for, "team:site-reliability"),
        ("team:site-reliability", TYPE, class_node(SC.Team)),
        ("team:site-reliability", LABEL, literal("Site Reliability")),
    } == facts(reading)


def test_two_persons_of_one_name_keep_their_ids(desk: Desk) -> None:
    reading = desk.one("staff.csv", "id,name,team,since,left\np1,Alex Kim,Platform,,\np2,Alex Kim,Finance,,\n")

    assert {"person:p1", "person:p2"} == {s for s, r, o in facts(reading) if (r, o) == (LABEL, literal("Alex Kim"))}


def test_validity_columns_bound_the_fact_with_their_precision(desk: Desk) -> None:
    fact = claim_of(desk.one("staff.csv", "id,name,team,since,left\np1,A,Web,2021-03,2024\n"), PP.works_for).fact

    assert Bound("stated", "2021-03-01T00:00:00Z", "month") == fact.start
    assert Bound("stated", "2024-01-01T00:00:00Z", "year") == fact.end


def test_a_claim_quotes_its_row(desk: Desk) -> None:
    reading = desk.one("staff.csv", 'id,name,team,since,left\r\np1,"Kim,\r\nAlex",Web,,\r\np2,B,Web,,\r\n')

    assert 'p1,"Kim,\r\nAlex",Web,,' == claim_of(reading, LABEL, "person:p1").quote
    assert literal("Kim,\r\nAlex") == claim_of(reading, LABEL, "person:p1").fact.object
    assert "p2,B,Web,," == claim_of(reading, LABEL, "person:p2").quote


def test_a_json_claim_quotes_its_record(desk: Desk) -> None:
    desk.lay("mappings/staff.toml", 'records = "all.staff"\n' + STAFF)
    text = '{"all": {"n": 2, "staff": [\n  {"id": "p1", "name": "A"},\n  {"id": "p2", "name": "B", "team": "Web"}\n]}}'
    reading = desk.one("staff.json", text)

    assert '{"id": "p2", "name": "B", "team": "Web"}' == claim_of(reading, PP.works_for).quote


def test_json_lines_are_records(desk: Desk) -> None:
    reading = desk.one("staff.jsonl", '{"id": "p1", "name": "A"}\n\n{"id": "p2", "name": "B"}\n')

    assert {"person:p1", "person:p2"} == {c.fact.subject for c in reading.claims}


def test_yaml_lists_are_records(desk: Desk) -> None:
    reading = desk.one("staff.yaml", "- id: p1\n  name: A\n- id: p2\n  name: B\n")

    assert {literal("A"), literal("B")} == {c.fact.object for c in reading.claims if c.fact.relation == LABEL}
    assert "id: p1\n  name: A" == claim_of(reading, LABEL, "person:p1").quote


def test_a_column_that_no_rule_names_is_an_unmapped_claim(desk: Desk) -> None:
    reading = desk.one("staff.csv", "id,name,team,since,left,Shoe size\np1,A,Web,,,43\n")

    assert literal("43") == claim_of(reading, UNMAPPED["csv/Shoe%20size"]).fact.object


def test_nested_fields_are_dotted_and_lists_give_one_fact_each(desk: Desk) -> None:
    with_facts(desk, 'column = "about.tags"\nrelation = "sc:tag"')
    reading = desk.one(
        "a.json", '[{"id": "tax", "about": {"tags": ["go", "x"], "size": 1.50, "old": true, "gone": null}, "parts": [{"n": 1}]}]'
    )

    assert {
        ("component:tax", SC.tag, literal("go")),
        ("component:tax", SC.tag, literal("x")),
        ("component:tax", UNMAPPED["json/about.size"], literal("1.50")),
        ("component:tax", UNMAPPED["json/about.old"], literal("true")),
        ("component:tax", UNMAPPED["json/parts"], literal('[{"n":"1"}]')),
    } == facts(reading)


def test_separators_constants_qualifiers_and_datatypes(desk: Desk) -> None:
    with_facts(
        desk,
        'column = "tags"\nrelation = "sc:tag"\nseparator = ";"',
        'value = "production"\nrelation = "lifecycle"',
        'column = "note"\nrelation = "sc:annotation"\nqualifiers = { "sc:annotation_key" = "key" }',
        'column = "home"\nrelation = "sc:link"',
        'column = "name"\nrelation = "rdfs:label"\nlanguage = "en"',
    )
    reading = desk.one("a.csv", "id,tags,note,key,home,name\ntax,go; x;,hello,k,https://example.com,Tax\n")

    assert {literal("go"), literal("x")} == {c.fact.object for c in reading.claims if c.fact.relation == SC.tag}
    assert literal("production") == claim_of(reading, SC.lifecycle).fact.object
    assert ((SC.annotation_key, literal("k")),) == claim_of(reading, SC.annotation).fact.qualifiers
    assert literal("https://example.com", XSD.anyURI) == claim_of(reading, SC.link).fact.object
    assert literal("Tax", language="en") == claim_of(reading, LABEL).fact.object


def test_the_order_of_qualifiers_does_not_make_another_fact(desk: Desk) -> None:
    with_facts(desk, 'column = "note"\nrelation = "sc:annotation"\nqualifiers = { "sc:annotation_key" = "keys" }')
    records = '[{"id": "tax", "note": "n", "keys": ["a", "b"]}, {"id": "tax", "note": "n", "keys": ["b", "a"]}]'

    assert 1 == len({claim.fact for claim in desk.one("staff.json", records).claims if claim.fact.relation == SC.annotation})


def test_an_ill_typed_value_is_kept_for_the_gate(desk: Desk) -> None:
    with_facts(desk, 'column = "day"\nrelation = "sc:occurred_on"')

    assert literal("soon", XSD.date) == claim_of(desk.one("a.csv", "id,day\nx,soon\n"), SC.occurred_on).fact.object


def test_a_class_comes_from_a_column(desk: Desk) -> None:
    with_facts(desk, 'column = "kind"\nrelation = "rdf:type"')
    reading = desk.one("a.csv", "id,kind\ntax,sc:Component\ncart,Component\nx,Odd Thing\n")

    assert class_node(SC.Component) == claim_of(reading, TYPE, "component:tax").fact.object
    assert class_node(SC.Component) == claim_of(reading, TYPE, "component:cart").fact.object
    assert class_node(UNMAPPED["class/odd-thing"]) == claim_of(reading, TYPE, "component:x").fact.object


def test_statements_carry_the_schemes_of_their_ids(desk: Desk) -> None:
    desk.lay("mappings/staff.toml", STATEMENTS)
    text = "s,r,o,since\nteam:platform,owns,component:tax,2024-03-01\ncomponent:tax,rdfs:label,Tax,\ncomponent:tax,adores,Cart,\n"
    reading = desk.one("a.csv", text)

    assert {
        ("team:platform", SC.owns, "component:tax"),
        ("component:tax", LABEL, literal("Tax")),
        ("component:tax", UNMAPPED["csv/adores"], literal("Cart")),
    } == facts(reading)
    assert Bound("stated", "2024-03-01T00:00:00Z") == claim_of(reading, SC.owns).fact.start


def test_a_mapping_adds_scopes(desk: Desk) -> None:
    desk.lay("mappings/staff.toml", 'scopes = ["hr"]\n' + STAFF)

    assert frozenset({"hr"}) == desk.one("staff.csv", "id,name,team,since,left\np1,A,Web,,\n").scopes


def test_the_extractor_changes_with_the_mapping(desk: Desk) -> None:
    before = desk.one("staff.csv", "id,name,team,since,left\np1,A,Web,,\n").extractor
    desk.lay("mappings/staff.toml", STAFF + "# more\n")
    after = desk.one("staff.csv", "id,name,team,since,left\np1,A,Web,,\n").extractor

    assert before != after
    assert "csv" == before.partition("/")[0] == after.partition("/")[0]


# -- bad rows: the others are read


@pytest.mark.parametrize(
    ("row", "what"),
    [
        ("p1,A,Web,", "has 4 cells where the header has 5"),
        ("p1,A,Web,,,", "has 6 cells where the header has 5"),
        (",A,Web,,", "has no value in 'id'"),
    ],
)
def test_a_bad_row_is_a_problem_with_its_line(desk: Desk, row: str, what: str) -> None:
    desk.lay("staff.csv", f"id,name,team,since,left\np8,H,Web,,\n{row}\np9,I,Web,,\n")
    (reading,), (problem,) = desk.read("staff.csv")

    assert (what, "3") == (problem.what, problem.where.rpartition(":")[2])
    assert not reading.complete
    assert {"person:p8", "person:p9", "team:web"} == {c.fact.subject for c in reading.claims}


@pytest.mark.parametrize(
    ("cell", "what"), [("1 March", "'since': not an ISO 8601 date: '1 March'"), ("2025-02-30", "'since': day is out of range for month")]
)
def test_a_bad_cell_costs_its_claim_and_not_its_row(desk: Desk, cell: str, what: str) -> None:
    desk.lay("staff.csv", f"id,name,team,since,left\np1,A,Web,{cell},\n")
    (reading,), (problem,) = desk.read("staff.csv")

    assert (what, "2") == (problem.what, problem.where.rpartition(":")[2])
    assert not reading.complete
    assert {("person:p1", TYPE, class_node(PP.Person)), ("person:p1", LABEL, literal("A"))} == facts(reading)


def test_of_many_bad_rows_the_first_are_told_and_the_rest_counted(desk: Desk) -> None:
    desk.lay("staff.csv", "id,name,team,since,left\n" + "x\n" * 1234 + "p9,I,Web,,\n")
    (reading,), problems = desk.read("staff.csv")

    assert MOST_REPORTED + 1 == len(problems)
    assert ("has 1,134 more records or cells that cannot be read", False) == (problems[-1].what, reading.complete)
    assert "person:p9" in {c.fact.subject for c in reading.claims}


def test_a_quote_without_end_is_a_problem_of_its_row(desk: Desk) -> None:
    desk.lay("staff.csv", 'id,name,team,since,left\np1,A,Web,,\np2,"B,Web,,\n')
    (reading,), (problem,) = desk.read("staff.csv")

    assert "3" == problem.where.rpartition(":")[2]
    assert "person:p1" in {c.fact.subject for c in reading.claims}


def test_a_bad_line_of_json_lines_leaves_the_others(desk: Desk) -> None:
    desk.lay("staff.jsonl", '{"id": "p1"}\nnot json\n{"id": "p2", "id": "p3"}\n{"id": "p4"}\n')
    (reading,), problems = desk.read("staff.jsonl")

    assert ["2", "3"] == [problem.where.rpartition(":")[2] for problem in problems]
    assert {"person:p1", "person:p4"} == {c.fact.subject for c in reading.claims}
    assert not reading.complete


@pytest.mark.parametrize(
    "record", [r'{"id": "p1", "name": "\ud800"}', r'{"id": "\udc00"}', r'{"id": "p1", "\ud800": "x"}', r'{"id": "p1\u0000"}']
)
def test_an_escape_that_no_text_can_hold_is_a_problem_of_its_record(desk: Desk, record: str) -> None:
    desk.lay("staff.json", f'[{{"id": "p8"}}, {record}]')
    (reading,), (problem,) = desk.read("staff.json")

    assert "holds an escape that is no character" in problem.what
    assert {"person:p8"} == {c.fact.subject for c in reading.claims}


def test_a_cell_of_any_length_is_read(desk: Desk) -> None:
    reading = desk.one("staff.csv", f"id,name,team,since,left\np1,{'A' * 200_000},Web,,\n")

    assert literal("A" * 200_000) == claim_of(reading, LABEL, subject="person:p1").fact.object


def test_lines_that_end_in_a_carriage_return_are_counted(desk: Desk) -> None:
    desk.lay("staff.csv", "id,name,team,since,left\rp1,A,Web,,\rp2,B,Web,soon,\r")
    _, (problem,) = desk.read("staff.csv")

    assert "3" == problem.where.rpartition(":")[2]


def test_an_id_without_scheme_is_a_problem(desk: Desk) -> None:
    desk.lay("mappings/staff.toml", STATEMENTS)

    assert "'tax' carries no scheme" == desk.wrong("a.csv", "s,r,o,since\ntax,owned_by,team:web,\n").what


@pytest.mark.parametrize("key", ["text:memos/a.md|Tax|", "bnode:x|y", "iri:not an iri", "Team:x", "team:"])
def test_an_id_of_a_scheme_that_is_the_platforms_own_is_a_problem(desk: Desk, key: str) -> None:
    desk.lay("mappings/staff.toml", STATEMENTS)

    assert f"{key!r} carries no scheme" == desk.wrong("a.csv", f"s,r,o,since\n{key},owned_by,team:web,\n").what


# -- bad files


@pytest.mark.parametrize(
    ("name", "text", "line", "what"),
    [
        ("a.csv", "id,name,id\n", 1, "the column 'id' stands twice"),
        ("a.json", '[\n{"id": "a"},\n{"id": }]', 3, "is not valid JSON: Expecting value"),
        ("a.json", '[\n{"id": "a",\n"x": 1, "x": 2}]', 3, "the key 'x' stands twice"),
        ("a.json", '[{"id": NaN}]', 1, "is not valid JSON: NaN is no value"),
        ("a.json", "[] []", 1, "is not valid JSON: it goes on after its end"),
        ("a.json", '["x"]', 1, "a record is no object"),
    ],
)
def test_a_bad_file_gives_one_line(desk: Desk, name: str, text: str, line: int, what: str) -> None:
    problem = desk.wrong(name, text)

    assert (what, str(line)) == (problem.what, problem.where.rpartition(":")[2])


def test_deep_json_is_refused(desk: Desk) -> None:
    assert "is nested too deeply" == desk.wrong("a.json", '[{"a": ' + "[" * 100_000 + "]" * 100_000 + "}]").what


def test_records_that_are_not_where_the_mapping_says_are_a_problem(desk: Desk) -> None:
    desk.lay("mappings/staff.toml", 'records = "people"\n' + STAFF)

    assert "has no list of records at 'people'" == desk.wrong("a.json", '{"staff": []}').what


def test_a_collection_without_mapping_reads_no_records(desk: Desk) -> None:
    desk.lay("a.csv", "id\nx\n")
    _, (problem,) = desk.read("a.csv", collection="plain")

    assert "holds records, and its collection has no mapping" == problem.what
    assert "[collections.plain]" in problem.hint


# -- bad mappings


@pytest.mark.parametrize(
    ("mapping", "what", "hint"),
    [
        ("x =", "is not TOML", "docs/mappings.md"),
        ('[subject]\ncolumn = "id"\ncolour = 1\n', "subject.colour is no key of a mapping", "column"),
        ('[subject]\nscheme = "person"\n', "subject.column is missing", ""),
        ('[subject]\ncolumn = "id"\nclass = "pp:Persn"\n', "subject.class is 'pp:Persn'", "did you mean pp:Person?"),
        ('[subject]\ncolumn = "id"\nscheme = "text"\n', "subject.scheme is 'text'", "a scheme is"),
        ('[subject]\ncolumn = "id"\n[[facts]]\ncolumn = "a"\nrelation = "sc:depend_on"\n', "'sc:depend_on'", "did you mean sc:depends_on?"),
        ('[subject]\ncolumn = "id"\n[[facts]]\nrelation = "sc:tag"\n', "facts[1].column or value", ""),
        ('[subject]\ncolumn = "id"\n[[facts]]\ncolumn = "a"\nrelation = "sc:tag"\nscheme = "x"\n', "does not fit sc:tag", ""),
        (
            '[subject]\ncolumn = "id"\n[[facts]]\ncolumn = "a"\nrelation = "sc:affects"\ndatatype = "xsd:date"\n',
            "does not fit sc:affects",
            "",
        ),
        ('scopes = ["public"]\n[subject]\ncolumn = "id"\n', "scopes must be a list of scopes", "only add scopes"),
        ("[[facts]]\n", "subject is missing", ""),
        (STATEMENTS + '[subject]\ncolumn = "id"\n', "statement stands beside [subject]", "one of the two"),
    ],
)
def test_a_wrong_mapping_names_the_key_and_what_next(tmp_path: Path, mapping: str, what: str, hint: str) -> None:
    path = tmp_path / "m.toml"
    path.write_text(mapping)
    with pytest.raises(MappingError) as caught:
        load_mapping(path, schema())

    assert what in caught.value.what
    assert hint in caught.value.hint
    assert str(path) == caught.value.where


def test_a_column_that_the_file_lacks_is_an_error_of_the_mapping(desk: Desk) -> None:
    problem = desk.wrong("staff.csv", "id,name,team,since,lefts\np1,A,Web,,\n")

    assert f"names the column 'left', which {desk.root / 'staff.csv'} does not have" == problem.what
    assert "did you mean lefts?" == problem.hint
    assert problem.where.endswith("staff.toml")


def test_a_file_with_another_delimiter_is_told_which(desk: Desk) -> None:
    assert "add delimiter = ';' to the mapping" == desk.wrong("staff.csv", "id;name;team;since;left\np1;A;Web;;\n").hint


# -- the documentation


def test_the_mappings_of_the_documentation_load(repo: Path, tmp_path: Path) -> None:
    blocks = re.findall(r"^```toml\n(.*?)^```", (repo / "docs" / "mappings.md").read_text(), re.DOTALL | re.MULTILINE)
    assert 4 == len(blocks)
    for block in blocks:
        path = tmp_path / "m.toml"
        path.write_text(block)
        assert load_mapping(path, schema()).columns


def test_every_key_of_a_mapping_is_documented(repo: Path) -> None:
    page = (repo / "docs" / "mappings.md").read_text()
    tables = (MappingFile, FormatTable, SubjectTable, StatementTable, FactTable)
    keys = {field.encode_name for table in tables for field in msgspec.structs.fields(table)}
    assert len(keys) > 12
    assert [] == sorted(key for key in keys if not re.search(rf"`{key}`|\[+{key}\]+|^{key} = ", page, re.MULTILINE))
