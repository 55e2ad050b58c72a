"""The ontology's prefixes, which callers' own SPARQL may use without declaring them."""

from __future__ import annotations

import re
from typing import Final

from ..errors import QuerySyntaxError
from ..terms import NAMESPACES

PROLOGUE: Final = "".join(f"PREFIX {space.prefix}: <{space}> " for space in NAMESPACES) + "\n"
"""On one line before a caller's text."""


def placed(error: QuerySyntaxError) -> QuerySyntaxError:
    """The parser's error with the lines of the caller's text, which the prologue moved down by one."""
    told = re.sub(r"\bat (\d+):", lambda found: f"at {max(1, int(found[1]) - 1)}:", error.what)
    return QuerySyntaxError(told, hint=f"known prefixes: {', '.join(space.prefix for space in NAMESPACES)}")
