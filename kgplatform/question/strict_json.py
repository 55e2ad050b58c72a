"""Strict reading of JSON values: every field known, each with its type. An error's `where` is the JSON path of what is wrong."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeVar

from ..errors import PlanError

Json = Any
T = TypeVar("T")

MAX_ITEMS: Final = 12
MAX_TEXT: Final = 2000


def fields_of(value: Json, where: str, *, known: tuple[str, ...], needed: tuple[str, ...] = ()) -> Mapping[str, Json]:
    """The fields of an object that has no others than the known ones, and all of the needed ones."""
    if not isinstance(value, dict):
        raise PlanError("an object is needed here", where=where, hint=f"with the fields {', '.join(known)}")
    for name in value:
        if name not in known:
            raise PlanError(f"there is no field {name!r}", where=where, hint=f"the fields are {', '.join(known)}")
    for name in needed:
        if name not in value:
            raise PlanError(f"the field {name!r} is missing", where=where)
    return value


def items(parts: Mapping[str, Json], name: str, read: Callable[[Json, str], T], *, within: str = "$") -> tuple[T, ...]:
    """The items of the list `name`, read one by one; none where it is left out."""
    found = parts.get(name, [])
    where = f"{within}.{name}"
    if not isinstance(found, list):
        raise PlanError("a list is needed here", where=where)
    if len(found) > MAX_ITEMS:
        raise PlanError(f"at most {MAX_ITEMS} are allowed here", where=where)
    return tuple(read(item, f"{where}[{index}]") for index, item in enumerate(found))


def text(value: Json, where: str) -> str:
    """A text of at most MAX_TEXT whole characters."""
    if not isinstance(value, str):
        raise PlanError("a text is needed here", where=where)
    if len(value) > MAX_TEXT:
        raise PlanError(f"at most {MAX_TEXT} characters are allowed here", where=where)
    if any("\ud800" <= character <= "\udfff" for character in value):
        raise PlanError("this is no text: it holds half of a character", where=where)
    return value


def variable_name(value: Json, where: str) -> str:
    """An ASCII identifier that does not begin with `_`."""
    name = text(value, where)
    if not (name.isascii() and name.isidentifier()) or name.startswith("_"):
        raise PlanError(f"{name!r} is not a variable's name", where=where, hint="a letter, then letters, digits and _")
    return name


def count(value: Json, where: str) -> int:
    """A whole number; 2.0 is one in JSON."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise PlanError("a whole number of 0 or more is needed here", where=where)
    return value


def one_of(value: Json, where: str, allowed: tuple[str, ...]) -> str:
    """One of the allowed texts."""
    if value not in allowed:
        raise PlanError(f"{value!r} is not allowed here", where=where, hint=f"one of {', '.join(repr(a) for a in allowed)}")
    return str(value)
