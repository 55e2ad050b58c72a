"""Former names: `Levy was renamed Tax on 2023-01-15`, `Tax was formerly called Levy`."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from .grammar import DATE_CLOSE, DATE_OPEN, begins_sentence

_M: Final = "\ue000\\d+\ue001"
_OLD: Final = r"\ue000(?P<old>\d+)\ue001"
_NEW: Final = r"\ue000(?P<new>\d+)\ue001"
_DATES: Final = rf"(?P<dates>(?:,? \(?{DATE_OPEN}\d+{DATE_CLOSE}\)?)*)"
_ONCE: Final = "formerly|previously|originally|once"
_CALLED: Final = "called|named|known as"
_END: Final = rf"(?!,? (?:and|or|&) {_M})(?= ?(?:$|[.;:,!)]|[—–])| (?:and|but|because|so|when|after)\b)"


class Rename(NamedTuple):
    """The numbers of the old and the new name, and of the dates that stand with them."""

    old: int
    new: int
    dates: tuple[int, ...]


_PATTERNS: Final = tuple(
    re.compile(rf"(?<![\w-]){source}{_DATES}{_END}")
    for source in (
        rf"{_OLD} (?:was|has been|got) (?:officially )?renamed (?:to |as |into )?{_NEW}",
        rf"{_OLD} is now (?:{_CALLED}) {_NEW}",
        rf"(?:we|they|{_M}) (?:have |has )?renamed {_OLD} (?:to|as|into) {_NEW}",
        rf"{_NEW} (?:was|has been) renamed from {_OLD}",
        rf"{_NEW},? (?:(?:which |that )?(?:was|is|had been) )?(?:{_ONCE}) (?:{_CALLED}) {_OLD}",
        rf"{_NEW},? \(?(?:{_ONCE})(?: {_CALLED})? {_OLD}\)?",
        rf"{_NEW} was (?:{_CALLED}) {_OLD}(?= {DATE_OPEN})",
    )
)


def renames(template: str) -> tuple[Rename, ...]:
    """The renames that a sentence states; none where it hedges, reports, supposes or asks."""
    by_ends: dict[tuple[int, int], Rename] = {}
    for pattern in _PATTERNS:
        for hit in pattern.finditer(template):
            lead = begins_sentence(template, hit.start())
            if lead is not None:
                dates = tuple(int(n) for n in re.findall(rf"{DATE_OPEN}(\d+){DATE_CLOSE}", lead + hit["dates"]))
                by_ends.setdefault((int(hit["old"]), int(hit["new"])), Rename(int(hit["old"]), int(hit["new"]), dates))
    return tuple(by_ends.values())
