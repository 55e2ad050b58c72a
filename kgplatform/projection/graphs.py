"""Derived quads and the graphs they stand in: one graph for each layer and set of audiences."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from typing import Final

import pyoxigraph as ox

from ..derive import DERIVE_VERSION
from ..derive.derivation import Quads
from ..derive.project import FACTS, RECORDS
from ..ledger.base import Ledger
from ..model import Audience, CompiledQuery
from ..settings.tables import DEFAULT_ENGINE
from ..store.base import Delta, GraphStore
from ..terms import KG, XSD
from ..times import MAX, Instant
from .judging import engine_in_force

AUDIENCES: Final = KG.audiences
"""The graph that says which audiences each graph is derived for. No caller is ever given it."""

_SERVES: Final = ox.NamedNode(KG.servesAudience)
_PROJECTED: Final = ox.NamedNode(KG.projectedAudience)
_TABLE: Final = ox.NamedNode(AUDIENCES)
_BOUNDS: Final = frozenset({KG.start, KG.end})


def version_of(ledger: Ledger) -> str:
    """By which rules and from which ledger a projection is made: what other rules or another's facts made is never served."""
    engine = engine_in_force(ledger)
    return f"{DERIVE_VERSION} {ledger.meta('identity')}" + (f" {engine}" if engine != DEFAULT_ENGINE else "")


def audience_name(audience: Audience) -> str:
    """The name of an audience in the table of the graphs: its scopes, or `public`."""
    return " ".join(sorted(audience)) or "public"


def graph_name(layer: str, audiences: frozenset[Audience]) -> str:
    """The IRI of the graph that holds the quads of a layer for exactly these audiences."""
    names = "\n".join(sorted(map(audience_name, audiences)))
    return f"{KG}graph/{layer}/{hashlib.sha256(names.encode()).hexdigest()[:16]}"


def is_of(layer: str, graph: str) -> bool:
    """Whether a graph of that name holds quads of the layer."""
    return graph.startswith(f"{KG}graph/{layer}/")


def quads_of(units: Iterable[Quads]) -> Iterator[ox.Quad]:
    """Each triple in its graph, then the table of the graphs."""
    graphs: dict[tuple[str, frozenset[Audience]], ox.NamedNode] = {}
    for unit in units:
        for (layer, triple), audiences in unit.items():
            graph = graphs.get((layer, audiences))
            if graph is None:
                graph = graphs[layer, audiences] = ox.NamedNode(graph_name(layer, audiences))
            yield ox.Quad(triple.subject, triple.predicate, triple.object, graph)
    yield from _table(graphs)


def _table(graphs: Iterable[tuple[str, frozenset[Audience]]]) -> Iterator[ox.Quad]:
    for layer, audiences in graphs:
        for audience in audiences:
            yield ox.Quad(ox.NamedNode(graph_name(layer, audiences)), _SERVES, ox.Literal(audience_name(audience)), _TABLE)


def audience_quads(audiences: Iterable[Audience]) -> Iterator[ox.Quad]:
    """Which audiences the projection was made for, also those that see nothing."""
    for audience in audiences:
        yield ox.Quad(_TABLE, _PROJECTED, ox.Literal(audience_name(audience)), _TABLE)


def delta_of(before: Quads, after: Quads) -> Delta:
    """What turns one into the other. Table rows are only ever added: an empty graph serves nobody nothing."""
    gone = {layered: audiences for layered, audiences in before.items() if after.get(layered) != audiences}
    come = {layered: audiences for layered, audiences in after.items() if before.get(layered) != audiences}
    removed = frozenset(quad for quad in quads_of([gone]) if quad.graph_name != _TABLE)
    return Delta(removed, frozenset(quads_of([come])))


def projected_audiences(store: GraphStore) -> frozenset[str]:
    """The names of the audiences that the projection was made for."""
    query = CompiledQuery(f"SELECT ?name WHERE {{ GRAPH ?g {{ ?table {_PROJECTED} ?name }} }}", ("name",))
    return frozenset(str(row["name"].value) for row in store.select(query, named_graphs=(AUDIENCES,)))


def is_made_for(store: GraphStore, audiences: Iterable[Audience]) -> bool:
    """Whether the projection was made for these audiences and no others."""
    return projected_audiences(store) == {audience_name(audience) for audience in audiences}


def graphs_of(store: GraphStore, audience: Audience) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """(facts graphs, records graphs) of a caller."""
    text = f"SELECT ?graph WHERE {{ VALUES ?name {{ {ox.Literal(audience_name(audience))} }} GRAPH ?g {{ ?graph {_SERVES} ?name }} }}"
    names = sorted(str(row["graph"].value) for row in store.select(CompiledQuery(text, ("graph",)), named_graphs=(AUDIENCES,)))
    return tuple(n for n in names if is_of(FACTS, n)), tuple(n for n in names if is_of(RECORDS, n))


def next_boundary(quads: Iterable[ox.Quad], now: Instant, *, at_most: Instant) -> Instant:
    """The first instant after now at which one of the assertions among the quads begins or ends."""
    soonest = at_most
    for quad in quads:
        if quad.predicate.value in _BOUNDS and isinstance(quad.object, ox.Literal) and now < quad.object.value < soonest:
            soonest = quad.object.value
    return soonest


def crossing(store: GraphStore, graphs: Iterable[str], after: Instant, until: Instant) -> set[tuple[str, str]]:
    """(subject, relation) IRIs of the assertions that begin or end in (after, until]."""
    low, high = (ox.Literal(instant, datatype=ox.NamedNode(XSD.dateTime)) for instant in (after, until))
    text = (
        f"PREFIX kg: <{KG}> PREFIX rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> "
        f"SELECT DISTINCT ?s ?p WHERE {{ VALUES (?low ?high) {{ ({low} {high}) }} "
        "GRAPH ?g { ?a rdf:subject ?s ; rdf:predicate ?p ; kg:start ?start ; kg:end ?end } "
        "FILTER ((?start > ?low && ?start <= ?high) || (?end > ?low && ?end <= ?high)) }"
    )
    return {(str(r["s"].value), str(r["p"].value)) for r in store.select(CompiledQuery(text, ("s", "p")), named_graphs=tuple(graphs))}


def soonest_boundary(store: GraphStore, graphs: Iterable[str], now: Instant) -> Instant:
    """The same as `next_boundary`, asked of the store."""
    low = ox.Literal(now, datatype=ox.NamedNode(XSD.dateTime))
    text = (
        f"SELECT (MIN(?at) AS ?next) WHERE {{ VALUES ?low {{ {low} }} GRAPH ?g {{ ?a ?bound ?at }} "
        f"FILTER (?bound IN ({ox.NamedNode(KG.start)}, {ox.NamedNode(KG.end)}) && ?at > ?low) }}"
    )
    rows = store.select(CompiledQuery(text, ("next",)), named_graphs=tuple(graphs))
    return str(rows[0]["next"].value) if rows and "next" in rows[0] else MAX
