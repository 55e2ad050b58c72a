"""Whether a data directory can be served, and bringing it up for its first caller."""

from __future__ import annotations

from contextlib import suppress

from ..data_directory import DataDir
from ..errors import DataDirError, KgError, LockedError
from ..projection.consistency import open_ledger
from ..query.prefixes import NOTHING
from ..settings.load import Settings
from ..store.workers import QueryWorkers
from ..views.opening import open_view
from ..writing.writer import Writer


def require_ledger(settings: Settings) -> None:
    """Raises DataDirError where there is no ledger of this format, LostLedger where it is not what the rest was made from."""
    open_ledger(DataDir(settings.data)).close()


def require_readable(settings: Settings) -> None:
    """Raises DataDirError where the ledger does not open, or there is no projection to read."""
    try:
        require_ledger(settings)
    except KgError as error:
        raise DataDirError("there is no ledger to read", hint="the data directory is missing or of another version") from error
    if settings.remote is None and DataDir(settings.data).latest_checkpoint() is None:
        raise DataDirError("there is no checkpoint to read", hint="the first writer makes one")


def bring_up(settings: Settings, workers: QueryWorkers) -> None:
    """Bring the projection up to now and the first worker to life, so that the first caller need not wait for them."""
    with suppress(LockedError):
        Writer.open(settings).close()
    with open_view(settings, workers=workers) as view:
        view.query(NOTHING)
