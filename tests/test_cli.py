"""The commands over the sample world: what they print, as text and as JSON, and what they change."""

from __future__ import annotations

import csv
import io
import json
import sqlite3
from pathlib import Path

import pyoxigraph as ox
import pytest
from world import done, kg, read_world

from kgplatform.packs import sample_data

A_KIM = "text:memos/kim.md|A. Kim|https://w3id.org/kgplatform/people-places#Person"
PUBLIC_OWNERS = "SELECT ?name WHERE { ?c sc:owned_by/rdfs:label ?name ; rdfs:label 'Invoice' } ORDER BY ?name"

# -- filling


def test_init_makes_a_directory_with_the_commented_settings(tmp_path: Path, repo: Path) -> None:
    said = done("init", "--data", tmp_path / "d")

    assert (repo / "kgplatform.example.toml").read_text("utf-8") == (tmp_path / "d/kgplatform.toml").read_text("utf-8")
    assert "collection documents: statement, public" in said.out


def test_init_again_keeps_settings_and_what_was_read(own_world: Path) -> None:
    settings = (own_world / "kgplatform.toml").read_bytes()

    done("init")

    assert settings == (own_world / "kgplatform.toml").read_bytes()
    assert "true" in done("sparql", "ASK { ?s sc:owned_by ?o }").out


def test_ingest_says_how_many_it_read_and_its_figures_add_up(tmp_path: Path, now: None) -> None:
    summary = read_world(tmp_path / "d").json

    assert ["documents_read", "documents_new", "claims_read", "claims_new", "claims_unchanged", "accepted", "quarantined", "reasons", "seconds"] == [
        name for name in summary if name != "problems"
    ]
    assert summary["claims_read"] == summary["claims_new"] + summary["claims_unchanged"]
    assert summary["claims_new"] == summary["accepted"] + summary["quarantined"]
    assert summary["quarantined"] == sum(summary["reasons"].values())
    assert summary["accepted"] > 200


def test_ingesting_the_same_again_adds_nothing(own_world: Path) -> None:
    again = done("ingest", sample_data(), "--json").json

    assert (0, 0, again["claims_read"]) == (again["documents_new"], again["claims_new"], again["claims_unchanged"])


def test_a_file_that_cannot_be_read_is_one_line_and_the_rest_goes_on(own_world: Path, tmp_path: Path) -> None:
    folder = tmp_path / "memos"
    folder.mkdir()
    (folder / "bad.md").write_bytes(b"Tax is \xff")
    (folder / "good.md").write_text("Tax is a component.\n", encoding="utf-8")

    said = done("ingest", folder, "--collection", "memos", "--json")

    assert 1 == said.json["documents_read"]
    assert 1 == len(said.err.splitlines()) and "bad.md" in said.err


def test_ingest_of_a_path_that_is_not_there_is_a_usage_error(world: Path) -> None:
    assert 2 == kg("ingest", "no-such-file").code


def test_ingest_into_an_unknown_collection_names_the_nearest(world: Path, tmp_path: Path) -> None:
    (tmp_path / "x.md").write_text("x", encoding="utf-8")

    said = kg("ingest", tmp_path / "x.md", "--collection", "memo")

    assert 1 == said.code and "did you mean memos?" in said.err and 1 == len(said.err.splitlines())


# -- SPARQL and export


def test_sparql_prints_a_table_and_knows_the_prefixes(world: Path) -> None:
    assert "name\nCommerce\n" == done("sparql", PUBLIC_OWNERS).out


def test_sparql_answers_each_caller_from_what_that_caller_may_see(world: Path) -> None:
    assert "name\nAvalon\n" == done("sparql", PUBLIC_OWNERS, "--as", "finance").out


def test_sparql_answers_for_another_day(world: Path) -> None:
    query = "SELECT ?team WHERE { <https://kg.example/id/component/tax> sc:owned_by ?team }"

    assert done("sparql", query).out.endswith("/team/platform\n")
    assert done("sparql", query, "--valid-at", "2023-06-15").out.endswith("/team/commerce\n")


def test_sparql_writes_the_standard_formats(world: Path) -> None:
    ask = "ASK { ?s sc:owned_by ?o }"

    assert "true\n" == done("sparql", ask).out
    assert json.loads(done("sparql", ask, "--json").out)["boolean"] is True
    assert ["name", "Commerce"] == done("sparql", PUBLIC_OWNERS, "--format", "csv").out.split()
    assert list(ox.parse(done("sparql", "CONSTRUCT { ?s ?p ?o } WHERE { ?s ?p ?o } LIMIT 5", "--format", "ntriples").out, format=ox.RdfFormat.N_TRIPLES))


def test_sparql_is_read_from_a_file(world: Path, tmp_path: Path) -> None:
    (tmp_path / "q.rq").write_text(PUBLIC_OWNERS, encoding="utf-8")

    assert "Commerce" in done("sparql", f"@{tmp_path / 'q.rq'}").out


def test_the_default_dataset_holds_facts_and_full_the_records_too(world: Path) -> None:
    ask = "ASK { ?a a kg:Assertion }"

    assert ("false\n", "true\n") == (done("sparql", ask).out, done("sparql", ask, "--dataset", "full").out)


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("SELECT *\nWHERE { ?s foo:x ?o }", "at 2:"),
        ("SELEC", "does not parse"),
        ("INSERT DATA { <x:a> <x:b> <x:c> }", "updates are not allowed"),
        ("SELECT * WHERE { SERVICE <https://other.example/> { ?s ?p ?o } }", "SERVICE"),
        ("SELECT * FROM <x:g> WHERE { ?s ?p ?o }", "FROM"),
        ("@no-such-file.rq", "no-such-file.rq"),
    ],
)
def test_a_query_that_cannot_run_is_one_line(world: Path, query: str, wanted: str) -> None:
    said = kg("sparql", query)

    assert said.code in (1, 2)
    assert "" == said.out
    assert 1 == len(said.err.splitlines()) and wanted in said.err


def test_an_unknown_principal_is_refused(world: Path) -> None:
    for command in (["sparql", "ASK {}"], ["conflicts"], ["export"], ["quarantine", "list"], ["validate"], ["search", "tax"], ["ask", "Who owns Tax?"]):
        said = kg(*command, "--as", "nobody-here")

        assert 1 == said.code and "no principal nobody-here" in said.err


def test_an_export_is_the_callers_graph_in_trig(world: Path, tmp_path: Path) -> None:
    done("export", "--output", tmp_path / "public.trig")
    done("export", "--output", tmp_path / "finance.trig", "--as", "finance")
    public, finance = (set(ox.parse((tmp_path / f"{name}.trig").read_bytes(), format=ox.RdfFormat.TRIG)) for name in ("public", "finance"))

    assert {"https://w3id.org/kgplatform/core#records", ""} == {str(getattr(q.graph_name, "value", "")) for q in public}
    assert not [q for q in public if "avalon" in str(q).lower()]
    assert [q for q in finance if "avalon" in str(q).lower()]


def test_an_export_as_rdf_12_reifies_every_assertion(world: Path) -> None:
    triples = [q.triple for q in ox.parse(done("export", "--format", "rdf12").out, format=ox.RdfFormat.TURTLE)]
    reified = {t.object for t in triples if t.predicate.value.endswith("#reifies")}
    facts = {t for t in triples if isinstance(t.object, ox.NamedNode) and t.predicate.value.endswith("#owned_by")}

    assert facts and facts <= reified
    assert not [t for t in triples if t.predicate.value == "http://www.w3.org/1999/02/22-rdf-syntax-ns#subject"]


# -- judging


def test_quarantine_counts_by_cause_first(world: Path) -> None:
    lines = done("quarantine", "list").out.splitlines()

    assert "reason\tcount" == lines[0]
    counts = [int(line.split("\t")[1]) for line in lines[1 : lines.index("")]]
    assert counts == sorted(counts, reverse=True)


def test_quarantine_tells_of_the_swapped_row_and_of_what_no_mapping_knows(world: Path) -> None:
    claims = done("quarantine", "list", "--json").json["claims"]

    (swapped,) = [claim for claim in claims if claim["reason"] == "swapped"]
    assert ("imports/bad.csv", "component:tax", "sc:owns", "team:platform") == tuple(swapped[k] for k in ("document", "subject", "relation", "object"))
    assert 3 == len([claim for claim in claims if claim["reason"] == "wrong-object-type" and claim["document"] == "imports/ownership.csv"])


def test_quarantine_as_csv_holds_every_claim(world: Path) -> None:
    rows = list(csv.DictReader(io.StringIO(done("quarantine", "list", "--csv").out)))

    assert done("quarantine", "list", "--json").json["quarantined"] == len(rows)
    assert {"id", "reason", "document", "quote"} <= set(rows[0])


def test_quarantine_show_takes_the_beginning_of_an_id(world: Path) -> None:
    (swapped,) = [claim for claim in done("quarantine", "list", "--json").json["claims"] if claim["reason"] == "swapped"]

    assert swapped == done("quarantine", "show", swapped["id"][:10], "--json").json
    assert 1 == kg("quarantine", "show", "zzz").code


def test_a_discarded_claim_leaves_quarantine_and_comes_back_on_retry(own_world: Path) -> None:
    def ids() -> set[str]:
        return {claim["id"] for claim in done("quarantine", "list", "--json").json["claims"]}

    before = ids()
    (swapped,) = [claim for claim in done("quarantine", "list", "--json").json["claims"] if claim["reason"] == "swapped"]

    made = done("quarantine", "discard", swapped["id"], "--json").json
    assert before - {swapped["id"]} == ids()
    done("quarantine", "retry", str(made["decision"]))
    assert before == ids()


def test_quarantine_empties_itself_when_the_missing_type_arrives(own_world: Path, tmp_path: Path) -> None:
    def waiting() -> set[str]:
        return {claim["document"] for claim in done("quarantine", "list", "--json").json["claims"] if claim["reason"] == "unknown-object-type"}

    (tmp_path / "wish.csv").write_text("subject,relation,object\ncomponent:tax,depends_on,component:fx\n", encoding="utf-8")
    done("ingest", tmp_path / "wish.csv", "--collection", "imports")
    assert "imports/wish.csv" in waiting()

    (tmp_path / "fx.yaml").write_text("apiVersion: backstage.io/v1alpha1\nkind: Component\nmetadata: {name: fx}\nspec: {type: service}\n", encoding="utf-8")
    done("ingest", tmp_path / "fx.yaml", "--collection", "catalogue")
    assert "imports/wish.csv" not in waiting()


def test_a_changed_pack_is_released_by_retry_and_frees_what_it_allows(tmp_path: Path, now: None) -> None:
    data = tmp_path / "d"
    pack = tmp_path / "own.ttl"
    pack.write_text("<https://own.example/own> a <http://www.w3.org/2002/07/owl#Ontology> .\n", encoding="utf-8")
    settings = tmp_path / "kgplatform.toml"
    settings.write_text('packs = ["people-places", "own.ttl"]\n[collections.facts]\ntrust = "reviewed"\n', encoding="utf-8")
    done("--config", settings, "init", "--data", data)
    (tmp_path / "facts.ttl").write_text("<https://own.example/a> a <https://w3id.org/kgplatform/people-places#Person> ; <https://own.example/own#colour> \"red\" .\n", encoding="utf-8")
    assert {"unknown-relation": 1} == done("ingest", tmp_path / "facts.ttl", "--data", data, "--json", "--collection", "facts").json["reasons"]

    (data / "own.ttl").write_text(
        "<https://own.example/own> a <http://www.w3.org/2002/07/owl#Ontology> .\n"
        "<https://own.example/own#colour> a <http://www.w3.org/2002/07/owl#DatatypeProperty> ;"
        " <http://www.w3.org/2000/01/rdf-schema#range> <http://www.w3.org/2001/XMLSchema#string> .\n",
        encoding="utf-8",
    )
    assert "NO" in done("doctor", "--data", data).out
    assert {"before": 1, "after": 0, "ontology_changed": True} == done("quarantine", "retry", "--data", data, "--json").json
    assert "NO" not in done("doctor", "--data", data).out


def test_conflicts_show_every_value_with_its_documents(world: Path) -> None:
    (conflict,) = done("conflicts", "--json").json

    assert ("Notify", "sc:owned_by") == (conflict["label"], conflict["relation"])
    assert [("Commerce", ["memos/notify-b.md"]), ("Web", ["memos/notify-a.md"])] == [(v["label"], v["documents"]) for v in conflict["values"]]
    assert "Notify" in done("conflicts").out
    assert "no conflicts\n" == done("conflicts", "--valid-at", "2024-01-01").out


def test_validate_tells_conflicts_findings_and_how_much_was_looked_at(world: Path) -> None:
    report = done("validate", "--json").json

    assert (0, 1) == (len(report["violations"]), len(report["conflicts"]))
    assert 100 < sum(shape["focus_nodes"] for shape in report["looked_at"])
    assert "focus nodes looked at" in done("validate").out
    assert list(ox.parse(done("validate", "--format", "turtle").out, format=ox.RdfFormat.TURTLE))


def test_the_shapes_that_come_along_agree_with_the_ontology(world: Path) -> None:
    assert [] == done("shapes", "drift", "--json").json["drift"]


def test_generated_shapes_are_turtle(world: Path, tmp_path: Path) -> None:
    done("shapes", "generate", "--output", tmp_path / "s.ttl")

    assert (tmp_path / "s.ttl").read_text("utf-8") == done("shapes", "generate").out
    assert list(ox.parse((tmp_path / "s.ttl").read_bytes(), format=ox.RdfFormat.TURTLE))


# -- deciding


def test_a_merge_joins_two_keys_and_unmerge_takes_it_back(own_world: Path) -> None:
    before = done("export").out
    query = "SELECT (COUNT(DISTINCT ?p) AS ?n) WHERE { ?p rdfs:label ?name FILTER (?name IN ('Alex Kim', 'A. Kim')) }"
    assert "n\n3\n" == done("sparql", query).out

    done("merge", A_KIM, "person:p1")
    assert "n\n2\n" == done("sparql", query).out
    done("unmerge", "https://kg.example/id/person/p1", A_KIM)
    assert sorted(before.splitlines()) == sorted(done("export").out.splitlines())


def test_two_identifiers_of_one_scheme_cannot_be_merged(world: Path) -> None:
    said = kg("merge", "component:cart", "component:search")

    assert 2 == said.code and "one scheme" in said.err and 1 == len(said.err.splitlines())


def test_a_merge_from_a_confidential_file_does_not_show_to_others(own_world: Path) -> None:
    public, finance = (set(ox.parse(done("export", "--as", name).out, format=ox.RdfFormat.TRIG)) for name in ("", "finance"))
    avalon = next(q.subject.value for q in finance if str(q.object) == '"Avalon"' and "/id/" in q.subject.value)

    done("merge", avalon, "team:web", "--as", "finance")

    assert public == set(ox.parse(done("export").out, format=ox.RdfFormat.TRIG))
    assert finance != set(ox.parse(done("export", "--as", "finance").out, format=ox.RdfFormat.TRIG))


def test_merging_a_key_that_the_caller_cannot_see_says_no_more_than_for_one_that_is_not_there(own_world: Path) -> None:
    hidden = kg("merge", "incident:INC-109", "component:tax")
    absent = kg("merge", "incident:INC-999", "component:tax")

    assert 1 == hidden.code == absent.code
    assert hidden.err.replace("INC-109", "INC-999") == absent.err


def test_unmerging_what_was_never_decided_is_one_line(world: Path) -> None:
    said = kg("unmerge", "component:tax", "component:cart")

    assert 1 == said.code and 1 == len(said.err.splitlines())


def test_erase_asks_and_without_a_terminal_wants_yes(own_world: Path) -> None:
    assert 2 == kg("erase", "memos/kim.md").code
    assert {"document": "memos/kim.md", "state": "purged"} == done("erase", "memos/kim.md", "--yes", "--json").json
    assert 1 == kg("erase", "memos/kim.md", "--yes").code


def test_principals_are_listed_replaced_and_removed(own_world: Path) -> None:
    done("principal", "add", "maria", "--scope", "finance", "--scope", "board", "--role", "steward", "--min-trust", "reviewed")

    (maria,) = [who for who in done("principal", "list", "--json").json if who["name"] == "maria"]
    assert {"name": "maria", "scopes": ["board", "finance"], "roles": ["steward"], "min_trust": "reviewed"} == maria
    done("principal", "remove", "maria")
    assert "maria" not in done("principal", "list").out
    assert 1 == kg("principal", "remove", "maria").code


def test_a_token_is_shown_once_and_revoked_by_its_id(own_world: Path) -> None:
    token = done("token", "create", "finance", "--note", "nightly job").out.strip()
    (listed,) = done("token", "list", "--json").json

    assert "nightly job" == listed["note"]
    assert not [path for path in own_world.rglob("*") if path.is_file() and token.encode() in path.read_bytes()]
    done("token", "revoke", listed["id"])
    assert [] == done("token", "list", "--json").json
    assert 1 == kg("token", "revoke", token).code


# -- keeping


def test_a_restored_backup_gives_the_same_graph(own_world: Path, tmp_path: Path) -> None:
    done("backup", tmp_path / "kept")
    done("restore", tmp_path / "kept", "--data", tmp_path / "again")

    for name in ("", "finance"):
        assert done("export", "--as", name).out == done("export", "--as", name, "--data", tmp_path / "again").out
    assert 0 == done("ingest", sample_data(), "--data", tmp_path / "again", "--json").json["claims_new"]


def test_a_backup_never_overwrites_and_a_restore_never_mixes(own_world: Path, tmp_path: Path) -> None:
    done("backup", tmp_path / "kept")

    assert 2 == kg("backup", tmp_path / "kept").code
    assert 1 == kg("restore", tmp_path / "kept").code


def test_a_damaged_backup_is_refused(own_world: Path, tmp_path: Path) -> None:
    done("backup", tmp_path / "kept")
    next((tmp_path / "kept/originals").iterdir()).write_bytes(b"something else")

    said = kg("restore", tmp_path / "kept", "--data", tmp_path / "again")
    assert 1 == said.code and "damaged" in said.err
    assert not (tmp_path / "again").exists()


def test_reset_keeps_the_settings_and_nothing_else(own_world: Path) -> None:
    assert 2 == kg("reset").code
    done("reset", "--yes")

    assert "false\n" == done("sparql", "ASK { ?s ?p ?o }", "--dataset", "full").out
    assert (own_world / "kgplatform.toml").is_file()
    assert 550 < done("ingest", sample_data(), "--json").json["claims_new"]


def test_a_newer_format_is_refused_and_an_older_one_says_upgrade(own_world: Path) -> None:
    def formatted(number: int) -> None:
        connection = sqlite3.connect(own_world / "ledger.sqlite")
        connection.execute("UPDATE meta SET value = ? WHERE key = 'format'", (str(number),))
        connection.commit()
        connection.close()

    formatted(99)
    for command in (["sparql", "ASK {}"], ["ingest", str(sample_data())], ["upgrade"]):
        said = kg(*command)
        assert 1 == said.code and "use a newer kgplatform" in said.err and 1 == len(said.err.splitlines()), command
    formatted(0)
    assert "kgplatform upgrade" in kg("sparql", "ASK {}").err


def test_upgrade_of_a_current_directory_does_nothing(own_world: Path) -> None:
    assert "nothing to do" in done("upgrade").out


def test_doctor_finds_a_missing_original(own_world: Path) -> None:
    assert all(check["well"] for check in done("doctor", "--json").json["checks"])
    next((own_world / "originals").iterdir()).unlink()

    (ill,) = [check for check in done("doctor", "--json").json["checks"] if not check["well"]]
    assert ("originals", "restore a backup") == (ill["name"], ill["hint"])


def test_a_second_writer_is_told_and_readers_go_on(own_world: Path) -> None:
    from kgplatform.config import load_settings
    from kgplatform.writer import Writer

    with Writer.open(load_settings(own_world)):
        said = kg("ingest", sample_data())
        assert 1 == said.code and "another process is writing" in said.err and 1 == len(said.err.splitlines())
        assert "Commerce" in done("sparql", PUBLIC_OWNERS).out


def test_the_demo_does_not_empty_a_directory_that_it_did_not_make(own_world: Path) -> None:
    said = kg("demo")

    assert 1 == said.code and "was not made by" in said.err
    assert "Commerce" in done("sparql", PUBLIC_OWNERS).out
