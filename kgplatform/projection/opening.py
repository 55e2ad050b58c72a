"""Opening a data directory for writing: its lock, ledger and store, brought up to the settings, the ledger's last event and the clock."""

from __future__ import annotations

import shutil
import uuid
from contextlib import ExitStack, closing

from ..data_directory import DataDir
from ..errors import DamagedStore, DataDirError, StoreError
from ..ledger import maintenance, people
from ..ledger.base import Ledger
from ..ledger.names import follow_names, name_relations
from ..schema import load_schema
from ..settings.load import Settings
from ..store.base import GraphStore, ProjectionState
from ..store.opening import open_readable, open_writable
from ..times import Instant
from .consistency import (
    RESTORE,
    has_ledger,
    open_ledger,
    published_states,
    require_followed,
    require_known_originals,
    require_ledger,
)
from .graphs import is_made_for, version_of
from .judging import engine_in_force, put_in_force
from .projection import Projection


def create_projection(settings: Settings) -> Projection:
    """Open the data directory, made for its owner alone if it is not there."""
    directory = DataDir(settings.data)
    directory.make()
    if not has_ledger(directory):
        Ledger.create(directory.ledger).close()
    return open_projection(settings)


def open_projection(settings: Settings, *, wait: float = 0.0) -> Projection:
    """Open for writing and bring the projection up to the ledger and the clock.

    Raises LockedError where another process still writes after `wait` seconds.
    """
    directory = DataDir(settings.data)
    require_ledger(directory)  # before a lock is made where nothing is
    with ExitStack() as held:  # given free where the opening fails
        lock = directory.hold(wait=wait)
        held.callback(lock.release)
        ledger = held.enter_context(closing(open_ledger(directory)))
        committed = held.enter_context(closing(Ledger.open(directory.ledger)))
        store = held.enter_context(closing(_opened_store(settings, directory, ledger)))
        state = _state_followed(settings, directory, ledger, store)
        is_published = settings.remote is not None or state == _published_state(directory)
        projection = Projection(settings, lock=lock, ledger=ledger, committed=committed, store=store, is_published=is_published)
        _catch_up(projection, state)
        held.pop_all()
    return projection


def _opened_store(settings: Settings, directory: DataDir, ledger: Ledger) -> GraphStore:
    """The store; where its files are damaged, an empty one in their place, since all that it holds is derived from the ledger beside it."""
    try:
        return open_writable(directory.store, settings.remote)
    except DamagedStore:
        if damage := maintenance.damage(ledger):
            raise DataDirError(f"the store and the ledger are damaged: {damage}", where=str(settings.data), hint=RESTORE) from None
        shutil.rmtree(directory.store)
        return open_writable(directory.store, settings.remote)


def _state_followed(settings: Settings, directory: DataDir, ledger: Ledger, store: GraphStore) -> ProjectionState | None:
    """The state of the store, which followed this ledger or none. Raises LostLedger."""
    state = store.state()
    require_followed(directory, ledger, [state] if state else [], is_shared=settings.remote is not None)
    if state is None and not published_states(directory):
        require_known_originals(directory, ledger)
    return state


def _published_state(directory: DataDir) -> ProjectionState | None:
    """The state of the newest checkpoint: a process that was killed has not published what it wrote."""
    newest = directory.latest_checkpoint()
    try:
        if newest is not None:
            with closing(open_readable(newest)) as published:
                return published.state()
    except StoreError:  # a damaged one is as good as none
        pass
    return None


def _catch_up(projection: Projection, state: ProjectionState | None) -> None:
    """Settings into the ledger, then the projection to the ledger's last event and to the present."""
    settings, ledger = projection.settings, projection.ledger
    now = settings.clock()
    if engine_in_force(ledger) != settings.engine and settings.are_current:
        put_in_force(ledger, settings.engine, now)
    if people.release(ledger) is None:
        _release_packs(projection, now)
    is_named_anew = name_relations(ledger) != projection.schema.name_properties
    if is_named_anew:
        with ledger.transaction():
            follow_names(ledger, projection.schema.name_properties)
    _take_base(settings, ledger, now)
    if ledger.meta("identity") is None:
        with ledger.transaction():
            ledger.set_meta("identity", uuid.uuid4().hex)
    is_of_these_rules = state is not None and state.derive_version == version_of(ledger)
    if is_named_anew or not is_of_these_rules or not is_made_for(projection.store, people.audiences(ledger)):
        projection.rebuild()
    else:
        projection.present()
    changed = people.changed_collections(ledger, settings.collections)
    if changed and settings.are_current:
        projection.set_collections(changed)
    if settings.remote is not None:
        projection.directory.remove_embedded()


def _release_packs(projection: Projection, now: Instant) -> None:
    """The first ontology: that of the packs of the settings."""
    from ..checks.packs import read_packs  # 0.3 s to load, for the first opening alone

    settings, ledger = projection.settings, projection.ledger
    ontology, shapes = read_packs(settings.packs).texts
    projection.adopt(load_schema(ontology, shapes))
    with ledger.transaction():
        people.add_release(ledger, ontology, shapes, recorded=now)
        ledger.journal("release", now, packs=list(settings.packs))


def _take_base(settings: Settings, ledger: Ledger, now: Instant) -> None:
    base = ledger.meta("base_iri")
    if base is None or (base != settings.base_iri and settings.are_current):
        with ledger.transaction():
            ledger.set_meta("base_iri", settings.base_iri)
            ledger.journal("base", now)
