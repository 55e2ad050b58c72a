"""By which constraints one claim can be judged: a constraint that asks for another claim of the same thing is judged over all its claims.

A claim is judged with the types of its ends and nothing else. A constraint that only further claims can satisfy
(`sh:minCount 1` of another relation) would refuse every claim, so it refuses none and gives findings instead.
"""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from typing import Final

from rdflib import Graph, URIRef
from rdflib import Literal as RdflibLiteral
from rdflib.collection import Collection
from rdflib.term import Node

from ..terms import RDF, RDFS, SH, TYPE

_PATH: Final = URIRef(SH.path)
_GIVEN: Final = (URIRef(TYPE), URIRef(RDFS.subClassOf))
"""What the gate knows beside the claim: the types of its ends and their superclasses."""
_COUNTS: Final = tuple(URIRef(SH[name]) for name in ("minCount", "qualifiedMinCount"))
_ASKS: Final = tuple(URIRef(SH[name]) for name in ("hasValue", "equals"))
_LISTS: Final = tuple(URIRef(SH[name]) for name in ("and", "or", "xone"))
_NOT, _XONE, _CLOSED, _IGNORED = (URIRef(SH[name]) for name in ("not", "xone", "closed", "ignoredProperties"))
_LOGIC: Final = (URIRef(SH.node), *_LISTS, _NOT)
_NESTED: Final = frozenset({*_LOGIC, URIRef(SH.property)})
_QUALIFIED: Final = URIRef(SH.qualifiedValueShape)
_NO_CONSTRAINTS: Final = frozenset(
    URIRef(SH[name]) for name in ("path", "severity", "message", "name", "description", "order", "group", "deactivated", "defaultValue")
)


def asking_for_more(graph: Graph, shape: Node) -> set[URIRef]:
    """The parameters of a shape by which one claim cannot be judged; all of them where its path takes several claims."""
    own = {p for p in graph.predicates(shape) if isinstance(p, URIRef) and str(p).startswith(str(SH)) and p not in _NO_CONSTRAINTS}
    path = graph.value(shape, _PATH)
    if path is not None and _steps(graph, path) > 1:
        return own
    return {p for p in own if _asks(graph, shape, p)}


def _asks(graph: Graph, shape: Node, parameter: URIRef) -> bool:
    if parameter in _LOGIC:
        return any(_demands(graph, inner, negated) for inner, negated in _inner(graph, shape, {parameter}))
    return _demands_itself(graph, shape, parameter)


def _demands_itself(graph: Graph, shape: Node, parameter: URIRef) -> bool:
    path = graph.value(shape, _PATH)
    if path is not None and _steps(graph, path) == 0:
        return False
    if parameter in _COUNTS:
        return any(_number(count) > 0 for count in graph.objects(shape, parameter))
    if parameter == _CLOSED:
        closed = any(str(value) in ("true", "1") for value in graph.objects(shape, _CLOSED))
        ignored = {p for head in graph.objects(shape, _IGNORED) for p in Collection(graph, head)}
        return closed and URIRef(TYPE) not in ignored
    return parameter in _ASKS and path is not None


def _demands(graph: Graph, shape: Node, negated: bool) -> bool:
    """Whether a shape, or its negation, can ask for more than one claim.

    A constraint that holds where there is no value holds for a claim of another relation, so its negation asks for a further claim.
    """
    path = graph.value(shape, _PATH)
    steps = 0 if path is None else _steps(graph, path)
    if steps > 1:
        return True
    own = {p for p in graph.predicates(shape) if isinstance(p, URIRef)} - _NO_CONSTRAINTS
    own = {p for p in own if str(p).startswith(str(SH)) and p not in _NESTED}
    if negated:
        if steps and any(not _demands_itself(graph, shape, p) for p in own):
            return True
    elif any(_demands_itself(graph, shape, p) for p in own):
        return True
    return any(_demands(graph, inner, negated != turned) for inner, turned in _inner(graph, shape, _NESTED))


def _inner(graph: Graph, shape: Node, parameters: AbstractSet[URIRef]) -> Iterator[tuple[Node, bool]]:
    """The shapes inside, each with whether it is negated; those of sh:xone in both ways."""
    for parameter in parameters:
        for value in graph.objects(shape, parameter):
            for inner in Collection(graph, value) if parameter in _LISTS else (value,):
                yield inner, parameter == _NOT
                if parameter == _XONE:
                    yield inner, True


def _steps(graph: Graph, path: Node) -> int:
    """How many claims a path takes; types and superclasses are given with each."""
    if isinstance(path, URIRef):
        return int(path not in _GIVEN)
    if (path, URIRef(RDF.first), None) in graph:
        return sum(_steps(graph, step) for step in Collection(graph, path))
    options = graph.value(path, URIRef(SH.alternativePath))
    if options is not None:
        return max((_steps(graph, option) for option in Collection(graph, options)), default=0)
    for name, times in (("inversePath", 1), ("zeroOrOnePath", 1), ("zeroOrMorePath", 2), ("oneOrMorePath", 2)):
        inner = graph.value(path, URIRef(SH[name]))
        if inner is not None:
            return times * _steps(graph, inner)
    return 1


def without(graph: Graph, shape: Node, parameters: AbstractSet[URIRef]) -> None:
    """Remove parameters from a shape, and with them those that mean nothing without them."""
    for parameter in parameters:
        graph.remove((shape, parameter, None))
    if _CLOSED in parameters:
        graph.remove((shape, _IGNORED, None))
    if not any((shape, URIRef(SH[name]), None) in graph for name in ("qualifiedMinCount", "qualifiedMaxCount")):
        graph.remove((shape, _QUALIFIED, None))
        graph.remove((shape, URIRef(SH.qualifiedValueShapesDisjoint), None))


def _number(count: Node) -> int:
    return int(str(count)) if isinstance(count, RdflibLiteral) and str(count).isdecimal() else 0
