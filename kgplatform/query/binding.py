"""Small queries over the records: terms are serialised by the library and stand in a leading VALUES row."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Final, TypeVar

import pyoxigraph as ox

from ..model import CompiledQuery
from ..terms import DCTERMS, KG, PROV, RDF, Term
from .graphview import GraphView

T = TypeVar("T")

PREFIXES: Final = f"PREFIX rdf: <{RDF}>\nPREFIX kg: <{KG}>\nPREFIX prov: <{PROV}>\nPREFIX dcterms: <{DCTERMS}>\n"
_BATCH: Final = 500


def nodes(iris: Iterable[str]) -> list[str]:
    """The IRIs as SPARQL terms, for a VALUES row. Raises ValueError for a text that is no IRI."""
    return [str(ox.NamedNode(iri)) for iri in iris]


def texts(values: Iterable[str]) -> list[str]:
    """The texts as SPARQL string literals, escaped, for a VALUES row."""
    return [str(ox.Literal(value)) for value in values]


def rows(view: GraphView, variable: str, terms: Sequence[str], *, select: Sequence[str], where: str) -> Iterator[dict[str, Term]]:
    """The solutions of `where` for each of the terms in `variable`, in batches. `where` is a text of our own."""
    for batch in _batches(dict.fromkeys(terms), _BATCH):
        values = f"VALUES ?{variable} {{ {' '.join(batch)} }}"
        listed = " ".join(f"?{name}" for name in select)
        text = f"{PREFIXES}SELECT DISTINCT {listed} WHERE {{\n{values}\n{where}\n}}"
        yield from view.select(CompiledQuery(text, tuple(select), {variable: " ".join(batch)}))


def _batches(items: Iterable[T], size: int) -> Iterator[list[T]]:
    remaining = iter(items)
    while batch := list(islice(remaining, size)):
        yield batch
