"""Schemathesis makes requests from the API's own description, good and bad ones, and holds the replies against it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from served import Served

from kgplatform_web.openapi import document

schemathesis = pytest.importorskip("schemathesis", reason="schemathesis of the extra `test` is not installed")
checks = pytest.importorskip("schemathesis.specs.openapi.checks")

MANY = settings(max_examples=50, derandomize=True, deadline=None, database=None, suppress_health_check=list(HealthCheck))
OPERATIONS = [(path, method) for path, methods in document()["paths"].items() for method in methods]
STARTING = ("/api/validate", "/api/ingest", "/api/quarantine/retry")
"""Each good request to these starts a process: their good requests stand in test_api, here they are tried by who may not use them."""
IN_A_LANGUAGE = ("/sparql", "/api/plan")
"""What these take is in a language of its own, which no JSON Schema describes to its end; a time limit that is tiny ends in 503."""


@pytest.fixture
def fuzzed(own_served: Served) -> Served:
    own_served.app.config.update(RATE_PUBLIC="1000000/minute", RATE_PRINCIPAL="1000000/minute")
    return own_served


@pytest.mark.long
@pytest.mark.parametrize("who", ["finance", "admin"])
@pytest.mark.parametrize(("path", "method"), OPERATIONS, ids=str)
def test_every_reply_is_as_the_description_says(fuzzed: Served, path: str, method: str, who: str) -> None:
    good, bad = schemathesis.GenerationMode.POSITIVE, schemathesis.GenerationMode.NEGATIVE
    said = document()["paths"][path][method]
    may = who == "admin"
    modes = ([] if may and path in STARTING else [good]) + ([bad] if said["parameters"] or "requestBody" in said else [])
    described: Any = schemathesis.openapi.from_wsgi("/api/openapi.json", fuzzed.app)
    left_out = [checks.ignored_auth]  # it takes the token that this test sends for one that was made up; test_api says who is refused
    if path in IN_A_LANGUAGE:
        left_out += [checks.positive_data_acceptance, checks.negative_data_rejection, schemathesis.checks.not_a_server_error]
    for mode in modes:

        @given(case=described[path][method.upper()].as_strategy(generation_mode=mode))
        @MANY
        def each(case: Any) -> None:
            reply = case.call(headers=fuzzed.headers(who))
            assert 500 != reply.status_code, reply.text
            case.validate_response(reply, excluded_checks=left_out)

        each()
