"""What is unread: documents without claims, keys without a mapping, parts that were not taken, masked secrets, guessed values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any, Final

from ..ledger.notices import Noticed

KINDS: Final = {
    "silent": "documents that gave no claim",
    "unmapped": "keys, columns and terms without a mapping",
    "skipped": "parts that were not taken",
    "masked": "masked secrets",
    "guessed": "values that were normalised or guessed",
}
"""The kinds of model.NOTICE_KINDS in the order of a list of them, in words."""


@dataclass(frozen=True, slots=True)
class UnreadNotice:
    """One thing that is unread: how often and in how many documents, with one of them and the place in it.

    Of the kind `silent` each document is a row of its own.
    """

    kind: str
    what: str
    count: int
    documents: int
    document: str
    place: str

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def unread(notices: Iterable[Noticed]) -> list[UnreadNotice]:
    """The notices by kind, the commonest first."""
    groups: dict[tuple[str, str, str], list[Noticed]] = {}
    for each in notices:
        groups.setdefault((each.kind, each.what, each.document if each.kind == "silent" else ""), []).append(each)
    rows = [
        UnreadNotice(kind, what, sum(each.count for each in same), len({each.document for each in same}), same[0].document, same[0].place)
        for (kind, what, _document), same in groups.items()
    ]
    order = list(KINDS)
    return sorted(rows, key=lambda row: (order.index(row.kind), -row.count, row.what, row.document))


def counts(rows: Iterable[UnreadNotice]) -> dict[str, int]:
    """Kind -> how many, in the order of KINDS."""
    sums = Counter[str]()
    for row in rows:
        sums[row.kind] += row.count
    return {kind: sums[kind] for kind in KINDS if sums[kind]}
