"""What surrounds the API: rate limits, health, metrics, and its description, which names exactly what there is."""

from __future__ import annotations

import re

import pytest
from support.served import Served
from test_endpoint import kind

from kgplatform.web.api import ROUTES
from kgplatform.web.openapi import document
from kgplatform.web.problems import KINDS


def test_who_asks_too_often_is_told_when_to_come_back(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(served.app.config, "RATE_PRINCIPAL", "2/hour")
    replies = [served.get("/api/openapi.json", "admin") for _ in range(3)]

    assert [200, 200, 429] == [reply.status_code for reply in replies]
    assert "too-many-requests" == kind(replies[-1])
    assert 0 < int(replies[-1].headers["Retry-After"]) <= 3600
    assert 200 == served.get("/healthz", "admin").status_code
    assert 200 == served.get("/api/openapi.json").status_code


def test_health_is_told(served: Served) -> None:
    served.get("/api/entity", name="Avalon")
    metrics = served.get("/metrics")

    assert ({"status": "alive"}, {"status": "ready"}) == (served.get("/healthz").get_json(), served.get("/readyz").get_json())
    assert 'kgplatform_requests_total{method="GET",route="/api/entity",status="404"}' in metrics.text
    assert metrics.headers["Content-Type"].startswith("text/plain")


def test_a_platform_without_its_data_lives_and_is_not_ready(own_served: Served) -> None:
    own_served.data.rename(own_served.data.with_name("away"))
    try:
        assert 200 == own_served.get("/healthz").status_code
        assert (503, "not-ready") == ((reply := own_served.get("/readyz")).status_code, kind(reply))
        assert (500, "fault") == ((reply := own_served.get("/api/ask", question="Who owns Tax?")).status_code, kind(reply))
        assert str(own_served.data) not in reply.text
    finally:
        own_served.data.with_name("away").rename(own_served.data)


def test_the_description_is_valid_and_names_exactly_the_routes(served: Served) -> None:
    validate = pytest.importorskip("openapi_spec_validator", reason="openapi-spec-validator of the extra `test` is not installed").validate
    found = served.get("/api/openapi.json").get_json()
    described = {(path, method.upper()) for path, methods in found["paths"].items() for method in methods}
    routed = {
        (re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", rule.rule), method)
        for rule in served.app.url_map.iter_rules()
        if rule.endpoint.split(".")[0] in ("api", "endpoint", "health")
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
    }

    validate(found)
    assert routed == described


def test_the_description_says_the_role_of_every_route() -> None:
    paths = document()["paths"]
    for route in ROUTES:
        for method in route.methods:
            assert route.role == paths[route.rule.replace("<id_>", "{id_}")][method.lower()].get("x-role", ""), route.rule


def test_the_page_of_the_description_has_every_operation_and_problem_and_no_script(served: Served) -> None:
    page = served.get("/api/docs").text

    assert all(f'id="{each["operationId"]}"' in page for methods in document()["paths"].values() for each in methods.values())
    assert all(f'id="{name}"' in page for name in KINDS)
    assert "http" not in re.sub(r"https?://(kg\.example|w3id\.org|www\.w3\.org|purl\.org)", "", page)
    assert "<script" not in page or 'src="/static/' in page
