"""Schemathesis makes requests from the API's own description, good and bad ones, and holds the replies against it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.served import Served, opened

from kgplatform.query.prefixes import EXAMPLE
from kgplatform.web.openapi import document

schemathesis = pytest.importorskip("schemathesis", reason="schemathesis of the extra `test` is not installed")
checks = pytest.importorskip("schemathesis.specs.openapi.checks")

MANY: Final = 200
FEW: Final = 8
"""Good requests to what starts a process of seconds for each of them: so many by each of those who may."""

STARTING: Final = ("/api/validate", "/api/export", "/api/ingest", "/api/quarantine/retry")
HOLDERS: Final = {"": (), "any principal": (), "editor": ("admin",), "steward": ("steward", "admin")}
"""Who else than the reader and the editor is asked as, by the role that an operation is for."""

OPERATIONS: Final = [
    (path, method, who)
    for path, methods in document()["paths"].items()
    for method, said in methods.items()
    for who in ("finance", "editor", *HOLDERS[said.get("x-role", "")])
]

QUERIES: Final = (
    *(EXAMPLE, "ASK {}", "SELECT * WHERE { ?s ?p ?o } LIMIT 3", "SELECT (COUNT(*) AS ?n) WHERE { ?s ?p ?o }"),
    *("DESCRIBE <https://kg.example/id/component/tax>", "CONSTRUCT { ?s a ?c } WHERE { ?s a ?c }", 'SELECT ("a\\u0001b" AS ?x) {}'),
)
FOLDERS: Final = ("", "memos/", "people/2025-10-01/", "incidents/2025-12-31/", "é 語/")
ENDINGS: Final = (".md", ".csv", ".json", ".yaml", ".ttl", ".bin")
FILES: Final = st.tuples(st.sampled_from(FOLDERS), st.text("abcXYZ019_ é語", min_size=1, max_size=12), st.sampled_from(ENDINGS))
schemathesis.openapi.format("sparql-query", st.sampled_from(QUERIES))
schemathesis.openapi.format("file-name", FILES.map(lambda parts: f"{parts[0]}x{parts[1]}{parts[2]}"))
schemathesis.openapi.format("binary", st.binary(min_size=1, max_size=40))


@pytest.fixture(scope="module")
def fuzzed(read_world_once: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Served, Any]]:
    """The application over a world of its own, with its description as Schemathesis reads it."""
    data = tmp_path_factory.mktemp("fuzzed") / "kgdata"
    shutil.copytree(read_world_once, data)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KGPLATFORM_NOW", "2025-11-01")
        with opened(data) as served:
            served.app.config.update(RATE_PUBLIC="1000000/minute", RATE_PRINCIPAL="1000000/minute")
            yield served, schemathesis.openapi.from_wsgi("/api/openapi.json", served.app)


def left_out(case: Any, reply: Any) -> list[Any]:
    """The checks that the description cannot pass for this request, each for a reason that no schema can say."""
    asked = {**(case.query or {}), **(case.body if isinstance(case.body, dict) else {})}
    twice = set(case.query or {}) & set(case.body if isinstance(case.body, dict) else {})
    told = reply.text if reply.status_code >= 400 else ""
    found = [checks.ignored_auth]  # it takes the token that this test sends for one that was made up; test_api says who is refused
    if case.path == "/sparql" and not asked and case.method == "GET":
        found.append(checks.negative_data_rejection)  # nothing at all is asked: the service description
    if "api/docs#query-timeout" in told and "timeout" in asked:
        found.append(schemathesis.checks.not_a_server_error)  # as short a time as was asked for
    if any(
        (
            "is given more than once" in told and twice,  # in the address and in the body
            "api/docs#not-acceptable" in told and case.path == "/sparql",  # no such format for what this query gives
            "no language model is configured" in told and asked.get("planner") in ("model", "rules-then-model"),
            "not a literal" in told and case.path == "/api/plan",  # a value that is none of its datatype
            case.path == "/api/ingest" and "name" not in asked,  # then the form's file needs one, which Schemathesis does not give
            case.path == "/api/ingest" and "as its collection" in told,  # whether the name says it is for the settings to know
        )
    ):
        found.append(checks.positive_data_acceptance)
    return found


@pytest.mark.long
@pytest.mark.parametrize(("path", "method", "who"), OPERATIONS, ids=str)
def test_every_reply_is_as_the_description_says(fuzzed: tuple[Served, Any], path: str, method: str, who: str) -> None:
    served, described = fuzzed
    said = document()["paths"][path][method]
    good, bad = schemathesis.GenerationMode.POSITIVE, schemathesis.GenerationMode.NEGATIVE
    is_slow = path in STARTING and (not said.get("x-role") or who in (said["x-role"], "admin"))
    for mode in (good, bad) if said["parameters"] or "requestBody" in said else (good,):

        @given(case=described[path][method.upper()].as_strategy(generation_mode=mode))
        @settings(
            max_examples=FEW if is_slow and mode == good else MANY // 2,
            derandomize=True,
            deadline=None,
            database=None,
            suppress_health_check=list(HealthCheck),
        )
        def each(case: Any) -> None:
            reply = case.call(headers=served.headers(who))
            assert 500 != reply.status_code, reply.text
            case.validate_response(reply, excluded_checks=left_out(case, reply))
            if 202 == reply.status_code:
                assert "done" == served.ended(f"/api/jobs/{reply.json()['id']}", who)["state"]

        each()
