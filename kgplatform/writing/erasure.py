"""The receipt of an erasure: `erased` at once, `purged` when a scan of every byte has found nothing of it.

With a remote store it stays `erased`, since not every byte is here.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final, NamedTuple

from ..ledger.residue import Sought
from ..results import Receipt

ERASED: Final = "erased"
PURGED: Final = "purged"

_PIECE: Final = 1 << 24


class Erasure(NamedTuple):
    """The receipt of an erasure, with the strings that the document alone had."""

    receipt: Receipt
    strings: frozenset[str]

    @classmethod
    def of(cls, document: str, strings: frozenset[str]) -> Erasure:
        """Of a document that is forgotten, before its bytes are looked for."""
        receipt = Receipt(
            document=document, state=ERASED, strings=len(strings), files_scanned=0, bytes_scanned=0, found=(), out_of_reach=""
        )
        return cls(receipt, strings)


def scanned(document: str, strings: frozenset[str], directory: Path, *, out_of_reach: str) -> Erasure:
    """The erasure of a document after a scan of every file below the directory for its strings.

    `out_of_reach` is the URL of a remote store ('' is none): whether its server's files and backups hold any of them, no scan from here can tell.
    """
    sought = Sought(strings)
    files = total = 0
    holding = []
    for path in sorted(p for p in directory.rglob("*") if p.is_file()):
        try:
            total += path.stat().st_size
            is_held = _holds(path, sought)
        except FileNotFoundError:  # the store tidies up while it is open
            continue
        files += 1
        if is_held:
            holding.append(str(path.relative_to(directory)))
    receipt = Receipt(
        document=document,
        state=ERASED if holding or out_of_reach else PURGED,
        strings=len(strings),
        files_scanned=files,
        bytes_scanned=total,
        found=tuple(holding),
        out_of_reach=out_of_reach,
    )
    return Erasure(receipt, strings)


def _holds(path: Path, sought: Sought) -> bool:
    tail = b""
    with path.open("rb") as source:
        while piece := source.read(_PIECE):
            piece = tail + piece
            if sought.is_in(piece):
                return True
            tail = piece[max(0, len(piece) - sought.longest) :]
    return False
