"""Mapping files: small declarative TOML that says what the fields of a record mean. Reference: docs/mappings.md."""

from __future__ import annotations

import codecs
import difflib
import hashlib
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ..errors import MappingError
from ..schema import Schema
from .cell_values import Format
from .mappings import (
    EVERY_SUBJECT,
    EntityMapping,
    Layout,
    Rule,
    Statement,
    Subject,
    TableMapping,
    class_iri_of,
    is_scheme,
    joined,
    relation_meanings,
)
from .written_dates import date_format


def load_mapping(path: Path, schema: Schema) -> TableMapping:
    """The mapping of a file, checked against the ontology. MappingError names the key and what to do."""
    try:
        content = path.read_bytes()
        values = tomllib.loads(content.decode("utf-8"))
    except OSError as error:
        raise MappingError(
            error.strerror or "cannot be read", where=str(path), hint="the collection's mapping in kgplatform.toml names it"
        ) from error
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

    def texts(self, key: str) -> tuple[str, ...]:
        """A list of texts; one text stands for a list of one."""
        value = self.take(key, [], object)
        values = [value] if isinstance(value, str) else value
        if not isinstance(values, list) or not all(isinstance(each, str) and each for each in values):
            raise self.wrong(key, f"must be a list of {key}, as docs/mappings.md says")
        return tuple(values)

    def whole(self, key: str) -> int:
        value = self.take(key, 0, int)
        if isinstance(value, bool) or value < 0:
            raise self.wrong(key, "must be a whole number, 0 or more")
        return int(value)

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
            if key in ("date_format", "empty", "decimal", "thousands"):
                raise self.wrong(
                    key,
                    "stands at the top of the file or below [columns.NAME]",
                    hint="it says how a column is written, for every rule that reads it",
                )
            raise self.wrong(key, "is no key of a mapping", hint=nearest(key, self.known) or f"known here: {', '.join(sorted(self.known))}")

    def wrong(self, key: str, what: str, *, hint: str = "") -> MappingError:
        return MappingError(f"{self.prefix}{key} {what}", where=self.where, hint=hint or "see docs/mappings.md")


def nearest(name: str, known: Iterable[str]) -> str:
    """`did you mean x?`, or '' where nothing is near."""
    close = difflib.get_close_matches(name, list(known), n=1, cutoff=0.5)
    return f"did you mean {close[0]}?" if close else ""


def _mapping(table: _Table, schema: Schema, version: str) -> TableMapping:
    subject, statement = table.table("subject"), table.table("statement")
    facts = table.tables("facts")
    scopes = table.texts("scopes")
    if "public" in scopes:
        raise table.wrong("scopes", "must be a list of scopes", hint="a mapping can only add scopes, never make something public")
    if statement and (subject or facts):
        raise table.wrong("statement", "stands beside [subject] or [[facts]]", hint="use one of the two forms")
    if not statement and not subject:
        raise table.wrong("subject", "is missing", hint="name the key column: [subject] column = ..., scheme = ...")
    format_ = _format(table, Format())
    mapping = TableMapping(
        path=table.where,
        layout=_layout(table),
        scopes=frozenset(scopes),
        subject=_subject(subject, schema) if subject else None,
        statement=_statement(statement) if statement else None,
        rules=tuple(_rule(fact, schema) for fact in facts),
        version=version,
        format=format_,
        formats=_formats(table, format_),
    )
    table.end()
    named = {*mapping.columns, *(joined(path, column) for path, columns in mapping.inner.items() for column in columns)}
    for name in mapping.formats.keys() - named:
        raise table.wrong(
            f"columns.{name}", "is used by no rule", hint=nearest(name, named) or f"the rules name {', '.join(sorted(named))}"
        )
    return mapping


# -- how the file is written


def _layout(table: _Table) -> Layout:
    delimiter, encoding = table.text("delimiter"), table.text("encoding")
    if len(delimiter) > 1 or delimiter in ('"', "\r", "\n"):
        raise table.wrong("delimiter", "must be one character", hint="for example ; or | or \\t")
    try:
        # https://docs.python.org/3/library/codecs.html#standard-encodings: some codecs are of bytes to bytes
        if encoding and not codecs.lookup(encoding)._is_text_encoding:
            raise LookupError
    except (LookupError, ValueError) as error:
        raise table.wrong("encoding", f"is {encoding!r}, which is not known", hint="for example utf-8, cp1252, latin-1, utf-16") from error
    return Layout(
        records=table.text("records"),
        delimiter=delimiter,
        encoding=encoding,
        skip_lines=table.whole("skip_lines"),
        sheets=table.texts("sheet"),
    )


def _formats(table: _Table, above: Format) -> dict[str, Format]:
    columns = table.table("columns")
    if columns is None:
        return {}
    formats: dict[str, Format] = {}
    for name in list(columns.values):
        column = columns.table(name)
        if column is None:
            raise columns.wrong(name, "says nothing")
        formats[name] = _format(column, above)
        column.end()
    return formats


def _format(table: _Table, above: Format) -> Format:
    """How values are written, where a key is left out as in the format above."""
    decimal, thousands = table.text("decimal") or above.decimal, table.text("thousands") or above.thousands
    for key, mark in (("decimal", decimal), ("thousands", thousands)):
        if len(mark) > 1 or mark.isalnum() or mark in ("+", "-"):
            raise table.wrong(key, "must be one mark", hint='for example decimal = "," and thousands = "."')
    if thousands and thousands == (decimal or "."):
        raise table.wrong("thousands", "is the decimal mark too", hint='for example decimal = "," and thousands = "."')
    dates = []
    for name in table.texts("date_format"):
        try:
            dates.append(date_format(name))
        except ValueError as error:
            raise table.wrong("date_format", f"{name!r} {error}", hint='for example "%d/%m/%Y", or "excel" for day numbers') from error
    is_stated = "empty" in table.values
    words = frozenset(word.strip().casefold() for word in table.texts("empty"))
    return Format(tuple(dates) or above.dates, words if is_stated else above.empty, decimal, thousands)


# -- what its fields mean


def _subject(table: _Table, schema: Schema) -> Subject:
    subject = Subject(table.needed("column"), _entity(table, schema))
    table.end()
    return subject


def _statement(table: _Table) -> Statement:
    statement = Statement(
        table.needed("subject"), table.needed("relation"), table.needed("object"), table.text("from"), table.text("until")
    )
    table.end()
    return statement


def _entity(table: _Table, schema: Schema) -> EntityMapping:
    scheme, class_ = table.text("scheme"), table.text("class")
    if scheme and not is_scheme(scheme):
        raise table.wrong("scheme", f"is {scheme!r}", hint="a scheme is lower-case letters, digits and -, for example team")
    iri = class_iri_of(class_, schema)
    if class_ and not iri:
        raise table.wrong("class", f"is {class_!r}, which the ontology does not declare", hint=_other_names(class_, schema, schema.classes))
    return EntityMapping(scheme, table.flag("slug"), iri, table.flag("label"))


def _rule(table: _Table, schema: Schema) -> Rule:
    name = table.needed("relation")
    relation = _relation(table, "relation", name, schema)
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
    if is_literal and "facts" in table.values:
        raise table.wrong(
            "facts", f"does not fit {name}, whose values are no entities", hint="facts are about the entity that a value names"
        )
    qualifiers = table.take("qualifiers", {}, dict)
    rule = Rule(
        column=column,
        value=value,
        relation=relation,
        entity=None if is_literal else _entity(table, schema),
        datatype=schema.names.expand(table.text("datatype")) if is_literal else "",
        language=table.text("language") if is_literal else "",
        separator=table.text("separator"),
        start=table.text("from"),
        end=table.text("until"),
        qualifiers=tuple(sorted((_qualifier(table, key, schema), str(column)) for key, column in qualifiers.items())),
        each=table.text("each"),
        rules=tuple(_rule(fact, schema) for fact in table.tables("facts")),
    )
    table.end()
    return rule


def _qualifier(table: _Table, name: str, schema: Schema) -> str:
    return _relation(table, f"qualifiers.{name}", name, schema)


def _relation(table: _Table, key: str, name: str, schema: Schema) -> str:
    meanings = relation_meanings(name, schema)
    if len(meanings) > 1:
        raise table.wrong(key, f"is {name!r}, a name of several", hint=f"write {' or '.join(map(schema.names.curie, meanings))}")
    if not meanings:
        hint = _other_names(name, schema, schema.relations) or "declare it in the ontology first"
        raise table.wrong(key, f"is {name!r}, which the ontology does not declare", hint=hint)
    return meanings[0]


def _other_names(name: str, schema: Schema, known: Iterable[str]) -> str:
    """What may have been meant: the namespaces of a clashing prefix, all of that local name, or the nearest name."""
    prefix, colon, _ = name.partition(":")
    if colon and prefix in schema.names.clashing:
        return f"{prefix}: stands for {' and '.join(schema.names.clashing[prefix])}: write the full IRI"
    meanings = schema.names.meanings(name, known)
    if len(meanings) > 1:
        return f"write {' or '.join(map(schema.names.curie, meanings))}"
    if colon and prefix not in schema.names.prefixes and not name.startswith(("http:", "https:", "urn:", "<")):
        return f"no pack declares the prefix {prefix}:; known are {', '.join(schema.names.prefixes)}"
    return nearest(name, map(schema.names.curie, known))
