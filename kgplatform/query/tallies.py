"""How much the caller's view holds at its instant: entities by class, facts by relation, with examples; and one entity's triples."""

from __future__ import annotations

from collections.abc import Iterable

import pyoxigraph as ox

from ..model import CompiledQuery
from ..terms import DESCRIPTION, KG, NAMING, TYPE, XSD, claim_iri
from .binding import PREFIXES, nodes, rows
from .facts import Stored, read_facts
from .graphview import GraphView

_HOLDS = "kg:plain true ; kg:start ?start ; kg:end ?end . } FILTER (?start <= ?at && ?at < ?end)"


def _at(view: GraphView) -> str:
    return f"VALUES ?at {{ {ox.Literal(view.valid_at, datatype=ox.NamedNode(XSD.dateTime))} }}"


def _counts(view: GraphView, text: str, key: str) -> dict[str, int]:
    found = view.select(CompiledQuery(f"{PREFIXES}{text}", (key, "n")))
    return {row[key].value: int(row["n"].value) for row in found if key in row}


def class_sizes(view: GraphView) -> dict[str, int]:
    """Class -> how many entities are said to be of it."""
    kind = nodes([TYPE])[0]
    return _counts(
        view,
        f"SELECT ?c (COUNT(DISTINCT ?e) AS ?n) WHERE {{ {_at(view)} VALUES ?p {{ {kind} }} "
        f"GRAPH ?g {{ ?a rdf:predicate ?p ; rdf:subject ?e ; rdf:object ?c ; {_HOLDS} }} GROUP BY ?c",
        "c",
    )


def class_extents(view: GraphView) -> dict[str, int]:
    """Class -> how many entities are of it: said to be, or to be of a class below it."""
    pairs = " ".join(f"({above} {below})" for iri in view.schema.classes for above in nodes([iri]) for below in nodes(_with_below(view, iri)))
    return _counts(
        view,
        f"SELECT ?of (COUNT(DISTINCT ?e) AS ?n) WHERE {{ {_at(view)} VALUES ?p {{ {nodes([TYPE])[0]} }} VALUES (?of ?c) {{ {pairs} }} "
        f"GRAPH ?g {{ ?a rdf:predicate ?p ; rdf:subject ?e ; rdf:object ?c ; {_HOLDS} }} GROUP BY ?of",
        "of",
    )


def _with_below(view: GraphView, class_: str) -> list[str]:
    return sorted(view.schema.descendants(class_) | {class_})


def relation_sizes(view: GraphView) -> dict[str, int]:
    """Relation -> how many facts of it hold."""
    return _counts(
        view,
        f"SELECT ?p (COUNT(DISTINCT ?a) AS ?n) WHERE {{ {_at(view)} GRAPH ?g {{ ?a rdf:predicate ?p ; {_HOLDS} }} GROUP BY ?p",
        "p",
    )


def members(view: GraphView, class_: str, *, limit: int, offset: int = 0) -> list[str]:
    """Entities of a class, or of one below it, in the order of their IRIs."""
    kinds = " ".join(nodes(_with_below(view, class_)))
    text = (
        f"{PREFIXES}SELECT DISTINCT ?e WHERE {{ {_at(view)} VALUES ?p {{ {nodes([TYPE])[0]} }} VALUES ?c {{ {kinds} }} "
        f"GRAPH ?g {{ ?a rdf:predicate ?p ; rdf:subject ?e ; rdf:object ?c ; {_HOLDS} }} ORDER BY ?e LIMIT {limit:d} OFFSET {offset:d}"
    )
    return [row["e"].value for row in view.select(CompiledQuery(text, ("e",)))]


def facts_of_relation(view: GraphView, relation: str, *, limit: int, offset: int = 0) -> list[Stored]:
    """Facts of a relation that hold, in the order of their subjects."""
    text = (
        f"{PREFIXES}SELECT DISTINCT ?a ?s WHERE {{ {_at(view)} VALUES ?p {{ {nodes([relation])[0]} }} "
        f"GRAPH ?g {{ ?a rdf:predicate ?p ; rdf:subject ?s ; {_HOLDS} }} ORDER BY ?s ?a LIMIT {limit:d} OFFSET {offset:d}"
    )
    found = [row["a"].value for row in view.select(CompiledQuery(text, ("a", "s")))]
    facts = read_facts(view, found)
    return [facts[iri] for iri in found if iri in facts]


def triples_about(view: GraphView, iri: str) -> list[ox.Triple]:
    """The plain facts that hold, with the entity at either end, as direct triples."""
    found: set[str] = set()
    for side in ("subject", "object"):
        where = f"{_at(view)} GRAPH ?g {{ ?a rdf:{side} ?e ; {_HOLDS}"
        found |= {row["a"].value for row in rows(view, "e", nodes([iri]), select=("a",), where=where)}
    facts = read_facts(view, found).values()
    stated = [ox.Triple(ox.NamedNode(f.subject), ox.NamedNode(f.relation), f.object) for f in facts if f.positive and not f.qualifiers]
    return sorted(stated, key=lambda t: (t.subject != ox.NamedNode(iri), str(t)))


def sample_facts(view: GraphView, *, limit: int) -> list[Stored]:
    """One fact of each of the commonest relations between entities."""
    sizes = relation_sizes(view)
    between = [r for r in sizes if r not in NAMING and r != DESCRIPTION and (d := view.schema.relations.get(r)) and not d.is_literal]
    chosen = sorted(between, key=lambda r: (-sizes[r], r))[:limit]
    return [fact for relation in chosen for fact in facts_of_relation(view, relation, limit=1)]


def refusals(view: GraphView, claims: Iterable[str]) -> dict[str, str]:
    """Claim id -> why the gate refused it, for those of the claims that it did."""
    iris = {claim_iri(view.base, claim): claim for claim in claims}
    where = f"GRAPH ?g {{ ?c <{KG.quarantined}> ?code }} OPTIONAL {{ GRAPH ?h {{ ?c <{KG.quarantineReason}> ?message }} }}"
    found = rows(view, "c", nodes(iris), select=("c", "code", "message"), where=where)
    return {iris[row["c"].value]: row["message" if "message" in row else "code"].value for row in found}
