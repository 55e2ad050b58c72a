"""The only writer: append to the ledger, derive what is affected, project it, publish it."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Self

from ..data_directory import DataDir
from ..derive.evidence import Evidence
from ..errors import UnknownName
from ..ledger import claims as read
from ..ledger import decisions, documents, notices, people, receipts, residue, unpurged
from ..ledger.base import Ledger
from ..ledger.moved_mentions import follow, moved_mentions
from ..ledger.sources import KnownSource
from ..model import Decision, Fact, Principal, Problem, Reading, Reject
from ..projection.consistency import unknown_originals
from ..projection.ground import Slice
from ..projection.incremental import Touched, verdicts
from ..projection.opening import create_projection, open_projection
from ..projection.projection import Projection
from ..schema import Schema
from ..settings.load import Settings
from ..times import Instant
from ..validate.gate import Reason
from .account import DISCARDED, DocumentFigures, IngestFigures
from .batches import batches, no_collection
from .erasure import Erasure, scanned

Waiting = tuple[DocumentFigures, Fact, str]
"""(figures of its document, fact, code) of a claim that is quarantined."""


class Writer:
    """What may be done to a data directory that is open for writing. What it changes in the ledger, its projection follows."""

    def __init__(self, projection: Projection) -> None:
        self.projection = projection

    @classmethod
    def create(cls, settings: Settings) -> Self:
        """Open the data directory, made for its owner alone if it is not there."""
        return cls(create_projection(settings))

    @classmethod
    def open(cls, settings: Settings, *, wait: float = 0.0) -> Self:
        """Open for writing, with a projection that is brought up to the ledger and the clock.

        Raises LockedError where another process still writes after `wait` seconds.
        """
        return cls(open_projection(settings, wait=wait))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Publish what was written and give the directory free."""
        self.projection.close()

    @property
    def settings(self) -> Settings:
        """Those that the directory was opened with."""
        return self.projection.settings

    @property
    def directory(self) -> DataDir:
        """The paths of the data directory."""
        return self.projection.directory

    @property
    def ledger(self) -> Ledger:
        """The ledger, open for writing. Whoever writes in it past the methods here has nothing projected."""
        return self.projection.ledger

    @property
    def schema(self) -> Schema:
        """The ontology that is in force."""
        return self.projection.schema

    # -- documents

    def ingest(self, readings: Iterable[Reading | Problem]) -> IngestFigures:
        """Append what was read, in batches that are committed and projected whole.

        The figures are those at the end: what a later batch freed counts as accepted.
        """
        started = time.monotonic()
        summary = IngestFigures()
        waiting: list[Waiting] = []
        count = 0
        for batch in batches(readings, summary):
            count += 1
            with no_collection():
                waiting += self._ingest_batch(batch, summary)
        if waiting and count > 1:
            self._judge_again(waiting, summary)
        summary.reasons = dict(sorted(summary.reasons.items()))
        summary.seconds = round(time.monotonic() - started, 3)
        return summary

    def _judge_again(self, waiting: list[Waiting], summary: IngestFigures) -> None:
        """Count anew what was quarantined when its batch was read."""
        found = verdicts(
            Slice.of(self.ledger), {fact for _document, fact, _code in waiting}, self.projection.rules(self.projection.present())
        )
        reasons = Counter(summary.reasons)
        for document, fact, code in waiting:
            reason = found.get((document.document, fact))
            reasons[code] -= 1
            if reason is None and (document.document, fact) in found:
                summary.quarantined -= 1
                summary.accepted += 1
                document.release(fact)
            else:
                reasons[reason.code if reason else code] += 1
        summary.reasons = {code: number for code, number in reasons.items() if number}

    def _ingest_batch(self, batch: list[Reading], summary: IngestFigures) -> list[Waiting]:
        """Append a batch; what of it is quarantined."""
        self._relocate(batch)
        figures = {f"{reading.collection}/{reading.document}": DocumentFigures.of(reading) for reading in batch}
        summary.documents += figures.values()
        summary.documents_read += len(batch)
        summary.claims_read += sum(len(reading.claims) for reading in batch)
        unknown = [reading for reading in batch if not documents.is_known(self.ledger, reading)]
        summary.claims_unchanged += sum(len(reading.claims) for reading in batch) - sum(len(reading.claims) for reading in unknown)
        if not unknown:
            return []
        appended: dict[str, documents.Appended] = {}

        def append(touched: Touched, now: Instant) -> None:
            for reading in unknown:
                name = f"{reading.collection}/{reading.document}"
                appended[name] = self._append(name, reading, touched, now)

        quarantined = self.projection.commit("ingest", append, documents=len(batch))
        waiting = self._count(appended, quarantined, figures, summary)
        if any(one.is_tightened for one in appended.values()):
            self.projection.publish(retire=True)
        return waiting

    def _append(self, name: str, reading: Reading, touched: Touched, now: Instant) -> documents.Appended:
        """Append one reading inside the open transaction, and name what that touches: what the document said, and what it says now."""
        known = documents.find(self.ledger, reading.collection, reading.document)
        if known is not None:
            touched.facts |= read.facts_of(self.ledger, [known])
        touched.facts |= {candidate.fact for candidate in reading.claims}
        touched.documents.add(name)
        self.directory.keep_original(reading.content)
        appended = documents.append(self.ledger, reading, now)
        touched.keys |= self._move_decisions(name, appended, now)
        return appended

    def _count(
        self,
        appended: Mapping[str, documents.Appended],
        quarantined: Mapping[Evidence, Reason],
        figures: Mapping[str, DocumentFigures],
        summary: IngestFigures,
    ) -> list[Waiting]:
        """Count what became of each new claim; those that are quarantined."""
        refused = {(item.document, item.fact): reason.code for item, reason in quarantined.items()}
        discarded = decisions.rejected(self.ledger)
        waiting: list[Waiting] = []
        reasons = Counter(summary.reasons)
        for name, one in appended.items():
            summary.documents_new += one.state == "new"
            summary.claims_new += len(one.added)
            summary.claims_unchanged += one.unchanged
            facts = [candidate.fact for candidate in one.added]
            codes = [(fact, DISCARDED if read.is_refused(discarded, name, fact) else refused.get((name, fact), "")) for fact in facts]
            document = figures[name]
            document.judge(one.state, codes)
            waiting += [(document, fact, code) for fact, code in codes if code not in ("", DISCARDED)]
            reasons.update(code for _fact, code in codes if code)
            summary.quarantined += document.quarantined
            summary.accepted += document.accepted
        summary.reasons = dict(reasons)
        return waiting

    def _move_decisions(self, name: str, appended: documents.Appended, now: Instant) -> set[str]:
        """Decisions about mentions of a text whose class is another to its newer reading move with them; the keys that this touches."""
        if appended.reread is None:
            return set()
        before, after = appended.reread
        schema = self.schema

        def is_one(one: str, other: str) -> bool:
            return not one or not other or schema.is_a([one], [other]) or schema.is_a([other], [one])

        return follow(self.ledger, name, before, moved_mentions(self.ledger, before, after, is_one=is_one), recorded=now)

    def _relocate(self, batch: list[Reading]) -> None:
        with self.ledger.transaction():
            for reading in batch:
                documents.relocate(self.ledger, reading)

    def withdraw(self, gone: Sequence[KnownSource]) -> None:
        """Record that these documents' files are gone: as their collections' kinds say, their facts end or are retracted."""

        def record(touched: Touched, now: Instant) -> None:
            self.directory.keep_original(b"")
            for source in gone:
                document, name = self.find_document(source.name)
                touched.facts |= read.facts_of(self.ledger, [document])
                touched.documents.add(name)
                documents.withdraw(self.ledger, document, now)

        if gone:
            self.projection.commit("withdraw", record, documents=len(gone))

    def keep_skipped(self, roots: Iterable[Path], problems: Iterable[Problem]) -> None:
        """Remember which files below these folders the last ingest did not read; those of uploads are nobody's."""
        named = [root.absolute() for root in roots if not root.absolute().is_relative_to(self.directory.jobs.absolute())]
        if named:
            with self.ledger.transaction():
                notices.keep_skipped(self.ledger, named, problems)

    def find_document(self, name: str) -> tuple[int, str]:
        """(id, full name) by `collection/id`, or by id alone where only one document has it."""
        found = documents.documents_named(self.ledger, name)
        if not found:
            raise UnknownName(f"no document {name}", hint="documents are named collection/id, as citations show them")
        named = {id_: full for id_, full in found.items() if full == name} or found
        if len(named) > 1:
            raise UnknownName(f"{name} is the name of {len(named)} documents", hint=f"say which: {', '.join(named.values())}")
        return next(iter(named.items()))

    def erase(self, name: str) -> Erasure:
        """Forget a document: no answer speaks of it any more. Its bytes go with `purge`."""
        document, full = self.find_document(name)
        strings = residue.strings_of(self.ledger, document)
        orphans: set[str] = set()

        def forget(touched: Touched, now: Instant) -> None:
            touched.facts |= read.facts_of(self.ledger, [document])
            touched.documents.add(full)
            receipts.keep(self.ledger, full, documents.scopes(self.ledger, document), now)
            orphans.update(documents.erase(self.ledger, document))
            unpurged.keep(self.ledger, full, strings, frozenset(orphans), now)
            self.ledger.set_meta("unpurged", "yes")

        self.projection.commit("erase", forget)
        self.directory.remove_originals(orphans)
        self.projection.publish(retire=True)
        return Erasure.of(full, strings)

    def purge(self, erased: Erasure) -> Erasure:
        """An erasure once `complete` has made what was erased unreadable."""
        return next((done for done in reversed(self.complete()) if done.receipt.document == erased.receipt.document), erased)

    def complete(self) -> tuple[Erasure, ...]:
        """Make what was erased unreadable, and look: a new store, a vacuumed ledger, no older checkpoint or job, every byte scanned.

        Returned are all erasures that were not completed, by processes that were killed too. Originals that no
        document names go: they are theirs, or of an ingest that was killed.
        """
        waiting = unpurged.pending(self.ledger)
        self.directory.remove_originals(unknown_originals(self.directory, self.ledger))
        is_whole = self.projection.rewrite()
        searched = tuple(self._searched(each) for each in waiting)
        with self.ledger.transaction():
            for each, done in zip(waiting, searched, strict=True):
                if is_whole and not done.receipt.found:
                    unpurged.forget(self.ledger, each.id)
            if is_whole and not unpurged.pending(self.ledger):
                self.ledger.set_meta("unpurged", "")
        self.ledger.empty_log()
        return searched

    def _searched(self, erased: unpurged.Pending) -> Erasure:
        strings = erased.strings - residue.still_said(self.ledger, erased.strings)
        beyond = self.settings.remote.query_url or self.settings.remote.kind if self.settings.remote else ""
        return scanned(erased.document, strings, self.directory.path, out_of_reach=beyond)

    # -- decisions and settings

    def decide(self, decision: Decision, *, by: str, reason: str = "") -> int:
        """Record a decision about two mention keys, or about what a document says; its id."""
        made: list[int] = []

        def record(touched: Touched, now: Instant) -> None:
            made.append(decisions.add(self.ledger, decision, by=by, recorded=now, reason=reason))
            self._name_touched(decision, touched)

        self.projection.commit("decide", record, decision=decisions.KINDS[type(decision)], by=by)
        return made[0]

    def undo(self, decision: int, *, by: str = "") -> Decision:
        """End a decision that is in force. Raises UnknownName."""
        found = next((row.decision for row in decisions.in_force(self.ledger) if row.id == decision), None)
        if found is None:
            raise UnknownName(f"no decision {decision} is in force", hint="name the number that `merge` or `quarantine discard` printed")

        def end(touched: Touched, now: Instant) -> None:
            decisions.end(self.ledger, decision, by=by, recorded=now)
            self._name_touched(found, touched)

        self.projection.commit("undo", end, decision=decision, by=by)
        return found

    def _name_touched(self, decision: Decision, touched: Touched) -> None:
        """What a decision touches: the two keys, or the one fact of a document that a steward does not want."""
        if isinstance(decision, Reject):
            said = read.facts_of(self.ledger, [self.find_document(decision.document)[0]])
            touched.facts |= {fact for fact in said if decision.fact_hash in (read.EVERY, read.fact_hash(fact))}
        else:
            touched.keys |= {decision.a, decision.b}

    def release(self, ontology: str, shapes: str) -> None:
        """A new ontology: everything is judged and derived again."""
        self.projection.release(ontology, shapes)

    def add_principal(self, who: Principal) -> None:
        """Record a principal; a new audience is derived before this returns."""
        now = self.projection.present()
        with self.ledger.transaction():
            people.add_principal(self.ledger, who, recorded=self.settings.clock())
            self.ledger.journal("principal", self.settings.clock(), name=who.name)
        self.projection.follow_audiences(now)

    def remove_principal(self, name: str) -> None:
        """Remove a principal, its tokens and its password. Raises UnknownName."""
        now = self.projection.present()
        with self.ledger.transaction():
            people.remove_principal(self.ledger, name)
            self.ledger.journal("principal", self.settings.clock(), name=name, removed=True)
        self.projection.follow_audiences(now)

    def create_token(self, principal: str, *, note: str = "") -> str:
        """A new token of the principal; only its hash is stored. Raises UnknownName."""
        with self.ledger.transaction():
            return people.create_token(self.ledger, principal, note=note, recorded=self.settings.clock())

    def revoke_token(self, token: str) -> None:
        """Revoke a token, by itself or by its id. Raises UnknownName."""
        with self.ledger.transaction():
            people.revoke_token(self.ledger, token)

    def set_password(self, principal: str, hashed: str) -> None:
        """Store the hash of the principal's password. Raises UnknownName."""
        with self.ledger.transaction():
            people.set_password(self.ledger, principal, hashed, recorded=self.settings.clock())

    def remove_password(self, principal: str) -> None:
        """Take the principal's password away. Raises UnknownName where there is none."""
        with self.ledger.transaction():
            people.remove_password(self.ledger, principal)
