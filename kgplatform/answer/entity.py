"""One entity with everything that the caller may see of it: names, classes, facts in both directions, sources."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pyoxigraph as ox

from ..errors import UnknownName
from ..model import TRUST_LEVELS, CitedClaim
from ..query.facts import Stored, facts_of
from ..query.graphview import GraphView
from ..query.naming import all_names, canonicals, lookup, names_of, near, types_of
from ..question.link import EntityCandidate, told_apart
from ..terms import TYPE, curie, entity_iri, entity_key
from ..times import shown_instant
from .bounds import as_json, since_words, validity_words
from .cite import cited, end


@dataclass(frozen=True, slots=True)
class FactGroup:
    """The facts of one relation in one direction; `is_turned` where the entity is their object."""

    relation: str
    label: str
    is_turned: bool
    facts: tuple[Stored, ...]


@dataclass(frozen=True, slots=True)
class Description:
    """An entity, or the candidates that its name may mean. `asked` was redirected where its IRI is not `iri`."""

    asked: str
    iri: str
    key: str
    label: str
    names: tuple[str, ...]
    types: tuple[str, ...]
    redirected_from: str
    groups: tuple[FactGroup, ...]
    sources: dict[str, tuple[CitedClaim, ...]]
    labels: dict[str, str]
    valid_at: str
    candidates: tuple[EntityCandidate, ...] = ()

    def as_json(self) -> dict[str, Any]:
        if self.candidates:
            return {"asked": self.asked, "outcome": "ambiguous", "candidates": [candidate.as_json() for candidate in self.candidates]}
        return {
            "asked": self.asked,
            "outcome": "answered",
            "iri": self.iri,
            "key": self.key,
            "label": self.label,
            "names": list(self.names),
            "types": list(self.types),
            "redirected_from": self.redirected_from or None,
            "groups": [
                {
                    "relation": curie(g.relation),
                    "label": g.label,
                    "is_turned": g.is_turned,
                    "facts": [self._fact(g, fact) for fact in g.facts],
                }
                for g in self.groups
            ],
        }

    def _fact(self, group: FactGroup, fact: Stored) -> dict[str, Any]:
        sources = self.sources.get(fact.iri, ())
        return {
            "assertion": fact.iri,
            "other": end(fact.subject if group.is_turned else fact.object, self.labels),
            "positive": fact.positive,
            "qualifiers": {curie(relation): value for relation, value in fact.qualifiers},
            "holds": fact.start.at <= self.valid_at < fact.end.at,
            "start": as_json(fact.start),
            "end": as_json(fact.end),
            "validity": validity_words(fact),
            "trust": max((c.trust for c in sources), key=TRUST_LEVELS.index, default=None),
            "conflicting": bool(fact.against),
            "sources": [
                {
                    "document": c.document,
                    "claim": c.claim,
                    "line": c.line,
                    "quote": c.quote,
                    "trust": c.trust,
                    "note": c.note,
                    "dated": shown_instant(c.dated) if c.dated else "",
                }
                for c in sources
            ],
        }


def entity(view: GraphView, name: str) -> Description:
    """What the view shows of the entity of that name, key or IRI. A member of a merged entity is redirected.

    Raises UnknownName with names that are similar; what the caller may not see is as unknown as what does not exist.
    """
    iri, redirected = _by_identifier(view, name)
    if not iri:
        found = next(iter(lookup(view, [name]).values()))
        held = tuple(n for n in found if n.is_borne(view.valid_at)) or found
        if len(held) > 1:
            return Description(name, "", "", name, (), (), "", (), {}, {}, view.valid_at, told_apart(view, [named.iri for named in held]))
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


def _described(view: GraphView, asked: str, iri: str, redirected: str) -> Description:
    naming = view.schema.name_properties | {TYPE}
    facts = [f for f in facts_of(view, iri) if f.relation not in naming]
    about = [f for f in facts_of(view, iri) if f.relation in naming and f.subject == iri]
    others = {f.subject for f in facts} | {f.object.value for f in facts if isinstance(f.object, ox.NamedNode)}
    labels = names_of(view, others | {iri})
    names = dict.fromkeys(f"{f.object.value}{_former(view, f)}" for f in about if f.relation != TYPE)
    types = _types(view, about)
    least = view.principal.min_trust
    key = entity_key(view.base, iri)
    sources = cited(view, facts, least=least)
    return Description(
        asked,
        iri,
        key,
        labels[iri],
        tuple(sorted(names)),
        types,
        redirected,
        _groups(view, iri, facts, labels),
        sources,
        labels,
        view.valid_at,
    )


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


def _groups(view: GraphView, iri: str, facts: list[Stored], labels: dict[str, str]) -> tuple[FactGroup, ...]:
    """Outgoing relations first, each by label; facts that hold now before others."""
    groups: dict[tuple[bool, str], list[Stored]] = {}
    for fact in facts:
        declared = view.schema.relations.get(fact.relation)
        is_turned = fact.subject != iri
        groups.setdefault((is_turned and not (declared and declared.symmetric), fact.relation), []).append(fact)
    out = []
    for (is_turned, relation), members in groups.items():
        label = view.schema.label(relation)
        told = (view.schema.inverse_label(relation) or f"is {label} of") if is_turned else label
        ordered = sorted(members, key=lambda f: (not _holds(view, f), f.start.at, f.iri))
        out.append(FactGroup(relation, told, is_turned, tuple(ordered)))
    return tuple(sorted(out, key=lambda g: (g.is_turned, g.label, g.relation)))
