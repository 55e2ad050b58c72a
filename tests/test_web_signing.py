"""Signing in, roles, and what writes: stewards' decisions, forged forms, headers that carry tokens."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from support.browsing import Site, ended, post, site_of, words
from support.commandline import done

from kgplatform.settings.load import load_settings
from kgplatform.web.limits import place
from kgplatform.writing.writer import Writer


@pytest.fixture
def site(own_world: Path) -> Site:
    return site_of(own_world)


def test_a_token_signs_in_and_a_wrong_one_does_not(site: Site) -> None:
    client = site.client()

    assert 401 == post(client, "/sign-in", {"token": "kg_wrong"}).status_code
    assert 303 == post(client, "/sign-in", {"token": site.tokens["finance"], "next": "/me"}).status_code
    assert "May see public , finance" in words(client.get("/me")).replace("public,", "public ,")
    post(client, "/sign-out")
    assert "Sign in" in words(client.get("/me"))


def test_a_revoked_token_ends_its_sessions(site: Site) -> None:
    client = site.client("finance")
    done("token", "revoke", site.tokens["finance"])

    assert "Commerce owns Invoice" in words(client.get("/ask?q=Who+owns+Invoice%3F"))


def test_a_bearer_token_and_the_password_of_basic_are_known_and_a_wrong_one_is_refused(site: Site) -> None:
    client, token = site.client(), site.tokens["finance"]

    assert "Avalon" in client.get("/id/component/invoice", headers={"Authorization": f"Bearer {token}"}).text
    assert "Avalon" in client.get("/id/component/invoice", auth=("anyone", token)).text
    assert 401 == client.get("/", headers={"Authorization": "Bearer kg_wrong"}).status_code
    assert 401 == client.get("/", auth=("finance", "")).status_code


@pytest.mark.parametrize("header", ["Basic !!!", "Basic /w=="])
def test_what_is_no_authorization_at_all_is_never_taken_for_nobody_nor_for_the_session(site: Site, header: str) -> None:
    for client in (site.client(), site.client("steward")):
        assert 401 == client.get("/me", headers={"Authorization": header}).status_code
        assert 401 == client.get("/api/search?q=tax", headers={"Authorization": header}).status_code


@pytest.mark.parametrize("name", ["", "finance"])
def test_a_ledger_that_cannot_be_read_is_a_page_for_whoever_asks(site: Site, name: str) -> None:
    client, ledger = site.client(name), site.data / "ledger.sqlite"
    ledger.rename(site.data / "elsewhere")
    found = client.get("/")
    (site.data / "elsewhere").rename(ledger)

    assert (500, "text/html") == (found.status_code, found.mimetype)
    assert "The log of the server has the reason" in words(found) and str(site.data) not in found.text


def test_going_back_after_signing_in_stays_on_this_server(site: Site) -> None:
    for target in ("https://elsewhere.example/", "//elsewhere.example", "/\\elsewhere.example", "javascript:1", "//[elsewhere", "http://["):
        assert "/" == post(site.client(), "/sign-in", {"token": site.tokens["finance"], "next": target}).headers["Location"], target


def test_a_session_cookie_is_kept_from_scripts_and_other_sites(site: Site) -> None:
    cookie = site.app.test_client().get("/").headers["Set-Cookie"]

    assert "HttpOnly" in cookie and "SameSite=Lax" in cookie and "Secure" not in cookie
    assert "Secure" in site.app.test_client().get("/", base_url="https://kg.example").headers["Set-Cookie"]
    assert 0o600 == (site.data / "web-secret").stat().st_mode & 0o777


@pytest.mark.parametrize("path", ["/sign-in", "/me/password", "/date", "/sign-out", "/upload", "/steward/quarantine/retry"])
def test_a_forged_form_is_refused(site: Site, path: str) -> None:
    assert 400 == site.client("steward").post(path, data={"token": "x", "day": "2023"}).status_code


@pytest.mark.parametrize("path", ["/steward/report", "/steward/quarantine", "/steward/conflicts", "/steward/history", "/upload"])
def test_role_pages_ask_the_public_to_sign_in_and_refuse_others(site: Site, path: str) -> None:
    assert f"/sign-in?next={path}" == site.client().get(path).headers["Location"]
    assert 403 == site.client("finance").get(path).status_code


def test_stewards_see_the_report_conflicts_and_history(site: Site) -> None:
    client = site.client("plain-steward")

    assert "1 conflict" in words(client.get("/steward/report"))
    assert "Notify owned by" in words(client.get("/steward/conflicts"))
    history = words(client.get("/steward/history"))
    assert "memos/handover.md" in history and "finance/avalon.md" not in history
    assert "finance/avalon.md" in words(site.client("steward").get("/steward/history"))


def test_what_lies_where_the_server_was_started_is_no_part_of_a_report(site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "click.py").write_text("raise SystemExit(3)")
    monkeypatch.chdir(tmp_path)

    assert 200 == site.client("plain-steward").get("/steward/report").status_code


def test_pages_of_another_day_have_few_places_and_those_of_now_need_none(site: Site) -> None:
    client = site.client()
    site.app.config["QUERY_PATIENCE"] = 0.1
    with site.app.app_context(), place("dated"), place("dated"):
        assert [503, 200] == [client.get(path).status_code for path in ("/?valid-at=2024", "/")]

    assert 200 == client.get("/?valid-at=2024").status_code


def test_a_refused_claim_is_discarded_and_brought_back(site: Site) -> None:
    client = site.client("plain-steward")
    first = re.findall(r'action="(/steward/quarantine/[0-9a-f]+/discard)"', client.get("/steward/quarantine?reason=swapped").text)[0]
    claim = first.rsplit("/", 1)[0]

    assert "turned round" in words(client.get(claim))
    assert 303 == post(client, first).status_code
    page = client.get("/steward/quarantine")
    assert "1 swapped" not in words(page) and "Bring back" in page.text
    decision = re.findall(r'name="decision" value="(\d+)"', page.text)[0]
    assert 404 == client.get(claim).status_code
    assert "Judged again" in ended(client, post(client, "/steward/quarantine/retry", {"decision": decision}).headers["Location"])
    assert "1 swapped" in words(client.get("/steward/quarantine"))


def test_judging_again_waits_for_another_writer_on_a_page_of_its_steward_alone(site: Site) -> None:
    client = site.client("plain-steward")
    with Writer.open(load_settings(site.data)):
        at = post(client, "/steward/quarantine/retry").headers["Location"]
        assert "quarantine" in words(client.get(at)) and not client.get(f"{at}/state").get_json()["has_ended"]
        assert 404 == site.client("steward").get(at).status_code

    assert "claims were in quarantine before" in ended(client, at)


def test_a_decision_about_a_hidden_document_is_not_told_nor_undone(site: Site) -> None:
    all_seeing, plain = site.client("steward"), site.client("plain-steward")
    rows = re.findall(r'href="(/steward/quarantine/[0-9a-f]+)".*?finance-records', all_seeing.get("/steward/quarantine").text, re.DOTALL)
    assert 303 == post(all_seeing, f"{rows[0]}/discard").status_code
    decision = re.findall(r'name="decision" value="(\d+)"', all_seeing.get("/steward/quarantine").text)[0]

    assert "Bring back" not in plain.get("/steward/quarantine").text
    assert 404 == post(plain, "/steward/quarantine/retry", {"decision": decision}).status_code
    assert 404 == plain.get(rows[0]).status_code


def test_who_writes_while_another_process_does_is_asked_to_wait(site: Site) -> None:
    client = site.client("plain-steward")
    discard = re.findall(r'action="(/steward/quarantine/[0-9a-f]+/discard)"', client.get("/steward/quarantine").text)[0]
    with Writer.open(load_settings(site.data)):
        answer = post(client, discard)
    assert 503 == answer.status_code and "Retry-After" in answer.headers and str(site.data) not in answer.text
