"""Queries over the records of a view: what is refused, what disagrees, and labels."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import pyoxigraph as ox

from ..model import CompiledQuery
from ..terms import DCTERMS, KG, RDF, RDFS, XSD
from .graphview import GraphView

_PREFIXES: Final = f"PREFIX kg: <{KG}> PREFIX rdf: <{RDF}> PREFIX rdfs: <{RDFS}> PREFIX dcterms: <{DCTERMS}> "
REFUSED: Final = CompiledQuery(
    _PREFIXES + "SELECT ?claim ?code ?message WHERE { GRAPH ?g { ?claim kg:quarantined ?code } "
    "OPTIONAL { GRAPH ?h { ?claim kg:quarantineReason ?message } } }",
    ("claim", "code", "message"),
)
CONFLICTS: Final = CompiledQuery(
    _PREFIXES
    + "SELECT ?a ?rival ?subject ?relation ?object ?start ?end ?startKind ?endKind ?startPrecision ?endPrecision ?startAfter ?endAfter ?positive "
    "WHERE { GRAPH ?g { ?a kg:conflictsWith ?rival } GRAPH ?h { ?a rdf:subject ?subject ; rdf:predicate ?relation ; rdf:object ?object ; "
    "kg:start ?start ; kg:end ?end ; kg:startKind ?startKind ; kg:endKind ?endKind ; kg:startPrecision ?startPrecision ; "
    "kg:endPrecision ?endPrecision ; kg:positive ?positive . OPTIONAL { ?a kg:startAfter ?startAfter } OPTIONAL { ?a kg:endAfter ?endAfter } } }",
    (
        "a",
        "rival",
        "subject",
        "relation",
        "object",
        "start",
        "end",
        "startKind",
        "endKind",
        "startPrecision",
        "endPrecision",
        "startAfter",
        "endAfter",
        "positive",
    ),
)


def labels(view: GraphView, iris: Iterable[str]) -> dict[str, str]:
    """IRI -> its label at the view's instant, for those that have one."""
    rows = " ".join(str(ox.NamedNode(iri)) for iri in sorted(iris) if ":" in iri and " " not in iri)
    if not rows:
        return {}
    at = ox.Literal(view.valid_at, datatype=ox.NamedNode(XSD.dateTime))
    text = (
        f"{_PREFIXES} SELECT ?s ?label WHERE {{ VALUES ?s {{ {rows} }} VALUES ?at {{ {at} }} GRAPH ?g {{ ?a rdf:subject ?s ; "
        "rdf:predicate rdfs:label ; rdf:object ?label ; kg:start ?start ; kg:end ?end ; kg:positive true } FILTER (?start <= ?at && ?at < ?end) }"
    )
    found = sorted((row["s"].value, row["label"].value) for row in view.select(CompiledQuery(text, ("s", "label"))))
    return dict(reversed(found))
