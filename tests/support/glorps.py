"""A world of nonsense words, and random grounds and plans over it: what is shown there holds for any pack."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

from kgplatform.packs.folders import ontology_text
from kgplatform.query.algebra import (
    AFTER,
    ALWAYS,
    AT,
    BEFORE,
    COUNT,
    DURING,
    FEWEST,
    MOST,
    NOW,
    OF_PLAN,
    OVERLAPS,
    SINCE,
    THROUGHOUT,
    WHENEVER,
    Aggregate,
    Comparison,
    EntityTerm,
    Filter,
    Hop,
    InPeriod,
    Plan,
    Term,
    Time,
    ValueTerm,
    Var,
    Variable,
)
from kgplatform.schema import Schema, load_schema
from kgplatform.terms import TYPE, XSD, Namespace, class_node, literal
from kgplatform.times import OBSERVED, Bound
from support.projection import Source, World, first_seen

PACK = Path(__file__).parent.parent / "fixtures" / "glorps.ttl"
GL = Namespace("glorps", "https://glorps.example/vocabulary#")
DAYS = ("2021-03-01", "2022-06-15", "2023-02-01", "2023-11-05", "2024-03-01", "2025-05-05", "2027-01-01")
HUES = ("red", "blue")
KEYS = {
    "glorp": [f"glorp:g{n}" for n in range(4)],
    "quib": [f"quib:q{n}" for n in range(3)],
    "snark": [f"snark:s{n}" for n in range(5)],
    "moult": [f"moult:m{n}" for n in range(2)],
}
CLASSES = {"glorp": GL.Glorp, "quib": GL.Quib, "snark": GL.Snark, "moult": GL.Moult}
ENDS = {
    GL.wibbed_by: ("glorp", "quib"),
    GL.leans_on: ("glorp", "glorp"),
    GL.pal_of: ("quib", "quib"),
    GL.hue: ("glorp", "hue"),
    GL.zonks: ("snark", "glorp"),
    GL.ploofed_on: ("snark", "day"),
    GL.mended_on: ("snark", "day"),
    GL.norbs: ("moult", "glorp"),
    GL.moulted_in: ("moult", "year"),
}


def glorp_schema() -> Schema:
    return load_schema(ontology_text((str(PACK),)))


# -- grounds


def random_world(randomness: random.Random) -> World:
    world = World()
    for kind, keys in KEYS.items():
        for key in keys:
            if randomness.random() < 0.9:
                world.entity(key, CLASSES[kind], key.partition(":")[2].upper())
    for key in KEYS["glorp"][:2]:
        world.says(key, TYPE, class_node(GL.Vat), Source("notes/a", scope=randomness.choice(["", "hidden"])))
    for relation, (one, other) in ENDS.items():
        for subject in KEYS[one]:
            for _ in range(randomness.choice([1, 1, 2] if one in ("snark", "moult") else [0, 1, 2, 2])):
                _say(randomness, world, subject, relation, _end(randomness, other))
    return world


def _say(randomness: random.Random, world: World, subject: str, relation: str, object_: str) -> None:
    start, end = sorted(randomness.sample(DAYS, 2))
    starts: list[str | Bound] = [start, first_seen(start)]
    ends: list[str | Bound] = ["", "", end, Bound(OBSERVED, f"{end}T00:00:00Z", "day", f"{start}T00:00:00Z")]
    source = Source("notes/a", scope=randomness.choice(["", "", "", "hidden"]))
    world.says(subject, relation, object_, source, since=randomness.choice(starts), until=randomness.choice(ends))


def _end(randomness: random.Random, kind: str) -> str:
    if kind in KEYS:
        return randomness.choice(KEYS[kind])
    if kind == "hue":
        return literal(randomness.choice(HUES))
    if kind == "year":
        return literal(randomness.choice(DAYS)[:4], XSD.gYear)
    return literal(randomness.choice(DAYS), XSD.date)


# -- plans


def random_plan(randomness: random.Random) -> Plan:
    """A plan whose hops hang together; it may fail the checks, and then is no plan."""
    kinds: dict[str, str] = {}
    hops: list[Hop] = []
    filters: list[Filter] = []

    def term(kind: str) -> Term:
        if kind in KEYS and randomness.random() < 0.15:
            return EntityTerm(randomness.choice(KEYS[kind]))
        name = f"{kind}{len(kinds)}"
        kinds[name] = kind
        return Var(name)

    for _ in range(randomness.choice([1, 2, 2, 3, 3])):
        known = [name for name, kind in kinds.items() if kind in KEYS]
        relation = GL.zonks if not hops and randomness.random() < 0.4 else randomness.choice(list(ENDS))
        one, other = ENDS[relation]
        joining = [name for name in known if kinds[name] in (one, other)]
        if hops and not joining:
            continue
        held = Var(randomness.choice(joining)) if joining else term(one)
        if isinstance(held, Var) and kinds[held.name] == other and (kinds[held.name] != one or randomness.random() < 0.5):
            hops.append(Hop(term(one), relation, held))
        else:
            hops.append(Hop(held, relation, term(other)))
    hops = [replace(hop, at=randomness.choice([*[""] * 8, OF_PLAN, WHENEVER])) for hop in hops]
    for name, kind in kinds.items():
        if kind == "hue" and randomness.random() < 0.4:
            filters.append(Comparison(name, randomness.choice(["=", "!=", "contains"]), ValueTerm(literal(randomness.choice(HUES)))))
        if kind in ("day", "year") and randomness.random() < 0.4:
            start, end = sorted(randomness.sample(["2021", "2022", "2023-06", "2024", "2025-05-05", "2026"], 2))
            filters.append(InPeriod(name, randomness.choice([start, ""]), end))
    entities = [name for name, kind in kinds.items() if kind in KEYS]
    variables = tuple(Variable(name, _class_of(randomness, kinds[name])) for name in entities if randomness.random() < 0.6)
    plan = Plan(
        variables=variables, hops=tuple(hops), absences=_absences(randomness, kinds), filters=tuple(filters), time=_time(randomness)
    )
    names = list(kinds)
    if not names or randomness.random() < 0.15:
        return plan
    if randomness.random() < 0.5:
        return replace(plan, select=(randomness.choice(names),))
    counted = randomness.choice(names)
    by = randomness.choice(["", *(name for name in names if name != counted)])
    return replace(plan, aggregate=Aggregate(COUNT, counted, by, randomness.choice(["", MOST, FEWEST]) if by else ""))


def _class_of(randomness: random.Random, kind: str) -> str:
    return GL.Vat if kind == "glorp" and randomness.random() < 0.3 else CLASSES[kind]


def _absences(randomness: random.Random, kinds: dict[str, str]) -> tuple[Hop, ...]:
    held = [name for name, kind in kinds.items() if kind in KEYS]
    if not held or randomness.random() < 0.7:
        return ()
    name = randomness.choice(held)
    relation, (_, other) = randomness.choice([(r, ends) for r, ends in ENDS.items() if ends[0] == kinds[name]])
    free: Term = EntityTerm(randomness.choice(KEYS[other])) if other in KEYS and randomness.random() < 0.4 else Var("free")
    return (Hop(Var(name), relation, free),)


def _time(randomness: random.Random) -> Time:
    kind = randomness.choice([*[NOW] * 6, AT, SINCE, BEFORE, AFTER, DURING, ALWAYS])
    start, end = sorted(randomness.sample(["2021-06", "2022", "2023", "2023-11-05", "2024", "2025", "2026"], 2))
    if kind in (NOW, ALWAYS):
        return Time(kind)
    if kind != DURING:
        return Time(kind, start)
    return Time(kind, start, randomness.choice(["", end]), randomness.choice([OVERLAPS, OVERLAPS, THROUGHOUT]))
