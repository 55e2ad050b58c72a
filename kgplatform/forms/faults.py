"""What does not fit a form: msgspec says it in words alone, here it is a value again, with its whole path."""

from __future__ import annotations

import re
from types import UnionType
from typing import Annotated, Any, Final, Literal, Union, get_args, get_origin

import msgspec

from .base import OneOf, chosen, converted

Path = tuple[str | int, ...]

# the words of msgspec 0.19 to 0.23
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


class FormError(Exception):
    """What does not fit a form, the first of it. `path` leads to it (to the object around it for an `unknown` or a `missing` field); `type` is
    what is declared there, `value` what stands there, `limit` the bound that is passed, as ('>=', 1). `is_of_type` says that `wanted` is a
    type, not a sentence of its own."""

    def __init__(self, message: str, path: Path, type_: Any, value: Any) -> None:
        super().__init__(message)
        self.path, self.type, self.value = path, type_, value
        expected = _EXPECTED.match(message)
        self.unknown = match[1] if (match := _UNKNOWN.fullmatch(message)) else None
        self.missing = match[1] if (match := _MISSING.fullmatch(message)) else None
        self.limit = (expected[2], float(expected[3])) if expected and expected[3] else None
        kinds = expected[1].split(" | ") if expected else []
        self._kinds = [kind for kind in kinds if kind != "int" or "float" not in kinds]
        self.is_of_type = bool(kinds)

    @property
    def known(self) -> tuple[str, ...]:
        """The fields of the object at `path`."""
        return tuple(each.encode_name for arm in arms(self.type) if _is_form(arm) for each in msgspec.structs.fields(arm))

    @property
    def choices(self) -> tuple[str, ...]:
        """The texts that may stand at `path`, () where it takes others."""
        return tuple(choice for arm in arms(self.type) if get_origin(arm) is Literal for choice in get_args(arm))

    @property
    def wanted(self) -> str:
        """What is needed at `path`: `a text`, `a whole number`."""
        return " or ".join(_WORDS.get(kind, kind) for kind in self._kinds) or str(self)

    @property
    def bounds(self) -> str:
        """Those of a number at `path`, in words that follow `wanted`; '' where there are none."""
        for each in getattr(self.type, "__metadata__", ()):
            if each.ge is not None and each.le is not None:
                return f" from {each.ge:,} to {each.le:,}"
            if each.gt is not None:
                return f" above {each.gt:,}"
        return ""

    @property
    def json_path(self) -> str:
        """`$.hops[0].subject`"""
        return "$" + "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in self.path)

    def in_words(self) -> tuple[str, str]:
        """What is wrong with a value of JSON, and a hint or ''."""
        if self.unknown is not None:
            return f"there is no field {self.unknown!r}", f"the fields are {', '.join(self.known)}"
        if self.missing:
            return f"the field {self.missing!r} is missing", ""
        if self.choices and isinstance(self.value, str):
            return f"{self.value!r} is not allowed here", f"one of {', '.join(map(repr, self.choices))}"
        if self.limit:
            return f"at most {self.limit[1]:g} {'characters ' if self._kinds == ['str'] else ''}are allowed here", ""
        if " matching regex " in str(self):
            return f"{self.value!r} is not {_description(self.type)}", ""
        if not self._kinds:
            return str(self), ""
        return f"{self.wanted} is needed here", f"with the fields {', '.join(self.known)}" if self.known else ""


def explained(message: str, value: Any, type_: Any) -> FormError:
    """The error that msgspec tells of a value of a type with this message."""
    path: list[str | int] = []
    while (place := _PLACE.search(message)) and not _is_unknown_here(message, value):
        message = message[: place.start()]
        for name, index in _STEP.findall(place[1]):
            step = name or (_unfit_key(value, type_) if index == "..." else int(index))
            if not (step in value if isinstance(value, dict) else isinstance(value, list)):
                break  # a text that looks like a place
            type_, value = _inner(type_, step, value), value[step]
            path.append(step)
    return FormError(message, tuple(path), _settled(type_, value), value)


def _is_unknown_here(message: str, value: Any) -> bool:
    """Whether the message tells of an unknown field of this object itself, whatever its name looks like."""
    unknown = _UNKNOWN.fullmatch(message)
    return unknown is not None and isinstance(value, dict) and unknown[1] in value


def _unfit_key(table: dict[str, Any], type_: Any) -> str:
    """The first key of a table with names of its own whose value does not fit: msgspec writes `[...]` for it."""
    return next(key for key, value in table.items() if not _fits(value, _inner(type_, key, table)))


def _fits(value: Any, type_: Any) -> bool:
    try:
        converted(value, type_)
    except msgspec.ValidationError:
        return False
    return True


def _inner(type_: Any, step: str | int, value: Any) -> Any:
    """The type of a field, of the values of a table, or of the items of a list, in a value of a type."""
    for arm in arms(_settled(type_, value)):
        if _is_form(arm):
            return next((each.type for each in msgspec.structs.fields(arm) if each.encode_name == step), object)
        if get_origin(arm) in ((dict,) if isinstance(step, str) else _LISTS):
            return get_args(arm)[-1 if isinstance(step, str) else 0]
    return object


def _settled(type_: Any, value: Any) -> Any:
    """The form of a choice that a value is of; any other type as it is."""
    if not isinstance(type_, type) or not issubclass(type_, OneOf) or _is_form(type_):
        return type_
    try:
        return chosen(type_, value)
    except (ValueError, TypeError):
        return object


def arms(type_: Any) -> tuple[Any, ...]:
    """The types of a union, each without its annotations; of any other type it alone."""
    if get_origin(type_) is Annotated:
        return arms(get_args(type_)[0])
    if get_origin(type_) in (Union, UnionType):
        return tuple(arm for each in get_args(type_) for arm in arms(each))
    return (type_,)


def _description(type_: Any) -> str:
    return next((each.description for each in getattr(type_, "__metadata__", ()) if each.description), "of the form that is needed here")


def _is_form(type_: Any) -> bool:
    return isinstance(type_, type) and issubclass(type_, msgspec.Struct)


# -- as TOML writes it


def toml_key(path: Path) -> str:
    """`facts[1].column`: the first of a list is 1."""
    return "".join(f"[{step + 1}]" if isinstance(step, int) else f".{step}" for step in path).removeprefix(".")


def toml_wanted(error: FormError) -> tuple[str, str]:
    """The key whose value does not fit, and what it must be. For one text of a list it is the key of the list."""
    is_text_of_list = bool(error.path) and isinstance(error.path[-1], int) and not _is_form(error.type)
    is_list_of_texts = any(get_origin(arm) in _LISTS and not _is_form(get_args(arm)[0]) for arm in arms(error.type))
    wanted = error.wanted.replace("an object", "a table").replace("a text", "a text in quotes")
    path = error.path[:-1] if is_text_of_list else error.path
    return toml_key(path), "a list of texts" if is_text_of_list or is_list_of_texts else wanted
