"""Whether a ledger is the one that what stands beside it was made from: nothing is derived, removed or begun anew from another.

The witnesses are the originals, and the projections, which say of which ledger and up to which event they were derived.
A checkpoint is published after its events were committed, so one that is ahead of the ledger was made from a newer ledger.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import closing
from typing import Final

from ..data_directory import DataDir
from ..errors import DataDirError, LostLedger, StoreError
from ..ledger.base import Ledger
from ..ledger.documents import original_hashes
from ..ledger.tables import FORMAT
from ..store.base import ProjectionState
from ..store.opening import open_readable

RESTORE: Final = "put it back, or `kgplatform restore` a backup into a new directory; nothing was removed here"


def open_ledger(directory: DataDir, *, oldest: int = FORMAT, to_read: bool = False) -> Ledger:
    """The ledger of a data directory, once no witness speaks against it; `to_read` where nothing can be written.

    Raises LostLedger where one does, DataDirError where there is neither ledger nor witness, FormatError for another format.
    """
    states = published_states(directory)  # before the ledger is looked at, which a writer may bring further meanwhile
    require_ledger(directory, states)
    ledger = Ledger.open(directory.ledger, oldest=oldest, to_read=to_read)
    try:
        require_followed(directory, ledger, states)
    except BaseException:
        ledger.close()
        raise
    return ledger


def require_ledger(directory: DataDir, states: Iterable[ProjectionState] | None = None) -> None:
    """Raise LostLedger where there is no ledger but what was made from one, DataDirError where there is neither."""
    if not has_ledger(directory, states):
        raise DataDirError("there is no knowledge graph here", where=str(directory.path), hint="run `kgplatform init` first")


def has_ledger(directory: DataDir, states: Iterable[ProjectionState] | None = None) -> bool:
    """Whether there is a ledger. Raises LostLedger where there is none, but what was made from one."""
    is_missing = not directory.ledger.exists()
    if not is_missing and not Ledger.is_empty(directory.ledger):
        return True
    if directory.restoring.exists():
        raise DataDirError("a restore was cut short here", where=str(directory.path), hint="run the same `kgplatform restore` again")
    if directory.is_filled or (is_missing and directory.log.exists()):  # the log of an empty one is that of an `init` that was cut short
        beside = beside_ledger(directory, published_states(directory) if states is None else states)
        what = f"the ledger {'is missing' if is_missing else 'is empty'}, but beside it stand: {beside}"
        raise LostLedger(what, where=str(directory.path), hint=RESTORE)
    return False


def require_followed(directory: DataDir, ledger: Ledger, states: Iterable[ProjectionState], *, is_shared: bool = False) -> None:
    """Raise LostLedger where one of the projections is ahead of the ledger, or (but in a dataset that directories share) another
    ledger's."""
    identity, seq = ledger.meta("identity"), ledger.seq
    for state in states:
        if identity_of(state) not in (None, identity):
            what = "" if is_shared else "the ledger is another than the one that the rest was derived from"
        else:
            what = "the ledger is older than what was derived from it" if state.applied_seq > seq else ""
        if what:
            beside = beside_ledger(directory, [state])
            raise LostLedger(f"{what}: it ends at event {seq}, and beside it stand: {beside}", where=str(directory.path), hint=RESTORE)


def require_known_originals(directory: DataDir, ledger: Ledger) -> None:
    """Raise LostLedger where originals stand that the ledger does not name; of a directory without any projection, which could speak for
    it."""
    unknown = unknown_originals(directory, ledger)
    if unknown and not ledger.meta("unpurged"):
        raise LostLedger(
            f"the ledger, which ends at event {ledger.seq}, names none of {len(unknown)} of the {len(directory.original_names())} originals, "
            "and no store or checkpoint is left to tell whether it is the newest one",
            where=str(directory.path),
            hint="put the newest one back, or restore a backup; where it is, `kgplatform doctor --mend` takes it as it is",
        )


def unknown_originals(directory: DataDir, ledger: Ledger) -> list[str]:
    """The originals that no version names: of an ingest that was killed, or of a ledger that is not here."""
    return sorted(directory.original_names() - original_hashes(ledger))


def beside_ledger(directory: DataDir, states: Iterable[ProjectionState] = ()) -> str:
    """What stands in the directory that only its ledger explains, counted; '' if nothing."""
    last = max((state.applied_seq for state in states), default=0)
    event = f" at event {last}" if last else ""
    originals, checkpoints = len(directory.original_names()), len(directory.checkpoint_paths())
    parts = (
        f"{originals} {'original' if originals == 1 else 'originals'}" if originals else "",
        f"{checkpoints} {'checkpoint' if checkpoints == 1 else 'checkpoints'}{event}" if checkpoints else "",
        "a store" if directory.store.exists() else "",
        f"the ledger's log {directory.log.name}" if directory.log.exists() and not directory.ledger.exists() else "",
        "uploads that wait" if directory.has_open_jobs else "",
    )
    return ", ".join(filter(None, parts))


def published_states(directory: DataDir) -> list[ProjectionState]:
    """What the checkpoints say they were derived from; a damaged one says nothing."""
    states = []
    for path in directory.checkpoint_paths():
        try:
            with closing(open_readable(path)) as checkpoint:
                state = checkpoint.state()
        except StoreError:
            continue
        if state is not None:
            states.append(state)
    return states


def identity_of(state: ProjectionState) -> str | None:
    """The identity of the ledger that a projection was derived from, None where it names none."""
    named = state.derive_version.rpartition(" ")[2]
    return named if len(named) == 32 else None
