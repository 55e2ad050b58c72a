"""One process that serves one data directory: waitress with a few threads, workers for queries, children for slow work.

A termination signal stops it gently: nothing new is taken, what is being answered is answered, a running job may finish.
A second signal, or the end of the grace, stops it at once; what was committed stands in any case.
"""

from __future__ import annotations

import logging
import os
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType
from typing import Any, Final

from waitress.server import create_server

from ..admin.readiness import bring_up, require_ledger
from ..data_directory import DataDir
from ..errors import UsageError
from ..settings.load import Settings
from .app import create_app
from .limits import close_workers, query_workers
from .submit import jobs_of

GRACE: Final = 10.0
"""Seconds that a stop waits for requests that are being answered, and as long again for a job."""

_SIGNALS: Final = (signal.SIGTERM, signal.SIGINT)
_FORWARDED: Final = {"x-forwarded-for", "x-forwarded-proto", "x-forwarded-host"}
log = logging.getLogger("kgplatform.web")
logging.getLogger("waitress.queue").setLevel(logging.ERROR)  # it warns of each request that waits for a thread


@dataclass(frozen=True, slots=True)
class Address:
    """Where to listen. Forwarding headers count from `proxy` alone; '' is no proxy. Port 0 is any free one."""

    host: str = "127.0.0.1"
    port: int = 8080
    proxy: str = ""


def serve(settings: Settings, address: Address, *, threads: int = 8, on_ready: Callable[[str], None]) -> None:
    """Serve until a signal says stop. `on_ready` is called with the URL once requests are taken.

    Raises LockedError, with its URL, where another server has the data directory, LostLedger where its ledger is not what the rest was made
    from.
    """
    require_ledger(settings)
    with DataDir(settings.data).serving() as at:

        def ready(url: str) -> None:
            at(url)
            on_ready(url)

        _serve(settings, address, threads=threads, on_ready=ready)


def _serve(settings: Settings, address: Address, *, threads: int, on_ready: Callable[[str], None]) -> None:
    app = create_app(settings)
    bring_up(settings, query_workers(app))
    listening = _bound(address)
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(address.host, address.host)  # where it can be reached from here
    shown = f"[{host}]" if ":" in host else host
    trusted: dict[str, Any] = {"trusted_proxy": address.proxy, "trusted_proxy_count": 1, "trusted_proxy_headers": _FORWARDED}
    server = create_server(
        app,
        sockets=[listening],
        threads=threads,
        ident="kgplatform",
        channel_request_lookahead=1,  # so that a request learns that its caller has hung up
        max_request_body_size=2 * app.config["MAX_CONTENT_LENGTH"],  # from half of it on the application says what is wrong
        **(trusted if address.proxy else {}),
    )
    try:
        with _stopped_by_signals(server):
            jobs_of(app)  # what an earlier server left to do
            on_ready(f"http://{shown}:{listening.getsockname()[1]}/")
            server.run()
    finally:
        listening.close()
        jobs_of(app).close(grace=GRACE)
        close_workers(app)


def _bound(address: Address) -> socket.socket:
    try:
        family, _, _, _, place = socket.getaddrinfo(address.host, address.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
        return socket.create_server(place[:2], family=family)
    except OSError as error:
        what = f"cannot listen: {error.strerror or error}"
        raise UsageError(what, where=f"{address.host}:{address.port}", hint="choose another --host or --port") from error


@contextmanager
def _stopped_by_signals(server: Any) -> Iterator[None]:
    is_stopping = threading.Event()

    def stop(_number: int, _frame: FrameType | None) -> None:
        if is_stopping.is_set():
            raise SystemExit  # the server's loop takes it as its end
        is_stopping.set()
        server.accepting = False
        threading.Thread(target=_drain, args=(server,), name="kgplatform-drain", daemon=True).start()

    before = {number: signal.signal(number, stop) for number in _SIGNALS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _drain(server: Any) -> None:
    """Wait until nothing is being answered, then end the server's loop, which the main thread runs."""
    deadline = time.monotonic() + GRACE
    while time.monotonic() < deadline and (server.task_dispatcher.queue or any(map(_is_busy, list(server.active_channels.values())))):
        time.sleep(0.05)
    os.kill(os.getpid(), signal.SIGTERM)


def _is_busy(channel: Any) -> bool:
    return bool(channel.requests or channel.total_outbufs_len)
