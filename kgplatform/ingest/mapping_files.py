"""Mapping files: small declarative TOML that says what the fields of a record mean. Reference: docs/mappings.md."""

from __future__ import annotations

import codecs
import hashlib
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from msgspec import UNSET

from ..errors import MappingError, nearest
from ..forms.faults import FormError, toml_key, toml_wanted
from ..forms.reading import read_form
from ..schema import Schema
from .cell_values import Format
from .mapping_tables import EntityTable, FactTable, FormatTable, MappingFile, Texts
from .mappings import (
    EVERY_SUBJECT,
    EntityMapping,
    Layout,
    Rule,
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
        file = read_form(tomllib.loads(content.decode("utf-8")), MappingFile)
    except OSError as error:
        hint = "the collection's mapping in kgplatform.toml names it"
        raise MappingError(error.strerror or "cannot be read", where=str(path), hint=hint) from error
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise MappingError(f"is not TOML: {error}", where=str(path), hint="see docs/mappings.md") from error
    except FormError as error:
        raise _unfit(error, path) from error
    return _Reader(path, schema).mapping(file, hashlib.sha256(content).hexdigest()[:8])


def _unfit(error: FormError, path: Path) -> MappingError:
    key, wanted = toml_wanted(error)
    if error.unknown is not None:
        key = toml_key((*error.path, error.unknown))
        if error.unknown in FormatTable.__struct_fields__:
            hint = "it says how a column is written, for every rule that reads it"
            return MappingError(f"{key} stands at the top of the file or below [columns.NAME]", where=str(path), hint=hint)
        hint = nearest(error.unknown, error.known) or f"known here: {', '.join(sorted(error.known))}"
        return MappingError(f"{key} is no key of a mapping", where=str(path), hint=hint)
    if error.missing or (error.value == "" and wanted != "a list of texts"):
        key = toml_key((*error.path, error.missing)) if error.missing else key
        return MappingError(f"{key} is missing", where=str(path), hint="see docs/mappings.md")
    return MappingError(f"{key} must be {wanted}{', 0 or more' if error.limit else ''}", where=str(path), hint="see docs/mappings.md")


@dataclass(frozen=True, slots=True)
class _Reader:
    """What the tables of one file mean by an ontology."""

    path: Path
    schema: Schema

    def wrong(self, key: str, what: str, *, hint: str = "") -> MappingError:
        return MappingError(f"{key} {what}", where=str(self.path), hint=hint or "see docs/mappings.md")

    def mapping(self, file: MappingFile, version: str) -> TableMapping:
        scopes = _listed(file.scopes)
        if "public" in scopes:
            raise self.wrong("scopes", "must be a list of scopes", hint="a mapping can only add scopes, never make something public")
        if file.statement and (file.subject or file.facts):
            raise self.wrong("statement", "stands beside [subject] or [[facts]]", hint="use one of the two forms")
        if not file.statement and not file.subject:
            raise self.wrong("subject", "is missing", hint="name the key column: [subject] column = ..., scheme = ...")
        format_ = self._format(file, "", Format())
        mapping = TableMapping(
            path=str(self.path),
            layout=self._layout(file),
            scopes=frozenset(scopes),
            subject=Subject(file.subject.column, self._entity(file.subject, "subject.")) if file.subject else None,
            statement=file.statement,
            rules=self._rules(file.facts, ""),
            version=version,
            format=format_,
            formats={name: self._format(column, f"columns.{name}.", format_) for name, column in file.columns.items()},
        )
        named = {*mapping.columns, *(joined(path, column) for path, columns in mapping.inner.items() for column in columns)}
        for name in mapping.formats.keys() - named:
            hint = nearest(name, named) or f"the rules name {', '.join(sorted(named))}"
            raise self.wrong(f"columns.{name}", "is used by no rule", hint=hint)
        return mapping

    # -- how the file is written

    def _layout(self, file: MappingFile) -> Layout:
        if len(file.delimiter) > 1 or file.delimiter in ('"', "\r", "\n"):
            raise self.wrong("delimiter", "must be one character", hint="for example ; or | or \\t")
        try:
            # https://docs.python.org/3/library/codecs.html#standard-encodings: some codecs are of bytes to bytes
            if file.encoding and not codecs.lookup(file.encoding)._is_text_encoding:
                raise LookupError
        except (LookupError, ValueError) as error:
            hint = "for example utf-8, cp1252, latin-1, utf-16"
            raise self.wrong("encoding", f"is {file.encoding!r}, which is not known", hint=hint) from error
        return Layout(file.records, file.delimiter, file.encoding, file.skip_lines, _listed(file.sheet))

    def _format(self, table: FormatTable, at: str, above: Format) -> Format:
        """How values are written, where a key is left out as in the format above."""
        if at and table == FormatTable():
            raise self.wrong(at.removesuffix("."), "says nothing")
        decimal, thousands = table.decimal or above.decimal, table.thousands or above.thousands
        for key, mark in (("decimal", decimal), ("thousands", thousands)):
            if len(mark) > 1 or mark.isalnum() or mark in ("+", "-"):
                raise self.wrong(f"{at}{key}", "must be one mark", hint='for example decimal = "," and thousands = "."')
        if thousands and thousands == (decimal or "."):
            raise self.wrong(f"{at}thousands", "is the decimal mark too", hint='for example decimal = "," and thousands = "."')
        dates = []
        for name in _listed(table.date_format):
            try:
                dates.append(date_format(name))
            except ValueError as error:
                hint = 'for example "%d/%m/%Y", or "excel" for day numbers'
                raise self.wrong(f"{at}date_format", f"{name!r} {error}", hint=hint) from error
        words = above.empty if table.empty is UNSET else frozenset(word.strip().casefold() for word in _listed(table.empty))
        return Format(tuple(dates) or above.dates, words, decimal, thousands)

    # -- what its fields mean

    def _entity(self, table: EntityTable, at: str) -> EntityMapping:
        if table.scheme and not is_scheme(table.scheme):
            hint = "a scheme is lower-case letters, digits and -, for example team"
            raise self.wrong(f"{at}scheme", f"is {table.scheme!r}", hint=hint)
        iri = class_iri_of(table.class_, self.schema)
        if table.class_ and not iri:
            hint = _other_names(table.class_, self.schema, self.schema.classes)
            raise self.wrong(f"{at}class", f"is {table.class_!r}, which the ontology does not declare", hint=hint)
        return EntityMapping(table.scheme, table.slug, iri, table.label)

    def _rules(self, facts: tuple[FactTable, ...], at: str) -> tuple[Rule, ...]:
        return tuple(self._rule(fact, f"{at}facts[{number}].") for number, fact in enumerate(facts, 1))

    def _rule(self, fact: FactTable, at: str) -> Rule:
        if not fact.relation:
            raise self.wrong(f"{at}relation", "is missing")
        relation = self._relation(f"{at}relation", fact.relation)
        if bool(fact.column) == bool(fact.value):
            raise self.wrong(f"{at}column", "or value: a fact needs exactly one of them")
        declared = self.schema.relations.get(relation)
        is_literal = relation in EVERY_SUBJECT or bool(declared and declared.is_literal)
        misplaced: dict[str, object] = {"datatype": fact.datatype, "language": fact.language}
        if is_literal:
            misplaced = {"scheme": fact.scheme, "slug": fact.slug, "class": fact.class_, "label": fact.label, "facts": fact.facts}
        for key, value in misplaced.items():
            if value:
                what = f"does not fit {fact.relation}, whose values are {'no entities' if is_literal else 'entities'}"
                hint = "facts are about the entity that a value names" if key == "facts" else ""
                raise self.wrong(f"{at}{key}", what, hint=hint)
        return Rule(
            column=fact.column,
            value=fact.value,
            relation=relation,
            entity=None if is_literal else self._entity(fact, at),
            datatype=self.schema.names.expand(fact.datatype) if is_literal else "",
            language=fact.language,
            separator=fact.separator,
            start=fact.start,
            end=fact.end,
            qualifiers=tuple(sorted((self._relation(f"{at}qualifiers.{key}", key), name) for key, name in fact.qualifiers.items())),
            each=fact.each,
            rules=self._rules(fact.facts, at),
        )

    def _relation(self, key: str, name: str) -> str:
        meanings = relation_meanings(name, self.schema)
        if len(meanings) > 1:
            hint = f"write {' or '.join(map(self.schema.names.curie, meanings))}"
            raise self.wrong(key, f"is {name!r}, a name of several", hint=hint)
        if not meanings:
            hint = _other_names(name, self.schema, self.schema.relations) or "declare it in the ontology first"
            raise self.wrong(key, f"is {name!r}, which the ontology does not declare", hint=hint)
        return meanings[0]


def _listed(texts: Texts) -> tuple[str, ...]:
    return (texts,) if isinstance(texts, str) else texts


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
    return nearest(name, [schema.names.curie(each) for each in known])
