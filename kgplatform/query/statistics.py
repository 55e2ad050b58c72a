"""Numbers of the caller's view at its instant: entities by class, facts by relation, with examples; and one entity's triples.

Pages are sorted here: the engine's ORDER BY takes six times as long (0.8 s for 16,000 rows, measured).
"""

from __future__ import annotations

from collections.abc import Iterable
from heapq import nsmallest

import pyoxigraph as ox

from ..model import CompiledQuery
from ..terms import DESCRIPTION, KG, XSD, claim_iri
from .binding import PREFIXES, nodes, rows
from .facts import Stored, read_facts
from .graphview import FactsView, GraphView

_HOLDS = "kg:plain true ; kg:start ?start ; kg:end ?end . } FILTER (?start <= ?at && ?at < ?end)"


def _at(view: GraphView) -> str:
    return f"VALUES ?at {{ {ox.Literal(view.valid_at, datatype=ox.NamedNode(XSD.dateTime))} }}"


def _counts(view: FactsView, text: str, key: str) -> dict[str, int]:
    found = view.select_facts(CompiledQuery(f"{PREFIXES}{text}", (key, "n")))
    return {row[key].value: int(row["n"].value) for row in found if key in row}


def class_sizes(view: FactsView) -> dict[str, int]:
    """Class -> how many entities are said to be of it."""
    return _counts(view, "SELECT ?c (COUNT(DISTINCT ?e) AS ?n) WHERE { GRAPH ?g { ?e rdf:type ?c } } GROUP BY ?c", "c")


def class_extents(view: FactsView) -> dict[str, int]:
    """Class -> how many entities are of it: said to be, or to be of a class below it."""
    pairs = " ".join(
        f"({above} {below})" for iri in view.schema.classes for above in nodes([iri]) for below in nodes(_with_below(view, iri))
    )
    where = f"VALUES (?of ?c) {{ {pairs} }} GRAPH ?g {{ ?e rdf:type ?c }}"
    return _counts(view, f"SELECT ?of (COUNT(DISTINCT ?e) AS ?n) WHERE {{ {where} }} GROUP BY ?of", "of")


def _with_below(view: GraphView, class_: str) -> list[str]:
    return sorted(view.schema.descendants(class_) | {class_})


def relation_sizes(view: FactsView) -> dict[str, int]:
    """Relation -> how many facts of it hold."""
    return _counts(view, "SELECT ?p (COUNT(*) AS ?n) WHERE { GRAPH ?g { ?s ?p ?o } } GROUP BY ?p", "p")


def members(view: FactsView, class_: str, *, limit: int, offset: int = 0) -> list[str]:
    """Entities of a class, or of one below it, in the order of their IRIs."""
    where = f"VALUES ?c {{ {' '.join(nodes(_with_below(view, class_)))} }} GRAPH ?g {{ ?e rdf:type ?c }}"
    found = view.select_facts(CompiledQuery(f"{PREFIXES}SELECT DISTINCT ?e WHERE {{ {where} }}", ("e",)))
    return nsmallest(offset + limit, (row["e"].value for row in found))[offset:]


def facts_of_relation(view: FactsView, relation: str, *, limit: int, offset: int = 0) -> list[Stored]:
    """Facts of a relation that hold, in the order of their ends."""
    predicate = nodes([relation])[0]
    stored = view.select_facts(CompiledQuery(f"SELECT ?s ?o WHERE {{ GRAPH ?g {{ ?s {predicate} ?o }} }}", ("s", "o")))
    ends = nsmallest(offset + limit, ((str(row["s"]), str(row["o"])) for row in stored))[offset:]
    listed = " ".join(f"({s} {o})" for s, o in ends)
    text = (
        f"{PREFIXES}SELECT ?a ?s ?o WHERE {{ VALUES (?s ?o) {{ {listed} }} {_at(view)} "
        f"GRAPH ?g {{ ?a rdf:subject ?s ; rdf:predicate {predicate} ; rdf:object ?o ; {_HOLDS} }}"
    )
    ends_of = {row["a"].value: (str(row["s"]), str(row["o"])) for row in view.select(CompiledQuery(text, ("a", "s", "o")))}
    place = {pair: number for number, pair in enumerate(ends)}
    facts = read_facts(view, ends_of)
    return [facts[iri] for iri in sorted(facts, key=lambda iri: (place[ends_of[iri]], iri))]


def triples_about(view: GraphView, iri: str) -> list[ox.Triple]:
    """The plain facts that hold, with the entity at either end, as direct triples."""
    iris: set[str] = set()
    for side in ("subject", "object"):
        where = f"{_at(view)} GRAPH ?g {{ ?a rdf:{side} ?e ; {_HOLDS}"
        iris |= {row["a"].value for row in rows(view, "e", nodes([iri]), select=("a",), where=where)}
    facts = read_facts(view, iris).values()
    stated = [ox.Triple(ox.NamedNode(f.subject), ox.NamedNode(f.relation), f.object) for f in facts if f.positive and not f.qualifiers]
    return sorted(stated, key=lambda t: (t.subject != ox.NamedNode(iri), str(t)))


def sample_facts(view: FactsView, *, limit: int) -> list[Stored]:
    """One fact of each of the commonest relations between entities."""
    sizes = relation_sizes(view)
    between = [
        r for r in sizes if r not in view.schema.naming and r != DESCRIPTION and (d := view.schema.relations.get(r)) and not d.is_literal
    ]
    chosen = sorted(between, key=lambda r: (-sizes[r], r))[:limit]
    return [fact for relation in chosen for fact in facts_of_relation(view, relation, limit=1)]


def refusals(view: GraphView, claims: Iterable[str]) -> dict[str, str]:
    """Claim id -> why the gate refused it, for those of the claims that it did."""
    iris = {claim_iri(view.base, claim): claim for claim in claims}
    where = f"GRAPH ?g {{ ?c <{KG.quarantined}> ?code }} OPTIONAL {{ GRAPH ?h {{ ?c <{KG.quarantineReason}> ?message }} }}"
    found = rows(view, "c", nodes(iris), select=("c", "code", "message"), where=where)
    return {iris[row["c"].value]: row["message" if "message" in row else "code"].value for row in found}
