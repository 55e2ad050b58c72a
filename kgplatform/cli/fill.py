"""Making and filling a data directory: init, ingest, demo."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import click
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn

from .. import packs
from ..config import FILE, Settings, install, load_settings
from ..errors import DataDirError
from ..model import Principal, Problem, Reading
from .frame import Run, cli, pass_run
from .show import show_answer, show_summary

DEMO_QUESTION = "Which on-call rotation owns the tax dependency of Checkout?"
DEMO_MARK = "demo"


@cli.command()
@pass_run
def init(run: Run) -> None:
    """Make a data directory with a commented kgplatform.toml (or with --config FILE, its mappings and packs)."""
    settings = _made(run.data, run.config or packs.example_config())
    if run.json:
        run.emit({"data": str(run.data), "settings": str(run.data / FILE), "collections": sorted(settings.collections)})
        return
    run.say(f"made {run.data}")
    for collection in settings.collections.values():
        seen = f"seen by holders of {', '.join(sorted(collection.scopes))}" if collection.scopes else "public"
        run.say(f"  collection {collection.name}: {collection.kind}, {seen}")
    run.say(f"next: look through {run.data / FILE}, then: kgplatform ingest PATH")


def _made(data: Path, source: Path) -> Settings:
    from ..writer import Writer

    if not (data / FILE).exists():
        install(source, data)
    settings = load_settings(data)
    Writer.create(settings).close()
    return settings


@cli.command()
@click.argument("paths", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path), metavar="PATH...")
@click.option(
    "--collection", default="", metavar="NAME", help="The collection of all these files; else the paths of the collections say it."
)
@pass_run
def ingest(run: Run, paths: tuple[Path, ...], collection: str) -> None:
    """Read files and folders: catalogues, manifests, CSV, JSON, RDF, Markdown, text.

    A changed file is a new version and does what its collection's kind says. Files that cannot be read are told, one line
    each, and the rest goes on; reading again what is known changes nothing.
    """
    show_summary(run, _ingested(run, run.settings, paths, collection))


def _ingested(run: Run, settings: Settings, paths: Sequence[Path], collection: str = "") -> dict[str, object]:
    from ..ingest.files import read_paths
    from ..pipeline import reader_of, with_claims
    from ..writer import Writer

    with Writer.open(settings) as writer, _progress(run, paths) as step:
        readings = read_paths(paths, settings=settings, schema=writer.schema, collection=collection)
        reader = reader_of(settings.model, writer.schema, writer.ledger)
        claimed = with_claims(
            readings, schema=writer.schema, collections=settings.collections, model=settings.text_model, reader=reader
        )
        return writer.ingest(claimed, progress=step).as_json()


@contextmanager
def _progress(run: Run, paths: Sequence[Path]) -> Iterator[Callable[[Reading | Problem], None] | None]:
    """A bar on standard error while it is a terminal, counting files; nothing elsewhere."""
    if run.json or not run.err.is_terminal:
        yield None
        return
    total = sum(sum(1 for each in path.rglob("*") if each.is_file()) if path.is_dir() else 1 for path in paths)
    columns = (SpinnerColumn(), TextColumn("reading"), BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[name]}", markup=False))
    with Progress(*columns, console=run.err, transient=True) as bar:
        task = bar.add_task("reading", total=total, name="")
        yield lambda item: bar.update(task, advance=1, name=Path(item.path if isinstance(item, Reading) else item.where).name)


# -- the demonstration


@cli.command()
@pass_run
def demo(run: Run) -> None:
    """Read the sample world into a directory of its own (./demo-data, emptied first) and ask one question."""
    from ..answer.ask import ask
    from ..writer import Writer

    run = replace(run, data=run.data if run.names_data else Path("demo-data"))
    started = time.monotonic()

    def stage(name: str) -> None:
        nonlocal started
        if not run.json:
            run.say(f"{time.monotonic() - started:6.1f} s  {name}")
        started = time.monotonic()

    _emptied(run.data)
    world = packs.sample_data()
    settings = _made(run.data, world / FILE)
    (run.data / DEMO_MARK).touch()
    with Writer.open(settings) as writer:
        writer.add_principal(Principal("finance", frozenset({"finance"})))
    stage("made the data directory, with a principal `finance` who sees the finance department's files")
    summary = _ingested(run, settings, [world])
    stage(
        f"read {summary['documents_read']} documents of the sample world: {summary['claims_read']} claims, "
        f"{summary['accepted']} accepted, {summary['quarantined']} quarantined with a reason"
    )
    with run.view() as view:
        answer = ask(view, DEMO_QUESTION).as_json()
    stage("asked, checked, answered")
    if run.json:
        run.emit({"ingest": summary, "answer": answer})
        return
    run.say("")
    run.say(DEMO_QUESTION)
    show_answer(run, answer)
    run.say("")
    run.say(f'next: kgplatform --data {run.data} ask "Who owns Tax, and since when?"')


def _emptied(data: Path) -> None:
    """Only a directory that a demo made, or an empty one, is emptied."""
    from ..keep import reset

    if not data.exists() or not any(data.iterdir()):
        return
    if not (data / DEMO_MARK).exists():
        raise DataDirError("was not made by `kgplatform demo`", where=str(data), hint="name another directory with --data")
    reset(data)
    (data / FILE).unlink(missing_ok=True)
