"""Local accounts in the pages: signing in with a name and password, how sessions end, and what guessing meets."""

from __future__ import annotations

import logging
import re
import sqlite3
import time
from contextlib import closing
from pathlib import Path

import pytest
from flask.testing import FlaskClient
from support.browsing import Site, form_token, post, site_of, words
from support.commandline import done, set_password
from werkzeug.http import parse_cookie
from werkzeug.test import TestResponse

from kgplatform.settings.load import load_settings
from kgplatform.writing.writer import Writer

SECRET = "correct horse battery"
OTHER = "staple of a donkey, 7"


# -- signing in


@pytest.fixture
def site(own_world: Path, monkeypatch: pytest.MonkeyPatch) -> Site:
    made = site_of(own_world)
    assert 0 == set_password(monkeypatch, "finance", SECRET).code
    return made


def sign_in(client: FlaskClient, password: str, name: str = "finance", *, at: str = "127.0.0.1", **more: str) -> TestResponse:
    form = {"name": name, "password": password, "csrf_token": form_token(client), **more}
    return client.post("/sign-in", data=form, environ_base={"REMOTE_ADDR": at})


def signed_in(site: Site, password: str = SECRET) -> FlaskClient:
    client = site.app.test_client()
    assert 303 == sign_in(client, password).status_code
    return client


def is_finance(client: FlaskClient) -> bool:
    return "May see public, finance" in words(client.get("/me"))


def without_token(page: TestResponse) -> str:
    """A page without the CSRF tokens of its forms."""
    return re.sub(r'name="csrf_token" value="[^"]+"', "", page.text)


def change(client: FlaskClient, current: str, new: str, again: str | None = None) -> TestResponse:
    form = {"current": current, "new": new, "again": new if again is None else again, "csrf_token": form_token(client)}
    return client.post("/me/password", data=form)


def test_name_and_password_sign_in(site: Site) -> None:
    client = site.app.test_client()

    answer = sign_in(client, SECRET, name=" finance ", next="/ask?q=Who+owns+Invoice%3F")
    assert (303, "/ask?q=Who+owns+Invoice%3F") == (answer.status_code, answer.headers["Location"])
    assert "Avalon" in words(client.get(answer.headers["Location"]))
    assert "Signed in with a password" in words(client.get("/me"))
    post(client, "/sign-out")
    assert not is_finance(client)


def test_me_says_by_what_one_is_signed_in(site: Site) -> None:
    (token,) = [each["id"] for each in done("token", "list", "--json").json if each["principal"] == "finance"]

    assert f"Signed in with the token {token}" in words(site.client("finance").get("/me"))
    stated = site.app.test_client().get("/me", headers={"Authorization": f"Bearer {site.tokens['finance']}"})
    assert "Signed in with the token of this request" in words(stated) and "Present password" not in words(stated)
    assert "Present password" not in words(site.client("steward").get("/me")), "who has none does not change it"


def test_a_password_typed_in_another_form_of_unicode_is_the_same(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    set_password(monkeypatch, "finance", "Zo\u00eb zahlt \ufb01x in \u212bngstr\u00f6m")

    signed_in(site, "Zoe\u0308 zahlt fix in A\u030angstro\u0308m")


def test_a_password_of_256_characters_counts_to_its_last(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    assert 0 == set_password(monkeypatch, "finance", "é" * 255 + "a").code

    assert 401 == sign_in(site.app.test_client(), "é" * 255 + "b").status_code
    signed_in(site, "é" * 255 + "a")


def test_what_is_wrong_is_not_told(site: Site) -> None:
    def told(name: str, password: str) -> tuple[int, str]:
        answer = sign_in(site.app.test_client(), password, name=name)
        return answer.status_code, without_token(answer).replace(f'name="name" value="{name}"', "")

    known = told("finance", OTHER)
    assert 401 == known[0] and "do not belong together" in known[1] and OTHER not in known[1]
    assert {known} == {told("steward", SECRET), told("nobody", SECRET), told("public", SECRET), told("", SECRET), told("finance", "")}
    assert known == told("finance", SECRET * 1000)


def test_an_unknown_name_costs_the_same_work_as_a_known_one(site: Site) -> None:
    site.app.config["FAILURES_ADDRESS"] = "100/minute"

    def seconds(name: str) -> float:
        client = site.app.test_client()
        token = form_token(client)
        started = time.perf_counter()
        client.post("/sign-in", data={"name": name, "password": OTHER, "csrf_token": token})
        return time.perf_counter() - started

    seconds("nobody")
    known, unknown, without = (min(seconds(name) for _ in range(5)) for name in ("finance", "nobody", "steward"))
    assert unknown > known / 3 and without > known / 3, "without the hashing it would be a twentieth"


def test_going_back_after_a_password_stays_on_this_server(site: Site) -> None:
    for target in ("https://elsewhere.example/", "//elsewhere.example", "/\\elsewhere.example", "javascript:1"):
        assert "/" == sign_in(site.app.test_client(), SECRET, next=target).headers["Location"], target


def test_a_password_is_no_token_for_programs(site: Site) -> None:
    for path in ("/sparql?query=ASK+%7B%7D", "/api/ask?question=Who+owns+Tax%3F", "/"):
        answers = [site.app.test_client().get(path, auth=pair) for pair in (("finance", SECRET), ("finance", OTHER), ("nobody", OTHER))]
        assert [401, 401, 401] == [answer.status_code for answer in answers]
        assert 1 == len({without_token(answer) for answer in answers})


# -- how sessions end


def test_a_session_ends_when_its_password_is_changed_or_removed_or_its_principal_is(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    client = signed_in(site)
    set_password(monkeypatch, "finance", SECRET)
    assert not is_finance(client), "the same password, set again"

    client = signed_in(site)
    done("principal", "password", "finance", "--remove")
    assert not is_finance(client)

    set_password(monkeypatch, "finance", SECRET)
    client = signed_in(site)
    done("principal", "remove", "finance")
    done("principal", "add", "finance", "--scope", "finance")
    set_password(monkeypatch, "finance", SECRET)
    assert not is_finance(client)


def test_a_changed_password_keeps_the_session_that_changed_it_and_ends_the_others(site: Site) -> None:
    here, elsewhere, by_token = signed_in(site), signed_in(site), site.client("finance")

    assert 303 == change(here, SECRET, OTHER).status_code
    assert "The password is changed." in words(here.get("/me"))
    assert (True, False, True) == (is_finance(here), is_finance(elsewhere), is_finance(by_token))
    assert 401 == sign_in(site.app.test_client(), SECRET).status_code
    signed_in(site, OTHER)


def test_who_signed_in_with_a_token_and_knows_the_password_changes_it(site: Site) -> None:
    client = site.client("finance")

    assert 303 == change(client, SECRET, OTHER).status_code
    assert is_finance(client)
    signed_in(site, OTHER)


@pytest.mark.parametrize(
    ("current", "new", "again", "why"),
    [
        (OTHER, "a new one that is long", None, "The present password is not right."),
        (SECRET, OTHER, OTHER + "x", "The two new passwords differ."),
        (SECRET, "2 words 4u", None, "The password is too short: take at least 12 characters"),
    ],
)
def test_a_change_that_is_refused_says_why_and_changes_nothing(site: Site, current: str, new: str, again: str | None, why: str) -> None:
    client = signed_in(site)
    answer = change(client, current, new, again)

    assert 400 == answer.status_code and why in words(answer) and new not in answer.text
    signed_in(site)


def test_nobody_changes_a_password(site: Site) -> None:
    assert "/sign-in?next=/me" == change(site.app.test_client(), SECRET, OTHER).headers["Location"]
    assert 400 == signed_in(site).post("/me/password", data={"current": SECRET, "new": OTHER, "again": OTHER}).status_code, "no CSRF token"
    assert 400 == change(site.client("steward"), SECRET, OTHER).status_code, "who has no password sets none"
    signed_in(site)


@pytest.mark.long
def test_while_another_process_writes_a_change_waits_for_its_person(site: Site) -> None:
    client = signed_in(site)
    with Writer.open(load_settings(site.data)):
        answer = change(client, SECRET, OTHER)

    assert 503 == answer.status_code and "Retry-After" in answer.headers
    assert is_finance(client)
    signed_in(site)


@pytest.mark.long
def test_a_session_lives_from_request_to_request_and_ends_after_its_lifetime(site: Site) -> None:
    site.app.config["PERMANENT_SESSION_LIFETIME"] = 2
    client = signed_in(site)
    for _ in range(3):
        time.sleep(1.05)
        assert is_finance(client)
    kept = parse_cookie(client.get("/me").request.environ["HTTP_COOKIE"])["kgplatform"]
    time.sleep(3.1)

    thief = site.app.test_client()
    thief.set_cookie("kgplatform", kept)
    assert not is_finance(client) and not is_finance(thief)


def test_the_cookie_of_a_session_lasts_twelve_hours_and_comes_with_pages_alone(site: Site) -> None:
    client = signed_in(site)
    cookie = client.get("/me").headers["Set-Cookie"]

    assert "HttpOnly" in cookie and "SameSite=Lax" in cookie
    (expires,) = re.findall(r"Expires=\w+, ([^;]+) GMT", cookie)
    assert 11.9 < (time.mktime(time.strptime(expires, "%d %b %Y %H:%M:%S")) - time.mktime(time.gmtime())) / 3600 < 12.1
    assert "Set-Cookie" not in client.get("/static/style.css").headers


def test_nothing_of_the_session_before_goes_on_but_the_chosen_day(site: Site) -> None:
    client = site.app.test_client()
    post(client, "/date", {"day": "2023-06-15"})
    planted = form_token(client)
    sign_in(client, SECRET)

    assert "15 June 2023" in words(client.get("/"))
    assert planted != form_token(client)
    assert 400 == client.post("/sign-out", data={"csrf_token": planted}).status_code


def test_a_form_of_an_ended_session_says_to_load_the_page_again(site: Site) -> None:
    client = signed_in(site)
    stale = form_token(client)
    client.delete_cookie("kgplatform")

    answer = client.post("/date", data={"csrf_token": stale, "day": "2023"})
    assert 400 == answer.status_code and "load the page again" in words(answer)


# -- guessing


def test_after_ten_failures_an_address_waits_and_others_do_not(site: Site) -> None:
    for number in range(10):
        assert 401 == sign_in(site.app.test_client(), OTHER, at="192.0.2.1").status_code, number

    refused = sign_in(site.app.test_client(), SECRET, at="192.0.2.1")
    assert 429 == refused.status_code and 1 <= int(refused.headers["Retry-After"]) <= 60
    assert "too many attempts to sign in" in words(refused).lower() and "seconds" in words(refused)
    client = site.app.test_client()
    token = {"token": site.tokens["finance"], "csrf_token": form_token(client)}
    assert 429 == client.post("/sign-in", data=token, environ_base={"REMOTE_ADDR": "192.0.2.1"}).status_code
    assert 303 == sign_in(site.app.test_client(), SECRET, at="192.0.2.2").status_code, "nobody alone keeps another out"


def test_a_name_that_is_tried_from_many_addresses_waits_known_or_not(site: Site) -> None:
    site.app.config.update(FAILURES_ADDRESS="2/minute", FAILURES_NAME="3/minute")
    for name in ("finance", "nobody"):
        for number in range(3):
            assert 401 == sign_in(site.app.test_client(), OTHER, name=name, at=f"198.51.100.{number}").status_code
        assert 429 == sign_in(site.app.test_client(), SECRET, name=name, at="198.51.100.9").status_code
        site.app.config["FAILURES_ADDRESS"] = "9/minute"

    assert 303 == sign_in(site.app.test_client(), "", at="198.51.100.9", token=site.tokens["finance"], name="").status_code


def test_the_wait_ends_when_it_says(site: Site) -> None:
    site.app.config["FAILURES_ADDRESS"] = "2/3second"
    for _ in range(2):
        sign_in(site.app.test_client(), OTHER)
    refused = sign_in(site.app.test_client(), SECRET)
    assert 429 == refused.status_code
    time.sleep(int(refused.headers["Retry-After"]))

    signed_in(site)


def test_addresses_of_one_subscriber_are_one_and_mapped_ones_are_their_own(site: Site) -> None:
    site.app.config["FAILURES_ADDRESS"] = "1/minute"

    def tried(at: str) -> int:
        return sign_in(site.app.test_client(), OTHER, at=at).status_code

    assert [401, 429, 401] == [tried("2001:db8::1"), tried("2001:db8::2"), tried("2001:db8:0:1::1")]
    assert [401, 401, 429] == [tried("::ffff:192.0.2.1"), tried("::ffff:192.0.2.2"), tried("192.0.2.1")]


def test_guessing_the_present_password_is_limited_like_signing_in(site: Site) -> None:
    site.app.config["FAILURES_ADDRESS"] = "2/minute"
    client = signed_in(site)

    assert [400, 400, 429] == [change(client, OTHER, SECRET).status_code for _ in range(3)]


def test_who_signs_in_often_is_not_kept_out(site: Site) -> None:
    site.app.config["FAILURES_ADDRESS"] = "2/minute"
    for _ in range(4):
        signed_in(site)


# -- secrets


def test_no_password_and_no_hash_stands_in_logs_the_journal_or_a_session(site: Site, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        client = signed_in(site)
        sign_in(site.app.test_client(), OTHER)
        change(client, SECRET, OTHER)
        change(client, SECRET, OTHER)
    with closing(sqlite3.connect(site.data / "ledger.sqlite")) as ledger:
        (stored,) = ledger.execute("SELECT hash FROM password").fetchone()
        journal = str(ledger.execute("SELECT * FROM journal").fetchall())
    cookie = client.get("/me").headers["Set-Cookie"]
    session = str(site.app.session_interface.get_signing_serializer(site.app).loads(parse_cookie(cookie)["kgplatform"]))  # type: ignore[attr-defined]

    assert stored.startswith("$argon2id$") and "finance" in session
    for secret in (SECRET, OTHER, stored, stored.rpartition("$")[2]):
        assert secret not in caplog.text + journal + session
