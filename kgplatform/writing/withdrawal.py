"""After an ingest: documents whose files are gone are told, and with --sync withdrawn."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ..ingest.document_names import shortened
from ..ingest.missing_files import below, is_doubtful, is_gone
from ..ledger.sources import sources
from ..model import Audience, Problem

if TYPE_CHECKING:
    from .writer import Writer


class Vanished(NamedTuple):
    """How many documents are gone and still count, how many were withdrawn, and a line for each (for the first, of many)."""

    gone: int = 0
    withdrawn: int = 0
    lines: tuple[Problem, ...] = ()


def settled(writer: Writer, paths: Sequence[Path], audience: Audience | None, *, collection: str, sync: bool, yes: bool) -> Vanished:
    """Tell of, or withdraw, the documents of the folders whose files are gone; only those that the audience may read, None for all."""
    expected = below(sources(writer.ledger, audience), paths, collection=collection)
    lost = list(dict.fromkeys(each for known in expected.values() for each in known if is_gone(each)))
    if not sync:
        lines = [Problem(each.file, f"is gone; {each.name} still counts", "ingest the folder with --sync to withdraw it") for each in lost]
        return Vanished(len(lost), 0, tuple(shortened(lines)))
    doubtful = [folder for folder, known in expected.items() if is_doubtful(known)]
    if doubtful and not yes:
        what = f"lacks {len(lost):,} of {sum(map(len, expected.values())):,} files that were read from it: nothing was withdrawn"
        return Vanished(len(lost), 0, (Problem(doubtful[0], what, "see that it is whole, then add --yes"),))
    writer.withdraw(lost)
    return Vanished(0, len(lost), tuple(shortened([Problem(each.file, f"is gone; {each.name} is withdrawn") for each in lost])))
