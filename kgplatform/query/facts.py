"""Assertions as the records hold them: ends, bounds, qualifiers, and what contradicts them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Final

import pyoxigraph as ox

from ..terms import KG, RDF, TYPE, Term, curie
from ..times import Bound, Instant
from .binding import nodes, rows
from .graphview import GraphView

_OWN: Final = frozenset({RDF.subject, RDF.predicate, RDF.object, TYPE})


@dataclass(frozen=True, slots=True)
class Stored:
    """One assertion. `subject` is an IRI, `object` a term; `against` are the assertions that it conflicts with."""

    iri: str
    subject: str
    relation: str
    object: Term
    start: Bound
    end: Bound
    positive: bool = True
    qualifiers: tuple[tuple[str, str], ...] = ()
    against: tuple[str, ...] = ()

    def same_fact(self, other: Stored) -> bool:
        """Whether both say the same, perhaps of different times."""
        return (self.subject, self.relation, self.object, self.positive) == (other.subject, other.relation, other.object, other.positive)


def read_facts(view: GraphView, iris: Iterable[str]) -> dict[str, Stored]:
    """The assertions of these IRIs that the caller may see."""
    found: dict[str, dict[str, list[Term]]] = {}
    for row in rows(view, "a", nodes(sorted(set(iris))), select=("a", "p", "o"), where="GRAPH ?g { ?a ?p ?o . }"):
        found.setdefault(row["a"].value, {}).setdefault(row["p"].value, []).append(row["o"])
    return {iri: _stored(iri, parts) for iri, parts in found.items() if RDF.subject in parts}


def facts_of(view: GraphView, iri: str) -> list[Stored]:
    """The assertions that have the entity at either end: by relation, then by their start."""
    found: set[str] = set()
    for side in ("subject", "object"):
        found |= {row["a"].value for row in rows(view, "e", nodes([iri]), select=("a",), where=f"GRAPH ?g {{ ?a rdf:{side} ?e . }}")}
    return sorted(read_facts(view, found).values(), key=lambda f: (f.relation, f.start.at, f.subject, str(f.object)))


def holding_now(view: GraphView, iris: Iterable[str], *, is_turned: bool = False) -> Iterator[tuple[str, str, Term]]:
    """(entity, relation, other end) of the facts at the view's instant with these entities as subjects, or as objects if `is_turned`."""
    ends = "rdf:object ?e ; rdf:subject ?o" if is_turned else "rdf:subject ?e ; rdf:object ?o"
    where = f"GRAPH ?g {{ ?a {ends} ; rdf:predicate ?p ; kg:plain true ; kg:start ?start ; kg:end ?end . }}"
    for row in rows(view, "e", nodes(iris), select=("e", "p", "o", "start", "end"), where=where):
        if row["start"].value <= view.valid_at < row["end"].value:
            yield row["e"].value, row["p"].value, row["o"]


def starts_of(view: GraphView, iri: str, end: str) -> Iterator[Bound]:
    """When the assertions began that have the term at this end (subject or object)."""
    where = (
        f"GRAPH ?g {{ ?a rdf:{end} ?e ; kg:start ?at ; kg:startKind ?kind ; kg:startPrecision ?precision }} "
        "OPTIONAL { GRAPH ?h { ?a kg:startAfter ?after } }"
    )
    for row in rows(view, "e", nodes([iri]), select=("at", "kind", "precision", "after"), where=where):
        yield Bound(row["kind"].value, row["at"].value, row["precision"].value, row["after"].value if "after" in row else "")


def beginning(view: GraphView, keys: Collection[tuple[str, str, Instant]]) -> dict[str, Stored]:
    """The assertions of these (subject, relation) that begin at that instant."""
    where = "GRAPH ?g { ?a rdf:subject ?s ; rdf:predicate ?p ; kg:plain true ; kg:start ?start . }"
    subjects = nodes(sorted({subject for subject, _relation, _start in keys}))
    candidates = rows(view, "s", subjects, select=("a", "s", "p", "start"), where=where)
    return read_facts(view, [row["a"].value for row in candidates if (row["s"].value, row["p"].value, row["start"].value) in keys])


def _stored(iri: str, parts: dict[str, list[Term]]) -> Stored:
    def text(name: str) -> str:
        return parts[name][0].value if name in parts else ""

    return Stored(
        iri=iri,
        subject=text(RDF.subject),
        relation=text(RDF.predicate),
        object=parts[RDF.object][0],
        start=Bound(text(KG.startKind), text(KG.start), text(KG.startPrecision), text(KG.startAfter)),
        end=Bound(text(KG.endKind), text(KG.end), text(KG.endPrecision), text(KG.endAfter)),
        positive=text(KG.positive) != "false",
        qualifiers=tuple(sorted((p, shown(o)) for p, os in parts.items() if _is_qualifier(p) for o in os)),
        against=tuple(sorted(o.value for o in parts.get(KG.conflictsWith, ()))),
    )


def _is_qualifier(predicate: str) -> bool:
    return predicate not in _OWN and not predicate.startswith((str(KG), "http://www.w3.org/ns/prov#"))


def shown(term: Term) -> str:
    """A literal's value, or an entity's IRI in short."""
    return term.value if isinstance(term, ox.Literal) else curie(term.value)


def negatives(view: GraphView, subject: str, relations: Iterable[str], object_: str) -> dict[str, Stored]:
    """The negative assertions of one fact, by IRI: what sources say is not so."""
    where = f"""VALUES ?p {{ {" ".join(nodes(relations))} }}
VALUES ?o {{ {nodes([object_])[0]} }}
GRAPH ?g {{ ?a rdf:subject ?s ; rdf:predicate ?p ; rdf:object ?o ; kg:positive false . }}"""
    return read_facts(view, [row["a"].value for row in rows(view, "s", nodes([subject]), select=("a",), where=where)])
