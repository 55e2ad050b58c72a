"""What all results are: frozen values that give and read their JSON."""

from __future__ import annotations

from typing import Any, Self

import msgspec

from ..errors import ServerError

Json = dict[str, Any]


class GraphResult(msgspec.Struct, frozen=True, kw_only=True):
    """One result. Equal results are equal values; fields that a newer server adds are passed over."""

    def to_dict(self) -> Json:
        """The JSON that the command line and the API give, of new dicts and lists."""
        fields: Json = _with_lists(msgspec.to_builtins(self))
        return fields

    @classmethod
    def from_dict(cls, told: Json) -> Self:
        """The value that this JSON holds. ServerError for JSON that is no such value."""
        try:
            return msgspec.convert(told, cls)
        except msgspec.ValidationError as error:
            raise ServerError(f"is no {cls.__name__}: {error}", hint="is the server of another version?") from error


def _with_lists(value: Any) -> Any:
    """The value with lists for its tuples, which msgspec leaves as they are."""
    if isinstance(value, dict):
        return {name: _with_lists(each) for name, each in value.items()}
    return [_with_lists(each) for each in value] if isinstance(value, list | tuple) else value
