"""The sample world behind the web application: principals with their tokens, and requests in their names."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from flask import Flask
from werkzeug.test import TestResponse

from kgplatform.model import Principal
from kgplatform.settings.load import load_settings
from kgplatform.writing.writer import Writer

PRINCIPALS = (
    Principal("finance", frozenset({"finance"})),
    Principal("steward", roles=("steward",)),
    Principal("finance-steward", frozenset({"finance"}), ("steward",)),
    Principal("editor", roles=("editor",)),
    Principal("finance-editor", frozenset({"finance"}), ("editor",)),
    Principal("admin", roles=("admin",)),
)


@dataclass(frozen=True)
class Served:
    """One application over one data directory. `who` of a request is a principal's name, '' for nobody."""

    app: Flask
    data: Path
    tokens: Mapping[str, str]

    def get(self, path: str, who: str = "", headers: Mapping[str, str] | None = None, **query: str | int) -> TestResponse:
        named = {name.replace("_", "-"): value for name, value in query.items()}
        return self.app.test_client().get(path, query_string=named or None, headers=self.headers(who, headers))

    def post(self, path: str, who: str = "", headers: Mapping[str, str] | None = None, **options: Any) -> TestResponse:
        return self.app.test_client().post(path, headers=self.headers(who, headers), **options)

    def headers(self, who: str, more: Mapping[str, str] | None = None) -> dict[str, str]:
        return {**({"Authorization": f"Bearer {self.tokens[who]}"} if who else {}), **(more or {})}

    def finished(self, accepted: TestResponse, who: str) -> dict[str, Any]:
        """The job of a 202, once it has ended."""
        assert 202 == accepted.status_code, accepted.text
        return self.ended(accepted.headers["Location"], who)

    def ended(self, address: str, who: str) -> dict[str, Any]:
        """The job at this address, once it has ended."""
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline:
            job: dict[str, Any] = self.get(address, who).get_json()
            if job["ended"]:
                return job
            time.sleep(0.2)
        raise AssertionError("the job did not end")


def with_tokens(data: Path) -> dict[str, str]:
    """Add the principals to a data directory; their tokens by name."""
    with Writer.open(load_settings(data), wait=60) as writer:
        for who in PRINCIPALS:
            writer.add_principal(who)
        return {who.name: writer.create_token(who.name) for who in PRINCIPALS}


@contextmanager
def opened(data: Path) -> Iterator[Served]:
    """The application over a data directory that may be changed."""
    from kgplatform.web import create_app
    from kgplatform.web.limits import close_workers
    from kgplatform.web.submit import jobs_of

    tokens = with_tokens(data)
    app = create_app(load_settings(data))
    try:
        yield Served(app, data, tokens)
    finally:
        jobs_of(app).close(grace=30)
        close_workers(app)
