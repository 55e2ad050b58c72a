"""One HTTP request and its response under one deadline and one size, however slowly and however much a server sends.

httpx counts its time-outs anew with every byte and reads any length. Here a timer shuts the connection down at the deadline:
TLS, headers and bodies of every status end with it. A body, of an error too, is read to a size and no further.
"""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, Self, cast

from .base import PROTOCOL, CompletionFailed

if TYPE_CHECKING:
    import httpx2

MAX_BODY_BYTES: Final = 1_048_576
_CONNECTED: Final = (".connect_tcp.complete", ".start_tls.complete")
"""Events of httpcore's trace whose value is the stream that is read from now on."""


class Exchange:
    """One request of a client that was made with these `hooks` for it alone: a connection that is used again would not be watched.

    When the seconds, counted from entering, are over, `is_late` is True, and what the client returns or raises is void.
    """

    def __init__(self, seconds: float) -> None:
        self.is_late = False
        self._stream: Any = None
        self._timer = threading.Timer(seconds, self._end)
        self._timer.daemon = True

    def __enter__(self) -> Self:
        self._timer.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._timer.cancel()

    @property
    def hooks(self) -> Mapping[str, list[Any]]:
        """The event hooks of the client."""
        return {"request": [self._watch], "response": [_bound]}

    def _watch(self, request: httpx2.Request) -> None:
        request.extensions["trace"] = self._traced

    def _traced(self, event: str, found: Mapping[str, Any]) -> None:
        if event.endswith(_CONNECTED):
            self._stream = found["return_value"]
            if self.is_late:
                self._shut()

    def _end(self) -> None:
        self.is_late = True
        self._shut()

    def _shut(self) -> None:
        if self._stream is None:
            return
        with suppress(OSError):  # it is closed already, or TLS has taken it over: see _traced
            socket.socket.shutdown(self._stream.get_extra_info("socket"), socket.SHUT_RDWR)


def _bound(response: httpx2.Response) -> None:
    """Let the body be read to MAX_BODY_BYTES. A compressed one is not read at all: it may expand to any size."""
    import httpx2

    if response.headers.get("content-encoding", "identity") != "identity":
        raise CompletionFailed(PROTOCOL, "the reply is compressed, which was not asked for", hint="see base_url of [model]")
    whole = cast("httpx2.SyncByteStream", response.stream)

    class Bounded(httpx2.SyncByteStream):
        def __iter__(self) -> Iterator[bytes]:
            read = 0
            for piece in whole:
                read += len(piece)
                if read > MAX_BODY_BYTES:
                    raise CompletionFailed(PROTOCOL, f"the reply is above {MAX_BODY_BYTES} bytes")
                yield piece

        def close(self) -> None:
            whole.close()

    response.stream = Bounded()
