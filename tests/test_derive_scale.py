"""Work grows with what is read, not with its square: many mentions of one label, many values of one subject."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

from kgplatform.derive.cells import conflicts_of
from kgplatform.derive.derivation import Ground, Rules, derive, named_in
from kgplatform.derive.evidence import Evidence
from kgplatform.derive.identity import cluster, identify
from kgplatform.model import AutoMerge, Candidate, Collection, DerivedAssertion, Fact, Reading
from kgplatform.schema import Class, Relation, Schema
from kgplatform.settings.load import Settings
from kgplatform.terms import LABEL, SC, TYPE, XSD, class_node, literal, text_key
from kgplatform.times import OPEN_END, OPEN_START
from kgplatform.validate.gate import Gate
from kgplatform.writing.writer import Writer

TraceFunction = Callable[[FrameType, str, Any], Any]
NOW = "2025-11-01T00:00:00Z"
SCHEMA = Schema(
    {SC.Component: Class(SC.Component)},
    {
        TYPE: Relation(TYPE),
        LABEL: Relation(LABEL, datatype=XSD.string),
        SC.depends_on: Relation(SC.depends_on, domain=frozenset({SC.Component}), range=frozenset({SC.Component})),
    },
)


def evidence(fact: Fact, document: str) -> Evidence:
    return Evidence(fact, document, frozenset(), 0, (NOW,), ((f"c{abs(hash((document, fact)))}",),), "", "", False)


def growth(work: Callable[[int], object], small: int) -> float:
    """How many times more lines of code four times as much runs: steps and not seconds, so that a busy machine cannot matter."""
    return lines_of(lambda: work(4 * small)) / lines_of(lambda: work(small))


def lines_of(work: Callable[[], object]) -> int:
    """How many lines of code some work runs."""
    run = 0

    def trace(_frame: FrameType, event: str, _value: object) -> TraceFunction:
        nonlocal run
        run += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(before)
    return run


def texts_of_one_label(count: int) -> list[Evidence]:
    named = [
        evidence(Fact("component:tax", TYPE, class_node(SC.Component)), "rows/a"),
        evidence(Fact("component:tax", LABEL, literal("Tax")), "rows/a"),
    ]
    for number in range(count):
        other = f"component:c{number}"
        named.append(evidence(Fact(other, TYPE, class_node(SC.Component)), f"memos/{number}"))
        named.append(evidence(Fact(other, SC.depends_on, text_key(f"memos/{number}", "Tax", SC.Component)), f"memos/{number}"))
    return named


def test_many_documents_that_mention_one_label_are_one_cluster_in_linear_time() -> None:
    def work(count: int) -> None:
        keys = {"component:tax", *(text_key(f"memos/{number}", "Tax", SC.Component) for number in range(count))}
        assert {"component:tax"} == {key for _member, key in identify(keys, texts_of_one_label(0), (), SCHEMA).canonical}

    assert growth(work, 200) < 6


def test_many_facts_about_one_much_mentioned_entity_are_derived_in_linear_time() -> None:
    def work(count: int) -> None:
        found = texts_of_one_label(count)
        rules = Rules(SCHEMA, Gate(SCHEMA), (frozenset(),), NOW, "https://kg.example/")
        assert derive(Ground(found, (), (), named_in(found)), rules).quads

    assert growth(work, 200) < 6


def test_many_values_of_one_subject_are_compared_in_linear_time() -> None:
    def work(count: int) -> None:
        facts = [DerivedAssertion("component:tax", SC.depends_on, f"component:c{n}", (), True, OPEN_START, OPEN_END) for n in range(count)]
        assert [] == conflicts_of(facts, SCHEMA.relations[SC.depends_on])

    assert growth(work, 150) < 6


def test_the_same_score_given_twice_to_one_pair_is_no_tie() -> None:
    scored = AutoMerge("asset:tax", "component:tax", score=0.9)

    assert {"asset:tax"} == set(cluster(["asset:tax", "component:tax"], [scored, scored]).values())


def test_a_change_of_one_document_reads_no_other_that_says_nothing_of_it(tmp_path: Path) -> None:
    def steps(count: int) -> float:
        made = Settings(tmp_path / f"kg{count}", collections={"rows": Collection("rows", "snapshot")}, now=NOW)
        with Writer.create(made) as writer:
            writer.ingest([one_row(number, "Tax") for number in range(count)])
            return lines_of(lambda: writer.ingest([one_row(0, "Levy")]))

    assert steps(200) / steps(50) < 1.3


def one_row(number: int, label: str) -> Reading:
    said = (Fact(f"component:c{number}", TYPE, class_node(SC.Component)), Fact(f"component:c{number}", LABEL, literal(f"{label} {number}")))
    claims = tuple(Candidate(fact, 0, 0, "", "rows") for fact in said)
    return Reading("rows", f"{number}.csv", f"{number}.csv", "", "", claims, "rows/1", content=label.encode())
