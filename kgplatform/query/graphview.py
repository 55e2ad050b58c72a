"""What questions need of a view: its principal, its instant, its ontology, and queries that see only what the principal may."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from ..model import CitedClaim, CompiledQuery, Principal
from ..schema import Schema
from ..terms import Term
from ..times import Instant


class GraphView(Protocol):
    """Implemented by `views.View`. `valid_at` is the instant of the view; of what comes after `today` nothing is known.

    Queries see the caller's records inside `GRAPH ?g` groups, and nothing else.
    """

    principal: Principal
    valid_at: Instant
    today: Instant
    schema: Schema
    base: str

    def select(self, query: CompiledQuery) -> list[dict[str, Term]]:
        """The solutions of a query over the records that the caller may see; unbound variables are absent from a row."""

    def citations(self, assertions: Iterable[str]) -> dict[str, tuple[CitedClaim, ...]]:
        """Assertion IRI -> the claims behind it that the caller may see."""

    def newest_source(self) -> Instant:
        """The date of the newest version that the caller may see, '' if there is none."""


class FactsView(GraphView, Protocol):
    """A view that also has the plain facts that hold at its instant, as triples inside `GRAPH ?g`: for what looks at them all."""

    def select_facts(self, query: CompiledQuery) -> list[dict[str, Term]]:
        """As `select`, over the plain facts that hold at the view's instant."""
