"""What somebody is told of what they brought in: how many claims were read, and how the gate judges these.

What an ingest did to the ledger would tell more: that a document of this name was there before, which they may not see, or
that a source they may not see gives a type. So each document is judged as if it had no other version, and under those scopes only
that who brings it holds too, of the ones that its collection and its own words give it. To read again gives the same tally.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from ..derive.derivation import Rules
from ..ledger.base import Ledger
from ..ledger.claims import is_refused
from ..ledger.documents import content_hash, find_version
from ..model import Audience, Candidate, Collection, Fact, Reading, Scopes
from ..projection.ground import Dated, Slice
from ..projection.incremental import verdicts
from ..projection.judging import gate_of
from ..schema import Schema
from .account import DISCARDED, DocumentFigures, IngestFigures, Tally


class Brought(NamedTuple):
    """What the tally needs of one reading. `scopes` are its collection's and those that it states itself."""

    collection: str
    document: str
    version: tuple[str, str, bool]
    scopes: Scopes
    claims: tuple[Candidate, ...]
    figures: DocumentFigures

    @classmethod
    def of(cls, reading: Reading, collection: Collection) -> Brought:
        """Equal claims of a reading count once."""
        version = content_hash(reading.content), reading.extractor, reading.complete
        reading = replace(reading, claims=tuple(dict.fromkeys(reading.claims)))
        scopes = reading.scopes | collection.scopes
        return cls(reading.collection, reading.document, version, scopes, reading.claims, DocumentFigures.of(reading))


def tally(ledger: Ledger, schema: Schema, read: Sequence[Brought], audience: Audience, done: IngestFigures) -> Tally:
    """What the bringer, who sees what `audience` sees, is told of readings that were appended. One erased meanwhile is left out."""
    if done.documents_new == len(read) and all(one.scopes <= audience for one in read):  # nothing stood beside what was read
        return Tally(
            documents_read=len(read),
            claims_read=done.claims_read,
            accepted=done.accepted,
            quarantined=done.quarantined,
            reasons=done.reasons,
            documents=tuple(replace(each, state="").summary() for each in done.documents),
        )
    now = Slice.of(ledger)
    rules = Rules(schema, gate_of(ledger, schema), (), "", "")  # of these, judging asks the gate alone
    judged: list[DocumentFigures] = []
    reasons: Counter[str] = Counter()
    for one in read:
        if (version := _version(ledger, one)) is not None:
            codes = list(_codes(now, version, one, rules, audience))
            one.figures.judge("", codes)
            judged.append(one.figures)
            reasons.update(code for _fact, code in codes if code)
    accepted = sum(each.accepted for each in judged)
    return Tally(
        documents_read=len(judged),
        claims_read=accepted + reasons.total(),
        accepted=accepted,
        quarantined=reasons.total(),
        reasons=dict(sorted(reasons.items())),
        documents=tuple(each.summary() for each in judged),
    )


def _version(ledger: Ledger, one: Brought) -> int | None:
    return find_version(ledger, one.collection, one.document, *one.version)


def _codes(now: Slice, version: int, one: Brought, rules: Rules, audience: Audience) -> Iterator[tuple[Fact, str]]:
    """Each claim's fact with the code by which it is quarantined or discarded, '' for one that is accepted."""
    name = f"{one.collection}/{one.document}"
    known = next(dated.history for dated in now.versions.values() if dated.history.document == name)
    others = {each: dated for each, dated in now.versions.items() if dated.history.document != name}
    alone = replace(known, scopes=one.scopes & audience, observations=known.observations[-1:])
    refused = now.refused if known.scopes <= audience else frozenset()
    side = Slice(now.ledger, {**others, version: Dated(alone, {version: (0,)})}, refused)
    found = verdicts(side, {claim.fact for claim in one.claims}, rules)
    for claim in one.claims:
        if is_refused(refused, name, claim.fact):
            yield claim.fact, DISCARDED
        else:
            reason = found.get((name, claim.fact))
            yield claim.fact, reason.code if reason else ""
