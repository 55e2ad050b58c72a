"""What a caller gets equals what a platform that read only what the caller may see would give (DESIGN section 3).

Random grounds over the real packs; every way out: sparql (facts and records), counts, ask, entity, search with its order.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from kgplatform.answer.ask import ask
from kgplatform.answer.entity import entity
from kgplatform.config import Settings
from kgplatform.errors import KgError
from kgplatform.model import Candidate, Collection, Decision, Fact, Principal, Reading
from kgplatform.retrieve.lexical import search
from kgplatform.store.workers import QueryWorkers
from kgplatform.terms import ALT_LABEL, LABEL, PP, SC, TYPE, XSD, class_node, literal, text_key
from kgplatform.times import parse_stated
from kgplatform.views import View, open_view
from kgplatform.writer import Writer

NOW = "2025-11-01T00:00:00Z"
SCOPES = [frozenset[str](), frozenset[str](), frozenset({"finance"}), frozenset({"hr"}), frozenset({"finance", "hr"})]
PRINCIPALS = {"": frozenset[str](), "fin": frozenset({"finance"}), "hr": frozenset({"hr"}), "both": frozenset({"finance", "hr"})}
NAMES = {
    "component": ["Tax", "Levy", "Checkout", "Cart", "Invoice", "Taxi"],
    "team": ["Platform", "Commerce", "Avalon"],
    "person": ["Alex Kim", "Joan", "Jack"],
    "incident": ["INC-1", "INC-2", "INC-3"],
}
CLASSES = {"component": SC.Component, "team": SC.Team, "person": PP.Person, "incident": SC.Incident}
DATES = ["2021-03-04", "2023-06-15", "2024-08-01", "2025-10-31"]
STATED = ["2022", "2022-06", "2023-01-10", "2024-03-01", "2025-07-01"]

QUERIES = [
    "SELECT * WHERE { ?s ?p ?o } ORDER BY ?s ?p ?o",
    "SELECT (COUNT(*) AS ?n) WHERE { ?s ?p ?o }",
    f"SELECT ?o (COUNT(DISTINCT ?s) AS ?n) WHERE {{ ?s <{SC.owned_by}> ?o }} GROUP BY ?o ORDER BY ?o",
    f"SELECT ?s WHERE {{ ?s <{TYPE}> <{SC.Component}> FILTER NOT EXISTS {{ ?s <{SC.owned_by}> ?o }} }} ORDER BY ?s",
    f"SELECT ?a ?b WHERE {{ ?a <{SC.depends_on}>+ ?b }} ORDER BY ?a ?b",
    "SELECT DISTINCT ?p WHERE { ?s ?p ?o } ORDER BY ?p LIMIT 5",
    "SELECT ?g (COUNT(*) AS ?n) WHERE { GRAPH ?g { ?s ?p ?o } } GROUP BY ?g",
    f"ASK {{ ?s <{LABEL}> 'Levy' }}",
    f"DESCRIBE ?s WHERE {{ ?s <{LABEL}> 'Tax' }}",
    f"CONSTRUCT {{ ?o <{SC.owns}> ?s }} WHERE {{ ?s <{SC.owned_by}> ?o }}",
]
QUESTIONS = [
    "Who owns Tax?",
    "Who owns Levy?",
    "Who owned Invoice in June 2023?",
    "Who owns Tax, and since when?",
    "What depends on Tax?",
    "What does Checkout depend on?",
    "How many components does Avalon own?",
    "How many incidents in 2025?",
    "How many Tax incidents in 2025?",
    "Which components have no owner?",
    "Which team owns the most components?",
    "Where does Alex Kim work?",
    "Who owns Levvy?",
    "Does Checkout depend on Tax?",
    "Who owned Tax before Platform?",
]
SEARCHES = ["tax", "Lev", "avalon", "inc", "alex kim", "chekout", "a"]


def world(randomness: random.Random) -> tuple[list[tuple[Collection, Reading]], list[Decision]]:
    """Documents with their collections, and decisions, all at random."""
    documents = []
    for number in range(randomness.randint(4, 8)):
        name = f"c{number}"
        scopes = randomness.choice(SCOPES)
        collection = Collection(name, randomness.choice(["snapshot", "statement"]), scopes, randomness.choice(["extracted", "authoritative"]))
        for date in randomness.sample(["2022-01-01", "2023-09-10", "2024-04-02", "2025-01-20"], randomness.randint(1, 2)):
            said = tuple(dict.fromkeys(fact for _ in range(randomness.randint(3, 14)) for fact in facts(randomness, name)))
            claims = tuple(Candidate(fact, 0, 5, "quote", "rows") for fact in said)
            documents.append(
                (
                    collection,
                    Reading(
                        name, f"{name}.csv", name, name, "quote", claims, "rows/1", declared=f"{date}T00:00:00Z", content=repr(said).encode()
                    ),
                )
            )
    documents.sort(key=lambda one: (one[1].collection, one[1].declared))
    decisions = []
    for _ in range(randomness.randint(0, 2)):
        a, b = randomness.sample([*(key(randomness, "component") for _ in range(6)), "asset:levy", "asset:tax"], 2)
        if a != b:
            decisions.append(Decision(randomness.choice(["merge", "apart"]), a, b, randomness.choice(SCOPES)))
    return documents, decisions


def key(randomness: random.Random, kind: str) -> str:
    return f"{kind}:{randomness.choice(NAMES[kind]).lower().replace(' ', '-')}"


def facts(randomness: random.Random, document: str) -> Iterator[Fact]:
    kind = randomness.choice(list(NAMES))
    name = randomness.choice(NAMES[kind])
    subject = f"{kind}:{name.lower().replace(' ', '-')}"
    if kind == "component" and randomness.random() < 0.3:
        subject = text_key(f"{document}/{document}.csv", name, SC.Component)
    start = parse_stated(randomness.choice(STATED)) if randomness.random() < 0.4 else None
    if randomness.random() < 0.9:
        yield Fact(subject, TYPE, class_node(CLASSES[kind]))
    yield Fact(subject, LABEL, literal(name))
    if randomness.random() < 0.15:
        yield Fact(subject, ALT_LABEL, literal(randomness.choice(NAMES[kind])))
    match kind:
        case "component":
            team = key(randomness, "team")
            yield Fact(team, TYPE, class_node(SC.Team))
            yield Fact(subject, SC.owned_by, team, start)
            yield Fact(subject, SC.depends_on, key(randomness, "component"))
        case "person":
            yield Fact(subject, PP.works_for, key(randomness, "team"), start)
        case "incident":
            yield Fact(subject, SC.affects, key(randomness, "component"))
            yield Fact(subject, SC.occurred_on, literal(randomness.choice(["2024-02-02", "2025-02-01", "2025-05-09"]), XSD.date))


@contextmanager
def platform(folder: Path, documents: list[tuple[Collection, Reading]], decisions: list[Decision]) -> Iterator[Settings]:
    settings = Settings(folder, collections={collection.name: collection for collection, _reading in documents}, now=NOW)
    with Writer.create(settings) as writer:
        for name, scopes in PRINCIPALS.items():
            if name:
                writer.add_principal(Principal(name, scopes))
        writer.ingest([reading for _collection, reading in documents])
        for decision in decisions:
            writer.decide(decision, by="test")
    yield settings


def ways_out(view: View, randomness: random.Random, count: int) -> Iterator[tuple[str, Any]]:
    """(what was asked, what came back) for random requests."""
    for _ in range(count):
        kind = randomness.choice(["sparql", "full", "ask", "ask", "entity", "search"])
        try:
            match kind:
                case "sparql" | "full":
                    text = randomness.choice(QUERIES)
                    result = view.query(text, dataset="full" if kind == "full" else "facts")
                    yield f"{kind} {text}", result.boolean if result.kind == "boolean" else sorted(map(repr, result.rows()))
                case "ask":
                    text = randomness.choice(QUESTIONS)
                    answer = ask(view, text).as_json()
                    yield f"ask {text}", {name: value for name, value in answer.items() if name != "cost"}
                case "entity":
                    text = randomness.choice([*(n for names in NAMES.values() for n in names), "Zanzibar"])
                    yield f"entity {text}", repr(entity(view, text))
                case _:
                    text = randomness.choice(SEARCHES)
                    yield f"search {text}", [repr(hit) for hit in search(view, text, limit=randomness.choice([2, 5, 20]))]
        except KgError as error:
            yield f"{kind} {text}", error.as_json()


def differences(folder: Path, seeds: range, cases: int) -> list[str]:
    found = []
    with QueryWorkers(workers=1) as workers:
        for seed in seeds:
            documents, decisions = world(random.Random(seed))
            with platform(folder / f"{seed}-whole", documents, decisions) as whole:
                for name, scopes in PRINCIPALS.items():
                    visible = [(c, r) for c, r in documents if c.scopes <= scopes]
                    decided = [d for d in decisions if d.scopes <= scopes]
                    with platform(folder / f"{seed}-{name}", visible, decided) as alone:
                        at = random.Random(f"{seed} {name}").choice(["", *DATES])
                        when = f"{at}T00:00:00Z" if at else ""
                        with (
                            open_view(whole, name, valid_at=when, workers=workers) as one,
                            open_view(alone, name, valid_at=when, workers=workers) as other,
                        ):
                            pairs = zip(
                                ways_out(one, random.Random(seed), cases), ways_out(other, random.Random(seed), cases), strict=True
                            )
                            found += [f"seed {seed} as {name or 'public'} at {at or 'now'}: {a}\n  {b}" for a, b in pairs if a != b]
    return found


def test_a_caller_gets_what_a_platform_of_visible_documents_would_give(tmp_path: Path) -> None:
    assert [] == differences(tmp_path, range(2), 8)


@pytest.mark.long
@pytest.mark.timeout(1500)
@pytest.mark.parametrize("block", range(4))
def test_two_thousand_requests_differ_from_none_of_a_platform_of_visible_documents(tmp_path: Path, block: int) -> None:
    assert [] == differences(tmp_path, range(100 + block * 10, 110 + block * 10), 13)


def test_the_differential_notices_a_leak(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With everything shown to everyone, the comparison must fail."""
    seeing_all = {name: PRINCIPALS["both"] for name in PRINCIPALS if name}
    real = Writer.add_principal
    monkeypatch.setattr(Writer, "add_principal", lambda self, who: real(self, replace(who, scopes=seeing_all[who.name])))

    assert differences(tmp_path, range(2), 8)
