"""Which XSD datatype is derived from which (XML Schema 1.1 part 2, figure 3): a value of the one is a value of the other."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from ..terms import XSD

_CHAINS: Final = (
    "decimal integer nonPositiveInteger negativeInteger",
    "integer long int short byte",
    "integer nonNegativeInteger positiveInteger",
    "nonNegativeInteger unsignedLong unsignedInt unsignedShort unsignedByte",
    "string normalizedString token language",
    "token NMTOKEN",
    "token Name NCName",
    "dateTime dateTimeStamp",
    "duration yearMonthDuration",
    "duration dayTimeDuration",
)
_BASE: Final = {XSD[derived]: XSD[base] for chain in _CHAINS for base, derived in zip(chain.split(), chain.split()[1:], strict=False)}


@lru_cache(maxsize=256)
def bases(datatype: str) -> tuple[str, ...]:
    """The datatype itself and all that it is derived from, nearest first. A float is no double, nor either a decimal."""
    out = [datatype]
    while out[-1] in _BASE:
        out.append(_BASE[out[-1]])
    return tuple(out)
