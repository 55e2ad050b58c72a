"""How a server fares under many callers, with and without a file being ingested meanwhile: the ratio is the claim.

    python benchmarks/serving.py [--users 20] [--seconds 60] [--claims 20000] [--rows 5000] [--json]

A real `kgplatform serve` over a world of that many claims. Each user is a principal of its own, half of them see what the
others do not, and each asks again as soon as it has its reply: answer pages, entity pages, /api/ask and /sparql in turn.
First so long without an ingest, then so long with one: CSV files of that many rows are uploaded, one after the other.
"""

from __future__ import annotations

import argparse
import itertools
import json
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import httpx
from backbone import SERVICES, SETTINGS, TEAM_ROWS, write_world

from kgplatform.ingest.files import read_paths
from kgplatform.model import Principal
from kgplatform.settings.load import load_settings
from kgplatform.writing.writer import Writer

EDITOR = "editor"
RDF_COUNT = (
    "SELECT ?team (COUNT(*) AS ?n) WHERE { ?team sc:on_call ?rotation . ?c sc:owned_by ?team } GROUP BY ?team ORDER BY ?team LIMIT 20"
)


class Reply(NamedTuple):
    """One reply: what kind of request it answers, after how many milliseconds, and what was wrong with it."""

    kind: str
    milliseconds: float
    error: str


class World(NamedTuple):
    """A data directory, how many components it knows, and a token of each principal."""

    data: Path
    components: int
    tokens: Mapping[str, str]


def build(folder: Path, *, claims: int, users: int) -> World:
    components = write_world(folder, claims)
    data = folder / "kg"
    data.mkdir()
    for name, text in (("kgplatform.toml", SETTINGS), ("services.toml", SERVICES), ("teams.toml", TEAM_ROWS)):
        (data / name).write_text(text)
    settings = load_settings(data)
    who = [Principal(f"user{n}", frozenset({"finance"} if n % 2 else ())) for n in range(users)]
    who.append(Principal(EDITOR, roles=("editor",)))
    with Writer.create(settings) as writer:
        for principal in who:
            writer.add_principal(principal)
        writer.ingest(read_paths([folder / "source"], settings=settings, schema=writer.schema))
        return World(data, components, {each.name: writer.create_token(each.name) for each in who})


@contextmanager
def serving(data: Path) -> Iterator[str]:
    """The URL of a server of its own process."""
    command = [sys.executable, "-m", "kgplatform", "serve", "--data", str(data), "--port", "0", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout
        try:
            yield json.loads("".join(itertools.takewhile(lambda line: line != "}\n", server.stdout)) + "}")["url"]
        finally:
            server.terminate()


def requests_of(components: int, randomness: random.Random) -> Iterator[tuple[str, str, dict[str, str]]]:
    """(kind, path, parameters), without end."""
    for kind in itertools.cycle(("answer page", "entity page", "/api/ask", "/sparql")):
        n = randomness.randrange(components)
        question = randomness.choice((f"Who owns Service {n}?", f"What does Service {n} depend on?", f"Who owned Service {n} in 2023?"))
        iri = f"<https://kg.example/id/component/c{n}>"
        query = randomness.choice((RDF_COUNT, f"DESCRIBE {iri}", f"SELECT * WHERE {{ {iri} sc:depends_on+ ?needed }} LIMIT 100"))
        match kind:
            case "answer page":
                yield kind, "/ask", {"q": question}
            case "entity page":
                yield kind, f"/id/component/c{n}", {}
            case "/api/ask":
                yield kind, "/api/ask", {"question": question}
            case _:
                yield kind, "/sparql", {"query": query}


def one_user(url: str, world: World, number: int, until: float) -> list[Reply]:
    """What one user got until then, asking without a pause."""
    found: list[Reply] = []
    headers = {"Authorization": f"Bearer {world.tokens[f'user{number}']}"}
    with httpx.Client(base_url=url, headers=headers, timeout=60) as client:
        for kind, path, parameters in requests_of(world.components, random.Random(number)):
            if time.monotonic() > until:
                return found
            began = time.perf_counter()
            try:
                reply = client.get(path, params=parameters)
                error = "" if reply.status_code == 200 else f"{reply.status_code}: {reply.text[:200]}"
            except httpx.HTTPError as failed:
                error = repr(failed)
            found.append(Reply(kind, (time.perf_counter() - began) * 1000, error))
    return found


def uploads(url: str, world: World, *, rows: int, until: float) -> list[float]:
    """Bring in file after file until then; the seconds that each took from its upload to the end of its job."""
    took = []
    with httpx.Client(base_url=url, headers={"Authorization": f"Bearer {world.tokens[EDITOR]}"}, timeout=60) as client:
        for number in itertools.takewhile(lambda _: time.monotonic() < until, itertools.count()):
            lines = (f"n{number}x{n},Newcomer {number} {n},t{n % 50},2024-05,c{n % world.components}\n" for n in range(rows))
            began = time.monotonic()
            content = "id,name,owner,since,needs\n" + "".join(lines)
            reply = client.post(
                "/api/ingest", params={"name": f"services/new{number}.csv", "collection": "services"}, content=content.encode()
            )
            assert reply.status_code == 202, reply.text
            job = reply.json()
            while not job["ended"]:
                time.sleep(0.2)
                job = client.get(reply.headers["Location"]).json()
            assert job["state"] == "done" and not job["summary"]["problems"], job
            took.append(time.monotonic() - began)
    return took


def phase(url: str, world: World, *, users: int, seconds: float, ingest: Callable[[float], list[float]] | None) -> dict[str, Any]:
    """The replies of so many users in so many seconds, by kind, and what was ingested meanwhile."""
    until = time.monotonic() + seconds
    with ThreadPoolExecutor(users + 1) as pool:
        ingesting = pool.submit(ingest, until) if ingest else None
        replies = [each for got in pool.map(lambda n: one_user(url, world, n, until), range(users)) for each in got]
        took = ingesting.result() if ingesting else []
    by_kind: dict[str, list[Reply]] = defaultdict(list)
    for reply in replies:
        by_kind[reply.kind].append(reply)
        by_kind["all"].append(reply)
    return {"ingests": len(took), "ingest_seconds": took, "kinds": {kind: figures(same, seconds) for kind, same in by_kind.items()}}


def figures(replies: list[Reply], seconds: float) -> dict[str, Any]:
    cuts = statistics.quantiles((each.milliseconds for each in replies), n=100, method="inclusive")
    errors = [each.error for each in replies if each.error]
    found = {"requests": len(replies), "a_second": len(replies) / seconds, "errors": len(errors), "first_errors": errors[:3]}
    return {**found, "p50": cuts[49], "p95": cuts[94], "p99": cuts[98], "worst": max(each.milliseconds for each in replies)}


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, default in (("users", 20), ("seconds", 60), ("claims", 20_000), ("rows", 5_000)):
        options.add_argument(f"--{name}", type=int, default=default)
    options.add_argument("--only-ingesting", action="store_true", help="leave the time without an ingest out")
    options.add_argument("--json", action="store_true")
    chosen = options.parse_args()
    found: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder:
        world = build(Path(folder), claims=chosen.claims, users=chosen.users)
        with serving(world.data) as url:
            load = {"users": chosen.users, "seconds": chosen.seconds}
            if not chosen.only_ingesting:
                found["quiet"] = phase(url, world, **load, ingest=None)
            found["ingesting"] = phase(url, world, **load, ingest=lambda until: uploads(url, world, rows=chosen.rows, until=until))
    if "quiet" in found:
        quiet, busy = found["quiet"]["kinds"], found["ingesting"]["kinds"]
        found["p95_ratio"] = {kind: busy[kind]["p95"] / quiet[kind]["p95"] for kind in busy}
    if chosen.json:
        json.dump(found, sys.stdout, indent=2)
    else:
        show(found)


def show(found: dict[str, Any]) -> None:
    took = ", ".join(f"{each:.1f}" for each in found["ingesting"]["ingest_seconds"])
    print(f"seconds of each ingest: {took}")
    for name in (name for name in ("quiet", "ingesting") if name in found):
        print(f"\n{name:20} requests  a second  errors   p50 ms   p95 ms   p99 ms    worst")
        for kind, each in sorted(found[name]["kinds"].items()):
            cuts = "".join(f"{each[cut]:9.0f}" for cut in ("p50", "p95", "p99", "worst"))
            print(f"{kind:20} {each['requests']:8,} {each['a_second']:9.1f} {each['errors']:7,}{cuts}", *each["first_errors"])
    if "p95_ratio" in found:
        ratios = ", ".join(f"{kind} {ratio:.2f}" for kind, ratio in sorted(found["p95_ratio"].items()))
        print(f"\np95 with an ingest over p95 without: {ratios}")


if __name__ == "__main__":
    main()
