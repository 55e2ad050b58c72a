"""What forms are made of: objects with typed fields, choices of them, and values of types that JSON Schema has and msgspec has not."""

from __future__ import annotations

from typing import Any, ClassVar, Self, TypeVar, cast

import msgspec

T = TypeVar("T")
Json = dict[str, Any]


class StrictForm(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One object or table of an outside form: it has no other fields than these, each of its type."""


class OneOf:
    """A choice of forms: the subclass whose `mark` the object has as a field, else the one without a mark."""

    __slots__ = ()
    mark: ClassVar[str] = ""

    def to_dict(self) -> Json:
        """The fields of the form."""
        return cast(Json, msgspec.to_builtins(self))


class Count(int):
    """A whole number of 0 or more; 2.0 is one in JSON. Only for reading: msgspec writes no subclass of int."""

    SCHEMA: ClassVar[Json] = {"type": "integer", "minimum": 0}

    @classmethod
    def read(cls, value: object) -> Self:
        """Raises ValueError for what is none."""
        if isinstance(value, bool | str) or not isinstance(value, int | float) or value < 0 or value % 1:
            raise ValueError("a whole number of 0 or more is needed here")
        return cls(value)


def converted(value: object, type_: type[T]) -> T:
    """The value as this type. Raises msgspec.ValidationError."""
    return msgspec.convert(value, type_, dec_hook=_read_special)


def _read_special(type_: Any, value: Any) -> Any:
    if not issubclass(type_, OneOf):
        return type_.read(value)
    try:
        return converted(value, chosen(type_, value))
    except msgspec.ValidationError as error:  # msgspec puts the path so far behind the message of a ValueError alone
        raise ValueError(str(error)) from error


def chosen(type_: type[OneOf], value: object) -> type[OneOf]:
    """The form of a choice that an object is of. Raises ValueError where it is of none or several, TypeError for what is no object."""
    forms = type_.__subclasses__()
    if not isinstance(value, dict):
        raise TypeError("an object is needed here")
    fitting = [each for each in forms if each.mark and each.mark in value] or [each for each in forms if not each.mark]
    if len(fitting) != 1:
        raise ValueError(f"exactly one kind is needed here: one of {', '.join(each.mark for each in forms)}")
    return fitting[0]
