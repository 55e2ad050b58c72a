"""What asking needs of a view: its principal, its instant, its ontology, and reads that cannot see more."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from ..model import CitedClaim, CompiledQuery, Principal
from ..schema import Schema
from ..terms import Term
from ..times import Instant


class GraphView(Protocol):
    """Implemented by `views.View`. Nothing is known of what comes after `today`. `select` sees the caller's records, inside `GRAPH ?g`
    groups, and nothing else."""

    principal: Principal
    valid_at: Instant
    today: Instant
    schema: Schema
    base: str

    def select(self, query: CompiledQuery) -> list[dict[str, Term]]: ...

    def citations(self, assertions: Iterable[str]) -> dict[str, tuple[CitedClaim, ...]]: ...

    def newest_source(self) -> Instant: ...


class FactsView(GraphView, Protocol):
    """A view that also has the plain facts that hold at its instant, as triples inside `GRAPH ?g`: for what looks at them all."""

    def select_facts(self, query: CompiledQuery) -> list[dict[str, Term]]: ...
