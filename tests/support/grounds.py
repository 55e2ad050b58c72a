"""Random grounds for the differentials: documents with scopes, decisions about them, platforms that read them, and what to ask.

They are made over the real packs, of few names, so that documents meet, agree and contradict each other.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from kgplatform.ledger.claims import fact_hash
from kgplatform.model import (
    NOTICE_KINDS,
    Audience,
    Candidate,
    Collection,
    Decision,
    Fact,
    KeepApart,
    Merge,
    Notice,
    Principal,
    Reading,
    Reject,
)
from kgplatform.settings.load import Settings
from kgplatform.terms import ALT_LABEL, LABEL, PP, SC, TYPE, XSD, class_node, literal, text_key
from kgplatform.times import parse_stated
from kgplatform.writing.writer import Writer

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


class Ground(NamedTuple):
    """What was read, in its order, and what was decided."""

    documents: list[tuple[Collection, Reading]]
    decisions: list[Decision]

    def visible(self, audience: Audience) -> Ground:
        """The part of it that the audience may see."""
        return Ground(
            [(collection, reading) for collection, reading in self.documents if collection.scopes <= audience],
            [decision for decision in self.decisions if decision.scopes <= audience],
        )


def random_ground(randomness: random.Random) -> Ground:
    documents = []
    for number in range(randomness.randint(4, 8)):
        name = f"c{number}"
        scopes = randomness.choice(SCOPES)
        collection = Collection(
            name, randomness.choice(["snapshot", "statement"]), scopes, randomness.choice(["extracted", "authoritative"])
        )
        for date in randomness.sample(["2022-01-01", "2023-09-10", "2024-04-02", "2025-01-20"], randomness.randint(1, 2)):
            said = tuple(dict.fromkeys(fact for _ in range(randomness.randint(3, 14)) for fact in _facts(randomness, name)))
            claims = tuple(Candidate(fact, 0, 5, "quote", "rows") for fact in said)
            content = f"quote of {said!r}".encode()
            declared = f"{date}T00:00:00Z"
            notices = tuple(Notice(kind, f"{kind} {name}", 2, f"{name}:1") for kind in NOTICE_KINDS) + (Notice("unmapped", "csv colour"),)
            reading = Reading(
                name, f"{name}.csv", name, name, "quote", claims, "rows/1", declared=declared, content=content, notices=notices
            )
            documents.append((collection, reading))
    documents.sort(key=lambda one: (one[1].collection, one[1].declared))
    decisions: list[Decision] = []
    for _ in range(randomness.randint(0, 2)):
        a, b = randomness.sample([*(_key(randomness, "component") for _ in range(6)), "asset:levy", "asset:tax"], 2)
        if a != b:
            decide = randomness.choice((Merge, KeepApart))
            decisions.append(decide(a, b, randomness.choice(SCOPES)))
    for _ in range(randomness.randint(0, 2)):
        collection, reading = randomness.choice(documents)
        refused = fact_hash(randomness.choice(reading.claims).fact)
        decisions.append(Reject(f"{reading.collection}/{reading.document}", refused, collection.scopes))
    return Ground(documents, decisions)


def _key(randomness: random.Random, kind: str) -> str:
    return f"{kind}:{randomness.choice(NAMES[kind]).lower().replace(' ', '-')}"


def _facts(randomness: random.Random, document: str) -> Iterator[Fact]:
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
            team = _key(randomness, "team")
            yield Fact(team, TYPE, class_node(SC.Team))
            yield Fact(subject, SC.owned_by, team, start)
            yield Fact(subject, SC.depends_on, _key(randomness, "component"))
        case "person":
            yield Fact(subject, PP.works_for, _key(randomness, "team"), start)
        case "incident":
            yield Fact(subject, SC.affects, _key(randomness, "component"))
            yield Fact(subject, SC.occurred_on, literal(randomness.choice(["2024-02-02", "2025-02-01", "2025-05-09"]), XSD.date))


@contextmanager
def platform(folder: Path, ground: Ground) -> Iterator[tuple[Settings, dict[str, str]]]:
    """A data directory that read the ground, with PRINCIPALS as stewards and editors; a token of each, by name."""
    settings = Settings(folder, collections={collection.name: collection for collection, _reading in ground.documents}, now=NOW)
    tokens = {}
    with Writer.create(settings) as writer:
        for name, scopes in PRINCIPALS.items():
            if name:
                writer.add_principal(Principal(name, scopes, ("steward", "editor")))
                tokens[name] = writer.create_token(name)
        writer.ingest([reading for _collection, reading in ground.documents])
        for decision in ground.decisions:
            writer.decide(decision, by="test")
    yield settings, tokens
