"""The command line over a running server: the same questions give the same as on the data directory, errors too."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pyoxigraph as ox
import pytest
from support.commandline import Said, done, kg
from support.kgserver import Server, serving

from kgplatform.data_directory import DataDir
from kgplatform.errors import LockedError

NAMES = "SELECT ?name WHERE { ?c rdfs:label 'Checkout' ; sc:depends_on/rdfs:label ?name } ORDER BY ?name"
OWNER = "Who owns Invoice?"


@pytest.fixture
def own_server(own_world: Path) -> Iterator[Server]:
    with serving(own_world) as found:
        yield found


@pytest.fixture(autouse=True)
def clock(now: None) -> None:
    """Both sides answer at the clock of the sample world."""


def over(server: Server, *arguments: str | Path, who: str = "") -> Said:
    with pytest.MonkeyPatch.context() as patch:
        if who:
            patch.setenv("KGPLATFORM_TOKEN", server.tokens[who])
        return kg(*arguments, "--server", server.url)


def both(server: Server, *arguments: str | Path, who: str = "") -> tuple[Said, Said]:
    """The same command for the same principal: on the data directory, and over the server."""
    here = kg(*arguments, "--data", server.data, *(["--as", who] if who else []))
    return here, over(server, *arguments, who=who)


def untimed(text: str) -> str:
    """Without what differs from one run to the next."""
    return re.sub(r'"milliseconds": \d+|milliseconds: [^"\n\\]*|in \d+\.\d s', "(time)", text)


# -- the same both ways


@pytest.mark.parametrize("form", [(), ("--json",)], ids=["text", "json"])
@pytest.mark.parametrize(
    ("who", "arguments"),
    [
        ("", ("ask", OWNER)),
        ("finance", ("ask", OWNER)),
        ("", ("ask", "Who owns Tax?", "--valid-at", "2023-06-15")),
        ("", ("ask", "Who owns Tax?", "--recorded-at", "2020-01-01")),
        ("", ("ask", "Who owns Tax?", "--min-trust", "authoritative", "--planner", "rules")),
        ("finance", ("ask", OWNER, "--explain")),
        ("", ("ask", "Where does Alex Kim work?")),
        ("", ("sparql", NAMES)),
        ("", ("sparql", "ASK { ?s rdfs:label 'Avalon' }")),
        ("finance", ("sparql", "ASK { ?s rdfs:label 'Avalon' }")),
        ("", ("sparql", "SELECT ?team WHERE { <https://kg.example/id/component/tax> sc:owned_by ?team }", "--valid-at", "2023-06-15")),
        ("", ("sparql", "SELECT (COUNT(?a) AS ?n) WHERE { ?a a kg:Assertion }", "--dataset", "full")),
        ("", ("search", "chekout", "--limit", "3")),
        ("", ("search", "zzzz")),
        ("", ("entity", "Tax")),
        ("", ("entity", "Alex Kim")),
        ("finance", ("entity", "Avalon")),
        ("steward", ("conflicts",)),
        ("steward", ("conflicts", "--valid-at", "2024-01-01")),
        ("finance-steward", ("quarantine", "list")),
        ("steward", ("quarantine", "list", "--csv", "--valid-at", "2024-01-01")),
        ("steward", ("validate",)),
        ("steward", ("validate", "--format", "json", "--valid-at", "2024-01-01")),
    ],
    ids=str,
)
def test_a_command_prints_over_a_server_what_it_prints_on_the_directory(
    server: Server, who: str, arguments: tuple[str, ...], form: tuple[str, ...]
) -> None:
    here, there = both(server, *arguments, *form, who=who)

    assert (0, "") == (here.code, here.err)
    assert (untimed(here.out), "", 0) == (untimed(there.out), there.err, there.code)


@pytest.mark.parametrize("form", ["json", "xml", "csv", "tsv"])
def test_solutions_come_in_every_format(server: Server, form: str) -> None:
    here, there = both(server, "sparql", NAMES, "--format", form)

    assert "Cart" in here.out
    assert here == there


@pytest.mark.parametrize("form", ["turtle", "ntriples", "jsonld", "rdfxml"])
def test_triples_come_in_every_format(server: Server, form: str) -> None:
    here, there = both(server, "sparql", "DESCRIBE <https://kg.example/id/component/tax>", "--format", form)
    syntax = {"turtle": ox.RdfFormat.TURTLE, "ntriples": ox.RdfFormat.N_TRIPLES, "jsonld": ox.RdfFormat.JSON_LD}.get(
        form, ox.RdfFormat.RDF_XML
    )

    assert set(ox.parse(here.out, format=syntax)) == set(ox.parse(there.out, format=syntax)) != set()


def test_a_plan_runs_over_a_server(server: Server, tmp_path: Path) -> None:
    (tmp_path / "plan.json").write_text(json.dumps(over(server, "ask", "What depends on Tax?", "--json").json["plan"]), encoding="utf-8")
    here, there = both(server, "plan", tmp_path / "plan.json")

    assert here == there
    assert "Checkout" in there.out


@pytest.mark.parametrize(("form", "syntax"), [("trig", ox.RdfFormat.TRIG), ("rdf12", ox.RdfFormat.TURTLE)])
@pytest.mark.parametrize("who", ["", "finance"])
def test_an_export_is_the_same_graph(server: Server, who: str, form: str, syntax: ox.RdfFormat, tmp_path: Path) -> None:
    here, there = both(server, "export", "--format", form, who=who)
    said = over(server, "export", "--format", form, "--output", tmp_path / "out", "--json", who=who)
    found = set(ox.parse(there.out, format=syntax))

    assert set(ox.parse(here.out, format=syntax)) == found == set(ox.parse(path=tmp_path / "out", format=syntax))
    assert len(found) == said.json["statements"]


def test_a_report_comes_as_turtle(server: Server) -> None:
    here, there = both(server, "validate", "--format", "turtle", who="steward")

    assert here == there
    assert list(ox.parse(there.out, format=ox.RdfFormat.TURTLE))


def test_a_refused_claim_is_shown_and_discarded_and_comes_back(own_server: Server) -> None:
    first = over(own_server, "quarantine", "list", "--json", who="steward").json["claims"][0]["id"]
    here, there = both(own_server, "quarantine", "show", first[:12], who="steward")
    assert here == there

    made = over(own_server, "quarantine", "discard", first, "--json", who="steward").json
    assert first == made["id"]
    assert 1 == kg("quarantine", "show", first, "--as", "steward", "--data", own_server.data).code
    again = over(own_server, "quarantine", "retry", str(made["decision"]), "--json", who="steward").json
    assert {"before", "after", "ontology_changed"} == set(again)
    assert again["before"] + 1 == again["after"]


# -- ingest


@pytest.mark.long
def test_files_are_read_over_a_server_as_on_the_directory(own_server: Server, own_world: Path, tmp_path: Path) -> None:
    """By the folder they stand in, or that is ingested, and with what cannot be read told by the path that it has here."""
    other = tmp_path / "other"
    shutil.copytree(own_world, other, ignore=shutil.ignore_patterns("serving*"))
    folder = tmp_path / "memos"
    folder.mkdir()
    (folder / "ledger.md").write_text("Ledger is a component. Platform has owned Ledger since 3 April 2025.\n", encoding="utf-8")
    (folder / "bad.md").write_bytes(b"one line\nTax is \xff")
    os.mkfifo(folder / "pipe.md")
    (folder / "README.md").write_text("Cart owns nothing.\n", encoding="utf-8")
    (tmp_path / "team.yaml").write_text("apiVersion: backstage.io/v1alpha1\nkind: Group\nmetadata: {name: ops}\n", encoding="utf-8")
    for arguments in ([folder], [folder / "ledger.md"], [tmp_path / "team.yaml", "--collection", "catalogue"], [tmp_path / "team.yaml"]):
        here = kg("ingest", *arguments, "--as", "editor", "--data", other, "--json")
        there = over(own_server, "ingest", *arguments, "--json", who="editor")
        figures = [{name: value for name, value in said.json.items() if name not in ("seconds", "problems")} for said in (here, there)]

        assert (0 if here.json["documents_read"] else 1) == here.code == there.code, there.err
        assert figures[0] == figures[1], arguments
        assert [each["where"] for each in here.json["problems"]] == [each["where"] for each in there.json["problems"]]
        assert len(there.json["problems"]) + bool(there.code) == len(there.err.splitlines())

    for data in (other, own_world):
        assert "Platform owns Ledger" in done("ask", "Who owns Ledger?", "--data", data).out
    queries = "SELECT DISTINCT ?d WHERE { ?c kg:document ?d } ORDER BY ?d"
    assert done("sparql", queries, "--dataset", "full", "--data", other).out == done("sparql", queries, "--dataset", "full").out


def test_two_files_of_one_name_are_two_documents_over_a_server_too(own_server: Server, tmp_path: Path) -> None:
    for folder, name in (("a", "Abacus"), ("b", "Sundial")):
        path = tmp_path / folder / "owner.md"
        path.parent.mkdir()
        path.write_text(f"{name} is a component. Platform has owned {name} since 3 April 2025.\n")
        there = over(own_server, "ingest", path, "--collection", "memos", "--json", who="editor")
        assert 0 == there.code, there.err

    for name in ("Abacus", "Sundial"):
        assert f"Platform owns {name}" in over(own_server, "ask", f"Who owns {name}?").out


def test_a_collection_that_the_editor_cannot_see_is_unknown(server: Server, tmp_path: Path) -> None:
    (tmp_path / "x.md").write_text("Cart is a component.\n", encoding="utf-8")
    hidden, absent = (over(server, "ingest", tmp_path / "x.md", "--collection", name, who="editor") for name in ("finance", "finanze"))

    assert (1, 1, "") == (hidden.code, len(hidden.err.splitlines()), hidden.out)
    assert hidden == absent


# -- errors


@pytest.mark.parametrize(
    "arguments",
    [
        ("entity", "INC-999"),
        ("entity", "Chekout"),
        ("sparql", "SELECT * WHERE { ?s foo:x ?o }"),
        ("sparql", "INSERT DATA { <x:a> <x:b> <x:c> }"),
        ("sparql", NAMES, "--format", "turtle"),
        ("ask", "x", "--valid-at", "yesterday"),
        ("plan", "PLAN"),
        ("plan", "no-such-file"),
    ],
    ids=str,
)
def test_an_error_is_the_same_line_and_exit_code(server: Server, arguments: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "plan").write_text('{"hops": 3}', encoding="utf-8")
    here, there = both(server, *(str(tmp_path / "plan") if each == "PLAN" else each for each in arguments))

    assert here.code != 0 == len(here.out)
    assert here == there


def test_a_role_that_is_missing_is_one_line_and_so_is_a_token_that_nobody_has(server: Server, tmp_path: Path) -> None:
    (tmp_path / "token").write_text("kg_nobody_has_this\n", encoding="utf-8")
    nobody, reader = over(server, "conflicts"), over(server, "conflicts", who="finance")
    wrong = over(server, "ask", OWNER, "--token-file", tmp_path / "token", who="finance")

    for said, expected in ((nobody, "KGPLATFORM_TOKEN"), (reader, "the role steward"), (wrong, "token is not known")):
        assert (1, 1) == (said.code, len(said.err.splitlines()))
        assert expected in said.err


def test_a_token_file_counts_more_than_the_environment_and_no_token_is_ever_shown(server: Server, tmp_path: Path) -> None:
    (tmp_path / "token").write_text(f"{server.tokens['finance']}\n", encoding="utf-8")
    said = over(server, "-vv", "ask", OWNER, "--token-file", tmp_path / "token", who="steward")

    assert "Avalon" in said.out
    assert not any(token in said.out + said.err for token in server.tokens.values())


@pytest.mark.parametrize("text", ["", "two words", "na\u00efve"])
def test_a_file_without_a_token_is_a_usage_error(server: Server, tmp_path: Path, text: str) -> None:
    (tmp_path / "token").write_text(text, encoding="utf-8")

    assert (2, 1) == ((said := over(server, "ask", OWNER, "--token-file", tmp_path / "token")).code, len(said.err.splitlines()))


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (("ask", OWNER, "--as", "finance"), "--as does not go with a server"),
        (("ask", OWNER, "--data", "d"), "--data does not go with a server"),
        (("ask", OWNER, "--config", "c"), "--config does not go with a server"),
        (("merge", "a", "b"), "`kgplatform merge` works on a data directory"),
        (("principal", "list"), "`kgplatform principal list` works on a data directory"),
        (("init",), "`kgplatform init` works on a data directory"),
        (("serve",), "`kgplatform serve` works on a data directory"),
    ],
    ids=str,
)
def test_what_does_not_go_over_a_server_is_a_usage_error(server: Server, options: tuple[str, ...], expected: str) -> None:
    said = over(server, *options)

    assert (2, 1, "") == (said.code, len(said.err.splitlines()), said.out)
    assert expected in said.err


def test_the_environment_names_a_server_and_an_option_counts_more(server: Server, monkeypatch: pytest.MonkeyPatch, own_world: Path) -> None:
    monkeypatch.delenv("KGPLATFORM_DATA")
    monkeypatch.setenv("KGPLATFORM_SERVER", server.url)
    monkeypatch.setenv("KGPLATFORM_TOKEN", server.tokens["finance"])

    assert "Avalon" in done("ask", OWNER).out
    assert "Avalon" not in done("ask", OWNER, "--data", own_world).out
    assert 0 == kg("principal", "list", "--data", own_world).code
    assert 2 == kg("principal", "list").code
    monkeypatch.setenv("KGPLATFORM_DATA", str(own_world))
    assert "both set" in kg("ask", OWNER).err


@pytest.mark.parametrize(
    "url", ["ftp://x", "127.0.0.1:80", "http://", "http://me:secret@x", "http://x?y", "http://x/ y", "http://[x", "http://a..b"]
)
def test_what_is_no_url_of_a_server_is_a_usage_error(url: str) -> None:
    said = kg("ask", OWNER, "--server", url)

    assert (2, 1) == (said.code, len(said.err.splitlines()))
    assert "secret" not in said.err


# -- one server a data directory


def test_a_second_server_on_a_directory_ends_with_the_address_of_the_first(server: Server) -> None:
    said = kg("serve", "--port", "0", "--data", server.data)

    assert (1, 1) == (said.code, len(said.err.splitlines()))
    assert f"is served already at {server.url}/" in said.err


def test_who_finds_the_writers_lock_held_is_told_of_the_server(server: Server) -> None:
    from kgplatform.settings.load import load_settings
    from kgplatform.writing.writer import Writer

    with Writer.open(load_settings(server.data)):
        said = kg("merge", "component:tax", "component:cart", "--data", server.data)

    assert (1, 1) == (said.code, len(said.err.splitlines()))
    assert f"kgplatform --server {server.url}" in said.err


def test_a_server_that_is_starting_has_not_the_address_of_one_before_it(tmp_path: Path) -> None:
    directory = DataDir(tmp_path)
    (tmp_path / "serving.json").write_text('{"url": "http://127.0.0.1:1/"}', encoding="utf-8")
    with directory.serving() as at:
        assert "" == directory.served_at()
        at("http://127.0.0.1:2/")
        assert "http://127.0.0.1:2/" == directory.served_at()
        with pytest.raises(LockedError, match="127.0.0.1:2"), directory.serving():
            pass
    assert "" == directory.served_at()


@pytest.mark.long
def test_what_a_killed_server_leaves_counts_for_nothing(own_world: Path) -> None:
    def check() -> str:
        return str(next(each["said"] for each in done("doctor", "--json").json["checks"] if each["name"] == "server"))

    with serving(own_world) as first:
        assert first.url in check()
        first.process.kill()
        first.process.wait()
        assert "none runs here" == check()
        with serving(own_world) as second:
            assert second.url in check()
            second.stop()
    assert "none runs here" == check()
    assert not (own_world / "serving.json").exists()
