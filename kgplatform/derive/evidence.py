"""Evidence: the runs of one fact over the versions of one document (docs/derivation.md)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from ..model import Fact, Scopes
from ..times import Instant


class Observation(NamedTuple):
    """One reading of a document that still counts: its date, whether it was whole, and who read it.

    `readers` are all extractors that read this content whole.
    """

    date: Instant
    complete: bool = True
    extractor: str = ""
    readers: frozenset[str] = frozenset()


@dataclass(frozen=True)
class History:
    """A document as the derivation sees it. `trust` is the level's rank (0 is extracted)."""

    document: str
    is_snapshot: bool
    scopes: Scopes
    trust: int
    observations: tuple[Observation, ...]
    title: str = ""


class Evidence(NamedTuple):
    """One uninterrupted run of a fact in a document.

    `seen` are its observation dates and `claims` the claim ids read at each.
    `before` and `after` are the dates of the versions around the run that do not say it, '' if none.
    """

    fact: Fact
    document: str
    scopes: Scopes
    trust: int
    seen: tuple[Instant, ...]
    claims: tuple[tuple[str, ...], ...]
    before: Instant
    after: Instant
    is_snapshot: bool


Sightings = Mapping[Fact, Mapping[int, tuple[str, ...]]]
"""Fact -> index of the observation -> ids of the claims that say it there."""


def evidence(history: History, sightings: Sightings) -> list[Evidence]:
    """The runs of every fact of a document, in no particular order."""
    runs: list[Evidence] = []
    undated_facts: dict[int, set[tuple[object, ...]]] | None = None
    for fact, sighted in sightings.items():
        for first, indexes, end in _runs(history.observations, sighted):
            before = after = ""
            if not history.is_snapshot:
                if end is not None:
                    continue
                indexes = _corrected(history.observations, indexes)
            else:
                before = _absent_before(history.observations, first)
                if end is not None:
                    after = history.observations[end].date
                    if fact.start or fact.end:
                        undated_facts = _undated_by_observation(sightings) if undated_facts is None else undated_facts
                        if _undated(fact) in undated_facts.get(end, ()):
                            continue
            runs.append(
                Evidence(
                    fact,
                    history.document,
                    history.scopes,
                    history.trust,
                    tuple(history.observations[i].date for i in indexes),
                    tuple(sighted[i] for i in indexes),
                    before,
                    after,
                    history.is_snapshot,
                )
            )
    return runs


def _runs(observations: tuple[Observation, ...], sighted: Mapping[int, object]) -> Iterable[tuple[int, list[int], int | None]]:
    """(first index, indexes that say it, index of the observation that ends it)."""
    current: list[int] = []
    for index in range(len(observations)):
        if index in sighted:
            current.append(index)
        elif current and _can_end(observations, index):
            yield current[0], current, index
            current = []
    if current:
        yield current[0], current, None


def _can_end(observations: tuple[Observation, ...], index: int) -> bool:
    """A version not read whole, or that its predecessor's extractor has not read, ends nothing."""
    here, before = observations[index], observations[index - 1]
    return here.complete and (here.extractor == before.extractor or before.extractor in here.readers)


def _corrected(observations: tuple[Observation, ...], indexes: list[int]) -> list[int]:
    """The observations of a statement by date, without those dated after the last observation, which corrects them."""
    kept = [index for index in indexes if observations[index].date <= observations[-1].date]
    return sorted(kept or indexes, key=lambda index: observations[index].date)


def _absent_before(observations: tuple[Observation, ...], first: int) -> Instant:
    """The last earlier date on which the same extractor read the whole document and did not find the fact."""
    for index in range(first - 1, -1, -1):
        if observations[index].extractor != observations[first].extractor:
            return ""
        if observations[index].complete:
            return observations[index].date
    return ""


def _undated(fact: Fact) -> tuple[object, ...]:
    return fact[:3] + fact[5:]


def _undated_by_observation(sightings: Sightings) -> dict[int, set[tuple[object, ...]]]:
    out: dict[int, set[tuple[object, ...]]] = defaultdict(set)
    for fact, sighted in sightings.items():
        for index in sighted:
            out[index].add(_undated(fact))
    return out
