"""Search over visible names: exact, prefix, word, typing mistakes. The order uses no statistics, so it cannot leak any."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Final

from rapidfuzz import fuzz

from ..derive.project import label_key
from ..query.entity_names import Name, all_names, canonicals, lookup, names_of, types_of
from ..query.graphview import GraphView
from ..results import Hit
from ..terms import entity_key, nfc

_LEAST_LIKENESS: Final = 75.0
_WAYS: Final = ("exact", "prefix", "word", "similar")
_SIMILAR: Final = _WAYS.index("similar")


def search(view: GraphView, text: str, *, limit: int = 10) -> tuple[Hit, ...]:
    """The entities of the view whose names match best: by way of matching, then likeness, then name, then IRI.

    A score depends on the two texts alone. Visible names are filtered first, the limit comes last.
    Similar names, which stand last, are looked for only where the limit leaves room for them.
    """
    wanted = label_key(nfc(text))
    if not wanted:
        return ()
    ranks: Ranks = {}
    for named in lookup(view, [text])[wanted]:
        _offer(ranks, named.iri, (0, -100.0, named.name))
    _match_all(ranks, wanted, all_names(view, containing=wanted))
    merged = _merged(view, ranks)
    if sum(way < _SIMILAR for way, *_ in merged.values()) < limit:
        _match_all(ranks, wanted, all_names(view, lengths=_alike(len(wanted))))
        merged = _merged(view, ranks)
    best = sorted(merged.items(), key=lambda item: (item[1], item[0]))[:limit]
    names, types = names_of(view, [iri for iri, _ in best]), types_of(view, [iri for iri, _ in best])
    return tuple(
        Hit(
            iri=iri,
            key=entity_key(view.base, iri),
            label=names[iri],
            types=", ".join(_type_names(view, types.get(iri, frozenset()))),
            matched=name,
            way=_WAYS[way],
            score=round(-score, 1),
        )
        for iri, (way, score, name) in best
    )


Ranks = dict[str, tuple[int, float, str]]
"""Entity -> the index of its best way of matching, the score turned round, the name that matched."""


def _offer(found: Ranks, iri: str, rank: tuple[int, float, str]) -> None:
    found[iri] = min(rank, found.get(iri, rank))


def _match_all(found: Ranks, wanted: str, names: Iterable[Name]) -> None:
    for iri, name, key in names:
        way, score = _match(wanted, key)
        if way >= 0:
            _offer(found, iri, (way, -score, name))


def _merged(view: GraphView, found: Ranks) -> Ranks:
    """The ranks by canonical entity."""
    canonical = canonicals(view, found)
    merged: Ranks = {}
    for iri, rank in found.items():
        _offer(merged, canonical[iri], rank)
    return merged


def _type_names(view: GraphView, types: frozenset[str]) -> tuple[str, ...]:
    """The most special classes, by label."""
    above = {a for t in types for a in view.schema.ancestors(t) if a != t}
    return tuple(sorted(view.schema.label(t) for t in types - above))


def _alike(length: int) -> tuple[int, int]:
    """How long a name is that may be like a text of this length: by each letter that one has more, they are less alike."""
    share = _LEAST_LIKENESS / 100
    return int(length * share / (2 - share)), math.ceil(length * (2 - share) / share)


def _match(wanted: str, key: str) -> tuple[int, float]:
    """(index of the way, score), or (-1, 0) for no match."""
    if key == wanted:
        return 0, 100.0
    if key.startswith(wanted):
        return 1, 100.0 * len(wanted) / len(key)
    if any(word.startswith(wanted) for word in key.replace("-", " ").split()) or f" {wanted}" in f" {key}":
        return 2, 100.0 * len(wanted) / len(key)
    likeness = fuzz.ratio(wanted, key, score_cutoff=_LEAST_LIKENESS)
    return (_SIMILAR, likeness) if likeness else (-1, 0.0)
