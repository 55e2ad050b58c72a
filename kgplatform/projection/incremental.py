"""What a change of the ground does to the projection: only the cells it can touch are derived, before and after.

A change redoes the identity components it touches, the cells of changed claims, and the cells that name
an entity whose identity result changed (docs/derivation.md). Before is read from the last committed state
of the ledger, after from the open transaction; their difference is what the store is told.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from ..derive.cells import turn
from ..derive.derivation import Ground, Grouping, Identities, Rules, derive, keys_of
from ..derive.evidence import Evidence
from ..ledger import claims as read
from ..ledger.claims import ClaimRow
from ..model import Fact
from ..schema import Schema
from ..store.base import Delta
from ..terms import EXPECTED_TYPE, TYPE, is_entity
from ..validate.gate import Reason
from .graphs import delta_of
from .ground import Slice


@dataclass
class Touched:
    """What a change names: facts that appear, disappear or are dated anew, keys of decisions, documents."""

    facts: set[Fact] = field(default_factory=set)
    keys: set[str] = field(default_factory=set)
    documents: set[str] = field(default_factory=set)


@dataclass(frozen=True)
class Change:
    """What a change of the ground does: quads removed and added, the evidence that is refused now, and how many cells were derived."""

    delta: Delta
    refused: dict[Evidence, Reason]
    cells: int


def change(old: Slice, new: Slice, touched: Touched, *, before: Rules, after: Rules) -> Change:
    """The difference of the projection between two states of the ledger."""
    slices, schema = (old, new), after.schema
    keys = _closure(slices, touched.keys | keys_of(touched.facts))
    grounds, grouping = _compared(slices, [side.naming(keys) for side in slices], keys, schema)
    views = {*after.audiences, *(scopes for side in slices for scopes in read.scope_sets(side.ledger))}
    one, two = (Identities(ground, grouping, schema) for ground in grounds)
    changed = one.changed_keys(two, views)
    facts = touched.facts | {row.fact for side in slices for row in read.claims_naming(side.ledger, changed)}
    rows = _cell_rows(slices, facts, schema)
    keys = _closure(slices, keys | keys_of(row.fact for found in rows for row in found))
    documents = frozenset(touched.documents)
    loaded = [side.with_cells(keys, found, documents) for side, found in zip(slices, rows, strict=True)]
    grounds, grouping = _compared(slices, loaded, keys, schema)
    wanted = {grouping.cell(fact) for fact in facts}
    was = derive(grounds[0], before, grouping=grouping, wanted=wanted)
    becomes = derive(grounds[1], after, grouping=grouping, wanted=wanted)
    return Change(delta_of(was.quads, becomes.quads), becomes.refused, len(wanted))


def verdicts(side: Slice, facts: set[Fact], rules: Rules) -> dict[tuple[str, Fact], Reason | None]:
    """(document, fact) -> why it is quarantined now, or None, for those of the facts that are evidence now."""
    (rows,) = _cell_rows((side,), facts, rules.schema)
    keys = _closure((side,), keys_of(row.fact for row in rows))
    (ground,), grouping = _compared((side,), [side.with_cells(keys, rows, frozenset())], keys, rules.schema)
    derived = derive(ground, rules, grouping=grouping, wanted={grouping.cell(fact) for fact in facts})
    return {(item.document, item.fact): derived.refused.get(item) for item in ground.evidence if item.fact in facts}


def _closure(slices: Iterable[Slice], keys: set[str]) -> set[str]:
    """The keys whose identity could be bound up with the given ones in either state."""
    return set().union(*(read.naming_closure(side.ledger, keys) for side in slices))


def _compared(slices: Iterable[Slice], grounds: list[Ground], keys: set[str], schema: Schema) -> tuple[list[Ground], Grouping]:
    """The grounds under one grouping of the keys, with the scopes that name the members of shared components."""
    bare = [replace(ground, named=dict.fromkeys(keys, frozenset())) for ground in grounds]
    grouping = Grouping(bare, schema)
    members: dict[str, set[str]] = defaultdict(set)
    for key, component in grouping.component.items():
        members[component].add(key)
    shared = set().union(*(group for group in members.values() if len(group) > 1))
    named = [{key: scopes for key, scopes in side.named(shared).items() if key in shared} if shared else {} for side in slices]
    return [replace(ground, named=found) for ground, found in zip(grounds, named, strict=True)], grouping


def _cell_rows(slices: tuple[Slice, ...], facts: set[Fact], schema: Schema) -> list[set[ClaimRow]]:
    """Every claim of the cells of the facts, in each state; a functional symmetric relation is followed to its end."""
    turned = {turn(fact, schema) for fact in facts}
    relations, inverses = {fact.relation for fact in turned}, set[str]()
    for relation in tuple(relations):
        relations |= schema.turned.get(relation, frozenset())
        inverses |= schema.turned.get(relation, frozenset())
        declared = schema.relations.get(relation)
        if declared and declared.symmetric:
            inverses.add(relation)
        if relation == TYPE:
            relations.add(EXPECTED_TYPE)
    wanted = {fact.subject for fact in turned} | {
        fact.object for fact in turned if (known := schema.relations.get(fact.relation)) and known.symmetric and is_entity(fact.object)
    }
    while True:
        subjects = _closure(slices, wanted)
        rows = [side.about(subjects, relations=relations, turned=inverses) for side in slices]
        linked = {
            key
            for found in rows
            for row in found
            if (known := schema.relations.get(row.fact.relation)) and known.symmetric and known.functional
            for key in keys_of([row.fact])
        }
        if linked <= subjects:
            return rows
        wanted = subjects | linked
