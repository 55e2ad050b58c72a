"""What `doctor --mend` does: it completes what was cut short and makes anew what is derived; what is ground it never removes."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import closing

from ..data_directory import DataDir
from ..errors import DataDirError
from ..ledger import maintenance, unpurged
from ..projection.consistency import RESTORE, open_ledger, unknown_originals
from ..settings.load import Settings
from ..store.integrity import damage
from ..writing.writer import Writer


def mend(settings: Settings) -> Iterator[str]:
    """Mend a data directory; each thing that was done in one sentence. Raises LostLedger, DataDirError where that needs a backup."""
    directory = DataDir(settings.data)
    lock = directory.hold()
    try:
        yield from _made_ready(directory)
    finally:
        lock.release()
    with Writer.open(settings) as writer:
        for erased in writer.complete() if unpurged.pending(writer.ledger) or writer.ledger.meta("unpurged") else ():
            yield f"completed the erasure of {erased.receipt.document}: {erased.receipt.state}"


def _made_ready(directory: DataDir) -> Iterator[str]:
    with closing(open_ledger(directory)) as ledger:
        if wrong := maintenance.damage(ledger):
            raise DataDirError(f"the ledger is damaged: {wrong}", where=str(directory.ledger), hint=RESTORE)
        for folder in (directory.store, *directory.checkpoint_paths()):
            if folder.exists() and damage(folder):
                shutil.rmtree(folder)
                yield f"removed the damaged {folder.relative_to(directory.path)}, which is derived again"
        if not directory.checkpoint_paths() and (unknown := unknown_originals(directory, ledger)) and not ledger.meta("unpurged"):
            directory.set_aside(unknown)
            yield f"moved {len(unknown)} originals that the ledger does not name to {directory.aside}"
