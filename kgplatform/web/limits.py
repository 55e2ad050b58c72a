"""How much one caller may ask: requests and calls of the language model by principal, failed attempts to sign in by address and name,
and places for queries so that a slow one never takes every thread.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from ipaddress import IPv6Network, ip_address
from typing import Final

from flask import Flask, current_app, has_request_context, request
from limits import RateLimitItem, parse
from limits.storage import MemoryStorage
from limits.strategies import MovingWindowRateLimiter, SlidingWindowCounterRateLimiter

from ..errors import QueryAbandoned
from ..views.sparql import QueryWorkers
from .problems import HttpProblem

WORKERS: Final = "kgplatform.workers"
_RATES: Final = "kgplatform.rates"
_ATTEMPTS: Final = "kgplatform.attempts"
_PLACES: Final = "kgplatform.places"
_LONGEST_NAME: Final = 200
GLANCE: Final = 0.1
"""Seconds between two looks whether a caller who waits has hung up."""
_opening = threading.Lock()


def install(app: Flask) -> None:
    """Settings of the app, with their defaults, and its counters."""
    app.config.setdefault("RATE_PUBLIC", "600/minute")
    app.config.setdefault("RATE_PRINCIPAL", "1200/minute")
    app.config.setdefault("MODEL_PUBLIC", "300/day")
    app.config.setdefault("MODEL_PRINCIPAL", "3000/day")
    app.config.setdefault("FAILURES_ADDRESS", "10/minute")
    app.config.setdefault("FAILURES_NAME", "30/minute")
    app.config.setdefault("QUERY_WORKERS", 2)
    app.config.setdefault("QUERY_PLACES", 4)
    app.config.setdefault("QUERY_PATIENCE", 5.0)
    app.config.setdefault("QUERY_SECONDS", 30.0)
    app.config.setdefault("DATED_PLACES", 2)
    app.config.setdefault("MODEL_PLACES", 2)
    app.extensions[_RATES] = SlidingWindowCounterRateLimiter(MemoryStorage())
    app.extensions[_ATTEMPTS] = MovingWindowRateLimiter(MemoryStorage())
    app.extensions[_PLACES] = {
        kind: threading.BoundedSemaphore(app.config[f"{kind.upper()}_PLACES"]) for kind in ("query", "dated", "model")
    }


def count_request(name: str) -> None:
    """Count one request of the principal of that name ('' is the public, counted by address). Raises the 429."""
    _count("RATE", "requests", name)


def count_model_call(name: str) -> None:
    """Count a call of the language model, so that no single caller uses up what all have for the day. Raises the 429."""
    _count("MODEL", "calls of the language model", name)


def _count(kind: str, what: str, name: str) -> None:
    rate = parse(current_app.config[f"{kind}_{'PRINCIPAL' if name else 'PUBLIC'}"])
    key = f"{kind} principal {name}" if name else f"{kind} address {_address()}"
    limiter: SlidingWindowCounterRateLimiter = current_app.extensions[_RATES]
    if not limiter.hit(rate, key):
        span = f"{rate.multiples} {rate.GRANULARITY.name}"
        raise _too_many(f"more than {rate.amount:,} {what} from one caller in {span}", limiter.get_window_stats(rate, key).reset_time)


def admit_sign_in(name: str) -> None:
    """Let the caller try to sign in as `name` ('' is by a token). Raises the 429 where too many attempts failed.

    One address has fewer attempts than one name, so that nobody alone keeps the owner of a name out.
    """
    limiter: MovingWindowRateLimiter = current_app.extensions[_ATTEMPTS]
    full = [limiter.get_window_stats(rate, key).reset_time for rate, key in _failures_of(name) if not limiter.test(rate, key)]
    if full:
        raise _too_many("too many attempts to sign in have failed", max(full))


def count_failed_sign_in(name: str) -> None:
    """Count an attempt to sign in as `name` ('' is by a token) that failed, for the address and for the name."""
    limiter: MovingWindowRateLimiter = current_app.extensions[_ATTEMPTS]
    for rate, key in _failures_of(name):
        limiter.hit(rate, key)


def _failures_of(name: str) -> list[tuple[RateLimitItem, str]]:
    """What counts the failures of this caller with this name."""
    found = [(parse(current_app.config["FAILURES_ADDRESS"]), f"address {_address()}")]
    if name:
        found.append((parse(current_app.config["FAILURES_NAME"]), f"name {name[:_LONGEST_NAME]}"))
    return found


def _too_many(what: str, free: float) -> HttpProblem:
    """The 429 until the time `free`."""
    wait = max(1, math.ceil(free - time.time()))
    hint = f"try again in {wait} {'second' if wait == 1 else 'seconds'}"
    return HttpProblem("too-many-requests", what, hint=hint, headers={"Retry-After": str(wait)})


def _address() -> str:
    """The caller's address; of IPv6 the network that one subscriber is given (/64)."""
    try:
        found = ip_address(request.remote_addr or "")
    except ValueError:
        return request.remote_addr or ""
    if found.version == 4:
        return str(found)
    return str(found.ipv4_mapped or IPv6Network((int(found), 64), strict=False))


@contextmanager
def place(kind: str) -> Iterator[None]:
    """One of the few places for work of this kind (query, dated, model), or the 503 where none comes free in time."""
    places: threading.BoundedSemaphore = current_app.extensions[_PLACES][kind]
    deadline = time.monotonic() + current_app.config["QUERY_PATIENCE"]
    while not places.acquire(timeout=GLANCE):
        if has_hung_up():
            raise QueryAbandoned("nobody waits for the answer any more")
        if time.monotonic() >= deadline:
            raise HttpProblem("busy", "all places for this kind of question are taken", hint="try again in a few seconds")
    try:
        yield
    finally:
        places.release()


def has_hung_up() -> bool:
    """Whether the caller of this thread's request has closed the connection, as far as the server can tell."""
    return has_request_context() and bool(request.environ.get("waitress.client_disconnected", bool)())


def query_workers(app: Flask) -> QueryWorkers:
    """The one pool of workers of this application, started with its first query."""
    with _opening:
        if app.extensions.get(WORKERS) is None:
            app.extensions[WORKERS] = QueryWorkers(workers=app.config["QUERY_WORKERS"], is_gone=has_hung_up)
        workers: QueryWorkers = app.extensions[WORKERS]
        return workers


def close_workers(app: Flask) -> None:
    """End the pool; the next query would start a new one."""
    with _opening:
        workers = app.extensions.get(WORKERS)
        app.extensions[WORKERS] = None
    if workers is not None:
        workers.close()
