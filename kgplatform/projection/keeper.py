"""Keeping the projection up: opening a data directory for writing, one event after another, and publishing.

`Upkeep` is what `writer.Writer` stands on, and what brings a projection up before it is read.
"""

from __future__ import annotations

import shutil
import uuid
from collections.abc import Callable, Iterable
from contextlib import closing
from dataclasses import replace
from itertools import chain
from typing import Self

from filelock import FileLock

from ..data_directory import DataDir
from ..derive.derivation import Rules, boundary, derive
from ..derive.evidence import Evidence
from ..derive.project import RECORDS
from ..errors import DamagedStore, DataDirError, StoreError
from ..ledger import claims as read
from ..ledger import maintenance, people
from ..ledger.base import Ledger
from ..ledger.documents import documents_of, is_empty
from ..ledger.names import follow_names, name_relations
from ..model import Collection
from ..schema import Schema, load_schema
from ..settings.load import Settings
from ..store.base import Delta, GraphStore, ProjectionState
from ..store.opening import open_readable, open_writable
from ..terms import EXPECTED_TYPE, TYPE, entity_key
from ..times import Instant
from ..validate.gate import Gate, Reason
from .consistency import (
    RESTORE,
    has_ledger,
    open_ledger,
    published_states,
    require_followed,
    require_known_originals,
    require_ledger,
)
from .graphs import (
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
from .ground import Slice, whole
from .incremental import Touched, change
from .judging import engine_in_force, gate_of, put_in_force


class Upkeep:
    """Owns a data directory for writing, from `open` to `close`, and keeps its projection what the ledger derives to."""

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
        """Open the data directory, made for its owner alone if it is not there."""
        directory = DataDir(settings.data)
        directory.make()
        if not has_ledger(directory):
            Ledger.create(directory.ledger).close()
        return cls.open(settings)

    @classmethod
    def open(cls, settings: Settings, *, wait: float = 0.0) -> Self:
        """Open for writing and bring the projection up to the ledger and the clock.

        Raises LockedError where another process still writes after `wait` seconds.
        """
        directory = DataDir(settings.data)
        require_ledger(directory)  # before a lock is made where nothing is
        lock = directory.hold(wait=wait)
        try:
            writer = cls(settings, lock, open_ledger(directory), Ledger.open(directory.ledger))
        except BaseException:
            lock.release()
            raise
        try:
            writer._catch_up()
        except BaseException:
            writer._give_free()
            raise
        return writer

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Publish what was written and give the directory free."""
        try:
            self.publish()
        finally:
            self._give_free()

    def _give_free(self) -> None:
        try:
            if self._store is not None:
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

    @property
    def base(self) -> str:
        """The base IRI that is in force."""
        return self.ledger.meta("base_iri") or self.settings.base_iri

    def rules(self, now: Instant) -> Rules:
        if self._gate is None:
            self._gate = gate_of(self.ledger, self.schema)
        return Rules(self.schema, self._gate, people.audiences(self.ledger), now, self.base)

    def _catch_up(self) -> None:
        """Settings into the ledger, then the projection to the ledger's last event and to the present."""
        now = self.settings.clock()
        self._store = self._opened_store()
        state = self._require_followed()
        if engine_in_force(self.ledger) != self.settings.engine and self.settings.are_current:
            put_in_force(self.ledger, self.settings.engine, now)
        if people.release(self.ledger) is None:
            from ..checks.packs import read_packs  # 0.3 s to load, for the first opening alone

            released = read_packs(self.settings.packs).texts
            self._schema = load_schema(*released)
            self._gate = gate_of(self.ledger, self._schema)
            with self.ledger.transaction():
                people.add_release(self.ledger, *released, recorded=now)
                self.ledger.journal("release", now, packs=list(self.settings.packs))
        is_named_anew = name_relations(self.ledger) != self.schema.name_properties
        if is_named_anew:
            with self.ledger.transaction():
                follow_names(self.ledger, self.schema.name_properties)
        base = self.ledger.meta("base_iri")
        if base is None or (base != self.settings.base_iri and self.settings.are_current):
            with self.ledger.transaction():
                self.ledger.set_meta("base_iri", self.settings.base_iri)
                self.ledger.journal("base", now)
        if self.ledger.meta("identity") is None:
            with self.ledger.transaction():
                self.ledger.set_meta("identity", uuid.uuid4().hex)
        self._is_dirty = self.settings.remote is None and state != self._published_state()
        names = {audience_name(a) for a in people.audiences(self.ledger)}
        if (
            is_named_anew
            or state is None
            or state.derive_version != version_of(self.ledger)
            or state.applied_seq != self.ledger.seq
            or projected_audiences(self.store) != names
        ):
            self.rebuild()
        elif not state.now <= now < state.next_boundary:
            self._cross_boundary(state, now)
        changed = people.changed_collections(self.ledger, self.settings.collections)
        if changed and self.settings.are_current:
            self.set_collections(changed)
        if self.settings.remote is not None:
            self.directory.remove_embedded()

    def _opened_store(self) -> GraphStore:
        """The store; where its files are damaged, an empty one in their place, since all that it holds is derived from the ledger beside
        it."""
        try:
            return open_writable(self.directory.store, self.settings.remote)
        except DamagedStore:
            if damage := maintenance.damage(self.ledger):
                raise DataDirError(f"the store and the ledger are damaged: {damage}", where=str(self.settings.data), hint=RESTORE) from None
            shutil.rmtree(self.directory.store)
            return open_writable(self.directory.store, self.settings.remote)

    def _require_followed(self) -> ProjectionState | None:
        """The state of the store, which followed this ledger or none. Raises LostLedger."""
        state = self.store.state()
        is_remote = self.settings.remote is not None
        require_followed(self.directory, self.ledger, [state] if state else [], is_shared=is_remote)
        if state is None and not published_states(self.directory):
            require_known_originals(self.directory, self.ledger)
        return state

    def _published_state(self) -> ProjectionState | None:
        """The state of the newest checkpoint: a process that was killed has not published what it wrote."""
        newest = self.directory.latest_checkpoint()
        try:
            if newest is not None:
                with closing(open_readable(newest)) as published:
                    return published.state()
        except StoreError:  # a damaged one is as good as none
            pass
        return None

    # -- projecting

    def rebuild(self) -> None:
        """Derive the whole projection from the ground."""
        self._load(self.settings.clock())
        self._follow()

    def _load(self, now: Instant) -> dict[Evidence, Reason]:
        """Fill the store with all that the ledger derives to, and return what is refused; the store stands at no event until `_follow`.

        So an open transaction is not committed where it cannot be derived, and a store is never ahead of its ledger.
        """
        ground = whole(self.ledger)
        derived = derive(ground, self.rules(now))
        rows = chain(quads_of(derived.units()), audience_quads(people.audiences(self.ledger)))
        self.store.load(rows, ProjectionState(0, version_of(self.ledger), now, boundary(ground, now)))
        self._is_dirty = True
        return derived.refused

    def _follow(self) -> None:
        """What was loaded stands at the ledger's last event, which is committed."""
        state = self.store.state()
        assert state is not None
        self.store.apply(Delta(), replace(state, applied_seq=self.ledger.seq))

    def _cross_boundary(self, state: ProjectionState, now: Instant) -> None:
        """What begins or ends between the projection's now and the present, which is earlier where a clock was set back."""
        graphs = [name for name in self.store.graph_names() if is_of(RECORDS, name)]
        touched = Touched()
        ends = crossing(self.store, graphs, min(state.now, now), max(state.now, now))
        keys = read.naming_closure(self.ledger, {entity_key(self.base, subject) for subject, _relation in ends})
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
        is_first = is_empty(self._committed)
        touched = Touched()
        with self.ledger.transaction():
            act(touched, now)
            self.ledger.journal(kind, now, **detail)
            if is_first:
                refused = self._load(now)
            else:
                moved = change(Slice.of(self._committed), Slice.of(self.ledger), touched, before=rules, after=rules)
        if is_first:
            self._follow()
            return refused
        self._project(moved.delta, now)
        return moved.refused

    def _present(self) -> Instant:
        """Now, with the projection brought up to it, and to an event whose projection failed."""
        now = self.settings.clock()
        state = self.store.state()
        if state is None or state.applied_seq != self.ledger.seq:
            self.rebuild()
        elif not state.now <= now < state.next_boundary:
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
        if self._is_dirty:
            self.store.checkpoint(self.directory.next_checkpoint())
            self._is_dirty = False
        self.directory.retire_checkpoints(keep=1 if retire else 2)

    def set_collections(self, changed: Iterable[Collection]) -> None:
        """Collections as the settings now say; the facts of their documents are derived anew."""
        changed = list(changed)

        def store(touched: Touched, now: Instant) -> None:
            for collection in changed:
                named = documents_of(self.ledger, collection.name)
                touched.facts |= read.facts_of(self.ledger, list(named))
                touched.documents |= {f"{collection.name}/{name}" for name in named.values()}
                people.set_collection(self.ledger, collection)

        self._commit("collections", store, names=[collection.name for collection in changed])
        self.publish(retire=True)

    def _rewrite(self) -> bool:
        """Ledger and store in new files, without older checkpoints or records of jobs; whether nobody read the ledger's log meanwhile,
        which stays then."""
        self._committed.close()
        is_emptied = self.ledger.rewrite()
        self._committed = Ledger.open(self.directory.ledger)
        self._renew_store()
        self.publish(retire=True)
        self.directory.forget_ended_jobs()
        return is_emptied

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
