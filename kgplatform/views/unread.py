"""What is unread: documents without claims, keys without a mapping, parts that were not taken, masked secrets, guessed values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Final

from ..ledger.notices import Noticed
from ..results import Unread

KINDS: Final = {
    "silent": "documents that gave no claim",
    "unmapped": "keys, columns and terms without a mapping",
    "skipped": "parts that were not taken",
    "masked": "masked secrets",
    "guessed": "values that were normalised or guessed",
}
"""The kinds of model.NOTICE_KINDS in the order of a list of them, in words."""


def unread(notices: Iterable[Noticed]) -> list[Unread]:
    """The notices by kind, the commonest first; of the kind `silent` each document is a row of its own."""
    groups: dict[tuple[str, str, str], list[Noticed]] = {}
    for each in notices:
        groups.setdefault((each.kind, each.what, each.document if each.kind == "silent" else ""), []).append(each)
    rows = [
        Unread(
            kind=kind,
            what=what,
            count=sum(each.count for each in same),
            documents=len({each.document for each in same}),
            document=same[0].document,
            place=same[0].place,
        )
        for (kind, what, _document), same in groups.items()
    ]
    order = list(KINDS)
    return sorted(rows, key=lambda row: (order.index(row.kind), -row.count, row.what, row.document))


def counts(rows: Iterable[Unread]) -> dict[str, int]:
    """Kind -> how many, in the order of KINDS."""
    sums = Counter[str]()
    for row in rows:
        sums[row.kind] += row.count
    return {kind: sums[kind] for kind in KINDS if sums[kind]}
