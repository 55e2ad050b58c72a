"""Making and filling a data directory: init, ingest, demo."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import click

from ..errors import UsageError
from ..graph import KnowledgeGraph
from ..settings.load import FILE
from .accounts import show_summary
from .frame import Run, cli, pass_graph, pass_run
from .progress import Progress
from .show import show_answer

DEMO_QUESTION = "Which on-call rotation owns the tax dependency of Checkout?"
NOTES_SHOWN = 5


@cli.command()
@pass_run
def init(run: Run) -> None:
    """Make a data directory with a commented kgplatform.toml (or with --config FILE, its mappings and packs)."""
    from ..admin.make import make
    from ..checks.packs import read_packs
    from ..checks.settings import setting_notes

    settings = make(run.data, run.config)
    notes = (*setting_notes(settings), *read_packs(settings.packs).notes)
    if run.json:
        told = [note._asdict() for note in notes]
        run.emit({"data": str(run.data), "settings": str(run.data / FILE), "collections": sorted(settings.collections), "notes": told})
        return
    run.say(f"made {run.data}")
    for collection in settings.collections.values():
        seen = f"seen by holders of {', '.join(sorted(collection.scopes))}" if collection.scopes else "public"
        run.say(f"  collection {collection.name}: {collection.kind}, {seen}")
    for note in notes[:NOTES_SHOWN]:
        run.say(f"  note: {note}")
    if len(notes) > NOTES_SHOWN:
        run.say(f"  and {len(notes) - NOTES_SHOWN} more notes: `kgplatform shapes check` lists them")
    run.say(f"next: look through {run.data / FILE}, then: kgplatform ingest PATH")


@cli.command()
@click.argument("paths", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path), metavar="PATH...")
@click.option(
    "--collection", default="", metavar="NAME", help="The collection of all these files; else the paths of the collections say it."
)
@click.option("--wait", default=0.0, metavar="SECONDS", type=click.FloatRange(0), help="Wait so long while another process writes.")
@click.option(
    "--progress",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Keep in FILE how far it is: one JSON object with `stage` (reading, waiting for another writer, writing), "
    "and the `documents`, `claims` and `records` of tables read so far.",
)
@click.option("--sync", is_flag=True, help="Withdraw what was read before from below these folders and is gone.")
@click.option("--yes", is_flag=True, help="Do so also where more than a fifth of a folder's files are gone.")
@click.option("--again", is_flag=True, help="Read also what was erased before.")
@pass_graph
def ingest(
    run: Run,
    graph: KnowledgeGraph,
    paths: tuple[Path, ...],
    progress: Path | None,
    collection: str,
    wait: float,
    sync: bool,
    yes: bool,
    again: bool,
) -> None:
    """Read files and folders: catalogues, manifests, CSV, JSON, RDF, Markdown, text.

    A changed file is a new version and does what its collection's kind says. Files that cannot be read are told, one line
    each, and the rest goes on; reading again what is known changes nothing.

    With --as NAME the figures are only what NAME may be told: how the claims are judged beside what NAME sees.
    A server that is named with --server reads each file by itself, waits for other writers, and tells the same as --as.

    Every file is accounted for: --json has each document with what of it was not taken, and each file that was passed over.
    Exit code 1 where nothing could be read.
    """
    if yes and not sync:
        raise UsageError("--yes confirms what --sync withdraws", hint="add --sync")
    if sync and not any(path.is_dir() for path in paths):
        raise UsageError("--sync looks for files that are gone from a folder", hint="name the folder")
    with _watch(run, paths, progress) as watch:
        read = graph.ingest(paths, collection=collection, wait=wait, sync=sync, yes=yes, again=again, watch=watch)
    summary = read.to_dict()
    show_summary(run, summary)
    if summary["gone"] if sync else not summary["documents_read"]:
        click.get_current_context().exit(1)


def _watch(run: Run, paths: Sequence[Path], file: Path | None = None) -> Progress:
    return Progress(bar=None if run.json or not run.err.is_terminal else run.err, file=file, paths=paths)


# -- the demonstration


@cli.command()
@pass_run
def demo(run: Run) -> None:
    """Read the sample world into a directory of its own (./demo-data, emptied first) and ask one question."""
    from ..admin.demo import make_demo
    from ..local import LocalGraph

    run = replace(run, data=run.data if run.names_data else Path("demo-data"))
    started = time.monotonic()

    def stage(name: str) -> None:
        nonlocal started
        if not run.json:
            run.say(f"{time.monotonic() - started:6.1f} s  {name}")
        started = time.monotonic()

    settings, world = make_demo(run.data)
    stage("made the data directory, with a principal `finance` who sees the finance department's files")
    graph = LocalGraph(settings)
    with _watch(run, [world]) as watch:
        summary = graph.ingest(world, watch=watch).to_dict()
    stage(
        f"read {summary['documents_read']} documents of the sample world: {summary['claims_read']} claims, "
        f"{summary['accepted']} accepted, {summary['quarantined']} quarantined with a reason"
    )
    answer = graph.ask(DEMO_QUESTION).to_dict()
    stage("asked, checked, answered")
    if run.json:
        run.emit({"ingest": summary, "answer": answer})
        return
    run.say("")
    run.say(DEMO_QUESTION)
    show_answer(run, answer)
    run.say("")
    run.say(f'next: kgplatform --data {run.data} ask "Who owns Tax, and since when?"')
