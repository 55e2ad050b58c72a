"""The JSON API: the same answers as the command line, roles, jobs, problems, pages of lists, tags, limits."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pyoxigraph as ox
import pytest
from support.commandline import done
from support.served import Served, opened
from test_endpoint import kind
from test_leaks import leaked

from kgplatform.web.api import ROUTES
from kgplatform.web.openapi import PLAN_EXAMPLE

QUESTIONS = [
    "Who owns Tax?",
    "Who owned Tax in 2021?",
    "What is Kim's nationality?",
    "Who owns Zebra?",
    "Which team owns the most components?",
]
MEMO = "Ledger is a component. Platform has owned Ledger since 3 April 2025.\n"


def without_cost(answer: Any) -> Any:
    return {name: value for name, value in answer.items() if name != "cost"}


# -- asking and looking


@pytest.mark.parametrize("question", QUESTIONS)
def test_an_answer_is_what_the_command_line_prints(served: Served, world: Any, question: str) -> None:
    printed = done("ask", question, "--json").json
    got, posted = served.get("/api/ask", question=question), served.post("/api/ask", json={"question": question})

    assert without_cost(printed) == without_cost(got.get_json()) == without_cost(posted.get_json())
    assert set(printed) == set(got.get_json())


def test_a_question_can_be_about_another_day_and_with_more_trust(served: Served) -> None:
    then = served.post("/api/ask", json={"question": "Who owns Tax?", "valid-at": "2023-06-15"}).get_json()
    least = served.get("/api/ask", question="Who owns Tax?", min_trust="authoritative").get_json()

    assert ["Commerce"] == [item["label"] for item in then["answers"]]
    assert "no_match" == served.get("/api/ask", question="Who owns Tax?", recorded_at="2020-01-01").get_json()["outcome"]
    assert {"authoritative"} >= {citation["trust"] for citation in least["citations"]}


def test_an_answer_is_explained_where_that_is_asked(served: Served) -> None:
    got = served.get("/api/ask", question="Who owns Tax?", explain="true")
    posted = served.post("/api/ask", json={"question": "Who owns Tax?", "explain": True})

    assert "SELECT" in got.get_json()["explanation"] and "checks:" in posted.get_json()["explanation"]
    assert got.headers["ETag"] == served.get("/api/ask", question="Who owns Tax?").headers["ETag"]
    assert "explanation" not in served.get("/api/ask", question="Who owns Tax?", explain="false").get_json()
    for wrong in ("yes", ""):
        assert "bad-parameter" == kind(served.get("/api/ask", question="Who owns Tax?", explain=wrong))
    for value in ("true", 1, None):
        assert "bad-parameter" == kind(served.post("/api/ask", json={"question": "Who owns Tax?", "explain": value}))


def test_a_planner_is_chosen_and_one_with_a_model_by_principals_alone(own_world: Path) -> None:
    settings = own_world / "kgplatform.toml"
    settings.write_text(f'{settings.read_text("utf-8")}\n[model]\nbase_url = "http://127.0.0.1:1/v1"\nname = "m"\nretries = 0\n', "utf-8")
    with opened(own_world) as served:
        assert "answered" == served.get("/api/ask", question="Who owns Tax?", planner="rules").get_json()["outcome"]
        assert "not-signed-in" == kind(served.get("/api/ask", question="Who owns Tax?", planner="model"))
        assert "model-failed" == kind(served.get("/api/ask", "finance", question="Who owns Tax?", planner="model"))


def test_a_planner_with_a_model_where_there_is_none_is_not_found(served: Served) -> None:
    for who in ("", "finance"):
        assert "not-found" == kind(served.get("/api/ask", who, question="Who owns Tax?", planner="model"))


def test_a_plan_runs_and_the_plan_of_an_answer_can_be_sent_back(served: Served) -> None:
    first = served.post("/api/plan", json=PLAN_EXAMPLE).get_json()
    again = served.post("/api/plan", json=first["plan"]).get_json()

    assert ("answered", ["R7"]) == (first["outcome"], [item["label"] for item in first["answers"]])
    assert without_cost(first) == without_cost(again)


def test_a_plan_that_fails_a_check_is_an_answer_and_one_that_is_no_plan_a_problem(served: Served) -> None:
    wrong = {**PLAN_EXAMPLE, "hops": [{"subject": {"entity": "team:platform"}, "relation": "sc:owned_by", "object": {"var": "team"}}]}

    assert (
        "invalid"
        == served.post("/api/plan", json={**wrong, "variables": [{"name": "team", "class": "sc:Team"}], "select": ["team"]}).get_json()[
            "outcome"
        ]
    )
    assert "bad-plan" == kind(served.post("/api/plan", json={"hops": 1}))
    assert "$.hops" in served.post("/api/plan", json={"hops": 1}).get_json()["detail"]
    assert "bad-plan" == kind(served.post("/api/plan", json=[]))


def test_an_entity_is_what_the_command_line_prints(served: Served, world: Any) -> None:
    for name in ("Tax", "component:tax", "https://kg.example/id/component/tax"):
        assert done("entity", name, "--json").json == served.get("/api/entity", name=name).get_json()


def test_a_name_of_several_entities_gives_the_candidates(served: Served) -> None:
    found = served.get("/api/entity", name="Alex Kim").get_json()

    assert ("ambiguous", 2) == (found["outcome"], len(found["candidates"]))


def test_search_gives_pages_that_together_are_the_whole(served: Served, world: Any) -> None:
    whole = done("search", "c", "--limit", "1000", "--json").json
    rows: list[Any] = []
    path = "/api/search?q=c&limit=3"
    while path:
        page = served.get(path)
        rows += page.get_json()["items"]
        path = page.get_json()["next"]
        assert (path is None) == ("Link" not in page.headers)

    assert whole == rows
    assert 3 < len(rows)


def test_an_unknown_name_is_not_found_whether_hidden_or_not_there(served: Served) -> None:
    hidden, absent = served.get("/api/entity", name="Avalon"), served.get("/api/entity", name="Avulun")

    assert 404 == hidden.status_code == absent.status_code
    assert hidden.text.replace("Avalon", "Avulun") == absent.text
    assert 200 == served.get("/api/entity", "finance", name="Avalon").status_code


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/api/ask", "question is missing"),
        ("/api/ask?question=", "question is empty"),
        ("/api/ask?question=a&question=b", "question is given more than once"),
        ("/api/ask?question=a&min-trust=full", "min-trust is 'full'"),
        ("/api/ask?question=a&q=b", "'q' is no parameter"),
        ("/api/ask?question=a%00b", "question holds a character that is no text"),
        ("/api/ask?question=" + 2001 * "a", "question has 2,001 characters"),
        ("/api/entity?name=a&valid-at=2024-13-01", "valid-at"),
        ("/api/search?q=a&limit=0", "limit must be a whole number from 1 to 1,000"),
        ("/api/search?q=a&limit=ten", "limit must be"),
        ("/api/search?q=a&offset=-1", "offset must be"),
        ("/api/openapi.json?x=1", "'x' is no parameter"),
    ],
)
def test_a_wrong_parameter_is_named(served: Served, path: str, expected: str) -> None:
    reply = served.get(path)

    assert (400, "bad-parameter") == (reply.status_code, kind(reply))
    assert expected in reply.get_json()["detail"]


def test_a_body_that_is_no_json_object_is_refused(served: Served) -> None:
    assert "bad-body" == kind(served.post("/api/ask", data="{", content_type="application/json"))
    assert "bad-body" == kind(served.post("/api/ask", data="[]", content_type="application/json"))
    assert "unsupported-media-type" == kind(served.post("/api/ask", data="question=x"))
    assert "bad-parameter" == kind(served.post("/api/ask", json={"question": 1}))
    assert "bad-parameter" == kind(served.post("/api/ask", json={"question": "Who owns Tax?", "valid-at": None}))
    assert "bad-parameter" == kind(served.post("/api/ask?question=x", json={"question": "x"}))


def test_paths_that_lead_nowhere_are_problems_too(served: Served) -> None:
    assert "not-found" == kind(served.get("/api/nothing"))
    assert "no-such-method" == kind(served.app.test_client().delete("/api/ask"))


def test_an_answer_is_sent_again_only_if_more_than_its_cost_has_changed(served: Served) -> None:
    tag = served.get("/api/ask", question="Who owns Tax?").headers["ETag"]

    assert tag.startswith("W/")
    assert 304 == served.get("/api/ask", headers={"If-None-Match": tag}, question="Who owns Tax?").status_code
    assert 200 == served.get("/api/ask", headers={"If-None-Match": tag}, question="Who owns Cart?").status_code


# -- roles


@pytest.mark.parametrize("route", [route for route in ROUTES if route.role], ids=lambda route: route.rule)
def test_a_route_for_a_role_asks_nobody_who_they_are_and_refuses_the_others(served: Served, route: Any) -> None:
    path = route.rule.replace("<id_>", "x")

    def sent(who: str) -> Any:
        return served.get(path, who) if "GET" in route.methods else served.post(path, who)

    assert (401, "not-signed-in") == (sent("").status_code, kind(sent("")))
    assert "WWW-Authenticate" in sent("").headers
    if route.role in ("editor", "steward"):
        other = "steward" if route.role == "editor" else "editor"
        assert (403, "not-allowed") == (sent(other).status_code, kind(sent(other)))


def test_an_admin_may_what_every_role_may(served: Served) -> None:
    assert 200 == served.get("/api/quarantine", "admin").status_code


def test_a_session_alone_writes_nothing(served: Served) -> None:
    """A cookie is sent by every page of the web; a token only by who has it."""
    client = served.app.test_client()
    with client.session_transaction() as session:
        session["_user_id"] = f"{'0' * 12} editor"

    assert 401 == client.post("/api/ingest?name=memos/x.md", data=b"x").status_code


# -- ingest


def test_an_editor_brings_in_a_file_and_it_is_answered_from(own_served: Served) -> None:
    accepted = own_served.post("/api/ingest?name=memos/ledger.md", "editor", data=MEMO.encode())
    job = own_served.finished(accepted, "editor")

    assert ("done", None) == (job["state"], job["error"])
    assert (1, 0) == (job["summary"]["documents_read"], job["summary"]["quarantined"])
    assert "Platform owns Ledger" in own_served.get("/api/ask", question="Who owns Ledger?").get_json()["sentence"]
    assert [job] == own_served.get("/api/jobs", "editor").get_json()["items"]


def test_a_form_brings_in_a_file_and_one_that_cannot_be_read_says_why(own_served: Served) -> None:
    form = {"file": (io.BytesIO(b"x: [1"), "broken.yaml"), "collection": "catalogue"}
    job = own_served.finished(own_served.post("/api/ingest", "editor", data=form), "editor")

    assert "done" == job["state"]
    assert ["broken.yaml:1"] == [problem["where"] for problem in job["summary"]["problems"]]


@pytest.mark.long
def test_jobs_wait_for_each_other_and_for_another_writer(own_served: Served) -> None:
    from kgplatform.settings.load import load_settings
    from kgplatform.writing.writer import Writer

    with Writer.open(load_settings(own_served.data)):
        accepted = [own_served.post(f"/api/ingest?name=memos/{n}.md", "editor", data=MEMO.encode()) for n in "ab"]
        assert "busy" == kind(own_served.post(f"/api/quarantine/{first_refused(own_served)}/discard", "steward"))

    assert ["done", "done"] == [own_served.finished(each, "editor")["state"] for each in accepted]


@pytest.mark.long
def test_a_job_is_its_owners_alone(own_served: Served) -> None:
    accepted = own_served.post("/api/ingest?name=memos/a.md", "editor", data=MEMO.encode())

    assert 404 == own_served.get(accepted.headers["Location"], "finance-editor").status_code
    assert 404 == own_served.get(accepted.headers["Location"], "admin").status_code
    assert "done" == own_served.finished(accepted, "editor")["state"]


@pytest.mark.parametrize(
    "name", ["", "../x.md", "/etc/x.md", "a/../../x.md", ".hidden.md", "memos/-x.md", "memos\\x.md", "memos/mappings/x", "memos/a\tb.md"]
)
def test_a_file_name_that_leads_elsewhere_is_refused(served: Served, name: str) -> None:
    form = {"file": (io.BytesIO(b"x"), ""), "name": name}

    assert 400 == served.post("/api/ingest", "editor", data={**form, "collection": "memos"}).status_code


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("name=finance/x.md", "bad-parameter"),
        ("name=x.md&folder=finance", "bad-parameter"),
        ("name=x.md", "bad-parameter"),
        ("name=x.md&collection=finance", "not-found"),
        ("name=x.md&collection=finanze", "not-found"),
    ],
)
def test_an_editor_cannot_write_where_only_others_read_nor_learn_of_it(served: Served, query: str, expected: str) -> None:
    reply = served.post(f"/api/ingest?{query}", "editor", data=b"Avalon owns Tax.")

    assert expected == kind(reply)
    assert "finance" not in reply.text.replace("'finance'", "")


def test_an_editor_who_holds_the_scope_writes_there(own_served: Served) -> None:
    accepted = own_served.post(
        "/api/ingest?name=finance/x.md", "finance-editor", data=b"Avalon is a team. Avalon has owned Cart since 1 May 2025."
    )

    assert "done" == own_served.finished(accepted, "finance-editor")["state"]
    assert [] == leaked(own_served.get("/api/entity", name="Cart").text)
    assert leaked(own_served.get("/api/entity", "finance", name="Cart").text)


def test_a_file_above_the_limit_is_too_large(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(served.app.config, "MAX_CONTENT_LENGTH", 100)

    assert "too-large" == kind(served.post("/api/ingest?name=memos/x.md", "editor", data=b"x" * 1000))
    assert "bad-body" == kind(served.post("/api/ingest?name=memos/x.md", "editor", data=b""))


# -- quarantine and validate


def first_refused(served: Served) -> str:
    return str(served.get("/api/quarantine", "steward").get_json()["items"][0]["id"])


def test_quarantine_is_what_the_command_line_prints(served: Served, world: Any) -> None:
    printed = done("quarantine", "list", "--json").json
    page = served.get("/api/quarantine", "steward", limit=1000).get_json()

    assert (printed["claims"], printed["quarantined"], printed["reasons"]) == (page["items"], page["quarantined"], page["reasons"])


def test_quarantine_comes_by_reason_and_page(served: Served) -> None:
    page = served.get("/api/quarantine", "steward", reason="unmapped", limit=1).get_json()

    assert {"unmapped"} == {row["reason"] for row in page["items"]}
    assert page["next"] == "/api/quarantine?reason=unmapped&limit=1&offset=1"


def test_a_steward_discards_a_claim_and_takes_it_back(own_served: Served) -> None:
    claim = first_refused(own_served)
    before = own_served.get("/api/quarantine", "steward").get_json()["quarantined"]
    decision = own_served.post(f"/api/quarantine/{claim}/discard", "steward").get_json()["decision"]

    assert 404 == own_served.get(f"/api/quarantine/{claim}", "steward").status_code
    job = own_served.finished(own_served.post("/api/quarantine/retry", "steward", json={"decisions": [decision]}), "steward")
    assert (before - 1, before) == (job["summary"]["before"], job["summary"]["after"])
    assert claim == own_served.get(f"/api/quarantine/{claim}", "steward").get_json()["id"]


def test_a_steward_takes_back_no_decision_of_another_kind_or_about_what_is_hidden(own_served: Served) -> None:
    with_scope = own_served.get("/api/quarantine", "finance-steward").get_json()["items"]
    hidden = [row["id"] for row in with_scope if "finance" in row["scope"]]
    merged = done("merge", "component:tax", "component:cart", "--apart", "--json", "--data", own_served.data).json["decision"]
    decisions = [merged, 999]
    if hidden:
        assert 404 == own_served.post(f"/api/quarantine/{hidden[0]}/discard", "steward").status_code
        decisions.append(own_served.post(f"/api/quarantine/{hidden[0]}/discard", "finance-steward").get_json()["decision"])

    for decision in decisions:
        assert "not-found" == kind(own_served.post("/api/quarantine/retry", "steward", json={"decisions": [decision]}))


def test_the_report_is_what_the_command_line_prints(served: Served, world: Any) -> None:
    assert done("validate", "--json").json == served.get("/api/validate", "steward").get_json()


def test_a_report_whose_caller_has_gone_is_ended(served: Served) -> None:
    gone = {"waitress.client_disconnected": lambda: True}
    reply = served.app.test_client().get("/api/validate", headers=served.headers("steward", None), environ_overrides=gone)

    assert (503, "nobody waits for the answer any more") == (reply.status_code, reply.get_json()["detail"])


def test_the_report_comes_as_turtle_and_for_people(served: Served, world: Any) -> None:
    for form, media_type in (("turtle", "text/turtle"), ("text", "text/plain")):
        reply = served.get("/api/validate", "steward", format=form)

        assert (media_type, done("validate", "--format", form).out) == (reply.mimetype, reply.text)


def test_conflicts_are_what_the_command_line_prints(served: Served, world: Any) -> None:
    page = served.get("/api/conflicts", "steward").get_json()

    assert (done("conflicts", "--json").json, None) == (page["items"], page["next"])
    assert [] == served.get("/api/conflicts", "steward", valid_at="2024-01-01").get_json()["items"]


def test_an_export_is_what_the_command_line_writes(served: Served, world: Any) -> None:
    for form, syntax in (("trig", ox.RdfFormat.TRIG), ("rdf12", ox.RdfFormat.TURTLE)):
        reply = served.get("/api/export", format=form)

        assert int(reply.headers["Content-Length"]) == len(reply.data)
        assert set(ox.parse(reply.data, format=syntax)) == set(ox.parse(done("export", "--format", form).out, format=syntax))
