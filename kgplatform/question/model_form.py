"""The form in which a language model writes a plan: flat, short names, nothing that is not needed. Read strictly, like any plan.

    {"hops": [{"subject": "?x", "relation": "depends_on", "object": "name:1"}], "select": ["?x"], "also": []}

Ends are numbered names of the question and variables; what most questions lack (classes, dates, counts, absences) is a
clause of `also`. No choice of an `anyOf` begins like another, and every field is required: some servers insist on both.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from ..errors import PlanError
from ..query.algebra import (
    ALWAYS,
    COUNT,
    DURING,
    FEWEST,
    MAXIMUM,
    MINIMUM,
    MOST,
    NOW,
    ONE,
    ONE_OR_MORE,
    OPERATORS,
    OVERLAPS,
    SINCE_WHEN,
    THROUGHOUT,
    TIMES,
    UNTIL_WHEN,
    ZERO_OR_MORE,
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
    bound,
)
from ..schema import Relation, Schema
from ..terms import RDF, RDFS, TYPE, XSD, curie, literal, literal_value
from ..times import day_before, end_of
from . import strict_json

Json = Any
VARIABLES: Final = ("?x", "?y", "?z", "?w")
MAX_HOPS: Final = 5
MAX_CLAUSES: Final = 4
_MAX_VALUE: Final = 100
_STEPS: Final = {"": ONE, "+": ONE_OR_MORE, "*": ZERO_OR_MORE}
_WHENS: Final = (*(kind for kind in TIMES if kind not in (NOW, ALWAYS)), THROUGHOUT, ALWAYS)
_DATE: Final = {"type": "string", "pattern": "^([0-9]{4}(-[0-9]{2}(-[0-9]{2})?)?)?$"}
_TEXTS: Final = ("", RDFS.Literal, RDF.PlainLiteral)


@dataclass(frozen=True)
class Words:
    """The words of the ontology as a model writes them: `depends_on`, not an IRI. Local names, or CURIEs where two are alike."""

    relations: Mapping[str, Relation]
    classes: Mapping[str, str]

    @classmethod
    def of(cls, schema: Schema, relations: Iterable[Relation], classes: Collection[str]) -> Words:
        """Those of some relations and classes."""
        known = {r.iri: r for r in relations}
        names = _short(known)
        return cls({names[iri]: known[iri] for iri in sorted(known)}, {name: iri for iri, name in sorted(_short(classes).items())})

    def class_names(self, classes: Iterable[str]) -> list[str]:
        """The sorted words of class IRIs, without those that have none."""
        wanted = set(classes)
        return sorted(name for name, iri in self.classes.items() if iri in wanted)


def _short(iris: Collection[str]) -> dict[str, str]:
    """IRI -> local name."""
    local = {iri: re.split(r"[#/]", iri)[-1] for iri in iris}
    shared = Counter(local.values())
    return {iri: name if name and shared[name] == 1 else curie(iri) for iri, name in local.items()}


# -- the JSON Schema of the form


def plan_form(schema: Schema, words: Words, names: Collection[str]) -> dict[str, Json]:
    """The strict JSON Schema of plans with these words and numbered names as the only ones."""
    stepped = [f"{name}{step}" for name, relation in words.relations.items() for step in _steps(schema, relation)]
    return {
        **_strict(hops=_list(_ref("hop"), MAX_HOPS), select=_list(_ref("variable"), len(VARIABLES)), also=_list({"anyOf": _CLAUSES}, MAX_CLAUSES)),
        "$defs": {
            "variable": _enum(VARIABLES),
            "end": _enum((*names, *VARIABLES)),
            "relation": _enum(stepped),
            "object": {"anyOf": [_ref("end"), _strict(value=_text(_MAX_VALUE))]},
            "class": _enum(words.classes),
            "date": _DATE,
            "number": _NUMBER,
            "hop": _strict(subject=_ref("end"), relation=_ref("relation"), object=_ref("object")),
        },
    }  # fmt: skip


def _steps(schema: Schema, relation: Relation) -> tuple[str, ...]:
    return tuple(_STEPS) if schema.relations[schema.canonical(relation.iri)[0]].transitive else ("",)


def _strict(**properties: Json) -> dict[str, Json]:
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def _list(item: Json, most: int) -> dict[str, Json]:
    return {"type": "array", "items": item, "maxItems": most}


def _enum(values: Iterable[str]) -> dict[str, Json]:
    return {"type": "string", "enum": list(values)}


def _text(most: int) -> dict[str, Json]:
    return {"type": "string", "maxLength": most}


def _ref(name: str) -> dict[str, Json]:
    return {"$ref": f"#/$defs/{name}"}


_NUMBER: Final = {"type": "integer", "minimum": 0, "maximum": 1000}
_CLAUSES: Final[list[Json]] = [
    _strict(is_a=_ref("class"), of=_ref("end")),
    _strict(time=_enum(_WHENS), start=_ref("date"), end=_ref("date")),
    _strict(count=_ref("variable"), each=_enum(("", *VARIABLES)), order=_enum(("", MOST, FEWEST))),
    _strict(extreme=_enum((MAXIMUM, MINIMUM)), of=_ref("variable"), by=_enum(("", *VARIABLES))),
    _strict(missing=_ref("hop")),
    _strict(compare=_ref("variable"), operator=_enum(OPERATORS), value=_text(_MAX_VALUE)),
    _strict(dated=_ref("variable"), start=_ref("date"), end=_ref("date")),
    _strict(when=_enum((SINCE_WHEN, UNTIL_WHEN)), hop=_ref("number")),
    _strict(earlier=_ref("number"), later=_ref("number")),
    _strict(limit=_ref("number")),
]


# -- what is read out of it


def read_plan(value: Json, words: Words, names: Collection[str]) -> Plan:
    """The plan of a reply; its entities are numbered names and classes. Raises PlanError with the JSON path."""
    return _Reader(words, frozenset(names)).plan(value)


def hop_out(hop: Hop, words: Words) -> dict[str, Json]:
    """The hop as a model writes it."""
    name = next(name for name, relation in words.relations.items() if relation.iri == hop.relation)
    step = next(step for step, path in _STEPS.items() if path == hop.path)
    return {"subject": _end_out(hop.subject), "relation": f"{name}{step}", "object": _end_out(hop.object)}


def time_out(time: Time) -> dict[str, Json]:
    """The time as a model writes it: with the last day of a period, not the first after it."""
    last = day_before(bound(time.end).at)[:10] if time.end else ""
    return {"time": THROUGHOUT if time.mode == THROUGHOUT else time.kind, "start": time.start, "end": last}


def _end_out(term: Term) -> Json:
    match term:
        case Var(name):
            return f"?{name}"
        case EntityTerm(id_):
            return id_
        case ValueTerm(node):
            return {"value": literal_value(node)}


_HOP: Final = ("subject", "relation", "object")
_KINDS: Final = {next(iter(clause["properties"])): tuple(clause["properties"]) for clause in _CLAUSES}
"""The first field of a clause -> all its fields."""


@dataclass(frozen=True, slots=True)
class _Reader:
    words: Words
    names: frozenset[str]

    def plan(self, value: Json) -> Plan:
        parts = strict_json.fields_of(value, "$", known=("hops", "select", "also"))
        plan = Plan(hops=strict_json.items(parts, "hops", self._hop), select=strict_json.items(parts, "select", _variable))
        for where, clause in strict_json.items(parts, "also", lambda clause, where: (where, clause)):
            plan = self._with(plan, clause, where)
        used = [t.name for hop in (*plan.hops, *plan.absences) for t in (hop.subject, hop.object) if isinstance(t, Var)]
        loose = [Variable(name) for name in dict.fromkeys(used) if name not in {v.name for v in plan.variables}]
        return replace(plan, variables=(*plan.variables, *loose))

    def _hop(self, value: Json, where: str) -> Hop:
        parts = strict_json.fields_of(value, where, known=_HOP, needed=_HOP)
        said = strict_json.text(parts["relation"], f"{where}.relation")
        name = said.rstrip("*+")
        relation, step = self.words.relations.get(name), said[len(name) :]
        if relation is None or step not in _STEPS:
            raise PlanError(f"there is no relation {said!r}", where=f"{where}.relation", hint="use those of the list")
        subject, object_ = (self._end(parts[end], f"{where}.{end}", relation.datatype) for end in ("subject", "object"))
        if subject == object_:
            hint = "use two variables, such as ?x and ?y" if isinstance(subject, Var) else "let what is asked for be a variable, such as ?x"
            raise PlanError(f"both ends are {parts['subject']}", where=where, hint=hint)
        return Hop(subject, relation.iri, object_, _STEPS[step])

    def _end(self, value: Json, where: str, datatype: str) -> Term:
        if isinstance(value, dict):
            parts = strict_json.fields_of(value, where, known=("value",), needed=("value",))
            return _value(parts["value"], f"{where}.value", datatype)
        said = strict_json.text(value, where)
        if said.startswith("?"):
            return Var(_variable(said, where))
        if said in self.names:
            return EntityTerm(said)
        known = ", ".join(sorted(self.names)) or "variables alone"
        raise PlanError(f"{said!r} is none of the numbered names", where=where, hint=f"use {known}")

    def _with(self, plan: Plan, clause: Json, where: str) -> Plan:
        """The plan and what one clause adds to it."""
        kinds = [kind for kind in _KINDS if isinstance(clause, dict) and kind in clause]
        if len(kinds) != 1:
            raise PlanError("exactly one kind of clause is needed here", where=where, hint=f"one of {', '.join(_KINDS)}")
        kind = kinds[0]
        parts = strict_json.fields_of(clause, where, known=_KINDS[kind], needed=_KINDS[kind])
        match kind:
            case "is_a":
                return self._of_class(plan, parts, where)
            case "time":
                said = strict_json.one_of(parts["time"], f"{where}.time", _WHENS)
                chosen, mode = (DURING, THROUGHOUT) if said == THROUGHOUT else (said, OVERLAPS)
                start, end = _dates(parts, where)
                return _once(plan, "time", Time(chosen, start, _after(start, end), mode), where)
            case "count":
                order = strict_json.one_of(parts["order"], f"{where}.order", ("", MOST, FEWEST))
                counted = Aggregate(COUNT, _variable(parts["count"], where), _optional(parts["each"], where), order)
                return _once(plan, "aggregate", counted, where)
            case "extreme":
                asked = strict_json.one_of(parts["extreme"], f"{where}.extreme", (MAXIMUM, MINIMUM))
                return _once(plan, "aggregate", Aggregate(asked, _variable(parts["of"], where), _optional(parts["by"], where)), where)
            case "missing":
                return replace(plan, absences=(*plan.absences, self._hop(parts["missing"], f"{where}.missing")))
            case "compare":
                name, operator = _variable(parts["compare"], where), strict_json.one_of(parts["operator"], f"{where}.operator", OPERATORS)
                datatype = "" if operator == "contains" else self._datatype(plan, name)
                return _filtered(plan, Comparison(name, operator, _value(parts["value"], f"{where}.value", datatype)))
            case "dated":
                start, end = _dates(parts, where)
                until = _after(start, end) or end_of(bound(start))
                return _filtered(plan, InPeriod(_variable(parts["dated"], where), start, until))
            case "when":
                side = strict_json.one_of(parts["when"], f"{where}.when", (SINCE_WHEN, UNTIL_WHEN))
                return replace(plan, validity=(*plan.validity, Validity(strict_json.count(parts["hop"], where), side)))
            case "earlier":
                ends = (strict_json.count(parts[side], where) for side in ("earlier", "later"))
                return _once(plan, "sequence", Sequence(*ends), where)
        return _once(plan, "limit", strict_json.count(parts["limit"], where), where)

    def _of_class(self, plan: Plan, parts: Mapping[str, Json], where: str) -> Plan:
        """The class of a variable; of a named thing, the fact that it is of that class, which stands after the other hops."""
        name = strict_json.text(parts["is_a"], f"{where}.is_a")
        if name not in self.words.classes:
            raise PlanError(f"there is no class {name!r}", where=f"{where}.is_a", hint="use those of the list")
        class_, end = self.words.classes[name], self._end(parts["of"], f"{where}.of", "")
        if isinstance(end, Var):
            return replace(plan, variables=(*plan.variables, Variable(end.name, class_)))
        return replace(plan, hops=(*plan.hops, Hop(end, TYPE, EntityTerm(class_))))

    def _datatype(self, plan: Plan, variable: str) -> str:
        """Of the values that a variable stands for; '' if it stands for none."""
        relation = next((hop.relation for hop in plan.hops if hop.object == Var(variable)), "")
        return next((r.datatype for r in self.words.relations.values() if r.iri == relation), "")


def _variable(value: Json, where: str) -> str:
    """`x` of `?x`."""
    said = strict_json.text(value, where)
    if not said.startswith("?"):
        raise PlanError(f"{said!r} is no variable", where=where, hint=f"one of {', '.join(VARIABLES)}")
    return strict_json.variable_name(said[1:], where)


def _optional(value: Json, where: str) -> str:
    return "" if value == "" else _variable(value, where)


def _dates(parts: Mapping[str, Json], where: str) -> tuple[str, str]:
    return strict_json.text(parts["start"], f"{where}.start"), strict_json.text(parts["end"], f"{where}.end")


def _after(start: str, end: str) -> str:
    """The first day after a period whose last day, month or year is named; '' where the start names the period."""
    return "" if end in ("", start) else end_of(bound(end))[:10]


def _value(value: Json, where: str, datatype: str) -> ValueTerm:
    said = strict_json.text(value, where)
    if datatype in (XSD.date, XSD.dateTime) and bound(said).precision in ("year", "month"):
        raise PlanError(f"{said!r} is no day", where=where, hint="write 2024-03-01, or use the clause dated")
    try:
        return ValueTerm(literal(said, XSD.string if datatype in _TEXTS else datatype))
    except ValueError as error:
        raise PlanError(f"not a literal: {error}", where=where) from error


def _once(plan: Plan, name: str, value: Any, where: str) -> Plan:
    if getattr(plan, name) != getattr(Plan(), name):
        raise PlanError("this is said twice", where=where, hint="once is enough")
    return replace(plan, **{name: value})


def _filtered(plan: Plan, each: Filter) -> Plan:
    return replace(plan, filters=(*plan.filters, each))
