"""What a shapes text must look like to have an effect: SHACL's syntax rules, and which terms and marks exist.

An engine ignores much that is wrong (an unknown parameter, a string where a boolean belongs, a shape without target):
here it is an error with file, line and shape. Patterns and queries are left to the engine.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable
from graphlib import CycleError, TopologicalSorter
from typing import Final

import pyoxigraph as ox
from rdflib.namespace import SH as VOCABULARY

from ..errors import OntologyError
from ..lexical_forms import is_valid
from ..schema.graph import Graph, Node
from ..terms import KG, LANG_STRING, OWL, RDF, RDFS, SH, TYPE, XSD, curie

MARKS: Final = (KG.assertionLocal, KG.acrossClaims, KG.ofRecords)
TARGETS: Final = (SH.targetClass, SH.targetNode, SH.targetSubjectsOf, SH.targetObjectsOf)
_SHAPES_OF: Final = (SH.property, SH.node, SH["not"], SH.qualifiedValueShape)
_LISTS_OF: Final = (SH["and"], SH["or"], SH.xone)
_NIL: Final = ox.NamedNode(RDF.nil)
_KINDS: Final = ("IRI", "BlankNode", "Literal", "BlankNodeOrIRI", "BlankNodeOrLiteral", "IRIOrLiteral")
_UNSUPPORTED: Final = ("target", "rule", "js", "expression", "values", "filterShape", "nodes", "entailment", "condition")
_TERMS: Final = frozenset(
    SH[name] for name in (*VOCABULARY.__annotations__, "and", "class", "in", "not", "or")
)  # rdflib's list lacks the names that are keywords of Python

_NEAR_NAMESPACE: Final = re.compile(r"https?://(?:www\.)?w3\.org/ns/shacl\b(?!-)", re.IGNORECASE)

Check = Callable[[Node], bool]


def _is_iri(node: Node) -> bool:
    return isinstance(node, ox.NamedNode)


def _is_node(node: Node) -> bool:
    return not isinstance(node, ox.Literal)


def _is_any(node: Node) -> bool:
    return True


def _is_literal(node: Node) -> bool:
    return isinstance(node, ox.Literal) and is_valid(node.datatype.value, node.value)


def _is_of(*datatypes: str) -> Check:
    def check(node: Node) -> bool:
        return isinstance(node, ox.Literal) and node.datatype.value in datatypes and is_valid(node.datatype.value, node.value)

    return check


def _is_count(node: Node) -> bool:
    return _is_of(XSD.integer)(node) and not str(node).startswith('"-')


_is_text = _is_of(XSD.string, LANG_STRING)
_is_string = _is_of(XSD.string)
_is_boolean = _is_of(XSD.boolean)

_SORTS: Final[tuple[tuple[str, Check, str], ...]] = (
    ("targetClass targetSubjectsOf targetObjectsOf class datatype nodeKind equals disjoint lessThan lessThanOrEquals", _is_iri, "an IRI"),
    ("severity prefixes nodeValidator propertyValidator validator group", _is_node, "an IRI"),
    ("path inversePath alternativePath zeroOrMorePath oneOrMorePath zeroOrOnePath", _is_node, "a path"),
    ("property node not qualifiedValueShape", _is_node, "a shape"),
    ("and or xone", _is_node, "a list of shapes"),
    ("in languageIn ignoredProperties", _is_node, "a list"),
    (
        "minCount maxCount minLength maxLength qualifiedMinCount qualifiedMaxCount",
        _is_count,
        "a whole number (xsd:integer), 0 or more, without quotes",
    ),
    ("minExclusive minInclusive maxExclusive maxInclusive", _is_literal, "a value"),
    ("closed deactivated uniqueLang qualifiedValueShapesDisjoint optional", _is_boolean, "true or false, without quotes"),
    ("pattern flags select ask prefix labelTemplate", _is_string, "a string without language"),
    ("message name description", _is_text, "a text"),
    ("sparql declare parameter", _is_node, "a node"),
    ("hasValue targetNode defaultValue order namespace", _is_any, "a node or a value"),
)
PARAMETERS: Final[dict[str, tuple[Check, str]]] = {SH[name]: (check, wanted) for names, check, wanted in _SORTS for name in names.split()}
_PAIRS: Final = (
    ("minCount", "maxCount"),
    ("minLength", "maxLength"),
    ("qualifiedMinCount", "qualifiedMaxCount"),
    ("minInclusive", "maxInclusive"),
)
_NEEDS: Final = (("flags", "pattern"), ("ignoredProperties", "closed"), ("qualifiedMinCount", "qualifiedValueShape"),
                 ("qualifiedMaxCount", "qualifiedValueShape"), ("qualifiedValueShapesDisjoint", "qualifiedValueShape"))  # fmt: skip


class ShapeText:
    """A shapes text as triples with their places; `where` names the shape by itself or by the one it is part of."""

    def __init__(self, turtle: str) -> None:
        self.graph = Graph(turtle, "shapes")
        self.inside = {inner for shape in self.graph.subjects for inner in self.children(shape)}
        self._around: dict[Node, Node] = {}
        for subject, predicate in self.graph.pairs:
            for node in self.graph.objects(subject, predicate):
                if isinstance(node, ox.BlankNode):
                    self._around.setdefault(node, subject)

    @property
    def is_whole(self) -> bool:
        """Whether every shape that another one refers to has triples of its own."""
        return all(shape in self.graph.subjects for shape in self.inside)

    def children(self, shape: Node) -> list[Node]:
        """The shapes that a shape refers to."""
        lists = [head for predicate in _LISTS_OF for head in self.graph.objects(shape, predicate)]
        members = [m for head in lists for m in self.graph.members(head, of=self.graph.where(shape))]
        return [o for predicate in _SHAPES_OF for o in self.graph.objects(shape, predicate)] + members

    def owner(self, node: Node) -> Node:
        """The named shape that a blank part belongs to, through any number of blank nodes around it."""
        seen = {node}
        while node in self._around and self._around[node] not in seen:
            node = self._around[node]
            seen.add(node)
        return node

    def where(self, shape: Node, predicate: str = "") -> str:
        """The place, and the named shape."""
        known = shape in self.graph.subjects
        return f"{self.graph.line(shape, predicate)}: {_name(self.owner(shape))}" if known else "a shape without name"

    def shapes(self) -> list[Node]:
        """The subjects that are declared, used or written as shapes."""
        kinds = {SH.NodeShape, SH.PropertyShape}
        return [
            s
            for s in self.graph.subjects
            if s in self.inside
            or self.graph.iris(s, TYPE) & kinds
            or any(self.graph.objects(s, p) for p in (*TARGETS, *_SHAPES_OF, *_LISTS_OF))
        ]

    def name(self, shape: Node) -> str:
        """What people read: the name of the shape, or of the one that it is part of."""
        return _name(self.owner(shape))

    def switched_off(self) -> list[Node]:
        """The shapes that are deactivated."""
        return [shape for shape in self.graph.subjects if any(is_true(value) for value in self.graph.objects(shape, SH.deactivated))]

    def fault(self, shape: Node, predicate: str, what: str, hint: str = "") -> OntologyError:
        """The error for what is wrong with a shape at a predicate ('' for the shape as a whole), to be raised."""
        return OntologyError(what, where=self.where(shape, predicate), hint=hint)


def check_syntax(text: ShapeText) -> None:
    """Raises OntologyError for the first thing in a shapes text that SHACL does not know or that can have no effect."""
    for subject, predicate in text.graph.pairs:
        _check_terms(text, subject, predicate)
    for shape in text.shapes():
        _check_shape(text, shape)
    _check_recursion(text)
    for shape in text.shapes():
        _check_reached(text, shape)
    for subject in text.graph.subjects:
        for query in text.graph.objects(subject, SH.select):
            _check_query(text, subject, query)


# -- terms and their values


def _check_terms(text: ShapeText, subject: Node, predicate: str) -> None:
    if predicate.startswith(str(SH)) and predicate not in PARAMETERS:
        if predicate.removeprefix(str(SH)) in _UNSUPPORTED:
            targets = "use sh:targetClass, targetNode, targetSubjectsOf or targetObjectsOf"
            raise text.fault(
                subject,
                predicate,
                f"{curie(predicate)} is not supported",
                targets if predicate == SH.target else "SHACL Core and sh:sparql are",
            )
        if not _is_known(predicate):
            raise text.fault(subject, predicate, f"SHACL has no {curie(predicate)}", _nearest(predicate, PARAMETERS))
    if _NEAR_NAMESPACE.match(predicate) and not predicate.startswith(str(SH)):
        raise text.fault(subject, predicate, f"the namespace of SHACL is <{SH}>, not that of <{predicate}>")
    if predicate.startswith(str(KG)) and predicate not in MARKS:
        raise text.fault(subject, predicate, f"no mark of shapes is called {curie(predicate)}", _nearest(predicate, MARKS))
    for value in text.graph.objects(subject, predicate):
        if predicate in MARKS and not _is_boolean(value):
            raise text.fault(subject, predicate, f"{curie(predicate)} is true or false, without quotes, not {value}")
        if predicate in PARAMETERS and not PARAMETERS[predicate][0](value):
            raise text.fault(subject, predicate, f"{curie(predicate)} wants {PARAMETERS[predicate][1]}, not {value}")
        if isinstance(value, ox.NamedNode) and value.value.startswith(str(SH)) and not _is_known(value.value) and value.value != str(SH):
            raise text.fault(subject, predicate, f"SHACL has no {curie(value.value)}", _nearest(value.value, _TERMS))


def _is_known(iri: str) -> bool:
    return iri in _TERMS


def _nearest(iri: str, known: Iterable[str]) -> str:
    close = difflib.get_close_matches(iri, list(known), n=1, cutoff=0.8)
    return f"did you mean {curie(close[0])}?" if close else ""


# -- one shape


def _check_shape(text: ShapeText, shape: Node) -> None:
    graph = text.graph
    if len([mark for mark in MARKS if any(is_true(value) for value in graph.objects(shape, mark))]) > 1:
        raise text.fault(shape, MARKS[0], "one shape is of one kind: kg:assertionLocal, kg:acrossClaims or kg:ofRecords")
    for name in ("in", "languageIn", "and", "or", "xone", "alternativePath"):
        for head in graph.objects(shape, SH[name]):
            if head == _NIL:
                raise text.fault(shape, SH[name], f"sh:{name} lists nothing")
            graph.members(head, of=text.where(shape, SH[name]))
    if _NIL in graph.objects(shape, SH.path):
        raise text.fault(shape, SH.path, "sh:path lists nothing")
    for least, greatest in _PAIRS:
        _check_order(text, shape, SH[least], SH[greatest])
    for name, needed in _NEEDS:
        if graph.objects(shape, SH[name]) and not graph.objects(shape, SH[needed]):
            raise text.fault(shape, SH[name], f"sh:{name} has no effect without sh:{needed}")
    for flags in graph.objects(shape, SH.flags):
        if isinstance(flags, ox.Literal) and not re.fullmatch("[smixq]*", flags.value):
            raise text.fault(shape, SH.flags, f"no flags of a pattern: {flags.value}", "SPARQL knows s, m, i, x and q")
    for kind in graph.iris(shape, SH.nodeKind):
        if kind not in {SH[name] for name in _KINDS}:
            raise text.fault(shape, SH.nodeKind, f"no node kind: {curie(kind)}", f"one of {', '.join(_KINDS)}")
    for inner in graph.objects(shape, SH.property):
        if not graph.objects(inner, SH.path):
            raise text.fault(shape, SH.property, "a property shape has no sh:path")
    for inner in text.children(shape):
        if inner not in graph.subjects:
            raise text.fault(shape, "", f"it refers to the shape {_name(inner)}, of which nothing is said")


def _check_recursion(text: ShapeText) -> None:
    try:
        TopologicalSorter({shape: text.children(shape) for shape in text.shapes()}).prepare()
    except CycleError as error:
        raise text.fault(error.args[1][0], "", "the shape refers to itself", "recursive shapes have no agreed meaning") from error


def _check_order(text: ShapeText, shape: Node, least: str, greatest: str) -> None:
    lows, highs = ([n for value in text.graph.objects(shape, end) if (n := _number(value)) is not None] for end in (least, greatest))
    if lows and highs and max(lows) > min(highs):
        raise text.fault(shape, least, f"nothing can satisfy {curie(least)} {max(lows):g} and {curie(greatest)} {min(highs):g}")


def _number(value: Node) -> float | None:
    try:
        return float(value.value) if isinstance(value, ox.Literal) else None
    except ValueError:
        return None


def is_true(node: Node) -> bool:
    """Whether a node is a true boolean, in either spelling."""
    return isinstance(node, ox.Literal) and node.value in ("true", "1")


def _check_reached(text: ShapeText, shape: Node) -> None:
    """A shape has a target, stands in a shape around it, or is a class itself; else nothing is ever judged by it."""
    graph = text.graph
    if any(graph.objects(shape, target) for target in TARGETS) or RDFS.Class in graph.iris(shape, TYPE):
        return
    if shape in text.inside or any(is_true(value) for value in graph.objects(shape, SH.deactivated)):
        return
    hint = (
        "write sh:targetClass" if OWL.Class in graph.iris(shape, TYPE) else "add sh:targetClass, sh:targetSubjectsOf or sh:targetObjectsOf"
    )
    raise text.fault(shape, "", "the shape has no target, and no shape refers to it: it judges nothing", hint)


def without_strings(query: str) -> str:
    """A SPARQL query without its literals and comments."""
    return re.sub(
        r"""\"{3}.*?\"{3}|'{3}.*?'{3}|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|(<[^<>\s]*>)|\#[^\n]*""", r"\1", query, flags=re.DOTALL
    )


def _check_query(text: ShapeText, subject: Node, query: Node) -> None:
    if isinstance(query, ox.Literal) and len(re.findall(r"[?$]this\b", without_strings(query.value))) < 2:
        raise text.fault(subject, SH.select, "the query selects $this and looks for it in its pattern", "see SHACL, section 5.3.1")


def _name(node: Node) -> str:
    return curie(node.value) if isinstance(node, ox.NamedNode) else "a shape without name"
