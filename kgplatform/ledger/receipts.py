"""Which documents were erased: a keyed hash of each name, so that no byte holds the name, and the scopes that the document had."""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from ..model import Audience, Scopes
from ..times import Instant
from .base import Ledger, scopes_of, scopes_text

_KEY: Final = "receipts"
"""The entry of `meta` that holds the key. It is in backups too; without the ledger nobody can test a name."""


@dataclass(frozen=True)
class Receipts:
    """The erased documents that somebody may know of."""

    key: str = field(default="", repr=False)
    dates: Mapping[str, Instant] = field(default_factory=dict)

    def erased(self, name: str) -> Instant:
        """When the document of this name was erased; '' where it was not."""
        return self.dates.get(_hash(self.key, name), "") if self.dates else ""


def receipts(ledger: Ledger, audience: Audience | None) -> Receipts:
    """The receipts of the documents whose scopes the audience holds; None for all."""
    rows = ledger.rows("SELECT name, scopes, recorded FROM erased")
    return Receipts(
        ledger.meta(_KEY) or "", {name: recorded for name, scopes, recorded in rows if audience is None or scopes_of(scopes) <= audience}
    )


def keep(ledger: Ledger, name: str, scopes: Scopes, recorded: Instant) -> None:
    """Note that a document was erased, inside the open transaction."""
    if ledger.meta(_KEY) is None:
        ledger.set_meta(_KEY, secrets.token_hex(32))
    key = ledger.meta(_KEY) or ""
    ledger.run("INSERT OR REPLACE INTO erased VALUES (?, ?, ?)", _hash(key, name), scopes_text(scopes), recorded)


def drop(ledger: Ledger, name: str) -> None:
    """Remove the receipt: a document of this name was read again."""
    key = ledger.meta(_KEY)
    if key is not None:
        ledger.run("DELETE FROM erased WHERE name = ?", _hash(key, name))


def _hash(key: str, name: str) -> str:
    return hmac.new(key.encode(), name.encode(), "sha256").hexdigest()
