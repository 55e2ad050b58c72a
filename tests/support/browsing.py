"""The pages of a copy of the sample world, and clients that are signed in to them as its principals."""

from __future__ import annotations

import html
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from kgplatform.settings.load import load_settings
from kgplatform.web import create_app
from support.commandline import done

PRINCIPALS = {
    "finance": ("--scope", "finance"),
    "steward": ("--role", "steward", "--scope", "finance"),
    "plain-steward": ("--role", "steward"),
    "editor": ("--role", "editor"),
}
HIDDEN = ("Avalon", "avalon", "INC-109", "penalt", "finance/", "finance-records")
"""What only the finance department's files say."""


@dataclass(frozen=True)
class Site:
    app: Flask
    data: Path
    tokens: dict[str, str]

    def client(self, name: str = "") -> FlaskClient:
        """A client that is signed in as the principal, or nobody."""
        client = self.app.test_client()
        if name:
            answer = post(client, "/sign-in", {"token": self.tokens[name]})
            assert 303 == answer.status_code, answer.text
        return client


def site_of(data: Path) -> Site:
    """The application over a data directory, in which each of PRINCIPALS gets a token."""
    tokens = {}
    for name, options in PRINCIPALS.items():
        done("principal", "add", name, *options, "--data", data)
        tokens[name] = re.findall(r"kg_\S+", done("token", "create", name, "--data", data).out)[0]
    return Site(create_app(load_settings(data)), data, tokens)


def form_token(client: FlaskClient, at: str = "/sign-in") -> str:
    found = re.search(r'name="csrf_token" value="([^"]+)"', client.get(at).text)
    assert found
    return found[1]


def post(client: FlaskClient, path: str, values: dict[str, object] | None = None) -> TestResponse:
    """Send a form as a page would, with its CSRF token."""
    return client.post(path, data={**(values or {}), "csrf_token": form_token(client)}, content_type="multipart/form-data")


def ended(client: FlaskClient, job: str) -> str:
    """The words of a job's page once it has ended."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if client.get(f"{job}/state").get_json()["has_ended"]:
            return words(client.get(job))
        time.sleep(0.1)
    raise AssertionError("the job did not end")


def words(page: TestResponse) -> str:
    """The text of a page without its markup."""
    bare = re.sub(r"<(svg|style).*?</\1>", " ", page.text, flags=re.DOTALL)
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", bare)).split())


def leaked(page: TestResponse, asked: str) -> list[str]:
    """Hidden words in a page, where it does not repeat the caller's own."""
    text = unquote(html.unescape(page.get_data(as_text=True)) + str(page.headers))
    for own in sorted({asked, unquote(asked), *re.split(r"[?&=/ ]", unquote(asked).replace("+", " "))}, key=len, reverse=True):
        if own:
            text = text.replace(own, "")
    return [word for word in HIDDEN if word in text]


@contextmanager
def served(app: Flask) -> Iterator[str]:
    """The application on a port of this machine, for a browser."""
    import threading

    from waitress.server import create_server

    server = create_server(app, host="127.0.0.1", port=0, threads=4)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.effective_port}"
    finally:
        server.close()
        thread.join(5)
