"""Intake: readings by batch, and the figures of an ingest."""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from itertools import chain

from .model import PASSED_OVER, Problem, Reading

BATCH_CLAIMS = 100_000
"""How many claims are committed together: a longer batch is faster, a shorter one loses less when killed."""

BATCH_BYTES = 64 * 1024 * 1024
"""How many bytes of documents, which wait in memory, are committed together."""


@dataclass
class IngestSummary:
    """read = new + unchanged, and new = accepted + quarantined; `reasons` counts the quarantined by code.

    `problems` is what should have been read and was not, `skipped` what was passed over on purpose.
    """

    documents_read: int = 0
    documents_new: int = 0
    claims_read: int = 0
    claims_new: int = 0
    claims_unchanged: int = 0
    accepted: int = 0
    quarantined: int = 0
    reasons: dict[str, int] = field(default_factory=dict)
    seconds: float = 0.0
    problems: list[Problem] = field(default_factory=list)
    skipped: list[Problem] = field(default_factory=list)

    def note(self, problem: Problem) -> None:
        (self.skipped if problem.reason in PASSED_OVER else self.problems).append(problem)

    def as_json(self) -> dict[str, object]:
        return asdict(self)


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


def batches(readings: Iterable[Reading | Problem], summary: IngestSummary) -> Iterator[list[Reading]]:
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
