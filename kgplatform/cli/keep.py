"""Keeping: backup, restore, reset, upgrade, doctor."""

from __future__ import annotations

import platform
from importlib.metadata import version
from pathlib import Path

import click

from .. import __version__
from ..errors import DataDirError
from .frame import Run, cli, confirm, pass_run
from .show import show_done

LIBRARIES = ("pyoxigraph", "rdflib", "pyshacl-turbo", "pyshacl", "spacy")


@cli.command()
@click.argument("folder", type=click.Path(path_type=Path))
@pass_run
def backup(run: Run, folder: Path) -> None:
    """Copy the ledger, the originals and the settings into a new FOLDER; the rest is built from them."""
    kept = run.graph().backup(folder)
    show_done(run, kept.to_dict(), f"kept {kept.documents} documents in {folder}")


@cli.command()
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@pass_run
def restore(run: Run, folder: Path) -> None:
    """Make the data directory from the backup in FOLDER and build the graph anew."""
    from ..admin.backup import restore as bring_back

    kept = bring_back(folder, run.data)
    done = {"data": str(run.data), "documents": kept.documents, "originals": kept.originals}
    show_done(run, done, f"restored {kept.documents} documents into {run.data}")


@cli.command()
@click.option("--yes", is_flag=True, help="Do not ask.")
@pass_run
def reset(run: Run, yes: bool) -> None:
    """Remove all that was read and decided, principals too. The settings, mappings and packs stay."""
    from ..admin.reset import reset as empty

    settings = run.settings
    if not yes:
        confirm(f"remove all that was read and decided in {run.data}, for good?")
    empty(settings)
    show_done(run, {"reset": str(run.data)}, f"emptied {run.data}")


@cli.command()
@pass_run
def upgrade(run: Run) -> None:
    """Bring a data directory of an older format to this version's."""
    from ..admin.reset import upgrade as bring_up

    if not run.data.is_dir():
        raise DataDirError("no such data directory", where=str(run.data), hint="run `kgplatform init` first")
    before, now = bring_up(run.data)
    told = f"format {now}: nothing to do" if before == now else f"upgraded from format {before} to {now}"
    show_done(run, {"before": before, "now": now}, told)


@cli.command()
@click.option("--mend", is_flag=True, help="First complete erasures that were cut short, and make damaged stores anew.")
@pass_run
def doctor(run: Run, mend: bool) -> None:
    """Check the installation and the data directory, and say what to do. The exit code is 1 where something is wrong."""
    from ..admin.doctor import checks
    from ..admin.mend import mend as mended

    if mend:
        for sentence in mended(run.settings):
            click.echo(sentence, err=True)
    looked_at = list(checks(run.settings))
    libraries = {name: version(name) for name in LIBRARIES}
    if run.json:
        run.emit({"kgplatform": __version__, "libraries": libraries, "checks": [each._asdict() for each in looked_at]})
    else:
        versions = ", ".join(f"{name} {number}" for name, number in libraries.items())
        run.say(f"kgplatform {__version__} on Python {platform.python_version()}, {versions}")
        run.table(("check", "well", "found", "what next"), [(c.name, "yes" if c.well else "NO", c.said, c.hint) for c in looked_at])
    if not all(each.well for each in looked_at):
        click.get_current_context().exit(1)
