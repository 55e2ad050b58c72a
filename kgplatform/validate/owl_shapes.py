"""The shapes that an ontology demands, one Turtle block each. docs/owl-to-shacl.md lists every construct.

What can be wrong with one claim alone is marked `kg:assertionLocal` and refuses it; what only several claims can
break is marked `kg:acrossClaims` and gives conflicts and findings.
"""

from __future__ import annotations

import re
from typing import Final

from ..lexical_forms import INTEGER_RANGES
from ..schema import Relation, Restriction, Schema
from ..terms import KG, NAMESPACES, RDF, RDFS, SH, TYPE, XSD, class_iri, curie, is_literal, literal, literal_value

PREFIXES: Final = "".join(f"@prefix {space.prefix}: <{space}> .\n" for space in NAMESPACES if space.prefix != "unmapped")

_FACETS: Final = {
    XSD.minInclusive: SH.minInclusive,
    XSD.maxInclusive: SH.maxInclusive,
    XSD.minExclusive: SH.minExclusive,
    XSD.maxExclusive: SH.maxExclusive,
    XSD.minLength: SH.minLength,
    XSD.maxLength: SH.maxLength,
    XSD.pattern: SH.pattern,
}
_DATATYPE_NAMES: Final = {
    RDFS.Literal: "any literal",
    RDF.PlainLiteral: "a text",
    XSD.string: "a text",
    XSD.date: "a date",
    XSD.dateTime: "a date with time",
    XSD.boolean: "true or false",
    XSD.integer: "a whole number",
    XSD.decimal: "a number",
    XSD.anyURI: "an address (URI)",
}
_STANDARD: Final = ("rdf", "rdfs", "owl", "xsd", "sh", "skos", "prov", "dcterms")
_LOCAL_NAME: Final = re.compile(r"[A-Za-z_][\w-]*")
_WARNING: Final = "sh:severity sh:Warning"


def demanded(schema: Schema) -> dict[str, str]:
    """IRI of each demanded shape -> its Turtle, which needs the PREFIXES; in the order in which they are written."""
    blocks: dict[str, str] = {}
    for relation in schema.relations.values():
        if not (relation.canonical or relation.is_qualifier or relation.iri == TYPE):
            blocks.update(_ends(schema, relation))
            blocks.update(_counts(schema, relation))
    for iri in schema.classes:
        blocks.update(_demands(schema, iri))
        blocks.update(_disjointness(schema, iri))
    return {iri: blocks[iri] for iri in sorted(blocks, key=name)}


# -- relations


def _ends(schema: Schema, relation: Relation) -> dict[str, str]:
    """Domain, range, datatype, value set and facets: what one claim can break."""
    label = schema.label(relation.iri)
    lines: list[str] = []
    if relation.domain:
        lines += _classes(relation.subjects)
        lines.append(_message(f"{label}: the subject is {_kinds(schema, relation.subjects)}"))
    values, message = _values(schema, relation)
    if values:
        lines.append(_property([f"sh:path {name(relation.iri)}", *values, _message(f"{label}: {message}")]))
    if not lines:
        return {}
    return _shape(_shape_iri(relation.iri, "local"), "assertionLocal", [f"sh:targetSubjectsOf {name(relation.iri)}", *lines])


def _values(schema: Schema, relation: Relation) -> tuple[list[str], str]:
    """(constraints on each value, what they say)."""
    if not relation.is_literal:
        kinds = ["sh:nodeKind sh:BlankNodeOrIRI"]
        if not relation.range:
            return kinds, "the object is an entity"
        return [*kinds, *_classes(relation.objects)], f"the object is {_kinds(schema, relation.objects)}"
    narrowed = {facet for facet, _ in relation.facets}
    lines = [line for line in _datatype(relation.datatype) if f"xsd{line.partition(' ')[0][2:]}" not in map(curie, narrowed)]
    phrases = [f"the value is {_datatype_name(relation.datatype)}"]
    if relation.values:
        listed = sorted(relation.values)
        lines = [f"sh:in ( {' '.join(_literal(v) for v in listed)} )"]
        phrases = [f"the value is one of {', '.join(literal_value(v) for v in listed)}"]
    for facet, value in relation.facets:
        if facet == XSD.length:
            lines += [f"sh:minLength {_literal(value)}", f"sh:maxLength {_literal(value)}"]
        elif facet == XSD.pattern:
            lines.append(f"sh:pattern {_literal(literal(f'^(?:{literal_value(value)})$'))}")
        else:
            lines.append(f"{curie(_FACETS[facet])} {_literal(value)}")
        phrases.append(f"{curie(facet).partition(':')[2]} {literal_value(value)}")
    return lines, ", ".join(phrases)


def _datatype(datatype: str) -> list[str]:
    """The constraints for a datatype, as the store will hold its values: derived integers are xsd:integer there."""
    if datatype == RDFS.Literal:
        return ["sh:nodeKind sh:Literal"]
    if datatype in (XSD.string, RDF.PlainLiteral):
        return ["sh:or ( [ sh:datatype xsd:string ] [ sh:datatype rdf:langString ] )"]
    if datatype == XSD.decimal:  # integers are decimals, and are stored as integers where no range of their relation is xsd:decimal
        return ["sh:or ( [ sh:datatype xsd:decimal ] [ sh:datatype xsd:integer ] )"]
    if datatype in INTEGER_RANGES:
        least, greatest = INTEGER_RANGES[datatype]
        bounds = [("sh:minInclusive", least), ("sh:maxInclusive", greatest)]
        return ["sh:datatype xsd:integer", *(f"{facet} {bound}" for facet, bound in bounds if bound is not None)]
    return [f"sh:datatype {name(datatype)}"]


def _counts(schema: Schema, relation: Relation) -> dict[str, str]:
    """Functional, inverse functional, asymmetric and disjoint relations: what only several claims can break."""
    label = schema.label(relation.iri)
    path = _path(schema, relation.iri)
    targets = [f"sh:targetSubjectsOf {name(relation.iri)}"]
    lines: list[str] = []
    if relation.functional:
        lines.append(_counting([f"sh:path {path}", "sh:maxCount 1", _message(f"{label}: at most one value at a time")]))
        targets += [f"sh:targetObjectsOf {name(relation.iri)}"] if relation.symmetric else []
    if relation.asymmetric:
        turned = f"[ sh:inversePath {name(relation.iri)} ]"
        lines.append(_counting([f"sh:path {turned}", f"sh:disjoint {name(relation.iri)}", _message(f"{label}: never in both directions")]))
    for other in sorted(relation.disjoint):
        lines.append(
            _counting([f"sh:path {path}", f"sh:disjoint {name(other)}", _message(f"{label}: not together with {schema.label(other)}")])
        )
    blocks = _shape(_shape_iri(relation.iri, "across"), "acrossClaims", [*targets, *lines]) if lines else {}
    if relation.inverse_functional:
        turned = _counting(
            [f"sh:path [ sh:inversePath {name(relation.iri)} ]", "sh:maxCount 1", _message(f"{label}: at most one subject a value")]
        )
        target = f"sh:targetObjectsOf {name(relation.iri)}"
        blocks.update(_shape(_shape_iri(relation.iri, "across-inverse"), "acrossClaims", [target, turned]))
    return blocks


def _path(schema: Schema, relation: str, is_turned: bool = False) -> str:
    """The path of a relation as facts are stored: inverses turned, subproperties along, symmetric ones both ways."""
    steps = [step for each in sorted(schema.subrelations(relation)) for step in _steps(schema, each, is_turned)]
    return steps[0] if len(steps) == 1 else f"[ sh:alternativePath ( {' '.join(steps)} ) ]"


def _steps(schema: Schema, relation: str, is_against: bool = False) -> list[str]:
    stored, is_turned = schema.canonical(relation)
    is_turned = is_turned != is_against
    both = stored in schema.relations and schema.relations[stored].symmetric
    return [name(stored)] * (both or not is_turned) + [f"[ sh:inversePath {name(stored)} ]"] * (both or is_turned)


# -- classes


def _demands(schema: Schema, iri: str) -> dict[str, str]:
    """The restrictions of a class: the kind of values is asked of each claim, their number of all claims together."""
    local: list[str] = []
    across: list[str] = []
    for restriction in schema.classes[iri].restrictions:
        if restriction.kind == "all":
            local += _allowed(schema, iri, restriction)
        else:
            across.append(_counted(schema, iri, restriction))
    blocks: dict[str, str] = {}
    for suffix, mark, lines in (("local", "assertionLocal", local), ("across", "acrossClaims", across)):
        if lines:
            blocks.update(_shape(_shape_iri(iri, suffix), mark, [f"sh:targetClass {name(iri)}", *lines]))
    return blocks


def _allowed(schema: Schema, iri: str, restriction: Restriction) -> list[str]:
    """One property shape for each subproperty: with a plain path the gate can skip claims of other relations."""
    values, kind = _filler(schema, restriction)
    message = _message(f"{_of(schema, iri, restriction)}: only {kind}")
    paths = sorted({step for each in schema.subrelations(restriction.relation) for step in _steps(schema, each, restriction.is_turned)})
    return [_property([f"sh:path {path}", *values, message]) for path in paths]


def _counted(schema: Schema, iri: str, restriction: Restriction) -> str:
    values, kind = _filler(schema, restriction)
    qualified = [f"sh:qualifiedValueShape [ {' ; '.join(values)} ]"] if values else []
    if restriction.kind == "value":
        shown = literal_value(restriction.value) if is_literal(restriction.value) else curie(class_iri(restriction.value))
        demand, constraint = f"one is {shown}", f"sh:hasValue {_node(restriction.value)}"
    else:
        end = "Max" if restriction.kind == "max" else "Min"
        demand = f"at {'most' if end == 'Max' else 'least'} {restriction.count}{f' ({kind})' if kind else ''}"
        constraint = f"sh:{f'qualified{end}Count' if qualified else f'{end.lower()}Count'} {restriction.count}"
    message = _message(f"{_of(schema, iri, restriction)}: {demand}")
    return _counting([f"sh:path {_path(schema, restriction.relation, restriction.is_turned)}", *qualified, constraint, message])


def _filler(schema: Schema, restriction: Restriction) -> tuple[list[str], str]:
    """(constraints on a value, what they say); both empty where any value counts."""
    if restriction.classes:
        return _classes(restriction.classes), _kinds(schema, restriction.classes)
    return (_datatype(restriction.datatype), _datatype_name(restriction.datatype)) if restriction.datatype else ([], "")


def _of(schema: Schema, iri: str, restriction: Restriction) -> str:
    relation = schema.label(restriction.relation)
    if restriction.is_turned:
        relation = schema.inverse_label(restriction.relation) or f"subject of {relation}"
    return f"'{relation}' of {_article(schema.label(iri))}"


def _disjointness(schema: Schema, iri: str) -> dict[str, str]:
    """One shape a pair, at the class whose IRI is the greater: packs can be loaded together or alone."""
    blocks: dict[str, str] = {}
    for other in sorted(schema.classes[iri].disjoint):
        if other < iri and other in schema.classes:
            message = _message(f"nothing is both {_article(schema.label(iri))} and {_article(schema.label(other))}")
            lines = [_WARNING, f"sh:targetClass {name(iri)}", f"sh:not [ sh:class {name(other)} ]", message]
            shape = _shape(_shape_iri(iri, "not-" + re.sub(r"\W+", "-", curie(other)).strip("-")), "acrossClaims", lines)
            blocks.update({key: " ".join(text.split()) + "\n" for key, text in shape.items()})
    return blocks


# -- Turtle


def _shape(iri: str, mark: str, lines: list[str]) -> dict[str, str]:
    body = " ;\n    ".join([f"{name(iri)} a sh:NodeShape", f"kg:{mark} true", *lines])
    return {iri: body + " .\n"}


def _shape_iri(iri: str, suffix: str) -> str:
    """Beside the term it is about; for terms of the W3C and DCMI in the platform's own namespace."""
    prefix, _, local = curie(iri).partition(":")
    return KG[f"{prefix}-{local}-{suffix}"] if prefix in _STANDARD else f"{iri}-{suffix}"


def name(iri: str) -> str:
    """An IRI in Turtle: with a prefix where one fits and the rest needs no escape."""
    prefix, colon, local = curie(iri).partition(":")
    return f"{prefix}{colon}{local}" if not prefix.startswith("<") and _LOCAL_NAME.fullmatch(local) else f"<{iri}>"


def _property(lines: list[str]) -> str:
    return f"sh:property [ {' ; '.join(lines)} ]"


def _counting(lines: list[str]) -> str:
    """A property shape whose results are warnings: the severity of the node shape around it says nothing of them (SHACL, section 2.1.4)."""
    return _property([*lines, _WARNING])


def _message(text: str) -> str:
    return f"sh:message {literal(text)}"


def _classes(classes: frozenset[str]) -> list[str]:
    """That a node is of any of the classes."""
    names = [name(c) for c in sorted(classes)]
    if len(names) == 1:
        return [f"sh:class {names[0]}"]
    return [f"sh:or ( {' '.join(f'[ sh:class {each} ]' for each in names)} )"]


def _literal(node: str) -> str:
    """A literal node in Turtle, its datatype with a prefix."""
    text, mark, datatype = node.rpartition("^^")
    return f"{text}^^{name(datatype[1:-1])}" if mark and datatype.endswith(">") else node


def _node(node: str) -> str:
    return _literal(node) if is_literal(node) else name(class_iri(node))


def _kinds(schema: Schema, classes: frozenset[str]) -> str:
    return " or ".join(_article(schema.label(c)) for c in sorted(classes))


def _datatype_name(datatype: str) -> str:
    return _DATATYPE_NAMES.get(datatype) or f"an {curie(datatype)}"


def _article(noun: str) -> str:
    return f"{'an' if noun[:1].lower() in 'aeiou' else 'a'} {noun}"
