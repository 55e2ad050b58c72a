"""The projection in any SPARQL 1.1 server, over the standard protocol.

The dataset behind the two URLs must be kgplatform's alone, and its server must pass the probes of `probes.py`.
"""

from __future__ import annotations

import io
import tempfile
import time
import uuid
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import IO, Final, Self

import pyoxigraph as ox

from ..errors import StoreError
from ..model import CompiledQuery
from ..settings.load import RemoteAddress
from ..terms import KG, TYPE, Term
from .base import STATE_GRAPH, Delta, ProjectionState, read_state
from .protocol import Endpoint, OutcomeUnknown
from .results import Kind, QueryResult, received
from .updates import CLEAR_STATE, batches, delete_texts, insert_state, insert_texts, read_mark, update_text

ONE_UPDATE: Final = 100_000
"""Quads that go into one atomic request (about 20 MB); a larger delta is cut up, state away first."""

_BATCH: Final = 20_000
_ATTEMPTS: Final = 5
_PAUSE: Final = 0.1
_IN_MEMORY: Final = 16 * 1024 * 1024
_OURS: Final = f"INSERT DATA {{ GRAPH {STATE_GRAPH} {{ {STATE_GRAPH} {ox.NamedNode(TYPE)} {ox.NamedNode(KG.Projection)} }} }}"
_ACCEPT: Final = "application/sparql-results+json, application/n-triples;q=0.9"
_ALL: Final = "CONSTRUCT { ?s ?p ?o } WHERE { ?s ?p ?o }"
_GRAPHS: Final = "SELECT DISTINCT ?g WHERE { GRAPH ?g { ?s ?p ?o } }"


class RemoteStore:
    """A GraphStore over HTTP. Nothing is asked of the server here: `probes.connect` tries first whether it can be relied on."""

    def __init__(
        self,
        query_url: str,
        update_url: str,
        *,
        user: str = "",
        password: str = "",
        token: str = "",
        timeout: float = 60.0,
        settling: float = 30.0,
    ) -> None:
        """`settling` is how many seconds an update of unknown outcome is waited for before it is given up."""
        self._endpoint = Endpoint(query_url, update_url, user=user, password=password, token=token, timeout=timeout)
        self._settling = settling

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # -- writing

    def apply(self, delta: Delta, state: ProjectionState) -> None:
        """See GraphStore. An update whose answer is lost is settled by reading its mark from the store, never sent again."""
        if len(delta.removed) + len(delta.added) <= ONE_UPDATE:
            mark = uuid.uuid4().hex
            self._settle(update_text(delta, state, mark=mark), mark)
            return
        self._forget_state()
        for batch in batches(delta.removed - delta.added, _BATCH):
            self._send_all(delete_texts(batch))
        self._fill(delta.added)
        self._write_state(state)

    def load(self, quads: Iterable[ox.Quad], state: ProjectionState) -> None:
        """See GraphStore. Raises StoreError where the dataset holds graphs of somebody else, which it would replace."""
        graphs = sorted(self.graph_names())
        if graphs and not self._is_ours():
            raise StoreError(
                f"the dataset holds {len(graphs)} graphs that are no projection of kgplatform",
                where=graphs[0],
                hint="give kgplatform a dataset of its own, or empty this one",
            )
        self._forget_state()
        for name in graphs:
            self._endpoint.update(f"DROP SILENT GRAPH {ox.NamedNode(name)}")
        self._fill(quads)
        self._write_state(state)

    def _forget_state(self) -> None:
        self._endpoint.update(f"{CLEAR_STATE};\n{_OURS}")

    def _fill(self, quads: Iterable[ox.Quad]) -> None:
        for batch in batches(quads, _BATCH):
            self._send_all(insert_texts(batch))

    def _send_all(self, texts: Iterable[str]) -> None:
        for text in texts:
            self._endpoint.update(text)

    def _write_state(self, state: ProjectionState) -> None:
        mark = uuid.uuid4().hex
        self._settle(f"{CLEAR_STATE};\n{insert_state(state, mark=mark)}", mark)

    def _settle(self, text: str, mark: str) -> None:
        """Send an update that leaves a mark; if no answer comes, wait until the mark is there."""
        try:
            self._endpoint.update(text)
            return
        except OutcomeUnknown as error:
            unknown = error
        deadline = time.monotonic() + self._settling
        pause = 0.05
        while True:
            try:
                if read_mark(self._state_triples()) == mark:
                    return
            except StoreError as error:
                unknown.__context__ = error
            if time.monotonic() + pause > deadline:
                raise StoreError(
                    f"it is not known whether an update was applied: {unknown.what}",
                    where=unknown.where,
                    hint="see that the store is idle, then run this again: what was applied is read from the store",
                ) from unknown
            time.sleep(pause)
            pause = min(2 * pause, 1.0)

    def send(self, text: str) -> None:
        """Send one update request as it is. For the probes; the projection changes by `apply` and `load` alone."""
        self._endpoint.update(text)

    def checkpoint(self, directory: Path) -> None:
        """Raises StoreError: a remote store has no checkpoints."""
        raise StoreError(
            "a remote store has no checkpoints", where=str(directory), hint="its server makes backups; the ledger is the ground"
        )

    def close(self) -> None:
        """See GraphStore."""
        self._endpoint.close()

    # -- reading

    def state(self) -> ProjectionState | None:
        """See GraphStore."""
        return read_state(self._state_triples())

    def select(
        self, query: CompiledQuery, *, default_graphs: Sequence[str] = (), named_graphs: Sequence[str] = ()
    ) -> list[dict[str, Term]]:
        """See GraphStore."""
        return list(self._result(query.text, default_graphs=default_graphs, named_graphs=named_graphs).rows())

    def query(self, text: str, *, default_graphs: Sequence[str] = (), named_graphs: Sequence[str] = ()) -> QueryResult:
        """See GraphStore. The text is parsed in this process first, which a hostile one can end: see `workers`."""
        from .guard import portable_text

        return self._result(portable_text(text), default_graphs=default_graphs, named_graphs=named_graphs)

    def graph_names(self) -> frozenset[str]:
        """See GraphStore. The whole dataset is asked, whoever filled it."""
        rows = self._result(_GRAPHS, everything=True).rows()
        return frozenset(row["g"].value for row in rows) - {STATE_GRAPH.value}

    def quads(self, graphs: Iterable[str]) -> Iterator[ox.Quad]:
        """See GraphStore. One request a graph, each held whole before its first quad is given."""
        for name in graphs:
            node = ox.NamedNode(name)
            for triple in self._result(_ALL, default_graphs=(name,)).triples():
                yield ox.Quad(triple.subject, triple.predicate, triple.object, node)

    def evaluate(
        self, text: str, out: IO[bytes], *, default_graphs: Sequence[str] = (), named_graphs: Sequence[str] = ()
    ) -> tuple[Kind, tuple[str, ...]]:
        """Write the answer to a text, which is sent as it is, into a new file as a QueryResult holds it; its kind and variables."""
        found = self._answer(text, out, default_graphs=default_graphs, named_graphs=named_graphs)
        return found.kind, found.variables

    def _state_triples(self) -> list[ox.Triple]:
        # not self._answer: that of RemoteReader reads the state itself
        return list(RemoteStore._answer(self, _ALL, io.BytesIO(), default_graphs=(STATE_GRAPH.value,)).triples())

    def _is_ours(self) -> bool:
        return bool(self._state_triples())

    def _result(
        self, text: str, *, default_graphs: Sequence[str] = (), named_graphs: Sequence[str] = (), everything: bool = False
    ) -> QueryResult:
        held = tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY)  # noqa: SIM115  the result keeps it open
        return self._answer(text, held, default_graphs=default_graphs, named_graphs=named_graphs, everything=everything)

    def _answer(
        self, text: str, out: IO[bytes], *, default_graphs: Sequence[str] = (), named_graphs: Sequence[str] = (), everything: bool = False
    ) -> QueryResult:
        """The answer, read to its end and parsed once: a server that fails half-way splices its error into it (measured)."""
        media_type = self._endpoint.query(
            text, out, accept=_ACCEPT, default_graphs=default_graphs, named_graphs=named_graphs, everything=everything
        )
        out.seek(0)
        return received(out, media_type, where=self._endpoint.query_url)


class RemoteReader(RemoteStore):
    """Reads a store that another process may be writing: each answer is from between two of its commits or loads.

    A projection that is being replaced holds a part of what it should; no answer comes from one.
    """

    @classmethod
    def at(cls, address: RemoteAddress, *, timeout: float = 60.0) -> Self:
        """Not probed: what a state vouches for was written by somebody who did."""
        return cls(
            address.query_url, address.update_url, user=address.user, password=address.password, token=address.token, timeout=timeout
        )

    def _answer(
        self, text: str, out: IO[bytes], *, default_graphs: Sequence[str] = (), named_graphs: Sequence[str] = (), everything: bool = False
    ) -> QueryResult:
        before = read_mark(self._state_triples())
        for _attempt in range(_ATTEMPTS):
            result = super()._answer(text, out, default_graphs=default_graphs, named_graphs=named_graphs, everything=everything)
            after = read_mark(self._state_triples())
            if after and after == before:
                return result
            before = after
            out.seek(0)
            out.truncate()
            time.sleep(_PAUSE)
        raise StoreError("the projection is being replaced", where=self._endpoint.query_url, hint="ask again in a moment")
