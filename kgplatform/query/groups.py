"""The parts of a compiled query: one `GRAPH` group for each fact, terms in a leading VALUES row, comparisons in FILTERs after them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import pyoxigraph as ox

from ..schema import Schema
from ..terms import TYPE, XSD, literal_term
from ..times import OBSERVED, SUCCEEDED
from .algebra import Comparison, EntityTerm, Filter, InPeriod, Plan, Term, ValueTerm, Var, bound
from .forms import Star
from .time_filters import instant_text, span_terms


@dataclass(frozen=True)
class Scope:
    """One group of the query: the parameters it uses, for its VALUES row. `known` is shared by the whole query."""

    known: dict[str, str]
    used: dict[str, str] = field(default_factory=dict)

    def name(self, hint: str, term: str) -> str:
        """The variable that holds a term; equal terms of one sort share it."""
        same_hint = [n for n in self.known if n.rstrip("0123456789") == f"_{hint}"]
        name = next((n for n in same_hint if self.known[n] == term), f"_{hint}{len(same_hint) + 1}")
        self.known[name] = self.used[name] = term
        return f"?{name}"

    def row(self) -> str:
        """The VALUES row of the parameters that were used so far."""
        return f"VALUES ({' '.join('?' + n for n in self.used)}) {{ ({' '.join(self.used.values())}) }}"

    def term(self, term: Term) -> str:
        """The variable that stands for a term of the plan; an entity or a literal becomes a parameter."""
        match term:
            case Var(name):
                return f"?{name}"
            case EntityTerm(id_):
                return self.name("entity", str(ox.NamedNode(id_)))
            case ValueTerm(node):
                return self.name("value", str(literal_term(node)))

    def any_of(self, hint: str, iris: Iterable[str], groups: list[str]) -> str:
        """The variable that holds one of the IRIs; several are a VALUES set of their own, just before their use."""
        terms = [str(ox.NamedNode(iri)) for iri in sorted(iris)]
        if len(terms) == 1:
            return self.name(hint.partition("_")[0], terms[0])
        self.known[f"_{hint}"] = " ".join(terms)
        groups.append(f"VALUES ?_{hint} {{ {' '.join(terms)} }}")
        return f"?_{hint}"


def star_groups(star: Star, scope: Scope, known: set[Term], schema: Schema, *, least: int) -> list[str]:
    """The groups that match a star. `known` are the terms that are bound before them, `least` the rank of the lowest trust."""
    groups: list[str] = []
    is_type = star.relations == (TYPE,)
    relation = scope.any_of(f"relation_{star.tag}", star.relations, groups)
    if is_type and isinstance(star.object, EntityTerm):
        object_ = scope.any_of(f"class_{star.tag}", schema.descendants(star.object.id), groups)
    else:
        object_ = f"?_v{star.tag}" if _is_of_open_list(star, schema) else scope.term(star.object)
    subject, tag = scope.term(star.subject), star.tag
    parts = [f"rdf:subject {subject}", f"rdf:predicate {relation}", f"rdf:object {object_}"]
    if isinstance(star.subject, Var) and star.subject not in known:
        is_open = (isinstance(star.object, Var) and star.object not in known) or _is_of_open_list(star, schema)
        parts = [parts[1], parts[0], parts[2]] if is_open else parts[::-1]
    flag = _flag(star)
    groups.append(f"GRAPH ?_g{tag} {{ ?_a{tag} {' ; '.join(parts)} ; {flag} ; kg:start ?_s{tag} ; kg:end ?_e{tag} . }}")
    if object_ == f"?_v{tag}":
        groups.append(f"FILTER(LCASE(STR({object_})) = LCASE(STR({scope.term(star.object)})))")
    if least:
        groups.append(f"GRAPH ?_h{tag} {{ ?_a{tag} prov:wasDerivedFrom ?_c{tag} . }}")
        groups.append(f"GRAPH ?_i{tag} {{ ?_c{tag} kg:trust ?_trust{tag} . }}")
    return groups


def _is_of_open_list(star: Star, schema: Schema) -> bool:
    """Whether the star's value is compared without regard to case, since sources write the members of an open list in any case."""
    return isinstance(star.object, ValueTerm) and any(schema.relations[r].known for r in star.relations if r in schema.relations)


def _flag(star: Star) -> str:
    return "kg:positive true" if star.is_qualified else "kg:plain true"


def withdrawn(star: Star, parameters: dict[str, str], *, end: str) -> str:
    """The MINUS group for withdrawn facts of an event: those that a later report of the event replaced by another value.

    `end` is the end of the fact at which the event stands, subject or object. A fact that ended without being replaced stays.
    It is a MINUS because asking for each row whether such a report exists takes 50 ms a row (measured with 34,000 quads).
    """
    scope, tag, groups = Scope(parameters), star.tag, list[str]()
    relation = scope.any_of(f"relation_{tag}", star.relations, groups)
    groups.append(f"VALUES ?_k{tag} {{ {ox.Literal(OBSERVED)} {ox.Literal(SUCCEEDED)} }}")
    event = scope.term(star.subject if end == "subject" else star.object)
    fact = f"rdf:{end} {event} ; rdf:predicate {relation} ; {_flag(star)}"
    groups.append(f"GRAPH ?_gk{tag} {{ ?_a{tag} kg:endKind ?_k{tag} ; {fact} ; kg:end ?_y{tag} . }}")
    groups.append(f"GRAPH ?_gw{tag} {{ ?_w{tag} {fact} ; kg:end ?_x{tag} . }}")
    return "\n".join(["MINUS {", scope.row(), *groups, f"FILTER(?_x{tag} > ?_y{tag})", "}"])


def class_groups(term: Term, name: str, class_: str, scope: Scope, schema: Schema) -> list[str]:
    """The groups that test whether the entity is of the class, at any time."""
    groups: list[str] = []
    node, type_ = scope.term(term), scope.any_of("relation", [TYPE], groups)
    wanted = scope.any_of(f"class_{name}", schema.descendants(class_), groups)
    groups.append(f"GRAPH ?_g_{name} {{ ?_t_{name} rdf:subject {node} ; rdf:predicate {type_} ; rdf:object {wanted} ; kg:plain true . }}")
    return groups


def comparison(each: Filter, plan: Plan, schema: Schema, scope: Scope) -> str:
    """The FILTER of a comparison, or of a period."""
    datatype = next((schema.relations[h.relation].datatype for h in plan.hops if h.object == Var(each.variable)), XSD.string)
    if isinstance(each, InPeriod):
        return f"FILTER({' && '.join(_in_period(each, datatype, scope))})"
    return f"FILTER({_compared(each, scope)})"


def _in_period(each: InPeriod, datatype: str, scope: Scope) -> Iterator[str]:
    span = span_terms(each.variable, datatype)
    for side, operator in ((each.start, ">="), (each.end, "<")):
        if side:
            at = bound(side).at
            if not span.is_instant:
                last = f"{span.first} >=" if operator == ">=" else f"{span.after} <="
                yield f"{last} {scope.name('instant', instant_text(at))}"
                continue
            literal = ox.Literal(at[:10] if datatype == XSD.date else at, datatype=ox.NamedNode(datatype))
            yield f"?{each.variable} {operator} {scope.name('date', str(literal))}"


def _compared(each: Comparison, scope: Scope) -> str:
    value = scope.term(each.value)
    if each.operator == "contains":
        return f"CONTAINS(LCASE(STR(?{each.variable})), LCASE(STR({value})))"
    if literal_term(each.value.node).datatype.value == XSD.string:
        return f"LCASE(STR(?{each.variable})) {each.operator} LCASE(STR({value}))"
    return f"?{each.variable} {each.operator} {value}"
