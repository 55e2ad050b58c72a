"""What a plain scan of Backstage's YAML files finds: owners and relations by Backstage's own rules, without a line of the product's
readers.

The rules: https://backstage.io/docs/features/software-catalog/references (kinds and names in any case, the entity's own namespace
where none is stated) and .../descriptor-format (which field names what).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, NamedTuple

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

# field of spec: (relation, kind of a reference that states none, whether the named one is the subject)
FIELDS: Final = {
    "owner": ("owned_by", "group", False),
    "system": ("part_of", "system", False),
    "domain": ("part_of", "domain", False),
    "subdomainOf": ("part_of", "domain", False),
    "subcomponentOf": ("subcomponent_of", "component", False),
    "dependsOn": ("depends_on", "component", False),
    "dependencyOf": ("depends_on", "component", True),
    "providesApis": ("provides_api", "api", False),
    "consumesApis": ("consumes_api", "api", False),
    "parent": ("subgroup_of", "group", False),
    "children": ("subgroup_of", "group", True),
    "memberOf": ("member_of", "group", False),
    "members": ("member_of", "user", True),
}
NO_ENTITIES: Final = frozenset({"template", "location"})
_PLACEHOLDER: Final = re.compile(r"\{\{|\{%|<%|\$\{")


class Name(NamedTuple):
    """An entity by kind, namespace and name, all in lower case."""

    kind: str
    namespace: str
    name: str

    def __str__(self) -> str:
        return f"{self.kind}:{self.namespace}/{self.name}"


class Statement(NamedTuple):
    subject: Name
    relation: str
    object: Name


@dataclass
class Scan:
    """The statements, each with the file that makes it first; the names that entities state; what is no entity, counted."""

    statements: dict[Statement, Path] = field(default_factory=dict)
    titles: dict[Name, str] = field(default_factory=dict)
    passed: Counter[str] = field(default_factory=Counter)


def scanned(folder: Path) -> Scan:
    found = Scan()
    for path in sorted(p for p in folder.rglob("*") if p.suffix.lower() in (".yaml", ".yml")):
        for entity in _entities(path, found):
            _scan(entity, path, found)
    return found


def resolved(reference: str, kind: str, namespace: str) -> Name | None:
    """`[kind:][namespace/]name`; None where it names nothing."""
    match = re.fullmatch(r"\s*(?:([^:]*):)?(?:([^/]*)/)?(.*?)\s*", reference, re.DOTALL)
    if not match or not match[3].strip():
        return None
    stated, space, name = (match[1] or kind).strip(), (match[2] or namespace).strip(), match[3].strip()
    return Name(stated.lower(), space.lower() or "default", name.lower())


def _entities(path: Path, found: Scan) -> Iterator[dict[str, Any]]:
    """The catalogue entities of a file; a document that is no YAML is passed over by itself."""
    for part in re.split(r"^---(?=\s|$)", path.read_text(encoding="utf-8-sig"), flags=re.MULTILINE):
        try:
            entity = YAML(typ="base", pure=True).load(part)
        except YAMLError:
            found.passed["no YAML"] += 1
            continue
        version = entity.get("apiVersion") if isinstance(entity, dict) else None
        if isinstance(version, str) and re.search(r"(?:^|\.)backstage\.io/", version):
            yield entity


def _scan(entity: dict[str, Any], path: Path, found: Scan) -> None:
    metadata, spec = _mapping(entity, "metadata"), _mapping(entity, "spec")
    kind, name = str(entity.get("kind") or ""), str(metadata.get("name") or "")
    subject = resolved(f"{kind}:{metadata.get('namespace') or 'default'}/{name}", "", "") if kind and name else None
    if subject is None:
        found.passed["no kind or no name"] += 1
    elif _PLACEHOLDER.search(str(subject)):
        found.passed["placeholder"] += 1
    elif subject.kind in NO_ENTITIES:
        found.passed[f"kind {kind}"] += 1
    else:
        found.titles[subject] = str(metadata.get("title") or name)
        for field_, (relation, default, is_turned) in FIELDS.items():
            for reference in _listed(spec.get(field_)):
                other = resolved(reference, default, subject.namespace)
                if other and not _PLACEHOLDER.search(str(other)):
                    ends = (other, subject) if is_turned else (subject, other)
                    found.statements.setdefault(Statement(ends[0], relation, ends[1]), path)


def _mapping(entity: dict[str, Any], part: str) -> dict[str, Any]:
    value = entity.get(part)
    return value if isinstance(value, dict) else {}


def _listed(value: object) -> Iterator[str]:
    for each in value if isinstance(value, list) else [value]:
        if isinstance(each, str):
            yield each
