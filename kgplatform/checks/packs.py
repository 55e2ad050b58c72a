"""Reads the packs of the settings: what cannot be used is an error, what has no effect is listed with its place."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import pyoxigraph as ox

from ..errors import OntologyError
from ..extract.unmatched_labels import label_notes
from ..packs.folders import ontology_text, shapes_text
from ..schema import Schema, load_schema
from ..terms import curie
from ..validate.contradictions import contradiction_notes
from ..validate.engines import check_usable
from ..validate.idle_shapes import idle_notes
from ..validate.satisfiable import check_satisfiable
from ..validate.shape_misfits import misfit_notes
from ..validate.shape_syntax import ShapeText, check_syntax
from ..validate.shapegraph import ShapeGraph
from ..validate.shapes import by_hand, shape_notes
from ..validate.unused_axioms import Note, ontology_notes


@dataclass(frozen=True)
class PackReport:
    """The packs as texts, which the ledger releases, and what of them has no effect."""

    ontology: str
    shapes: str
    notes: tuple[Note, ...]

    @property
    def texts(self) -> tuple[str, str]:
        """The ontology and the shapes, as a release holds them."""
        return self.ontology, self.shapes


def read_packs(packs: tuple[str, ...]) -> PackReport:
    """Raises OntologyError, with file, line and shape, for what cannot be used; ConfigError for an unknown pack."""
    return _read(ontology_text(packs), shapes_text(packs))


@lru_cache(maxsize=8)
def _read(ontology: str, shapes: str) -> PackReport:
    schema = load_schema(ontology, shapes)
    told = (*ontology_notes(schema), *contradiction_notes(schema), *label_notes(schema), *checked_shapes(schema))
    return PackReport(ontology, shapes, told)


def checked_shapes(schema: Schema) -> tuple[Note, ...]:
    """What of the schema's shapes has no effect. Raises OntologyError for what cannot be used."""
    # half a second for the packs that come along: what is generated is left out, but where a shape by hand refers to it
    turtle = by_hand(schema.shapes)
    if not ShapeText(turtle).is_whole:
        turtle = schema.shapes
    text = ShapeText(turtle)
    check_syntax(text)
    check_satisfiable(text)
    shapes = ShapeGraph.parse(turtle)
    _check_usable(shapes, text)
    return tuple(
        dict.fromkeys((*shape_notes(schema, text), *misfit_notes(schema, text), *idle_notes(text), *_over_the_entity(shapes, text)))
    )


def _over_the_entity(shapes: ShapeGraph, text: ShapeText) -> Iterator[Note]:
    for shape, parameters in shapes.over_the_entity.items():
        names = ", ".join(sorted(curie(str(parameter)) for parameter in parameters))
        why = "one claim cannot be judged by it: it refuses none, and is a finding over all that is known of a thing"
        yield Note(text.graph.line(ox.NamedNode(shapes.owners[shape])), shapes.name(shape), f"{names}: {why}")


def _check_usable(shapes: ShapeGraph, text: ShapeText) -> None:
    try:
        check_usable(shapes.local())
        check_usable(shapes)
    except OntologyError:
        for root in shapes.roots:
            try:
                check_usable(shapes.part(root).local())
                check_usable(shapes.part(root))
            except OntologyError as fault:
                raise OntologyError(fault.what, where=text.where(ox.NamedNode(root)), hint=fault.hint) from fault
        raise
