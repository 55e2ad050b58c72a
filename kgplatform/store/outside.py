"""The store of another package: an error in one of its calls names that package."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

import pyoxigraph as ox

from ..model import CompiledQuery
from ..terms import Term
from .base import PROBED, Delta, GraphStore, ProjectionState
from .results import QueryResult


class OutsideStore:
    """A GraphStore around one. What it raises beside KgErrors goes through `calling`."""

    def __init__(self, store: GraphStore, calling: Callable[[], AbstractContextManager[None]]) -> None:
        self._store = store
        self._calling = calling

    def state(self) -> ProjectionState | None:
        """See GraphStore."""
        with self._calling():
            state = self._store.state()
        return None if state is not None and state.derive_version == PROBED else state

    def apply(self, delta: Delta, state: ProjectionState) -> None:
        """See GraphStore."""
        with self._calling():
            self._store.apply(delta, state)

    def load(self, quads: Iterable[ox.Quad], state: ProjectionState) -> None:
        """See GraphStore."""
        with self._calling():
            self._store.load(quads, state)

    def select(
        self, query: CompiledQuery, *, default_graphs: Sequence[str] = (), named_graphs: Sequence[str] = ()
    ) -> list[dict[str, Term]]:
        """See GraphStore."""
        with self._calling():
            return self._store.select(query, default_graphs=default_graphs, named_graphs=named_graphs)

    def query(self, text: str, *, default_graphs: Sequence[str] = (), named_graphs: Sequence[str] = ()) -> QueryResult:
        """See GraphStore."""
        with self._calling():
            return self._store.query(text, default_graphs=default_graphs, named_graphs=named_graphs)

    def graph_names(self) -> frozenset[str]:
        """See GraphStore."""
        with self._calling():
            return self._store.graph_names()

    def quads(self, graphs: Iterable[str]) -> Iterator[ox.Quad]:
        """See GraphStore."""
        with self._calling():
            yield from self._store.quads(graphs)

    def checkpoint(self, directory: Path) -> None:
        """See GraphStore."""
        with self._calling():
            self._store.checkpoint(directory)

    def close(self) -> None:
        """See GraphStore."""
        with self._calling():
            self._store.close()
