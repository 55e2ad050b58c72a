"""The backbone's two speed claims, as ratios against a peer in the same run.

    python benchmarks/backbone.py [--claims 100000] [--json]

ingest   CSV files with that many claims, read, judged by the gate, derived for two audiences and projected;
         against `bulk_load` of the very same quads into an empty store
query    a three-hop question with time and audience, compiled from a checked plan; against the query an
         expert would write by hand for this store, over the same graphs
"""

from __future__ import annotations

import argparse
import csv
import json
import random
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import pyoxigraph as ox

from kgplatform.ingest.files import read_paths
from kgplatform.model import CompiledQuery, Principal
from kgplatform.query.check import check
from kgplatform.query.codec import from_json
from kgplatform.query.compile import compile_plan
from kgplatform.query.entity_names import types_of
from kgplatform.query.execute import execute
from kgplatform.settings.load import load_settings
from kgplatform.terms import KG, RDF, SC, XSD
from kgplatform.views.opening import open_view
from kgplatform.writing.writer import Writer

CLAIMS_A_ROW = 5
TEAMS = 50
QUESTIONS = 300
AT = "2024-06-01T00:00:00Z"

SETTINGS = """
[collections.services]
kind = "snapshot"
trust = "authoritative"
mapping = "services.toml"
paths = ["services/{date}/{id}"]

[collections.teams]
kind = "snapshot"
trust = "authoritative"
mapping = "teams.toml"
paths = ["teams/{date}/{id}"]
"""
SERVICES = """
[subject]
column = "id"
scheme = "component"
class = "sc:Component"

[[facts]]
column = "name"
relation = "rdfs:label"

[[facts]]
column = "owner"
relation = "sc:owned_by"
scheme = "team"
from = "since"

[[facts]]
column = "needs"
relation = "sc:depends_on"
scheme = "component"
separator = " "
"""
TEAM_ROWS = """
[subject]
column = "id"
scheme = "team"
class = "sc:Team"

[[facts]]
column = "name"
relation = "rdfs:label"

[[facts]]
column = "rotation"
relation = "sc:on_call"
scheme = "rotation"
class = "sc:Rotation"
label = true
"""


def write_world(folder: Path, claims: int) -> int:
    """CSV files that say about that many claims; the number of components."""
    randomness = random.Random(1)
    components = claims // CLAIMS_A_ROW
    teams = folder / "source/teams/2023-01-01/teams.csv"
    teams.parent.mkdir(parents=True)
    with teams.open("w", newline="") as out:
        rows = csv.writer(out)
        rows.writerow(["id", "name", "rotation"])
        rows.writerows([f"t{n}", f"Team {n}", f"R{n}"] for n in range(TEAMS))
    per_file = 2_000
    for number in range(0, components, per_file):
        path = folder / f"source/services/2023-01-01/part{number // per_file}.csv"
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("w", newline="") as out:
            rows = csv.writer(out)
            rows.writerow(["id", "name", "owner", "since", "needs"])
            for n in range(number, min(number + per_file, components)):
                needs = " ".join(f"c{randomness.randrange(components)}" for _ in range(2))
                rows.writerow([f"c{n}", f"Service {n}", f"t{randomness.randrange(TEAMS)}", f"202{randomness.randrange(4)}-05", needs])
    return components


def ingest(folder: Path) -> dict[str, float]:
    """Seconds of reading and of ingesting, against `bulk_load` of the same quads."""
    data = folder / "kg"
    data.mkdir()
    (data / "kgplatform.toml").write_text(SETTINGS)
    (data / "services.toml").write_text(SERVICES)
    (data / "teams.toml").write_text(TEAM_ROWS)
    settings = load_settings(data)
    with Writer.create(settings) as writer:
        writer.add_principal(Principal("finance", frozenset({"finance"})))
        began = time.perf_counter()
        readings = list(read_paths([folder / "source"], settings=settings, schema=writer.schema))
        read = time.perf_counter()
        summary = writer.ingest(readings)
        ended = time.perf_counter()
        quads = folder / "quads.nq"
        with quads.open("wb") as out:
            store = writer.projection.store
            ox.serialize(store.quads(store.graph_names()), out, format=ox.RdfFormat.N_QUADS)
    peer = ox.Store(folder / "peer")
    loading = time.perf_counter()
    peer.bulk_load(path=quads)
    loaded = time.perf_counter() - loading
    return {
        "claims": summary.claims_new,
        "accepted": summary.accepted,
        "quads": len(peer),
        "read_seconds": read - began,
        "ingest_seconds": ended - read,
        "bulk_load_seconds": loaded,
        "ratio": (ended - began) / loaded,
    }


def plan_of(component: str) -> dict[str, object]:
    hops = [({"entity": component}, "sc:depends_on", "y"), ({"var": "y"}, "sc:owned_by", "t"), ({"var": "t"}, "sc:on_call", "r")]
    return {
        "question": "Who is on call for what it depends on?",
        "variables": [{"name": name} for name in "ytr"],
        "hops": [{"subject": subject, "relation": relation, "object": {"var": object_}} for subject, relation, object_ in hops],
        "time": {"kind": "at", "start": AT[:10]},
        "select": ["r"],
    }


def by_hand(component: str) -> CompiledQuery:
    """The three hops as an expert writes them for this store: only what the answer needs."""
    at = ox.Literal(AT, datatype=ox.NamedNode(XSD.dateTime))
    hops = (("?x", SC.depends_on, "?y"), ("?y", SC.owned_by, "?t"), ("?t", SC.on_call, "?r"))
    stars = "\n".join(
        f"GRAPH ?g{n} {{ ?a{n} rdf:subject {s} ; rdf:predicate <{p}> ; rdf:object {o} ; kg:plain true ; kg:start ?s{n} ; kg:end ?e{n} }}"
        for n, (s, p, o) in enumerate(hops)
    )
    holding = " && ".join(f"?s{n} <= ?at && ?at < ?e{n}" for n in range(3))
    text = (
        f"PREFIX rdf: <{RDF}> PREFIX kg: <{KG}> SELECT DISTINCT ?r ?a0 ?a1 ?a2 WHERE {{ "
        f"VALUES (?x ?at) {{ ({ox.NamedNode(component)} {at}) }} {stars} FILTER ({holding}) }}"
    )
    return CompiledQuery(text, ("r", "a0", "a1", "a2"))


def milliseconds(act: Callable[[], object]) -> float:
    began = time.perf_counter()
    act()
    return (time.perf_counter() - began) * 1000


def query(folder: Path, components: int) -> dict[str, float]:
    """Medians in milliseconds over many starts, the two in turn."""
    randomness = random.Random(2)
    compiled_times, hand_times, whole_times = [], [], []
    rows = 0
    with open_view(load_settings(folder / "kg"), "finance") as view:
        for _ in range(QUESTIONS):
            component = f"{view.base}id/component/c{randomness.randrange(components)}"
            plan = from_json(plan_of(component))
            checked = check(plan, view.schema, view.principal, types=types_of(view, [component]))
            compiled = compile_plan(checked, at=view.valid_at).query
            hand = by_hand(component)
            found, wanted = view.select(compiled), view.select(hand)
            assert {str(row["r"]) for row in found} == {str(row["r"]) for row in wanted}, "both give the same rotations"
            rows += len(found)
            compiled_times.append(milliseconds(lambda c=compiled: view.select(c)))  # type: ignore[misc]
            hand_times.append(milliseconds(lambda h=hand: view.select(h)))  # type: ignore[misc]
            whole_times.append(milliseconds(lambda c=checked: execute(view, c)))  # type: ignore[misc]
    return {
        "questions": QUESTIONS,
        "rows": rows,
        "compiled_ms": statistics.median(compiled_times),
        "by_hand_ms": statistics.median(hand_times),
        "ratio": statistics.median(c / h for c, h in zip(compiled_times, hand_times, strict=True)),
        "with_compiling_and_evidence_ms": statistics.median(whole_times),
    }


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--claims", type=int, default=100_000)
    options.add_argument("--json", action="store_true")
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        components = write_world(Path(folder), chosen.claims)
        found = {"ingest": ingest(Path(folder)), "query": query(Path(folder), components)}
    found["memory"] = {"peak_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}
    if chosen.json:
        json.dump(found, sys.stdout, indent=2)
        return
    for name, figures in found.items():
        print(name)
        for figure, value in figures.items():
            print(f"  {figure:32} {value:,.2f}" if isinstance(value, float) else f"  {figure:32} {value:,}")


if __name__ == "__main__":
    main()
