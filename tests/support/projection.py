"""A projection written by hand: facts in, quads in the vocabulary of the records out, and a view over them.

The quads come from `derive.project`; what is left out is deriving: every fact here is an assertion as it stands.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

import pyoxigraph as ox

from kgplatform.derive.project import assertion_node, assertion_triples, conflict_triples
from kgplatform.model import ANONYMOUS, TRUST_LEVELS, CitedClaim, CompiledQuery, DerivedAssertion, Principal
from kgplatform.schema import Schema
from kgplatform.terms import ALT_LABEL, KG, LABEL, PROV, TYPE, Term, claim_iri, class_node, document_iri, entity_iri, literal
from kgplatform.times import OPEN_START, STATED, UNKNOWN, UNKNOWN_END, Bound, Instant, parse_stated

BASE = "https://kg.example/"
RECORDS = ox.NamedNode(f"{KG}graph/records/test")


@dataclass(frozen=True)
class Source:
    """One claim behind a fact: where, the words, and whether it states the fact's bounds."""

    document: str
    quote: str = ""
    trust: str = "extracted"
    scope: str = ""
    dated: Instant = "2024-04-02T00:00:00Z"
    states_start: bool = True
    states_end: bool = True


@dataclass
class World:
    """Assertions with their sources, and which of them conflict."""

    facts: dict[DerivedAssertion, list[Source]] = field(default_factory=dict)
    conflicts: list[tuple[DerivedAssertion, DerivedAssertion]] = field(default_factory=list)
    members: dict[str, str] = field(default_factory=dict)

    def says(
        self,
        subject: str,
        relation: str,
        object_: str,
        *sources: Source,
        since: str | Bound = "",
        until: str | Bound = "",
        positive: bool = True,
        qualifiers: tuple[tuple[str, str], ...] = (),
    ) -> DerivedAssertion:
        start = since if isinstance(since, Bound) else parse_stated(since) if since else first_seen("2023-09-10")
        end = until if isinstance(until, Bound) else parse_stated(until) if until else UNKNOWN_END
        assertion = DerivedAssertion(subject, relation, object_, qualifiers, positive, start, end)
        self.facts.setdefault(assertion, []).extend(sources or (Source("catalogue/catalog.yaml", trust="authoritative"),))
        return assertion

    def entity(self, key: str, class_: str, label: str, *sources: Source) -> None:
        self.says(key, TYPE, class_node(class_), *sources)
        self.says(key, LABEL, literal(label), *sources)

    def alias(self, key: str, label: str, *sources: Source, relation: str = ALT_LABEL, until: str = "") -> None:
        self.says(key, relation, literal(label), *sources, since=OPEN_START if until else "", until=until)

    def view(self, schema: Schema, *, scopes: Iterable[str] = (), valid_at: Instant = "2025-11-01T00:00:00Z") -> ViewOfWorld:
        """What a caller with these scopes sees of the world: facts that some visible source says."""
        held = frozenset(scopes)
        principal = replace(ANONYMOUS, name="tester", scopes=held) if held else ANONYMOUS
        store = ox.Store()
        cited: dict[str, tuple[CitedClaim, ...]] = {}
        seen: dict[DerivedAssertion, ox.NamedNode] = {}
        for assertion, sources in self.facts.items():
            visible = [s for s in sources if not s.scope or s.scope in held]
            if visible:
                node = seen[assertion] = assertion_node(BASE, assertion)
                triples = [*assertion_triples(BASE, node, assertion, {LABEL, ALT_LABEL})]
                citations = []
                for number, source in enumerate(visible):
                    claim = f"{node.value.rpartition('/')[2]}-{number}"
                    claim_node = ox.NamedNode(claim_iri(BASE, claim))
                    triples.append(ox.Triple(node, ox.NamedNode(PROV.wasDerivedFrom), claim_node))
                    triples.append(ox.Triple(claim_node, ox.NamedNode(KG.trust), ox.Literal(TRUST_LEVELS.index(source.trust))))
                    citations.append(_citation(source, assertion, claim))
                cited[node.value] = tuple(citations)
                store.extend(ox.Quad(t.subject, t.predicate, t.object, RECORDS) for t in triples)
        for one, other in self.conflicts:
            if one in seen and other in seen:
                store.extend(ox.Quad(t.subject, t.predicate, t.object, RECORDS) for t in conflict_triples(seen[one], seen[other]))
        for member, canonical in self.members.items():
            nodes = (ox.NamedNode(entity_iri(BASE, key)) for key in (member, canonical))
            subject, object_ = nodes
            store.add(ox.Quad(subject, ox.NamedNode(KG.canonical), object_, RECORDS))
        newest = max((c.dated for cs in cited.values() for c in cs), default="")
        return ViewOfWorld(principal, valid_at, schema, store, cited, newest)


def first_seen(day: str) -> Bound:
    return Bound(UNKNOWN, f"{day}T00:00:00Z", "day")


def _citation(source: Source, assertion: DerivedAssertion, claim: str) -> CitedClaim:
    start = assertion.start if source.states_start and assertion.start.kind == STATED else None
    end = assertion.end if source.states_end and assertion.end.kind == STATED else None
    collection, _, name = source.document.partition("/")
    return CitedClaim(
        document=source.document,
        document_iri=document_iri(BASE, collection, name),
        version=f"v-{name}",
        claim=claim,
        quote=source.quote,
        start=0,
        end=len(source.quote),
        stated_start=start,
        stated_end=end,
        scopes=(source.scope or "public",),
        trust=source.trust,
        dated=source.dated,
        extractor="test",
    )


@dataclass
class ViewOfWorld:
    """The same reads as `views.View`, over a store in memory."""

    principal: Principal
    valid_at: Instant
    schema: Schema
    store: ox.Store
    cited: dict[str, tuple[CitedClaim, ...]]
    newest: Instant
    base: str = BASE
    today: Instant = "2025-11-01T00:00:00Z"

    def select(self, query: CompiledQuery) -> list[dict[str, Term]]:
        solutions = self.store.query(query.text, named_graphs=[RECORDS])
        assert isinstance(solutions, ox.QuerySolutions)
        names = [variable.value for variable in solutions.variables]
        return [{name: row[name] for name in names if row[name] is not None} for row in solutions]

    def citations(self, assertions: Iterable[str]) -> dict[str, tuple[CitedClaim, ...]]:
        return {iri: self.cited.get(iri, ()) for iri in assertions}

    def newest_source(self) -> Instant:
        return self.newest
