"""What the fields of a record mean, as a checked value. `mapping_files` reads it; docs/mappings.md is its reference."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Final, NamedTuple

from msgspec.structs import astuple

from ..model import Scopes
from ..schema import Schema
from ..terms import ALT_LABEL, DESCRIPTION, LABEL, TYPE
from .cell_values import Format
from .mapping_tables import StatementTable

EVERY_SUBJECT: Final = frozenset({TYPE, LABEL, ALT_LABEL, DESCRIPTION})
"""Relations that need no declaration."""


class EntityMapping(NamedTuple):
    """How a value becomes a mention key. Without a `scheme` the value carries its own: `team:platform`."""

    scheme: str = ""
    slug: bool = False
    class_: str = ""
    label: bool = False


class Rule(NamedTuple):
    """One fact per value of a column, or a constant. `entity` is None for literals and classes.

    `each` is the list of objects whose fields the columns are, '' for the record itself. `rules` state facts about the
    entity that a value names, from the same fields.
    """

    column: str
    value: str
    relation: str
    entity: EntityMapping | None
    datatype: str
    language: str
    separator: str
    start: str
    end: str
    qualifiers: tuple[tuple[str, str], ...]
    each: str = ""
    rules: tuple[Rule, ...] = ()

    @property
    def own_columns(self) -> tuple[str, ...]:
        """The fields that the rule itself reads."""
        return tuple(name for name in (self.column, self.start, self.end, *(column for _, column in self.qualifiers)) if name)


class Subject(NamedTuple):
    """The column whose value names what a record is about, and how."""

    column: str
    entity: EntityMapping


class Layout(NamedTuple):
    """How a file holds its records. `sheets` are those of a workbook that are read, () for all that fit."""

    records: str = ""
    delimiter: str = ""
    encoding: str = ""
    skip_lines: int = 0
    sheets: tuple[str, ...] = ()


@dataclass(frozen=True)
class TableMapping:
    """One mapping file, checked. `version` changes with its text. `formats` are those of single columns."""

    path: str
    layout: Layout
    scopes: Scopes
    subject: Subject | None
    statement: StatementTable | None
    rules: tuple[Rule, ...]
    version: str
    format: Format = field(default_factory=Format)
    formats: dict[str, Format] = field(default_factory=dict)

    def format_of(self, column: str) -> Format:
        """How the values of a column are written."""
        return self.formats.get(column, self.format) if self.formats else self.format

    @cached_property
    def below(self) -> dict[str, tuple[str, ...]]:
        """Path of a list of objects ('' for the record) -> the lists inside that rules go through."""
        return {above: tuple(sorted({each for path, each in _lists(self.rules, "") if path == above})) for above in ("", *self.inner)}

    @cached_property
    def columns(self) -> frozenset[str]:
        """Every column of the record itself that the mapping names."""
        if self.statement:
            return frozenset(column for column in astuple(self.statement) if column)
        named = {self.subject.column} if self.subject else set()
        named.update(column for path, column in _columns(self.rules, "") if not path)
        return frozenset(named)

    @cached_property
    def inner(self) -> dict[str, frozenset[str]]:
        """Path of a list of objects -> the fields of its objects that the mapping names."""
        named: dict[str, set[str]] = {}
        for path, column in _columns(self.rules, ""):
            if path:
                named.setdefault(path, set()).update({column} if column else ())
        return {path: frozenset(columns) for path, columns in named.items()}


def _columns(rules: tuple[Rule, ...], above: str) -> Iterator[tuple[str, str]]:
    """(path of the list, field) of every field that rules name; ('' as field where a list is only gone through)."""
    for rule in rules:
        path = joined(above, rule.each)
        if path != above:
            yield path, ""
        yield from ((path, column) for column in rule.own_columns)
        yield from _columns(rule.rules, path)


def _lists(rules: tuple[Rule, ...], above: str) -> Iterator[tuple[str, str]]:
    """(path above, list) of every list that rules go through."""
    for rule in rules:
        if rule.each:
            yield above, rule.each
        yield from _lists(rule.rules, joined(above, rule.each))


def joined(above: str, name: str) -> str:
    """The dotted path of a field below another."""
    return f"{above}.{name}" if above and name else above or name


@lru_cache(maxsize=4096)
def relation_iri(text: str, schema: Schema) -> str:
    """The declared relation of an IRI, a CURIE or a bare local name; '' where the ontology declares none, or several of that name."""
    meanings = relation_meanings(text, schema)
    return meanings[0] if len(meanings) == 1 else ""


def relation_meanings(text: str, schema: Schema) -> list[str]:
    """The IRIs of the declared relations that a text can mean."""
    return schema.names.meanings(text, EVERY_SUBJECT | schema.relations.keys())


@lru_cache(maxsize=4096)
def class_iri_of(text: str, schema: Schema) -> str:
    """The declared class of an IRI, a CURIE or a bare local name; '' where the ontology declares none, or several of that name."""
    meanings = schema.names.meanings(text, schema.classes.keys())
    return meanings[0] if len(meanings) == 1 else ""


def is_scheme(text: str) -> bool:
    """Whether a text is a scheme of identifiers; `text`, `bnode` and `iri` are the platform's own."""
    return text.replace("-", "").isalnum() and text == text.lower() and text[0].isalpha() and text not in ("text", "bnode", "iri")
