"""The function words of English that questions read by their place, never as words of the ontology."""

from __future__ import annotations

from typing import Final

WH: Final = frozenset({"who", "whom", "what", "which", "where", "when"})
DO: Final = frozenset({"do", "does", "did"})
BE: Final = frozenset({"is", "are", "was", "were", "be", "been", "being"})
HAVE: Final = frozenset({"has", "have", "had"})
PAST_AUXILIARIES: Final = frozenset({"did", "was", "were", "had"})
DETERMINERS: Final = frozenset({"the", "a", "an", "any", "some"})
UNIVERSAL: Final = frozenset({"all", "every", "each"})
"""What holds of all of several is not asked for: such a word is read only where things are listed."""
STOP: Final = (
    WH
    | DO
    | BE
    | HAVE
    | DETERMINERS
    | UNIVERSAL
    | {"and", "or", "not", "no", "how", "many", "since", "until", "that", "whose", "without", "there", "'s", "most", "fewest"}
    | {"nothing", "nobody"}
)
