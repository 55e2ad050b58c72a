"""What is derived together: identity components and cells, once for each distinct view, and the whole.

`derive` gives every quad with the set of audiences it is derived for. It is used both from scratch (the
whole ground, every cell) and incrementally (a slice of the ground, the wanted cells): the same code.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

import pyoxigraph as ox

from ..model import Audience, Fact, IdentityDecision, Scopes
from ..schema import Schema
from ..terms import EXPECTED_TYPE, TYPE, is_entity
from ..times import MAX, Instant, day_before
from ..validate.gate import ClaimPattern, Gate, Reason
from .cells import Cell, derive_cell, turn
from .evidence import Evidence, History
from .identity import Identity, components, identify, visible_keys
from .project import (
    FACTS,
    RECORDS,
    assertion_node,
    assertion_triples,
    claim_triples,
    conflict_triples,
    direct_triple,
    document_triples,
    finding_triples,
    link_triples,
    redirect_triple,
)

CellKey = tuple[str, ...]
Layered = tuple[str, ox.Triple]
Quads = dict[Layered, frozenset[Audience]]
"""(layer, triple) -> the audiences it is derived for."""


@dataclass(frozen=True)
class Ground:
    """The ground, or a slice of it.

    `histories` are the documents whose own records are wanted. `named` has the scopes under which each key is
    named anywhere; it is read only for keys of components with several members. `spans` are those of claims, by id.
    """

    evidence: Sequence[Evidence] = ()
    decisions: Sequence[IdentityDecision] = ()
    histories: Sequence[History] = ()
    named: Mapping[str, frozenset[Scopes]] = field(default_factory=dict)
    spans: dict[str, tuple[int, int]] = field(default_factory=dict)

    def keys(self) -> set[str]:
        """The mention keys that the evidence names."""
        return keys_of(item.fact for item in self.evidence)


def keys_of(facts: Iterable[Fact]) -> set[str]:
    """The mention keys that the facts name."""
    keys = set()
    for fact in facts:
        keys.add(fact.subject)
        if is_entity(fact.object):
            keys.add(fact.object)
    return keys


def named_in(evidence: Iterable[Evidence]) -> dict[str, frozenset[Scopes]]:
    """Under which scopes each key is named in the evidence."""
    scopes_by_key: dict[str, set[Scopes]] = defaultdict(set)
    for item in evidence:
        scopes_by_key[item.fact.subject].add(item.scopes)
        if is_entity(item.fact.object):
            scopes_by_key[item.fact.object].add(item.scopes)
    return {key: frozenset(scopes) for key, scopes in scopes_by_key.items()}


def boundary(ground: Ground, now: Instant) -> Instant:
    """An instant after now before which nothing in the ground begins or ceases to hold."""
    soonest = MAX
    for item in ground.evidence:
        start, end = item.fact.start, item.fact.end
        for at in (*item.seen, item.after, start.at if start else "", *((day_before(end.at), end.at) if end else ())):
            if now < at < soonest:
                soonest = at
    return soonest


class Grouping:
    """Which component a key and which cell a fact belongs to, over all the grounds that are compared.

    A grouping over more ground gives larger cells with the same outcome: within a cell, facts are kept apart by canonical subject.
    """

    def __init__(self, grounds: Sequence[Ground], schema: Schema) -> None:
        self._schema = schema
        keys = set().union(*(ground.keys() for ground in grounds), *(ground.named for ground in grounds))
        naming = [item for ground in grounds for item in ground.evidence if item.fact.relation in schema.naming]
        self.component = components(keys, naming, [d for ground in grounds for d in ground.decisions], schema)
        self._linked: dict[CellKey, CellKey] = {}
        for ground in grounds:
            for item in ground.evidence:
                fact = turn(item.fact, schema)
                declared = schema.relations.get(fact.relation)
                if declared and declared.symmetric and declared.functional:
                    one, other = self._root((fact.relation, self._of(fact.subject))), self._root((fact.relation, self._of(fact.object)))
                    self._linked[max(one, other)] = min(one, other)

    def _of(self, node: str) -> str:
        return self.component.get(node, node)

    def _root(self, end: CellKey) -> CellKey:
        while self._linked.get(end, end) != end:
            end = self._linked[end]
        return end

    def cell(self, fact: Fact) -> CellKey:
        """The cell of a fact: its subject's component and its relation; for a symmetric relation both components."""
        turned = turn(fact, self._schema)
        declared = self._schema.relations.get(turned.relation)
        subject = self._of(turned.subject)
        if declared and declared.symmetric:
            if declared.functional:
                return ("linked", *self._root((turned.relation, subject)))
            return ("pair", turned.relation, *sorted((subject, self._of(turned.object))))
        return (subject, turned.relation)


class Identities:
    """The identity of each component in each view, computed when first asked for."""

    def __init__(self, ground: Ground, grouping: Grouping, schema: Schema) -> None:
        self._schema = schema
        self._grouping = grouping
        self._named = ground.named
        self._members: dict[str, set[str]] = defaultdict(set)
        self._naming: dict[str, list[Evidence]] = defaultdict(list)
        self._decisions: dict[str, list[IdentityDecision]] = defaultdict(list)
        self._found: dict[tuple[str, Scopes], Identity] = {}
        self._interned: dict[Identity, Identity] = {}
        self._names: dict[int, tuple[dict[str, str], dict[str, frozenset[str]]]] = {}
        for key in ground.keys() | set(ground.named):
            self._members[grouping.component[key]].add(key)
        for item in ground.evidence:
            if item.fact.relation in schema.naming:
                self._naming[grouping.component[item.fact.subject]].append(item)
        for decision in ground.decisions:
            if decision.a in grouping.component and decision.b in grouping.component:
                self._decisions[grouping.component[decision.a]].append(decision)

    def of(self, component: str, view: Scopes) -> Identity:
        """The identity of a component for whoever holds exactly these scopes; equal identities are one object."""
        known = self._found.get((component, view))
        if known is None:
            members = self._members[component]
            visible = members if len(members) == 1 else visible_keys(self._named, members, view)
            naming = [item for item in self._naming.get(component, ()) if item.scopes <= view]
            decisions = [d for d in self._decisions.get(component, ()) if d.scopes <= view]
            identity = identify(visible, naming, decisions, self._schema)
            known = self._found[component, view] = self._interned.setdefault(identity, identity)
        return known

    def names(self, component: str, view: Scopes) -> tuple[dict[str, str], dict[str, frozenset[str]]]:
        """(canonical key by member, types by canonical key) of a component in a view."""
        identity = self.of(component, view)
        known = self._names.get(id(identity))
        if known is None:
            known = self._names[id(identity)] = dict(identity.canonical), dict(identity.types)
        return known

    def shared(self) -> Iterable[str]:
        """Components of more than one key."""
        return (component for component, members in self._members.items() if len(members) > 1)

    def changed_keys(self, other: Identities, views: Iterable[Scopes]) -> set[str]:
        """Keys whose canonical key or types differ between the two in any of the views."""
        changed: set[str] = set()
        for view in views:
            for component in {*self._members, *other._members}:
                one, two = self.of(component, view), other.of(component, view)
                if one != two:
                    changed |= _differing(one, two)
        return changed


def _differing(one: Identity, two: Identity) -> set[str]:
    def known(identity: Identity) -> dict[str, tuple[str, frozenset[str], bool]]:
        types = dict(identity.types)
        return {key: (one, types.get(one, frozenset()), one in identity.expected) for key, one in identity.canonical}

    a, b = known(one), known(two)
    return {key for key in a.keys() | b.keys() if a.get(key) != b.get(key)}


@dataclass(frozen=True)
class Rules:
    """What a derivation depends on beside the ground; `base` is the IRI below which entities, claims and assertions stand."""

    schema: Schema
    gate: Gate
    audiences: tuple[Audience, ...]
    now: Instant
    base: str


class Derived:
    """What a ground derives to: every quad of the wanted cells (None: of all), of shared components and of documents.

    `refused` is the quarantined evidence and why, whoever may see it.
    """

    def __init__(self, ground: Ground, rules: Rules, grouping: Grouping, wanted: set[CellKey] | None) -> None:
        self._ground = ground
        self._rules = rules
        self._component = grouping.component
        self._identities = Identities(ground, grouping, rules.schema)
        self._cells: dict[CellKey, list[Evidence]] = defaultdict(list)
        for item in ground.evidence:
            key = grouping.cell(item.fact)
            if wanted is None or key in wanted:
                self._cells[key].append(item)
        self.refused = judge([item for items in self._cells.values() for item in items], self._identities, grouping, rules)

    @cached_property
    def quads(self) -> Quads:
        """All quads at once, with their audiences; `units` gives them in parts, for less memory."""
        return {layered: audiences for unit in self.units() for layered, audiences in unit.items()}

    def units(self) -> Iterator[Quads]:
        """The quads unit by unit; no quad comes twice."""
        for items in self._cells.values():
            yield self._cell(items)
        for component in self._identities.shared():
            yield self._redirects(component)
        for history in self._ground.histories:
            if readers := frozenset(audience for audience in self._rules.audiences if history.scopes <= audience):
                yield {(RECORDS, triple): _group(readers) for triple in document_triples(self._rules.base, history)}

    def _cell(self, items: list[Evidence]) -> Quads:
        """A cell, derived once for the audiences that see the same of it."""
        parts = sorted({self._component[key] for key in keys_of(item.fact for item in items)})
        scopes = {item.scopes for item in items}
        alike: dict[tuple[frozenset[Scopes], tuple[int, ...]], list[Audience]] = defaultdict(list)
        for audience in self._rules.audiences:
            seen = frozenset(s for s in scopes if s <= audience)
            if seen:
                alike[seen, tuple(id(self._identities.of(part, audience)) for part in parts)].append(audience)  # equal ones are one object
        quads: Quads = {}
        for (seen, _identity), audiences in alike.items():
            visible = [item for item in items if item.scopes in seen]
            keys = keys_of(item.fact for item in visible)
            canonical = {key: self._identities.names(self._component[key], audiences[0])[0][key] for key in keys}
            group = _group(frozenset(audiences))
            for layered in _cell_quads(visible, canonical, self.refused, self._ground.spans, self._rules):
                group_before = quads.get(layered)
                quads[layered] = group if group_before is None else _group(group_before | group)
        return quads

    def _redirects(self, component: str) -> Quads:
        seen: dict[Layered, set[Audience]] = defaultdict(set)
        for audience in self._rules.audiences:
            for member, canonical in self._identities.of(component, audience).canonical:
                if member != canonical:
                    seen[RECORDS, redirect_triple(self._rules.base, member, canonical)].add(audience)
        return {layered: _group(frozenset(audiences)) for layered, audiences in seen.items()}


def derive(ground: Ground, rules: Rules, *, grouping: Grouping | None = None, wanted: set[CellKey] | None = None) -> Derived:
    """Derive the whole ground, or the wanted cells of a slice of it under the grouping of what it is compared with."""
    return Derived(ground, rules, grouping or Grouping((ground,), rules.schema), wanted)


@lru_cache(maxsize=4096)
def _group(audiences: frozenset[Audience]) -> frozenset[Audience]:
    """One object for each set of audiences."""
    return audiences


def judge(items: Sequence[Evidence], identities: Identities, grouping: Grouping, rules: Rules) -> dict[Evidence, Reason]:
    """The refused evidence and why, each judged in the view {public, its scopes} and nothing else."""
    patterns: dict[Evidence, ClaimPattern] = {}
    types_of: dict[tuple[str, Scopes], tuple[frozenset[str], bool]] = {}

    def types(key: str, view: Scopes) -> tuple[frozenset[str], bool]:
        """(types, whether they are only expected)"""
        typing = types_of.get((key, view))
        if typing is None:
            component = grouping.component[key]
            canonical, types_known = identities.names(component, view)
            one = canonical.get(key, key)
            typing = types_of[key, view] = types_known.get(one, frozenset()), one in identities.of(component, view).expected
        return typing

    for item in items:
        fact = turn(item.fact, rules.schema)
        node = fact.object
        subject_types, is_subject_expected = types(fact.subject, item.scopes)
        object_types, is_object_expected = types(node, item.scopes) if is_entity(node) else (frozenset[str](), False)
        patterns[item] = ClaimPattern(
            fact.relation,
            subject_types,
            "" if is_entity(node) else node,
            object_types,
            fact.qualifiers,
            is_subject_expected,
            is_object_expected,
        )
    verdicts = rules.gate.judge(set(patterns.values()))
    return {item: reason for item, pattern in patterns.items() if (reason := verdicts[pattern]) is not None}


def _cell_quads(
    visible: Sequence[Evidence],
    canonical: Mapping[str, str],
    verdicts: Mapping[Evidence, Reason],
    spans: dict[str, tuple[int, int]],
    rules: Rules,
) -> list[Layered]:
    quads: list[Layered] = []
    for item in visible:
        quads += [(RECORDS, t) for t in claim_triples(rules.base, item, spans, verdicts.get(item))]
    accepted = [item for item in visible if item not in verdicts]
    if any(item.fact.relation == EXPECTED_TYPE for item in accepted):
        typed = {canonical[item.fact.subject] for item in accepted if item.fact.relation == TYPE and item.fact.positive}
        accepted = [item for item in accepted if item.fact.relation != EXPECTED_TYPE or canonical[item.fact.subject] not in typed]
    if accepted:
        quads += _outcome_quads(derive_cell(accepted, canonical, rules.schema), rules)
    return quads


def _outcome_quads(cell: Cell, rules: Rules) -> list[Layered]:
    """The quads of a derived cell: records of its assertions and conflicts, and the direct triples of what holds at `rules.now`."""
    quads: list[Layered] = []
    nodes = {assertion: assertion_node(rules.base, assertion) for assertion in cell.assertions}
    for assertion, evidence in cell.assertions.items():
        node = nodes[assertion]
        quads += [(RECORDS, t) for t in assertion_triples(rules.base, node, assertion, rules.schema.name_properties)]
        quads += [(RECORDS, t) for t in link_triples(rules.base, node, evidence)]
        if assertion.is_plain and assertion.holds(rules.now):
            quads.append((FACTS, direct_triple(rules.base, assertion)))
    for pair in cell.conflicts:
        one, other = sorted(pair)
        quads += [(RECORDS, t) for t in conflict_triples(nodes[one], nodes[other])]
    for item in cell.empty:
        quads += [(RECORDS, t) for t in finding_triples(rules.base, item, "empty-interval")]
    return quads
