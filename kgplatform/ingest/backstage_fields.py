"""The fields of one Backstage entity as claims: names, metadata, spec.

A reference states the kind of what it names. That is claimed as its expected type, with its short name, since the entity may stand
in a file of somebody else, or in none; what a file states of an entity overrides it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from ..model import Fact
from ..terms import ALT_LABEL, DESCRIPTION, EXPECTED_TYPE, LABEL, SC, TYPE, XSD, class_node, literal
from .backstage_references import DEFAULT, FIELDS, REFERENCE, Reference, ReferenceField, is_unfilled, reference
from .evidence import compact, unmapped
from .yaml_documents import Node, Scalar, YamlMapping, YamlSequence, as_value

EXTRACTOR: Final = "backstage/3"
OF_LINKS: Final = {"title": SC.link_title, "type": SC.link_type, "icon": SC.link_icon}
ON_CALL: Final = "kgplatform/on-call"
"""The annotation of a Group that names its on-call rotation."""


class StatedField(NamedTuple):
    """What a node of the file says; `note` says how it was read where it does not stand so in the file."""

    fact: Fact
    node: Node
    extractor: str = EXTRACTOR
    note: str = ""


class CountedNode(NamedTuple):
    """A node that is counted, under the kind and the words of a notice."""

    kind: str
    what: str
    node: Node


Parts = Iterator[StatedField | CountedNode]


def named(document: YamlMapping, subject: Reference) -> Parts:
    """One label (title, else display name, else name); the other names are alternatives, as is the name with its namespace."""
    metadata, profile = document.mapping("metadata"), document.mapping("spec").mapping("profile")
    places = ((metadata, "title"), (profile, "displayName"), (metadata, "name"))
    names = [(holder.text(field), holder.entries[field]) for holder, field in places if holder.text(field)]
    if subject.namespace != DEFAULT:
        names.append((subject.full_name, metadata.entries["namespace"]))
    seen: set[str] = set()
    for name, node in names:
        if name.casefold() not in seen:
            yield StatedField(Fact(subject.key, ALT_LABEL if seen else LABEL, literal(name)), node)
            seen.add(name.casefold())


def metadata_field(subject: Reference, kind: str, field: str, node: Node) -> Parts:
    """The parts of one field of `metadata`; name and title are left to `named`. `kind` is in lower case."""
    if field in ("name", "title") and scalar(node):
        return
    if field == "namespace" and scalar(node):
        if subject.namespace != DEFAULT:
            yield StatedField(Fact(subject.key, SC.namespace, literal(subject.namespace)), node)
    elif field == "description" and scalar(node):
        yield StatedField(Fact(subject.key, DESCRIPTION, literal(scalar(node))), node)
    elif field == "tags" and not isinstance(node, YamlMapping):
        for tag in items(node):
            yield from _value(subject.key, SC.tag, "metadata.tags", tag)
    elif field == "links":
        for link in items(node):
            yield from _link(subject.key, link)
    elif field in ("annotations", "labels") and isinstance(node, YamlMapping):
        for key, value in node.entries.items():
            yield from _annotation(subject, kind, field, key, value)
    else:
        yield from unmapped_field(subject.key, f"metadata.{field}", node)


def _link(subject: str, link: Node) -> Parts:
    """The address, and once more with title, type and icon as qualifiers if it has any: a qualified claim is not the plain fact."""
    if not isinstance(link, YamlMapping) or not link.text("url") or is_unfilled(link.text("url")):
        yield from unmapped_field(subject, "metadata.links", link)
        return
    address = literal(link.text("url"), XSD.anyURI)
    qualifiers = tuple((relation, literal(link.text(field))) for field, relation in OF_LINKS.items() if link.text(field))
    yield StatedField(Fact(subject, SC.link, address), link.entries["url"])
    if qualifiers:
        yield StatedField(Fact(subject, SC.link, address, qualifiers=qualifiers), link)
    for field, node in link.entries.items():
        if field != "url" and not (field in OF_LINKS and link.text(field)):
            yield from unmapped_field(subject, f"metadata.links.{field}", node)


def _annotation(subject: Reference, kind: str, field: str, key: str, value: Node) -> Parts:
    is_on_call = key == ON_CALL and kind == "group" and not is_unfilled(scalar(value))
    rotation = reference(scalar(value), "rotation", subject.namespace) if is_on_call else None
    if rotation:
        yield StatedField(Fact(subject.key, SC.on_call, rotation.key), value, note=rotation.note)
        yield StatedField(Fact(rotation.key, TYPE, class_node(SC.Rotation)), value)
        yield StatedField(Fact(rotation.key, LABEL, literal(rotation.name)), value)
    elif scalar(value):
        yield StatedField(Fact(subject.key, SC.annotation, literal(scalar(value)), qualifiers=((SC.annotation_key, literal(key)),)), value)
    else:
        yield from unmapped_field(subject.key, f"metadata.{field}.{key}", value)


def spec_field(subject: Reference, kind: str, field: str, node: Node) -> Parts:
    """The parts of one field of `spec`; a reference is followed by the expected type of what it names. `kind` is in lower case."""
    if field in FIELDS:
        for item in items(node):
            yield from _reference(subject, FIELDS[field], field, item)
    elif field == "type":
        yield from _value(subject.key, SC.group_type if kind == "group" else SC.component_type, "spec.type", node)
    elif field == "lifecycle":
        yield from _value(subject.key, SC.lifecycle, "spec.lifecycle", node)
    elif field == "definition" and scalar(node):
        yield StatedField(Fact(subject.key, SC.definition, literal(scalar(node))), node)
    elif field == "definition" and (address := _substitution(node)):
        yield StatedField(Fact(subject.key, SC.definition_at, literal(address, XSD.anyURI)), node)
    else:
        yield from unmapped_field(subject.key, f"spec.{field}", node)


def _reference(subject: Reference, field: ReferenceField, name: str, node: Node) -> Parts:
    text = scalar(node)
    if is_unfilled(text):
        yield CountedNode("skipped", "placeholder", node)
        return
    other = reference(text, field.kind, subject.namespace) if text else None
    if other is None:
        yield from unmapped_field(subject.key, f"spec.{name}", node)
        return
    ends = (other.key, subject.key) if field.turned else (subject.key, other.key)
    yield StatedField(Fact(ends[0], field.relation, ends[1]), node, note=other.note)
    if other.class_:
        yield StatedField(Fact(other.key, EXPECTED_TYPE, class_node(other.class_)), node, REFERENCE)
        for alias in dict.fromkeys((other.name, other.full_name)):
            yield StatedField(Fact(other.key, ALT_LABEL, literal(alias)), node, REFERENCE)
        if other.namespace != DEFAULT:
            yield StatedField(Fact(other.key, SC.namespace, literal(other.namespace)), node, REFERENCE)


def _substitution(node: Node) -> str:
    """The address that `$text`, `$json` or `$yaml` puts in the place of a value; '' where none does."""
    if not isinstance(node, YamlMapping) or len(node.entries) != 1:
        return ""
    ((key, value),) = node.entries.items()
    return scalar(value) if key.startswith("$") and not is_unfilled(scalar(value)) else ""


def _value(subject: str, relation: str, field: str, node: Node) -> Parts:
    """The claim of a text as it is written; an unmapped claim for other values, and nothing for null."""
    if is_unfilled(scalar(node)):
        yield CountedNode("skipped", "placeholder", node)
    elif scalar(node):
        yield StatedField(Fact(subject, relation, literal(scalar(node))), node)
    else:
        yield from unmapped_field(subject, field, node)


def items(node: Node) -> tuple[Node, ...]:
    """The members of a list, or the one value that stands in the place of one."""
    return node.items if isinstance(node, YamlSequence) else (node,)


def scalar(node: Node) -> str:
    """The text of a value as it is written, '' where it is null, blank or no scalar."""
    return node.text.strip() if isinstance(node, Scalar) and not node.is_null else ""


def unmapped_field(subject: str, field: str, node: Node) -> Parts:
    """A field that no rule reads, as a claim that the gate quarantines, so that it is counted; nothing for an empty value."""
    if isinstance(node, Scalar) and node.is_null or isinstance(node, YamlSequence) and not node.items:
        return
    if isinstance(node, YamlMapping) and not node.entries:
        return
    value = node.text if isinstance(node, Scalar) else compact(as_value(node))
    yield StatedField(unmapped(subject, "backstage", field, value), node)
