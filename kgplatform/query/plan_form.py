"""Plans as JSON has them: the parts of `algebra`, with relations, classes and datatypes by IRI or short name."""

from __future__ import annotations

import json
from typing import Annotated, Any, ClassVar, Final, Self

import pyoxigraph as ox
from msgspec import UNSET, Meta, UnsetType, field

from ..forms.base import Count, OneOf, StrictForm
from ..terms import XSD, entity_iri, expand, literal
from .algebra import AggregateKind, BoundSide, GroupOrder, HopTime, Operator, PathKind, TimeKind, TimeMode

MAX_TEXT: Final = 2000
FEW: Final = Meta(max_length=12)

Text = Annotated[str, Meta(max_length=MAX_TEXT)]
# `$` matches before a last line break in Python, and not in JSON Schema
Name = Annotated[
    str,
    Meta(
        max_length=MAX_TEXT, pattern=r"^[A-Za-z][A-Za-z0-9_]*(?!\n)$", description="a variable's name: a letter, then letters, digits and _"
    ),
]
NameOrNone = Annotated[
    str, Meta(max_length=MAX_TEXT, pattern=r"^([A-Za-z][A-Za-z0-9_]*)?(?!\n)$", description="a variable's name, or empty")
]
Language = Annotated[
    str, Meta(max_length=MAX_TEXT, pattern=r"^([A-Za-z]{1,8}(-[A-Za-z0-9]{1,8})*)?(?!\n)$", description="a language tag, such as en")
]


class EntityName(str):
    """An IRI, or a mention key: a scheme, a colon, an identifier."""

    SCHEMA: ClassVar[dict[str, Any]] = {"type": "string", "maxLength": MAX_TEXT, "pattern": "[^:]:+[^:]"}

    @classmethod
    def read(cls, value: object) -> Self:
        """Raises ValueError for what is neither."""
        if not isinstance(value, str) or len(value) > MAX_TEXT:
            raise ValueError(f"a text of at most {MAX_TEXT} characters is needed here")
        try:
            ox.NamedNode(value if "://" in value else entity_iri("key:/", value))
        except ValueError:
            value = ""
        if ":" not in value.strip(":"):
            raise ValueError("this is neither an IRI nor a key such as component:tax")
        return cls(value)


class TermForm(OneOf):
    """One end of a hop."""


class VarForm(StrictForm, TermForm, frozen=True):
    """A variable of the plan."""

    mark: ClassVar[str] = "var"
    var: Name


class EntityForm(StrictForm, TermForm, frozen=True):
    """A known entity."""

    mark: ClassVar[str] = "entity"
    entity: EntityName


class LiteralForm(StrictForm, TermForm, frozen=True, omit_defaults=True):
    """A text is an xsd:string, a number an xsd:decimal, true and false are xsd:boolean, where no datatype is named."""

    mark: ClassVar[str] = "value"
    value: Text | int | float | bool
    datatype: Text | UnsetType = UNSET
    language: Language = ""

    def __post_init__(self) -> None:
        try:
            self.node()
        except ValueError as error:
            raise ValueError(f"not a literal: {error}") from error

    def node(self) -> str:
        """The literal as a node text."""
        if self.datatype is not UNSET:
            datatype = expand(self.datatype)
        else:
            datatype = XSD.string if isinstance(self.value, str) else XSD.boolean if isinstance(self.value, bool) else XSD.decimal
        return literal(self.value if isinstance(self.value, str) else json.dumps(self.value), datatype, self.language)


class VariableForm(StrictForm, frozen=True):
    """A variable, and the class that its entities must be of."""

    name: Name
    class_: Text = field(name="class", default="")


class HopForm(StrictForm, frozen=True):
    """A fact that must hold, or (among the absences) that must not be stored."""

    subject: TermForm
    relation: Text
    object: TermForm
    path: PathKind = "one"
    at: HopTime | VarForm = ""


class FilterForm(OneOf):
    """What a variable's values must be like."""


class ComparisonForm(StrictForm, FilterForm, frozen=True):
    """A literal variable compared with a literal."""

    mark: ClassVar[str] = "operator"
    variable: Name
    operator: Operator
    value: LiteralForm


class PeriodForm(StrictForm, FilterForm, frozen=True):
    """A date that lies in [start, end)."""

    variable: Name
    start: Text = ""
    end: Text = ""


class TimeForm(StrictForm, frozen=True):
    """When the facts must hold, by ISO 8601 dates."""

    kind: TimeKind
    start: Text = ""
    end: Text = ""
    mode: TimeMode = "overlaps"


class AggregateForm(StrictForm, frozen=True):
    """How many values, or the largest or smallest one."""

    kind: AggregateKind
    variable: Name
    by: NameOrNone = ""
    order: GroupOrder = ""


class ValidityForm(StrictForm, frozen=True):
    """Since or until when the fact of a hop holds."""

    hop: Count
    bound: BoundSide


class SequenceForm(StrictForm, frozen=True):
    """Two hops of which one ended before the other began."""

    earlier: Count
    later: Count


class PlanForm(StrictForm, frozen=True):
    """A plan, whose values must also be of their datatypes."""

    question: Text = ""
    variables: Annotated[tuple[VariableForm, ...], FEW] = ()
    hops: Annotated[tuple[HopForm, ...], FEW] = ()
    absences: Annotated[tuple[HopForm, ...], FEW] = ()
    filters: Annotated[tuple[FilterForm, ...], FEW] = ()
    time: TimeForm | None = None
    aggregate: AggregateForm | None = None
    select: Annotated[tuple[Name, ...], FEW] = ()
    validity: Annotated[tuple[ValidityForm, ...], FEW] = ()
    sequence: SequenceForm | None = None
    limit: Count = field(default_factory=Count)
