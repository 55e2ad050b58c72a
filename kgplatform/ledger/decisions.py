"""What humans (and scorers) decided: merge, keep apart, reject a claim. Decisions end, they are not deleted.

A row holds a kind and what it is about, `a` and `b`: two mention keys, or a document and the hash of its fact.
"""

from __future__ import annotations

import hashlib
from itertools import count
from typing import Final, NamedTuple

from ..model import AutoMerge, Decision, IdentityDecision, KeepApart, Merge, Reject
from ..times import Instant
from .base import Ledger, scopes_of, scopes_text

KINDS: Final[dict[type[Decision], str]] = {Merge: "merge", KeepApart: "apart", AutoMerge: "auto", Reject: "refuse"}
"""The kind of a row by the type of its decision."""


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
    values = (*_columns(decision), by, recorded)
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
    return [DecisionRow(row[0], _decision(*row[1:6]), *row[6:]) for row in rows]


def identity_decisions(ledger: Ledger, *, as_of: Instant = "") -> list[IdentityDecision]:
    """What was decided of mention keys, in force now, or at `as_of`."""
    return [decision for decision in _holding(ledger, as_of) if not isinstance(decision, Reject)]


def rejected(ledger: Ledger, *, as_of: Instant = "") -> frozenset[tuple[str, str]]:
    """(document, fact hash or EVERY) of what is rejected now, or was at `as_of`."""
    return frozenset((each.document, each.fact_hash) for each in _holding(ledger, as_of) if isinstance(each, Reject))


def rejections_of(ledger: Ledger, document: str) -> dict[str, DecisionRow]:
    """What is rejected of a document, by the hash of the fact (or EVERY): the decision in force."""
    rows = in_force(ledger)
    return {row.decision.fact_hash: row for row in rows if isinstance(row.decision, Reject) and row.decision.document == document}


def _holding(ledger: Ledger, as_of: Instant) -> list[Decision]:
    sql = (
        "SELECT kind, a, b, scopes, score FROM decision WHERE "
        "CASE WHEN ?1 = '' THEN ended IS NULL ELSE recorded <= ?1 AND (ended IS NULL OR ended > ?1) END ORDER BY id"
    )
    return [_decision(*row) for row in ledger.rows(sql, as_of)]


def _columns(decision: Decision) -> tuple[str, str, str, str, float]:
    """kind, a, b, scopes, score of a decision."""
    a, b = (decision.document, decision.fact_hash) if isinstance(decision, Reject) else (decision.a, decision.b)
    score = decision.score if isinstance(decision, AutoMerge) else 1.0
    return KINDS[type(decision)], a, b, scopes_text(decision.scopes), score


def _decision(kind: str, a: str, b: str, scopes: str, score: float) -> Decision:
    """The decision that such a row holds."""
    held = scopes_of(scopes)
    if kind == KINDS[AutoMerge]:
        return AutoMerge(a, b, held, score)
    made = next(type_ for type_ in (Merge, KeepApart, Reject) if KINDS[type_] == kind)
    return made(a, b, held)
