"""Reading: what one principal sees at one instant. No read exists without a principal.

A view of now reads the newest checkpoint, or the remote store itself. Other instants, earlier knowledge, and whatever that
cannot answer yet are derived into a store of their own, by the same derivation.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Final

import pyoxigraph as ox

from ..data_directory import DataDir
from ..derive import DERIVE_VERSION
from ..derive.derivation import Quads, Rules, derive
from ..derive.project import FACTS
from ..errors import DamagedStore, LockedError, StoreError, UsageError
from ..ledger import citations as cite
from ..ledger import people
from ..ledger.base import Ledger
from ..ledger.claims import facts_by_id
from ..ledger.notices import Noticed, current
from ..model import TRUST_LEVELS, CitedClaim, CompiledQuery, Fact, Principal
from ..projection.consistency import open_ledger
from ..projection.graphs import audience_name, graphs_of, projected_audiences, quads_of, version_of
from ..projection.ground import whole
from ..projection.judging import gate_of
from ..projection.keeper import Upkeep
from ..projection.queries import claims_behind, holding_at
from ..projection.trust import trusted
from ..schema import Schema, load_schema
from ..settings.load import RemoteAddress, Settings
from ..store.base import GraphStore, ProjectionState
from ..store.opening import Place, open_readable
from ..store.oxigraph import OxigraphStore
from ..store.results import QueryResult
from ..store.workers import QueryWorkers, run_query
from ..terms import KG, Term
from ..times import MAX, MIN, Instant

FULL: Final = "full"
DATASETS: Final = (FACTS, FULL)

_DATED: Final = f"{KG}graph/{FACTS}/view"
"""The graph of the facts of another day."""


@dataclass(frozen=True)
class Sight:
    """Who looks, and about when: at what holds at `valid_at`, as known at `recorded_at` ('' is now, `today`), by an ontology.

    Callers' SPARQL runs in `workers`, or in one of its own for each query.
    """

    principal: Principal
    valid_at: Instant
    recorded_at: Instant
    today: Instant
    schema: Schema
    base: str
    ledger: Ledger
    workers: QueryWorkers | None


class View:
    """What a principal sees, in the store at `place`; `is_present` where its facts are those of the instant that is looked at."""

    def __init__(self, sight: Sight, store: GraphStore, place: Place, *, is_present: bool) -> None:
        self.sight = sight
        self.principal = sight.principal
        self.audience = sight.principal.scopes
        self.valid_at = sight.valid_at
        self.recorded_at = sight.recorded_at
        self.today = sight.recorded_at or sight.today
        self.schema = sight.schema
        self.base = sight.base
        self.facts, self.records = graphs_of(store, sight.principal.scopes)
        self._store = store
        self._place = place
        self._ledger = sight.ledger
        self._is_present = is_present
        self._workers = sight.workers

    def select(self, query: CompiledQuery) -> list[dict[str, Term]]:
        """The solutions of a compiled query over the caller's records, which stand inside `GRAPH ?g`."""
        return self._store.select(query, named_graphs=self.records)

    def select_facts(self, query: CompiledQuery) -> list[dict[str, Term]]:
        """The solutions of a compiled query over the facts of `valid_at`, which stand inside `GRAPH ?g`: for what counts them all."""
        if self._is_present:
            return self._store.select(query, named_graphs=self.facts)
        return self._dated_facts.select(query, named_graphs=(_DATED,))

    def query(self, text: str, *, dataset: str = FACTS, timeout: float = 30.0) -> QueryResult:
        """The result of a caller's read-only SPARQL over the facts of `valid_at`, or with the records ("full").

        It runs in a process of its own. Raises QuerySyntaxError, QueryRefused, QueryTimeout.
        """
        if dataset not in DATASETS:
            raise UsageError(f"no dataset {dataset}", hint=f"one of {', '.join(DATASETS)}")
        run = self._workers.run if self._workers else run_query
        if self._is_present:
            try:
                return run(self._place, text, default_graphs=self._graphs(self.facts, dataset), timeout=timeout)
            except StoreError as error:  # perhaps a writer has retired the checkpoint, which only this view still holds open
                if isinstance(self._place, RemoteAddress) or (self._place / "CURRENT").is_file() and not isinstance(error, DamagedStore):
                    raise
        place, facts = self._dated_store
        return run(place, text, default_graphs=self._graphs(facts, dataset), timeout=timeout)

    def triples(self, dataset: str = FACTS) -> Iterator[ox.Triple]:
        """Every triple of the view."""
        if self._is_present:
            yield from (quad.triple for quad in self._store.quads(self._graphs(self.facts, dataset)))
            return
        place, facts = self._dated_store
        with OxigraphStore.open_read_only(place) as store:
            yield from (quad.triple for quad in store.quads(self._graphs(facts, dataset)))

    def _graphs(self, facts: tuple[str, ...], dataset: str) -> tuple[str, ...]:
        return facts if dataset == FACTS else (*facts, *self.records)

    def record_triples(self) -> Iterator[ox.Triple]:
        """Every triple of the caller's records."""
        return (quad.triple for quad in self._store.quads(self.records))

    @cached_property
    def _dated_facts(self) -> OxigraphStore:
        """The facts of `valid_at`, in memory."""
        rows = self.select(holding_at(self.valid_at))
        store = OxigraphStore.memory()
        facts = (ox.Quad(row["s"], row["p"], row["o"], ox.NamedNode(_DATED)) for row in rows)  # type: ignore[arg-type]
        store.load(facts, ProjectionState(0, DERIVE_VERSION, self.valid_at, MAX))
        return store

    @cached_property
    def _dated_store(self) -> tuple[Path, tuple[str, ...]]:
        """A store on disk whose facts are those of `valid_at`, beside the same records."""
        self._temporary = tempfile.TemporaryDirectory(prefix="kgplatform-view-")
        directory = Path(self._temporary.name) / "store"
        with OxigraphStore.open(directory) as store:
            quads = [*self._dated_facts.quads((_DATED,)), *self._store.quads(self.records)]
            store.load(quads, ProjectionState(0, DERIVE_VERSION, self.valid_at, MAX))
        return directory, (_DATED,)

    def citations(self, assertions: Iterable[str]) -> dict[str, tuple[CitedClaim, ...]]:
        """Assertion IRI -> the claims behind it that the caller may see, of its least trust or above, newest first."""
        wanted = sorted(set(assertions))
        if not wanted:
            return {}
        claims: dict[str, list[str]] = {iri: [] for iri in wanted}
        for row in self.select(claims_behind(wanted)):
            claims[str(row["a"].value)].append(str(row["c"].value).rpartition("/")[2])
        found = cite.citations(
            self._ledger, (c for cs in claims.values() for c in cs), self.audience, base=self.base, as_of=self.recorded_at
        )
        least = TRUST_LEVELS.index(self.principal.min_trust)
        return {
            iri: tuple(
                sorted(
                    (found[c] for c in cs if c in found and TRUST_LEVELS.index(found[c].trust) >= least),
                    key=lambda one: (one.dated, one.document, one.start),
                    reverse=True,
                )
            )
            for iri, cs in claims.items()
        }

    def claims(self, claims: Iterable[str]) -> dict[str, tuple[Fact, CitedClaim]]:
        """Claim id -> what it says and where, for those that the caller may see and trusts enough (refused ones too)."""
        cited = cite.citations(self._ledger, claims, self.audience, base=self.base, as_of=self.recorded_at)
        least = TRUST_LEVELS.index(self.principal.min_trust)
        trusted = [claim for claim, source in cited.items() if TRUST_LEVELS.index(source.trust) >= least]
        return {claim: (fact, cited[claim]) for claim, fact in facts_by_id(self._ledger, trusted).items()}

    def newest_source(self) -> Instant:
        """The date of the newest document version that the caller can see, '' if none."""
        return cite.newest_source(self._ledger, self.audience, as_of=self.recorded_at)

    def notices(self) -> list[Noticed]:
        """What the current versions of the documents that the caller may see did not take or changed."""
        return current(self._ledger, self.audience, as_of=self.recorded_at)

    def close(self) -> None:
        self._store.close()
        if "_dated_store" in self.__dict__:
            self._temporary.cleanup()


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
        Upkeep.open(settings).close()
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
