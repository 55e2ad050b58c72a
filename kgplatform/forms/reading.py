"""Values of TOML, JSON and addresses, read as forms."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeVar

import msgspec

from .base import converted
from .faults import FormError, Path, arms, explained

T = TypeVar("T")
S = TypeVar("S", bound=msgspec.Struct)


def read_form(value: object, type_: type[T]) -> T:
    """The value as this type. Raises FormError for the first thing that does not fit it."""
    try:
        return converted(value, type_)
    except msgspec.ValidationError as error:
        raise explained(str(error), value, type_) from error


def read_json(value: object, type_: type[T]) -> T:
    """The same, of JSON, whose texts may hold halves of characters: FormError for them."""
    form = read_form(value, type_)
    for path, text in _texts(value, ()):
        if any("\ud800" <= character <= "\udfff" for character in text):
            raise FormError("this is no text: it holds half of a character", path, str, text)
    return form


def read_texts(values: Mapping[str, str], type_: type[S]) -> S:
    """The same, of named texts alone, as an address or a posted form has them: `true`, `10` and `0.5` are read as the form wants them."""
    wanted = {each.encode_name: arms(each.type)[0] for each in msgspec.structs.fields(type_)}
    return read_form({name: _unquoted(text, wanted.get(name)) for name, text in values.items()}, type_)


def _unquoted(text: str, type_: Any) -> object:
    if type_ is bool:
        return {"true": True, "false": False}.get(text, text)
    if type_ is int and text.isascii() and text.isdigit() and len(text) < 10:
        return int(text)
    try:
        return float(text) if type_ is float else text
    except ValueError:
        return text


def _texts(value: object, path: Path) -> Iterator[tuple[Path, str]]:
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, dict | list):
        for step, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _texts(inner, (*path, step))
