"""Sentences and the facts that they state: golden files of sentence and expected facts, traps among them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from support.texts import read_text

from kgplatform.extract.rules import RuleExtractor
from kgplatform.model import Candidate, Collection, Reading
from kgplatform.packs.folders import ontology_text
from kgplatform.schema import load_schema
from kgplatform.terms import LABEL, class_iri, curie, is_class, is_literal, literal_value, text_parts
from kgplatform.times import OPEN_END, PRECISION_LENGTH, Bound

GOLDEN = Path(__file__).parent / "golden" / "extract"
EXTRACTOR = RuleExtractor(load_schema(ontology_text(("service-catalog", "people-places"))))


def read(text: str, document: str = "page.md") -> Reading:
    return read_text(text.encode(), path=document, collection=Collection("memos"), document=document, declared="")


def facts(text: str) -> list[str]:
    """What the extractor claims of a page, as lines; the labels that come with every name are left out."""
    return [line(c) for c in EXTRACTOR.claims(read(text)) if c.fact.relation != LABEL or c.fact.end]


def line(candidate: Candidate) -> str:
    fact = candidate.fact
    start = f" from {shown(fact.start)}" if fact.start else ""
    end = f" until {shown(fact.end)}" if fact.end else ""
    return f"{'' if fact.positive else 'NOT '}{node(fact.subject)} {local(fact.relation)} {node(fact.object)}{start}{end}"


def node(text: str) -> str:
    if is_literal(text):
        return f'"{literal_value(text)}"'
    if is_class(text):
        return local(class_iri(text))
    parts = text_parts(text)
    assert parts is not None
    return f"{parts[1]}({local(parts[2])})"


def local(iri: str) -> str:
    return curie(iri).split(":")[-1]


def shown(bound: Bound) -> str:
    return "open" if bound == OPEN_END else bound.at[: PRECISION_LENGTH[bound.precision]]


def cases() -> Iterator[tuple[str, list[str]]]:
    for path in sorted(GOLDEN.glob("*.txt")):
        for block in path.read_text(encoding="utf-8").split("\n> ")[1:]:
            sentence, *expected = block.strip().split("\n")
            yield sentence, [text for text in expected if text]


@pytest.mark.parametrize(("sentence", "expected"), list(cases()), ids=lambda value: value[:60] if isinstance(value, str) else "")
def test_a_sentence_yields_exactly_the_facts_it_states(sentence: str, expected: list[str]) -> None:
    assert expected == facts(sentence)


def test_the_golden_files_hold_sentences_that_state_facts_and_traps_that_state_none() -> None:
    stating = [expected for _, expected in cases() if expected]

    assert 100 < len(stating)
    assert 70 < len(list(cases())) - len(stating)
