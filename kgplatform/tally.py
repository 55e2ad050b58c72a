"""The tally of what somebody brought in, told to them: how many claims were read, and how the gate judges these.

What an ingest did to the ledger would tell more: that a document of this name was there before, which they may not see, or
that a source they may not see gives a type. So each document is judged under the scopes that its collection and its own
words give it, as far as they are its bringer's, and as if it had no other version. To read again gives the same tally.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from .changes import verdicts
from .derive.units import Rules
from .ground import Dated, Slice
from .intake import IngestSummary
from .ledger.base import Ledger
from .ledger.claims import fact_hash
from .ledger.documents import content_hash, find_version
from .model import Audience, Candidate, Collection, Reading, Scopes
from .schema import Schema
from .validate.gate import Gate


class Brought(NamedTuple):
    """One reading, as far as its tally needs it. `scopes` are its collection's and those that it states itself."""

    collection: str
    document: str
    version: tuple[str, str, bool]
    scopes: Scopes
    claims: tuple[Candidate, ...]

    @classmethod
    def of(cls, reading: Reading, collection: Collection) -> Brought:
        version = content_hash(reading.content), reading.extractor, reading.complete
        return cls(reading.collection, reading.document, version, reading.scopes | collection.scopes, tuple(dict.fromkeys(reading.claims)))


@dataclass(frozen=True)
class Tally:
    """claims_read = accepted + quarantined; `reasons` counts the quarantined by code."""

    documents_read: int
    claims_read: int
    accepted: int
    quarantined: int
    reasons: dict[str, int]


def tally(ledger: Ledger, schema: Schema, read: Sequence[Brought], audience: Audience, done: IngestSummary) -> Tally:
    """What the bringer, who sees what `audience` sees, is told of readings that were appended. One erased meanwhile is left out."""
    if done.documents_new == len(read) and all(one.scopes <= audience for one in read):  # nothing stood beside what was read
        return Tally(len(read), done.claims_read, done.accepted, done.quarantined, done.reasons)
    now = Slice.of(ledger)
    rules = Rules(schema, Gate(schema), (), "", "")  # of these, judging asks the gate alone
    counts = [Counter(_codes(now, version, one, rules, audience)) for one in read if (version := _version(ledger, one)) is not None]
    codes = sum(counts, Counter[str]())
    accepted = codes.pop("", 0)
    return Tally(len(counts), accepted + codes.total(), accepted, codes.total(), dict(sorted(codes.items())))


def _version(ledger: Ledger, one: Brought) -> int | None:
    return find_version(ledger, one.collection, one.document, *one.version)


def _codes(now: Slice, version: int, one: Brought, rules: Rules, audience: Audience) -> Iterator[str]:
    """The code of each claim that is quarantined or discarded, '' for one that is accepted."""
    name = f"{one.collection}/{one.document}"
    known = next(dated.history for dated in now.versions.values() if dated.history.document == name)
    others = {each: dated for each, dated in now.versions.items() if dated.history.document != name}
    alone = replace(known, scopes=one.scopes & audience, observations=known.observations[-1:])
    refused = now.refused if known.scopes <= audience else frozenset()
    side = Slice(now.ledger, {**others, version: Dated(alone, {version: (0,)})}, refused)
    found = verdicts(side, {claim.fact for claim in one.claims}, rules)
    for claim in one.claims:
        if (name, fact_hash(claim.fact)) in refused:
            yield "discarded"
        else:
            reason = found.get((name, claim.fact))
            yield reason.code if reason else ""
