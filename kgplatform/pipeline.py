"""From files to readings with claims: documents are read, texts are extracted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from .extract.rules import RuleExtractor
from .model import Candidate, Collection, Fact, Problem, Reading
from .schema import Schema
from .terms import EXPECTED_TYPE, class_node, is_entity


def with_claims(readings: Iterable[Reading | Problem], *, schema: Schema, collections: dict[str, Collection], model: str = "") -> Iterator[Reading | Problem]:
    """The readings with the claims of their texts, and, in open collections, the types that slots expect."""
    extractor: RuleExtractor | None = None
    for reading in readings:
        if isinstance(reading, Reading):
            if reading.is_text:
                extractor = extractor or RuleExtractor(schema, model=model)
                reading = replace(reading, claims=extractor.claims(reading), extractor=extractor.signature)
            collection = collections.get(reading.collection)
            if collection and collection.typed == "open":
                reading = replace(reading, claims=(*reading.claims, *expected_types(reading.claims, schema)))
        yield reading


def expected_types(claims: Iterable[Candidate], schema: Schema) -> list[Candidate]:
    """For each argument whose slot expects exactly one class, the claim that it is of that class."""
    found: dict[tuple[str, str], Candidate] = {}
    for claim in claims:
        relation = schema.relations.get(claim.fact.relation)
        if relation is None:
            continue
        for node, classes in ((claim.fact.subject, relation.domain), (claim.fact.object, relation.range)):
            if is_entity(node) and len(classes) == 1:
                (class_,) = classes
                found.setdefault((node, class_), claim._replace(fact=Fact(node, EXPECTED_TYPE, class_node(class_)), extractor="slot"))
    return list(found.values())
