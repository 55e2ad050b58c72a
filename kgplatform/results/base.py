"""What all results are: frozen values that give and read their JSON."""

from __future__ import annotations

from typing import Any, Self

import msgspec

from ..errors import ServerError

Json = dict[str, Any]


class GraphResult(msgspec.Struct, frozen=True, kw_only=True):
    """One result. Equal results are equal values; fields that a newer server adds are passed over."""

    def to_dict(self) -> Json:
        """The JSON that the command line and the API give."""
        told: Json = msgspec.to_builtins(self)
        return told

    @classmethod
    def from_dict(cls, told: Json) -> Self:
        """The value that this JSON holds. ServerError for JSON that is no such value."""
        try:
            return msgspec.convert(told, cls)
        except msgspec.ValidationError as error:
            raise ServerError(f"is no {cls.__name__}: {error}", hint="is the server of another version?") from error
