"""Callers' own SPARQL is read-only, local and about the default dataset: whatever else it asks for is refused.

The engine's own parser decides, since a guard that reads a text otherwise than the engine can be evaded:
Oxigraph parses without tokens, so that `SERVICEs:{}`, `1SERVICE<x>{}`, a clause after `# comment\\r` and one after
`FILTER(?a<?b#>` (less-than and a comment, or an IRI?) are SERVICE clauses that a word search or another parser misses.
So the first letter of the word is written as `\\u0073` wherever it does not stand in a variable or in the local part
of a prefixed name: in strings, IRIs and comments that changes nothing, as a keyword it is a syntax error.
"""

from __future__ import annotations

import re
import secrets
from typing import Final

import pyoxigraph as ox

from ..errors import QueryRefused, QuerySyntaxError

MAX_CHARACTERS: Final = 1_000_000


def checked_text(text: str) -> str:
    """The text as it may be evaluated, or QueryRefused or QuerySyntaxError. Nothing is evaluated here.

    SERVICE cannot be in what is returned. Which graphs it sees is the caller's to set, in the engine.
    """
    if len(text) > MAX_CHARACTERS:
        raise QueryRefused(f"the query has {len(text):,} characters", hint=f"at most {MAX_CHARACTERS:,} are read")
    local = _without_keyword(text, "service")
    if _syntax_error(local):
        raise _reason(text)
    if _syntax_error(_without_keyword(local, "from")):
        raise QueryRefused(
            "FROM and FROM NAMED are not allowed",
            hint="leave them out: a query is about the default dataset, which is all that its caller may see",
        )
    return local


def portable_text(text: str) -> str:
    """The text as it may be sent to another engine, or QueryRefused or QuerySyntaxError.

    Other engines decode \\u escapes before they parse and take the longest token, so that what
    the two would read differently is refused.
    """
    checked = checked_text(text)
    if re.search(r"\\u", text, re.IGNORECASE) or re.search(r"\r(?!\n)", text):
        raise QueryRefused("a query for a remote store has no \\u escapes and no lone carriage returns", hint="write the character itself")
    if checked != text and any("://" not in iri for iri in re.findall(r"<[^\s<>\"{}|^`\\]*>", text)):
        raise QueryRefused(
            "a query for a remote store that has the word 'service' must write its IRIs absolute, with ://",
            hint="`<` as less-than needs a space after it",
        )
    return text


def shortened(message: str) -> str:
    """An engine's message without the tail of its list of what it would have taken."""
    return message if len(message) <= 160 else message[:160].rsplit(", ", 1)[0] + " ..."


def _without_keyword(text: str, word: str) -> str:
    """The text with the word's first letter escaped wherever it could be a keyword."""

    def escaped(found: re.Match[str]) -> str:
        first, rest = found[0][0], found[0][1:]
        return found[0] if _in_a_name(text, found.start()) or _is_escaped(text, found.start()) else f"\\u{ord(first):04X}{rest}"

    return re.sub(word, escaped, text, flags=re.IGNORECASE | re.ASCII)


def _in_a_name(text: str, at: int) -> bool:
    """Whether `?`, `$` or `:` and then only name characters lead up to this place."""
    start = at
    while start and (text[start - 1].isalnum() or text[start - 1] in "_-"):
        start -= 1
    sigil = text[start - 1] if start else ""
    return sigil == ":" or (sigil in ("?", "$") and "-" not in text[start:at])


def _is_escaped(text: str, at: int) -> bool:
    """Whether a backslash belongs to this character (which then is no keyword's)."""
    start = at
    while start and text[start - 1] == "\\":
        start -= 1
    return (at - start) % 2 == 1


def _syntax_error(text: str) -> str:
    """Why the engine cannot parse this as a query, '' if it can.

    A substitution of a variable that the query does not project is refused after parsing and before evaluation
    (measured). Its name is drawn anew, or a text could project it and be evaluated.
    """
    unused = ox.Variable(f"v{secrets.token_hex(16)}")
    try:
        ox.Store().query(text, substitutions={unused: ox.Literal("")})
    except UnicodeEncodeError:
        return "it holds half a surrogate pair, which is no character"
    except SyntaxError as error:
        return str(error)
    except RuntimeError as error:
        if unused.value not in str(error):
            return str(error)
    return ""


def _reason(text: str) -> QueryRefused | QuerySyntaxError:
    """Why a text did not pass: only its SERVICE is in the way, or it is an update, or it does not parse."""
    error = _syntax_error(text)
    if not error:
        return QueryRefused(
            "SERVICE is not allowed: a query does not reach other endpoints",
            hint="load that endpoint's facts as documents; a prefix that contains the word must be renamed",
        )
    if _is_update(text):
        return QueryRefused("updates are not allowed: this is a read-only endpoint", hint="facts come in by `kgplatform ingest`")
    return QuerySyntaxError(f"the query does not parse: {shortened(error)}")


def _is_update(text: str) -> bool:
    from pyparsing import ParseBaseException
    from rdflib.plugins.sparql.parser import parseUpdate  # 0.2 s to load, for this message alone

    try:
        return bool(parseUpdate(text).request)
    except (ParseBaseException, ValueError, RecursionError):
        return False
