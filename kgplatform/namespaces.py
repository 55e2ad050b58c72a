"""The namespaces of the vocabularies that the platform knows."""

from __future__ import annotations

from typing import Final


class Namespace:
    """Attribute or item access gives the full IRI as a string: `KG.Assertion`, `KG["Assertion"]`."""

    def __init__(self, prefix: str, iri: str) -> None:
        self._prefix = prefix
        self._iri = iri

    def __getattr__(self, name: str) -> str:
        if name.startswith("__"):
            raise AttributeError(name)
        return self._iri + name

    def __getitem__(self, name: str) -> str:
        return self._iri + name

    def __str__(self) -> str:
        return self._iri

    @property
    def prefix(self) -> str:
        """The prefix by which CURIEs shorten this namespace, without its colon."""
        return self._prefix


KG: Final = Namespace("kg", "https://w3id.org/kgplatform/core#")
SC: Final = Namespace("sc", "https://w3id.org/kgplatform/service-catalog#")
PP: Final = Namespace("pp", "https://w3id.org/kgplatform/people-places#")
UNMAPPED: Final = Namespace("unmapped", "https://w3id.org/kgplatform/unmapped/")
RDF: Final = Namespace("rdf", "http://www.w3.org/1999/02/22-rdf-syntax-ns#")
RDFS: Final = Namespace("rdfs", "http://www.w3.org/2000/01/rdf-schema#")
OWL: Final = Namespace("owl", "http://www.w3.org/2002/07/owl#")
XSD: Final = Namespace("xsd", "http://www.w3.org/2001/XMLSchema#")
SH: Final = Namespace("sh", "http://www.w3.org/ns/shacl#")
SKOS: Final = Namespace("skos", "http://www.w3.org/2004/02/skos/core#")
PROV: Final = Namespace("prov", "http://www.w3.org/ns/prov#")
DCTERMS: Final = Namespace("dcterms", "http://purl.org/dc/terms/")
DC: Final = Namespace("dc", "http://purl.org/dc/elements/1.1/")
FOAF: Final = Namespace("foaf", "http://xmlns.com/foaf/0.1/")
SCHEMA: Final = Namespace("schema", "https://schema.org/")
OLD_SCHEMA: Final = Namespace("schema", "http://schema.org/")

PUBLIC: Final = (RDF, RDFS, OWL, XSD, SH, SKOS, PROV, DCTERMS, DC, FOAF, SCHEMA, OLD_SCHEMA)
"""Vocabularies that packs borrow terms of; a pack's own terms come before them where a bare name could mean either."""
