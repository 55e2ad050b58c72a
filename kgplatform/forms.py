"""Outside forms (settings, mapping files, plans, requests) as typed definitions: one reader for all, which says where a value does not fit."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from types import UnionType
from typing import Annotated, Any, ClassVar, Final, Literal, Self, TypeVar, Union, cast, get_args, get_origin

import msgspec

T = TypeVar("T")
S = TypeVar("S", bound=msgspec.Struct)
Json = dict[str, Any]
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
        return tuple(each.encode_name for arm in _arms(self.type) if _is_form(arm) for each in msgspec.structs.fields(arm))

    @property
    def choices(self) -> tuple[str, ...]:
        """The texts that may stand at `path`, () where it takes others."""
        return tuple(choice for arm in _arms(self.type) if get_origin(arm) is Literal for choice in get_args(arm))

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


def read_form(value: object, type_: type[T]) -> T:
    """The value as this type. Raises FormError for the first thing that does not fit it."""
    try:
        return msgspec.convert(value, type_, dec_hook=_read_special)
    except msgspec.ValidationError as error:
        raise _explained(str(error), value, type_) from error


def read_json(value: object, type_: type[T]) -> T:
    """The same, of JSON, whose texts may hold halves of characters: FormError for them."""
    form = read_form(value, type_)
    for path, text in _texts(value, ()):
        if any("\ud800" <= character <= "\udfff" for character in text):
            raise FormError("this is no text: it holds half of a character", path, str, text)
    return form


def read_texts(values: Mapping[str, str], type_: type[S]) -> S:
    """The same, of named texts alone, as an address or a posted form has them: `true`, `10` and `0.5` are read as the form wants them."""
    wanted = {each.encode_name: _arms(each.type)[0] for each in msgspec.structs.fields(type_)}
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


def form_schemas(*types: type, ref: str = "#/components/schemas/{name}") -> dict[str, Json]:
    """Name -> JSON Schema (2020-12) of the types and of what stands in them, with such references."""
    met = set(types)

    def special(type_: Any) -> Json:
        if not issubclass(type_, OneOf):
            return cast(Json, type_.SCHEMA)
        met.update(type_.__subclasses__())
        return {"anyOf": [{"$ref": ref.format(name=each.__name__)} for each in type_.__subclasses__()]}

    known: set[type] = set()
    while known != met:
        known = set(met)
        _, schemas = msgspec.json.schema_components(sorted(known, key=str), schema_hook=special, ref_template=ref)
    return schemas


def json_schema(type_: type) -> Json:
    """The JSON Schema of a type, whole."""
    schemas = form_schemas(type_, ref="#/$defs/{name}")
    return {**schemas.pop(type_.__name__), "$defs": schemas}


def _read_special(type_: Any, value: Any) -> Any:
    if not issubclass(type_, OneOf):
        return type_.read(value)
    try:
        return msgspec.convert(value, _chosen(type_, value), dec_hook=_read_special)
    except msgspec.ValidationError as error:  # msgspec puts the path so far behind the message of a ValueError alone
        raise ValueError(str(error)) from error


def _chosen(type_: type[OneOf], value: object) -> type[OneOf]:
    """The form of a choice that an object is of. Raises ValueError where it is of none or several, TypeError for what is no object."""
    forms = type_.__subclasses__()
    if not isinstance(value, dict):
        raise TypeError("an object is needed here")
    chosen = [each for each in forms if each.mark and each.mark in value] or [each for each in forms if not each.mark]
    if len(chosen) != 1:
        raise ValueError(f"exactly one kind is needed here: one of {', '.join(each.mark for each in forms)}")
    return chosen[0]


def _texts(value: object, path: Path) -> Iterator[tuple[Path, str]]:
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, dict | list):
        for step, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _texts(inner, (*path, step))


def _explained(message: str, value: Any, type_: Any) -> FormError:
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
        msgspec.convert(value, type_, dec_hook=_read_special)
    except msgspec.ValidationError:
        return False
    return True


def _inner(type_: Any, step: str | int, value: Any) -> Any:
    """The type of a field, of the values of a table, or of the items of a list, in a value of a type."""
    for arm in _arms(_settled(type_, value)):
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
        return _chosen(type_, value)
    except (ValueError, TypeError):
        return object


def _arms(type_: Any) -> tuple[Any, ...]:
    """The types of a union, each without its annotations; of any other type it alone."""
    if get_origin(type_) is Annotated:
        return _arms(get_args(type_)[0])
    if get_origin(type_) in (Union, UnionType):
        return tuple(arm for each in get_args(type_) for arm in _arms(each))
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
    is_list_of_texts = any(get_origin(arm) in _LISTS and not _is_form(get_args(arm)[0]) for arm in _arms(error.type))
    wanted = error.wanted.replace("an object", "a table").replace("a text", "a text in quotes")
    path = error.path[:-1] if is_text_of_list else error.path
    return toml_key(path), "a list of texts" if is_text_of_list or is_list_of_texts else wanted
