"""Plans as JSON: how a file, the web or a language model sends one. Strict: what is not known is an error.

{"variables": [{"name": "team", "class": "sc:Team"}],
 "hops": [{"subject": {"entity": "component:tax"}, "relation": "sc:owned_by", "object": {"var": "team"}}],
 "time": {"kind": "at", "start": "2023-06-15"},
 "select": ["team"]}
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeVar

import pyoxigraph as ox

from ..errors import PlanError
from ..terms import XSD, curie, entity_iri, expand, literal, literal_term
from .algebra import (
    AGGREGATES,
    FEWEST,
    MOST,
    ONE,
    OPERATORS,
    OVERLAPS,
    PATHS,
    SINCE_WHEN,
    THROUGHOUT,
    TIMES,
    UNTIL_WHEN,
    Aggregate,
    Comparison,
    Entity,
    Filter,
    Hop,
    InPeriod,
    Plan,
    Sequence,
    Term,
    Time,
    Validity,
    Value,
    Var,
    Variable,
)

Json = Any
T = TypeVar("T")

MAX_ITEMS: Final = 12
MAX_TEXT: Final = 2000


# -- out


def to_json(plan: Plan) -> dict[str, Json]:
    """The plan as JSON values; `from_json` reads the same plan back."""
    return {
        "question": plan.question,
        "variables": [{"name": v.name, "class": curie(v.class_) if v.class_ else ""} for v in plan.variables],
        "hops": [_hop_out(hop) for hop in plan.hops],
        "absences": [_hop_out(hop) for hop in plan.absences],
        "filters": [_filter_out(each) for each in plan.filters],
        "time": {"kind": plan.time.kind, "start": plan.time.start, "end": plan.time.end, "mode": plan.time.mode},
        "aggregate": plan.aggregate
        and {"kind": plan.aggregate.kind, "variable": plan.aggregate.variable, "by": plan.aggregate.by, "order": plan.aggregate.order},
        "select": list(plan.select),
        "validity": [{"hop": v.hop, "bound": v.bound} for v in plan.validity],
        "sequence": plan.sequence and {"earlier": plan.sequence.earlier, "later": plan.sequence.later},
        "limit": plan.limit,
    }


def _hop_out(hop: Hop) -> dict[str, Json]:
    out = {"subject": _term_out(hop.subject), "relation": curie(hop.relation), "object": _term_out(hop.object)}
    return out if hop.path == ONE else {**out, "path": hop.path}


def _term_out(term: Term) -> dict[str, Json]:
    match term:
        case Var(name):
            return {"var": name}
        case Entity(id_):
            return {"entity": id_}
        case Value(node):
            held = literal_term(node)
            out = {"value": held.value, "datatype": curie(held.datatype.value)}
            return {**out, "language": held.language} if held.language else out


def _filter_out(each: Filter) -> dict[str, Json]:
    if isinstance(each, InPeriod):
        return {"variable": each.variable, "start": each.start, "end": each.end}
    return {"variable": each.variable, "operator": each.operator, "value": _term_out(each.value)}


# -- in


def from_text(text: str) -> Plan:
    """The plan of a JSON text. Raises PlanError that names the line or the JSON path."""
    try:
        return from_json(json.loads(text))
    except json.JSONDecodeError as error:
        raise PlanError(f"this is not JSON: {error.msg}", where=f"line {error.lineno}", hint="write the plan as one JSON object") from error


def from_json(value: Json) -> Plan:
    """The plan of JSON values. Raises PlanError whose `where` is the JSON path of what is wrong."""
    parts = _object(value, "$", known=tuple(PLAN_SCHEMA["properties"]))
    aggregate, sequence = parts.get("aggregate"), parts.get("sequence")
    return Plan(
        question=_text(parts.get("question", ""), "$.question"),
        variables=_items(parts, "variables", _variable_in),
        hops=_items(parts, "hops", _hop_in),
        absences=_items(parts, "absences", _hop_in),
        filters=_items(parts, "filters", _filter_in),
        time=_time_in(parts["time"], "$.time") if parts.get("time") is not None else Time(),
        aggregate=None if aggregate is None else _aggregate_in(aggregate, "$.aggregate"),
        select=_items(parts, "select", _name),
        validity=_items(parts, "validity", _validity_in),
        sequence=None if sequence is None else _sequence_in(sequence, "$.sequence"),
        limit=_count(parts.get("limit", 0), "$.limit"),
    )


def _object(value: Json, where: str, *, known: tuple[str, ...], needed: tuple[str, ...] = ()) -> Mapping[str, Json]:
    if not isinstance(value, dict):
        raise PlanError("an object is needed here", where=where, hint=f"with the fields {', '.join(known)}")
    for name in value:
        if name not in known:
            raise PlanError(f"there is no field {name!r}", where=where, hint=f"the fields are {', '.join(known)}")
    for name in needed:
        if name not in value:
            raise PlanError(f"the field {name!r} is missing", where=where)
    return value


def _items(parts: Mapping[str, Json], name: str, read: Callable[[Json, str], T]) -> tuple[T, ...]:
    found = parts.get(name, [])
    where = f"$.{name}"
    if not isinstance(found, list):
        raise PlanError("a list is needed here", where=where)
    if len(found) > MAX_ITEMS:
        raise PlanError(f"at most {MAX_ITEMS} are allowed here", where=where)
    return tuple(read(item, f"{where}[{index}]") for index, item in enumerate(found))


def _text(value: Json, where: str) -> str:
    if not isinstance(value, str):
        raise PlanError("a text is needed here", where=where)
    if len(value) > MAX_TEXT:
        raise PlanError(f"at most {MAX_TEXT} characters are allowed here", where=where)
    return value


def _name(value: Json, where: str) -> str:
    text = _text(value, where)
    if not (text.isascii() and text.isidentifier()) or text.startswith("_"):
        raise PlanError(f"{text!r} is not a variable's name", where=where, hint="a letter, then letters, digits and _")
    return text


def _count(value: Json, where: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise PlanError("a whole number of 0 or more is needed here", where=where)
    return value


def _one_of(value: Json, where: str, allowed: tuple[str, ...]) -> str:
    if value not in allowed:
        raise PlanError(f"{value!r} is not allowed here", where=where, hint=f"one of {', '.join(repr(a) for a in allowed)}")
    return str(value)


def _variable_in(value: Json, where: str) -> Variable:
    parts = _object(value, where, known=("name", "class"), needed=("name",))
    return Variable(_name(parts["name"], f"{where}.name"), expand(_text(parts.get("class", ""), f"{where}.class")))


def _hop_in(value: Json, where: str) -> Hop:
    parts = _object(value, where, known=("subject", "relation", "object", "path"), needed=("subject", "relation", "object"))
    return Hop(
        _term_in(parts["subject"], f"{where}.subject"),
        expand(_text(parts["relation"], f"{where}.relation")),
        _term_in(parts["object"], f"{where}.object"),
        _one_of(parts.get("path", ONE), f"{where}.path", PATHS),
    )


def _term_in(value: Json, where: str) -> Term:
    parts = _object(value, where, known=("var", "entity", "value", "datatype", "language"))
    kinds = [kind for kind in ("var", "entity", "value") if kind in parts]
    if len(kinds) != 1 or (kinds != ["value"] and len(parts) != 1):
        raise PlanError("exactly one of 'var', 'entity' and 'value' is needed here", where=where)
    if "var" in parts:
        return Var(_name(parts["var"], f"{where}.var"))
    if "entity" in parts:
        named = _text(parts["entity"], f"{where}.entity")
        if not _is_entity(named):
            raise PlanError(f"{named!r} is neither an IRI nor a key", where=f"{where}.entity", hint="write component:tax")
        return Entity(named)
    return _value_in(parts, where)


def _is_entity(named: str) -> bool:
    """Whether the text is an IRI, or a mention key: a scheme, a colon, an identifier."""
    try:
        ox.NamedNode(named if "://" in named else entity_iri("key:/", named))
    except ValueError:
        return False
    return ":" in named.strip(":")


def _value_in(parts: Mapping[str, Json], where: str) -> Value:
    value, datatype = parts["value"], expand(_text(parts.get("datatype", "xsd:string"), f"{where}.datatype"))
    language = _text(parts.get("language", ""), f"{where}.language")
    if isinstance(value, bool | int | float):
        value = json.dumps(value)
        datatype = datatype if "datatype" in parts else XSD.boolean if value in ("true", "false") else XSD.decimal
    try:
        return Value(literal(_text(value, f"{where}.value"), datatype, language))
    except ValueError as error:
        raise PlanError(f"not a literal: {error}", where=where) from error


def _filter_in(value: Json, where: str) -> Filter:
    parts = _object(value, where, known=("variable", "operator", "value", "start", "end"), needed=("variable",))
    variable = _name(parts["variable"], f"{where}.variable")
    if "operator" not in parts:
        parts = _object(value, where, known=("variable", "start", "end"))
        start, end = (_text(parts.get(side, ""), f"{where}.{side}") for side in ("start", "end"))
        return InPeriod(variable, start, end)
    parts = _object(value, where, known=("variable", "operator", "value"), needed=("value",))
    term = _term_in(parts["value"], f"{where}.value")
    if not isinstance(term, Value):
        raise PlanError("a literal is needed here", where=f"{where}.value", hint='write {"value": "high"}')
    return Comparison(variable, _one_of(parts["operator"], f"{where}.operator", OPERATORS), term)


def _time_in(value: Json, where: str) -> Time:
    parts = _object(value, where, known=("kind", "start", "end", "mode"), needed=("kind",))
    start, end = (_text(parts.get(side, ""), f"{where}.{side}") for side in ("start", "end"))
    kind = _one_of(parts["kind"], f"{where}.kind", TIMES)
    return Time(kind, start, end, _one_of(parts.get("mode", OVERLAPS), f"{where}.mode", (OVERLAPS, THROUGHOUT)))


def _aggregate_in(value: Json, where: str) -> Aggregate:
    parts = _object(value, where, known=("kind", "variable", "by", "order"), needed=("kind", "variable"))
    by = parts.get("by", "")
    return Aggregate(
        _one_of(parts["kind"], f"{where}.kind", AGGREGATES),
        _name(parts["variable"], f"{where}.variable"),
        _name(by, f"{where}.by") if by else "",
        _one_of(parts.get("order", ""), f"{where}.order", ("", MOST, FEWEST)),
    )


def _validity_in(value: Json, where: str) -> Validity:
    parts = _object(value, where, known=("hop", "bound"), needed=("hop", "bound"))
    return Validity(_count(parts["hop"], f"{where}.hop"), _one_of(parts["bound"], f"{where}.bound", (SINCE_WHEN, UNTIL_WHEN)))


def _sequence_in(value: Json, where: str) -> Sequence:
    parts = _object(value, where, known=("earlier", "later"), needed=("earlier", "later"))
    return Sequence(_count(parts["earlier"], f"{where}.earlier"), _count(parts["later"], f"{where}.later"))


# -- the same, as a JSON Schema for a language model


def _strict(properties: dict[str, Json], *, needed: tuple[str, ...] = ()) -> dict[str, Json]:
    return {"type": "object", "properties": properties, "required": list(needed or properties), "additionalProperties": False}


def _list(item: dict[str, Json]) -> dict[str, Json]:
    return {"type": "array", "items": item, "maxItems": MAX_ITEMS}


_SHORT: Final[dict[str, Json]] = {"type": "string", "maxLength": 200}
_TERM: Final[dict[str, Json]] = {
    "anyOf": [_strict({"var": _SHORT}), _strict({"entity": _SHORT}), _strict({"value": _SHORT, "datatype": _SHORT})]
}
_HOP: Final = _strict({"subject": _TERM, "relation": _SHORT, "object": _TERM, "path": {"enum": list(PATHS)}})

PLAN_SCHEMA: Final[dict[str, Json]] = _strict(
    {
        "question": {"type": "string", "maxLength": MAX_TEXT},
        "variables": _list(_strict({"name": _SHORT, "class": _SHORT})),
        "hops": _list(_HOP),
        "absences": _list(_HOP),
        "filters": _list(
            {
                "anyOf": [
                    _strict({"variable": _SHORT, "operator": {"enum": list(OPERATORS)}, "value": _TERM["anyOf"][2]}),
                    _strict({"variable": _SHORT, "start": _SHORT, "end": _SHORT}),
                ]
            }
        ),
        "time": _strict({"kind": {"enum": list(TIMES)}, "start": _SHORT, "end": _SHORT, "mode": {"enum": [OVERLAPS, THROUGHOUT]}}),
        "aggregate": {
            "anyOf": [
                {"type": "null"},
                _strict({"kind": {"enum": list(AGGREGATES)}, "variable": _SHORT, "by": _SHORT, "order": {"enum": ["", MOST, FEWEST]}}),
            ]
        },
        "select": _list(_SHORT),
        "validity": _list(_strict({"hop": {"type": "integer"}, "bound": {"enum": [SINCE_WHEN, UNTIL_WHEN]}})),
        "sequence": {"anyOf": [{"type": "null"}, _strict({"earlier": {"type": "integer"}, "later": {"type": "integer"}})]},
        "limit": {"type": "integer", "minimum": 0},
    }
)
"""What a language model is asked to fill. Every field is required there; `from_json` takes those left out as empty."""
