"""The service description of `/sparql`: what a caller may use there. It says nothing about what is stored."""

from __future__ import annotations

from typing import Final

import pyoxigraph as ox
from flask import Response, request

from ..namespaces import Namespace
from ..terms import KG, NAMESPACES, PP, RDFS, SC, TYPE
from ..views.formats import SOLUTION_FORMATS, TRIPLE_FORMATS, QueryResult
from .replies import kept

SD: Final = Namespace("sd", "http://www.w3.org/ns/sparql-service-description#")
VOID: Final = Namespace("void", "http://rdfs.org/ns/void#")
FORMATS: Final = "http://www.w3.org/ns/formats/"
_NAMES: Final = {
    "application/sparql-results+json": "SPARQL_Results_JSON",
    "application/sparql-results+xml": "SPARQL_Results_XML",
    "text/csv": "SPARQL_Results_CSV",
    "text/tab-separated-values": "SPARQL_Results_TSV",
    "text/turtle": "Turtle",
    "application/n-triples": "N-Triples",
    "application/ld+json": "JSON-LD",
    "application/rdf+xml": "RDF_XML",
}
PARAMETERS: Final = (
    "dataset=facts (what holds, plain triples; the default) or dataset=full (assertions with their bounds and sources beside them)",
    "valid-at=DATE asks about another day, recorded-at=DATE about what was known then",
    "timeout=SECONDS ends the query earlier; format=json|xml|csv|tsv|turtle|ntriples|jsonld|rdfxml counts more than Accept",
    f"these prefixes need no declaration: {', '.join(space.prefix for space in NAMESPACES)}",
    "updates, SERVICE, LOAD, FROM, default-graph-uri and named-graph-uri are refused",
)


def described(media_type: str) -> Response:
    """The description in a format of triples."""
    body = QueryResult("triples", (), _statements(request.base_url).encode()).serialised(media_type)
    return kept(body, f"{media_type}; charset=utf-8" if media_type.startswith("text/") else media_type)


def _statements(url: str) -> str:
    """The description as N-Triples."""
    service, dataset, graph = ox.NamedNode(url), ox.NamedNode(f"{url}#dataset"), ox.NamedNode(f"{url}#facts")
    node = ox.NamedNode
    found: list[tuple[ox.NamedNode, str, ox.NamedNode | ox.Literal]] = [
        (service, TYPE, node(SD.Service)),
        (service, SD.endpoint, service),
        (service, SD.supportedLanguage, node(SD.SPARQL11Query)),
        (service, SD.defaultEntailmentRegime, node("http://www.w3.org/ns/entailment/Simple")),
        (service, SD.defaultDataset, dataset),
        (dataset, TYPE, node(SD.Dataset)),
        (dataset, SD.defaultGraph, graph),
        (graph, TYPE, node(SD.Graph)),
        *((dataset, VOID.vocabulary, node(str(space))) for space in (KG, PP, SC)),
        *((service, SD.resultFormat, node(FORMATS + _NAMES[each])) for each in (*SOLUTION_FORMATS, *TRIPLE_FORMATS)),
        *((service, RDFS.comment, ox.Literal(text, language="en")) for text in PARAMETERS),
    ]
    return "".join(f"{subject} {node(relation)} {value} .\n" for subject, relation, value in found)
