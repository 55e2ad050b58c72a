"""Decisions follow the mentions that they cite: a newer extractor, or ontology, may expect another class of a name in the same text.

Then the mention has another key. What was decided of the old one is decided of the new one, from that reading on; what was known before
keeps it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import replace

from ..model import Fact, Reject
from ..terms import text_parts
from ..times import Instant
from . import decisions
from .base import Ledger
from .claims import fact_hash, facts_of_version


def moved_mentions(ledger: Ledger, before: int, after: int, *, is_one: Callable[[str, str], bool]) -> dict[str, str]:
    """Text mention of the version `before` -> the mention that has its place in the version `after` of the same content.

    That is the only one there with the same words whose class is, by `is_one(old, new)`, the same or a fitting one.
    """
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
    """Move what was decided of the mentions, and of claims that name them. Returns the keys that are touched.

    A decision stays beside the moved one where another version of the document still names its mention.
    """
    hashes = {fact_hash(fact): fact_hash(_renamed(fact, moved)) for fact in facts_of_version(ledger, before)} if moved else {}
    touched: set[str] = set()
    for row in decisions.in_force(ledger) if moved else ():
        decision = row.decision
        if isinstance(decision, Reject):
            new_hash = hashes.get(decision.fact_hash, decision.fact_hash)
            if decision.document == document and new_hash != decision.fact_hash:
                decisions.add(ledger, replace(decision, fact_hash=new_hash), by=row.by, recorded=recorded)
                decisions.end(ledger, row.id, by=row.by, recorded=recorded)
        elif {decision.a, decision.b} & moved.keys():
            moved_decision = replace(decision, a=moved.get(decision.a, decision.a), b=moved.get(decision.b, decision.b))
            touched |= {decision.a, decision.b, moved_decision.a, moved_decision.b}
            decisions.add(ledger, moved_decision, by=row.by, recorded=recorded)
            if not any(_is_named_elsewhere(ledger, key, before) for key in {decision.a, decision.b} & moved.keys()):
                decisions.end(ledger, row.id, by=row.by, recorded=recorded)
    return touched


def _renamed(fact: Fact, moved: Mapping[str, str]) -> Fact:
    return fact._replace(subject=moved.get(fact.subject, fact.subject), object=moved.get(fact.object, fact.object))


def _mentions(ledger: Ledger, version: int) -> dict[str, tuple[str, str, str]]:
    keys = {key for fact in facts_of_version(ledger, version) for key in (fact.subject, fact.object)}
    return {key: parts for key in keys if (parts := text_parts(key))}


def _is_named_elsewhere(ledger: Ledger, key: str, version: int) -> bool:
    return ledger.row("SELECT 1 FROM claim WHERE version <> ?1 AND (subject = ?2 OR object = ?2)", version, key) is not None
