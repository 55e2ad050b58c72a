"""Constraints of one shape that no node, or no value, can satisfy together. They are errors with their place, since no engine reports them."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal, InvalidOperation
from typing import Final

import pyoxigraph as ox

from ..lexical_forms import INTEGER_RANGES
from ..schema.datatypes import bases
from ..schema.graph import Node
from ..terms import SH, XSD, curie
from .shape_syntax import ShapeText

_SINGLE: Final = tuple(
    SH[name]
    for name in (
        *("path", "datatype", "nodeKind", "minCount", "maxCount", "minLength", "maxLength", "qualifiedMinCount", "qualifiedMaxCount"),
        *("minExclusive", "minInclusive", "maxExclusive", "maxInclusive", "in", "languageIn", "uniqueLang", "closed", "ignoredProperties"),
        *("severity", "deactivated", "flags", "select"),
    )
)
"""Parameters with at most one value: of two, engines take either, or fail without naming a line (SHACL, section 4)."""
_STRICT: Final = (("minExclusive", "maxExclusive"), ("minInclusive", "maxExclusive"), ("minExclusive", "maxInclusive"))
_KIND_NAMES: Final = {ox.NamedNode: "IRI", ox.BlankNode: "BlankNode", ox.Literal: "Literal"}
NUMBERS: Final = frozenset({*INTEGER_RANGES, XSD.decimal, XSD.double, XSD.float})
_DATED: Final = frozenset({XSD.date, XSD.dateTime, XSD.time, XSD.gYear, XSD.gYearMonth})


def check_satisfiable(text: ShapeText) -> None:
    """Raises OntologyError for the first contradiction."""
    for subject, predicate in text.graph.pairs:
        if predicate in _SINGLE and (count := len(set(text.graph.objects(subject, predicate)))) > 1:
            raise text.fault(
                subject, predicate, f"{curie(predicate)} has {count} values, and one counts", "write two shapes if both are meant"
            )
    for shape in text.shapes():
        for first, second in _contradictions(text, shape):
            raise text.fault(shape, SH[first], f"nothing can satisfy {_shown(text, shape, first)} and {_shown(text, shape, second)}")


def _shown(text: ShapeText, shape: Node, name: str) -> str:
    first = text.graph.objects(shape, SH[name])[0]
    if isinstance(first, ox.Literal):
        return f"sh:{name} {first.value if first.datatype.value in NUMBERS else first}"
    return f"sh:{name} {curie(first.value) if isinstance(first, ox.NamedNode) else '( ... )'}"


def _contradictions(text: ShapeText, shape: Node) -> Iterator[tuple[str, str]]:
    """Pairs of parameters that contradict each other."""

    def of(name: str) -> list[Node]:
        return text.graph.objects(shape, SH[name])

    for least, greatest in (("minInclusive", "maxInclusive"), *_STRICT):
        for low, high in zip(of(least), of(greatest), strict=False):
            if _is_above(low, high, or_equal=(least, greatest) in _STRICT):
                yield least, greatest
    if of("class") and of("datatype"):
        yield "class", "datatype"
    for kind in of("nodeKind"):
        admits_literals = "Literal" in str(kind)
        if of("class") and str(kind) == f"<{SH.Literal}>":
            yield "nodeKind", "class"
        if of("datatype") and not admits_literals:
            yield "nodeKind", "datatype"
    listed = [member for head in of("in") for member in text.graph.members(head, of=text.where(shape, SH["in"]))]
    for limit in ("datatype", "nodeKind"):
        for wanted in of(limit):
            if not all(_fits(value, limit, wanted) for value in of("hasValue")):
                yield "hasValue", limit
            if listed and not any(_fits(value, limit, wanted) for value in listed):
                yield "in", limit
    if listed and not set(of("hasValue")) <= set(listed):
        yield "hasValue", "in"
    for most in of("maxCount"):
        if len(set(of("hasValue"))) > _count(most):
            yield "hasValue", "maxCount"
    for least_count in of("minCount"):
        if listed and _count(least_count) > len(set(listed)):
            yield "minCount", "in"


def _count(value: Node) -> int:
    return int(value.value) if isinstance(value, ox.Literal) else 0


def _fits(value: Node, limit: str, wanted: Node) -> bool:
    if limit == "nodeKind":
        kinds = str(wanted).rpartition("#")[2]  # `<...#IRIOrLiteral>`
        return any(kind in kinds for type_, kind in _KIND_NAMES.items() if isinstance(value, type_))
    if not isinstance(value, ox.Literal) or not isinstance(wanted, ox.NamedNode):
        return False
    return wanted.value in bases(value.datatype.value) or value.datatype.value in bases(wanted.value)


def family(datatype: str) -> str:
    """The datatypes whose values compare with those of a datatype: all numbers with each other, the others with their own."""
    return XSD.decimal if datatype in NUMBERS else bases(datatype)[-1]


def _is_above(low: Node, high: Node, *, or_equal: bool) -> bool:
    """Whether a bound lies above another one, where the two can be compared without doubt."""
    if not isinstance(low, ox.Literal) or not isinstance(high, ox.Literal):
        return False
    one, other = low.datatype.value, high.datatype.value
    if {one, other} <= NUMBERS:
        try:
            a, b = Decimal(low.value), Decimal(high.value)
        except InvalidOperation:
            return False
        return a >= b if or_equal else a > b
    if one == other and one in _DATED and len(low.value) == len(high.value) and not {"-", "+"} & {low.value[0], high.value[0]}:
        zoneless = (
            not any(value.endswith("Z") or "+" in value for value in (low.value, high.value)) or low.value[-1] == high.value[-1] == "Z"
        )
        return zoneless and (low.value >= high.value if or_equal else low.value > high.value)
    return False
