"""Records through a mapping: rows to claims. What no rule reads becomes an unmapped claim of its row."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from ..errors import MappingError, SourceError, SyntaxSourceError
from ..model import Candidate, Fact, Problem
from ..schema import Schema
from ..terms import LABEL, LANG_STRING, RDF, RDFS, TYPE, UNMAPPED, XSD, class_node, identifier_key, is_iri, literal
from ..times import Bound, parse_stated
from .evidence import Found, candidate, line_of, unmapped
from .mappings import EVERY_SUBJECT, Entity, Mapping, Rule, class_iri_of, is_scheme, nearest, relation_iri
from .records import Header, Record

_ANY_TEXT: Final = ("", RDF.PlainLiteral, RDFS.Literal, LANG_STRING)
"""Declared datatypes for which a value without a language is a plain string."""

MOST_TOLD: Final = 100
"""Bad records of one file that are told one by one. Their number is a matter of whoever wrote the file, and may be millions."""


def read_records(records: Iterable[Header | Record], mapping: Mapping, schema: Schema, text: str, path: str, *, format_: str) -> Found:
    """The claims of records. A record that cannot be read is a problem with its line, or one of those that are counted; the others are read.

    MappingError where the mapping names a column that the CSV header of `path` does not have.
    """
    extractor = f"{format_}/1-{mapping.version}"
    claims: list[Candidate] = []
    problems: list[Problem] = []
    untold = 0
    for record in records:
        if isinstance(record, Header):
            _check_columns(record.columns, mapping, path)
            continue
        try:
            if record.error:
                raise record.error
            facts = dict.fromkeys(_facts(record, mapping, schema, format_))
        except SourceError as error:
            if len(problems) < MOST_TOLD:
                problems.append(Problem(error.where or f"{path}:{line_of(text, record.start)}", error.what, error.hint))
            else:
                untold += 1
        else:
            claims.extend(candidate(text, fact, (record.start, record.end), extractor) for fact in facts)
    if untold:
        problems.append(Problem(path, f"has {untold:,} more records that cannot be read", "correct those above first"))
    return Found(tuple(claims), extractor, tuple(problems), not problems, mapping.scopes)


def _check_columns(columns: tuple[str, ...], mapping: Mapping, path: str) -> None:
    for name in sorted(mapping.columns - set(columns)):
        other = next((mark for mark in ";\t|," if len(columns) == 1 and mark in columns[0]), "")
        hint = f"add delimiter = {other!r} to the mapping" if other else nearest(name, columns) or f"the file has {', '.join(columns)}"
        raise MappingError(f"names the column {name!r}, which {path} does not have", where=mapping.path, hint=hint)


def _facts(record: Record, mapping: Mapping, schema: Schema, format_: str) -> Iterator[Fact]:
    if mapping.statement:
        yield from _statement(record, mapping, schema, format_)
        subject = _key(_one(record, mapping.statement.subject), Entity())
    else:
        assert mapping.subject
        entity = mapping.subject.entity
        value = _one(record, mapping.subject.column)
        subject = _key(value, entity)
        yield from _introduced(subject, value, entity)
        for rule in mapping.rules:
            yield from _ruled(subject, rule, record, schema)
    for field, values in record.fields.items():
        if field not in mapping.columns:
            for value in values:
                yield unmapped(subject, format_, field, value)


def _statement(record: Record, mapping: Mapping, schema: Schema, format_: str) -> Iterator[Fact]:
    assert mapping.statement
    form = mapping.statement
    subject = _key(_one(record, form.subject), Entity())
    name, said = _one(record, form.relation), _one(record, form.object)
    relation = relation_iri(name, schema)
    start, end = _bound(record, form.start), _bound(record, form.end)
    if not relation:
        fact = unmapped(subject, format_, name, said)
        yield fact._replace(start=start, end=end)
        return
    is_entity = relation not in EVERY_SUBJECT and not schema.relations[relation].is_literal
    node = _key(said, Entity()) if is_entity else _value(relation, said, schema, "", "")
    yield Fact(subject, relation, node, start, end)


def _ruled(subject: str, rule: Rule, record: Record, schema: Schema) -> Iterator[Fact]:
    values = record.fields.get(rule.column, ()) if rule.column else (rule.value,)
    if rule.separator:
        values = tuple(part.strip() for value in values for part in value.split(rule.separator) if part.strip())
    if not values:
        return
    start, end = _bound(record, rule.start), _bound(record, rule.end)
    said = ((relation, value) for relation, column in rule.qualifiers for value in record.fields.get(column, ()))
    qualifiers = tuple(sorted((relation, _value(relation, value, schema, "", "")) for relation, value in said))
    for value in values:
        if rule.entity:
            node = _key(value, rule.entity)
            yield from _introduced(node, value, rule.entity)
        else:
            node = _value(rule.relation, value, schema, rule.datatype, rule.language)
        yield Fact(subject, rule.relation, node, start, end, qualifiers)


def _introduced(key: str, value: str, entity: Entity) -> Iterator[Fact]:
    """The type and the label that a mapping states for an entity."""
    if entity.class_:
        yield Fact(key, TYPE, class_node(entity.class_))
    if entity.label:
        yield Fact(key, LABEL, literal(value))


def _value(relation: str, value: str, schema: Schema, datatype: str, language: str) -> str:
    """The literal or class node of a text. An ill-typed value keeps its text, for the gate to refuse."""
    if relation == TYPE:
        return class_node(class_iri_of(value, schema) or UNMAPPED[f"class/{identifier_slug(value)}"])
    declared = schema.relations.get(relation)
    stated = declared.datatype if declared and declared.datatype not in _ANY_TEXT else XSD.string
    return literal(value, datatype or stated, language)


def _one(record: Record, column: str) -> str:
    values = record.fields.get(column, ())
    if len(values) != 1:
        what = f"has no value in {column!r}" if not values else f"has {len(values)} values in {column!r}"
        raise SyntaxSourceError(what, hint="every record needs exactly one")
    return values[0]


def _bound(record: Record, column: str) -> Bound | None:
    if not column or column not in record.fields:
        return None
    try:
        return parse_stated(_one(record, column))
    except ValueError as error:
        raise SyntaxSourceError(f"{column!r}: {error}", hint="write 2025, 2025-03 or 2025-03-14") from error


def _key(value: str, entity: Entity) -> str:
    if entity.scheme:
        return identifier_key(entity.scheme, identifier_slug(value) if entity.slug else value)
    scheme, colon, rest = value.partition(":")
    if scheme == "iri" and is_iri(rest):
        return value
    if not colon or not rest.strip() or not scheme or not is_scheme(scheme):
        raise SyntaxSourceError(f"{value!r} carries no scheme", hint="write it like team:platform, or state a scheme in the mapping")
    return identifier_key(scheme, rest)


def identifier_slug(text: str) -> str:
    """Lower case, white space and slashes as hyphens: `New York` is `new-york`."""
    return re.sub(r"[\s/]+", "-", text.strip().lower())
