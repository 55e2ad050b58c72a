"""The only writer: append to the ledger, derive what is affected, project it, publish it."""

from __future__ import annotations

import gc
import shutil
import time
import uuid
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from itertools import chain
from typing import Self

from filelock import FileLock, Timeout

from . import packs
from .changes import Touched, change
from .config import Settings
from .derive.evidence import Evidence
from .derive.project import RECORDS
from .derive.units import Ground, Rules, boundary, derive
from .erasure import Receipt, scanned
from .errors import DataDirError, LockedError, UnknownName
from .files import DataDir
from .ground import Slice, whole
from .ledger import claims as read
from .ledger import decisions, documents, people, remains
from .ledger.base import Ledger
from .model import Collection, Decision, Principal, Problem, Reading
from .projection import (
    audience_name,
    audience_quads,
    crossing,
    is_of,
    next_boundary,
    projected_audiences,
    quads_of,
    soonest_boundary,
    version_of,
)
from .schema import Schema, load_schema
from .store.base import Delta, GraphStore, ProjectionState
from .store.opening import open_writable
from .terms import EXPECTED_TYPE, TYPE, entity_key
from .times import Instant
from .validate.gate import Gate, Reason

BATCH_CLAIMS = 100_000
"""How many claims are committed together: a longer batch is faster, a shorter one loses less when killed."""


@dataclass
class IngestSummary:
    """read = new + unchanged, and new = accepted + quarantined; `reasons` counts the quarantined by code."""

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

    def as_json(self) -> dict[str, object]:
        return asdict(self)


class Writer:
    """Owns a data directory for writing, from `open` to `close`."""

    def __init__(self, settings: Settings, lock: FileLock, ledger: Ledger, committed: Ledger) -> None:
        self.settings = settings
        self.directory = DataDir(settings.data)
        self._lock = lock
        self.ledger = ledger
        self._committed = committed
        self._store: GraphStore | None = None
        self._schema: Schema | None = None
        self._gate: Gate | None = None
        self._is_dirty = False

    # -- opening and closing

    @classmethod
    def create(cls, settings: Settings) -> Self:
        """Open the data directory, made if it is not there."""
        settings.data.mkdir(parents=True, exist_ok=True)
        Ledger.create(DataDir(settings.data).ledger).close()
        return cls.open(settings)

    @classmethod
    def open(cls, settings: Settings) -> Self:
        """Open for writing and bring the projection up to the ledger and the clock. Raises LockedError."""
        directory = DataDir(settings.data)
        if not directory.ledger.exists():
            raise DataDirError("there is no knowledge graph here", where=str(settings.data), hint="run `kgplatform init` first")
        lock = FileLock(directory.lock)
        try:
            lock.acquire(timeout=0)
        except Timeout as error:
            raise LockedError("another process is writing here", where=str(settings.data), hint="wait for it to end, or read") from error
        try:
            writer = cls(settings, lock, Ledger.open(directory.ledger), Ledger.open(directory.ledger))
            writer._catch_up()
        except BaseException:
            lock.release()
            raise
        return writer

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Publish what was written and give the directory free."""
        try:
            if self._store is not None:
                self.publish()
                self._store.close()
        finally:
            self.ledger.close()
            self._committed.close()
            self._lock.release()

    @property
    def store(self) -> GraphStore:
        assert self._store is not None
        return self._store

    @property
    def schema(self) -> Schema:
        if self._schema is None:
            released = people.release(self.ledger)
            assert released is not None
            self._schema = load_schema(*released)
        return self._schema

    def rules(self, now: Instant) -> Rules:
        if self._gate is None:
            self._gate = Gate(self.schema)
        return Rules(self.schema, self._gate, people.audiences(self.ledger), now, self.settings.base_iri)

    def _catch_up(self) -> None:
        """Settings into the ledger, then the projection to the ledger's last event and to the present."""
        now = self.settings.clock()
        self.directory.remove_orphans({str(row[0]) for row in self.ledger.rows("SELECT DISTINCT hash FROM version")})
        if people.release(self.ledger) is None:
            released = packs.ontology_text(self.settings.packs), packs.shapes_text(self.settings.packs)
            self._schema = load_schema(*released)
            self._gate = Gate(self._schema)
            with self.ledger.transaction():
                people.add_release(self.ledger, *released, recorded=now)
                self.ledger.journal("release", now, packs=list(self.settings.packs))
        if self.ledger.meta("base_iri") != self.settings.base_iri:
            with self.ledger.transaction():
                self.ledger.set_meta("base_iri", self.settings.base_iri)
                self.ledger.journal("base", now)
        if self.ledger.meta("identity") is None:
            with self.ledger.transaction():
                self.ledger.set_meta("identity", uuid.uuid4().hex)
        self._store = open_writable(self.directory.store, self.settings.remote)
        self._is_dirty = self.directory.latest_checkpoint() is None
        state = self.store.state()
        names = {audience_name(a) for a in people.audiences(self.ledger)}
        if (
            state is None
            or state.derive_version != version_of(self.ledger)
            or state.applied_seq != self.ledger.seq
            or state.now > now
            or projected_audiences(self.store) != names
        ):
            self.rebuild()
        elif now >= state.next_boundary:
            self._cross_boundary(state, now)
        changed = people.changed_collections(self.ledger, self.settings.collections)
        if changed:
            self.set_collections(changed)
        if self.ledger.meta("unpurged"):
            self._rewrite()
        if self.settings.remote is not None:
            self.directory.remove_embedded()

    # -- projecting

    def rebuild(self) -> None:
        """Derive the whole projection from the ground."""
        self._load(whole(self.ledger), self.settings.clock())

    def _load(self, ground: Ground, now: Instant) -> dict[Evidence, Reason]:
        derived = derive(ground, self.rules(now))
        rows = chain(quads_of(derived.units()), audience_quads(people.audiences(self.ledger)))
        self.store.load(rows, ProjectionState(self.ledger.seq, version_of(self.ledger), now, boundary(ground, now)))
        self._is_dirty = True
        return derived.refused

    def _cross_boundary(self, state: ProjectionState, now: Instant) -> None:
        """What begins or ends between the projection's now and the present."""
        graphs = [name for name in self.store.graph_names() if is_of(RECORDS, name)]
        touched = Touched()
        ends = crossing(self.store, graphs, state.now, now)
        keys = read.naming_closure(self.ledger, {entity_key(self.settings.base_iri, subject) for subject, _relation in ends})
        relations = {relation for _subject, relation in ends}
        if TYPE in relations:
            relations.add(EXPECTED_TYPE)
        turned = {r for relation in relations for r in self.schema.turned.get(relation, frozenset())} | {
            r for r in relations if r in self.schema.relations and self.schema.relations[r].symmetric
        }
        touched.facts = {row.fact for row in read.claims_about(self.ledger, keys, relations=relations | turned, turned=turned)}
        side = Slice.of(self.ledger)
        moved = change(side, side, touched, before=self.rules(state.now), after=self.rules(now))
        soonest = soonest_boundary(self.store, graphs, now)
        self.store.apply(moved.delta, ProjectionState(self.ledger.seq, version_of(self.ledger), now, soonest))
        self._is_dirty = True

    def _commit(self, kind: str, act: Callable[[Touched, Instant], None], **detail: object) -> dict[Evidence, Reason]:
        """One event: `act` changes the ledger inside a transaction and names what it touches; then it is projected.

        Returned is the evidence of the derived cells that is quarantined, and why.
       """
        now = self._present()
        rules = self.rules(now)
        is_first = self._committed.row("SELECT 1 FROM document LIMIT 1") is None
        touched = Touched()
        with self.ledger.transaction():
            act(touched, now)
            self.ledger.journal(kind, now, **detail)
            if not is_first:
                moved = change(Slice.of(self._committed), Slice.of(self.ledger), touched, before=rules, after=rules)
        if is_first:
            return self._load(whole(self.ledger), now)
        self._project(moved.delta, now)
        return moved.refused

    def _present(self) -> Instant:
        """Now, with the projection brought up to it, and to an event whose projection failed."""
        now = self.settings.clock()
        state = self.store.state()
        if state is None or state.now > now or state.applied_seq != self.ledger.seq:
            self.rebuild()
        elif now >= state.next_boundary:
            self._cross_boundary(state, now)
        return now

    def _project(self, delta: Delta, now: Instant) -> None:
        state = self.store.state()
        soonest = next_boundary(delta.added, now, at_most=state.next_boundary if state else now)
        self.store.apply(delta, ProjectionState(self.ledger.seq, version_of(self.ledger), now, soonest))
        self._is_dirty = True

    def publish(self, *, retire: bool = False) -> None:
        """Write a checkpoint for readers; with `retire` the older ones are gone when this returns. A remote store has none."""
        if self.settings.remote is not None:
            return
        if self._is_dirty or self.directory.latest_checkpoint() is None:
            self.store.checkpoint(self.directory.next_checkpoint())
            self._is_dirty = False
        self.directory.retire_checkpoints(keep=1 if retire else 2)

    # -- documents

    def ingest(
        self, readings: Iterable[Reading | Problem], *, progress: Callable[[Reading | Problem], None] | None = None
    ) -> IngestSummary:
        """Append what was read, in batches that are committed and projected whole."""
        started = time.monotonic()
        summary = IngestSummary()
        for batch in _batches(readings, summary.problems, progress):
            with _no_collection():
                self._ingest_batch(batch, summary)
        summary.reasons = dict(sorted(summary.reasons.items()))
        summary.seconds = round(time.monotonic() - started, 3)
        return summary

    def _ingest_batch(self, batch: list[Reading], summary: IngestSummary) -> None:
        appended: list[tuple[str, documents.Appended]] = []

        def append(touched: Touched, now: Instant) -> None:
            for reading in batch:
                if documents.is_known(self.ledger, reading):
                    summary.claims_unchanged += len(reading.claims)
                    continue
                known = documents.find(self.ledger, reading.collection, reading.document)
                if known is not None:
                    touched.facts |= read.facts_of(self.ledger, [known])
                touched.facts |= {candidate.fact for candidate in reading.claims}
                name = f"{reading.collection}/{reading.document}"
                touched.documents.add(name)
                self.directory.keep_original(reading.content)
                appended.append((name, documents.append(self.ledger, reading, now)))

        summary.documents_read += len(batch)
        summary.claims_read += sum(len(reading.claims) for reading in batch)
        if all(documents.is_known(self.ledger, reading) for reading in batch):
            summary.claims_unchanged += sum(len(reading.claims) for reading in batch)
            return
        quarantined = self._commit("ingest", append, documents=len(batch))
        refused = {(item.document, item.fact): reason.code for item, reason in quarantined.items()}
        discarded = read.refusals(self.ledger)
        reasons = Counter(summary.reasons)
        for name, one in appended:
            summary.documents_new += one.is_new
            summary.claims_new += len(one.added)
            summary.claims_unchanged += one.unchanged
            codes = [code for candidate in one.added if (code := refused.get((name, candidate.fact)))]
            if discarded:
                codes += ["discarded" for candidate in one.added if (name, read.fact_hash(candidate.fact)) in discarded]
            reasons.update(codes)
            summary.quarantined += len(codes)
            summary.accepted += len(one.added) - len(codes)
        summary.reasons = dict(reasons)
        if any(one.is_tightened for _name, one in appended):
            self.publish(retire=True)

    def find_document(self, name: str) -> tuple[int, str]:
        """(id, full name) by `collection/id`, or by id alone where only one document has it."""
        rows = list(self.ledger.rows("SELECT id, collection, name FROM document WHERE ? IN (collection || '/' || name, name)", name))
        if not rows:
            raise UnknownName(f"no document {name}", hint="documents are named collection/id, as citations show them")
        rows = [row for row in rows if f"{row[1]}/{row[2]}" == name] or rows
        if len(rows) > 1:
            raise UnknownName(f"{name} is the name of {len(rows)} documents", hint="say which: " + ", ".join(f"{r[1]}/{r[2]}" for r in rows))
        return rows[0][0], f"{rows[0][1]}/{rows[0][2]}"

    def erase(self, name: str) -> Receipt:
        """Forget a document: no answer speaks of it any more. Its bytes go with `purge`."""
        document, full = self.find_document(name)
        strings = remains.strings_of(self.ledger, document)
        orphans: set[str] = set()

        def forget(touched: Touched, now: Instant) -> None:
            touched.facts |= read.facts_of(self.ledger, [document])
            touched.documents.add(full)
            orphans.update(documents.erase(self.ledger, document))
            self.ledger.set_meta("unpurged", "yes")

        self._commit("erase", forget)
        self.directory.remove_originals(orphans)
        self.publish(retire=True)
        return Receipt(full, strings=strings)

    def purge(self, receipt: Receipt) -> Receipt:
        """Make what was erased unreadable, and look: a new store, a vacuumed ledger, no older checkpoint, every byte scanned."""
        self._rewrite()
        gone = frozenset(text for text in receipt.strings if not remains.still_said(self.ledger, text))
        beyond = self.settings.remote.query_url if self.settings.remote else ""
        return scanned(replace(receipt, strings=gone, out_of_reach=beyond), self.directory.path, remains.spellings(gone))

    def _rewrite(self) -> None:
        """Ledger and store in new files, without older checkpoints; opening does it where an erasing process was killed before."""
        self._committed.close()
        self.ledger.run("VACUUM")
        self.ledger.row("PRAGMA wal_checkpoint(TRUNCATE)")
        self._committed = Ledger.open(self.directory.ledger)
        self._renew_store()
        self.publish(retire=True)
        with self.ledger.transaction():
            self.ledger.set_meta("unpurged", "")

    def _renew_store(self) -> None:
        """The same projection in new files; a remote store is filled anew, in files that are its server's own affair."""
        if self.settings.remote is not None:
            self.rebuild()
            return
        self.store.close()
        fresh = self.directory.path / "store.new"
        shutil.rmtree(fresh, ignore_errors=True)
        self._store = open_writable(fresh, None)
        self.rebuild()
        self._store.close()
        shutil.rmtree(self.directory.store)
        fresh.rename(self.directory.store)
        self._store = open_writable(self.directory.store, None)

    # -- decisions and settings

    def decide(self, decision: Decision, *, by: str) -> int:
        """Record a decision about two mention keys; its id."""
        made: list[int] = []

        def record(touched: Touched, now: Instant) -> None:
            made.append(decisions.add(self.ledger, decision, by=by, recorded=now))
            self._name_touched(decision, touched)

        self._commit("decide", record, decision=decision.kind)
        return made[0]

    def undo(self, decision: int) -> Decision:
        """End a decision that is in force. Raises UnknownName."""
        found = next((row.decision for row in decisions.in_force(self.ledger) if row.id == decision), None)
        if found is None:
            raise UnknownName(f"no decision {decision} is in force", hint="name the number that `merge` or `quarantine discard` printed")

        def end(touched: Touched, now: Instant) -> None:
            decisions.end(self.ledger, decision, recorded=now)
            self._name_touched(found, touched)

        self._commit("undo", end, decision=decision)
        return found

    def _name_touched(self, decision: Decision, touched: Touched) -> None:
        """What a decision touches: the two keys, or the one fact of a document that a steward does not want."""
        if decision.kind == "refuse":
            said = read.facts_of(self.ledger, [self.find_document(decision.a)[0]])
            touched.facts |= {fact for fact in said if read.fact_hash(fact) == decision.b}
        else:
            touched.keys |= {decision.a, decision.b}

    def set_collections(self, changed: Iterable[Collection]) -> None:
        """Collections as the settings now say; the facts of their documents are derived anew."""
        changed = list(changed)

        def store(touched: Touched, now: Instant) -> None:
            for collection in changed:
                rows = list(self.ledger.rows("SELECT id, name FROM document WHERE collection = ?", collection.name))
                touched.facts |= read.facts_of(self.ledger, [row[0] for row in rows])
                touched.documents |= {f"{collection.name}/{row[1]}" for row in rows}
                people.set_collection(self.ledger, collection)

        self._commit("collections", store, names=[collection.name for collection in changed])
        self.publish(retire=True)

    def release(self, ontology: str, shapes: str) -> None:
        """A new ontology: everything is judged and derived again."""
        before = self._schema, self._gate
        schema = load_schema(ontology, shapes)
        self._schema, self._gate = schema, Gate(schema)
        try:
            with self.ledger.transaction():
                people.add_release(self.ledger, ontology, shapes, recorded=self.settings.clock())
                self.ledger.journal("release", self.settings.clock())
                self.rebuild()
        except BaseException:
            self._schema, self._gate = before
            raise

    def add_principal(self, who: Principal) -> None:
        """Record a principal; a new audience is derived before this returns."""
        now = self._present()
        with self.ledger.transaction():
            people.add_principal(self.ledger, who, recorded=self.settings.clock())
            self.ledger.journal("principal", self.settings.clock(), name=who.name)
        self._after_principals(now)

    def remove_principal(self, name: str) -> None:
        now = self._present()
        with self.ledger.transaction():
            people.remove_principal(self.ledger, name)
            self.ledger.journal("principal", self.settings.clock(), name=name, removed=True)
        self._after_principals(now)

    def _after_principals(self, now: Instant) -> None:
        if projected_audiences(self.store) != {audience_name(a) for a in people.audiences(self.ledger)}:
            self.rebuild()
        else:
            self._project(Delta(), now)
        self.publish(retire=True)

    def create_token(self, principal: str, *, note: str = "") -> str:
        with self.ledger.transaction():
            return people.create_token(self.ledger, principal, note=note, recorded=self.settings.clock())

    def revoke_token(self, token: str) -> None:
        with self.ledger.transaction():
            people.revoke_token(self.ledger, token)




@contextmanager
def _no_collection() -> Iterator[None]:
    """Keep the cycle collector off: a batch makes millions of small tuples and no cycles (a quarter of the time, measured)."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _batches(
    readings: Iterable[Reading | Problem], problems: list[Problem], progress: Callable[[Reading | Problem], None] | None
) -> Iterator[list[Reading]]:
    """Readings by batch, equal claims of one reading once; no document twice in a batch. Problems go to the list."""
    batch: list[Reading] = []
    claims = 0
    names: set[tuple[str, str]] = set()
    for reading in readings:
        if progress:
            progress(reading)
        if isinstance(reading, Problem):
            problems.append(reading)
            continue
        problems.extend(reading.problems)
        reading = replace(reading, claims=tuple(dict.fromkeys(reading.claims)))
        name = (reading.collection, reading.document)
        if batch and (claims + len(reading.claims) > BATCH_CLAIMS or name in names):
            yield batch
            batch, claims, names = [], 0, set()
        batch.append(reading)
        names.add(name)
        claims += len(reading.claims)
    if batch:
        yield batch
