"""Mapping files as they are written: tables, keys and types. What they mean together is checked by `mapping_files`."""

from __future__ import annotations

from typing import Annotated

from msgspec import UNSET, Meta, UnsetType, field

from ..forms.base import StrictForm

Text = Annotated[str, Meta(min_length=1)]
Texts = Text | tuple[Text, ...]
"""One text stands for a list of one."""


class FormatTable(StrictForm, frozen=True):
    """How values are written: at the top of the file, or of one column in [columns.NAME]."""

    date_format: Texts = ()
    empty: Texts | UnsetType = UNSET
    decimal: str = ""
    thousands: str = ""


class EntityTable(StrictForm, frozen=True):
    """How a value names an entity."""

    scheme: str = ""
    slug: bool = False
    class_: str = field(name="class", default="")
    label: bool = False


class SubjectTable(EntityTable, frozen=True, kw_only=True):
    """[subject]: the column whose value is the key of a record."""

    column: Text


class StatementTable(StrictForm, frozen=True):
    """[statement]: the columns of records that are statements themselves."""

    subject: Text
    relation: Text
    object: Text
    start: str = field(name="from", default="")
    end: str = field(name="until", default="")


class FactTable(EntityTable, frozen=True):
    """[[facts]]: one fact for each value of a column, or a constant; `facts` below it are about the entity that the value names."""

    relation: str = ""
    column: str = ""
    value: str = ""
    datatype: str = ""
    language: str = ""
    separator: str = ""
    start: str = field(name="from", default="")
    end: str = field(name="until", default="")
    qualifiers: dict[str, str] = field(default_factory=dict)
    each: str = ""
    facts: tuple[FactTable, ...] = ()


class MappingFile(FormatTable, frozen=True):
    """The whole file."""

    records: str = ""
    delimiter: str = ""
    encoding: str = ""
    skip_lines: Annotated[int, Meta(ge=0)] = 0
    sheet: Texts = ()
    scopes: Texts = ()
    subject: SubjectTable | None = None
    statement: StatementTable | None = None
    facts: tuple[FactTable, ...] = ()
    columns: dict[str, FormatTable] = field(default_factory=dict)
