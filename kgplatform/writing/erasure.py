"""The receipt of an erasure: `erased` at once, `purged` when a scan of every byte has found nothing of it.

With a remote store it stays `erased`, since not every byte is here.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from ..ledger.residue import Sought

ERASED: Final = "erased"
PURGED: Final = "purged"

_PIECE: Final = 1 << 24


@dataclass(frozen=True)
class ErasureReceipt:
    """What became of a document. `strings` are those that it alone had; `found` are files that still hold one.

    `out_of_reach` is the URL of a remote store: whether its server's files and backups hold any of it, no scan from here can tell.
    """

    document: str
    state: str = ERASED
    files: int = 0
    bytes: int = 0
    found: tuple[str, ...] = ()
    out_of_reach: str = ""
    strings: frozenset[str] = field(default=frozenset(), repr=False)

    def as_json(self) -> dict[str, object]:
        return {
            "document": self.document,
            "state": self.state,
            "strings": len(self.strings),
            "files_scanned": self.files,
            "bytes_scanned": self.bytes,
            "found": list(self.found),
            "out_of_reach": self.out_of_reach,
        }


def scanned(receipt: ErasureReceipt, directory: Path) -> ErasureReceipt:
    """The receipt after a scan of every file below the directory for its strings."""
    sought = Sought(receipt.strings)
    files = total = 0
    found = []
    for path in sorted(p for p in directory.rglob("*") if p.is_file()):
        try:
            total += path.stat().st_size
            is_held = _holds(path, sought)
        except FileNotFoundError:  # the store tidies up while it is open
            continue
        files += 1
        if is_held:
            found.append(str(path.relative_to(directory)))
    return replace(receipt, state=ERASED if found or receipt.out_of_reach else PURGED, files=files, bytes=total, found=tuple(found))


def _holds(path: Path, sought: Sought) -> bool:
    tail = b""
    with path.open("rb") as source:
        while piece := source.read(_PIECE):
            piece = tail + piece
            if sought.is_in(piece):
                return True
            tail = piece[max(0, len(piece) - sought.longest) :]
    return False
