"""Plans as JSON: how a file, the web or a language model sends one. Strict: what is not known is an error.

{"variables": [{"name": "team", "class": "sc:Team"}],
 "hops": [{"subject": {"entity": "component:tax"}, "relation": "sc:owned_by", "object": {"var": "team"}}],
 "time": {"kind": "at", "start": "2023-06-15"},
 "select": ["team"]}
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

import pyoxigraph as ox

from .. import strict_json
from ..errors import PlanError
from ..terms import XSD, curie, entity_iri, expand, literal, literal_term
from .algebra import (
    AGGREGATES,
    FEWEST,
    MOST,
    OF_PLAN,
    ONE,
    OPERATORS,
    OVERLAPS,
    PATHS,
    SINCE_WHEN,
    THROUGHOUT,
    TIMES,
    UNTIL_WHEN,
    WHENEVER,
    Aggregate,
    Comparison,
    EntityTerm,
    Filter,
    Hop,
    InPeriod,
    Plan,
    Sequence,
    Term,
    Time,
    Validity,
    ValueTerm,
    Var,
    Variable,
)

Json = Any

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
    out: dict[str, Json] = {"subject": _term_out(hop.subject), "relation": curie(hop.relation), "object": _term_out(hop.object)}
    if hop.path != ONE:
        out["path"] = hop.path
    if hop.at:
        out["at"] = _term_out(hop.at) if isinstance(hop.at, Var) else hop.at
    return out


def _term_out(term: Term) -> dict[str, Json]:
    match term:
        case Var(name):
            return {"var": name}
        case EntityTerm(id_):
            return {"entity": id_}
        case ValueTerm(node):
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
    parts = strict_json.fields_of(value, "$", known=tuple(PLAN_SCHEMA["properties"]))
    aggregate, sequence = parts.get("aggregate"), parts.get("sequence")
    return Plan(
        question=strict_json.text(parts.get("question", ""), "$.question"),
        variables=strict_json.items(parts, "variables", _variable_in),
        hops=strict_json.items(parts, "hops", _hop_in),
        absences=strict_json.items(parts, "absences", _hop_in),
        filters=strict_json.items(parts, "filters", _filter_in),
        time=_time_in(parts["time"], "$.time") if parts.get("time") is not None else Time(),
        aggregate=None if aggregate is None else _aggregate_in(aggregate, "$.aggregate"),
        select=strict_json.items(parts, "select", strict_json.variable_name),
        validity=strict_json.items(parts, "validity", _validity_in),
        sequence=None if sequence is None else _sequence_in(sequence, "$.sequence"),
        limit=strict_json.count(parts.get("limit", 0), "$.limit"),
    )


def _variable_in(value: Json, where: str) -> Variable:
    parts = strict_json.fields_of(value, where, known=("name", "class"), needed=("name",))
    return Variable(
        strict_json.variable_name(parts["name"], f"{where}.name"), expand(strict_json.text(parts.get("class", ""), f"{where}.class"))
    )


def _hop_in(value: Json, where: str) -> Hop:
    parts = strict_json.fields_of(
        value, where, known=("subject", "relation", "object", "path", "at"), needed=("subject", "relation", "object")
    )
    return Hop(
        _term_in(parts["subject"], f"{where}.subject"),
        expand(strict_json.text(parts["relation"], f"{where}.relation")),
        _term_in(parts["object"], f"{where}.object"),
        strict_json.one_of(parts.get("path", ONE), f"{where}.path", PATHS),
        _at_in(parts.get("at", ""), f"{where}.at"),
    )


def _at_in(value: Json, where: str) -> Var | str:
    if isinstance(value, dict):
        parts = strict_json.fields_of(value, where, known=("var",), needed=("var",))
        return Var(strict_json.variable_name(parts["var"], f"{where}.var"))
    return strict_json.one_of(value, where, ("", OF_PLAN, WHENEVER))


def _term_in(value: Json, where: str) -> Term:
    parts = strict_json.fields_of(value, where, known=("var", "entity", "value", "datatype", "language"))
    kinds = [kind for kind in ("var", "entity", "value") if kind in parts]
    if len(kinds) != 1 or (kinds != ["value"] and len(parts) != 1):
        raise PlanError("exactly one of 'var', 'entity' and 'value' is needed here", where=where)
    if "var" in parts:
        return Var(strict_json.variable_name(parts["var"], f"{where}.var"))
    if "entity" in parts:
        named = strict_json.text(parts["entity"], f"{where}.entity")
        if not _is_entity(named):
            raise PlanError(f"{named!r} is neither an IRI nor a key", where=f"{where}.entity", hint="write component:tax")
        return EntityTerm(named)
    return _value_in(parts, where)


def _is_entity(named: str) -> bool:
    """Whether the text is an IRI, or a mention key: a scheme, a colon, an identifier."""
    try:
        ox.NamedNode(named if "://" in named else entity_iri("key:/", named))
    except ValueError:
        return False
    return ":" in named.strip(":")


def _value_in(parts: Mapping[str, Json], where: str) -> ValueTerm:
    value, datatype = parts["value"], expand(strict_json.text(parts.get("datatype", "xsd:string"), f"{where}.datatype"))
    language = strict_json.text(parts.get("language", ""), f"{where}.language")
    if isinstance(value, bool | int | float):
        value = json.dumps(value)
        datatype = datatype if "datatype" in parts else XSD.boolean if value in ("true", "false") else XSD.decimal
    try:
        return ValueTerm(literal(strict_json.text(value, f"{where}.value"), datatype, language))
    except ValueError as error:
        raise PlanError(f"not a literal: {error}", where=where) from error


def _filter_in(value: Json, where: str) -> Filter:
    parts = strict_json.fields_of(value, where, known=("variable", "operator", "value", "start", "end"), needed=("variable",))
    variable = strict_json.variable_name(parts["variable"], f"{where}.variable")
    if "operator" not in parts:
        parts = strict_json.fields_of(value, where, known=("variable", "start", "end"))
        start, end = (strict_json.text(parts.get(side, ""), f"{where}.{side}") for side in ("start", "end"))
        return InPeriod(variable, start, end)
    parts = strict_json.fields_of(value, where, known=("variable", "operator", "value"), needed=("value",))
    term = _term_in(parts["value"], f"{where}.value")
    if not isinstance(term, ValueTerm):
        raise PlanError("a literal is needed here", where=f"{where}.value", hint='write {"value": "high"}')
    return Comparison(variable, strict_json.one_of(parts["operator"], f"{where}.operator", OPERATORS), term)


def _time_in(value: Json, where: str) -> Time:
    parts = strict_json.fields_of(value, where, known=("kind", "start", "end", "mode"), needed=("kind",))
    start, end = (strict_json.text(parts.get(side, ""), f"{where}.{side}") for side in ("start", "end"))
    kind = strict_json.one_of(parts["kind"], f"{where}.kind", TIMES)
    return Time(kind, start, end, strict_json.one_of(parts.get("mode", OVERLAPS), f"{where}.mode", (OVERLAPS, THROUGHOUT)))


def _aggregate_in(value: Json, where: str) -> Aggregate:
    parts = strict_json.fields_of(value, where, known=("kind", "variable", "by", "order"), needed=("kind", "variable"))
    by = parts.get("by", "")
    return Aggregate(
        strict_json.one_of(parts["kind"], f"{where}.kind", AGGREGATES),
        strict_json.variable_name(parts["variable"], f"{where}.variable"),
        strict_json.variable_name(by, f"{where}.by") if by else "",
        strict_json.one_of(parts.get("order", ""), f"{where}.order", ("", MOST, FEWEST)),
    )


def _validity_in(value: Json, where: str) -> Validity:
    parts = strict_json.fields_of(value, where, known=("hop", "bound"), needed=("hop", "bound"))
    return Validity(
        strict_json.count(parts["hop"], f"{where}.hop"), strict_json.one_of(parts["bound"], f"{where}.bound", (SINCE_WHEN, UNTIL_WHEN))
    )


def _sequence_in(value: Json, where: str) -> Sequence:
    parts = strict_json.fields_of(value, where, known=("earlier", "later"), needed=("earlier", "later"))
    return Sequence(strict_json.count(parts["earlier"], f"{where}.earlier"), strict_json.count(parts["later"], f"{where}.later"))


# -- the same, as a JSON Schema


def _fields(properties: dict[str, Json], *, needed: tuple[str, ...] = ()) -> dict[str, Json]:
    return {"type": "object", "properties": properties, "required": list(needed), "additionalProperties": False}


def _list(item: dict[str, Json]) -> dict[str, Json]:
    return {"type": "array", "items": item, "maxItems": strict_json.MAX_ITEMS}


def _maybe(schema: dict[str, Json]) -> dict[str, Json]:
    return {"anyOf": [{"type": "null"}, schema]}


_TEXT: Final[dict[str, Json]] = {"type": "string", "maxLength": strict_json.MAX_TEXT}
_NAME: Final[dict[str, Json]] = {**_TEXT, "pattern": "^[A-Za-z][A-Za-z0-9_]*$"}
_ENTITY: Final[dict[str, Json]] = {**_TEXT, "pattern": "[^:]:+[^:]"}
_LANGUAGE: Final[dict[str, Json]] = {**_TEXT, "pattern": "^([A-Za-z]{1,8}(-[A-Za-z0-9]{1,8})*)?$"}
_COUNT: Final[dict[str, Json]] = {"type": "integer", "minimum": 0}
_VALUE: Final = _fields(
    {"value": {**_TEXT, "type": ["string", "number", "boolean"]}, "datatype": _TEXT, "language": _LANGUAGE}, needed=("value",)
)
_TERM: Final[dict[str, Json]] = {
    "anyOf": [_fields({"var": _NAME}, needed=("var",)), _fields({"entity": _ENTITY}, needed=("entity",)), _VALUE]
}
_AT: Final[dict[str, Json]] = {"anyOf": [{"enum": ["", OF_PLAN, WHENEVER]}, _fields({"var": _NAME}, needed=("var",))]}
_HOP: Final = _fields(
    {"subject": _TERM, "relation": _TEXT, "object": _TERM, "path": {"enum": list(PATHS)}, "at": _AT},
    needed=("subject", "relation", "object"),
)
_COMPARISON: Final = _fields(
    {"variable": _NAME, "operator": {"enum": list(OPERATORS)}, "value": _VALUE}, needed=("variable", "operator", "value")
)
_PERIOD: Final = _fields({"variable": _NAME, "start": _TEXT, "end": _TEXT}, needed=("variable",))
_TIME: Final = _fields(
    {"kind": {"enum": list(TIMES)}, "start": _TEXT, "end": _TEXT, "mode": {"enum": [OVERLAPS, THROUGHOUT]}}, needed=("kind",)
)
_AGGREGATE: Final = _fields(
    {
        "kind": {"enum": list(AGGREGATES)},
        "variable": _NAME,
        "by": {"anyOf": [{"enum": [""]}, _NAME]},
        "order": {"enum": ["", MOST, FEWEST]},
    },
    needed=("kind", "variable"),
)

PLAN_SCHEMA: Final[dict[str, Json]] = _fields(
    {
        "question": _TEXT,
        "variables": _list(_fields({"name": _NAME, "class": _TEXT}, needed=("name",))),
        "hops": _list(_HOP),
        "absences": _list(_HOP),
        "filters": _list({"anyOf": [_COMPARISON, _PERIOD]}),
        "time": _maybe(_TIME),
        "aggregate": _maybe(_AGGREGATE),
        "select": _list(_NAME),
        "validity": _list(_fields({"hop": _COUNT, "bound": {"enum": [SINCE_WHEN, UNTIL_WHEN]}}, needed=("hop", "bound"))),
        "sequence": _maybe(_fields({"earlier": _COUNT, "later": _COUNT}, needed=("earlier", "later"))),
        "limit": _COUNT,
    }
)
"""What `from_json` takes, save that a value must also be one of its datatype."""
