"""Stewards' commands over the sample world: quarantine, conflicts, reports, merges, erasure, principals."""

from __future__ import annotations

import csv
import io
from contextlib import closing
from pathlib import Path

import pyoxigraph as ox
from support.commandline import done, kg

from kgplatform.ledger.base import Ledger
from kgplatform.ledger.decisions import in_force

A_KIM = "text:memos/kim.md|A. Kim|https://w3id.org/kgplatform/people-places#Person"

# -- judging


def test_quarantine_counts_by_cause_first(world: Path) -> None:
    lines = done("quarantine", "list").out.splitlines()

    assert "reason\tcount" == lines[0]
    counts = [int(line.split("\t")[1]) for line in lines[1 : lines.index("")]]
    assert counts == sorted(counts, reverse=True)


def test_quarantine_tells_of_the_swapped_row_and_of_what_no_mapping_knows(world: Path) -> None:
    claims = done("quarantine", "list", "--json").json["claims"]

    (swapped,) = [claim for claim in claims if claim["reason"] == "swapped"]
    assert ("imports/bad.csv", "component:tax", "sc:owns", "team:platform") == tuple(
        swapped[k] for k in ("document", "subject", "relation", "object")
    )
    assert 3 == len([claim for claim in claims if claim["reason"] == "wrong-subject-type" and claim["document"] == "imports/rotations.csv"])


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
        return {
            claim["document"] for claim in done("quarantine", "list", "--json").json["claims"] if claim["reason"] == "unknown-object-type"
        }

    (tmp_path / "wish.csv").write_text("subject,relation,object\ncomponent:tax,depends_on,component:fx\n", encoding="utf-8")
    done("ingest", tmp_path / "wish.csv", "--collection", "imports")
    assert "imports/wish.csv" in waiting()

    (tmp_path / "fx.yaml").write_text(
        "apiVersion: backstage.io/v1alpha1\nkind: Component\nmetadata: {name: fx}\nspec: {type: service}\n", encoding="utf-8"
    )
    done("ingest", tmp_path / "fx.yaml", "--collection", "catalogue")
    assert "imports/wish.csv" not in waiting()


def test_a_changed_pack_is_released_by_retry_and_frees_what_it_allows(tmp_path: Path, now: None) -> None:
    data = tmp_path / "d"
    pack = tmp_path / "own.ttl"
    pack.write_text("<https://own.example/own> a <http://www.w3.org/2002/07/owl#Ontology> .\n", encoding="utf-8")
    settings = tmp_path / "kgplatform.toml"
    settings.write_text('packs = ["people-places", "own.ttl"]\n[collections.facts]\ntrust = "reviewed"\n', encoding="utf-8")
    done("--config", settings, "init", "--data", data)
    (tmp_path / "facts.ttl").write_text(
        '<https://own.example/a> a <https://w3id.org/kgplatform/people-places#Person> ; <https://own.example/own#colour> "red" .\n',
        encoding="utf-8",
    )
    assert {"unknown-relation": 1} == done("ingest", tmp_path / "facts.ttl", "--data", data, "--json", "--collection", "facts").json[
        "reasons"
    ]

    pack.write_text(
        "<https://own.example/own> a <http://www.w3.org/2002/07/owl#Ontology> .\n"
        "<https://own.example/own#colour> a <http://www.w3.org/2002/07/owl#DatatypeProperty> ;"
        " <http://www.w3.org/2000/01/rdf-schema#range> <http://www.w3.org/2001/XMLSchema#string> .\n",
        encoding="utf-8",
    )
    assert "NO" in kg("doctor", "--data", data).out
    assert {"before": 1, "after": 0, "ontology_changed": True} == done("quarantine", "retry", "--data", data, "--json").json
    assert "NO" not in done("doctor", "--data", data).out


def test_conflicts_show_every_value_with_its_documents(world: Path) -> None:
    (conflict,) = done("conflicts", "--json").json

    assert ("Notify", "sc:owned_by") == (conflict["label"], conflict["relation"])
    assert [("Commerce", ["memos/notify-b.md"]), ("Web", ["memos/notify-a.md"])] == [
        (v["label"], v["documents"]) for v in conflict["values"]
    ]
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

    assert (tmp_path / "s.ttl").read_text("utf-8") == done("shapes", "generate").out == done("shapes", "generate", "--json").json["shapes"]
    assert [str(tmp_path / "s.ttl")] == done("shapes", "generate", "--output", tmp_path / "s.ttl", "--json").json["written"]
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

    with closing(Ledger.open(own_world / "ledger.sqlite")) as ledger:
        assert [frozenset({"finance"})] == [row.decision.scopes for row in in_force(ledger)]
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
    assert "memos/kim.md" == done("erase", "memos/kim.md", "--yes", "--json").json["document"]
    assert 1 == kg("erase", "memos/kim.md", "--yes").code


def test_principals_are_listed_replaced_and_removed(own_world: Path) -> None:
    done("principal", "add", "maria", "--scope", "finance", "--scope", "board", "--role", "steward", "--min-trust", "reviewed")

    (maria,) = [who for who in done("principal", "list", "--json").json if who["name"] == "maria"]
    stated = {"name": "maria", "scopes": ["board", "finance"], "roles": ["steward"], "min_trust": "reviewed"}
    assert {**stated, "has_password": False} == maria
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
