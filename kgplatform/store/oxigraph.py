"""The projection in embedded Oxigraph: one process writes a directory, others read its checkpoints."""

from __future__ import annotations

import io
import re
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import IO, Final, Self, TypeVar, cast

import pyoxigraph as ox

from ..errors import DamagedStore, LockedError, QuerySyntaxError, StoreError
from ..model import CompiledQuery
from ..terms import Term
from .base import STATE_GRAPH, Delta, ProjectionState, read_state
from .checkpoints import opened_once
from .results import EngineResult, Kind, QueryResult, capture
from .updates import CLEAR_STATE, batches, check_quads, delete_texts, insert_state, update_text

ONE_UPDATE: Final = 300_000
"""Quads that go into one atomic update (about 60 MB of text); a larger delta is cut up, state away first."""

_BATCH: Final = 100_000

_SMALL_LOAD: Final = 50_000
"""Fewer quads than this go through the store's log; more are loaded beside it (faster, after 0.1 s of preparation)."""

_DAMAGE: Final = (RuntimeError, FileNotFoundError)
"""What opening raises where files are broken or gone (measured, file by file)."""

_IS_HELD: Final = re.compile(r"lock hold by current process|while lock file", re.IGNORECASE)
"""What RocksDB says of a lock that somebody holds; any path may have "lock" in it."""

_T = TypeVar("_T")


class OxigraphStore:
    """A GraphStore over pyoxigraph.

    Writes are in the store's log when a call returns, so they survive a kill of the process; after a power failure the
    store may stand at an earlier state, from which the ledger brings it up. Only bulk loads, which pass by the log, flush.
    Open it with `open`, `memory` or `open_read_only`.
    """

    def __init__(self, store: ox.Store, *, directory: Path | None = None, writable: bool = True, lease: object = None) -> None:
        self._held: ox.Store | None = store
        self._directory = directory
        self._writable = writable
        self._lease = lease

    @classmethod
    def open(cls, directory: Path) -> Self:
        """The store in a directory, made where there is none. Raises LockedError while another holds it, DamagedStore."""
        try:
            directory.mkdir(parents=True, exist_ok=True)
            return cls(ox.Store(directory), directory=directory)
        except _DAMAGE as error:
            raise DamagedStore(f"the store is damaged: {error}", where=str(directory)) from error
        except OSError as error:
            if _IS_HELD.search(str(error)):
                raise LockedError(
                    "another process is writing to this store",
                    where=str(directory),
                    hint="stop it, or ask it over HTTP",
                ) from error
            raise StoreError(f"the store cannot be opened: {error}", where=str(directory)) from error

    @classmethod
    def memory(cls) -> Self:
        """A new, empty store in memory, which ends with the process."""
        return cls(ox.Store())

    @classmethod
    def open_read_only(cls, checkpoint: Path) -> Self:
        """A checkpoint, which nobody writes. Never a directory that is open for writing: its reads would be wrong."""
        if not (checkpoint / "CURRENT").is_file():
            raise StoreError("there is no checkpoint of a store here", where=str(checkpoint))
        try:
            opened = opened_once(checkpoint)
            return cls(opened.store, directory=checkpoint, writable=False, lease=opened)
        except _DAMAGE as error:
            raise DamagedStore(f"the checkpoint is damaged: {error}", where=str(checkpoint)) from error
        except OSError as error:
            raise StoreError(f"the checkpoint cannot be opened: {error}", where=str(checkpoint)) from error

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # -- writing

    def apply(self, delta: Delta, state: ProjectionState) -> None:
        """See GraphStore. More than `ONE_UPDATE` quads are written in parts."""
        store = self._store_for_writing()
        if len(delta.removed) + len(delta.added) > ONE_UPDATE:
            self._apply_in_parts(store, delta, state)
            return
        text = update_text(delta, state)
        self._update(store, text, "the update was not applied")

    def _apply_in_parts(self, store: ox.Store, delta: Delta, state: ProjectionState) -> None:
        self._forget_state(store)
        for batch in batches(delta.removed - delta.added, _BATCH):
            for text in delete_texts(batch):
                self._update(store, text, "the update was not applied whole")
        self._fill(store, delta.added)
        self._write_state(store, state)

    def load(self, quads: Iterable[ox.Quad], state: ProjectionState) -> None:
        """See GraphStore. The content is on disk when it returns, if it is a bulk load."""
        store = self._store_for_writing()
        self._update(store, CLEAR_STATE, "the state could not be taken away")
        rows = iter(quads)
        first = list(islice(rows, _SMALL_LOAD))
        self._attempt(store.clear, "the store could not be emptied")
        if len(first) < _SMALL_LOAD:
            self._attempt(lambda: store.extend(check_quads(first)), "the quads could not be loaded")
            self._update(store, insert_state(state), "the state could not be written")
            return
        self._attempt(store.flush, "the state could not be taken away")
        self._fill(store, chain(first, rows))
        self._write_state(store, state)

    def _forget_state(self, store: ox.Store) -> None:
        self._update(store, CLEAR_STATE, "the state could not be taken away")
        self._attempt(store.flush, "the state could not be taken away")

    def _update(self, store: ox.Store, text: str, what: str) -> None:
        self._attempt(lambda: store.update(text), what)

    def _fill(self, store: ox.Store, quads: Iterable[ox.Quad]) -> None:
        self._attempt(lambda: store.bulk_extend(check_quads(quads)), "the quads could not be loaded")

    def _write_state(self, store: ox.Store, state: ProjectionState) -> None:
        self._attempt(store.flush, "the quads could not be made durable")
        self._update(store, insert_state(state), "the state could not be written")
        self._attempt(store.flush, "the state could not be made durable")

    def checkpoint(self, directory: Path) -> None:
        """Write a snapshot to a directory that does not exist yet, on disk also for a store in memory.

        It is made beside it as `.making` and renamed, so that nobody opens half of one; the next clears away one cut short.
        """
        store = self._store()
        if directory.exists():
            raise StoreError("a checkpoint needs a new directory", where=str(directory))
        directory.parent.mkdir(parents=True, exist_ok=True)
        partial = directory.with_name(".making")
        shutil.rmtree(partial, ignore_errors=True)
        if self._directory is None:
            self._attempt(lambda: _copied(store, partial), "the checkpoint could not be written")
        else:
            self._attempt(lambda: store.backup(partial), "the checkpoint could not be written")
        self._attempt(lambda: partial.rename(directory), "the checkpoint could not be put in place")

    # -- reading

    def state(self) -> ProjectionState | None:
        """See GraphStore."""
        store = self._store()
        found = self._attempt(lambda: list(store.quads_for_pattern(None, None, None, STATE_GRAPH)), "the state could not be read")
        return read_state(found)

    def select(
        self, query: CompiledQuery, *, default_graphs: Sequence[str] = (), named_graphs: Sequence[str] = ()
    ) -> list[dict[str, Term]]:
        """See GraphStore."""
        store, names = self._store(), query.variables

        def rows() -> list[dict[str, Term]]:
            found = cast(ox.QuerySolutions, _found(store, query.text, default_graphs, named_graphs))
            return [{name: cast(Term, term) for name in names if (term := solution[name]) is not None} for solution in found]

        return self._attempt(rows, "the query failed", text=query.text)

    def query(self, text: str, *, default_graphs: Sequence[str] = (), named_graphs: Sequence[str] = ()) -> QueryResult:
        """See GraphStore. It runs in this process, without limits: `workers.run_query` is for texts of strangers."""
        from .guard import checked_text  # loads rdflib, 0.3 s: only callers' own texts need it

        out = io.BytesIO()
        kind, variables = self.evaluate(checked_text(text), out, default_graphs=default_graphs, named_graphs=named_graphs)
        return QueryResult(kind, variables, out.getvalue())

    def evaluate(
        self, checked: str, out: IO[bytes], *, default_graphs: Sequence[str], named_graphs: Sequence[str]
    ) -> tuple[Kind, tuple[str, ...]]:
        """Run a text that the guard has passed to its end, into `out` as a QueryResult holds it."""
        store = self._store()

        def run() -> tuple[Kind, tuple[str, ...]]:
            return capture(_found(store, checked, default_graphs, named_graphs), out)

        return self._attempt(run, "the query failed")

    def graph_names(self) -> frozenset[str]:
        """Oxigraph also lists graphs that have become empty; those are left out here."""
        store = self._store()

        def names() -> frozenset[str]:
            filled = (g for g in store.named_graphs() if next(store.quads_for_pattern(None, None, None, g), None) is not None)
            return frozenset(g.value for g in filled if isinstance(g, ox.NamedNode) and g != STATE_GRAPH)

        return self._attempt(names, "the graphs could not be listed")

    def quads(self, graphs: Iterable[str]) -> Iterator[ox.Quad]:
        """See GraphStore."""
        store = self._store()
        for graph in graphs:
            try:
                yield from store.quads_for_pattern(None, None, None, ox.NamedNode(graph))
            except (OSError, ValueError, RuntimeError) as error:
                raise StoreError(f"the quads could not be read: {error}", where=graph) from error

    def close(self) -> None:
        """See GraphStore. A checkpoint stays open for other readers."""
        self._held = self._lease = None

    # -- the engine's failures

    def _store(self) -> ox.Store:
        if self._held is None:
            raise StoreError("the store is closed", where=self._place)
        return self._held

    def _store_for_writing(self) -> ox.Store:
        if not self._writable:
            raise StoreError("a checkpoint cannot be written to", where=self._place)
        return self._store()

    @property
    def _place(self) -> str:
        return str(self._directory or "memory")

    def _attempt(self, act: Callable[[], _T], what: str, *, text: str = "") -> _T:
        try:
            return act()
        except SyntaxError as error:
            raise QuerySyntaxError(str(error), where=text and "the compiled query") from error
        except (OSError, ValueError, RuntimeError) as error:
            raise StoreError(f"{what}: {error}", where=self._place) from error


def _found(store: ox.Store, text: str, default_graphs: Sequence[str], named_graphs: Sequence[str]) -> EngineResult:
    """Both lists override the text's own dataset clauses; an empty one is an empty dataset, not the whole store."""
    return store.query(
        text,
        default_graph=[ox.NamedNode(name) for name in default_graphs],
        named_graphs=[ox.NamedNode(name) for name in named_graphs],
    )


def _copied(store: ox.Store, directory: Path) -> None:
    copy = ox.Store(directory)
    copy.bulk_extend(store)
    copy.flush()
