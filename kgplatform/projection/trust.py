"""What is left of a caller's records when claims below a trust level are not to be shown."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

import pyoxigraph as ox

from ..derive.derivation import Layered
from ..derive.project import FACTS, RECORDS
from ..terms import KG, PROV, RDF
from ..times import Instant

_DERIVED_FROM, _TRUST, _CONFLICTS = PROV.wasDerivedFrom, KG.trust, KG.conflictsWith


def trusted(records: Iterable[ox.Triple], least: int, at: Instant) -> list[Layered]:
    """The records without claims below `least` (a rank) and without assertions that rest on such claims alone.

    With them come the facts that the assertions left make at the instant.
    """
    about: dict[str, list[ox.Triple]] = defaultdict(list)
    for triple in records:
        about[str(triple.subject)].append(triple)
    low = {subject for subject, said in about.items() if any(t.predicate.value == _TRUST and _number(t) < least for t in said)}
    kept: dict[str, list[ox.Triple]] = {}
    for subject, said in about.items():
        left = [t for t in said if not (t.predicate.value == _DERIVED_FROM and str(t.object) in low)]
        was_derived = any(t.predicate.value == _DERIVED_FROM for t in said)
        if subject not in low and (not was_derived or any(t.predicate.value == _DERIVED_FROM for t in left)):
            kept[subject] = left
    found: list[Layered] = []
    for said in kept.values():
        found += [(RECORDS, t) for t in said if not (t.predicate.value == _CONFLICTS and str(t.object) not in kept)]
        if fact := _fact(said, at):
            found.append((FACTS, fact))
    return found


def _number(triple: ox.Triple) -> int:
    return int(triple.object.value) if isinstance(triple.object, ox.Literal) else 0


def _fact(said: list[ox.Triple], at: Instant) -> ox.Triple | None:
    """The direct triple of a plain assertion that holds at the instant."""
    star = {t.predicate.value: t.object for t in said}
    start, end, plain = star.get(KG.start), star.get(KG.end), star.get(KG.plain)
    if not (isinstance(start, ox.Literal) and isinstance(end, ox.Literal) and isinstance(plain, ox.Literal)):
        return None
    if plain.value != "true" or not start.value <= at < end.value:
        return None
    return ox.Triple(star[RDF.subject], star[RDF.predicate], star[RDF.object])  # type: ignore[arg-type]
