"""Mapping files: small declarative TOML that says what the fields of a record mean. Reference: docs/mappings.md."""

from __future__ import annotations

import difflib
import hashlib
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final, NamedTuple

from ..errors import MappingError
from ..model import Scopes
from ..schema import Schema
from ..terms import ALT_LABEL, DESCRIPTION, LABEL, NAMESPACES, TYPE, expand

EVERY_SUBJECT: Final = frozenset({TYPE, LABEL, ALT_LABEL, DESCRIPTION})
"""Relations that need no declaration."""


class Entity(NamedTuple):
    """How a value becomes a mention key. Without a `scheme` the value carries its own: `team:platform`."""

    scheme: str = ""
    slug: bool = False
    class_: str = ""
    label: bool = False


class Rule(NamedTuple):
    """One fact per value of a column, or a constant. `entity` is None for literals and classes."""

    column: str
    value: str
    relation: str
    entity: Entity | None
    datatype: str
    language: str
    separator: str
    start: str
    end: str
    qualifiers: tuple[tuple[str, str], ...]


class Subject(NamedTuple):
    column: str
    entity: Entity


class Statement(NamedTuple):
    """Records that are statements themselves: columns of subject, relation, object and bounds."""

    subject: str
    relation: str
    object: str
    start: str
    end: str


@dataclass(frozen=True)
class Mapping:
    """One mapping file, checked. `version` changes with its text."""

    path: str
    records: str
    delimiter: str
    scopes: Scopes
    subject: Subject | None
    statement: Statement | None
    rules: tuple[Rule, ...]
    version: str

    @cached_property
    def columns(self) -> frozenset[str]:
        """Every column that the mapping names."""
        if self.statement:
            return frozenset(c for c in self.statement if c)
        named = {self.subject.column} if self.subject else set()
        for rule in self.rules:
            named.update((rule.column, rule.start, rule.end, *(column for _, column in rule.qualifiers)))
        return frozenset(named - {""})


def load_mapping(path: Path, schema: Schema) -> Mapping:
    """The mapping of a file, checked against the ontology. MappingError names the key and what to do."""
    try:
        content = path.read_bytes()
        values = tomllib.loads(content.decode("utf-8"))
    except OSError as error:
        raise MappingError(error.strerror or "cannot be read", where=str(path), hint="the collection's mapping in kgplatform.toml names it") from error
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise MappingError(f"is not TOML: {error}", where=str(path), hint="see docs/mappings.md") from error
    return _mapping(_Table(values, str(path), ""), schema, hashlib.sha256(content).hexdigest()[:8])


class _Table:
    """One TOML table while it is read: each key once, with its type; a key left over is an error."""

    def __init__(self, values: dict[str, Any], where: str, prefix: str) -> None:
        self.values, self.where, self.prefix = dict(values), where, prefix
        self.known: set[str] = set()

    def take(self, key: str, default: Any, type_: type) -> Any:
        self.known.add(key)
        value = self.values.pop(key, default)
        if not isinstance(value, type_):
            raise self.wrong(key, f"must be a {type_.__name__}, as docs/mappings.md says")
        return value

    def text(self, key: str) -> str:
        return str(self.take(key, "", str))

    def needed(self, key: str) -> str:
        return self.text(key) or self._missing(key)

    def _missing(self, key: str) -> str:
        raise self.wrong(key, "is missing")

    def flag(self, key: str) -> bool:
        return bool(self.take(key, False, bool))

    def table(self, key: str) -> _Table | None:
        values = self.take(key, {}, dict)
        return _Table(values, self.where, f"{self.prefix}{key}.") if values else None

    def tables(self, key: str) -> list[_Table]:
        values = self.take(key, [], list)
        if not all(isinstance(value, dict) for value in values):
            raise self.wrong(key, "must be tables: [[facts]]")
        return [_Table(value, self.where, f"{self.prefix}{key}[{n}].") for n, value in enumerate(values, 1)]

    def end(self) -> None:
        for key in self.values:
            raise self.wrong(key, "is no key of a mapping", hint=nearest(key, self.known) or f"known here: {', '.join(sorted(self.known))}")

    def wrong(self, key: str, what: str, *, hint: str = "") -> MappingError:
        return MappingError(f"{self.prefix}{key} {what}", where=self.where, hint=hint or "see docs/mappings.md")


def nearest(name: str, known: Iterable[str]) -> str:
    """`did you mean x?`, or '' where nothing is near."""
    close = difflib.get_close_matches(name, list(known), n=1, cutoff=0.5)
    return f"did you mean {close[0]}?" if close else ""


def relation_iri(text: str, schema: Schema) -> str:
    """The declared relation of an IRI, a CURIE or a bare local name; '' where the ontology declares none."""
    return _declared(text, EVERY_SUBJECT | schema.relations.keys())


def class_iri_of(text: str, schema: Schema) -> str:
    """The declared class of an IRI, a CURIE or a bare local name; '' where the ontology declares none."""
    return _declared(text, schema.classes.keys())


def _declared(text: str, known: Iterable[str]) -> str:
    name = text.strip().removeprefix("<").removesuffix(">")
    wanted = {expand(name)} if ":" in name else {space[name] for space in NAMESPACES}
    found = sorted(wanted & set(known))
    return found[0] if len(found) == 1 else ""


def _mapping(table: _Table, schema: Schema, version: str) -> Mapping:
    subject, statement = table.table("subject"), table.table("statement")
    facts = table.tables("facts")
    scopes = table.take("scopes", [], list)
    if not all(isinstance(scope, str) and scope and scope != "public" for scope in scopes):
        raise table.wrong("scopes", "must be a list of scopes", hint="a mapping can only add scopes, never make something public")
    if statement and (subject or facts):
        raise table.wrong("statement", "stands beside [subject] or [[facts]]", hint="use one of the two forms")
    if not statement and not subject:
        raise table.wrong("subject", "is missing", hint="name the key column: [subject] column = ..., scheme = ...")
    mapping = Mapping(
        path=table.where,
        records=table.text("records"),
        delimiter=table.text("delimiter"),
        scopes=frozenset(scopes),
        subject=_subject(subject, schema) if subject else None,
        statement=_statement(statement) if statement else None,
        rules=tuple(_rule(fact, schema) for fact in facts),
        version=version,
    )
    if len(mapping.delimiter) > 1:
        raise table.wrong("delimiter", "must be one character")
    table.end()
    return mapping


def _subject(table: _Table, schema: Schema) -> Subject:
    subject = Subject(table.needed("column"), _entity(table, schema))
    table.end()
    return subject


def _statement(table: _Table) -> Statement:
    statement = Statement(table.needed("subject"), table.needed("relation"), table.needed("object"), table.text("from"), table.text("until"))
    table.end()
    return statement


def _entity(table: _Table, schema: Schema) -> Entity:
    scheme, class_ = table.text("scheme"), table.text("class")
    if scheme and not is_scheme(scheme):
        raise table.wrong("scheme", f"is {scheme!r}", hint="a scheme is lower-case letters, digits and -, for example team")
    iri = class_iri_of(class_, schema)
    if class_ and not iri:
        raise table.wrong("class", f"is {class_!r}, which the ontology does not declare", hint=nearest(class_, _names(schema.classes)))
    return Entity(scheme, table.flag("slug"), iri, table.flag("label"))


def is_scheme(text: str) -> bool:
    """Whether a text is a scheme of identifiers; `text`, `bnode` and `iri` are the platform's own."""
    return text.replace("-", "").isalnum() and text == text.lower() and text[0].isalpha() and text not in ("text", "bnode", "iri")


def _rule(table: _Table, schema: Schema) -> Rule:
    name = table.needed("relation")
    relation = relation_iri(name, schema)
    if not relation:
        hint = nearest(name, _names(schema.relations)) or "declare it in the ontology first"
        raise table.wrong("relation", f"is {name!r}, which the ontology does not declare", hint=hint)
    column, value = table.text("column"), table.text("value")
    if bool(column) == bool(value):
        raise table.wrong("column", "or value: a fact needs exactly one of them")
    declared = schema.relations.get(relation)
    is_literal = relation in EVERY_SUBJECT or bool(declared and declared.is_literal)
    for key in ("scheme", "slug", "class", "label"):
        if is_literal and key in table.values:
            raise table.wrong(key, f"does not fit {name}, whose values are no entities")
    for key in ("datatype", "language"):
        if not is_literal and key in table.values:
            raise table.wrong(key, f"does not fit {name}, whose values are entities")
    qualifiers = table.take("qualifiers", {}, dict)
    rule = Rule(
        column=column,
        value=value,
        relation=relation,
        entity=None if is_literal else _entity(table, schema),
        datatype=expand(table.text("datatype")) if is_literal else "",
        language=table.text("language") if is_literal else "",
        separator=table.text("separator"),
        start=table.text("from"),
        end=table.text("until"),
        qualifiers=tuple(sorted((_qualifier(table, key, schema), str(column)) for key, column in qualifiers.items())),
    )
    table.end()
    return rule


def _qualifier(table: _Table, name: str, schema: Schema) -> str:
    relation = relation_iri(name, schema)
    if not relation:
        raise table.wrong(f"qualifiers.{name}", "is no relation of the ontology", hint=nearest(name, _names(schema.relations)))
    return relation


def _names(known: Iterable[str]) -> list[str]:
    return [f"{space.prefix}:{iri[len(str(space)) :]}" for iri in known for space in NAMESPACES if iri.startswith(str(space))]
