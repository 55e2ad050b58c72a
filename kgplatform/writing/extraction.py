"""From files to readings with claims: documents are read, texts are extracted."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Final

from ..extract.extractors import Extractor, extractor_of
from ..extract.skipped_text import NO_RECORD
from ..ingest.evidence import unmapped_keys
from ..ledger.base import Ledger
from ..ledger.documents import held_scopes, is_known
from ..ledger.notices import summed
from ..model import Candidate, Collection, Fact, Notice, Problem, Reading, Scopes
from ..schema import Schema
from ..settings.load import Settings
from ..terms import EXPECTED_TYPE, class_node, is_entity, text_parts

MODEL: Final = "model"


@dataclass(frozen=True)
class ModelReader:
    """Which texts a language model reads besides: those whose every scope may be sent, and that it has not read already."""

    extractor: Extractor
    send_scopes: Scopes
    ledger: Ledger

    def may_read(self, reading: Reading, collection: Collection | None) -> bool:
        """Whether every scope of the text may be sent to the model."""
        scopes = held_scopes(self.ledger, reading) | (collection.scopes if collection else frozenset())
        return scopes <= self.send_scopes


def reader_of(settings: Settings, schema: Schema, ledger: Ledger) -> ModelReader | None:
    """The configured model as a reader of texts; None where there is none, or its extractor is off."""
    model = settings.model
    if model is None or not model.extractor:
        return None
    return ModelReader(extractor_of(MODEL, schema, settings), model.send_scopes, ledger)


def with_claims(
    readings: Iterable[Reading | Problem],
    *,
    schema: Schema,
    settings: Settings,
    reader: ModelReader | None = None,
) -> Iterator[Reading | Problem]:
    """The readings with the claims of their texts, by the extractors of the settings, and, in open collections, the types that slots expect.

    The extractor's name says which slots it looked at, so that a collection that is opened later is read again.
    """
    extractors: tuple[Extractor, ...] | None = None
    for reading in readings:
        if isinstance(reading, Reading):
            silence = NO_RECORD
            if reading.is_text:
                if extractors is None:
                    extractors = tuple(extractor_of(name, schema, settings) for name in settings.extractors)
                reading, silence = _extracted(reading, extractors)
            collection = settings.collections.get(reading.collection)
            is_open = collection is not None and collection.typed == "open"
            slots = f"+slots-{slots_version(schema)}" if is_open else ""
            if reading.is_text and reader and reader.may_read(reading, collection):
                signed = replace(reading, extractor=f"{reading.extractor}+{reader.extractor.signature}")
                is_read = is_known(reader.ledger, replace(signed, extractor=f"{signed.extractor}{slots}"))
                reading = signed if is_read else _with(reading, reader.extractor)[0]
            reading = replace(reading, notices=accounted(reading, silence))
            if is_open:
                claims = (*reading.claims, *expected_types(reading.claims, schema))
                reading = replace(reading, claims=claims, extractor=f"{reading.extractor}{slots}")
        yield reading


def _extracted(reading: Reading, extractors: Iterable[Extractor]) -> tuple[Reading, str]:
    """A text with the claims of each extractor, in their order, and why the first of them that tells gave none."""
    reading, silence = replace(reading, extractor=""), ""
    for extractor in extractors:
        reading, why = _with(reading, extractor)
        silence = silence or why
    return reading, silence or NO_RECORD


def _with(reading: Reading, extractor: Extractor) -> tuple[Reading, str]:
    """The reading with what an extractor read in it besides, and why that gave no claim."""
    read = extractor.read(reading)
    added = replace(
        reading,
        claims=(*reading.claims, *read.claims),
        extractor="+".join(filter(None, (reading.extractor, extractor.signature))),
        notices=(*reading.notices, *read.notices),
        problems=(*reading.problems, *read.problems),
        complete=reading.complete and read.is_whole,
    )
    return added, read.silence


def accounted(reading: Reading, silence: str) -> tuple[Notice, ...]:
    """The notices of a reading, with the keys whose values became unmapped claims, and why it gave no claim where it gave none."""
    notices = [*reading.notices, *unmapped_keys(reading)]
    if not reading.claims:
        notices.append(Notice("silent", silence))
    return summed(notices)


def slots_version(schema: Schema) -> str:
    """A digest of what `expected_types` reads of the ontology, and of how it reads it."""
    slots = sorted((relation.iri, *sorted(relation.domain), "", *sorted(relation.range)) for relation in schema.relations.values())
    return hashlib.sha256(repr((_SLOT_RULES, slots)).encode()).hexdigest()[:8]


_SLOT_RULES: Final = 3


def expected_types(claims: Iterable[Candidate], schema: Schema) -> list[Candidate]:
    """For each argument, the claim that it is of the class that its slot expects: of a union the common superclass, where there is one.

    A text mention whose sentence expects a narrower class is of that one; a reference has said what it names already.
    """
    expected: dict[tuple[str, str], Candidate] = {}
    claims = tuple(claims)
    referred = {claim.fact.subject for claim in claims if claim.fact.relation == EXPECTED_TYPE}
    for claim in claims:
        relation = schema.relations.get(claim.fact.relation)
        if relation is None:
            continue
        for node, classes in ((claim.fact.subject, relation.domain), (claim.fact.object, relation.range)):
            slot = schema.slot_class(classes)
            if is_entity(node) and slot and node not in referred:
                mention = text_parts(node)
                class_ = mention[2] if mention and schema.is_a([mention[2]], [slot]) else slot
                expected.setdefault((node, class_), claim._replace(fact=Fact(node, EXPECTED_TYPE, class_node(class_)), extractor="slot"))
    return list(expected.values())
