"""A validation report over what one caller sees, as text, as the public result and as the report graph of SHACL.

What refuses no claim (a shape that is not `kg:assertionLocal`, a constraint that one claim cannot be judged by) gives
conflicts, where sources say too much for all of it to be true, or findings, where something is missing or odd.
A local shape of severity Warning or Info gives findings. Shapes `kg:ofRecords` find defects.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import pyoxigraph as ox
from rdflib import BNode, URIRef
from rdflib.term import Node

from ..results import Finding, LookedAt, Report
from ..schema import Schema
from ..terms import KG, NAMESPACES, SH, TYPE, XSD, expand
from .engines import Engine, ReportRow, engine_of, hierarchy, term_text
from .shapegraph import LOCAL, RECORDS, ShapeGraph

VIOLATION: Final = "violation"
CONFLICT: Final = "conflict"
FINDING: Final = "finding"
DEFECT: Final = "defect"
KINDS: Final = (VIOLATION, CONFLICT, FINDING, DEFECT)
NOTHING_LOOKED_AT: Final = "nothing looked at"

_TOO_MUCH: Final = frozenset(
    SH[f"{name}ConstraintComponent"]
    for name in ("MaxCount", "QualifiedMaxCount", "UniqueLang", "Disjoint", "Equals", "LessThan", "LessThanOrEquals", "Not", "Xone")
)


@dataclass(frozen=True)
class ValidationReport:
    """The results of one validation. A report that looked at nothing is no pass: `conforms` is None then."""

    engine: str
    rows: tuple[ReportRow, ...]
    looked_at: dict[str, int]
    shapes: ShapeGraph

    @property
    def conforms(self) -> bool | None:
        """Whether there is no result of any severity; None where no shape looked at anything."""
        if self.rows:
            return False
        return True if any(self.looked_at.values()) else None

    @property
    def outcome(self) -> str:
        """The same in words."""
        return {True: "conforms", False: "does not conform", None: NOTHING_LOOKED_AT}[self.conforms]

    def kind(self, row: ReportRow) -> str:
        """VIOLATION where one assertion breaks what refuses it, DEFECT of a shape that describes the platform's own records,
        FINDING below sh:Violation, else CONFLICT or FINDING by the constraint that was broken."""
        kind = self.shapes.kind(row.shape)
        if kind == RECORDS:
            return DEFECT
        if kind == LOCAL and row.severity != SH.Violation:
            return FINDING
        if self.shapes.refuses(row.shape, row.component):
            return VIOLATION
        return CONFLICT if row.component in _TOO_MUCH else FINDING

    def of_kind(self, kind: str) -> tuple[ReportRow, ...]:
        """The rows of one of KINDS, in their order."""
        return tuple(row for row in self.rows if self.kind(row) == kind)

    @property
    def report(self) -> Report:
        """The same as the public result, by kind."""
        violations, conflicts, findings, defects = (tuple(Finding(**row._asdict()) for row in self.of_kind(kind)) for kind in KINDS)
        return Report(
            engine=self.engine,
            outcome=self.outcome,
            conforms=self.conforms,
            looked_at=tuple(
                LookedAt(shape=shape, name=self.shapes.name(shape), focus_nodes=count) for shape, count in sorted(self.looked_at.items())
            ),
            violations=violations,
            conflicts=conflicts,
            findings=findings,
            defects=defects,
        )

    def as_text(self) -> str:
        """One line for each result, and for each shape how many focus nodes it looked at."""
        report = self.report
        by_kind = dict(zip(KINDS, (report.violations, report.conflicts, report.findings, report.defects), strict=True))
        counts = ", ".join(f"{len(findings)} {kind}s" for kind, findings in by_kind.items())
        lines = [f"{report.outcome}: {counts} ({report.engine})"]
        for kind, findings in by_kind.items():
            for each in findings:
                where = " ".join(part for part in (each.focus, each.path, each.value) if part)
                allowed = f"; allowed: {each.allowed}" if each.allowed and each.allowed not in each.message else ""
                lines.append(f"{kind:9} {where}: {each.message}{allowed} ({each.shape_name})")
        lines.append("focus nodes looked at:")
        lines += [f"  {each.focus_nodes or NOTHING_LOOKED_AT:>7}  {each.name}" for each in report.looked_at]
        if not report.looked_at:
            lines.append("  no shape has a target")
        return "\n".join(lines) + "\n"

    def as_turtle(self) -> str:
        """The report graph of SHACL section 3. `kg:focusNodes` beside `sh:conforms` says how much was looked at."""
        top = ox.BlankNode("report")
        triples = [
            _triple(top, TYPE, SH.ValidationReport),
            ox.Triple(top, _n(SH.conforms), _typed(str(not self.rows).lower(), XSD.boolean)),
        ]
        triples.append(ox.Triple(top, _n(KG.focusNodes), _typed(str(sum(self.looked_at.values())), XSD.integer)))
        for number, row in enumerate(self.rows):
            node = ox.BlankNode(f"result{number}")
            triples += [_triple(node, TYPE, SH.ValidationResult), ox.Triple(top, _n(SH.result), node)]
            triples += [_triple(node, SH.resultSeverity, row.severity), _triple(node, SH.sourceConstraintComponent, row.component)]
            triples += [_triple(node, SH.sourceShape, row.shape), ox.Triple(node, _n(SH.focusNode), _parsed(row.focus))]
            triples.append(ox.Triple(node, _n(SH.resultMessage), ox.Literal(row.message)))
            if row.value:
                triples.append(ox.Triple(node, _n(SH.value), _parsed(row.value)))
            if row.path:
                triples += self._path(node, row)
        prefixes = {space.prefix: str(space) for space in NAMESPACES}
        return (ox.serialize(triples, format=ox.RdfFormat.TURTLE, prefixes=prefixes) or b"").decode()

    def _path(self, node: ox.BlankNode, row: ReportRow) -> list[ox.Triple]:
        path = self.shapes.graph.value(URIRef(row.shape), URIRef(SH.path))
        if not isinstance(path, BNode) or row.path != self.shapes.path(row.shape):
            iri = row.path[1:-1] if row.path.startswith("<") else expand(row.path)
            return [_triple(node, SH.resultPath, iri)]
        return [ox.Triple(node, _n(SH.resultPath), _blank(node, path)), *self._copied(node, path)]

    def _copied(self, owner: ox.BlankNode, path: Node) -> list[ox.Triple]:
        """The triples of a path that is no IRI: a result owns its path."""
        triples = []
        for predicate, value in sorted(self.shapes.graph.predicate_objects(path)):
            blank = isinstance(value, BNode)
            triples.append(ox.Triple(_blank(owner, path), _n(str(predicate)), _blank(owner, value) if blank else _parsed(term_text(value))))
            triples += self._copied(owner, value) if blank else []
        return triples


def validate_graph(triples: Iterable[ox.Triple | ox.Quad], schema: Schema, engine: Engine | None = None) -> ValidationReport:
    """Validate a graph against all shapes of the schema, its subclasses known. Graph names are ignored."""
    chosen: Engine = engine or engine_of()
    shapes = ShapeGraph.parse(schema.shapes)
    found = chosen.validate([*triples, *hierarchy(schema)], shapes)
    return ValidationReport(chosen.name, found.rows, found.looked_at, shapes)


def _n(iri: str) -> ox.NamedNode:
    return ox.NamedNode(iri)


def _triple(subject: ox.BlankNode, predicate: str, object_iri: str) -> ox.Triple:
    return ox.Triple(subject, ox.NamedNode(predicate), ox.NamedNode(object_iri))


def _typed(value: str, datatype: str) -> ox.Literal:
    return ox.Literal(value, datatype=ox.NamedNode(datatype))


def _parsed(text: str) -> ox.NamedNode | ox.BlankNode | ox.Literal:
    parsed: ox.NamedNode | ox.BlankNode | ox.Literal = next(iter(ox.parse(f"<x:x> <x:x> {text} .", format=ox.RdfFormat.N_TRIPLES))).object
    return parsed


def _blank(owner: ox.BlankNode, node: Node) -> ox.BlankNode:
    return ox.BlankNode(f"{owner.value}x{node}")
