"""Backstage catalogue entities to claims: kinds, references, literals; what no field rule knows stays as unmapped claims.

References are case-insensitive (https://backstage.io/docs/features/software-catalog/references): keys are lower-cased.
A reference without a kind takes the kind of its field, one without a namespace the namespace of its entity.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from ..errors import SyntaxSourceError
from ..model import Candidate, Fact
from ..terms import ALT_LABEL, DESCRIPTION, LABEL, PP, SC, TYPE, XSD, class_node, identifier_key, literal
from .evidence import candidate, compact, line_of, lines_around, unmapped
from .mappings import is_scheme
from .yaml_documents import Mapping, Node, Scalar, Sequence, as_value

EXTRACTOR: Final = "backstage/1"
API_PREFIX: Final = "backstage.io/"
ON_CALL: Final = "kgplatform/on-call"
"""The annotation of a Group that names its on-call rotation."""


class Kind(NamedTuple):
    class_: str
    scheme: str


class Reference(NamedTuple):
    """A field that names other entities; `turned` where the named one is the subject."""

    relation: str
    kind: str
    turned: bool = False


KINDS: Final = {
    "component": Kind(SC.Component, "component"),
    "system": Kind(SC.System, "system"),
    "domain": Kind(SC.Domain, "domain"),
    "api": Kind(SC.API, "api"),
    "resource": Kind(SC.Resource, "resource"),
    "group": Kind(SC.Group, "team"),
    "user": Kind(PP.Person, "person"),
}
REFERENCES: Final = {
    "owner": Reference(SC.owned_by, "group"),
    "system": Reference(SC.part_of, "system"),
    "domain": Reference(SC.part_of, "domain"),
    "subcomponentOf": Reference(SC.subcomponent_of, "component"),
    "subdomainOf": Reference(SC.part_of, "domain"),
    "dependsOn": Reference(SC.depends_on, "component"),
    "dependencyOf": Reference(SC.depends_on, "component", turned=True),
    "providesApis": Reference(SC.provides_api, "api"),
    "implementsApis": Reference(SC.provides_api, "api"),
    "consumesApis": Reference(SC.consumes_api, "api"),
    "parent": Reference(SC.subgroup_of, "group"),
    "children": Reference(SC.subgroup_of, "group", turned=True),
    "memberOf": Reference(PP.member_of, "group"),
    "members": Reference(PP.member_of, "user", turned=True),
}
LITERALS: Final = {"lifecycle": SC.lifecycle, "definition": SC.definition}
PROFILE: Final = {"email": (PP.email, XSD.string), "picture": (PP.picture, XSD.anyURI)}


def is_backstage(document: Mapping) -> bool:
    return document.text("apiVersion").startswith(API_PREFIX)


def entity_claims(document: Mapping, text: str, path: str) -> tuple[Candidate, ...]:
    """Every claim of one catalogue entity. SyntaxSourceError where it has no kind or no name."""
    return tuple(candidate(text, fact, lines_around(text, node.start, node.end), EXTRACTOR) for fact, node in _facts(document, text, path))


Placed = Iterator[tuple[Fact, Node]]


def _facts(document: Mapping, text: str, path: str) -> Placed:
    metadata = document.mapping("metadata")
    name, kind = metadata.text("name"), document.text("kind")
    if not name or not kind:
        missing = "metadata.name" if kind else "kind"
        raise SyntaxSourceError(f"a catalogue entity without {missing}", where=f"{path}:{line_of(text, document.start)}", hint=f"add {missing}")
    namespace = metadata.text("namespace").lower() or "default"
    known = KINDS.get(kind.lower())
    subject = entity_ref(f"{kind}:{namespace}/{name}", "", "")
    if known is None:
        yield from _unknown_kind(document, subject, kind)
        return
    class_ = SC.Team if kind.lower() == "group" and document.mapping("spec").text("type").lower() == "team" else known.class_
    yield Fact(subject, TYPE, class_node(class_)), document.entries["kind"]
    yield from _names(document, subject)
    for field, node in metadata.entries.items():
        if field not in ("name", "namespace", "title"):
            yield from _metadata(subject, kind.lower(), namespace, field, node)
    for field, node in document.mapping("spec").entries.items():
        if field != "profile" or not isinstance(node, Mapping):
            yield from _spec(subject, kind.lower(), namespace, field, node)
    for field, node in document.mapping("spec").mapping("profile").entries.items():
        if field in PROFILE and _says(node):
            relation, datatype = PROFILE[field]
            yield Fact(subject, relation, literal(_text(node), datatype)), node
        elif field != "displayName" or not _says(node):
            yield from _unmapped(subject, f"spec.profile.{field}", node)
    for field, node in document.entries.items():
        whole = field in ("metadata", "spec") and isinstance(node, Mapping)
        if not whole and field not in ("apiVersion", "kind"):
            yield from _unmapped(subject, field, node)


def _names(document: Mapping, subject: str) -> Placed:
    """One label (title, else display name, else name); the other names are alternatives."""
    metadata, profile = document.mapping("metadata"), document.mapping("spec").mapping("profile")
    places = ((metadata, "title"), (profile, "displayName"), (metadata, "name"))
    seen: set[str] = set()
    for holder, field in places:
        said = holder.text(field)
        if said and said.casefold() not in seen:
            yield Fact(subject, ALT_LABEL if seen else LABEL, literal(said)), holder.entries[field]
            seen.add(said.casefold())


def _metadata(subject: str, kind: str, namespace: str, field: str, node: Node) -> Placed:
    if field == "description" and _says(node):
        yield Fact(subject, DESCRIPTION, literal(_text(node))), node
    elif field == "tags" and isinstance(node, Sequence):
        for tag in node.items:
            yield (Fact(subject, SC.tag, literal(_text(tag))), tag) if _says(tag) else (_left(subject, "metadata.tags", tag), tag)
    elif field == "links" and isinstance(node, Sequence):
        for link in node.items:
            yield from _link(subject, link)
    elif field == "annotations" and isinstance(node, Mapping):
        for key, value in node.entries.items():
            yield from _annotation(subject, kind, namespace, key, value)
    else:
        yield from _unmapped(subject, f"metadata.{field}", node)


def _link(subject: str, link: Node) -> Placed:
    if not isinstance(link, Mapping) or not link.text("url"):
        yield from _unmapped(subject, "metadata.links", link)
        return
    for field, node in link.entries.items():
        if field == "url":
            yield Fact(subject, SC.link, literal(link.text("url"), XSD.anyURI)), node
        else:
            yield from _unmapped(subject, f"metadata.links.{field}", node)


def _annotation(subject: str, kind: str, namespace: str, key: str, value: Node) -> Placed:
    rotation = entity_ref(_text(value), "rotation", namespace) if key == ON_CALL and kind == "group" and _says(value) else ""
    if rotation:
        yield Fact(subject, SC.on_call, rotation), value
        yield Fact(rotation, TYPE, class_node(SC.Rotation)), value
        yield Fact(rotation, LABEL, literal(_text(value).rpartition(":")[2].rpartition("/")[2])), value
    elif _says(value):
        yield Fact(subject, SC.annotation, literal(_text(value)), qualifiers=((SC.annotation_key, literal(key)),)), value
    else:
        yield from _unmapped(subject, f"metadata.annotations.{key}", value)


def _spec(subject: str, kind: str, namespace: str, field: str, node: Node) -> Placed:
    reference = REFERENCES.get(field)
    if reference:
        for item in node.items if isinstance(node, Sequence) else (node,):
            other = entity_ref(_text(item), reference.kind, namespace) if _says(item) else ""
            if other:
                ends = (other, subject) if reference.turned else (subject, other)
                yield Fact(ends[0], reference.relation, ends[1]), item
            else:
                yield from _unmapped(subject, f"spec.{field}", item)
    elif _says(node) and field in ("type", *LITERALS):
        type_ = SC.group_type if kind == "group" else SC.component_type
        yield Fact(subject, LITERALS.get(field, type_), literal(_text(node))), node
    else:
        yield from _unmapped(subject, f"spec.{field}", node)


def _unknown_kind(document: Mapping, subject: str, kind: str) -> Placed:
    yield unmapped(subject, "backstage", "kind", kind), document.entries["kind"]
    for field, node in document.entries.items():
        if field in ("metadata", "spec") and isinstance(node, Mapping):
            for inner, value in node.entries.items():
                yield from _unmapped(subject, f"{kind}.{field}.{inner}", value)
        elif field not in ("apiVersion", "kind"):
            yield from _unmapped(subject, f"{kind}.{field}", node)


def entity_ref(ref: str, kind: str, namespace: str) -> str:
    """The mention key of `[kind:][namespace/]name`, '' without a name; the default namespace is left out of keys.

    What stands for a kind and can be no scheme (`text`, `iri`, punctuation) leaves the whole reference as an identifier of its own.
    """
    stated, colon, rest = ref.strip().lower().partition(":")
    if not colon:
        stated, rest = kind, stated
    space, slash, name = rest.partition("/")
    if not slash:
        space, name = namespace, space
    if not name.strip():
        return ""
    known = KINDS.get(stated)
    if not known and not is_scheme(stated):
        return identifier_key("reference", ref.lower())
    return identifier_key(known.scheme if known else stated, name if space in ("", "default") else f"{space}/{name}")


def _says(node: Node) -> bool:
    return isinstance(node, Scalar) and not node.is_null and bool(node.text.strip())


def _text(node: Node) -> str:
    return node.text.strip() if isinstance(node, Scalar) else ""


def _left(subject: str, field: str, node: Node) -> Fact:
    return unmapped(subject, "backstage", field, node.text if isinstance(node, Scalar) else compact(as_value(node)))


def _unmapped(subject: str, field: str, node: Node) -> Placed:
    """One claim per field; an absent or empty value says nothing."""
    if isinstance(node, Scalar) and node.is_null or isinstance(node, Sequence) and not node.items:
        return
    if isinstance(node, Mapping) and not node.entries:
        return
    yield _left(subject, field, node), node


