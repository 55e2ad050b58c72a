"""What one principal sees at one instant: rows, triples, and what their sources said, in a store that `opening` has chosen."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final

import pyoxigraph as ox

from ..derive import DERIVE_VERSION
from ..derive.project import FACTS
from ..errors import DamagedStore, StoreError, UsageError
from ..ledger import citations as cite
from ..ledger.base import Ledger
from ..ledger.claims import facts_by_id
from ..ledger.notices import Noticed, current
from ..model import TRUST_LEVELS, CitedClaim, CompiledQuery, Fact, Principal
from ..projection.graphs import graphs_of
from ..projection.queries import claims_behind, holding_at
from ..schema import Schema
from ..settings.load import RemoteAddress
from ..store.base import GraphStore, ProjectionState
from ..store.opening import Place
from ..store.oxigraph import OxigraphStore
from ..store.results import QueryResult
from ..store.workers import QueryWorkers, run_query
from ..terms import KG, Term
from ..times import MAX, Instant

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
        """Give the store free, and remove what was written for another day."""
        self._store.close()
        if "_dated_store" in self.__dict__:
            self._temporary.cleanup()
