"""The adapter to the `openai` client: any server that speaks chat completions with a JSON Schema.

One completion has one deadline, its retries included. Each try has a connection of its own, which ends with it (see `exchange`).
"""

from __future__ import annotations

import json
import logging
import random
import time
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from ..errors import LanguageModelError
from .base import PROTOCOL, RATE, REJECTED, SERVER, TIMEOUT, UNREACHABLE, CompletionFailed, Reply, Request, clipped
from .deadline import Exchange

if TYPE_CHECKING:  # importing openai takes a second: see _tls
    import ssl

    import openai

_NO_KEY: Final = "none"
"""Servers without accounts ignore it; the client insists on some key, and would take OPENAI_API_KEY of another service."""
_FROM_ENVIRONMENT: Final = ("OpenAI-Organization", "OpenAI-Project")
"""Headers that the client fills from variables of the shell, whatever the server."""
log = logging.getLogger("kgplatform.llm")


class OpenAICompleter:
    """Completions of `model` at `base_url`. `timeout` is in seconds, for one completion as a whole.

    Connection failures and the statuses 408, 409, 429 and 5xx are tried again at most `retries` times, after `backoff`
    seconds, doubled each time, or after what the server asks for if the deadline allows that.
    """

    def __init__(self, *, base_url: str, model: str, key: str = "", timeout: float = 60.0, retries: int = 2, backoff: float = 0.5) -> None:
        self.model = model
        self._base_url = base_url
        self._key = key
        self._timeout = timeout
        self._retries = retries
        self._backoff = backoff

    @cached_property
    def _tls(self) -> ssl.SSLContext:
        """What the connections share. Also imports openai: both take their time, once."""
        try:
            import openai  # noqa: F401
        except ImportError as error:
            raise LanguageModelError(
                "the client for language models is not installed", where="openai", hint="pip install 'kgplatform[llm]'"
            ) from error
        import httpx2

        return httpx2.create_ssl_context()

    def complete(self, request: Request) -> Reply:
        """See Completer. Raises LanguageModelError where the client is not installed; it is imported now."""
        tls = self._tls  # made before the clock starts
        started = time.monotonic()
        deadline = started + self._timeout
        for attempt in range(self._retries + 1):
            try:
                body = self._body(tls, request, deadline)
                return _reply(body, milliseconds=round((time.monotonic() - started) * 1000))
            except _Again as again:
                pause = again.after if again.after is not None else self._backoff * 2**attempt * random.uniform(0.75, 1.0)
                if attempt == self._retries or time.monotonic() + pause >= deadline:
                    raise again.failure from again.__cause__
                log.info("trying again in %.1f s: %s", pause, again.failure.what)
                time.sleep(pause)
        raise AssertionError("the last attempt returns or raises")

    def _body(self, tls: ssl.SSLContext, request: Request, deadline: float) -> bytes:
        """The body of a reply with status 200. Raises CompletionFailed, or _Again where another attempt may help."""
        import httpx2
        import openai

        late = CompletionFailed(TIMEOUT, f"no reply within {self._timeout:g} seconds", hint="raise timeout, or ask for less at once")
        seconds_left = deadline - time.monotonic()
        if seconds_left <= 0:
            raise late
        with Exchange(seconds_left) as exchange:
            try:
                body = self._sent(tls, request, exchange, seconds_left)
            except (openai.APITimeoutError, httpx2.TimeoutException) as error:
                raise late from error
            except (openai.OpenAIError, httpx2.HTTPError, UnicodeError) as error:
                raise late if exchange.is_late else _failure(error) from error
        if exchange.is_late:
            raise late
        return body

    def _sent(self, tls: ssl.SSLContext, request: Request, exchange: Exchange, seconds_left: float) -> bytes:
        import openai

        unsent: dict[str, Any] = {name: openai.Omit() for name in _FROM_ENVIRONMENT}
        http = openai.DefaultHttpxClient(follow_redirects=False, verify=tls, event_hooks=exchange.hooks)
        options: Any = request.as_json()
        client = openai.OpenAI(
            base_url=self._base_url,
            api_key=self._key or _NO_KEY,
            max_retries=0,
            default_headers={"Accept-Encoding": "identity", **unsent},
            http_client=http,
        )
        sending = client.chat.completions.with_streaming_response
        with client, sending.create(model=self.model, timeout=seconds_left, **options) as response:
            return b"".join(response.iter_bytes())


class _Again(Exception):
    """Another attempt may help: after `after` seconds, where the server said so. `failure` is raised when none is left."""

    def __init__(self, failure: CompletionFailed, after: float | None = None) -> None:
        self.failure = failure
        self.after = after
        super().__init__(failure.what)


def _failure(error: Exception) -> CompletionFailed | _Again:
    """The failure of an error of openai or httpx, but for those of time."""
    import httpx2
    import openai

    if isinstance(error, openai.APIStatusError):
        return _refused(error)
    if isinstance(error, openai.APIConnectionError | httpx2.HTTPError):
        what = f"the server cannot be reached: {clipped(str(error.__cause__ or error))}"
        return _Again(CompletionFailed(UNREACHABLE, what, hint="see base_url of [model]"))
    return CompletionFailed(PROTOCOL, f"the request could not be sent: {clipped(str(error))}")


def _refused(error: openai.APIStatusError) -> CompletionFailed | _Again:
    """The failure of an error status. The key is in no message: servers echo at most its beginning, so none is repeated for 401."""
    status = error.status_code
    if status in (401, 403):
        return CompletionFailed(REJECTED, f"the server refused the key (status {status})", hint="set KGPLATFORM_MODEL_KEY")
    what = f"status {status}: {clipped(error.message)}"
    if status == 429:
        return _Again(CompletionFailed(RATE, what, hint="try again later"), _seconds(error.response.headers.get("retry-after", "")))
    if status in (408, 409) or status >= 500:
        return _Again(CompletionFailed(SERVER, what, hint="try again later"), _seconds(error.response.headers.get("retry-after", "")))
    return CompletionFailed(REJECTED, what, hint="see base_url and name of [model]; the server must support json_schema")


def _seconds(header: str) -> float | None:
    """Retry-After in seconds; None for a date, or for none."""
    return float(header) if header.isascii() and header.isdigit() else None


def _reply(body: bytes, *, milliseconds: int) -> Reply:
    try:
        value = json.loads(body)
        choice = value["choices"][0]
        message, usage = choice["message"], value.get("usage") or {}
        texts = message.get("content") or "", choice.get("finish_reason") or "", message.get("refusal") or ""
        if not all(isinstance(text, str) for text in texts):
            raise TypeError("content, finish_reason and refusal are texts")
        counted = [n if isinstance(n := usage.get(f"{side}_tokens"), int) else None for side in ("prompt", "completion")]
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise CompletionFailed(
            PROTOCOL, f"the reply is no chat completion: {clipped(str(error))}", hint="see base_url of [model]"
        ) from error
    return Reply(*texts, input_tokens=counted[0], output_tokens=counted[1], milliseconds=milliseconds)
