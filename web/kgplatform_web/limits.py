"""How much one caller may ask: requests by principal, and places for queries so that a slow one never takes every thread."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from flask import Flask, current_app, request
from limits import parse
from limits.storage import MemoryStorage
from limits.strategies import SlidingWindowCounterRateLimiter

from kgplatform.store.workers import QueryWorkers

from .callers import WORKERS
from .problems import Problem

_RATES: Final = "kgplatform.rates"
_PLACES: Final = "kgplatform.places"
_opening = threading.Lock()


def install(app: Flask) -> None:
    """Settings of the app, with their defaults, and its counters."""
    app.config.setdefault("RATE_PUBLIC", "600/minute")
    app.config.setdefault("RATE_PRINCIPAL", "1200/minute")
    app.config.setdefault("QUERY_WORKERS", 2)
    app.config.setdefault("QUERY_PLACES", 4)
    app.config.setdefault("QUERY_PATIENCE", 5.0)
    app.config.setdefault("QUERY_SECONDS", 30.0)
    app.config.setdefault("DATED_PLACES", 2)
    app.extensions[_RATES] = SlidingWindowCounterRateLimiter(MemoryStorage())
    app.extensions[_PLACES] = {
        name: threading.BoundedSemaphore(app.config[setting]) for name, setting in (("query", "QUERY_PLACES"), ("dated", "DATED_PLACES"))
    }


def count_request(name: str) -> None:
    """Count one request of the principal of that name ('' is the public, counted by address). Raises the 429."""
    rate = parse(current_app.config["RATE_PRINCIPAL" if name else "RATE_PUBLIC"])
    key = f"principal {name}" if name else f"address {request.remote_addr}"
    limiter: SlidingWindowCounterRateLimiter = current_app.extensions[_RATES]
    if not limiter.hit(rate, key):
        wait = max(1, round(limiter.get_window_stats(rate, key).reset_time - time.time()))
        raise Problem("too-many-requests", f"more than {rate} from one caller", headers={"Retry-After": str(wait)})


@contextmanager
def place(kind: str) -> Iterator[None]:
    """One of the few places for work of this kind (query, dated), or the 503 where none comes free in time."""
    places: threading.BoundedSemaphore = current_app.extensions[_PLACES][kind]
    if not places.acquire(timeout=current_app.config["QUERY_PATIENCE"]):
        raise Problem("busy", "all places for this kind of question are taken", hint="try again in a few seconds")
    try:
        yield
    finally:
        places.release()


def query_workers(app: Flask) -> QueryWorkers:
    """The one pool of workers of this application, started with its first query."""
    with _opening:
        if app.extensions.get(WORKERS) is None:
            app.extensions[WORKERS] = QueryWorkers(workers=app.config["QUERY_WORKERS"])
        workers: QueryWorkers = app.extensions[WORKERS]
        return workers


def close_workers(app: Flask) -> None:
    """End the pool; the next query would start a new one."""
    with _opening:
        workers = app.extensions.get(WORKERS)
        app.extensions[WORKERS] = None
    if workers is not None:
        workers.close()
