"""Outside forms (settings, mapping files, plans, requests) as typed definitions: one reader for all, which says where a value does not fit."""

from __future__ import annotations

import re
from types import UnionType
from typing import Annotated, Any, Final, Literal, TypeVar, Union, get_args, get_origin

import msgspec

T = TypeVar("T")
Path = tuple[str | int, ...]

_PLACE: Final = re.compile(r" - at `\$((?:\.[\w-]+|\[(?:\d+|\.\.\.)\])*)`\Z")
_STEP: Final = re.compile(r"\.([\w-]+)|\[(\d+|\.\.\.)\]")
_UNKNOWN: Final = re.compile(r"(?s)Object contains unknown field `(.*)`")
_MISSING: Final = re.compile(r"Object missing required field `(.*)`")
_EXPECTED: Final = re.compile(r"Expected `([^`]+)`(?: of length)?(?: ([<>]=) ([\d.e+]+))?")
_LISTS: Final = (list, tuple, frozenset)
_WORDS: Final = {
    "str": "a text",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "array": "a list",
    "object": "an object",
}


class StrictForm(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One object or table of an outside form: it has no other fields than these, each of its type."""


class FormError(Exception):
    """What does not fit a form, the first of it. `path` leads to it (to the object around it for an `unknown` or a `missing` field); `type` is
    what is declared there, `value` what stands there, `limit` the bound that is passed, as ('>=', 1)."""

    def __init__(self, message: str, path: Path, type_: Any, value: Any) -> None:
        super().__init__(message)
        self.path, self.type, self.value = path, type_, value
        expected = _EXPECTED.match(message)
        self.unknown = match[1] if (match := _UNKNOWN.fullmatch(message)) else None
        self.missing = match[1] if (match := _MISSING.fullmatch(message)) else None
        self.limit = (expected[2], float(expected[3])) if expected and expected[3] else None
        self._kinds = expected[1].split(" | ") if expected else []

    @property
    def known(self) -> tuple[str, ...]:
        """The fields of the object at `path`."""
        return tuple(each.encode_name for arm in _arms(self.type) if _is_form(arm) for each in msgspec.structs.fields(arm))

    @property
    def choices(self) -> tuple[str, ...]:
        """The texts that may stand at `path`, () where it takes others."""
        return tuple(choice for arm in _arms(self.type) if get_origin(arm) is Literal for choice in get_args(arm))

    @property
    def wanted(self) -> str:
        """What is needed at `path`: `a text`, `a whole number`."""
        return " or ".join(_WORDS.get(kind, kind) for kind in self._kinds) or str(self)


def read_form(value: object, type_: type[T]) -> T:
    """The value as this type. Raises FormError for the first thing that does not fit it."""
    try:
        return msgspec.convert(value, type_)
    except msgspec.ValidationError as error:
        raise _explained(str(error), value, type_) from error


def _explained(message: str, value: Any, type_: Any) -> FormError:
    unknown = _UNKNOWN.fullmatch(message)
    is_at_root = unknown is not None and isinstance(value, dict) and unknown[1] in value  # whatever the name of the field says
    place = None if is_at_root else _PLACE.search(message)
    path: list[str | int] = []
    for name, index in _STEP.findall(place[1] if place else ""):
        step = name or (_unfit_key(value, type_) if index == "..." else int(index))
        type_, value = _inner(type_, step), value[step]
        path.append(step)
    return FormError(message[: place.start()] if place else message, tuple(path), type_, value)


def _unfit_key(table: dict[str, Any], type_: Any) -> str:
    """The first key of a table with names of its own whose value does not fit: msgspec writes `[...]` for it."""
    return next(key for key, value in table.items() if not _fits(value, _inner(type_, key)))


def _fits(value: Any, type_: Any) -> bool:
    try:
        msgspec.convert(value, type_)
    except msgspec.ValidationError:
        return False
    return True


def _inner(type_: Any, step: str | int) -> Any:
    """The type of a field, of the values of a table, or of the items of a list."""
    for arm in _arms(type_):
        if _is_form(arm):
            return next(each.type for each in msgspec.structs.fields(arm) if each.encode_name == step)
        if get_origin(arm) in ((dict,) if isinstance(step, str) else _LISTS):
            return get_args(arm)[-1 if isinstance(step, str) else 0]
    return object


def _arms(type_: Any) -> tuple[Any, ...]:
    """The types of a union, each without its annotations; of any other type it alone."""
    if get_origin(type_) is Annotated:
        return _arms(get_args(type_)[0])
    if get_origin(type_) in (Union, UnionType):
        return tuple(arm for each in get_args(type_) for arm in _arms(each))
    return (type_,)


def _is_form(type_: Any) -> bool:
    return isinstance(type_, type) and issubclass(type_, msgspec.Struct)


# -- as TOML writes it


def toml_key(path: Path) -> str:
    """`facts[1].column`: the first of a list is 1."""
    return "".join(f"[{step + 1}]" if isinstance(step, int) else f".{step}" for step in path).removeprefix(".")


def toml_wanted(error: FormError) -> tuple[str, str]:
    """The key whose value does not fit, and what it must be. For one text of a list it is the key of the list."""
    is_text_of_list = bool(error.path) and isinstance(error.path[-1], int) and not _is_form(error.type)
    is_list_of_texts = any(get_origin(arm) in _LISTS and not _is_form(get_args(arm)[0]) for arm in _arms(error.type))
    wanted = error.wanted.replace("an object", "a table").replace("a text", "a text in quotes")
    path = error.path[:-1] if is_text_of_list else error.path
    return toml_key(path), "a list of texts" if is_text_of_list or is_list_of_texts else wanted
