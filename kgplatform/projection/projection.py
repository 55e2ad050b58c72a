"""A projection that is kept up: one event of the ledger after another, the boundaries of time, and checkpoints for readers."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import chain
from typing import Self

from filelock import FileLock

from ..data_directory import DataDir
from ..derive.derivation import Rules, boundary, derive
from ..derive.evidence import Evidence
from ..derive.project import RECORDS
from ..ledger import claims as read
from ..ledger import people
from ..ledger.base import Ledger
from ..ledger.documents import documents_of, is_empty
from ..ledger.names import follow_names
from ..model import Collection
from ..schema import Schema, load_schema
from ..settings.load import Settings
from ..store.base import Delta, GraphStore, ProjectionState
from ..store.opening import open_writable
from ..terms import EXPECTED_TYPE, TYPE, entity_key
from ..times import Instant
from ..validate.gate import Gate, Reason
from .graphs import audience_quads, crossing, is_made_for, is_of, next_boundary, quads_of, soonest_boundary, version_of
from .ground import Slice, whole
from .incremental import Touched, change
from .judging import gate_of


class Projection:
    """What the ledger of a data directory derives to, in its store; made by `opening.open_projection`, which owns the directory until `close`."""

    def __init__(
        self, settings: Settings, *, lock: FileLock, ledger: Ledger, committed: Ledger, store: GraphStore, is_published: bool
    ) -> None:
        self.settings = settings
        self.directory = DataDir(settings.data)
        self.ledger = ledger
        self.store = store
        self._lock = lock
        self._committed = committed
        """The ledger as it was committed last, beside the open transaction of `ledger`."""
        self._schema: Schema | None = None
        self._gate: Gate | None = None
        self._is_dirty = not is_published

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Publish what was written and give the directory free."""
        try:
            self.publish()
        finally:
            try:
                self.store.close()
            finally:
                self.ledger.close()
                self._committed.close()
                self._lock.release()

    # -- by which rules

    @property
    def schema(self) -> Schema:
        """The ontology that is in force."""
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
        """What the ground is derived by at that instant."""
        if self._gate is None:
            self._gate = gate_of(self.ledger, self.schema)
        return Rules(self.schema, self._gate, people.audiences(self.ledger), now, self.base)

    def adopt(self, schema: Schema) -> None:
        """Judge and derive by this ontology from now on; what is projected already stays until `rebuild`."""
        self._schema, self._gate = schema, gate_of(self.ledger, schema)

    # -- keeping up

    def commit(self, kind: str, act: Callable[[Touched, Instant], None], **detail: object) -> dict[Evidence, Reason]:
        """One event: `act` changes the ledger inside a transaction and names what it touches; then it is projected.

        Returned is the evidence of the derived cells that is quarantined, and why.
        """
        now = self.present()
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
        self._apply(moved.delta, now)
        return moved.refused

    def release(self, ontology: str, shapes: str) -> None:
        """A new ontology: everything is judged and derived again."""
        before = self._schema, self._gate
        self.adopt(load_schema(ontology, shapes))
        try:
            with self.ledger.transaction():
                people.add_release(self.ledger, ontology, shapes, recorded=self.settings.clock())
                follow_names(self.ledger, self.schema.name_properties)
                self.ledger.journal("release", self.settings.clock())
                self._load(self.settings.clock())
            self._follow()
        except BaseException:
            self._schema, self._gate = before
            raise

    def set_collections(self, changed: Iterable[Collection]) -> None:
        """Collections as the settings now say; the facts of their documents are derived anew."""
        changed = list(changed)

        def store(touched: Touched, now: Instant) -> None:
            for collection in changed:
                named = documents_of(self.ledger, collection.name)
                touched.facts |= read.facts_of(self.ledger, list(named))
                touched.documents |= {f"{collection.name}/{name}" for name in named.values()}
                people.set_collection(self.ledger, collection)

        self.commit("collections", store, names=[collection.name for collection in changed])
        self.publish(retire=True)

    def follow_audiences(self, now: Instant) -> None:
        """Derive for the audiences that the ledger has by now, where they are others than before, and publish that alone."""
        if is_made_for(self.store, people.audiences(self.ledger)):
            self._apply(Delta(), now)
        else:
            self.rebuild()
        self.publish(retire=True)

    def present(self) -> Instant:
        """Now, with the projection brought up to it, and to an event whose projection failed."""
        now = self.settings.clock()
        state = self.store.state()
        if state is None or state.applied_seq != self.ledger.seq:
            self.rebuild()
        elif not state.now <= now < state.next_boundary:
            self._cross_boundary(state, now)
        return now

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

    def _apply(self, delta: Delta, now: Instant) -> None:
        """What the ledger's last event changes."""
        state = self.store.state()
        soonest = next_boundary(delta.added, now, at_most=state.next_boundary if state else now)
        self.store.apply(delta, ProjectionState(self.ledger.seq, version_of(self.ledger), now, soonest))
        self._is_dirty = True

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

    # -- files

    def publish(self, *, retire: bool = False) -> None:
        """Write a checkpoint for readers; with `retire` the older ones are gone when this returns. A remote store has none."""
        if self.settings.remote is not None:
            return
        if self._is_dirty:
            self.store.checkpoint(self.directory.next_checkpoint())
            self._is_dirty = False
        self.directory.retire_checkpoints(keep=1 if retire else 2)

    def rewrite(self) -> bool:
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
        self.store = open_writable(fresh, None)
        self.rebuild()
        self.store.close()
        shutil.rmtree(self.directory.store)
        fresh.rename(self.directory.store)
        self.store = open_writable(self.directory.store, None)
