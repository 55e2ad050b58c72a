"""The prefixes that an ontology text declares, as the names by which mapping files and queries may shorten its terms."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

import pyoxigraph as ox

from ..terms import OWL, RDF, is_iri
from .graph import Graph
from .names import BUILT_IN, Names, local_name

_VANN: Final = "http://purl.org/vocab/vann/"
_NAME: Final = r"[A-Za-z](?:[\w.-]*[\w-])?"
_TOKEN: Final = re.compile(
    r'#[^\r\n]*|"""(?:[^"\\]|\\.|"(?!""))*"""|\'\'\'(?:[^\'\\]|\\.|\'(?!\'\'))*\'\'\'|"(?:[^"\\\r\n]|\\.)*"|\'(?:[^\'\\\r\n]|\\.)*\''
    rf"|(?<![\w:])@?(?i:prefix)\s+(?P<prefix>(?:{_NAME})?)\s*:\s*<(?P<namespace>[^<>\\\s]*)>|<[^>]*>",
    re.DOTALL,
)
"""Matches comments, strings and IRIs, to pass over them, and declarations of prefixes, which have the group `prefix`."""


def read_names(turtle: str, graph: Graph, declared: Iterable[str]) -> Names:
    """The names of an ontology text whose triples are `graph` and whose own terms are `declared`.

    A pack's empty prefix is known by the last part of its namespace (`films` for <https://films.example/films#>), unless
    another prefix or vann:preferredNamespacePrefix names that namespace.
    """
    stated: dict[str, set[str]] = {}
    nameless: list[str] = []
    for prefix, namespace in _declarations(turtle):
        if prefix:
            stated.setdefault(prefix, set()).add(namespace)
        else:
            nameless.append(namespace)
    for prefix, namespace in _preferred(graph, tuple(declared)):
        stated[prefix] = {namespace}
    prefixed = {*BUILT_IN.values(), *(space for spaces in stated.values() for space in spaces)}
    for namespace in nameless:
        last = local_name(namespace.rstrip("#/:"))
        if namespace not in prefixed and re.fullmatch(_NAME, last):
            stated.setdefault(last, set()).add(namespace)
    prefixes = {prefix: next(iter(spaces)) for prefix, spaces in stated.items() if len(spaces) == 1}
    clashing = {
        prefix: tuple(sorted(all_))
        for prefix, spaces in stated.items()
        if len(all_ := spaces | ({BUILT_IN[prefix]} if prefix in BUILT_IN else set())) > 1
    }
    return Names(prefixes | BUILT_IN, clashing)


def _declarations(turtle: str) -> Iterator[tuple[str, str]]:
    for token in _TOKEN.finditer(turtle):
        if token["namespace"] and is_iri(token["namespace"]):
            yield token["prefix"], token["namespace"]


def _preferred(graph: Graph, declared: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """What ontologies say of themselves in the VANN vocabulary."""
    for node in graph.subjects:
        if not isinstance(node, ox.NamedNode) or ox.NamedNode(OWL.Ontology) not in graph.objects(node, RDF.type):
            continue
        for prefix, _ in graph.texts(node, f"{_VANN}preferredNamespacePrefix"):
            stated = [value.value for value in graph.objects(node, f"{_VANN}preferredNamespaceUri") if not isinstance(value, ox.Triple)]
            own = [space for end in ("#", "/", "") if any(iri.startswith(space := node.value.rstrip("#/") + end) for iri in declared)]
            for namespace in (stated or own)[:1]:
                if re.fullmatch(_NAME, prefix):
                    yield prefix, namespace
