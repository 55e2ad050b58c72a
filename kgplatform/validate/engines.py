"""The port to SHACL engines and its two adapters: pyshacl-turbo, the default, and pySHACL, the reference of the tests."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, NamedTuple, Protocol

import pyoxigraph as ox
import pyshacl_turbo
from pyshacl_turbo.rdf import Input
from rdflib import BNode, Graph, URIRef
from rdflib import Literal as RdflibLiteral
from rdflib.term import Node

from ..errors import OntologyError, ValidationEngineError
from ..registry import Registry
from ..schema import Schema
from ..settings.tables import DEFAULT_ENGINE
from ..terms import RDFS, SH, TYPE, curie
from .allowed_values import allowed
from .shapegraph import ShapeGraph, path_text, rdflib_term

GraphText = str
"""A graph as N-Triples."""

Triples = Iterable[ox.Triple | ox.Quad] | GraphText


class ReportRow(NamedTuple):
    """One validation result. `focus` and `value` are terms in N-Triples syntax ('' for no value).

    `path` is written as in SPARQL, '' where the node itself is judged; `shape`, `component` and `severity` are IRIs. `allowed` says
    what would have been right, '' where only the message can tell.
    """

    focus: str
    path: str
    value: str
    shape: str
    shape_name: str
    component: str
    severity: str
    message: str
    allowed: str = ""

    @property
    def full_message(self) -> str:
        """The message with predicate, value and what is allowed, where the shape's own message stands alone."""
        place = self.place
        return f"{self.message}: {place}allowed: {self.allowed}" if self.allowed and self.allowed not in self.message else self.message

    @property
    def place(self) -> str:
        """Path and value, with `; ` behind them; '' where a node itself is judged."""
        words = " ".join(part for part in (self.path, self.value if self.value != self.focus else "") if part)
        return f"{words}; " if words else ""


@dataclass(frozen=True, slots=True)
class EngineReport:
    """The rows, sorted, and how many focus nodes each shape with a target looked at."""

    rows: tuple[ReportRow, ...]
    looked_at: dict[str, int]

    @property
    def conforms(self) -> bool:
        """No result of any severity. Says nothing where no focus node was looked at."""
        return not self.rows


class Engine(Protocol):
    """Validates one graph. Graph names of quads are ignored: the graph is the union.

    Raises OntologyError for shapes that it cannot read, ValidationEngineError where it fails.
    """

    @property
    def name(self) -> str:
        """The name and version, as reports and errors state them."""

    def validate(self, data: Triples, shapes: ShapeGraph) -> EngineReport:
        """The report on the data, for all shapes with a target; `data` is not changed."""


ENGINES: Final = Registry[Callable[[], Engine]]("engine")


@dataclass(frozen=True, slots=True)
class NamedEngine:
    """The engine of a registered name; errors of an engine of another package name that package."""

    registered: str
    engine: Engine

    @property
    def name(self) -> str:
        """See Engine."""
        return self.engine.name

    def validate(self, data: Triples, shapes: ShapeGraph) -> EngineReport:
        """See Engine. Raises PluginError for what an engine of another package raises beside KgErrors."""
        with ENGINES.calling(self.registered):
            return self.engine.validate(data, shapes)


def engine_of(name: str = DEFAULT_ENGINE) -> Engine:
    """The engine of that name. Raises UsageError, and PluginError where its package does not load."""
    make = ENGINES.get(name)
    with ENGINES.calling(name):
        return NamedEngine(name, make())


class TurboEngine:
    """pyshacl-turbo: the default."""

    name = f"pyshacl-turbo {pyshacl_turbo.__version__}"

    def validate(self, data: Triples, shapes: ShapeGraph) -> EngineReport:
        """See Engine. The shapes are compiled once and remembered."""
        triples, text = _as_graph(data)
        program = _compiled(shapes)
        try:
            _, report, _ = program.validate(_as_input(text))  # type: ignore[no-untyped-call]
        except (pyshacl_turbo.ValidationFailure, RuntimeError, ValueError, TypeError, NotImplementedError) as error:
            raise ValidationEngineError(f"{self.name} failed: {error}") from error
        return EngineReport(_rows(report, shapes), shapes.looked_at(triples))


def check_usable(shapes: ShapeGraph) -> None:
    """Raises OntologyError for shapes that the engine cannot use."""
    _compiled(shapes)


@lru_cache(maxsize=16)
def _compiled(shapes: ShapeGraph) -> pyshacl_turbo.CompiledShapes:
    try:
        program: pyshacl_turbo.CompiledShapes = pyshacl_turbo.compile_shapes(_as_input(shapes.as_ntriples()))  # type: ignore[no-untyped-call]
        return program
    except (pyshacl_turbo.ValidationFailure, RuntimeError, ValueError, TypeError, NotImplementedError) as error:
        raise OntologyError(f"the shapes are not usable: {error}") from error


def _as_input(text: GraphText) -> Input:
    """The text in the form that pyshacl-turbo takes as it is.

    It parses plain text with rdflib first, 7 of 8 seconds for 40,000 triples, and takes a text without a line break for a path or an address.
    """
    return Input(text, "nt", None, {}, preserve_ids=True)


class PyshaclEngine:
    """pySHACL: slow, and the reference that tests compare with."""

    name = "pySHACL"

    def validate(self, data: Triples, shapes: ShapeGraph) -> EngineReport:
        """See Engine."""
        import pyshacl
        from pyshacl.errors import ConstraintLoadError, ReportableRuntimeError, ShapeLoadError

        triples, _ = _as_graph(data)
        graph = Graph()
        for triple in triples:
            graph.add((rdflib_term(triple.subject), rdflib_term(triple.predicate), rdflib_term(triple.object)))
        try:
            # a copy of the shapes: pySHACL adds triples to the graphs that it is given
            _, report, _ = pyshacl.validate(graph, shacl_graph=Graph() + shapes.graph)
        except (ShapeLoadError, ConstraintLoadError) as error:
            raise OntologyError(f"the shapes are not usable: {error}") from error
        except (ReportableRuntimeError, RuntimeError, ValueError, TypeError, NotImplementedError) as error:
            raise ValidationEngineError(f"{self.name} failed: {error}") from error
        if not isinstance(report, Graph):
            raise ValidationEngineError(f"{self.name} failed: {report}")
        return EngineReport(_rows(report, shapes), shapes.looked_at(triples))


def hierarchy(schema: Schema) -> list[ox.Triple]:
    """The declared subclasses as triples: SHACL reads them in the graph that is validated."""
    below = ox.NamedNode(RDFS.subClassOf)
    return [ox.Triple(ox.NamedNode(c.iri), below, ox.NamedNode(parent)) for c in schema.classes.values() for parent in sorted(c.parents)]


def _as_graph(data: Triples) -> tuple[list[ox.Triple], GraphText]:
    if isinstance(data, str):
        try:
            return [quad.triple for quad in ox.parse(data, format=ox.RdfFormat.N_TRIPLES)], data
        except SyntaxError as error:
            raise ValidationEngineError(f"the graph is no N-Triples: {error}") from error
    triples = [item.triple if isinstance(item, ox.Quad) else item for item in data]
    return triples, (ox.serialize(triples, format=ox.RdfFormat.N_TRIPLES) or b"").decode()


def _rows(report: Graph, shapes: ShapeGraph) -> tuple[ReportRow, ...]:
    return tuple(sorted(_each_row(report, shapes)))


def _each_row(report: Graph, shapes: ShapeGraph) -> Iterator[ReportRow]:
    top = next(report.subjects(URIRef(TYPE), URIRef(SH.ValidationReport)), None)
    for result in report.objects(top, URIRef(SH.result)):
        shape = str(report.value(result, URIRef(SH.sourceShape)) or "")
        path = report.value(result, URIRef(SH.resultPath))
        messages = sorted(
            report.objects(result, URIRef(SH.resultMessage)), key=lambda m: (getattr(m, "language", None) not in (None, "en"), str(m))
        )
        component = str(report.value(result, URIRef(SH.sourceConstraintComponent)) or "")
        row = ReportRow(
            focus=term_text(report.value(result, URIRef(SH.focusNode))),
            path=curie(str(path)) if isinstance(path, URIRef) else "" if path is None else shapes.path(shape),
            value=term_text(report.value(result, URIRef(SH.value))),
            shape=shape,
            shape_name=shapes.name(shape),
            component=component,
            severity=str(report.value(result, URIRef(SH.resultSeverity)) or SH.Violation),
            message=str(messages[0]) if messages else "",
            allowed=allowed(shapes.graph, shape, component, lambda term: _word(shapes.graph, term)),
        )
        is_own = row.message and (not row.allowed or (URIRef(shape), URIRef(SH.message), None) in shapes.graph)
        yield (row if is_own else row._replace(message=f"{row.place}allowed: {row.allowed}" if row.allowed else curie(component)))


def _word(graph: Graph, term: Node) -> str:
    """A term of a shapes graph as people read it; a path as SPARQL writes it."""
    if isinstance(term, URIRef):
        return curie(str(term))
    if isinstance(term, RdflibLiteral) and term.datatype is not None:
        return str(term)
    return path_text(graph, term) if isinstance(term, BNode) else term_text(term)


def term_text(term: Node | None) -> str:
    """An rdflib term in N-Triples syntax, '' for None."""
    if term is None:
        return ""
    if isinstance(term, RdflibLiteral):
        if term.language:
            return str(ox.Literal(str(term), language=term.language))
        return str(ox.Literal(str(term), datatype=ox.NamedNode(str(term.datatype))) if term.datatype else ox.Literal(str(term)))
    return f"_:{term}" if isinstance(term, BNode) else f"<{term}>"
