"""Identity: mention keys joined by decisions and exact labels -> clusters, canonical keys, types.

Clusters: edges sorted by (human first, score, keys), union-find with cannot-links; of equal-scored
edges into clusters that cannot link, none is taken. Two identifiers of one scheme never link.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from ..model import Decision, Scopes
from ..schema import Schema
from ..terms import (
    ALT_LABEL,
    EXPECTED_TYPE,
    LABEL,
    TYPE,
    authority,
    class_iri,
    is_class,
    is_identified,
    is_literal,
    literal_value,
    scheme,
    text_parts,
)
from .evidence import Evidence


class Identity(NamedTuple):
    """What one view knows of a component: canonical key by member, types by canonical key."""

    canonical: tuple[tuple[str, str], ...]
    types: tuple[tuple[str, frozenset[str]], ...]


NOBODY = Identity((), ())


def identify(keys: Iterable[str], naming: Sequence[Evidence], decisions: Sequence[Decision], schema: Schema) -> Identity:
    """The identity of the given keys, all visible in one view, by its naming evidence and decisions."""
    visible = set(keys)
    if not naming and len(visible) == 1:
        return _stranger(*visible)
    edges = [*decisions, *label_edges(visible, naming, decisions, schema)]
    canonical = cluster(visible, edges) if edges else {key: key for key in visible}
    types: dict[str, set[str]] = defaultdict(set)
    expected: dict[str, set[str]] = defaultdict(set)
    for item in naming:
        found = types if item.fact.relation == TYPE else expected if item.fact.relation == EXPECTED_TYPE else None
        if found is not None and item.fact.positive and is_class(item.fact.object) and item.fact.subject in canonical:
            class_ = class_iri(item.fact.object)
            if class_ in schema.classes:
                found[canonical[item.fact.subject]].add(class_)
    for key, wanted in expected.items():
        types.setdefault(key, wanted)
    return Identity(tuple(sorted(canonical.items())), tuple(sorted((key, frozenset(found)) for key, found in types.items())))


@lru_cache(maxsize=65536)
def _stranger(key: str) -> Identity:
    """A key of which nothing is known."""
    return Identity(((key, key),), ())


def label_edges(keys: set[str], naming: Sequence[Evidence], decisions: Sequence[Decision], schema: Schema) -> list[Decision]:
    """Each text mention that is exactly a label, of any time, of identified keys of its class, all one cluster."""
    texts = sorted(key for key in keys if key.startswith("text:"))
    if not texts:
        return []
    labelled: dict[str, set[str]] = defaultdict(set)
    classes: dict[str, set[str]] = defaultdict(set)
    for item in naming:
        subject, relation, node = item.fact.subject, item.fact.relation, item.fact.object
        if not is_identified(subject) or not item.fact.positive:
            continue
        if relation in (LABEL, ALT_LABEL) and is_literal(node):
            labelled[literal_value(node)].add(subject)
        elif relation == TYPE and is_class(node):
            classes[subject] |= schema.ancestors(class_iri(node))
    human = cluster(keys, [d for d in decisions if d.kind in ("merge", "apart")])
    edges = []
    for text in texts:
        parts = text_parts(text)
        assert parts is not None
        _document, surface, class_ = parts
        hits = sorted(key for key in labelled.get(surface, ()) if key in keys and class_ in classes[key])
        if hits and len({human[key] for key in hits}) == 1:
            edges.append(Decision("auto", text, hits[0]))
    return edges


def cluster(keys: Iterable[str], decisions: Sequence[Decision]) -> dict[str, str]:
    """Key -> canonical key (the smallest member by authority, then key)."""
    parent = {key: key for key in keys}
    members = {key: {key} for key in parent}
    apart = {frozenset((d.a, d.b)) for d in decisions if d.kind == "apart"}

    def find(key: str) -> str:
        while parent[key] != key:
            parent[key] = key = parent[parent[key]]
        return key

    def cannot_link(x: str, y: str) -> bool:
        return any(
            frozenset((p, q)) in apart or (is_identified(p) and scheme(p) == scheme(q)) for p in members[x] for q in members[y]
        )

    edges = [d for d in decisions if d.kind in ("merge", "auto") and d.a in parent and d.b in parent]
    edges.sort(key=lambda d: (d.kind != "merge", -d.score, d.a, d.b))
    scored: dict[str, list[Decision]] = defaultdict(list)
    for edge in edges:
        if edge.kind == "auto":
            scored[edge.a].append(edge)
            scored[edge.b].append(edge)
    refused: set[Decision] = set()
    for key, rivals in scored.items():
        for one, two in itertools.combinations(rivals, 2):
            ends = [find(edge.b if edge.a == key else edge.a) for edge in (one, two)]
            if one.score == two.score and cannot_link(*ends):
                refused |= {one, two}
    for edge in edges:
        x, y = find(edge.a), find(edge.b)
        if edge not in refused and x != y and not cannot_link(x, y):
            parent[y] = x
            members[x] |= members.pop(y)
    canonical = {}
    for group in members.values():
        smallest = min(group, key=authority)
        for key in group:
            canonical[key] = smallest
    return canonical


def components(keys: Iterable[str], naming: Iterable[Evidence], decisions: Iterable[Decision], schema: Schema) -> dict[str, str]:
    """Key -> a representative of its identity component: whatever could be joined in any view."""
    parent = {key: key for key in keys}

    def find(key: str) -> str:
        while parent[key] != key:
            parent[key] = key = parent[parent[key]]
        return key

    def join(a: str, b: str) -> None:
        x, y = find(a), find(b)
        parent[max(x, y)] = min(x, y)

    for decision in decisions:
        if decision.a in parent and decision.b in parent:
            join(decision.a, decision.b)
    mentions: dict[tuple[str, str], list[str]] = defaultdict(list)
    for key in parent:
        if key.startswith("text:"):
            parts = text_parts(key)
            assert parts is not None
            mentions[parts[1], parts[2]].append(key)
    if mentions:
        labels: dict[str, set[str]] = defaultdict(set)
        classes: dict[str, set[str]] = defaultdict(set)
        for item in naming:
            subject, relation, node = item.fact.subject, item.fact.relation, item.fact.object
            if not is_identified(subject):
                continue
            if relation in (LABEL, ALT_LABEL) and is_literal(node):
                labels[subject].add(literal_value(node))
            elif relation == TYPE and is_class(node):
                classes[subject] |= schema.ancestors(class_iri(node))
        for subject, surfaces in labels.items():
            for surface in surfaces:
                for class_ in classes[subject]:
                    for mention in mentions.get((surface, class_), ()):
                        join(mention, subject)
    return {key: find(key) for key in parent}


def visible_keys(named: Mapping[str, Iterable[Scopes]], keys: Iterable[str], view: Scopes) -> frozenset[str]:
    return frozenset(key for key in keys if any(scopes <= view for scopes in named.get(key, ())))
