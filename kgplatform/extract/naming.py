"""Which class each name of a document has: one per name where the document says it, else what its slot expects."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from ..schema import Schema


@dataclass(frozen=True)
class TextNaming:
    """What is known of the names of one document, by surface.

    `typed` comes from its type sentences, `gazetteer` is curated, `hints` come from class nouns beside a name
    ("the Tax service"), `recognised` from an entity recogniser, `former` maps an old name to the new one.
    """

    schema: Schema
    typed: Mapping[str, str] = field(default_factory=dict)
    gazetteer: Mapping[str, str] = field(default_factory=dict)
    hints: Mapping[str, str] = field(default_factory=dict)
    recognised: Mapping[str, str] = field(default_factory=dict)
    former: Mapping[str, str] = field(default_factory=dict)
    slots: Mapping[str, frozenset[str]] = field(default_factory=dict)

    def current(self, surface: str) -> str:
        """The name itself, or the one it was renamed to in this document."""
        seen = {surface}
        while surface in self.former and self.former[surface] not in seen:
            surface = self.former[surface]
            seen.add(surface)
        return surface

    def known(self, surface: str) -> str:
        """The class that the document or the gazetteer gives a name; '' where neither does."""
        return self.typed.get(surface) or self.gazetteer.get(surface) or self.hints.get(surface) or ""

    def class_of(self, surface: str, slot: str) -> str:
        """The class of a mention in a slot. A known class stays, also where the slot expects another: the gate then says so."""
        known = self.known(surface)
        if known:
            return known
        found = [slot] if slot else []
        found += [c for c in sorted(self.slots.get(surface, ())) if self.are_compatible(c, slot)]
        seen = self.recognised.get(surface, "")
        if seen and self.are_compatible(seen, slot):
            found.append(seen)
        return self.narrowest(found)

    def narrowest(self, classes: Iterable[str]) -> str:
        """The class with the most superclasses, the first by IRI among equal ones; an empty text for no class."""
        return min(classes, key=lambda c: (-len(self.schema.ancestors(c)), c), default="")

    def are_compatible(self, a: str, b: str) -> bool:
        """Whether one is the other or below it; an unknown class fits everywhere."""
        return not a or not b or self.schema.is_a([a], [b]) or self.schema.is_a([b], [a])
