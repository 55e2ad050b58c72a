"""Opening the view of one principal at one instant. No read exists without a principal.

A view of now reads the newest checkpoint, or the remote store itself. Other instants, earlier knowledge, and whatever that
cannot answer yet are derived into a store of their own, by the same derivation.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from ..data_directory import DataDir
from ..derive import DERIVE_VERSION
from ..derive.derivation import Quads, Rules, derive
from ..errors import LockedError, StoreError
from ..ledger import people
from ..ledger.base import Ledger
from ..model import TRUST_LEVELS, Principal
from ..projection.consistency import open_ledger
from ..projection.graphs import audience_name, projected_audiences, quads_of, version_of
from ..projection.ground import whole
from ..projection.judging import gate_of
from ..projection.opening import open_projection
from ..projection.trust import trusted
from ..schema import Schema, load_schema
from ..settings.load import Settings
from ..store.base import GraphStore, ProjectionState
from ..store.opening import Place, open_readable
from ..store.oxigraph import OxigraphStore
from ..store.workers import QueryWorkers
from ..times import MAX, MIN, Instant
from .view import Sight, View


@contextmanager
def open_view(
    settings: Settings, name: str = "", *, valid_at: Instant = "", recorded_at: Instant = "", workers: QueryWorkers | None = None
) -> Iterator[View]:
    """The view of the principal of that name ('' is the anonymous public) for the length of a `with` block.

    What only claims below the principal's least trust say is not in it. Callers' SPARQL runs in the given workers, or in one of its own for
    each query.
    If the projection is behind the ledger or the clock, it is brought up to date first, or, while another
    process writes, the last committed state is served; facts past their boundary never are.
    """
    directory = DataDir(settings.data)
    ledger = open_ledger(directory)
    try:
        _put_into_force(settings, ledger)
        principal = people.principal(ledger, name)
        with _view(settings, directory, ledger, principal, valid_at, recorded_at, workers) as view:
            if principal.min_trust == TRUST_LEVELS[0]:
                yield view
            else:
                with _trusted_view(view) as narrowed:
                    yield narrowed
    finally:
        ledger.close()


def _put_into_force(settings: Settings, ledger: Ledger) -> None:
    """Who may see what follows the settings as they are now. Raises LockedError while what they close cannot be closed."""
    is_in_force = ledger.meta("base_iri") == settings.base_iri and not people.changed_collections(ledger, settings.collections)
    if is_in_force or not settings.are_current:
        return
    _bring_up(settings)
    open_to = people.collections(ledger)
    for name, wanted in settings.collections.items():
        if name in open_to and not wanted.scopes <= open_to[name].scopes:
            what = f"collection {name} is to be seen by fewer, and another process is writing here"
            raise LockedError(what, where=str(settings.data), hint="wait for it to end")


@contextmanager
def _view(
    settings: Settings,
    directory: DataDir,
    ledger: Ledger,
    principal: Principal,
    valid_at: Instant,
    recorded_at: Instant,
    workers: QueryWorkers | None,
) -> Iterator[View]:
    """Everything that the principal may see, whatever its trust."""
    base = ledger.meta("base_iri") or settings.base_iri
    found = None if recorded_at else _current_store(settings, directory, ledger, principal)
    now = found[2] if found else settings.clock()
    sight = Sight(principal, valid_at or now, recorded_at, now, _schema(ledger, recorded_at), base, ledger, workers)
    if found is None:
        with _derived_view(sight) as view:
            yield view
        return
    place, store, _now = found
    view = View(sight, store, place, is_present=sight.valid_at == now)
    try:
        yield view
    finally:
        view.close()


def _current_store(
    settings: Settings, directory: DataDir, ledger: Ledger, principal: Principal
) -> tuple[Place, GraphStore, Instant] | None:
    """The newest projection that may be served to the principal now, opened, and that now; None if there is none."""
    found = _usable(settings, directory, ledger, principal)
    if found is None or _state(found[1]).applied_seq != ledger.seq:
        if found:
            found[1].close()
        _bring_up(settings)
        found = _usable(settings, directory, ledger, principal)
    return found


def _bring_up(settings: Settings) -> None:
    """Bring ledger and projection up to the settings, the last event and the clock, unless another process is at it."""
    try:
        open_projection(settings).close()
    except LockedError:
        pass


def _usable(settings: Settings, directory: DataDir, ledger: Ledger, principal: Principal) -> tuple[Place, GraphStore, Instant] | None:
    for _attempt in range(3):  # a writer may retire the newest checkpoint between finding and opening it
        place = settings.remote or directory.latest_checkpoint()
        if place is None:
            return None
        try:
            store = open_readable(place)
        except StoreError:
            continue
        state = store.state()
        now = settings.clock()  # after the state was read, whose own now may be of this second
        if (
            state is not None
            and state.derive_version == version_of(ledger)
            and state.now <= now < state.next_boundary
            and audience_name(principal.scopes) in projected_audiences(store)
        ):
            return place, store, now
        store.close()
        return None
    return None


def _state(store: GraphStore) -> ProjectionState:
    state = store.state()
    return state if state is not None else ProjectionState(-1, "", MIN, MIN)


@contextmanager
def _derived_view(sight: Sight) -> Iterator[View]:
    """A view derived from scratch: the ground as of `recorded_at`, visible to the principal, at the instant."""
    audience = sight.principal.scopes
    ground = whole(sight.ledger, as_of=sight.recorded_at, audience=audience)
    derived = derive(ground, Rules(sight.schema, gate_of(sight.ledger, sight.schema), (audience,), sight.valid_at, sight.base))
    with _own_store(derived.units(), sight) as view:
        yield view


@contextmanager
def _trusted_view(view: View) -> Iterator[View]:
    """The view without what only claims below its principal's least trust say."""
    least = TRUST_LEVELS.index(view.principal.min_trust)
    audiences = frozenset({view.audience})
    unit = dict.fromkeys(trusted(view.record_triples(), least, view.valid_at), audiences)
    with _own_store([unit], replace(view.sight, recorded_at=view.recorded_at, today=view.today)) as narrowed:
        yield narrowed


@contextmanager
def _own_store(units: Iterable[Quads], sight: Sight) -> Iterator[View]:
    """A view over a store of its own, filled with the units; its facts are those of the instant."""
    with tempfile.TemporaryDirectory(prefix="kgplatform-view-") as folder:
        directory = Path(folder) / "store"
        with OxigraphStore.open(directory) as store:
            store.load(quads_of(units), ProjectionState(0, DERIVE_VERSION, sight.valid_at, MAX))
        view = View(sight, OxigraphStore.open_read_only(directory), directory, is_present=True)
        try:
            yield view
        finally:
            view.close()


def _schema(ledger: Ledger, recorded_at: Instant) -> Schema:
    released = people.release(ledger, as_of=recorded_at)
    return load_schema(*released) if released else Schema()
