"""Backup and restore: what they copy is checked, and what they make is whole or not there."""

from __future__ import annotations

import shutil
import uuid
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import Final

from ..checks.differences import SOURCE
from ..data_directory import DataDir
from ..errors import DataDirError, UsageError
from ..ledger import maintenance
from ..ledger.base import Ledger
from ..ledger.documents import count_documents, original_hashes
from ..projection.consistency import open_ledger, require_ledger
from ..results import Backup
from ..settings.load import Settings, load_settings
from ..writing.writer import Writer
from .named_files import take_along

_WHOLE: Final = "whole"
"""A file in `restoring`: all of the backup it names is there and checked, and only has to be moved."""


def backup(settings: Settings, folder: Path) -> Backup:
    """Copy ledger, originals and settings, with the files that they name, into a new folder for its owner alone.

    The ledger and every original are checked: DataDirError says what is damaged, and no folder is made. A ledger of an older
    format is kept as it is; `restore` upgrades it.
    """
    if folder.exists():
        raise UsageError("is there already", where=str(folder), hint="name a folder that does not exist yet")
    directory = DataDir(settings.data)
    partial = folder.with_name(folder.name + ".partial")
    with closing(open_ledger(directory, oldest=maintenance.OLDEST, to_read=True)) as ledger:
        shutil.rmtree(partial, ignore_errors=True)
        kept = DataDir(partial)
        partial.mkdir(mode=0o700, parents=True)
        try:
            take_along(settings, partial)
            maintenance.copy(ledger, kept.ledger)
            documents, hashes = _checked_ledger(kept.ledger, of=directory.ledger)
            kept.originals.mkdir()
            faults = [fault for digest in hashes if (fault := _copied(directory, digest, kept))]
            lost = [digest for digest in faults if digest in original_hashes(ledger)]
            if lost:
                raise _damaged(directory, lost, "restore the newest backup that is sound into a new directory")
            if faults:
                raise DataDirError("a document was erased while it was copied", where=str(settings.data), hint="run the backup again")
            partial.rename(folder)
        except BaseException:
            shutil.rmtree(partial, ignore_errors=True)
            raise
    return Backup(folder=str(folder), documents=documents, originals=len(hashes))


def restore(folder: Path, data: Path) -> Backup:
    """Make a new data directory from a backup, of this format or an older one, and build its projection.

    The ledger and every original are checked. One that was killed is completed when it is run again. `folder` of what is
    returned is the new directory.
    """
    directory, partial = DataDir(data), DataDir(DataDir(data).restoring)
    is_begun = partial.path.exists() and not directory.ledger.exists()
    if data.exists() and not is_begun and any(data.iterdir()):
        raise DataDirError("is not empty", where=str(data), hint="name another directory with --data; nothing here was touched")
    if not DataDir(folder).ledger.is_file():
        raise DataDirError("there is no backup here", where=str(folder), hint="name the folder that `kgplatform backup` made")
    whole = partial.path / _WHOLE
    if not whole.exists():
        _fill(folder, directory, partial)
        whole.write_text(str(folder.absolute()), encoding="utf-8")
    elif whole.read_text(encoding="utf-8") != str(folder.absolute()):
        of = whole.read_text(encoding="utf-8")
        raise DataDirError(f"a restore of {of} was cut short here", where=str(data), hint="complete that one first: restore it again")
    with closing(Ledger.open(partial.ledger)) as ledger:
        documents, hashes = count_documents(ledger), original_hashes(ledger)
    for path in sorted(partial.path.iterdir(), key=lambda path: path == partial.ledger):  # the ledger last: without it there is no platform
        if path != whole:
            _moved(path, data)
    shutil.rmtree(partial.path)
    Writer.open(load_settings(data)).close()
    return Backup(folder=str(data), documents=documents, originals=len(hashes))


def _fill(folder: Path, directory: DataDir, partial: DataDir) -> None:
    """A checked and upgraded copy of the backup in `restoring`, or nothing."""
    data = directory.path
    if any(path != partial.path for path in (data.iterdir() if data.exists() else ())):
        raise DataDirError("is not empty", where=str(data), hint="name another directory with --data; nothing here was touched")
    is_new = not data.exists()
    directory.make()
    shutil.rmtree(partial.path, ignore_errors=True)
    try:
        shutil.copytree(folder, partial.path)
        _documents, hashes = _checked_ledger(partial.ledger, of=DataDir(folder).ledger)
        faults = [digest for digest in hashes if partial.fault_of_original(digest)]
        if faults:
            raise _damaged(DataDir(folder), faults, "use another backup")
        maintenance.upgrade(partial.ledger)
        with closing(Ledger.open(partial.ledger)) as ledger, ledger.transaction():
            ledger.set_meta("identity", uuid.uuid4().hex)  # the two go separate ways from here
            ledger.drop_meta(SOURCE)
    except BaseException:
        shutil.rmtree(data if is_new else partial.path, ignore_errors=True)
        raise


def _moved(path: Path, data: Path) -> None:
    target = data / path.name
    if target.exists():
        raise DataDirError("stands in the way of the restore", where=str(target), hint="move it elsewhere, then restore again")
    path.replace(target)


def _checked_ledger(copied: Path, *, of: Path) -> tuple[int, list[str]]:
    """(documents, hashes of the originals) of a copied ledger. Raises DataDirError where it is damaged."""
    require_ledger(DataDir(copied.parent))
    with closing(Ledger.open(copied, oldest=maintenance.OLDEST)) as ledger:
        if damage := maintenance.damage(ledger):
            raise DataDirError(f"the ledger is damaged: {damage}", where=str(of), hint="restore the newest backup that is sound")
        return count_documents(ledger), sorted(original_hashes(ledger))


def _copied(directory: DataDir, digest: str, kept: DataDir) -> str:
    """Copy an original; its hash where it is missing or damaged, else ''."""
    try:
        shutil.copyfile(directory.originals / digest, kept.originals / digest)
    except FileNotFoundError:
        return digest
    return digest if kept.fault_of_original(digest) else ""


def _damaged(directory: DataDir, faults: Iterable[str], hint: str) -> DataDirError:
    places = [str(directory.originals / digest) for digest in faults]
    what = "an original is missing or damaged" if len(places) == 1 else f"{len(places)} originals are missing or damaged, this one first"
    return DataDirError(what, where=places[0], hint=hint)
