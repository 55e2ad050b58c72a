"""Names and classes of entities, as the caller sees them. Every look-up reads the view and nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import pyoxigraph as ox
from rapidfuzz.distance import OSA

from ..derive.project import label_key
from ..model import CompiledQuery
from ..terms import LABEL, SKOS, TYPE, curie, entity_iri, entity_key, is_iri, nfc
from ..times import MAX, MIN, Instant
from .binding import PREFIXES, nodes, rows, texts
from .graphview import GraphView


class Named(NamedTuple):
    """An entity that bears a name, from `since` until `until`. `by` is label, alias, identifier or similar (`distance` letters away)."""

    iri: str
    name: str
    by: str
    since: Instant = MIN
    until: Instant = MAX
    distance: int = 0

    def is_borne(self, at: Instant) -> bool:
        """Whether the name is borne at that instant."""
        return self.since <= at < self.until


def lookup(view: GraphView, names: Iterable[str]) -> dict[str, tuple[Named, ...]]:
    """Label key -> the entities of exactly that name: a label before an alias; else those of that identifier."""
    keys = list(dict.fromkeys(label_key(nfc(name)) for name in names))
    by_key: dict[str, dict[str, Named]] = {key: {} for key in keys}
    where = f"""GRAPH ?g {{ ?a kg:labelKey ?key ; rdf:predicate ?p ; rdf:subject ?e ; rdf:object ?label ; kg:plain true ; kg:start ?start ; kg:end ?end . }}
FILTER (?p IN ({_name_relations(view)}))"""
    for row in rows(view, "key", texts(keys), select=("key", "e", "p", "label", "start", "end"), where=where):
        by = "label" if _value(row["p"]) in view.schema.preferred_names else "alias"
        bearer = Named(_value(row["e"]), _value(row["label"]), by, _value(row["start"]), _value(row["end"]))
        same_key = by_key[_value(row["key"])]
        same_key[bearer.iri] = min(
            bearer, same_key.get(bearer.iri, bearer), key=lambda n: (not n.is_borne(view.valid_at), n.by != "label", n.name, n.since)
        )
    canonical = canonicals(view, {iri for same_key in by_key.values() for iri in same_key})
    entities = {
        key: tuple(sorted({canonical[n.iri]: n._replace(iri=canonical[n.iri]) for n in same_key.values()}.values()))
        for key, same_key in by_key.items()
    }
    for key, by_identifier in _identified(view, [key for key in keys if not entities[key]]).items():
        entities[key] = by_identifier
    return entities


def _identified(view: GraphView, names: Iterable[str]) -> dict[str, tuple[Named, ...]]:
    """Entities by identifier (`tax`), by key (`component:tax`) or by IRI."""
    schemes = sorted({c.key_scheme for c in view.schema.classes.values() if c.key_scheme})
    wanted: dict[str, list[str]] = {}
    for name in names:
        if name.startswith(("http://", "https://", "urn:")):
            keys = [entity_key(view.base, name)]
        elif name.partition(":")[0] in schemes:
            keys = [name]
        else:
            keys = [f"{scheme}:{form}" for scheme in schemes for form in dict.fromkeys((name, name.upper()))]
        wanted[name] = [entity_iri(view.base, key) for key in keys]
    canonical = canonicals(view, {iri for iris in wanted.values() for iri in iris if is_iri(iri)})
    types = types_of(view, canonical.values())
    return {
        name: tuple(Named(iri, name, "identifier") for iri in dict.fromkeys(canonical[i] for i in iris if i in canonical) if iri in types)
        for name, iris in wanted.items()
    }


Name = tuple[str, str, str]
"""(IRI, name, label key)"""


def near(view: GraphView, text: str, *, among: Sequence[Name], limit: int = 5) -> tuple[Named, ...]:
    """Entities with a name (see `all_names`) that the text may be a typing mistake for, nearest first.

    A mistake is one letter in names of 4 letters or more, two in those of 8 or more. A different number or single letter is no
    mistake: INC-104 does not find INC-105, nor Team A Team B.
    """
    key = label_key(nfc(text))
    allowed = 0 if len(key) < 4 else 1 if len(key) < 8 else 2
    if not allowed:
        return ()
    candidates = [
        Named(iri, name, "similar", distance=distance)
        for iri, name, other in among
        if abs(len(other) - len(key)) <= allowed
        and (distance := OSA.distance(key, other, score_cutoff=allowed)) <= allowed
        and distance
        and _designators(other) == _designators(key)
    ]
    canonical = canonicals(view, {n.iri for n in candidates})
    best: dict[str, Named] = {}
    for candidate in sorted(candidates, key=lambda n: (n.distance, n.name, n.iri)):
        best.setdefault(canonical[candidate.iri], candidate._replace(iri=canonical[candidate.iri]))
    return tuple(best.values())[:limit]


def _designators(key: str) -> list[str]:
    """The numbers and single letters of a name, by which the names of a series differ."""
    return re.findall(r"\d+|\b[^\W\d_]\b", key)


def all_names(view: GraphView, *, containing: str = "", lengths: tuple[int, int] | None = None) -> list[Name]:
    """Every name of any time, sorted; only those whose label key contains a text, or has a length from `lengths[0]` to `lengths[1]`."""
    narrowed = f"FILTER (CONTAINS(?key, {texts([containing])[0]}))" if containing else ""
    if lengths:
        narrowed += f" FILTER ({lengths[0]:d} <= STRLEN(?key) && STRLEN(?key) <= {lengths[1]:d})"
    text = f"""{PREFIXES}SELECT DISTINCT ?e ?label ?key WHERE {{
GRAPH ?g {{ ?a kg:labelKey ?key ; rdf:subject ?e ; rdf:object ?label ; kg:plain true . }}
{narrowed}
}}"""
    found = view.select(CompiledQuery(text, ("e", "label", "key")))
    return sorted((_value(row["e"]), _value(row["label"]), _value(row["key"])) for row in found)


def canonicals(view: GraphView, iris: Iterable[str]) -> dict[str, str]:
    """IRI -> the entity that it was merged into, or itself."""
    wanted = list(iris)
    found = {
        _value(r["e"]): _value(r["c"]) for r in rows(view, "e", nodes(wanted), select=("e", "c"), where="GRAPH ?g { ?e kg:canonical ?c . }")
    }
    return {iri: found.get(iri, iri) for iri in wanted}


def types_of(view: GraphView, iris: Iterable[str]) -> dict[str, frozenset[str]]:
    """Entity -> its classes of any time. Entities of which the caller sees no fact are left out."""
    wanted = list(dict.fromkeys(iris))
    classes_of: dict[str, set[str]] = {}
    where = f"GRAPH ?g {{ ?a rdf:subject ?e ; rdf:predicate {nodes([TYPE])[0]} ; rdf:object ?c ; kg:plain true . }}"
    for row in rows(view, "e", nodes(wanted), select=("e", "c"), where=where):
        classes_of.setdefault(_value(row["e"]), set()).add(_value(row["c"]))
    untyped = nodes(iri for iri in wanted if iri not in classes_of)
    for end in ("subject", "object"):
        for row in rows(view, "e", untyped, select=("e",), where=f"GRAPH ?g {{ ?a rdf:{end} ?e . }}"):
            classes_of.setdefault(_value(row["e"]), set())
    return {iri: frozenset(classes) for iri, classes in classes_of.items()}


def names_of(view: GraphView, iris: Iterable[str]) -> dict[str, str]:
    """Entity -> the name to show: a label of the view's instant, in English or untagged, else any, else its identifier."""
    wanted = list(dict.fromkeys(iris))
    best: dict[str, tuple[object, ...]] = {}
    where = f"""GRAPH ?g {{ ?a rdf:subject ?e ; rdf:predicate ?p ; rdf:object ?label ; kg:plain true ; kg:start ?start ; kg:end ?end . }}
FILTER (?p IN ({_name_relations(view)}))"""
    for row in rows(view, "e", nodes(wanted), select=("e", "p", "label", "start", "end"), where=where):
        label = row["label"]
        assert isinstance(label, ox.Literal)
        is_current = _value(row["start"]) <= view.valid_at < _value(row["end"])
        language = (label.language or "").partition("-")[0]
        relation = _value(row["p"])
        rank = (
            *(relation not in view.schema.preferred_names, not is_current, {"en": 0, "": 1}.get(language, 2)),
            *(relation != LABEL, relation != SKOS.prefLabel, label.value),
        )
        best[_value(row["e"])] = min(rank, best.get(_value(row["e"]), rank))
    return {iri: str(best[iri][-1]) if iri in best else identifier(view.base, iri) for iri in wanted}


def _name_relations(view: GraphView) -> str:
    """The relations that name things, for a FILTER: with a second VALUES the engine scans every name (50 ms for 2 of 4,000, against 0.3)."""
    return ", ".join(nodes(sorted(view.schema.name_properties)))


def identifier(base: str, iri: str) -> str:
    """What to show of an entity without a name: the identifier of its key, the words of its mention."""
    key = entity_key(base, iri)
    if key.startswith("text:"):
        return key[5:].split("|")[1]
    return curie(iri) if key.startswith("iri:") else key.partition(":")[2]


def _value(term: object) -> str:
    assert isinstance(term, ox.NamedNode | ox.Literal | ox.BlankNode)
    return term.value


Types = Mapping[str, frozenset[str]]
