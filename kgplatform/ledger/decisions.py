"""What humans (and scorers) decided: merge, keep apart, refuse a claim. Decisions end, they are not deleted."""

from __future__ import annotations

import hashlib
from itertools import count
from typing import NamedTuple

from ..model import Decision
from ..times import Instant
from .base import Ledger, scopes_of, scopes_text


class DecisionRow(NamedTuple):
    id: int
    decision: Decision
    by: str
    recorded: Instant


def add(ledger: Ledger, decision: Decision, *, by: str, recorded: Instant) -> int:
    """Record a decision inside the open transaction; its id, made of what it says: a running number would count hidden ones."""
    values = (decision.kind, decision.a, decision.b, scopes_text(decision.scopes), decision.score, by, recorded)
    ids = (int(hashlib.sha256(repr((*values, again)).encode()).hexdigest()[:10], 16) for again in count())
    made = next(each for each in ids if ledger.row("SELECT 1 FROM decision WHERE id = ?", each) is None)
    return ledger.run(
        "INSERT INTO decision (id, kind, a, b, scopes, score, by, recorded) VALUES (?, ?, ?, ?, ?, ?, ?, ?)", made, *values
    )


def end(ledger: Ledger, decision: int, *, recorded: Instant) -> None:
    """The decision no longer holds from now on; what was known before keeps it."""
    ledger.run("UPDATE decision SET ended = ? WHERE id = ? AND ended IS NULL", recorded, decision)


def discards(ledger: Ledger) -> dict[int, bool]:
    """The decisions that a claim is not wanted, and whether each is in force."""
    return {int(id_): ended is None for id_, ended in ledger.rows("SELECT id, ended FROM decision WHERE kind = 'refuse'")}


def in_force(ledger: Ledger) -> list[DecisionRow]:
    rows = ledger.rows("SELECT id, kind, a, b, scopes, score, by, recorded FROM decision WHERE ended IS NULL ORDER BY recorded, id")
    return [DecisionRow(row[0], Decision(row[1], row[2], row[3], scopes_of(row[4]), row[5]), row[6], row[7]) for row in rows]
