"""Reading files into the data directory itself."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from ..checks.differences import differences
from ..checks.packs import read_packs
from ..data_directory import DataDir
from ..graph import WAITING, WRITING, Watch
from ..ingest.files import read_paths
from ..ledger.people import principal, release
from ..ledger.receipts import Receipts, receipts
from ..ledger.sources import sources
from ..model import Problem, Reading
from ..projection.consistency import open_ledger
from ..results import IngestSummary
from ..schema import load_schema
from ..settings.load import Settings
from .account import account
from .batches import read_ahead
from .extraction import reader_of, with_claims
from .summary import Brought, tally
from .withdrawal import settled
from .writer import Writer


class Intake(NamedTuple):
    """How files are read: into which collection ('' is as their paths say), waiting so many seconds for another writer.

    With `sync` the documents below the folders whose files are gone are withdrawn, with `yes` also where they are many;
    `again` reads what was erased before, too.
    """

    collection: str = ""
    wait: float = 0.0
    sync: bool = False
    yes: bool = False
    again: bool = False


def ingested(settings: Settings, name: str, paths: Sequence[Path], how: Intake, *, mapped: Settings, watch: Watch) -> IngestSummary:
    """Read and extract, then write: the lock is held for what needs it. Told is what the principal of that name may be told, all to nobody.

    Files are read by the mappings of `mapped`.
    """
    with closing(open_ledger(DataDir(settings.data))) as ledger:
        audience = principal(ledger, name).scopes
        seen = audience if name else None
        if not how.wait:
            DataDir(settings.data).hold().release()  # who would find it held after reading is told before
        while True:
            released = release(ledger) or read_packs(settings.packs).texts
            schema = load_schema(*released)
            known = sources(ledger, seen)
            erased = Receipts() if how.again else receipts(ledger, seen)
            found = read_paths(
                paths, settings=mapped, schema=schema, collection=how.collection, known=known, erased=erased, on_record=watch.record
            )
            reader = reader_of(settings, schema, ledger)
            claimed = with_claims(found, schema=schema, settings=settings, reader=reader)
            read: list[Brought] = []
            ahead = read_ahead(_watched(_noted(claimed, read, settings) if name else claimed, watch))
            watch.stage(WAITING)
            with Writer.open(settings, wait=how.wait) as writer:
                if (writer.schema.turtle, writer.schema.shapes) == released:
                    watch.stage(WRITING)
                    summary = writer.ingest(ahead)
                    vanished = settled(writer, paths, seen, collection=how.collection, sync=how.sync, yes=how.yes)
                    summary.problems += vanished.lines
                    writer.keep_skipped(paths, (*summary.problems, *summary.skipped))
                    break
            watch.again()  # another ontology was released meanwhile
        others = {**vanished.figures, "differences": [each.to_dict() for each in differences(settings, ledger, seen)]}
        if not name:
            return IngestSummary.from_dict({**summary.as_json(), **others})
        told = tally(ledger, schema, read, audience, summary)
        figures = account(told.documents, summary.problems, summary.skipped)
        return IngestSummary.from_dict({**told.as_json(), "seconds": summary.seconds, **figures, **others})


def _noted(readings: Iterable[Reading | Problem], read: list[Brought], settings: Settings) -> Iterator[Reading | Problem]:
    """The same, noted for the tally as they pass."""
    for item in readings:
        if isinstance(item, Reading):
            read.append(Brought.of(item, settings.collections[item.collection]))
        yield item


def _watched(readings: Iterable[Reading | Problem], watch: Watch) -> Iterator[Reading | Problem]:
    """The same, told to the watch as they pass."""
    for item in readings:
        if isinstance(item, Reading):
            watch.file(item.path, documents=1, claims=len(item.claims))
        else:
            watch.file(item.where)
        yield item
