"""What a caller gets equals what a platform that read only what the caller may see would give (docs/derivation.md).

Random grounds over the real packs; every way out: sparql (facts and records), counts, ask, entity, search with its order.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support.counts import cases
from support.grounds import DATES, NAMES, PRINCIPALS, QUERIES, QUESTIONS, SEARCHES, platform, random_ground

from kgplatform.answer.ask import ask
from kgplatform.answer.entity import entity
from kgplatform.errors import KgError
from kgplatform.retrieve.lexical import search
from kgplatform.store.workers import QueryWorkers
from kgplatform.views.opening import open_view
from kgplatform.views.view import View
from kgplatform.writing.writer import Writer


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
                    answer = ask(view, text).to_dict()
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
            ground = random_ground(random.Random(seed))
            with platform(folder / f"{seed}-whole", ground) as (whole, _tokens):
                for name, scopes in PRINCIPALS.items():
                    with platform(folder / f"{seed}-{name}", ground.visible(scopes)) as (alone, _tokens):
                        at = random.Random(f"{seed} {name}").choice(["", *DATES])
                        when = f"{at}T00:00:00Z" if at else ""
                        with (
                            open_view(whole, name, valid_at=when, workers=workers) as one,
                            open_view(alone, name, valid_at=when, workers=workers) as other,
                        ):
                            pairs = zip(ways_out(one, random.Random(seed), cases), ways_out(other, random.Random(seed), cases), strict=True)
                            found += [f"seed {seed} as {name or 'public'} at {at or 'now'}: {a}\n  {b}" for a, b in pairs if a != b]
    return found


def test_a_caller_gets_what_a_platform_of_visible_documents_would_give(tmp_path: Path) -> None:
    assert [] == differences(tmp_path, range(2), 8)


@pytest.mark.full
@pytest.mark.long
@pytest.mark.timeout(1500)
@pytest.mark.parametrize("block", range(cases(4, part=2)))
def test_many_requests_differ_from_none_of_a_platform_of_visible_documents(tmp_path: Path, block: int) -> None:
    assert [] == differences(tmp_path, range(100 + block * 10, 110 + block * 10), 13)


def test_the_differential_notices_a_leak(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With everything shown to everyone, the comparison must fail."""
    seeing_all = {name: PRINCIPALS["both"] for name in PRINCIPALS if name}
    real = Writer.add_principal
    monkeypatch.setattr(Writer, "add_principal", lambda self, who: real(self, replace(who, scopes=seeing_all[who.name])))

    assert differences(tmp_path, range(2), 8)
