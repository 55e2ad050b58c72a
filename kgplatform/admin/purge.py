"""Completing erasures that were cut short."""

from __future__ import annotations

from typing import NamedTuple

from ..projection.consistency import unknown_originals
from ..results import Receipt
from ..settings.load import Settings
from ..writing.writer import Writer


class Purged(NamedTuple):
    """The receipt of each erasure that was completed, and how many originals went that no document named."""

    receipts: list[Receipt]
    leftovers: int


def purge(settings: Settings) -> Purged:
    """Complete erasures that were cut short, and remove the originals that a killed ingest left."""
    with Writer.open(settings) as writer:
        leftovers = len(unknown_originals(writer.directory, writer.ledger))
        return Purged([each.receipt for each in writer.complete()], leftovers)
