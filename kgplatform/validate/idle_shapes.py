"""What in a shape changes no result: a severity or a message for results that it does not give, a shape without constraints.

The results of a property shape bear its own severity and message, not those of the shape around it; what a shape inside
`sh:node`, `sh:or` and the like finds is no result, only whether it found something counts (SHACL, sections 2.1.4 and 4.6).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Final

from ..schema.graph import Node
from ..terms import RDFS, SH, TYPE, curie
from .shape_syntax import TARGETS, ShapeText, is_true
from .unused_axioms import Note

_OF_RESULTS: Final = (SH.severity, SH.message)
_ASKS_NOTHING: Final = frozenset(
    {
        *TARGETS,
        *(SH[name] for name in ("path", "severity", "message", "name", "description", "order", "group", "deactivated", "defaultValue")),
        *(SH[name] for name in ("property", "ignoredProperties", "flags", "prefixes", "declare")),
    }
)
_SWITCHES: Final = (SH.closed, SH.uniqueLang)
_INNER: Final = "a shape inside another gives no results of its own"
_OUTER: Final = "each property shape has its own, and nothing else is asked here"


def idle_notes(text: ShapeText) -> Iterator[Note]:
    """A note for each severity and message without results, and for each shape that asks nothing."""
    predicates_of = _said(text)
    reporting = _reporting(text)
    for shape in text.shapes():
        if SH.deactivated in predicates_of[shape]:
            continue
        asks = bool(predicates_of[shape] - _ASKS_NOTHING)
        for predicate in _OF_RESULTS:
            if predicate in predicates_of[shape] and not (asks and shape in reporting):
                why = f"{curie(predicate)} has no effect: {_INNER if asks else _OUTER}"
                yield Note(text.graph.line(shape, predicate), text.name(shape), why)
    allowed = {inner for shape in text.shapes() if SH.closed in predicates_of[shape] for inner in text.graph.objects(shape, SH.property)}
    for shape in text.shapes():
        if not predicates_of[shape] - _ASKS_NOTHING | predicates_of[shape] & {SH.property, SH.deactivated} and shape not in allowed:
            yield Note(text.graph.line(shape), text.name(shape), "the shape has no constraint: it asks nothing")


def _said(text: ShapeText) -> dict[Node, set[str]]:
    """The predicates of each shape that count: terms of SHACL, and the parameters of components, but for `sh:closed false` and the like."""
    has_components = any(predicate == SH.parameter for _subject, predicate in text.graph.pairs)
    predicates: dict[Node, set[str]] = defaultdict(set)
    for subject, predicate in text.graph.pairs:
        is_on = predicate not in (*_SWITCHES, SH.deactivated) or any(map(is_true, text.graph.objects(subject, predicate)))
        if is_on and (predicate.startswith(str(SH)) or (has_components and predicate not in (TYPE, RDFS.label, RDFS.comment))):
            predicates[subject].add(predicate)
    return predicates


def _reporting(text: ShapeText) -> set[Node]:
    """The shapes whose results stand in a report: those with a target, and the property shapes of these."""
    graph = text.graph
    todo = [s for s in text.shapes() if any(graph.objects(s, target) for target in TARGETS) or RDFS.Class in graph.iris(s, TYPE)]
    reporting: set[Node] = set()
    while todo:
        shape = todo.pop()
        if shape not in reporting:
            reporting.add(shape)
            todo += graph.objects(shape, SH.property)
    return reporting
