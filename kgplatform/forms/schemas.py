"""The JSON Schema of forms."""

from __future__ import annotations

from typing import Any, cast

import msgspec

from .base import Json, OneOf


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
