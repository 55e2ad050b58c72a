"""What only the finance department's files say is on no page for others: every route, with hidden and with visible names."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from urllib.parse import quote

import pytest
from browsing import Site, leaked, site_of

BASE = "https://kg.example/"
NAMES = ("Avalon", "INC-109", "Invoice", "Tax", "INC-10", "avalonn", f"{BASE}id/incident/INC-109", "component:invoice", "team:avalon")
QUESTIONS = (
    *("Who owns Invoice?", "What does Avalon own?", "Who is Avalon?", "How many Tax incidents in 2025?", "How many incidents in 2025?"),
    *("Who owned Invoice in August 2025?", "Who owned Invoice before Avalon?", "Which team owns the most components?", "What affects Tax?"),
)


@pytest.fixture(scope="module")
def site(read_world_once: Path, tmp_path_factory: pytest.TempPathFactory) -> Site:
    data = tmp_path_factory.mktemp("site") / "kgdata"
    shutil.copytree(read_world_once, data)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KGPLATFORM_NOW", "2025-11-01")
        return site_of(data)


FILLED: dict[str, tuple[str, ...]] = {
    "/id/<scheme>/<path:identifier>": (
        *("/id/component/invoice", "/id/component/tax", "/id/team/avalon", "/id/incident/INC-109", "/id/team/commerce"),
        *("/id/component/invoice?format=turtle", "/id/component/tax?format=jsonld", "/id/incident/INC-109?format=ntriples"),
    ),
    "/entity": tuple(f"/entity?name={quote(name)}" for name in NAMES),
    "/neighbours": tuple(f"/neighbours?iri={quote(name)}" for name in NAMES),
    "/search": tuple(f"/search?q={quote(name)}" for name in NAMES),
    "/ask": tuple(f"/ask?q={quote(question)}" for question in QUESTIONS),
    "/document/<collection>/<path:name>": (
        *("/document/finance/avalon.md", "/document/finance-records/incidents.csv", "/document/incidents/incidents.csv"),
        *("/document/catalogue/catalog.yaml", "/document/memos/handover.md", "/document/finance/review-penalties.md"),
    ),
    "/class/<path:name>": ("/class/sc:Team", "/class/sc:Incident", "/class/pp:Agent", "/class/sc:Component"),
    "/relation/<path:name>": ("/relation/sc:owned_by", "/relation/sc:owns", "/relation/sc:affects", "/relation/sc:severity"),
    "/steward/quarantine/<claim>": ("/steward/quarantine/0", "/steward/quarantine/f"),
    "/jobs/<job_id>": ("/jobs/0",),
    "/jobs/<job_id>/state": ("/jobs/0/state",),
    "/static/<path:filename>": (),
}
"""Each route with arguments, filled in with what is there and what is hidden."""

OURS = ("pages", "entities", "documents", "ontology", "stewards", "uploads", "signin")


def paths(site: Site) -> list[str]:
    """Every address of a page that can be read, with the arguments of FILLED; a new route without any is a failure here."""
    found: list[str] = []
    for rule in site.app.url_map.iter_rules():
        if "GET" in (rule.methods or ()) and rule.endpoint.partition(".")[0] in OURS:
            found += FILLED[rule.rule] if rule.arguments or rule.rule in FILLED else (rule.rule,)
    return found


@pytest.mark.parametrize("name", ["", "plain-steward", "editor"])
def test_no_page_shows_anything_hidden(site: Site, name: str) -> None:
    client = site.client(name)
    asked = paths(site)

    assert 50 < len(asked)
    assert [] == [(path, found) for path in asked if (found := leaked(client.get(path), path))]


def test_no_page_of_another_day_shows_anything_hidden(site: Site) -> None:
    client = site.client()
    asked = [f"{path}{'&' if '?' in path else '?'}valid-at=2025-08-01" for path in paths(site)]

    assert [] == [(path, found) for path in asked if (found := leaked(client.get(path), path))]


def test_no_quarantined_claim_of_a_hidden_document_is_found_by_its_id(site: Site) -> None:
    page = site.client("steward").get("/steward/quarantine?reason=unknown-relation").text
    hidden = re.findall(r'href="/steward/quarantine/([0-9a-f]+)"[^\n]*\n[^\n]*finance-records', page)

    assert hidden
    assert [404] * len(hidden) == [site.client("plain-steward").get(f"/steward/quarantine/{claim}").status_code for claim in hidden]


def test_who_holds_the_scope_sees_it(site: Site) -> None:
    """The probes look for what is really there."""
    client = site.client("finance")

    assert "Avalon" in client.get("/id/component/invoice").text and "INC-109" in client.get("/neighbours?iri=component:tax").text
    assert 200 == client.get("/document/finance/avalon.md").status_code
    assert "finance/avalon.md" in client.get("/documents").text


@pytest.mark.parametrize(
    ("hidden", "absent"),
    [
        ("/document/finance/avalon.md", "/document/finance/absent.md"),
        ("/id/incident/INC-109", "/id/incident/INC-108"),
        ("/id/team/avalon?format=turtle", "/id/team/absent?format=turtle"),
        ("/entity?name=INC-109", "/entity?name=INC-108"),
        ("/search?q=INC-109", "/search?q=INC-108"),
        ("/neighbours?iri=incident:INC-109", "/neighbours?iri=incident:INC-108"),
        ("/ask?q=What+affects+INC-109%3F", "/ask?q=What+affects+INC-108%3F"),
    ],
)
def test_what_is_hidden_is_the_same_as_what_is_absent(site: Site, hidden: str, absent: str) -> None:
    """INC-108 does not exist; it is as near to the visible names as INC-109 is."""

    def told(path: str) -> tuple[int, str]:
        answer = site.client().get(path)
        text = re.sub(r'value="[^"]{40,}"|\d+ ms', "", answer.text)
        return answer.status_code, re.sub(r"INC-(109|108)|(?<!fin)(avalon|absent)", "X", text)

    assert told(absent) == told(hidden)


def test_an_editor_is_offered_only_the_collections_that_they_may_see(site: Site) -> None:
    page = site.client("editor").get("/upload").text

    assert 'value="memos"' in page and 'value="finance"' not in page and 'value="finance-records"' not in page
