"""What a store of the projection promises, whichever engine holds it.

A store holds quads in named graphs, and beside them its *state*: how far it has followed the ledger.
The state stands in the graph `KG.state`, which no caller is ever given.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

import pyoxigraph as ox

from ..errors import StoreError
from ..model import CompiledQuery
from ..terms import KG, Term
from ..times import Instant
from .results import QueryResult

STATE_GRAPH: Final = ox.NamedNode(KG.state)
PROBED: Final = "probed"
"""In the place of the version of a projection: nothing was projected into the store, which was only tried out."""

_APPLIED_SEQ: Final = ox.NamedNode(KG.appliedSeq)
_DERIVE_VERSION: Final = ox.NamedNode(KG.deriveVersion)
_NOW: Final = ox.NamedNode(KG.now)
_NEXT_BOUNDARY: Final = ox.NamedNode(KG.nextBoundary)


@dataclass(frozen=True, slots=True)
class ProjectionState:
    """How far a projection has followed the ledger, by which rules, and until when it may be read.

    `next_boundary` is the first instant after `now` at which a fact begins or ceases to hold.
    """

    applied_seq: int
    derive_version: str
    now: Instant
    next_boundary: Instant


@dataclass(frozen=True, slots=True)
class Delta:
    """What one commit changes. A quad that stands in both sets is there afterwards."""

    removed: frozenset[ox.Quad] = frozenset()
    added: frozenset[ox.Quad] = frozenset()


class GraphStore(Protocol):
    """A projection in some engine. Whatever goes wrong in the engine is a StoreError here."""

    def state(self) -> ProjectionState | None:
        """How far the store has followed; None if it is empty or an unfinished load left it unusable."""

    def apply(self, delta: Delta, state: ProjectionState) -> None:
        """Remove, add and set the state as one atomic update; on return it survives a kill of the process.

        A delta too large for one update first takes the state away: cut short, it leaves `state()` None.
        """

    def load(self, quads: Iterable[ox.Quad], state: ProjectionState) -> None:
        """Replace the whole content. The state is written last: cut short, it leaves `state()` None."""

    def select(
        self, query: CompiledQuery, *, default_graphs: Sequence[str] = (), named_graphs: Sequence[str] = ()
    ) -> list[dict[str, Term]]:
        """The solutions of a query of our own making; unbound variables are absent from a row.

        What the query sees is exactly the merge of `default_graphs` and, inside GRAPH, `named_graphs`.
        """

    def query(self, text: str, *, default_graphs: Sequence[str] = (), named_graphs: Sequence[str] = ()) -> QueryResult:
        """The result of a caller's read-only SPARQL text over exactly those graphs.

        Raises QuerySyntaxError, and QueryRefused for updates, SERVICE and dataset clauses.
        """

    def graph_names(self) -> frozenset[str]:
        """The names of all graphs that hold a quad, except the state's."""

    def quads(self, graphs: Iterable[str]) -> Iterator[ox.Quad]:
        """Every quad of these graphs."""

    def checkpoint(self, directory: Path) -> None:
        """Write a snapshot that other processes can open read-only, there whole or not at all (embedded stores only)."""

    def close(self) -> None:
        """Release what the store holds. It must not be used afterwards."""


def state_triples(state: ProjectionState) -> tuple[ox.Triple, ...]:
    """The state as RDF. Its values are plain strings, which no engine rewrites."""
    values = (
        (_APPLIED_SEQ, str(state.applied_seq)),
        (_DERIVE_VERSION, state.derive_version),
        (_NOW, state.now),
        (_NEXT_BOUNDARY, state.next_boundary),
    )
    return tuple(ox.Triple(STATE_GRAPH, predicate, ox.Literal(value)) for predicate, value in values)


def read_state(triples: Iterable[ox.Triple | ox.Quad]) -> ProjectionState | None:
    """The state that the triples of its graph say, None if they say none.

    Raises StoreError where they say half of one or two.
    """
    known = {_APPLIED_SEQ, _DERIVE_VERSION, _NOW, _NEXT_BOUNDARY}
    pairs = [(t.predicate, t.object.value) for t in triples if t.predicate in known and isinstance(t.object, ox.Literal)]
    values = dict(pairs)
    if not pairs:
        return None
    if len(pairs) != 4 or set(values) != known or not values[_APPLIED_SEQ].isdigit():
        raise StoreError("the state of the projection cannot be read", where=KG.state, hint="rebuild the projection from the ledger")
    return ProjectionState(int(values[_APPLIED_SEQ]), values[_DERIVE_VERSION], values[_NOW], values[_NEXT_BOUNDARY])
