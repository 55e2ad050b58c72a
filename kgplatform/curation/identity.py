"""Which mentions are one entity and which are two: what humans decide, and what they may not."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import permutations

from ..derive.evidence import Evidence
from ..derive.identity import Identity, identify, visible_keys
from ..errors import UnknownName, UsageError
from ..ledger.claims import naming_closure
from ..ledger.decisions import in_force
from ..model import KeepApart, Merge, Principal, Scopes
from ..projection.ground import Slice
from ..terms import LABEL, entity_key, is_identified, is_literal, literal_value, scheme
from ..writing.writer import Writer


def decide_identity(writer: Writer, who: Principal, a: str, b: str, *, apart: bool = False, scopes: Scopes | None = None) -> int:
    """Record that two mentions, by key or IRI, are one entity, or (apart) that they are two; the decision's number.

    Without `scopes` it holds for whoever sees what `who` knows both keys from: the most public documents that name them.
    Raises UnknownName for a key that no document names which `who` may see, UsageError for two that are of disjoint classes in what `who`
    sees.
    """
    a, b = _key(writer, a), _key(writer, b)
    if not apart and is_identified(a) and is_identified(b) and scheme(a) == scheme(b):
        raise UsageError(
            f"{a} and {b} are two identifiers of one scheme, which are never one entity", hint="correct the source that says so"
        )
    named = Slice.of(writer.ledger).named({a, b})
    carried: set[str] = set()
    for key in (a, b):
        visible = sorted(
            (seen_by for seen_by in named.get(key, ()) if seen_by <= who.scopes), key=lambda seen_by: (len(seen_by), sorted(seen_by))
        )
        if not visible:
            raise UnknownName(f"no document names {key}", hint="keys look like component:tax; `kgplatform entity NAME` shows them")
        carried |= visible[0]
    if not apart:
        _require_compatible(writer, who, a, b)
    holding = frozenset(carried) if scopes is None else scopes
    return writer.decide(KeepApart(a, b, holding) if apart else Merge(a, b, holding), by=who.name)


def _require_compatible(writer: Writer, who: Principal, a: str, b: str) -> None:
    """Raise UsageError where the two, with all that each is one with already, would be of two classes that share no member."""
    side, schema = Slice.of(writer.ledger), writer.schema
    keys = naming_closure(writer.ledger, {a, b})
    ground = side.naming(keys)
    visible = visible_keys(side.named(keys), keys, who.scopes)
    naming = [item for item in ground.evidence if item.fact.relation in schema.naming and item.scopes <= who.scopes]
    decisions = [decision for decision in ground.decisions if decision.scopes <= who.scopes]
    apart = identify(visible, naming, decisions, schema)
    one, other = (_types(apart, key) for key in (a, b))
    both = _types(identify(visible, naming, [*decisions, Merge(a, b)], schema), a)
    for first, second in permutations(sorted(both, key=lambda class_: (-len(schema.ancestors(class_)), class_)), 2):
        if (
            first in one
            and second in other
            and schema.disjoint(first, second)
            and not any({first, second} <= held for held in (one, other))
        ):
            raise UsageError(
                f"{_spoken(naming, apart, a)} is of the class {schema.label(first)} and {_spoken(naming, apart, b)} of the class "
                f"{schema.label(second)}, and these are disjoint classes: nothing is of both",
                hint="correct the source that gives the wrong class, or leave the two apart",
            )


def _types(identity: Identity, key: str) -> frozenset[str]:
    canonical = dict(identity.canonical)
    return dict(identity.types).get(canonical.get(key, key), frozenset())


def _spoken(naming: Iterable[Evidence], identity: Identity, key: str) -> str:
    """A key with a label of what it is, where one is known."""
    canonical = dict(identity.canonical)
    labels = sorted(
        literal_value(item.fact.object)
        for item in naming
        if item.fact.relation == LABEL and canonical.get(item.fact.subject) == canonical.get(key, key) and is_literal(item.fact.object)
    )
    return f"{labels[0]} ({key})" if labels else key


def _key(writer: Writer, name: str) -> str:
    """The mention key of a key or an entity's IRI."""
    return entity_key(writer.projection.base, name) if "://" in name.partition("|")[0] else name


def take_back(writer: Writer, who: Principal, a: str, b: str) -> list[int]:
    """End every decision in force, of those that `who` may see, that two mentions are one, or two; their numbers.

    Raises UnknownName where there is none.
    """
    a, b = _key(writer, a), _key(writer, b)
    ends = [
        row.id
        for row in in_force(writer.ledger)
        if isinstance(row.decision, Merge | KeepApart) and {row.decision.a, row.decision.b} == {a, b} and row.decision.scopes <= who.scopes
    ]
    if not ends:
        raise UnknownName(f"nothing was decided of {a} and {b}", hint="name the two keys as they were given to `kgplatform merge`")
    for decision in ends:
        writer.undo(decision)
    return ends
