"""The same over HTTP: every reply equals that of a platform that read only what its caller may see, byte for byte.

Two applications, the same requests to every route. What must differ is masked: the tokens of forms, milliseconds, and
seconds in the metrics. A header, an ETag, a number or an order that differs is a leak.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from support.counts import cases
from support.grounds import NAMES, PRINCIPALS, QUERIES, QUESTIONS, SEARCHES, Ground, platform, random_ground
from support.routes import CHILDREN, WAYS, Asked, Caller, Words, get, post, requests_to, told
from werkzeug.test import TestResponse

from kgplatform.curation.review import quarantined
from kgplatform.data_directory import DataDir
from kgplatform.ledger.base import Ledger
from kgplatform.ledger.decisions import in_force
from kgplatform.settings.load import Settings
from kgplatform.store.workers import QueryWorkers
from kgplatform.views.opening import open_view
from kgplatform.web import create_app
from kgplatform.web.openapi import PLAN_EXAMPLE
from kgplatform.writing.writer import Writer

MORE = {
    "/sparql": 5,
    "/ask": 4,
    "/api/ask": 3,
    "/id/<scheme>/<path:identifier>": 4,
    "/document/<collection>/<path:name>": 3,
} | dict.fromkeys(
    ("/search", "/api/search", "/api/entity", "/neighbours", "/steward/quarantine/<claim>", "/class/<path:name>", "/relation/<path:name>"),
    2,
)
"""How often a route is asked by each caller of each ground, where once is too little."""
ROUTES = sorted(set(WAYS) - set(CHILDREN))
SHOWING = [
    *("/", "/search", "/suggest", "/ask", "/entity", "/neighbours", "/id/<scheme>/<path:identifier>", "/documents", "/ontology"),
    *(
        "/document/<collection>/<path:name>",
        "/class/<path:name>",
        "/relation/<path:name>",
        "/steward/quarantine",
        "/steward/unread",
        "/steward/history",
    ),
    *("/sparql", "/api/ask", "/api/entity", "/api/search", "/api/quarantine", "/api/unread"),
]
"""Routes that show what is stored, and nearly always some of it."""


def callers(settings: Settings, tokens: Mapping[str, str], workers: QueryWorkers) -> Mapping[str, Caller]:
    """A web application over a platform, as its callers meet it."""
    app = create_app(settings, workers=workers)
    app.config.update(RATE_PUBLIC="1000000/minute", RATE_PRINCIPAL="1000000/minute")
    return {name: Caller(app, tokens.get(name, "")) for name in PRINCIPALS}


def words_of(settings: Settings, ground: Ground, name: str) -> Words:
    """What a caller asks by, of everything that the whole platform has: also what is hidden from them."""
    mine = PRINCIPALS[name]
    with open_view(settings, "both") as view:
        refused = quarantined(view)
    with closing(Ledger.open(DataDir(settings.data).ledger)) as ledger:
        decided = in_force(ledger)
    labels = [label for each in NAMES.values() for label in each]
    keys = [f"{kind}:{label.lower().replace(' ', '-')}" for kind, each in NAMES.items() for label in each]
    return Words(
        names=(*labels, *keys[::3], "https://kg.example/id/component/tax", "Zanzibar", *SEARCHES),
        keys=(*keys, "asset:levy", "component:absent", "team:zanzibar"),
        questions=tuple(QUESTIONS),
        queries=tuple(QUERIES),
        documents=tuple(f"{reading.collection}/{reading.document}" for _, reading in ground.documents),
        collections=tuple(sorted({collection.name for collection, _ in ground.documents if not collection.scopes <= mine})),
        claims=tuple(one.claim.id for one in refused),
        hidden_claims=tuple(one.claim.id for one in refused if not set(one.citation.scopes) - {"public"} <= mine),
        hidden_decisions=tuple(row.id for row in decided if not row.decision.scopes <= mine),
        plans=(PLAN_EXAMPLE,),
    )


@dataclass
class Comparison:
    """How many requests each of the two applications had, and by route those that were not answered alike (or with a failure)."""

    asked: int = 0
    found: list[tuple[str, str]] = field(default_factory=list)

    def ask(self, rule: str, asked: Asked, pair: Sequence[Caller], who: str) -> tuple[TestResponse, TestResponse]:
        self.asked += 1
        one, other = (caller.send(asked) for caller in pair)
        said = told(asked, one), told(asked, other)
        if said[0] != said[1] or one.status_code >= 500:
            self.found.append((rule, f"{who}: {asked}\n  {said[0]}\n  {said[1]}"))
        return one, other


def compared(folder: Path, seeds: range, *, names: Sequence[str] = tuple(PRINCIPALS), routes: Sequence[str] = ROUTES) -> Comparison:
    result = Comparison()
    for seed, name, words, pair in pairs(folder, seeds, names):
        randomness = random.Random(f"{seed} {name}")
        for rule in routes:
            known = requests_to(rule, words)
            seldom = [1 if each.method in ("GET", "POST") else 0.1 for each in known]
            for asked in randomness.choices(known, seldom, k=MORE.get(rule, 1)):
                result.ask(rule, asked, pair, f"seed {seed} as {name or 'public'}")
    return result


def pairs(folder: Path, seeds: range, names: Sequence[str]) -> Iterator[tuple[int, str, Words, list[Caller]]]:
    """(seed, caller, words, the caller at the whole platform and at that of what they may see), with fresh applications for each."""
    with QueryWorkers(workers=1) as workers:
        for seed in seeds:
            ground = random_ground(random.Random(seed))
            with platform(folder / f"{seed}-whole", ground) as whole:
                for name in names:
                    words = words_of(whole[0], ground, name)
                    with platform(folder / f"{seed}-{name}", ground.visible(PRINCIPALS[name])) as visible:
                        yield seed, name, words, [callers(*each, workers)[name] for each in (whole, visible)]


def test_every_reply_is_that_of_a_platform_of_visible_documents(tmp_path: Path) -> None:
    result = compared(tmp_path, range(1), names=("fin",))

    assert [] == result.found
    assert 60 < result.asked


@pytest.mark.full
@pytest.mark.long
@pytest.mark.timeout(900)
@pytest.mark.parametrize("block", range(cases(4, part=2)))
def test_many_requests_over_http_differ_from_none_of_a_platform_of_visible_documents(tmp_path: Path, block: int) -> None:
    result = compared(tmp_path, range(100 + 2 * block, 102 + 2 * block))

    assert [] == result.found
    assert 500 <= result.asked


@pytest.mark.long
def test_what_takes_the_whole_view_at_once_is_alike_too(tmp_path: Path) -> None:
    assert [] == compared(tmp_path, range(1), names=("", "fin"), routes=CHILDREN).found


@pytest.mark.long
def test_what_a_steward_decides_reads_the_same_beside_hidden_documents(tmp_path: Path) -> None:
    """Numbers of decisions too: a running one would count those that rest on what is hidden."""
    result, decided = Comparison(), 0
    for seed, name, words, pair in pairs(tmp_path, range(100, 104), ("fin",)):
        for claim in [claim for claim in words.claims if claim not in words.hidden_claims][:2]:
            asked = post(f"/api/quarantine/{claim}/discard")
            one, _ = result.ask(asked.path, asked, pair, f"seed {seed} as {name}")
            decided += one.status_code == 200
            for after in (get("/steward/quarantine"), get("/api/quarantine")):
                result.ask(after.path, after, pair, f"seed {seed} as {name}")

    assert [] == result.found
    assert decided


@pytest.mark.long
def test_the_comparison_notices_a_leak_by_every_door(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With everything shown to everyone, each route that shows facts or documents must differ somewhere."""
    real = Writer.add_principal
    monkeypatch.setattr(Writer, "add_principal", lambda self, who: real(self, replace(who, scopes=PRINCIPALS["both"])))
    result = compared(tmp_path, range(100, 101), names=("fin", "hr"), routes=SHOWING * 8)

    assert set() == set(SHOWING) - {rule for rule, _ in result.found}
