"""The prefixes of the platform and of its packs, which callers' own SPARQL may use without declaring them."""

from __future__ import annotations

import re
from typing import Final

from ..errors import QuerySyntaxError
from ..schema import Schema

EXAMPLE: Final = "SELECT ?name WHERE { ?c rdfs:label 'Checkout' ; sc:depends_on/rdfs:label ?name } ORDER BY ?name"
"""A caller's text for the descriptions of the endpoint."""

NOTHING: Final = "ASK {}"
"""A text that asks for nothing, to see that queries run."""


def prologue(schema: Schema) -> str:
    """The declarations of the known prefixes, on one line before a caller's text."""
    return "".join(f"PREFIX {prefix}: <{namespace}> " for prefix, namespace in schema.names.prefixes.items()) + "\n"


def placed(error: QuerySyntaxError, schema: Schema) -> QuerySyntaxError:
    """The parser's error with the line numbers of the caller's text, which stands one line below the prologue."""
    what = re.sub(r"\bat (\d+):", lambda place: f"at {max(1, int(place[1]) - 1)}:", error.what)
    clashing = "".join(f"; {prefix}: stands for {' and '.join(spaces)}" for prefix, spaces in schema.names.clashing.items())
    return QuerySyntaxError(what, hint=f"known prefixes: {', '.join(schema.names.prefixes)}{clashing}")
