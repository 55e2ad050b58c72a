"""What an erasure still has to look for: kept with the erasure, sealed, until no byte holds it, so that a killed one is completed.

The strings of an erased document must not stand in the ledger, where the search would meet them: they are kept
combined with random bytes of the same length, and both go when the search has ended.
"""

from __future__ import annotations

import json
import secrets
from typing import NamedTuple

from ..times import Instant
from .base import Ledger


class Pending(NamedTuple):
    """An erased document whose bytes are not known to be gone; `originals` are the hashes of contents that it alone had."""

    id: int
    document: str
    strings: frozenset[str]
    originals: frozenset[str]
    recorded: Instant


def keep(ledger: Ledger, document: str, strings: frozenset[str], originals: frozenset[str], recorded: Instant) -> None:
    """Note inside the open transaction what an erasure has to look for: these strings, and the originals with these hashes."""
    content = json.dumps([document, sorted(strings), sorted(originals)]).encode()
    pad = secrets.token_bytes(len(content))
    ledger.run("INSERT INTO unpurged (recorded, pad, sealed) VALUES (?, ?, ?)", recorded, pad, _combined(content, pad))


def pending(ledger: Ledger) -> list[Pending]:
    """The erasures that are not completed, oldest first."""
    unfinished = []
    for id_, recorded, pad, sealed in ledger.rows("SELECT id, recorded, pad, sealed FROM unpurged ORDER BY id"):
        document, strings, originals = json.loads(_combined(sealed, pad))
        unfinished.append(Pending(int(id_), document, frozenset(strings), frozenset(originals), recorded))
    return unfinished


def forget(ledger: Ledger, id_: int) -> None:
    """Remove the note of an erasure whose search has ended."""
    ledger.run("DELETE FROM unpurged WHERE id = ?", id_)


def _combined(content: bytes, pad: bytes) -> bytes:
    return (int.from_bytes(content, "big") ^ int.from_bytes(pad, "big")).to_bytes(len(pad), "big")
