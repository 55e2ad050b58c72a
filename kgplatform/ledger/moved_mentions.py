"""Decisions follow the mentions that they cite: a newer extractor, or ontology, may expect another class of a name in the same text.

Then the mention has another key. What was decided of the old one is decided of the new one, from that reading on; what was known before
keeps it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping

from ..model import Fact
from ..terms import text_parts
from ..times import Instant
from . import decisions
from .base import Ledger
from .claims import fact_hash, facts_of_version


def moved_mentions(ledger: Ledger, before: int, after: int, *, is_one: Callable[[str, str], bool]) -> dict[str, str]:
    """Text mention of one version -> that of another of the same content in its place: the only one there with its words and a class that
    `is_one`."""
    old, new = _mentions(ledger, before), _mentions(ledger, after)
    places: dict[tuple[str, str], list[tuple[str, str]]] = defaultdict(list)
    for key, (document, surface, class_) in new.items():
        places[document, surface].append((key, class_))
    moved = {}
    for key, (document, surface, class_) in old.items():
        fitting = [other for other, wanted in places[document, surface] if is_one(class_, wanted)]
        if key not in new and len(fitting) == 1:
            moved[key] = fitting[0]
    return moved


def follow(ledger: Ledger, document: str, before: int, moved: Mapping[str, str], *, recorded: Instant) -> set[str]:
    """Move what was decided of the mentions, and of claims that name them; the keys that this touches.

    A decision stays beside the moved one where another version of the document still names its mention.
    """
    hashes = {fact_hash(fact): fact_hash(_renamed(fact, moved)) for fact in facts_of_version(ledger, before)} if moved else {}
    touched: set[str] = set()
    for row in decisions.in_force(ledger) if moved else ():
        one = row.decision
        if one.kind == "refuse":
            other = one._replace(b=hashes.get(one.b, one.b)) if one.a == document else one
        else:
            other = one._replace(a=moved.get(one.a, one.a), b=moved.get(one.b, one.b))
            touched |= {one.a, one.b, other.a, other.b} if other != one else set()
        if other != one:
            decisions.add(ledger, other, by=row.by, recorded=recorded)
            if one.kind == "refuse" or not any(_is_named_elsewhere(ledger, key, before) for key in {one.a, one.b} & moved.keys()):
                decisions.end(ledger, row.id, by=row.by, recorded=recorded)
    return touched


def _renamed(fact: Fact, moved: Mapping[str, str]) -> Fact:
    return fact._replace(subject=moved.get(fact.subject, fact.subject), object=moved.get(fact.object, fact.object))


def _mentions(ledger: Ledger, version: int) -> dict[str, tuple[str, str, str]]:
    keys = {key for fact in facts_of_version(ledger, version) for key in (fact.subject, fact.object)}
    return {key: parts for key in keys if (parts := text_parts(key))}


def _is_named_elsewhere(ledger: Ledger, key: str, version: int) -> bool:
    return ledger.row("SELECT 1 FROM claim WHERE version <> ?1 AND (subject = ?2 OR object = ?2)", version, key) is not None
