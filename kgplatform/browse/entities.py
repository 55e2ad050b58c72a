"""One entity's facts as RDF."""

from __future__ import annotations

import pyoxigraph as ox

from ..query.statistics import triples_about
from ..terms import NAMESPACES
from ..views.view import View


def triples(view: View, iri: str, form: ox.RdfFormat) -> bytes:
    """The facts that hold, with the entity at either end, as direct triples in that format."""
    prefixes = {space.prefix: str(space) for space in NAMESPACES} if form != ox.RdfFormat.N_TRIPLES else None
    return ox.serialize(triples_about(view, iri), format=form, prefixes=prefixes) or b""  # None is for who names a file
