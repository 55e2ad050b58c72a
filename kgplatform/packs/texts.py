"""Files of packs as Turtle, whatever syntax of RDF they are in: each triple stands on the line on which the file says it."""

from __future__ import annotations

import re
from collections import defaultdict
from functools import lru_cache
from pathlib import Path
from typing import Final

import pyoxigraph as ox

from ..errors import OntologyError
from .positions import Lines, syntax_reason
from .syntaxes import require_whole, syntax_of, text_of_bytes, unsafe_entities

_TURTLE: Final = (ox.RdfFormat.TURTLE, ox.RdfFormat.N_TRIPLES)
"""Syntaxes that are read as Turtle as they stand."""


_HEADER: Final = re.compile(r"""<(?:\w+:)?Ontology\b[^>]*?\brdf:about\s*=\s*["'](\w[\w+.-]*:[^"'&]+)["']""")


class PackText:
    """One file as Turtle; `has_lines` says whether its lines are those of the file."""

    def __init__(self, turtle: str, triples: tuple[ox.Triple, ...], *, has_lines: bool = True) -> None:
        self.turtle, self.triples, self.has_lines = turtle, triples, has_lines


def pack_text(path: Path) -> PackText:
    """A file as it is now. Raises OntologyError, with file and line, for what is no RDF."""
    return _read(path, path.stat().st_mtime_ns)


@lru_cache(maxsize=64)
def _read(path: Path, _changed: int) -> PackText:
    text = text_of_bytes(path.read_bytes(), str(path))
    format_ = syntax_of(text, str(path))
    if format_ == ox.RdfFormat.RDF_XML:
        for wrong in unsafe_entities(text):
            raise OntologyError(wrong, where=str(path), hint="write the text out")
    if format_ in _TURTLE:
        return PackText(text, tuple(triple for triple, _ in _parsed(text, format_, path)[0]))
    if format_ == ox.RdfFormat.JSON_LD:
        return _json_ld(text, path)
    return _rewritten(*_parsed(text, format_, path), text)


def _json_ld(text: str, path: Path) -> PackText:
    """JSON-LD: with lines where it can be read in the order in which it stands."""
    try:
        return _rewritten(*_parsed(text, ox.RdfFormat.STREAMING_JSON_LD, path), text)
    except OntologyError:
        return _rewritten(*_parsed(text, ox.RdfFormat.JSON_LD, path), "")


Placed = list[tuple[ox.Triple, int]]


def _parsed(text: str, format_: ox.RdfFormat, path: Path) -> tuple[Placed, dict[str, str]]:
    """The triples of all graphs with their lines, and the prefixes."""
    lines = Lines(text)
    placed: Placed = []
    prefixes: dict[str, str] = {}
    try:
        quads = ox.parse(lines, format=format_, base_iri=_base(text) if format_ == ox.RdfFormat.RDF_XML else None)
        for quad in quads:
            placed.append((quad.triple, lines.line))
            prefixes |= quads.prefixes  # those declared so far: none are left when the text ends
        if format_ == ox.RdfFormat.RDF_XML:
            require_whole(text)
    except (SyntaxError, ValueError) as error:
        reason = syntax_reason(error) if isinstance(error, SyntaxError) else str(error)
        line = getattr(error, "lineno", None) or lines.line or 1
        raise OntologyError(f"not {format_.name}: {reason}", where=f"{path}:{line}", hint=_hint(format_, reason)) from error
    return placed, prefixes


def _base(text: str) -> str | None:
    """The base of relative IRIs in RDF/XML that states no xml:base: the IRI of its ontology. None where it has none."""
    header = _HEADER.search(text)
    return header[1] if header else None


def _hint(format_: ox.RdfFormat, reason: str) -> str:
    if "No scheme found" in reason or "relative IRI" in reason.lower():
        base = "xml:base" if format_ == ox.RdfFormat.RDF_XML else "its base"
        return f"an IRI is relative: state {base} in the file"
    if "context" in reason.lower():
        return "nothing is fetched: write the context into the file"
    return f"mend the {format_.name} text"


def _rewritten(placed: Placed, prefixes: dict[str, str], text: str) -> PackText:
    """Turtle in which each triple stands on the line that it has in the file, or all on one line where `text` is ''.

    Blank nodes are named by their order, so that an unchanged file gives the same text at every reading.
    """
    labels: dict[str, str] = {}
    on_line: dict[int, list[str]] = defaultdict(list)
    for triple, line in placed:
        on_line[line if text else 1].append(f"{_named(triple, labels)} .")
    head = " ".join(f"@prefix {prefix}: <{space}> ." for prefix, space in prefixes.items() if _is_plain(space))
    body = [" ".join(on_line[line]) for line in range(1, max((*on_line, text.count("\n") + 1)) + 1)]
    body[0] = f"{head} {body[0]}".strip()
    return PackText("\n".join(body) + "\n", tuple(triple for triple, _ in placed), has_lines=bool(text))


def _is_plain(space: str) -> bool:
    return not set(space) & set('<>"{}|\\^` ')


def _named(triple: ox.Triple, labels: dict[str, str]) -> str:
    return " ".join(_term(term, labels) for term in (triple.subject, triple.predicate, triple.object))


def _term(term: ox.NamedNode | ox.BlankNode | ox.Literal | ox.Triple, labels: dict[str, str]) -> str:
    if isinstance(term, ox.BlankNode):
        return f"_:{labels.setdefault(term.value, f'b{len(labels)}')}"
    return f"<<( {_named(term, labels)} )>>" if isinstance(term, ox.Triple) else str(term)
