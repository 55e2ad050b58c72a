"""Intake: readings by batch."""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import chain

from ..model import Problem, Reading
from .account import IngestFigures

BATCH_CLAIMS = 100_000
"""How many claims are committed together: a longer batch is faster, a shorter one loses less when killed."""

BATCH_BYTES = 64 * 1024 * 1024
"""How many bytes of documents, which wait in memory, are committed together."""


@contextmanager
def no_collection() -> Iterator[None]:
    """Keep the cycle collector off: a batch makes millions of small tuples and no cycles (a quarter of the time, measured)."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def read_ahead(readings: Iterable[Reading | Problem]) -> Iterator[Reading | Problem]:
    """The same, but what fills a batch has been read when this returns: before anybody opens the ledger for writing."""
    rest = iter(readings)
    ahead: list[Reading | Problem] = []
    claims = size = 0
    while claims <= BATCH_CLAIMS and size <= BATCH_BYTES and (item := next(rest, None)) is not None:
        ahead.append(item)
        if isinstance(item, Reading):
            claims += len(item.claims)
            size += len(item.content)
    return chain(ahead, rest)


def batches(readings: Iterable[Reading | Problem], summary: IngestFigures) -> Iterator[list[Reading]]:
    """Readings by batch, equal claims of one reading once; no document twice in a batch. Problems go to the summary."""
    batch: list[Reading] = []
    claims = size = 0
    names: set[tuple[str, str]] = set()
    for reading in readings:
        if isinstance(reading, Problem):
            summary.note(reading)
            continue
        summary.problems.extend(reading.problems)
        reading = replace(reading, claims=tuple(dict.fromkeys(reading.claims)))
        name = (reading.collection, reading.document)
        claims += len(reading.claims)
        size += len(reading.content)
        if batch and (claims > BATCH_CLAIMS or size > BATCH_BYTES or name in names):
            yield batch
            batch, claims, size, names = [], len(reading.claims), len(reading.content), set()
        batch.append(reading)
        names.add(name)
    if batch:
        yield batch
