"""What only the finance department's files say is in no reply to others: every route, with every method, in every byte.

The sample world stands twice behind the web application: whole, and read without the finance department's files.
Whoever does not hold its scope gets the same from both, and no word of those files that they did not write themselves.
"""

from __future__ import annotations

import html
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote

import pytest
from support.commandline import done
from support.routes import CHILDREN, WAYS, Asked, Caller, Words, requests_to, rules, told
from support.served import Served, opened
from test_leaks import PROBES, REFUSED

from kgplatform.model import Reject
from kgplatform.packs.folders import sample_data
from kgplatform.settings.load import load_settings
from kgplatform.web.openapi import PLAN_EXAMPLE
from kgplatform.writing.writer import Writer

HIDDEN = ("Avalon", "avalon", "INC-109", "penalt", "finance/", "finance-records")
OTHERS = ("", "steward", "editor", "admin")
"""Callers who do not hold the scope `finance`."""
SHOWING = (
    *("/search", "/ask", "/entity", "/neighbours", "/id/<scheme>/<path:identifier>", "/document/<collection>/<path:name>", "/documents"),
    *(
        "/class/<path:name>",
        "/relation/<path:name>",
        "/steward/quarantine",
        "/steward/quarantine/<claim>",
        "/steward/unread",
        "/steward/history",
    ),
    *(
        "/suggest",
        "/sparql",
        "/api/ask",
        "/api/plan",
        "/api/entity",
        "/api/search",
        "/api/quarantine",
        "/api/quarantine/<id_>",
        "/api/unread",
    ),
)


class Worlds(NamedTuple):
    """The two applications, and what to ask them by."""

    whole: Served
    without: Served
    words: Words


@pytest.fixture(scope="module")
def worlds(read_world_once: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Worlds]:
    folder = tmp_path_factory.mktemp("worlds")
    shutil.copytree(read_world_once, folder / "whole")
    shutil.copytree(sample_data(), folder / "source", ignore=shutil.ignore_patterns("finance*"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KGPLATFORM_NOW", "2025-11-01")
        done("--config", folder / "source/kgplatform.toml", "init", "--data", folder / "without")
        done("ingest", folder / "source", "--data", folder / "without")
        with Writer.open(load_settings(folder / "whole")) as writer:
            discard = writer.decide(Reject("finance/avalon.md", "f" * 32, frozenset({"finance"})), by="finance-steward")
        with opened(folder / "whole") as whole:
            words = words_of(whole, discard)
        with opened(folder / "whole") as whole, opened(folder / "without") as without:
            for each in (whole, without):
                each.app.config.update(RATE_PUBLIC="1000000/minute", RATE_PRINCIPAL="1000000/minute")
            yield Worlds(whole, without, words)


def words_of(whole: Served, discard: int) -> Words:
    refused = whole.get("/api/quarantine", "finance-steward", limit=1000).get_json()["items"]
    hidden = tuple(row["id"] for row in refused if "finance" in row["scope"])
    assert hidden
    return Words(
        names=(
            "Avalon",
            "INC-109",
            "Invoice",
            "Tax",
            "INC-10",
            "avalonn",
            "Alex Kim",
            "https://kg.example/id/incident/INC-109",
            "team:avalon",
        ),
        keys=("component:invoice", "component:tax", "team:avalon", "incident:INC-109", "incident:INC-108", "team:commerce"),
        questions=(
            *(
                "Who owns Invoice?",
                "What does Avalon own?",
                "Who is Avalon?",
                "How many Tax incidents in 2025?",
                "How many incidents in 2025?",
            ),
            *("Who owned Invoice in August 2025?", "Who owned Invoice before Avalon?", "Which team owns the most components?"),
        ),
        queries=(*PROBES, *REFUSED),
        documents=(
            *("finance/avalon.md", "finance/absent.md", "finance/review-penalties.md", "finance-records/incidents.csv"),
            *("incidents/incidents.csv", "catalogue/catalog.yaml", "memos/handover.md"),
        ),
        collections=("finance", "finance-records", "memos"),
        claims=(hidden[0], *(row["id"] for row in refused if row["id"] not in hidden)),
        hidden_claims=hidden,
        hidden_decisions=(discard,),
        plans=(PLAN_EXAMPLE, plan_about("incident:INC-109"), plan_about("incident:INC-108")),
    )


def plan_about(key: str) -> dict[str, object]:
    return {
        "question": "What does it affect?",
        "variables": [{"name": "what"}],
        "hops": [{"subject": {"entity": key}, "relation": "sc:affects", "object": {"var": "what"}}],
        "select": ["what"],
    }


def faults(worlds: Worlds, who: str, asked: Asked) -> list[str]:
    """What is wrong with the reply to a request: a hidden word, a difference to the other world, a failure."""
    one, other = (Caller(each.app, each.tokens.get(who, "")).send(asked) for each in (worlds.whole, worlds.without))
    text = unquote(html.unescape(one.get_data().decode(errors="replace") + str(one.headers)))
    own = [word for word in HIDDEN if word in asked.typed]
    found = [f"says {word!r}" for word in HIDDEN if word in text and not any(word in each for each in own)]
    if told(asked, one) != told(asked, other):
        found.append(f"differs: {told(asked, one)} from {told(asked, other)}")
    return found + ([f"is {one.status_code}"] if one.status_code >= 500 else [])


def test_every_route_has_requests(worlds: Worlds) -> None:
    """Whoever adds a route writes requests to it in `routes.WAYS`, so that it is probed here and in the differential."""
    assert rules(worlds.whole.app) == set(WAYS)


@pytest.mark.parametrize("who", OTHERS)
def test_the_first_request_to_every_route_shows_nothing_hidden(worlds: Worlds, who: str) -> None:
    some = [asked for rule in sorted(set(WAYS) - set(CHILDREN)) for asked in requests_to(rule, worlds.words)[:1]]

    assert 40 < len(some)
    assert [] == [(asked, found) for asked in some if (found := faults(worlds, who, asked))]


@pytest.mark.long
@pytest.mark.timeout(900)
@pytest.mark.parametrize("who", ["", "admin"])  # nobody, and who has every role
def test_no_reply_shows_anything_hidden(worlds: Worlds, who: str) -> None:
    asked = [each for rule in sorted(set(WAYS) - set(CHILDREN)) for each in requests_to(rule, worlds.words)]
    asked += [each for rule in CHILDREN for each in requests_to(rule, worlds.words)[:1]]

    assert 600 < len(asked)
    assert [] == [(each, found) for each in asked if (found := faults(worlds, who, each))]


def test_an_editor_is_offered_only_the_collections_that_they_may_see(worlds: Worlds) -> None:
    page = worlds.whole.get("/upload", "editor").text

    assert 'value="memos"' in page and 'value="finance"' not in page


def test_who_holds_the_scope_sees_it(worlds: Worlds) -> None:
    """The probes look for what is really there, by every route that shows facts or documents."""
    holder = Caller(worlds.whole.app, worlds.whole.tokens["finance-steward"])

    def shows(rule: str) -> bool:
        replies = ((asked, holder.send(asked).get_data(as_text=True)) for asked in requests_to(rule, worlds.words))
        return any(word in reply and word not in asked.typed for asked, reply in replies for word in HIDDEN)

    assert [] == [rule for rule in SHOWING if not shows(rule)]
