"""Search over visible names: exact, prefix, word, typing mistakes. The order uses no statistics, so it cannot leak any."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from rapidfuzz import fuzz

from ..derive.project import label_key
from ..query.graphview import GraphView
from ..query.naming import all_names, canonicals, lookup, names_of, types_of
from ..terms import entity_key, nfc

_LEAST_LIKENESS: Final = 75.0
_WAYS: Final = ("exact", "prefix", "word", "similar")


@dataclass(frozen=True, slots=True)
class Hit:
    """An entity whose name matched, and how: exact, prefix, word (in the middle) or similar. `score` is 0 to 100."""

    iri: str
    key: str
    label: str
    types: tuple[str, ...]
    matched: str
    way: str
    score: float

    def as_json(self) -> dict[str, object]:
        return {
            "iri": self.iri,
            "key": self.key,
            "label": self.label,
            "types": ", ".join(self.types),
            "matched": self.matched,
            "way": self.way,
            "score": round(self.score, 1),
        }


def search(view: GraphView, text: str, *, limit: int = 10) -> tuple[Hit, ...]:
    """The entities of the view whose names match best: by way of matching, then likeness, then name, then IRI.

    A score depends on the two texts alone. Visible names are filtered first, the limit comes last.
    """
    wanted = label_key(nfc(text))
    if not wanted:
        return ()
    found: dict[str, tuple[int, float, str]] = {}

    def offer(iri: str, way: int, score: float, name: str) -> None:
        rank = (way, -score, name)
        found[iri] = min(rank, found.get(iri, rank))

    for named in lookup(view, [text])[wanted]:
        offer(named.iri, 0, 100.0, named.name)
    for iri, name, key in all_names(view):
        way, score = _match(wanted, key)
        if way >= 0:
            offer(iri, way, score, name)
    canonical = canonicals(view, found)
    merged: dict[str, tuple[int, float, str]] = {}
    for iri, rank in found.items():
        merged[canonical[iri]] = min(rank, merged.get(canonical[iri], rank))
    best = sorted(merged.items(), key=lambda item: (item[1], item[0]))[:limit]
    names, types = names_of(view, merged), types_of(view, [iri for iri, _ in best])
    return tuple(
        Hit(iri, entity_key(view.base, iri), names[iri], _type_names(view, types.get(iri, frozenset())), name, _WAYS[way], -score)
        for iri, (way, score, name) in best
    )


def _type_names(view: GraphView, types: frozenset[str]) -> tuple[str, ...]:
    """The most special classes, by label."""
    above = {a for t in types for a in view.schema.ancestors(t) if a != t}
    return tuple(sorted(view.schema.label(t) for t in types - above))


def _match(wanted: str, key: str) -> tuple[int, float]:
    """(index of the way, score), or (-1, 0) for no match."""
    if key == wanted:
        return 0, 100.0
    if key.startswith(wanted):
        return 1, 100.0 * len(wanted) / len(key)
    if any(word.startswith(wanted) for word in key.replace("-", " ").split()) or f" {wanted}" in f" {key}":
        return 2, 100.0 * len(wanted) / len(key)
    likeness = fuzz.ratio(wanted, key, score_cutoff=_LEAST_LIKENESS)
    return (3, likeness) if likeness else (-1, 0.0)
