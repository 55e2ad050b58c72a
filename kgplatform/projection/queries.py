"""Queries over a projection that every view asks."""

from __future__ import annotations

from collections.abc import Iterable

import pyoxigraph as ox

from ..model import CompiledQuery
from ..terms import KG, PROV, RDF, XSD
from ..times import Instant


def holding_at(instant: Instant) -> CompiledQuery:
    """`s`, `p`, `o` of the facts that hold then."""
    at = ox.Literal(instant, datatype=ox.NamedNode(XSD.dateTime))
    text = (
        f"PREFIX kg: <{KG}> PREFIX rdf: <{RDF}> SELECT DISTINCT ?s ?p ?o WHERE {{ VALUES ?at {{ {at} }} "
        "GRAPH ?g { ?a rdf:subject ?s ; rdf:predicate ?p ; rdf:object ?o ; kg:plain true ; kg:start ?start ; kg:end ?end } "
        "FILTER (?start <= ?at && ?at < ?end) }"
    )
    return CompiledQuery(text, ("s", "p", "o"))


def claims_behind(assertions: Iterable[str]) -> CompiledQuery:
    """`a`, `c` of each of these assertions and the claims that it was derived from."""
    listed = " ".join(str(ox.NamedNode(iri)) for iri in assertions)
    text = f"SELECT ?a ?c WHERE {{ VALUES ?a {{ {listed} }} GRAPH ?g {{ ?a <{PROV.wasDerivedFrom}> ?c }} }}"
    return CompiledQuery(text, ("a", "c"))
