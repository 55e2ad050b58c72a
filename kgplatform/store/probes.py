"""What a store that is not ours must do right before a projection is trusted to it, tried out in scratch graphs of its own.

A server is asked in its own language; the store of another package is a GraphStore and no more. Each probe leaves nothing behind, also
when it fails.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Final

import pyoxigraph as ox

from ..errors import StoreError, StoreProbeError
from ..model import CompiledQuery
from ..terms import KG, XSD, literal, literal_term
from ..times import MIN
from .base import PROBED, Delta, GraphStore, ProjectionState
from .remote import RemoteStore
from .updates import delete_texts, insert_texts

LITERALS: Final = tuple(
    literal_term(node)
    for node in (
        literal("plain"),
        literal(""),
        literal("Müller"),
        literal("naïve café", language="fr"),
        literal("colour", language="en-gb"),
        literal("שלום עולם", language="he"),
        literal("🦉 owl \U0001d11e"),
        literal("two\nlines\r\n\tand a tab"),
        literal("\"quoted\" 'twice' \\ back\\nslash"),
        literal("<a href='x'>&amp;</a> {?x} $y"),
        literal("2024-03-01T00:00:00Z", XSD.dateTime),
        literal("9999-12-31T00:00:00Z", XSD.dateTime),
        literal("0001-01-01T00:00:00Z", XSD.dateTime),
        literal("2024-02-29", XSD.date),
        literal("1.50", XSD.decimal),
        literal("-0.1", XSD.decimal),
        literal("007", XSD.integer),
        literal("true", XSD.boolean),
        literal("https://example.org/a?b=c#d", XSD.anyURI),
    )
)


@dataclass(frozen=True, slots=True)
class ProbeResult:
    """What one probe saw; `detail` is what was wrong, '' where it passed."""

    name: str
    passed: bool
    detail: str = ""


@dataclass(frozen=True, slots=True)
class _Scratch:
    """Two graphs of one probe, each with one triple of its own about `subject`; what `change` is given happens in the store."""

    store: GraphStore
    change: Callable[[Delta], None]
    first: str
    second: str
    subject: ox.NamedNode

    def rows(self, text: str, *, default: Sequence[str] = (), named: Sequence[str] = ()) -> list[dict[str, str]]:
        names = ("s", "p", "o", "g", "n")
        found = self.store.select(CompiledQuery(text, names), default_graphs=default, named_graphs=named)
        return [{name: term.value for name, term in row.items()} for row in found]

    def quad(self, value: str | ox.Literal, graph: str) -> ox.Quad:
        term = value if isinstance(value, ox.Literal) else ox.Literal(value)
        return ox.Quad(self.subject, ox.NamedNode(KG.probed), term, ox.NamedNode(graph))

    def add(self, *quads: ox.Quad) -> None:
        self.change(Delta(added=frozenset(quads)))

    def remove(self, *quads: ox.Quad) -> None:
        self.change(Delta(removed=frozenset(quads)))


Probe = tuple[str, Callable[[_Scratch], str]]
"""A name, and what gives the fault that it found, '' if none."""


def probe(store: RemoteStore) -> tuple[ProbeResult, ...]:
    """All probes in order. Raises StoreError only where the server cannot be asked at all."""
    store.state()
    return tuple(_tried(lambda: _on_server(store), each) for each in PROBES)


def connect(query_url: str, update_url: str, *, user: str = "", password: str = "", token: str = "", timeout: float = 60.0) -> RemoteStore:
    """The store behind these URLs. Raises StoreProbeError, naming the probe, for a server that cannot be relied on."""
    store = RemoteStore(query_url, update_url, user=user, password=password, token=token, timeout=timeout)
    try:
        _require_probes(store)
    except StoreError:
        store.close()
        raise
    return store


def _require_probes(store: RemoteStore) -> None:
    """Raise StoreProbeError, naming it, at the first probe that fails."""
    _require(probe(store))


def require_store_probes(store: GraphStore) -> None:
    """The same of the store of another package, by what every GraphStore can do. Whether its updates are atomic cannot be tried so."""
    store.state()
    _require(_tried(lambda: _in_store(store), each) for each in STORE_PROBES)


def _require(results: Iterable[ProbeResult]) -> None:
    for result in results:
        if not result.passed:
            raise StoreProbeError(
                f"the store failed the probe '{result.name}': {result.detail}",
                hint="its answers could be wrong or leak: use another server or version, or the embedded store",
            )


def _tried(scratch_of: Callable[[], AbstractContextManager[_Scratch]], each: Probe) -> ProbeResult:
    name, act = each
    try:
        with scratch_of() as scratch:
            detail = act(scratch)
    except StoreError as error:
        detail = str(error)
    return ProbeResult(name, not detail, detail)


@contextmanager
def _on_server(store: RemoteStore) -> Iterator[_Scratch]:
    def send(delta: Delta) -> None:
        for text in (*delete_texts(delta.removed), *insert_texts(delta.added)):
            store.send(text)

    scratch = _scratch(store, send)
    try:
        _fill(scratch)
        yield scratch
    finally:
        for name in (scratch.first, scratch.second):
            store.send(f"DROP SILENT GRAPH {ox.NamedNode(name)}")


@contextmanager
def _in_store(store: GraphStore) -> Iterator[_Scratch]:
    def apply(delta: Delta) -> None:
        store.apply(delta, store.state() or ProjectionState(0, PROBED, MIN, MIN))

    scratch = _scratch(store, apply)
    try:
        _fill(scratch)
        yield scratch
    finally:
        scratch.remove(*store.quads([scratch.first, scratch.second]))


def _scratch(store: GraphStore, change: Callable[[Delta], None]) -> _Scratch:
    stem = f"{KG.probe}/{uuid.uuid4().hex}"
    return _Scratch(store, change, f"{stem}/1", f"{stem}/2", ox.NamedNode(f"{stem}/subject"))


def _fill(scratch: _Scratch) -> None:
    scratch.add(scratch.quad("in the first", scratch.first), scratch.quad("in the second", scratch.second))


# -- the probes: each returns what is wrong, '' if nothing


def _dataset_isolation(scratch: _Scratch) -> str:
    """A query sees the graphs it was given, in the part of the dataset where they were given, and nothing else."""
    first, second, subject = scratch.first, scratch.second, scratch.subject
    other = {"in the second"}
    checks: tuple[tuple[str, str, Sequence[str], Sequence[str], set[str]], ...] = (
        ("a default graph shows more or less than itself", "SELECT ?o { ?s ?p ?o }", [first], [], {"in the first"}),
        ("an empty dataset is not empty", "SELECT ?o { { ?s ?p ?o } UNION { GRAPH ?g { ?s ?p ?o } } }", [], [], set()),
        ("a default graph can be named", "SELECT ?o { GRAPH ?g { ?s ?p ?o } }", [first], [], set()),
        ("another graph can be named", f"SELECT ?o {{ GRAPH {ox.NamedNode(second)} {{ ?s ?p ?o }} }}", [first], [], set()),
        ("a named graph shows in the default graph", "SELECT ?o { ?s ?p ?o }", [], [first], set()),
        ("named graphs are more or less than those given", "SELECT ?o { GRAPH ?g { ?s ?p ?o } }", [first], [second], other),
        ("a path leaves the default graph", f"SELECT ?o {{ {subject} !{ox.NamedNode(KG.none)} ?o }}", [second], [], other),
        (
            "EXISTS sees other graphs",
            f"SELECT ?o {{ VALUES ?o {{ 1 }} FILTER EXISTS {{ GRAPH {ox.NamedNode(second)} {{ ?s ?p ?x }} }} }}",
            [first],
            [],
            set(),
        ),
    )
    for wrong, text, default, named, expected in checks:
        if {row["o"] for row in scratch.rows(text, default=default, named=named)} != expected:
            return wrong
    described = scratch.store.query(f"DESCRIBE {subject}", default_graphs=[first])
    if any("in the second" in str(triple.object) for triple in described.triples()):
        return "DESCRIBE shows other graphs"
    return ""


def _multi_operation_rollback(scratch: _Scratch) -> str:
    """Of a request whose last operation fails, the first has not happened either."""
    assert isinstance(scratch.store, RemoteStore)
    inserted = insert_texts([scratch.quad("half an update", scratch.first)])[0]
    failures = 0
    for failing in (f"CREATE GRAPH {ox.NamedNode(scratch.second)}", "LOAD <urn:kgplatform:nothing-to-load>"):
        try:
            scratch.store.send(f"{inserted};\n{failing}")
        except StoreError:
            failures += 1
            if {"o": "half an update"} in scratch.rows("SELECT ?o { ?s ?p ?o }", default=[scratch.first]):
                return "a failed update request was applied in part"
    return "" if failures else "no operation could be made to fail, so that it was not seen whether requests are atomic"


def _literal_round_trip(scratch: _Scratch) -> str:
    """Literals come back as they went in, and can be taken away again."""
    quads = [scratch.quad(term, scratch.first) for term in LITERALS]
    scratch.add(*quads)
    back = {quad.object for quad in scratch.store.quads([scratch.first])}
    for term in LITERALS:
        if term not in back:
            return f"a literal was changed: {term}"
    scratch.remove(*quads)
    left = [quad.object for quad in scratch.store.quads([scratch.first])]
    return "" if left == [ox.Literal("in the first")] else f"literals could not be removed: {len(left) - 1}"


def _duplicate_counting(scratch: _Scratch) -> str:
    """A triple that was added twice counts once, and two graphs merged count as their triples."""
    again = scratch.quad("in the first", scratch.first)
    scratch.add(again)
    scratch.add(again, scratch.quad("in the second too", scratch.second))
    text = "SELECT (COUNT(*) AS ?n) { ?s ?p ?o }"
    for graphs, expected in (([scratch.first], "1"), ([scratch.first, scratch.second], "3")):
        if scratch.rows(text, default=graphs) != [{"n": expected}]:
            return f"{expected} triples in {len(graphs)} graphs are counted as {scratch.rows(text, default=graphs)[0].get('n')}"
    return ""


PROBES: Final[tuple[Probe, ...]] = (
    ("dataset isolation", _dataset_isolation),
    ("multi-operation rollback", _multi_operation_rollback),
    ("literal round trip", _literal_round_trip),
    ("duplicate counting", _duplicate_counting),
)
STORE_PROBES: Final = tuple(each for each in PROBES if each[1] is not _multi_operation_rollback)
"""Those that need no update of their own making."""
