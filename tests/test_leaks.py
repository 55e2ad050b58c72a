"""Leak probes by hand: what only the finance department's files say is in no output for the public, whatever is asked."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.commandline import kg

HIDDEN = ("Avalon", "avalon", "INC-109", "penalt", "finance/", "finance-records")

PROBES = [
    "SELECT * { ?s ?p ?o }",
    "SELECT (COUNT(*) AS ?n) { ?s ?p ?o FILTER(CONTAINS(STR(?s), 'valon') || CONTAINS(STR(?o), 'valon')) }",
    "SELECT * { GRAPH ?g { ?s ?p ?o } }",
    "SELECT DISTINCT ?g { GRAPH ?g { } }",
    "SELECT * { <https://kg.example/id/component/invoice> (!rdf:nothing)* ?o }",
    "SELECT * { <https://kg.example/id/component/invoice> (sc:owned_by|^sc:owned_by)+ ?o }",
    "DESCRIBE <https://kg.example/id/component/invoice>",
    "DESCRIBE <https://kg.example/id/incident/INC-109>",
    "CONSTRUCT { ?s ?p ?o } WHERE { ?s ?p ?o }",
    "ASK { ?s rdfs:label 'Avalon' }",
    "SELECT ?x { BIND(EXISTS { ?s rdfs:label 'Avalon' } AS ?x) }",
    "SELECT * { ?s sc:affects ?c MINUS { ?s sc:affects ?c . ?s rdfs:label 'INC-101' } }",
    "SELECT (COUNT(DISTINCT ?i) AS ?n) { { SELECT ?i { ?i sc:affects ?c } } }",
    "SELECT * { VALUES ?g { kg:audiences kg:state <https://w3id.org/kgplatform/core#graph/facts/0> } GRAPH ?g { ?s ?p ?o } }",
    "SELECT ?o { ?s sc:owned_by ?o } ORDER BY ?o LIMIT 100",
]
REFUSED = [
    "SELECT * FROM <https://w3id.org/kgplatform/core#audiences> { ?s ?p ?o }",
    "SELECT * FROM NAMED <https://w3id.org/kgplatform/core#state> { GRAPH ?g { ?s ?p ?o } }",
    "SELECT * { SERVICE <http://127.0.0.1:9/sparql> { ?s ?p ?o } }",
    "INSERT DATA { <a:a> <a:b> <a:c> }",
    "LOAD <http://127.0.0.1:9/x>",
]
COMMANDS = [
    ("ask", "Who owns Invoice?"),
    ("ask", "What does Avalon own?"),
    ("ask", "Who is Avalon?"),
    ("ask", "How many Tax incidents in 2025?", "--explain"),
    ("ask", "How many incidents in 2025?"),
    ("ask", "Who owned Invoice in August 2025?"),
    ("ask", "Who owned Invoice before Avalon?"),
    ("ask", "Which team owns the most components?"),
    ("entity", "Invoice"),
    ("entity", "Avalon"),
    ("entity", "INC-109"),
    ("entity", "Tax"),
    ("search", "ava"),
    ("search", "INC-10"),
    ("search", "avalonn"),
    ("validate",),
    ("conflicts",),
    ("quarantine", "list"),
    ("unread",),
    ("unread", "--as", "public"),
    ("export",),
    ("export", "--format", "rdf12"),
]


def said(*command: str) -> str:
    """All that a command prints, except where it repeats the caller's own words."""
    found = kg(*command)
    text = found.out + found.err
    for argument in command:
        text = text.replace(argument, "")
        for word in argument.replace("?", "").split():
            text = text.replace(f"“{word}”", "")
    return text


def leaked(text: str) -> list[str]:
    return [word for word in HIDDEN if word in text]


@pytest.mark.parametrize("dataset", ["facts", "full"])
@pytest.mark.parametrize("probe", PROBES)
def test_a_sparql_probe_shows_nothing_hidden(world: Path, probe: str, dataset: str) -> None:
    assert [] == leaked(said("sparql", "--dataset", dataset, probe))


@pytest.mark.parametrize("probe", REFUSED)
def test_a_text_that_reaches_outside_the_view_is_refused_in_one_line(world: Path, probe: str) -> None:
    found = kg("sparql", probe)

    assert (1, "") == (found.code, found.out)
    assert 1 == len(found.err.strip().splitlines())
    assert [] == leaked(found.err)


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_a_command_shows_nothing_hidden(world: Path, command: tuple[str, ...]) -> None:
    assert [] == leaked(said(*command))


def test_who_holds_the_scope_sees_it(world: Path) -> None:
    """The probes look for what is really there."""
    assert "Avalon" in kg("sparql", "SELECT ?n { ?s sc:owned_by/rdfs:label ?n }", "--as", "finance").out
    assert "INC-109" in kg("entity", "Tax", "--as", "finance").out
