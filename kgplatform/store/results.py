"""The result of a SPARQL query as a value: solutions, a boolean or triples, ready for any format.

A result is held as text, in memory or in a file of its own: SPARQL JSON for solutions and booleans,
N-Triples for triples. So it can be read again and again, and a worker's result is never copied.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from html import escape
from importlib import import_module
from itertools import islice
from typing import IO, Any, Final, Literal, cast

import pyoxigraph as ox

from ..errors import StoreError, UsageError
from ..terms import NAMESPACES, XSD, Term

Kind = Literal["solutions", "boolean", "triples"]
EngineResult = ox.QuerySolutions | ox.QueryBoolean | ox.QueryTriples

SOLUTION_FORMATS: Final = {
    "application/sparql-results+json": ox.QueryResultsFormat.JSON,
    "application/sparql-results+xml": ox.QueryResultsFormat.XML,
    "text/csv": ox.QueryResultsFormat.CSV,
    "text/tab-separated-values": ox.QueryResultsFormat.TSV,
}
TRIPLE_FORMATS: Final = {
    "text/turtle": ox.RdfFormat.TURTLE,
    "application/n-triples": ox.RdfFormat.N_TRIPLES,
    "application/ld+json": ox.RdfFormat.JSON_LD,
    "application/rdf+xml": ox.RdfFormat.RDF_XML,
}
SHORT_NAMES: Final = {
    "json": "application/sparql-results+json",
    "xml": "application/sparql-results+xml",
    "csv": "text/csv",
    "tsv": "text/tab-separated-values",
    "turtle": "text/turtle",
    "ntriples": "application/n-triples",
    "jsonld": "application/ld+json",
    "rdfxml": "application/rdf+xml",
}

_NOT_XML: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
_SHOWN: Final = 20
"""Rows that a notebook shows."""

_LOCAL_NAME: Final = re.compile(r"[^\W\d][\w.\-]*$")


@dataclass(frozen=True, slots=True)
class QueryResult:
    """What a query returned. `source` is its text or the open file that holds it (one reader at a time)."""

    kind: Kind
    variables: tuple[str, ...]
    source: bytes | IO[bytes]

    @property
    def media_types(self) -> tuple[str, ...]:
        """What this kind of result can be written as, the preferred one first."""
        return tuple(TRIPLE_FORMATS if self.kind == "triples" else SOLUTION_FORMATS)

    @property
    def boolean(self) -> bool:
        """The answer of an ASK."""
        return bool(self._parsed())

    def rows(self) -> Iterator[dict[str, Term]]:
        """Solutions as they come, without their unbound variables; a triple has subject, predicate, object."""
        if self.kind == "boolean":
            return
        if self.kind == "triples":
            for triple in self.triples():
                yield {"subject": cast(Term, triple.subject), "predicate": triple.predicate, "object": cast(Term, triple.object)}
            return
        for solution in cast(ox.QuerySolutions, self._parsed()):
            yield {name: cast(Term, term) for name in self.variables if (term := solution[name]) is not None}

    def triples(self) -> Iterator[ox.Triple]:
        """The triples of a CONSTRUCT or DESCRIBE."""
        return (quad.triple for quad in ox.parse(self._opened(), format=ox.RdfFormat.N_TRIPLES))

    def to_pandas(self) -> Any:
        """The rows as a DataFrame of pandas: numbers, truth values, dates and texts; None where a variable is unbound.

        Raises UsageError without pandas.
        """
        pandas = _library("pandas")
        return pandas.DataFrame(self._values(), columns=list(self._names))

    def to_arrow(self) -> Any:
        """The rows as a table of pyarrow, with the values of `to_pandas`; columns of mixed types hold texts. UsageError without pyarrow."""
        arrow = _library("pyarrow")
        columns: dict[str, list[object]] = {name: [] for name in self._names}
        for row in self._values():
            for name, value in zip(self._names, row, strict=True):
                columns[name].append(value)
        return arrow.table({name: _one_type(values) for name, values in columns.items()})

    def to_rdflib(self) -> Any:
        """The triples of a CONSTRUCT or DESCRIBE as a graph of rdflib. UsageError for another kind of result, or without rdflib."""
        if self.kind != "triples":
            raise UsageError(f"{self.kind} are no graph", hint="ask with CONSTRUCT or DESCRIBE")
        graph = _library("rdflib").Graph()
        graph.parse(data=self.serialised("ntriples").decode(), format="nt")
        return graph

    def _repr_html_(self) -> str:
        if self.kind == "boolean":
            return f"<p>{str(self.boolean).lower()}</p>"
        rows = [[_shown_term(row[name]) if name in row else "" for name in self._names] for row in islice(self.rows(), _SHOWN + 1)]
        head = "".join(f"<th>{escape(name)}</th>" for name in self._names)
        body = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows[:_SHOWN])
        more = f"<p>the first {_SHOWN} rows</p>" if len(rows) > _SHOWN else ""
        return f"<table><tr>{head}</tr>{body}</table>{more}"

    @property
    def _names(self) -> tuple[str, ...]:
        return ("subject", "predicate", "object") if self.kind == "triples" else self.variables

    def _values(self) -> Iterator[tuple[object, ...]]:
        if self.kind == "boolean":
            raise UsageError("a boolean has no rows", hint="read `boolean`")
        return (tuple(_python_value(row[name]) if name in row else None for name in self._names) for row in self.rows())

    def table(self) -> list[dict[str, str]]:
        """Rows for people: plain values, an empty text where a variable is unbound."""
        return [{name: _shown_term(row[name]) if name in row else "" for name in self._names} for row in self.rows()]

    def write(self, out: IO[bytes], media_type: str) -> None:
        """Write the result in a format of its kind, given as a media type or a short name (`csv`, `turtle`).

        Raises UsageError for a format that this kind of result does not have.
        """
        wanted = SHORT_NAMES.get(media_type, media_type)
        if wanted not in self.media_types:
            names = [short for short, full in SHORT_NAMES.items() if full in self.media_types]
            raise UsageError(f"{self.kind} cannot be written as {media_type}", hint=f"choose one of {', '.join(names)}")
        if wanted in ("application/rdf+xml", "application/sparql-results+xml"):
            self._require_xml(wanted)
        if self.kind == "triples":
            prefixes = {space.prefix: str(space) for space in NAMESPACES} if wanted in ("text/turtle", "application/rdf+xml") else None
            ox.serialize(self.triples(), out, format=TRIPLE_FORMATS[wanted], prefixes=prefixes)
            return
        self._parsed().serialize(out, SOLUTION_FORMATS[wanted])

    def serialised(self, media_type: str) -> bytes:
        """The whole result in a format, as bytes."""
        out = io.BytesIO()
        self.write(out, media_type)
        return out.getvalue()

    def _require_xml(self, wanted: str) -> None:
        """XML has no way to write most control characters, and RDF/XML none for a relation without a local name."""
        for row in self.rows():
            if any(_NOT_XML.search(_shown_term(term)) for term in row.values()):
                raise UsageError("a value holds a control character, which XML cannot", hint="choose another format")
            if wanted == "application/rdf+xml" and not _LOCAL_NAME.search(_shown_term(row["predicate"])):
                raise UsageError(f"RDF/XML has no name for the relation {row['predicate']}", hint="choose another format, such as turtle")

    def _opened(self) -> IO[bytes]:
        if isinstance(self.source, bytes):
            return io.BytesIO(self.source)
        self.source.seek(0)
        return self.source

    def _parsed(self) -> ox.QuerySolutions | ox.QueryBoolean:
        return ox.parse_query_results(self._opened(), format=ox.QueryResultsFormat.JSON)


def capture(found: EngineResult, out: IO[bytes]) -> tuple[Kind, tuple[str, ...]]:
    """Run a query to its end into `out`, as a QueryResult holds it; returns its kind and variables.

    Errors of the engine, which evaluates while it writes, come out as they are.
    """
    if isinstance(found, ox.QueryTriples):
        found.serialize(out, ox.RdfFormat.N_TRIPLES)
        return "triples", ()
    found.serialize(out, ox.QueryResultsFormat.JSON)
    if isinstance(found, ox.QueryBoolean):
        return "boolean", ()
    return "solutions", tuple(variable.value for variable in found.variables)


def received(source: IO[bytes], media_type: str, *, where: str) -> QueryResult:
    """The result that a server sent as SPARQL JSON or N-Triples. It is parsed to its end once, to see that it is whole."""
    if media_type == "application/n-triples":
        result = QueryResult("triples", (), source)
    elif media_type in ("application/sparql-results+json", "application/json"):
        result = QueryResult(*_heading(source, where), source)
    else:
        raise StoreError(f"the store answered with {media_type or 'no media type'}", where=where, hint="is this the URL of its queries?")
    try:
        for _ in result.rows():
            pass
    except (SyntaxError, ValueError, OSError) as error:
        raise _broken(error, where) from error
    source.seek(0)
    return result


def _heading(source: IO[bytes], where: str) -> tuple[Kind, tuple[str, ...]]:
    try:
        parsed = ox.parse_query_results(source, format=ox.QueryResultsFormat.JSON)
    except (SyntaxError, ValueError, OSError) as error:
        raise _broken(error, where) from error
    source.seek(0)
    if isinstance(parsed, ox.QueryBoolean):
        return "boolean", ()
    return "solutions", tuple(variable.value for variable in parsed.variables)


def _broken(error: Exception, where: str) -> StoreError:
    return StoreError(
        f"the store's answer broke off or is not what it says: {error}", where=where, hint="ask for less: it may have run out of time"
    )


def _python_value(term: Term) -> object:
    """The value of a term: int, float, Decimal, bool, date and datetime for literals of these types that Python can hold, else a text."""
    convert = _CONVERSIONS.get(term.datatype.value) if isinstance(term, ox.Literal) else None
    if convert is not None:
        with suppress(ValueError, ArithmeticError):
            return convert(term.value)
    return _shown_term(term)


_CONVERSIONS: Final[dict[str, Callable[[str], object]]] = {
    XSD.integer: int,
    XSD.decimal: Decimal,
    XSD.double: float,
    XSD.float: float,
    XSD.boolean: lambda text: text in ("true", "1"),
    XSD.date: date.fromisoformat,
    XSD.dateTime: datetime.fromisoformat,
}


def _one_type(values: list[object]) -> list[object]:
    kinds = {type(value) for value in values if value is not None}
    return values if len(kinds) < 2 else [None if value is None else str(value) for value in values]


def _library(name: str) -> Any:
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        raise UsageError(f"{name} is not installed", hint=f"pip install {name}") from error


def _shown_term(term: Term) -> str:
    """The value of a term without datatype or language; blank nodes and triples in RDF's own syntax."""
    return term.value if isinstance(term, (ox.NamedNode, ox.Literal)) else str(term)
