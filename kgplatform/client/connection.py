"""One conversation with a kgplatform server: its problems become our errors, and a busy server is waited for."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from ipaddress import ip_address
from typing import IO, Any, Final

import httpx

from ..errors import (
    KgError,
    LanguageModelError,
    LimitSourceError,
    PlanError,
    QueryRefused,
    QuerySyntaxError,
    QueryTimeout,
    ResultTooLarge,
    ServerError,
    SourceError,
    UnknownName,
    UsageError,
)
from ..settings.load import ServerAddress

PROBLEM: Final = "application/problem+json"
WAITS: Final = 5
LONGEST_WAIT: Final = 60.0
"""Seconds that are waited at once, however long the server asks for."""

_READ_SECONDS: Final = 180.0  # a validation may take 120, and waits for its place before
_ERRORS: Final[Mapping[str, type[KgError]]] = {
    "bad-parameter": UsageError,
    "bad-body": SourceError,
    "too-large": LimitSourceError,
    "bad-plan": PlanError,
    "query-syntax": QuerySyntaxError,
    "query-refused": QueryRefused,
    "query-timeout": QueryTimeout,
    "result-too-large": ResultTooLarge,
    "not-found": UnknownName,
    "model-failed": LanguageModelError,
}
_PASSING: Final = ("busy", "too-many-requests", "not-ready")
_HINTS: Final = {
    "not-signed-in": "put a token of one who has it into KGPLATFORM_TOKEN, or into a file for --token-file",
    "bad-token": "an admin makes one: kgplatform token create NAME",
    "fault": "the log of the server has the reason",
}
log = logging.getLogger("kgplatform")


class Connection:
    """Requests to one server, with the token of who asks. No redirect is followed, so the token goes nowhere else."""

    def __init__(self, address: ServerAddress) -> None:
        self.url = address.url
        is_near = _is_loopback(address.host)
        if address.token and address.url.startswith("http:") and not is_near:
            log.warning("the token goes to %s in clear text: use https", address.host)
        self._client = httpx.Client(
            headers={"Authorization": f"Bearer {address.token}"} if address.token else {},
            timeout=httpx.Timeout(_READ_SECONDS, connect=10.0),
            trust_env=not is_near,
        )

    def close(self) -> None:
        """Close the connections that are kept open."""
        self._client.close()

    def get(self, path: str, **query: str | int) -> Any:
        """The JSON of a GET; parameters that are '' are left out, and _ in their names is -."""
        return self._json("GET", path, again=True, params=_parameters(query))

    def post(self, path: str, *, again: bool = False, query: Mapping[str, str | int] | None = None, **body: Any) -> Any:
        """The JSON of a POST. With `again` it is sent again where the server was busy; what reads may be, and what reads files in."""
        return self._json("POST", path, again=again, params=_parameters(query or {}), **body)

    def _json(self, method: str, path: str, *, again: bool, **request: Any) -> Any:
        with self._answer(method, path, again=again, **request) as response:
            try:
                response.read()
                return response.json()
            except ValueError as error:
                raise self._stranger(response) from error

    def download(self, method: str, path: str, out: IO[bytes], *, query: Mapping[str, str | int], **request: Any) -> Mapping[str, str]:
        """Write the body of a read into `out` as it comes; the headers, by name in lower case."""
        with self._answer(method, path, again=True, params=_parameters(query), **request) as response:
            for chunk in response.iter_bytes():
                out.write(chunk)
            return response.headers

    @contextmanager
    def _answer(self, method: str, path: str, *, again: bool, **request: Any) -> Iterator[httpx.Response]:
        """The response, once it is one; with `again` a busy server is waited for as long as it asks, a few times."""
        try:
            for retries in range(WAITS, -1, -1):
                with self._client.stream(method, self.url + path, **request) as response:
                    if response.is_success and _media_type(response) != "text/html":  # which a sign-in page before it would send
                        yield response
                        return
                    response.read()
                kind, error = self._problem(response)
                wait = _retry_after(response)
                if not again or kind not in _PASSING or not retries or not 0 <= wait <= LONGEST_WAIT:
                    raise error
                log.info("%s: again in %g s", error, wait)
                time.sleep(wait)
        except httpx.TimeoutException as error:
            raise ServerError("did not answer in time", where=self.url, hint="is it running, and is this its address?") from error
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise _unreached(error, self.url) from error

    def _problem(self, response: httpx.Response) -> tuple[str, KgError]:
        """The kind of a problem and the error that it is here."""
        problem = _object(response) if _media_type(response) == PROBLEM else {}
        kind = str(problem.get("type", "")).partition("#")[2]
        if not kind:
            if response.status_code == 413:
                return "too-large", LimitSourceError(
                    "is too large for the server", hint="split it, or raise max_file_bytes there, and the limit of a proxy before it"
                )
            return "busy" if response.status_code in (429, 503) else "", self._stranger(response)
        what, hint = str(problem.get("detail") or problem.get("title")), _HINTS.get(kind, str(problem.get("hint", "")))
        if problem.get("reason"):  # of a file that was sent
            return kind, SourceError(what.removeprefix("the file "), hint=hint, reason=str(problem["reason"]))
        if kind in _ERRORS:
            return kind, _ERRORS[kind](what, hint=hint)
        return kind, ServerError(what, where=self.url, hint=hint)

    def _stranger(self, response: httpx.Response) -> ServerError:
        """What answered does not speak like one of ours."""
        if response.is_redirect:
            there = response.headers.get("location", "elsewhere")
            return ServerError(f"sends on to {there}", where=self.url, hint="name that address with --server, if you trust it")
        said = f"{response.status_code} {response.reason_phrase} with {_media_type(response) or 'nothing'}"
        return ServerError(f"is no kgplatform server: it answered {said}", where=self.url, hint="check the address")


def _media_type(response: httpx.Response) -> str:
    return str(response.headers.get("content-type", "")).partition(";")[0].strip().lower()


def _object(response: httpx.Response) -> dict[str, Any]:
    try:
        found = json.loads(response.content)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _parameters(query: Mapping[str, str | int]) -> dict[str, str]:
    return {name.replace("_", "-"): str(value) for name, value in query.items() if value != ""}


def _retry_after(response: httpx.Response) -> float:
    stated = response.headers.get("retry-after", "")
    return float(stated) if stated.isascii() and stated.isdigit() else -1.0 if stated else 1.0


def _unreached(error: Exception, url: str) -> ServerError:
    said = " ".join(str(error).split()) or type(error).__name__
    hint = "is it running, and is this its address?"
    if "CERTIFICATE" in said:
        hint = "SSL_CERT_FILE names the certificates that are trusted"
    elif "SSL" in said:
        hint = "does it speak http, not https?"
    return ServerError(f"cannot be reached: {said}", where=url, hint=hint)


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")
