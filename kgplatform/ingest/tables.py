"""Records through a mapping: rows to claims. What no rule reads becomes an unmapped claim of its row.

For a cell that cannot be read the claims that need it are left out, and a record without its key is left out whole; each is reported, and
the rest is read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from ..errors import SourceError, SyntaxSourceError
from ..model import Candidate, Fact
from ..schema import Schema
from ..terms import LABEL, LANG_STRING, RDF, RDFS, TYPE, UNMAPPED, XSD, class_node, identifier_key, is_iri, noted_literal
from ..times import Bound
from .cell_values import CellValue, Rounded, Stated, advice, bound, is_void, present, typed
from .evidence import ReadClaims, candidate, unmapped
from .mappings import EVERY_SUBJECT, EntityMapping, Rule, TableMapping, class_iri_of, is_scheme, joined, relation_iri
from .records import Header, SourceRecord
from .table_report import TableReport

_ANY_TEXT: Final = ("", RDF.PlainLiteral, RDFS.Literal, LANG_STRING)
"""Declared datatypes for which a value without a language is a plain string."""
_NO_BOUND: Final = (None, "")
_SHORTENED: Final = re.compile(r"\d(?:\.\d+)?E\+\d{2,}")
"""A long number as a spreadsheet shows it in a narrow cell and writes it to CSV."""

Facts = dict[Fact, str]
"""The facts of a record, each with a note of what was changed on reading ('' if nothing)."""


def read_records(
    records: Iterable[Header | SourceRecord], mapping: TableMapping, schema: Schema, text: str, path: str, *, format_: str
) -> ReadClaims:
    """The claims of records, with problems and notices of what could not be read or was changed.

    MappingError where the mapping names a column that the header of `path` does not have.
    """
    extractor = f"{format_}/1-{mapping.version}"
    report = TableReport(text, path)
    reader = _Reader(mapping, schema, format_, report)
    claims: list[Candidate] = []
    for record in records:
        if isinstance(record, Header):
            for name, mapped in record.renamed:
                report.guess(f"the column {name!r} is read as {mapped!r}", record.where)
            continue
        span = (record.start, record.end)
        claims += [candidate(text, fact, span, extractor, note=note) for fact, note in reader.read(record).items()]
    return ReadClaims(tuple(claims), extractor, report.problems(), not report.is_lossy, mapping.scopes, report.notices())


class _Reader:
    """Reads one record after the other, and adds what cannot be read to the report."""

    def __init__(self, mapping: TableMapping, schema: Schema, format_: str, report: TableReport) -> None:
        self.mapping, self.schema, self.format, self.report = mapping, schema, format_, report

    def read(self, record: SourceRecord) -> Facts:
        """The facts of one record; none where it has no key of its own."""
        facts: Facts = {}
        try:
            if record.error:
                raise record.error
            if self.mapping.statement:
                self._state(record, facts)
            else:
                self._describe(record, facts)
        except SourceError as error:
            self.report.unread(error, record)
            return {}
        return facts

    # -- the two forms of records

    def _describe(self, record: SourceRecord, facts: Facts) -> None:
        assert self.mapping.subject
        column, entity = self.mapping.subject
        cell = self._one(record, column)
        subject = _key(cell.text, entity)
        _add_type_and_label(subject, cell, entity, facts)
        self._rule_all(subject, self.mapping.rules, record, "", facts)
        self._add_unread(subject, record, "", facts)

    def _state(self, record: SourceRecord, facts: Facts) -> None:
        assert self.mapping.statement
        form = self.mapping.statement
        subject = _key(self._one(record, form.subject).text, EntityMapping())
        name, cell = self._one(record, form.relation).text, self._one(record, form.object)
        relation = relation_iri(name, self.schema)
        start, end = self._bound(record, form.start, ""), self._bound(record, form.end, "")
        if not relation:
            self.report.unmapped(f"{self.format} {name}", record)
            fact = unmapped(subject, self.format, name, cell.text)
            facts[fact._replace(start=start[0], end=end[0])] = _joined(cell.note, start[1], end[1])
        else:
            is_entity = relation not in EVERY_SUBJECT and not self.schema.relations[relation].is_literal
            node = CellValue(_key(cell.text, EntityMapping()), cell.note) if is_entity else self._value(record, relation, cell, form.object)
            facts[Fact(subject, relation, node.text, start[0], end[0])] = _joined(node.note, start[1], end[1])
        self._add_unread(subject, record, "", facts)

    def _add_unread(self, subject: str, record: SourceRecord, path: str, facts: Facts) -> None:
        """Add the fields that no rule reads as unmapped claims, also those of the objects of lists that rules go through."""
        columns = self.mapping.inner[path] if path else self.mapping.columns
        below = self.mapping.below[path]
        for field in record.fields.keys() - columns:
            if below and any(field == list_name or field.startswith(f"{list_name}.") for list_name in below):
                continue
            whole = joined(path, field)
            form = self.mapping.format_of(whole)
            texts = [text for text in record.fields[field] if not is_void(text, form)]
            for text in texts:
                facts.setdefault(unmapped(subject, self.format, whole, text), record.places.get(field, ""))
            if texts:
                self.report.unmapped(f"{self.format} {whole}", record, len(texts))
        for list_name in below:
            for item in _items(record, list_name):
                self._add_unread(subject, item._replace(start=record.start, where=record.where), joined(path, list_name), facts)

    # -- rules

    def _rule_all(self, subject: str, rules: tuple[Rule, ...], record: SourceRecord, path: str, facts: Facts) -> None:
        for rule in rules:
            if not rule.each:
                self._rule(subject, rule, record, path, facts)
                continue
            for part in _items(record, rule.each):
                if part.error:
                    self.report.unread(part.error, record)
                else:
                    self._rule(subject, rule, part._replace(start=record.start, where=record.where), joined(path, rule.each), facts)

    def _rule(self, subject: str, rule: Rule, record: SourceRecord, path: str, facts: Facts) -> None:
        cells = self._cells(rule, record, path)
        if not cells:
            self._report_missing(rule, record)
            return
        try:
            start, end = self._bound(record, rule.start, path), self._bound(record, rule.end, path)
            qualifiers = self._qualifiers(rule, record, path)
        except SourceError as error:
            self.report.unread(error, record)
            return
        note = _joined(start[1], end[1], *[value.note for _, value in qualifiers])
        pairs = tuple(sorted([(relation, value.text) for relation, value in qualifiers])) if qualifiers else ()
        for cell in cells:
            try:
                if rule.entity:
                    node = CellValue(_key(cell.text, rule.entity), cell.note)
                else:
                    node = self._value(record, rule.relation, cell, joined(path, rule.column), rule.datatype, rule.language)
            except SourceError as error:
                self.report.unread(error, record, rule.column)
                continue
            if rule.entity:
                _add_type_and_label(node.text, cell, rule.entity, facts)
            facts.setdefault(
                Fact(subject, rule.relation, node.text, start[0], end[0], pairs), _joined(node.note, note) if note else node.note
            )
            if rule.rules:
                self._rule_all(node.text, rule.rules, record, path, facts)

    def _report_missing(self, rule: Rule, record: SourceRecord) -> None:
        """Report fields that are about an entity which the record does not name."""
        about = next((name for inner in rule.rules for name in inner.own_columns if not inner.each and name in record.fields), "")
        if about and rule.column not in record.fields:
            error = SyntaxSourceError(
                f"has no value in {rule.column!r}, which {about!r} is about", hint="name the entity, or leave its facts out"
            )
            self.report.unread(error, record)

    def _qualifiers(self, rule: Rule, record: SourceRecord, path: str) -> list[tuple[str, CellValue]]:
        return [
            (relation, self._value(record, relation, cell, joined(path, column)))
            for relation, column in rule.qualifiers
            for cell in self._present(record, column, path)
        ]

    # -- cells

    def _cells(self, rule: Rule, record: SourceRecord, path: str) -> list[CellValue]:
        """The values of a rule, split where it has a separator; a value that cannot be read is reported and left out."""
        if not rule.column:
            return [CellValue(rule.value)]
        values = record.fields.get(rule.column, ())
        if rule.separator:
            values = tuple(part for value in values for text in value.split(rule.separator) if (part := text.strip()))
        cells: list[CellValue] = []
        for text in values:
            try:
                cells += self._read(record, rule.column, path, text)
            except SourceError as error:
                self.report.unread(error, record, rule.column)
        return cells

    def _present(self, record: SourceRecord, column: str, path: str) -> list[CellValue]:
        """The values of a field, without words for no value. SourceError for one that cannot be read."""
        try:
            return [cell for text in record.fields.get(column, ()) for cell in self._read(record, column, path, text)]
        except SourceError as error:
            raise type(error)(f"{column!r}: {error.what}", where=error.where, hint=error.hint) from error

    def _read(self, record: SourceRecord, column: str, path: str, text: str) -> tuple[CellValue, ...]:
        """The cell of a text, with its place where it has one; none where its word means no value."""
        cell = present(text, self.mapping.format_of(joined(path, column)))
        if cell is None:
            return ()
        if cell.note:
            self.report.changed(column, cell.note, record)
        place = record.places.get(column, "") if record.places else ""
        return (CellValue(cell.text, _joined(place, cell.note)) if place else cell,)

    def _one(self, record: SourceRecord, column: str) -> CellValue:
        cells = self._present(record, column, "")
        if len(cells) != 1:
            what = f"has no value in {column!r}" if not cells else f"has {len(cells)} values in {column!r}"
            raise SyntaxSourceError(what, hint="every record needs exactly one")
        return cells[0]

    def _bound(self, record: SourceRecord, column: str, path: str) -> tuple[Bound | None, str]:
        if not column or column not in record.fields:
            return _NO_BOUND
        cells = self._present(record, column, path)
        if not cells:
            return _NO_BOUND
        if len(cells) > 1:
            raise SyntaxSourceError(f"has {len(cells)} values in {column!r}", hint="a fact begins and ends once")
        try:
            stated, note = bound(cells[0].text, self.mapping.format_of(joined(path, column)))
        except SourceError as error:
            raise SyntaxSourceError(f"{column!r}: {error.what}", hint=error.hint) from error
        if note:
            self.report.changed(column, note, record)
        return stated, _joined(cells[0].note, note)

    def _value(
        self, record: SourceRecord, relation: str, cell: CellValue, column: str, datatype: str = "", language: str = ""
    ) -> CellValue:
        """The literal or class node of a text. An ill-typed value keeps its text, for the gate to refuse."""
        if relation == TYPE:
            return CellValue(
                class_node(class_iri_of(cell.text, self.schema) or UNMAPPED[f"class/{_identifier_slug(cell.text)}"]), cell.note
            )
        declared = self.schema.relations.get(relation)
        wanted = datatype or (declared.datatype if declared and declared.datatype not in _ANY_TEXT else XSD.string)
        form = self.mapping.format_of(column)
        value = cell.text, ""
        if wanted != XSD.string and not language:
            value = typed(cell.text, wanted, form)
            key = advice(value[0], wanted, form)
            if key:
                self.report.advise(column, cell.text, wanted, key, record)
        node, change = noted_literal(value[0], wanted, language)
        if not (value[1] or change):
            return CellValue(node, cell.note)
        note = _joined(value[1], change)
        self.report.changed(column, note, record)
        return CellValue(node, _joined(cell.note, note))


def _joined(*notes: str) -> str:
    """Notes as one, each once."""
    stated = [note for note in notes if note]
    return "; ".join(dict.fromkeys(stated)) if len(stated) > 1 else stated[0] if stated else ""


def _items(record: SourceRecord, each: str) -> tuple[SourceRecord, ...]:
    """The objects of a list; one object counts as a list of one, and anything else as an item with an error."""
    if each in record.lists:
        return record.lists[each]
    below = f"{each}."
    fields = {name.removeprefix(below): texts for name, texts in record.fields.items() if name.startswith(below)}
    lists = {name.removeprefix(below): items for name, items in record.lists.items() if name.startswith(below)}
    if fields or lists:
        return (SourceRecord(record.start, record.end, fields, lists=lists),)
    if each in record.fields:
        error = SyntaxSourceError(f"{each!r} is no list of objects", hint="leave `each` out for a list of plain values")
        return (SourceRecord(record.start, record.end, {}, error),)
    return ()


def _add_type_and_label(key: str, cell: CellValue, entity: EntityMapping, facts: Facts) -> None:
    """The type and the label that a mapping states for an entity."""
    if entity.class_:
        facts.setdefault(Fact(key, TYPE, class_node(entity.class_)), cell.note)
    if entity.label:
        node, change = noted_literal(cell.text)
        facts.setdefault(Fact(key, LABEL, node), _joined(cell.note, change))


def _key(value: str, entity: EntityMapping) -> str:
    if isinstance(value, Rounded) or _SHORTENED.fullmatch(value) and not isinstance(value, Stated):
        hint = "give its column the format text in the spreadsheet, write the ids out, and save it again"
        raise SyntaxSourceError(f"{value!r} is an id of which a spreadsheet kept the first digits only", hint=hint)
    if entity.scheme:
        return identifier_key(entity.scheme, _identifier_slug(value) if entity.slug else value)
    scheme, colon, rest = value.partition(":")
    if scheme == "iri" and is_iri(rest):
        return value
    if not colon or not rest.strip() or not scheme or not is_scheme(scheme):
        raise SyntaxSourceError(f"{value!r} carries no scheme", hint="write it like team:platform, or state a scheme in the mapping")
    return identifier_key(scheme, rest)


def _identifier_slug(text: str) -> str:
    """Lower case, white space and slashes as hyphens: `New York` is `new-york`."""
    return re.sub(r"[\s/]+", "-", text.strip().lower())
