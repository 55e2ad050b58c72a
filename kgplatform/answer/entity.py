"""One entity with everything that the caller may see of it: names, classes, facts in both directions, sources."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import pyoxigraph as ox

from ..errors import UnknownName
from ..model import TRUST_LEVELS, CitedClaim
from ..query.entity_names import all_names, canonicals, lookup, names_of, near, types_of
from ..query.facts import Stored, facts_of
from ..query.graphview import GraphView
from ..question.link import told_apart
from ..results import AmbiguousEntity, Entity, EntityFact, EntityGroup, FactSource
from ..terms import TYPE, curie, entity_iri, entity_key
from ..times import shown_instant
from .bounds import limit, since_words, validity_words
from .cite import cited, end


class EntityWithSources(NamedTuple):
    """An entity, and the claims behind its facts by assertion."""

    entity: Entity
    sources: Mapping[str, tuple[CitedClaim, ...]]


def entity(view: GraphView, name: str) -> Entity | AmbiguousEntity:
    """The same as `entity_with_sources`, without them."""
    named = entity_with_sources(view, name)
    return named.entity if isinstance(named, EntityWithSources) else named


def entity_with_sources(view: GraphView, name: str) -> EntityWithSources | AmbiguousEntity:
    """What the view shows of the entity of that name, key or IRI. A member of a merged entity is redirected.

    Raises UnknownName with names that are similar; what the caller may not see is as unknown as what does not exist.
    """
    iri, redirected = _by_identifier(view, name)
    if not iri:
        bearers = next(iter(lookup(view, [name]).values()))
        held = tuple(n for n in bearers if n.is_borne(view.valid_at)) or bearers
        if len(held) > 1:
            return AmbiguousEntity(asked=name, candidates=told_apart(view, [named.iri for named in held]))
        if not held:
            similar = ", ".join(n.name for n in near(view, name, among=all_names(view)))
            raise UnknownName(f"there is no entity {name!r}", hint=f"did you mean {similar}?" if similar else "search finds names")
        iri = held[0].iri
    return _described(view, name, iri, redirected)


def _by_identifier(view: GraphView, name: str) -> tuple[str, str]:
    """(canonical IRI, the IRI that was asked for if another) of a key or an IRI that the view has facts of; else two ''."""
    if ":" not in name:
        return "", ""
    try:
        asked = ox.NamedNode(name if "://" in name or name.startswith("urn:") else entity_iri(view.base, name)).value
    except ValueError:
        return "", ""
    canonical = canonicals(view, [asked])[asked]
    if canonical not in types_of(view, [canonical]):
        return "", ""
    return canonical, asked if asked != canonical else ""


def _described(view: GraphView, asked: str, iri: str, redirected: str) -> EntityWithSources:
    naming = view.schema.name_properties | {TYPE}
    facts = [f for f in facts_of(view, iri) if f.relation not in naming]
    about = [f for f in facts_of(view, iri) if f.relation in naming and f.subject == iri]
    others = {f.subject for f in facts} | {f.object.value for f in facts if isinstance(f.object, ox.NamedNode)}
    labels = names_of(view, others | {iri})
    names = {f"{f.object.value}{_former(view, f)}" for f in about if f.relation != TYPE}
    sources = cited(view, facts, least=view.principal.min_trust)
    entity = Entity(
        asked=asked,
        iri=iri,
        key=entity_key(view.base, iri),
        label=labels[iri],
        names=tuple(sorted(names)),
        types=_types(view, about),
        redirected_from=redirected or None,
        groups=_groups(view, iri, facts, labels, sources),
    )
    return EntityWithSources(entity, sources)


def _types(view: GraphView, about: list[Stored]) -> tuple[str, ...]:
    """The classes that the entity is of, then with their dates those that it is not of now; none that it is only denied to be of."""
    said = [fact for fact in about if fact.relation == TYPE and fact.positive]
    by_class = {fact.object.value: fact for fact in sorted(said, key=lambda fact: (_holds(view, fact), fact.start.at))}
    ordered = sorted(by_class.values(), key=lambda fact: (not _holds(view, fact), view.schema.label(fact.object.value)))
    return tuple(f"{view.schema.label(fact.object.value)}{_later(view, fact)}{_former(view, fact)}" for fact in ordered)


def _holds(view: GraphView, fact: Stored) -> bool:
    return fact.start.at <= view.valid_at < fact.end.at


def _later(view: GraphView, fact: Stored) -> str:
    return f" ({since_words(fact.start)})" if fact.start.at > view.valid_at else ""


def _former(view: GraphView, fact: Stored) -> str:
    return f" (until {shown_instant(fact.end.at)})" if fact.end.at <= view.valid_at else ""


def _groups(
    view: GraphView, iri: str, facts: list[Stored], labels: dict[str, str], sources: Mapping[str, tuple[CitedClaim, ...]]
) -> tuple[EntityGroup, ...]:
    """Outgoing relations first, each by label; facts that hold now before others."""
    members: dict[tuple[bool, str], list[Stored]] = {}
    for fact in facts:
        declared = view.schema.relations.get(fact.relation)
        is_turned = fact.subject != iri
        members.setdefault((is_turned and not (declared and declared.symmetric), fact.relation), []).append(fact)
    groups = []
    for (is_turned, relation), stored in members.items():
        label = view.schema.label(relation)
        shown = (view.schema.inverse_label(relation) or f"is {label} of") if is_turned else label
        ordered = sorted(stored, key=lambda f: (not _holds(view, f), f.start.at, f.iri))
        rows = tuple(_fact(view, f, f.subject if is_turned else f.object, labels, sources.get(f.iri, ())) for f in ordered)
        groups.append((relation, EntityGroup(relation=curie(relation), label=shown, is_turned=is_turned, facts=rows)))
    return tuple(group for _, group in sorted(groups, key=lambda pair: (pair[1].is_turned, pair[1].label, pair[0])))


def _fact(
    view: GraphView,
    fact: Stored,
    other: ox.NamedNode | ox.Literal | ox.BlankNode | str,
    labels: dict[str, str],
    claims: tuple[CitedClaim, ...],
) -> EntityFact:
    return EntityFact(
        assertion=fact.iri,
        other=end(other, labels),
        positive=fact.positive,
        qualifiers={curie(relation): value for relation, value in fact.qualifiers},
        holds=_holds(view, fact),
        start=limit(fact.start),
        end=limit(fact.end),
        validity=validity_words(fact),
        trust=max((claim.trust for claim in claims), key=TRUST_LEVELS.index, default=None),
        conflicting=bool(fact.against),
        sources=tuple(_source(claim) for claim in claims),
    )


def _source(claim: CitedClaim) -> FactSource:
    return FactSource(
        document=claim.document,
        claim=claim.claim,
        line=claim.line,
        quote=claim.quote,
        trust=claim.trust,
        note=claim.note,
        dated=shown_instant(claim.dated) if claim.dated else "",
    )
