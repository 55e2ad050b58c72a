"""What a constraint allows, in words: the part of a message that says which values would have been right."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import islice
from typing import Final

from rdflib import Graph, URIRef
from rdflib.collection import Collection
from rdflib.term import Node

from ..terms import SH, curie

_SHOWN: Final = 12
_PHRASES: Final = {
    "class": "things of class {}",
    "datatype": "values of {}",
    "nodeKind": "{} nodes",
    "minCount": "at least {} values",
    "maxCount": "at most {} values",
    "minLength": "at least {} characters",
    "maxLength": "at most {} characters",
    "minInclusive": "{} or above",
    "maxInclusive": "{} or below",
    "minExclusive": "above {}",
    "maxExclusive": "below {}",
    "pattern": "texts that match {}",
    "uniqueLang": "one value a language",
    "hasValue": "{} among the values",
    "equals": "the same values as {}",
    "disjoint": "no value of {}",
    "lessThan": "less than {}",
    "lessThanOrEquals": "not more than {}",
}
_LISTS: Final = {"in": "one of {}", "languageIn": "the languages {}"}
_SHAPES: Final = {"or": " or ", "and": " and ", "xone": " or else "}
_COUNTED: Final = {"qualifiedMinCount": "at least {}", "qualifiedMaxCount": "at most {}"}

Text = Callable[[Node], str]


def allowed(graph: Graph, shape: str, component: str, text: Text) -> str:
    """What a component of a shape allows, '' where only its message can tell (a query). `text` writes a term."""
    name = component.removeprefix(str(SH)).removesuffix("ConstraintComponent")
    return _of(graph, URIRef(shape), name[:1].lower() + name[1:], text)


def _of(graph: Graph, shape: Node, name: str, text: Text) -> str:
    values = sorted(graph.objects(shape, URIRef(SH[name])), key=str)
    if not values:
        return ""
    if name in _PHRASES:
        return " and ".join(_PHRASES[name].format(text(value)) for value in values)
    if name in _LISTS:
        return _LISTS[name].format(_listed(text(member) for member in Collection(graph, values[0])))
    if name in _COUNTED:
        inner = _whole(graph, graph.value(shape, URIRef(SH.qualifiedValueShape)), text)
        return f"{_COUNTED[name].format(text(values[0]))} ({inner})"
    if name in _SHAPES:
        return _SHAPES[name].join(_whole(graph, member, text) for member in Collection(graph, values[0]))
    if name == "not":
        return f"not: {_whole(graph, values[0], text)}"
    if name == "node":
        return _whole(graph, values[0], text)
    if name == "closed":
        own = {path for inner in graph.objects(shape, URIRef(SH.property)) for path in graph.objects(inner, URIRef(SH.path))}
        ignored = {path for head in graph.objects(shape, URIRef(SH.ignoredProperties)) for path in Collection(graph, head)}
        return f"only {_listed(sorted(text(path) for path in own | ignored))}"
    return ""


def _whole(graph: Graph, shape: Node | None, text: Text) -> str:
    """What a shape inside another allows: its constraints, or its name."""
    if shape is None:
        return ""
    names = (*_PHRASES, *_LISTS, *_SHAPES, *_COUNTED, "not", "node")
    own = [phrase for name in names if (phrase := _of(graph, shape, name, text))]
    path = graph.value(shape, URIRef(SH.path))
    return ", ".join(own if path is None else [text(path), *own]) or curie(str(shape))


def _listed(texts: Iterable[str]) -> str:
    every = list(texts)
    rest = f" and {len(every) - _SHOWN} more" if len(every) > _SHOWN else ""
    return ", ".join(islice(every, _SHOWN)) + rest
