"""One cell: the accepted claims of one (subject, relation) -> assertions, their evidence, and conflicts."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ..model import DerivedAssertion, Fact
from ..schema import Relation, Schema
from ..terms import EXPECTED_TYPE, TYPE, is_entity, is_literal
from ..times import OBSERVED, OPEN, STATED, SUCCEEDED, UNKNOWN, Bound
from .evidence import Evidence
from .intervals import Interval, intervals, surely_from, surely_to


class FactKey(NamedTuple):
    """What makes claims one fact, in canonical form: its ends are canonical keys, or a literal or class node."""

    subject: str
    relation: str
    object: str
    qualifiers: tuple[tuple[str, str], ...]
    positive: bool


class Cell(NamedTuple):
    """The outcome of a cell. `empty` is the evidence of intervals that hold at no time."""

    assertions: dict[DerivedAssertion, tuple[Evidence, ...]]
    conflicts: frozenset[frozenset[DerivedAssertion]]
    empty: tuple[Evidence, ...]


def turn(fact: Fact, schema: Schema) -> Fact:
    """The fact in its canonical form.

    An inverse relation is turned round if its object is an entity, an expected type becomes a type, and a literal has the declared datatype.
    """
    if fact.relation == EXPECTED_TYPE:
        return fact._replace(relation=TYPE)
    relation, is_turned = schema.canonical(fact.relation)
    if is_turned and is_entity(fact.object):
        return fact._replace(subject=fact.object, relation=relation, object=fact.subject)
    declared = schema.relations.get(fact.relation)
    if declared and declared.datatype and is_literal(fact.object):
        node = declared.widened(fact.object)
        return fact if node == fact.object else fact._replace(object=node)
    return fact


def _fact_key(fact: Fact, canonical: Mapping[str, str], schema: Schema) -> FactKey:
    """The key that claims of one fact share: canonical ends, those of a symmetric relation in one order."""
    turned = turn(fact, schema)
    subject, node = canonical[turned.subject], canonical.get(turned.object, turned.object)
    declared = schema.relations.get(turned.relation)
    if declared and declared.symmetric and node < subject:
        subject, node = node, subject
    return FactKey(subject, turned.relation, node, turned.qualifiers, turned.positive)


def derive_cell(accepted: Sequence[Evidence], canonical: Mapping[str, str], schema: Schema) -> Cell:
    """The outcome of the accepted evidence of one cell; `canonical` has the canonical key of every key that it names."""
    facts: dict[FactKey, list[Evidence]] = defaultdict(list)
    for item in accepted:
        facts[_fact_key(item.fact, canonical, schema)].append(item)
    dated = [(key, interval) for key in sorted(facts) for interval in intervals(facts[key])]
    relation = schema.relations.get(dated[0][0].relation) if dated else None
    ends = close(dated, relation) if relation and relation.functional else {}

    assertions: dict[DerivedAssertion, tuple[Evidence, ...]] = {}
    empty: list[Evidence] = []
    for index, (key, interval) in enumerate(dated):
        start, end = interval.bounds
        assertion = DerivedAssertion(*key, start, ends.get(index, end))
        if assertion.start.at >= assertion.end.at:
            empty += interval.evidence
        else:
            assertions[assertion] = assertions.get(assertion, ()) + tuple(interval.evidence)
    conflicts = frozenset(conflicts_of(list(assertions), relation)) if len(assertions) > 1 else frozenset()
    return Cell(assertions, conflicts, tuple(empty))


def _are_rivals(a: FactKey | DerivedAssertion, b: FactKey | DerivedAssertion, relation: Relation) -> bool:
    """Whether two facts of a functional relation give one subject different values."""
    if not (a[4] and b[4]) or a[3] != b[3] or a[1] != b[1]:
        return False
    if a[0] == b[0] and a[2] != b[2]:
        return True
    return relation.symmetric and a[:5] != b[:5] and len({a[0], a[2]} & {b[0], b[2]}) == 1


def close(dated: Sequence[tuple[FactKey, Interval]], relation: Relation) -> dict[int, Bound]:
    """Ends that a later value's stated start gives, by index into `dated`.

    An unknown or open end is closed if the claims that state the start have at least equal trust and no
    source saw the old value on or after it. An observed end whose range contains the start moves to it.
    """
    ends: dict[int, Bound] = {}
    if len(dated) < 2:
        return ends
    meeting = _meeting([key for key, _interval in dated], relation)
    for index, (key, interval) in enumerate(dated):
        start, end = interval.bounds
        starts = []
        for rival_key, rival in (dated[other] for place in _ends(key, relation) for other in meeting[place]):
            rival_start = rival.bounds[0]
            if rival_start.kind != STATED or rival_start.at <= start.at or not _are_rivals(key, rival_key, relation):
                continue
            if interval.last_seen >= rival_start.at:
                continue
            if end.kind in (UNKNOWN, OPEN):
                if max(item.trust for item in rival.evidence if item.fact.start) >= interval.trust:
                    starts.append(rival_start)
            elif end.kind == OBSERVED and end.after < rival_start.at <= end.at:
                starts.append(rival_start)
        if starts:
            first = min(starts, key=lambda bound: bound.at)
            ends[index] = Bound(SUCCEEDED, first.at, first.precision)
    return ends


def conflicts_of(assertions: Sequence[DerivedAssertion], relation: Relation | None) -> list[frozenset[DerivedAssertion]]:
    """Pairs that cannot both hold: values whose sure parts overlap, a negative against its positive, dates."""
    pairs = []
    same: dict[tuple[object, ...], list[DerivedAssertion]] = defaultdict(list)
    for assertion in assertions:
        same[assertion[:4]].append(assertion)
    for group in same.values():
        for a, b in itertools.combinations(group, 2):
            if (a.positive != b.positive and _surely_overlap(a, b)) or (
                a.positive == b.positive and a.start.at < b.end.at and b.start.at < a.end.at
            ):
                pairs.append(frozenset((a, b)))
    if relation is not None and relation.functional:
        for indexes in _meeting(assertions, relation).values():
            for a, b in itertools.combinations([assertions[index] for index in indexes], 2):
                if _are_rivals(a, b, relation) and _surely_overlap(a, b):
                    pairs.append(frozenset((a, b)))
    return pairs


def _surely_overlap(a: DerivedAssertion, b: DerivedAssertion) -> bool:
    return max(surely_from(a.start), surely_from(b.start)) < min(surely_to(a.end), surely_to(b.end))


def _ends(fact: FactKey | DerivedAssertion, relation: Relation) -> tuple[str, ...]:
    """Where a fact of a functional relation can meet a rival."""
    return (fact[0], fact[2]) if relation.symmetric and fact[0] != fact[2] else (fact[0],)


def _meeting(facts: Sequence[FactKey | DerivedAssertion], relation: Relation) -> dict[str, list[int]]:
    """The facts that meet at each end, by index: rivals are looked for there alone, since a cell may hold thousands."""
    by_end: dict[str, list[int]] = defaultdict(list)
    for index, fact in enumerate(facts):
        for end in _ends(fact, relation):
            by_end[end].append(index)
    return by_end
