"""The commands over the sample world: what they print, as text and as JSON, and what they change."""

from __future__ import annotations

import json
from pathlib import Path

import pyoxigraph as ox
import pytest
from support.commandline import done, kg, read_world

from kgplatform.packs.folders import sample_data

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

    assert [
        "documents_read",
        "documents_new",
        "claims_read",
        "claims_new",
        "claims_unchanged",
        "accepted",
        "quarantined",
        "reasons",
        "seconds",
        "states",
        "files_skipped",
        "notices",
        "warning",
        "problems",
        "skipped",
        "documents",
        "gone",
        "withdrawn",
        "differences",
    ] == list(summary)
    assert summary["claims_read"] == summary["claims_new"] + summary["claims_unchanged"]
    assert summary["claims_new"] == summary["accepted"] + summary["quarantined"]
    assert summary["quarantined"] == sum(summary["reasons"].values())
    assert summary["accepted"] > 200
    for name, of_documents in (("claims_read", "claims"), ("claims_new", "new"), ("accepted", "accepted"), ("quarantined", "quarantined")):
        assert summary[name] == sum(document[of_documents] for document in summary["documents"])
    assert summary["documents_read"] == len(summary["documents"]) == sum(summary["states"].values())
    assert summary["reasons"]["unmapped"] <= sum(summary["notices"]["unmapped"].values())


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
    assert list(
        ox.parse(
            done("sparql", "CONSTRUCT { ?s ?p ?o } WHERE { ?s ?p ?o } LIMIT 5", "--format", "ntriples").out, format=ox.RdfFormat.N_TRIPLES
        )
    )


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
    for command in (
        ["sparql", "ASK {}"],
        ["conflicts"],
        ["export"],
        ["quarantine", "list"],
        ["validate"],
        ["search", "tax"],
        ["ask", "Who owns Tax?"],
    ):
        said = kg(*command, "--as", "nobody-here")

        assert 1 == said.code and "no principal nobody-here" in said.err


def test_an_export_is_the_callers_graph_in_trig(world: Path, tmp_path: Path) -> None:
    done("export", "--output", tmp_path / "public.trig")
    done("export", "--output", tmp_path / "finance.trig", "--as", "finance")
    public, finance = (set(ox.parse((tmp_path / f"{name}.trig").read_bytes(), format=ox.RdfFormat.TRIG)) for name in ("public", "finance"))

    assert {"https://w3id.org/kgplatform/core#records", ""} == {str(getattr(q.graph_name, "value", "")) for q in public}
    facts = {q.triple for q in public if isinstance(q.graph_name, ox.DefaultGraph)}
    assert facts and not facts & {q.triple for q in public if not isinstance(q.graph_name, ox.DefaultGraph)}
    assert not [q for q in public if "avalon" in str(q).lower()]
    assert [q for q in finance if "avalon" in str(q).lower()]


def test_an_export_that_fails_leaves_the_file_as_it_was(world: Path, tmp_path: Path) -> None:
    (tmp_path / "old.trig").write_text("as before")

    assert 1 == kg("export", "--output", tmp_path / "old.trig", "--as", "nobody-here").code
    assert "as before" == (tmp_path / "old.trig").read_text()


def test_an_export_as_rdf_12_reifies_every_assertion(world: Path) -> None:
    triples = [q.triple for q in ox.parse(done("export", "--format", "rdf12").out, format=ox.RdfFormat.TURTLE)]
    reified = {t.object for t in triples if t.predicate.value.endswith("#reifies")}
    facts = {t for t in triples if isinstance(t.object, ox.NamedNode) and t.predicate.value.endswith("#owned_by")}

    assert facts and facts <= reified
    assert not [t for t in triples if t.predicate.value == "http://www.w3.org/1999/02/22-rdf-syntax-ns#subject"]
