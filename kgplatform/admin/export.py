"""What a view shows, written as RDF."""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO, Final

import pyoxigraph as ox

from ..terms import KG, NAMESPACES, RDF
from ..views.view import View

RECORDS_GRAPH: Final = ox.NamedNode(KG.records)
_PARTS: Final = {RDF.subject: 0, RDF.predicate: 1, RDF.object: 2}
_REIFIES: Final = ox.NamedNode(RDF.reifies)
_PREFIXES: Final = {space.prefix: str(space) for space in NAMESPACES}


def export(view: View, out: IO[bytes], *, form: str = "trig") -> int:
    """Write what the view shows, and return how many statements that is.

    trig    the facts in the default graph, the records in the graph kg:records
    rdf12   Turtle 1.2: the facts, and each assertion as a reifier of its triple
    """
    facts = set(view.triples("facts"))
    records = (triple for triple in view.triples("full") if triple not in facts)
    quads = [ox.Quad(t.subject, t.predicate, t.object) for t in sorted(facts, key=str)]
    if form == "trig":
        quads += [ox.Quad(t.subject, t.predicate, t.object, RECORDS_GRAPH) for t in records]
        ox.serialize(quads, out, format=ox.RdfFormat.TRIG, prefixes=_PREFIXES)
    else:
        quads += _reified(records)
        ox.serialize((quad.triple for quad in quads), out, format=ox.RdfFormat.TURTLE, prefixes=_PREFIXES)
    return len(quads)


def _reified(records: Iterator[ox.Triple]) -> Iterator[ox.Quad]:
    """Records whose rdf:subject, rdf:predicate and rdf:object are one rdf:reifies."""
    parts: dict[ox.NamedNode | ox.BlankNode | ox.Triple, list[object]] = {}
    for triple in records:
        place = _PARTS.get(triple.predicate.value)
        if place is None:
            yield ox.Quad(triple.subject, triple.predicate, triple.object)
        else:
            parts.setdefault(triple.subject, [None] * 3)[place] = triple.object
    for node, (subject, predicate, object_) in parts.items():
        yield ox.Quad(node, _REIFIES, ox.Triple(subject, predicate, object_))  # type: ignore[arg-type]
