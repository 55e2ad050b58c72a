"""Identity: mention keys joined by decisions and exact labels -> clusters, canonical keys, types.

Clusters: edges sorted by (human first, score, keys), union-find with cannot-links; of equal-scored
edges into clusters that cannot link, none is taken. Two identifiers of one scheme never link.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from ..model import AutoMerge, IdentityDecision, KeepApart, Merge, Scopes
from ..schema import Schema
from ..terms import (
    EXPECTED_TYPE,
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
    """What one view knows of a component: canonical key by member, types by canonical key.

    The types of the keys in `expected` are only what references and slots expect: no source states one.
    """

    canonical: tuple[tuple[str, str], ...]
    types: tuple[tuple[str, frozenset[str]], ...]
    expected: frozenset[str] = frozenset()


def identify(keys: Iterable[str], naming: Sequence[Evidence], decisions: Sequence[IdentityDecision], schema: Schema) -> Identity:
    """The identity of the given keys, all visible in one view, by its naming evidence and decisions."""
    visible = set(keys)
    if not naming and len(visible) == 1:
        return _stranger(*visible)
    edges = [*decisions, *_label_edges(visible, naming, decisions, schema)]
    canonical = cluster(visible, edges) if edges else {key: key for key in visible}
    types: dict[str, set[str]] = defaultdict(set)
    expected: dict[str, set[str]] = defaultdict(set)
    for item in naming:
        target = types if item.fact.relation == TYPE else expected if item.fact.relation == EXPECTED_TYPE else None
        if target is not None and item.fact.positive and is_class(item.fact.object) and item.fact.subject in canonical:
            class_ = class_iri(item.fact.object)
            if class_ in schema.classes:
                target[canonical[item.fact.subject]].add(class_)
    only_expected = frozenset(expected.keys() - types.keys())
    for key in only_expected:
        types[key] = expected[key]
    return Identity(
        tuple(sorted(canonical.items())), tuple(sorted((key, frozenset(target)) for key, target in types.items())), only_expected
    )


@lru_cache(maxsize=65536)
def _stranger(key: str) -> Identity:
    """A key of which nothing is known."""
    return Identity(((key, key),), ())


def _label_edges(keys: set[str], naming: Sequence[Evidence], decisions: Sequence[IdentityDecision], schema: Schema) -> list[AutoMerge]:
    """Each text mention that is exactly a label, of any time, of identified keys of its class, all one cluster.

    What a reference expects of a key is its class where no source states one.
    """
    texts = sorted(key for key in keys if key.startswith("text:"))
    if not texts:
        return []
    labelled: dict[str, set[str]] = defaultdict(set)
    stated: dict[str, frozenset[str]] = {}
    expected: dict[str, frozenset[str]] = {}
    for item in naming:
        subject, relation, node = item.fact.subject, item.fact.relation, item.fact.object
        if not is_identified(subject) or not item.fact.positive:
            continue
        if relation in schema.name_properties and is_literal(node):
            labelled[literal_value(node)].add(subject)
        elif relation in (TYPE, EXPECTED_TYPE) and is_class(node):
            of = stated if relation == TYPE else expected
            of[subject] = of.get(subject, frozenset()) | schema.ancestors(class_iri(node))
    classes = expected | stated
    human = cluster(keys, [d for d in decisions if not isinstance(d, AutoMerge)])
    target_of: dict[tuple[str, str], str] = {}
    for text in texts:
        parts = text_parts(text)
        assert parts is not None
        _document, surface, class_ = parts
        if (surface, class_) not in target_of:
            hits = sorted(key for key in labelled.get(surface, ()) if key in keys and class_ in classes.get(key, ()))
            target_of[surface, class_] = hits[0] if hits and len({human[key] for key in hits}) == 1 else ""
    return [AutoMerge(text, hit) for text in texts if (parts := text_parts(text)) and (hit := target_of[parts[1:]])]


def cluster(keys: Iterable[str], decisions: Sequence[IdentityDecision]) -> dict[str, str]:
    """Key -> canonical key (the smallest member by authority, then key)."""
    parent = {key: key for key in keys}
    members = {key: [key] for key in parent}
    schemes = {key: {scheme(key)} if is_identified(key) else set() for key in parent}
    foes: dict[str, set[str]] = {key: set() for key in parent}
    for d in decisions:
        if isinstance(d, KeepApart) and d.a in parent and d.b in parent:
            foes[d.a].add(d.b)
            foes[d.b].add(d.a)

    def find(key: str) -> str:
        while parent[key] != key:
            parent[key] = key = parent[parent[key]]
        return key

    edges = [d for d in decisions if d.a in parent and d.b in parent]
    merges = sorted((d for d in edges if isinstance(d, Merge)), key=lambda d: (d.a, d.b))
    scored = sorted((d for d in edges if isinstance(d, AutoMerge)), key=lambda d: (-d.score, d.a, d.b))
    refused = _ties(scored, foes)
    ordered: list[Merge | AutoMerge] = [*merges, *scored]
    for edge in ordered:
        x, y = sorted((find(edge.a), find(edge.b)), key=lambda root: -len(members[root]))
        if edge not in refused and x != y and schemes[x].isdisjoint(schemes[y]) and all(find(foe) != x for foe in foes[y]):
            parent[y] = x
            for by_root in (schemes, foes):
                by_root[x] |= by_root.pop(y)
            members[x] += members.pop(y)
    canonical = {}
    for group in members.values():
        smallest = min(group, key=authority)
        for key in group:
            canonical[key] = smallest
    return canonical


def _ties(scored: Sequence[AutoMerge], foes: Mapping[str, set[str]]) -> set[AutoMerge]:
    """Edges from one key to ends that cannot be one, of equal score."""
    alike: dict[tuple[str, float], dict[str, set[AutoMerge]]] = defaultdict(lambda: defaultdict(set))
    for edge in scored:
        alike[edge.a, edge.score][edge.b].add(edge)
        alike[edge.b, edge.score][edge.a].add(edge)
    refused: set[AutoMerge] = set()
    for ends in alike.values():
        schemes = Counter(scheme(end) for end in ends if is_identified(end))
        for end, edges in ends.items():
            if schemes[scheme(end)] > 1 or not foes[end].isdisjoint(ends):
                refused |= edges
    return refused


def components(keys: Iterable[str], naming: Iterable[Evidence], decisions: Iterable[IdentityDecision], schema: Schema) -> dict[str, str]:
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
            if relation in schema.name_properties and is_literal(node):
                labels[subject].add(literal_value(node))
            elif relation in (TYPE, EXPECTED_TYPE) and is_class(node):
                classes[subject] |= schema.ancestors(class_iri(node))
        for subject, surfaces in labels.items():
            for surface in surfaces:
                for class_ in classes[subject]:
                    for mention in mentions.get((surface, class_), ()):
                        join(mention, subject)
    return {key: find(key) for key in parent}


def visible_keys(named: Mapping[str, Iterable[Scopes]], keys: Iterable[str], view: Scopes) -> frozenset[str]:
    """Those of the keys that some evidence within the view names; `named` has the scopes under which each key is named."""
    return frozenset(key for key in keys if any(scopes <= view for scopes in named.get(key, ())))
