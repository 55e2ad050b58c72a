"""Plans as JSON: how a file, the web or a language model sends one. Strict: what is not known is an error.

{"variables": [{"name": "team", "class": "sc:Team"}],
 "hops": [{"subject": {"entity": "component:tax"}, "relation": "sc:owned_by", "object": {"var": "team"}}],
 "time": {"kind": "at", "start": "2023-06-15"},
 "select": ["team"]}
"""

from __future__ import annotations

import json
from typing import Any

from msgspec import to_builtins
from msgspec.structs import astuple

from ..errors import PlanError
from ..forms.faults import FormError
from ..forms.reading import read_json
from ..terms import curie, expand, literal_term
from .algebra import (
    ONE,
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
from .plan_form import ComparisonForm, EntityForm, FilterForm, HopForm, LiteralForm, PeriodForm, PlanForm, TermForm, VarForm

Json = Any

# -- out


def to_json(plan: Plan) -> dict[str, Json]:
    """The plan as JSON values; `from_json` reads the same plan back."""
    out: dict[str, Json] = to_builtins(plan)
    return {
        **out,
        "variables": [{"name": v.name, "class": curie(v.class_) if v.class_ else ""} for v in plan.variables],
        "hops": [_hop_out(hop) for hop in plan.hops],
        "absences": [_hop_out(hop) for hop in plan.absences],
        "filters": [_filter_out(each) for each in plan.filters],
        "select": list(plan.select),
        "validity": list(out["validity"]),
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
    try:
        form = read_json(value, PlanForm)
    except FormError as error:
        what, hint = error.in_words()
        raise PlanError(what, where=error.json_path, hint=hint) from error
    return Plan(
        question=form.question,
        variables=tuple(Variable(each.name, expand(each.class_)) for each in form.variables),
        hops=tuple(map(_hop_in, form.hops)),
        absences=tuple(map(_hop_in, form.absences)),
        filters=tuple(map(_filter_in, form.filters)),
        time=Time(*astuple(form.time)) if form.time else Time(),
        aggregate=Aggregate(*astuple(form.aggregate)) if form.aggregate else None,
        select=form.select,
        validity=tuple(Validity(int(each.hop), each.bound) for each in form.validity),
        sequence=Sequence(int(form.sequence.earlier), int(form.sequence.later)) if form.sequence else None,
        limit=int(form.limit),
    )


def _hop_in(form: HopForm) -> Hop:
    at = Var(form.at.var) if isinstance(form.at, VarForm) else form.at
    return Hop(_term_in(form.subject), expand(form.relation), _term_in(form.object), form.path, at)


def _term_in(form: TermForm) -> Term:
    match form:
        case VarForm(var):
            return Var(var)
        case EntityForm(entity):
            return EntityTerm(str(entity))
        case LiteralForm():
            return ValueTerm(form.node())
    raise TypeError(form)


def _filter_in(form: FilterForm) -> Filter:
    match form:
        case ComparisonForm():
            return Comparison(form.variable, form.operator, ValueTerm(form.value.node()))
        case PeriodForm():
            return InPeriod(*astuple(form))
    raise TypeError(form)
