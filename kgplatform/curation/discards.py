"""Refused claims that a steward did not want, which judging again may bring back."""

from __future__ import annotations

from contextlib import closing
from typing import NamedTuple

from ..data_directory import DataDir
from ..ledger.decisions import in_force
from ..model import Reject, Scopes
from ..projection.consistency import open_ledger
from ..settings.load import Settings
from ..times import Instant


class Discard(NamedTuple):
    """The decision `id` that a claim of a document is not wanted."""

    id: int
    document: str
    by: str
    recorded: Instant


def discards(settings: Settings, scopes: Scopes) -> list[Discard]:
    """The discards in force that rest on documents which holders of these scopes may see."""
    with closing(open_ledger(DataDir(settings.data))) as ledger:
        rows = in_force(ledger)
    seen = ((row, row.decision) for row in rows if row.decision.scopes <= scopes)
    return [Discard(row.id, decision.document, row.by, row.recorded) for row, decision in seen if isinstance(decision, Reject)]
