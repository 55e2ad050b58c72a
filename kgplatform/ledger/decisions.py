"""What humans (and scorers) decided: merge, keep apart, refuse a claim. Decisions end, they are not deleted."""

from __future__ import annotations

import hashlib
from itertools import count
from typing import NamedTuple

from ..model import Decision
from ..times import Instant
from .base import Ledger, scopes_of, scopes_text


class DecisionRow(NamedTuple):
    """A decision as it is recorded: who took it, when and why, and when and by whom it was ended ('' while it holds)."""

    id: int
    decision: Decision
    by: str
    recorded: Instant
    reason: str = ""
    ended: Instant = ""
    ended_by: str = ""


def add(ledger: Ledger, decision: Decision, *, by: str, recorded: Instant, reason: str = "") -> int:
    """Record a decision inside the open transaction; its id, made of what it says: a running number would count hidden ones."""
    values = (decision.kind, decision.a, decision.b, scopes_text(decision.scopes), decision.score, by, recorded)
    ids = (int(hashlib.sha256(repr((*values, again)).encode()).hexdigest()[:10], 16) for again in count())
    made = next(each for each in ids if ledger.row("SELECT 1 FROM decision WHERE id = ?", each) is None)
    return ledger.run(
        "INSERT INTO decision (id, kind, a, b, scopes, score, by, recorded, reason) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        made,
        *values,
        reason,
    )


def end(ledger: Ledger, decision: int, *, by: str, recorded: Instant) -> None:
    """The decision no longer holds from now on; what was known before keeps it."""
    ledger.run("UPDATE decision SET ended = ?, ended_by = ? WHERE id = ? AND ended IS NULL", recorded, by, decision)


def discards(ledger: Ledger) -> dict[int, bool]:
    """The decisions that a claim is not wanted, and whether each is in force."""
    return {int(id_): ended is None for id_, ended in ledger.rows("SELECT id, ended FROM decision WHERE kind = 'refuse'")}


def in_force(ledger: Ledger) -> list[DecisionRow]:
    """The decisions that hold now, by when they were recorded."""
    return [row for row in every(ledger) if not row.ended]


def every(ledger: Ledger) -> list[DecisionRow]:
    """All decisions, those that ended too, by when they were recorded."""
    rows = ledger.rows(
        "SELECT id, kind, a, b, scopes, score, by, recorded, reason, coalesce(ended, ''), ended_by FROM decision ORDER BY recorded, id"
    )
    return [DecisionRow(row[0], Decision(row[1], row[2], row[3], scopes_of(row[4]), row[5]), *row[6:]) for row in rows]


def refusing(ledger: Ledger, document: str) -> dict[str, DecisionRow]:
    """What is rejected of a document, by the hash of the fact (or `claims.EVERY`): the decision in force."""
    return {row.decision.b: row for row in in_force(ledger) if row.decision.kind == "refuse" and row.decision.a == document}
