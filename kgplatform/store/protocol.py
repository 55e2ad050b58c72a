"""The SPARQL 1.1 Protocol as a client speaks it: one request, one answer or one StoreError.

Nothing is sent twice, and no redirect is followed with credentials.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import IO, Final

import httpx

from ..errors import QuerySyntaxError, QueryTimeout, StoreError
from ..terms import KG

NO_GRAPH: Final = KG.noGraph
"""The name of a graph that nothing stands in. Without any dataset parameter a server would show all it has."""


class OutcomeUnknown(StoreError):
    """The request went out and no answer came back: it may have been applied, or be under way."""


class Endpoint:
    """A query URL and an update URL of one dataset."""

    def __init__(self, query_url: str, update_url: str, *, user: str, password: str, token: str, timeout: float) -> None:
        self.query_url = query_url
        self.update_url = update_url
        self._client = httpx.Client(
            auth=httpx.BasicAuth(user, password) if user else None,
            headers={"Authorization": f"Bearer {token}"} if token else {},
            timeout=httpx.Timeout(timeout, connect=min(timeout, 10.0)),
        )

    def close(self) -> None:
        """Close the connections; no request can be sent afterwards."""
        self._client.close()

    def query(
        self,
        text: str,
        out: IO[bytes],
        *,
        accept: str,
        default_graphs: Sequence[str],
        named_graphs: Sequence[str],
        everything: bool = False,
    ) -> str:
        """Write the answer into `out` and return its media type. The dataset is exactly these graphs, or all of the server's."""
        form: dict[str, str | Sequence[str]] = {"query": text}
        if not everything:
            form["default-graph-uri"] = list(default_graphs) or [NO_GRAPH]
            form["named-graph-uri"] = list(named_graphs)
        try:
            with self._client.stream("POST", self.query_url, data=form, headers={"Accept": accept}) as response:
                if response.status_code != 200:
                    response.read()
                    raise _refusal(response, self.query_url)
                for chunk in response.iter_bytes():
                    out.write(chunk)
                return str(response.headers.get("content-type", "")).split(";")[0].strip().lower()
        except httpx.TimeoutException as error:
            raise QueryTimeout("the store did not answer in time", where=self.query_url, hint="ask for less, or allow more time") from error
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise _unreachable(error, self.query_url) from error

    def update(self, text: str) -> None:
        """Send one update request. Raises OutcomeUnknown where it cannot be known from the answer whether it was applied."""
        try:
            response = self._client.post(
                self.update_url, content=text.encode(), headers={"Content-Type": "application/sparql-update; charset=utf-8"}
            )
        except (httpx.ConnectError, httpx.ConnectTimeout, httpx.UnsupportedProtocol, httpx.InvalidURL) as error:
            raise _unreachable(error, self.update_url) from error
        except httpx.HTTPError as error:
            raise OutcomeUnknown(f"the store did not answer an update: {_said(error)}", where=self.update_url) from error
        if response.status_code >= 500 or response.status_code == 408:
            raise OutcomeUnknown(f"the store answered an update with {_status(response)}", where=self.update_url)
        if not response.is_success:
            raise _refusal(response, self.update_url)


def _refusal(response: httpx.Response, url: str) -> StoreError:
    status = response.status_code
    if status in (401, 403):
        return StoreError(f"the store refused the credentials ({status})", where=url, hint="check user and password, or the token")
    if status in (404, 405) or response.is_redirect:
        return StoreError(f"the store answered {_status(response)}", where=url, hint="check the query and update URLs of the dataset")
    if status == 400:
        return QuerySyntaxError(f"the store does not take this: {_status(response)}", where=url)
    return StoreError(f"the store answered {_status(response)}", where=url)


def _status(response: httpx.Response) -> str:
    """The status and the first words of a plain body; pages and JSON say nothing that fits one line."""
    body = response.text.strip()
    words = "" if body.startswith(("<", "{")) else f": {body[:160]}"
    return f"{response.status_code} {response.reason_phrase}{words}"


def _unreachable(error: Exception, url: str) -> StoreError:
    return StoreError(f"the store cannot be reached: {_said(error)}", where=url, hint="is it running, and is this its address?")


def _said(error: Exception) -> str:
    return str(error) or type(error).__name__
