"""The data directory of the demonstration: the sample world's settings, and a principal who sees its confidential files."""

from __future__ import annotations

from pathlib import Path
from typing import Final, NamedTuple

from ..errors import DataDirError
from ..model import Principal
from ..packs import folders
from ..settings.load import FILE, Settings
from .make import make
from .people import add_principal
from .reset import remove_graph

_MARK: Final = "demo"


class Demo(NamedTuple):
    """A data directory without documents, and the folder of those of the sample world."""

    settings: Settings
    world: Path


def make_demo(data: Path) -> Demo:
    """Make it, empty or where one was before. Raises DataDirError for a directory that holds anything else."""
    _empty(data)
    world = folders.sample_data()
    settings = make(data, world / FILE)
    (data / _MARK).touch()
    add_principal(settings, Principal("finance", frozenset({"finance"})))
    return Demo(settings, world)


def _empty(data: Path) -> None:
    """Only a directory that a demo made, or an empty one, is emptied."""
    if not data.exists() or not any(data.iterdir()):
        return
    if not (data / _MARK).exists():
        raise DataDirError("was not made by `kgplatform demo`", where=str(data), hint="name another directory with --data")
    remove_graph(data)
    (data / FILE).unlink(missing_ok=True)
