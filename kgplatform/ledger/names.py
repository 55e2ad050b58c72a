"""Which relations name things, by the release in force, and the surface by which a name is found."""

from __future__ import annotations

from ..terms import ALT_LABEL, LABEL, is_literal, literal_value
from .base import Ledger

_KEY = "names"


def name_relations(ledger: Ledger) -> frozenset[str]:
    """The relations whose values are names; those of every ontology where nothing was noted yet."""
    return frozenset((ledger.meta(_KEY) or f"{LABEL} {ALT_LABEL}").split())


def surface(relation: str, node: str, names: frozenset[str]) -> str | None:
    """The text that a claim gives as a name, None for any other claim."""
    return literal_value(node) if relation in names and is_literal(node) else None


def follow_names(ledger: Ledger, names: frozenset[str]) -> bool:
    """Note which relations name things, inside the open transaction; claims of other relations lose their surface.

    Returns whether the relations changed: then everything must be derived again.
    """
    before = name_relations(ledger)
    if before == names:
        return False
    ledger.set_meta(_KEY, " ".join(sorted(names)))
    ledger.use_keys("names_now", set(names))
    ledger.run("UPDATE claim SET surface = NULL WHERE surface IS NOT NULL AND relation NOT IN (SELECT key FROM names_now)")
    ledger.use_keys("names_new", names - before)
    new = list(ledger.rows("SELECT rowid, object FROM claim WHERE surface IS NULL AND relation IN (SELECT key FROM names_new)"))
    surfaces = [(literal_value(node), row) for row, node in new if is_literal(node)]
    ledger.db.executemany("UPDATE claim SET surface = ? WHERE rowid = ?", surfaces)
    return True
