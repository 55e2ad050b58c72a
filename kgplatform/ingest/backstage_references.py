"""References of Backstage's catalogue: `[kind:][namespace/]name`, the kinds, and which field takes what.

References are case-insensitive (https://backstage.io/docs/features/software-catalog/references): keys are lower-cased.
A reference without a kind takes the kind of its field, one without a namespace the namespace of the entity that it stands in;
the namespace `default` is left out of keys.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from ..terms import PP, SC, identifier_key
from .mappings import is_scheme

DEFAULT: Final = "default"
REFERENCE: Final = "reference"
"""The extractor of claims that a reference makes about the entity that it names: its kind, its short name, its namespace."""
_PLACEHOLDER: Final = re.compile(r"\{\{.*?\}\}|\{%.*?%\}|<%.*?%>|\$\{[^{}]*\}", re.DOTALL)


class ReferenceKind(NamedTuple):
    """The class of the entities of a kind, and the scheme of their keys."""

    class_: str
    scheme: str


class ReferenceField(NamedTuple):
    """A field that names other entities, of `kind` where they state none; `turned` where the named one is the subject."""

    relation: str
    kind: str
    turned: bool = False


class Reference(NamedTuple):
    """What a reference names: the key of its mention, the class its kind says ('' of an unknown kind), and its words.

    `note` is the whole reference where kind or namespace are not stated.
    """

    key: str
    class_: str
    namespace: str
    name: str
    note: str = ""

    @property
    def full_name(self) -> str:
        """`namespace/name`, or the name alone in the namespace `default`."""
        return self.name if self.namespace == DEFAULT else f"{self.namespace}/{self.name}"


KINDS: Final = {
    "component": ReferenceKind(SC.Component, "component"),
    "system": ReferenceKind(SC.System, "system"),
    "domain": ReferenceKind(SC.Domain, "domain"),
    "api": ReferenceKind(SC.API, "api"),
    "resource": ReferenceKind(SC.Resource, "resource"),
    "group": ReferenceKind(SC.Group, "team"),
    "user": ReferenceKind(PP.Person, "person"),
}
NOT_ENTITIES: Final = {"template": "Template", "location": "Location"}
"""Kinds that describe how entities are made or where they are found, and are no entities themselves."""
FIELDS: Final = {
    "owner": ReferenceField(SC.owned_by, "group"),
    "system": ReferenceField(SC.part_of, "system"),
    "domain": ReferenceField(SC.part_of, "domain"),
    "subcomponentOf": ReferenceField(SC.subcomponent_of, "component"),
    "subdomainOf": ReferenceField(SC.part_of, "domain"),
    "dependsOn": ReferenceField(SC.depends_on, "component"),
    "dependencyOf": ReferenceField(SC.depends_on, "component", turned=True),
    "providesApis": ReferenceField(SC.provides_api, "api"),
    "implementsApis": ReferenceField(SC.provides_api, "api"),
    "consumesApis": ReferenceField(SC.consumes_api, "api"),
    "parent": ReferenceField(SC.subgroup_of, "group"),
    "children": ReferenceField(SC.subgroup_of, "group", turned=True),
    "memberOf": ReferenceField(PP.member_of, "group"),
    "members": ReferenceField(PP.member_of, "user", turned=True),
}


def is_unfilled(text: str) -> bool:
    """Whether a text holds what a scaffolder fills in first: `${{ values.name }}`, `{{cookiecutter.name}}`, `<%= name %>`."""
    return _PLACEHOLDER.search(text) is not None


def reference(text: str, kind: str, namespace: str) -> Reference | None:
    """What a reference names, for a field's default kind and the namespace of the entity that it stands in; None without a name.

    Where the stated kind cannot be a scheme (`text`, `iri`, punctuation), the whole reference is the identifier.
    """
    stated, colon, rest = text.strip().partition(":")
    if not colon:
        stated, rest = kind, stated
    space, slash, name = rest.partition("/")
    if not slash:
        space, name = namespace, space
    stated, space, name = stated.strip().lower(), space.strip().lower() or DEFAULT, name.strip()
    if not name:
        return None
    known_kind = KINDS.get(stated)
    if not known_kind and not is_scheme(stated):
        return Reference(identifier_key("reference", text.strip().lower()), "", space, name)
    note = "" if colon and slash else f"read as {stated}:{space}/{name}"
    without_key = Reference("", known_kind.class_ if known_kind else "", space, name, note)
    return without_key._replace(key=identifier_key(known_kind.scheme if known_kind else stated, without_key.full_name.lower()))
