"""Making a data directory: it is there and works, or nothing of the attempt is left."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ..checks.differences import SOURCE, source_of
from ..data_directory import DataDir
from ..errors import LockedError
from ..packs import folders
from ..projection.consistency import has_ledger
from ..settings.load import FILE, Settings, load_settings
from ..writing.writer import Writer
from .named_files import install


def make(data: Path, source: Path | None = None) -> Settings:
    """A data directory with the settings of `source` (None is the commented example), or with those that stand in it already, and an
    empty graph.

    One that has a graph stays as it is. Raises LostLedger where there is none, but what was made from one.
    """
    example = folders.example_config()
    source = source or example
    with _undone_on_failure(DataDir(data)):
        is_copied = not (data / FILE).exists()
        if is_copied:
            install(source, data)
        settings = load_settings(data)
        with Writer.create(settings) as writer:
            if is_copied and source != example:
                with writer.ledger.transaction():
                    writer.ledger.set_meta(SOURCE, source_of(source))
    return settings


@contextmanager
def _undone_on_failure(directory: DataDir) -> Iterator[None]:
    """What fails before there is a ledger takes back all that it made, and what it found stays."""
    data = directory.path
    had_folder, had_settings = data.exists(), (data / FILE).exists()
    if has_ledger(directory):
        yield
        return
    try:
        yield
    except LockedError:  # another process is making it
        raise
    except BaseException:
        for folder in (directory.store, directory.checkpoints):
            shutil.rmtree(folder, ignore_errors=True)
        for path in (
            directory.lock,
            *sorted(data.glob(f"{directory.ledger.name}*"), reverse=True),
            *([] if had_settings else [data / FILE]),
        ):
            path.unlink(missing_ok=True)
        if not had_folder and data.exists() and not any(data.iterdir()):
            data.rmdir()
        raise
