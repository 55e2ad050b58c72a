"""Short names of IRIs: by the platform's prefixes and those of the packs, or by the local name alone."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from ..namespaces import PUBLIC
from ..terms import NAMESPACES

_PUBLIC: Final = tuple(map(str, PUBLIC))
BUILT_IN: Final = {space.prefix: str(space) for space in NAMESPACES}


@dataclass(frozen=True)
class Names:
    """Prefix -> namespace. `clashing` are prefixes for which the packs, or a pack and the platform, name several namespaces.

    The platform's own prefixes keep their meaning; another clashing prefix has none.
    """

    prefixes: dict[str, str] = field(default_factory=lambda: dict(BUILT_IN))
    clashing: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def expand(self, text: str) -> str:
        """The IRI of a CURIE with a known prefix; anything else is returned as it is."""
        prefix, colon, local = text.partition(":")
        return self.prefixes[prefix] + local if colon and prefix in self.prefixes else text

    def curie(self, iri: str) -> str:
        """The short form of an IRI, or `<iri>` where no prefix fits."""
        fitting = [(len(space), prefix) for prefix, space in self.prefixes.items() if iri.startswith(space) and len(iri) > len(space)]
        if not fitting:
            return f"<{iri}>"
        length, prefix = max(fitting, key=lambda each: (each[0], each[1] in BUILT_IN, each[1]))
        return f"{prefix}:{iri[length:]}"

    def meanings(self, text: str, known: Iterable[str]) -> list[str]:
        """The known IRIs that an IRI, a CURIE or a bare local name may mean.

        A bare name means terms of public vocabularies only if no other term has it.
        """
        name = text.strip().removeprefix("<").removesuffix(">")
        if ":" in name:
            iri = self.expand(name)
            return [iri] if iri in set(known) else []
        named = sorted(iri for iri in known if local_name(iri) == name)
        return [iri for iri in named if not iri.startswith(_PUBLIC)] or named


def local_name(iri: str) -> str:
    """What stands after the last `#`, `/` or `:` of an IRI."""
    return re.split(r"[#/:]", iri)[-1]
