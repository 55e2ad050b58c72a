"""An accepted claim that is wrong is rejected with a reason: derived, taken back as if it had never been, whatever is read again."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from support.commandline import done, kg
from support.served import Served

from kgplatform.model import Merge
from kgplatform.settings.load import load_settings
from kgplatform.writing.writer import Writer

CONFIG = """
default_collection = "memos"
[collections.memos]
kind = "statement"
typed = "open"
[collections.catalogue]
kind = "snapshot"
trust = "authoritative"
[collections.secret]
scopes = ["finance"]
typed = "open"
"""
CATALOGUE = "\n---\n".join(
    [
        "apiVersion: backstage.io/v1alpha1\nkind: Component\nmetadata: {name: ledger, title: Ledger}\nspec: {type: service, lifecycle: production}"
    ]
    + [
        f"apiVersion: backstage.io/v1alpha1\nkind: Group\nmetadata: {{name: {name.lower()}, title: {name}}}\nspec: {{type: team, children: []}}"
        for name in ("Atlas", "Delta", "Nova", "Umbra")
    ]
)
TRUE, WRONG = "Ledger is owned by Atlas.\n", "Ledger is owned by Delta.\n"
QUESTION = "Who owns Ledger?"
REASON = "a draft that was never sent"


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two memos, of which the newer one is wrong, and a steward who sees what finance sees."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("KGPLATFORM_DATA", "kgdata")
    monkeypatch.setenv("KGPLATFORM_NOW", "2026-06-01")
    Path("kgdata").mkdir()
    Path("kgdata/kgplatform.toml").write_text(CONFIG)
    Path("a.md").write_text(f"---\ndate: 2026-01-01\n---\n\n{TRUE}")
    Path("b.md").write_text(f"---\ndate: 2026-02-01\n---\n\n{WRONG}")
    done("init")
    done("principal", "add", "fin", "--scope", "finance", "--role", "steward")
    Path("catalogue.yaml").write_text(CATALOGUE)
    done("ingest", "catalogue.yaml", "--collection", "catalogue")
    done("ingest", "a.md", "b.md", "--collection", "memos")
    return tmp_path / "kgdata"


def owners(*options: str) -> list[str]:
    return sorted(row["label"] for row in done("ask", QUESTION, "--json", *options).json["answers"])


def claim_of(document: str) -> str:
    """The claim of a document that says who owns it."""
    cited = done("ask", QUESTION, "--json").json["citations"]
    return str(next(row["claim"] for row in cited if row["document"] == document))


def whole_graph() -> str:
    return "".join(sorted(done("export").out.splitlines()))


def test_a_wrong_claim_is_rejected_and_taken_back(data: Path) -> None:
    before = whole_graph()
    assert ["Atlas", "Delta"] == owners()
    claim = claim_of("memos/b.md")

    rejected = done("reject", claim[:12], "--reason", REASON, "--json").json
    assert (claim, "memos/b.md", REASON) == (rejected["claim"], rejected["document"], rejected["reason"])
    assert ["Atlas"] == owners()
    done("reject", claim[:12], "--undo")
    assert before == whole_graph()


def test_a_rejection_survives_a_new_version_and_reading_again(data: Path) -> None:
    done("reject", claim_of("memos/b.md"), "--reason", REASON)
    Path("b.md").write_text(f"---\ndate: 2026-03-01\n---\n\n{WRONG}Something else is said here too.\n")
    done("ingest", "b.md")

    assert ["Atlas"] == owners()
    Path("b.md").write_text("---\ndate: 2026-04-01\n---\n\nLedger is owned by Nova.\n")
    done("ingest", "b.md")
    assert ["Atlas", "Nova"] == owners()


def test_all_of_a_document_is_rejected_whatever_it_says_later(data: Path) -> None:
    before = whole_graph()
    done("reject", "--document", "memos/b.md", "--reason", REASON)
    Path("b.md").write_text("---\ndate: 2026-04-01\n---\n\nLedger is owned by Nova.\n")
    told = done("ingest", "b.md", "--json").json

    assert ["Atlas"] == owners()
    assert told["claims_new"] == told["reasons"]["discarded"] > 0
    done("reject", "--document", "memos/b.md", "--undo")
    assert ["Atlas", "Nova"] == owners() and before != whole_graph()


def test_the_source_stays_and_is_read_as_before(data: Path) -> None:
    originals = sorted((data / "originals").iterdir())
    done("reject", "--document", "memos/b.md", "--reason", REASON)

    assert originals == sorted((data / "originals").iterdir())
    assert 0 == done("ingest", "b.md", "--json").json["claims_new"]


def test_decisions_say_what_why_by_whom_and_when(data: Path) -> None:
    claim = claim_of("memos/b.md")
    number = done("reject", claim, "--reason", f" {REASON}\n", "--as", "fin", "--json").json["decision"]
    (row,) = done("decisions", "--json").json["decisions"]

    assert (number, "rejected", "memos/b.md", REASON, "fin") == tuple(row[key] for key in ("decision", "kind", "document", "reason", "by"))
    assert "sc:owned_by" == row["relation"] and row["recorded"].startswith("2026-06-01") and not row["ended"]
    assert REASON in done("decisions").out
    done("reject", claim, "--undo", "--as", "fin")
    assert [] == done("decisions", "--json").json["decisions"]
    (row,) = done("decisions", "--all", "--json").json["decisions"]
    assert row["ended"] and "fin" == row["ended_by"]


def test_a_merge_is_listed_too(data: Path) -> None:
    with Writer.open(load_settings(data)) as writer:
        writer.decide(Merge("one:a", "two:b"), by="maria")

    assert ["merged"] == [row["kind"] for row in done("decisions", "--json").json["decisions"]]


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (("0" * 32, "--reason", "x"), 1, "no claim"),
        (("b", "--reason", "x"), 1, "no claim"),
        (("--document", "memos/none.md", "--reason", "x"), 1, "no document"),
        (("--document", "memos/b.md"), 2, "a reason has"),
        (("--document", "memos/b.md", "--reason", "  "), 2, "a reason has"),
        (("--reason", "x"), 2, "a claim or a document"),
        (("0000", "--document", "memos/b.md", "--reason", "x"), 2, "a claim or a document"),
        (("--document", "memos/b.md", "--undo"), 1, "is not rejected"),
    ],
)
def test_what_cannot_be_rejected_is_one_line(data: Path, arguments: tuple[str, ...], code: int, told: str) -> None:
    said = kg("reject", *arguments)

    assert code == said.code and 1 == len(said.err.splitlines()) and told in said.err, said.err


def test_what_is_rejected_is_not_rejected_twice(data: Path) -> None:
    claim = claim_of("memos/b.md")
    done("reject", claim, "--reason", REASON)
    assert "rejected already" in kg("reject", claim, "--reason", REASON).err


def test_hidden_claims_are_unknown_and_their_rejections_too(data: Path) -> None:
    Path("s.md").write_text(f"---\ndate: 2026-02-02\n---\n\n{WRONG.replace('Delta', 'Umbra')}")
    done("ingest", "s.md", "--collection", "secret")
    cited = done("ask", QUESTION, "--json", "--as", "fin").json["citations"]
    hidden = next(row["claim"] for row in cited if row["document"] == "secret/s.md")

    assert "no claim" in kg("reject", hidden, "--reason", REASON).err
    assert kg("reject", "--document", "secret/s.md", "--reason", REASON).err.replace("secret/s.md", "x") == kg(
        "reject", "--document", "secret/none.md", "--reason", REASON
    ).err.replace("secret/none.md", "x")
    done("reject", hidden, "--reason", REASON, "--as", "fin")
    assert [] == done("decisions", "--json").json["decisions"]
    assert 1 == len(done("decisions", "--json", "--as", "fin").json["decisions"])


def test_erasing_the_document_erases_its_rejections_with_their_reasons(data: Path) -> None:
    done("reject", claim_of("memos/b.md"), "--reason", REASON)
    assert "purged" in done("erase", "memos/b.md", "--yes").out

    assert [] == done("decisions", "--all", "--json").json["decisions"]
    assert [] == [path for path in data.rglob("*") if path.is_file() and REASON.encode() in path.read_bytes()]


# -- over the API and the pages


def first_citation(served: Served) -> dict[str, Any]:
    cited: list[dict[str, Any]] = served.get("/api/ask", question="Who owns Tax?").get_json()["citations"]
    return cited[0]


def test_a_steward_rejects_over_the_api_and_takes_it_back(own_served: Served) -> None:
    before = own_served.get("/api/ask", question="Who owns Tax?").get_json()["answers"]
    claim = first_citation(own_served)["claim"]
    body = {"claim": claim, "reason": REASON}

    assert 403 == own_served.post("/api/reject", "editor", json=body).status_code
    made = own_served.post("/api/reject", "steward", json=body).get_json()
    assert claim not in [row["claim"] for row in own_served.get("/api/ask", question="Who owns Tax?").get_json()["citations"]]
    assert [(made["decision"], REASON, "steward")] == [
        (row["decision"], row["reason"], row["by"]) for row in own_served.get("/api/decisions", "steward").get_json()["items"]
    ]
    assert made["decision"] == own_served.post("/api/reject/undo", "steward", json={"claim": claim}).get_json()["decision"]
    assert before == own_served.get("/api/ask", question="Who owns Tax?").get_json()["answers"]


def test_the_document_page_shows_a_rejection_to_stewards_alone(own_served: Served) -> None:
    cited = first_citation(own_served)
    page = f"/document/{cited['document']}"
    assert f"#at-{cited['claim']}" in own_served.get(page).text
    own_served.post("/api/reject", "steward", json={"claim": cited["claim"], "reason": REASON})

    assert cited["claim"] not in own_served.get(page).text and REASON not in own_served.get(page).text
    assert REASON in own_served.get(page, "steward").text


def test_the_pages_reject_list_and_take_back(own_served: Served) -> None:
    claim = first_citation(own_served)["claim"]
    client, headers = own_served.app.test_client(), own_served.headers("steward")

    def form(path: str, **data: str) -> str:
        page = client.get(path, headers=headers).text
        token = re.findall(r'name="csrf_token" value="([^"]+)"', page)[0]
        return client.post(path.partition("?")[0], data={**data, "csrf_token": token}, headers=headers, follow_redirects=True).text

    assert "Reject a claim" in client.get(f"/steward/reject?claim={claim}", headers=headers).text
    listed = form(f"/steward/reject?claim={claim}", claim=claim, reason=REASON)
    assert REASON in listed and "Take back" in listed
    number = re.findall(r'name="decision" value="(\d+)"', listed)[0]
    token = re.findall(r'name="csrf_token" value="([^"]+)"', listed)[0]
    back = client.post("/steward/reject/undo", data={"decision": number, "csrf_token": token}, headers=headers, follow_redirects=True)
    assert "taken back" in back.text and 'aria-label="Take back' not in back.text
