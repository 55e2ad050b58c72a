"""Requests that once went astray: jobs of a name that sees less now, days that are none, ways back, odd headers and bodies."""

from __future__ import annotations

import json
from dataclasses import replace
from urllib.parse import unquote, urlsplit

import pytest
from support.browsing import form_token, words
from support.served import PRINCIPALS, Served

from kgplatform.settings.load import load_settings
from kgplatform.web.openapi import PLAN_EXAMPLE
from kgplatform.writing.writer import Writer

TEXT = "/id/text/memos%2Ffamily.md%7CJack%7Chttps%3A%2F%2Fw3id.org%2Fkgplatform%2Fpeople-places%23Person"
TAX = "/id/component/tax"


# -- who sees a job


def test_a_job_is_seen_only_by_who_still_sees_as_much_as_when_it_was_sent(own_served: Served) -> None:
    editor = next(who for who in PRINCIPALS if who.name == "finance-editor")
    memo = b"Avalon is a team. Avalon has owned Cart since 1 May 2025.\n"
    sent = own_served.post("/api/ingest?name=finance/takeover.md", editor.name, data=memo)
    assert "takeover" in own_served.finished(sent, editor.name)["about"]
    with Writer.open(load_settings(own_served.data), wait=60) as writer:
        writer.add_principal(replace(editor, scopes=frozenset()))

    assert [] == own_served.get("/api/jobs", editor.name).get_json()["items"]
    assert 404 == own_served.get(f"/api/jobs/{sent.get_json()['id']}", editor.name).status_code


def test_who_judged_again_without_being_an_editor_finds_the_job(own_served: Served) -> None:
    own_served.finished(own_served.post("/api/quarantine/retry", "steward", json={"decisions": []}), "steward")

    assert "/jobs/" in own_served.get("/me", "steward").text


def test_a_claim_below_the_least_trust_of_its_reader_is_not_shown_as_taken(own_served: Served) -> None:
    with Writer.open(load_settings(own_served.data), wait=60) as writer:
        strict = replace(next(who for who in PRINCIPALS if who.name == "steward"), name="strict", min_trust="authoritative")
        writer.add_principal(strict)
        own_served.tokens["strict"] = writer.create_token("strict")  # type: ignore[index]

    memo = b"Commerce has owned Zebra since June 2022.\n"
    own_served.finished(own_served.post("/api/ingest?name=memos/zebra.md", "editor", data=memo), "editor")
    pages = [own_served.get("/document/memos/handover.md", who).text for who in ("steward", "strict")]
    lists = [own_served.get("/api/quarantine", who, limit=1000).get_json()["items"] for who in ("steward", "strict")]

    assert [True, False] == ['<ol class="claims">' in page for page in pages]
    assert [False, True] == ["Nothing of the trust authoritative or above was read" in page for page in pages]
    assert [True, False] == [any(each["document"] == "memos/zebra.md" for each in items) for items in lists]


# -- days


@pytest.mark.parametrize("day", ["9999-12-31", "9999-12-31T23:59:59Z"])
def test_the_day_that_stands_for_never_cannot_be_asked_about(served: Served, day: str) -> None:
    assert 400 == served.get("/api/ask", question="Who owns Tax?", valid_at=day).status_code
    assert 400 == served.get("/sparql", query="ASK {}", valid_at=day).status_code
    assert 400 == served.get(TAX, valid_at=day).status_code
    planned = served.post("/api/plan", json={**PLAN_EXAMPLE, "time": {"kind": "at", "start": day}})
    assert (200, "invalid") == (planned.status_code, planned.get_json()["outcome"])
    assert "9999-12-30" in served.get("/api/ask", question=f"Who owned Tax on {day[:10]}?").get_json()["sentence"]
    assert "answered" == served.get("/api/ask", question="Who owns Tax?", valid_at="9999-12-30").get_json()["outcome"]


def test_a_page_of_a_day_of_its_own_says_so(served: Served) -> None:
    page = served.get(TAX, valid_at="2023-01-01")

    assert "This page shows what held on 1 January 2023" in words(page)
    assert (True, False) == ("2024</text>" in served.get(TAX).text, "2022</text>" in page.text), "no year under the words of the day"
    moved = served.get("/entity", name="Tax", format="turtle", valid_at="2023-01-01")
    assert f"{TAX}?format=turtle&valid-at=2023-01-01" == moved.headers["Location"]


# -- the way back


@pytest.mark.parametrize("path", [TEXT, "/document/memos/a%23b%3Fc%2520d.md", "/ask?q=What%20is%20%23%3F"])
def test_a_chosen_day_leads_back_to_the_same_page(served: Served, path: str) -> None:
    client = served.app.test_client()
    page = client.get(path)
    back = page.text.partition('name="next" value="')[2].partition('"')[0].replace("&amp;", "&").replace("&#39;", "'")
    moved = client.post("/date", data={"next": back, "day": "2025-05-01", "csrf_token": form_token(client)})

    was, now = urlsplit(path), urlsplit(moved.headers["Location"])
    assert (unquote(was.path), was.query) == (unquote(now.path), now.query)
    assert page.status_code == client.get(moved.headers["Location"]).status_code


def test_the_link_to_sign_in_leads_back_to_where_one_was(served: Served) -> None:
    assert 'href="/sign-in?next=/documents"' in served.get("/documents").text
    assert 'href="/sign-in?next=/documents"' in served.get("/sign-in", next="/documents").text
    client = served.app.test_client()
    astray = client.post("/steward/quarantine/retry", data={"csrf_token": form_token(client)})
    assert (302, "/sign-in?next=/") == (astray.status_code, astray.headers["Location"])


# -- headers and bodies


@pytest.mark.parametrize(
    ("path", "accept"),
    [
        ("/sparql?query=SELECT%20*%20%7B%20%7D", "text/csv; charset=utf-8"),
        (TAX, "text/html; charset=utf-8"),
        (TAX, "text/turtle;charset=utf-8, text/html;q=0.1"),
    ],
)
def test_a_type_is_known_whatever_its_charset(served: Served, path: str, accept: str) -> None:
    reply = served.app.test_client().get(path, headers={"Accept": accept})

    assert (200, accept.partition(";")[0]) == (reply.status_code, reply.mimetype)


def test_a_read_is_not_bound_to_what_its_caller_had_before(served: Served) -> None:
    for header in ("If-Match", "If-Unmodified-Since", "Range"):
        reply = served.app.test_client().get("/api/entity?name=Tax", headers={header: "bytes=0-1" if header == "Range" else '"x"'})
        assert (200, True) == (reply.status_code, reply.get_json() is not None), header


def test_a_part_that_a_file_does_not_have_is_416(served: Served) -> None:
    reply = served.app.test_client().get("/static/style.css", headers={"Range": "bytes=99999999-"})

    assert 416 == reply.status_code
    assert reply.headers["Content-Range"].startswith("bytes */")


def test_a_format_that_there_is_not_is_a_wrong_parameter(served: Served) -> None:
    reply = served.app.test_client().get(f"{TAX}?format=csv", headers={"Accept": "application/json"})

    assert (400, "/api/docs#bad-parameter") == (reply.status_code, reply.get_json()["type"])
    assert "turtle" in reply.get_json()["hint"]


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"[" * 200_000, "nested too deeply"),
        (b'{"question": "x"', "line 1 column"),
        (b'{"question": "x", "question": "y"}', "more than once"),
        ('{"question": "\u00e4"}'.encode("latin-1"), "not UTF-8"),
    ],
)
@pytest.mark.parametrize("path", ["/api/ask", "/api/plan"])
def test_a_body_that_is_no_json_object_says_what_is_wrong(served: Served, path: str, body: bytes, said: str) -> None:
    reply = served.app.test_client().post(path, data=body, content_type="application/json")

    assert (400, True) == (reply.status_code, said in reply.get_json()["detail"]), reply.text


@pytest.mark.parametrize("word", ["question", "relation"])
def test_half_a_character_is_no_text_of_a_plan(served: Served, word: str) -> None:
    whole = {"question": "Whose?", **PLAN_EXAMPLE}
    half = (
        whole | {"question": "\ud800"} if word == "question" else whole | {"hops": [{**whole["hops"][0], "relation": "sc:owned_by\ud800"}]}
    )
    replies = [served.app.test_client().post("/api/plan", data=json.dumps(plan), content_type="application/json") for plan in (whole, half)]

    assert [200, 400] == [reply.status_code for reply in replies]
    assert "half of a character" in replies[1].get_json()["detail"]


def test_the_last_page_of_a_search_has_no_next(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kgplatform.web.reading.MOST_HITS", 2)

    first = served.get("/api/search", q="a", limit="2").get_json()
    second = served.get("/api/search", q="a", limit="2", offset="2").get_json()
    assert (True, 2, None) == ("offset=2" in first["next"], len(second["items"]), second["next"])


def test_what_is_refused_is_not_told_as_known(served: Served) -> None:
    hint = served.get("/sparql", query="ASK {}", nothing="x").get_json()["hint"]

    assert "dataset" in hint and "default-graph-uri" not in hint and "update" not in hint


def test_a_name_that_is_too_long_says_so(served: Served) -> None:
    reply = served.post(f"/api/ingest?name=memos/{'x' * 220}.md", "editor", data=b"x")

    assert (400, True) == (reply.status_code, "200 bytes" in reply.get_json()["detail"])
