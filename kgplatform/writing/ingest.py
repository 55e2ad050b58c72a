"""Reading files into the data directory itself."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path

from ..checks.differences import differences
from ..checks.packs import read_packs
from ..data_directory import DataDir
from ..graph import WAITING, WRITING, IngestOptions, Watch
from ..ingest.files import read_paths
from ..ledger.people import principal, release
from ..ledger.receipts import Receipts, receipts
from ..ledger.sources import sources
from ..model import Problem, Reading
from ..projection.consistency import open_ledger
from ..results import IngestSummary
from ..schema import load_schema
from ..settings.load import Settings
from .account import summary_of, trouble
from .batches import read_ahead
from .extraction import reader_of, with_claims
from .summary import Brought, tally
from .withdrawal import settled
from .writer import Writer


def ingested(
    settings: Settings, name: str, paths: Sequence[Path], options: IngestOptions, *, mapped: Settings, watch: Watch
) -> IngestSummary:
    """Read and extract, then write: the lock is held for what needs it. Told is what the principal of that name may be told, all to nobody.

    Files are read by the mappings of `mapped`; `name`, `key` and `mapping` of the options say nothing here.
    """
    with closing(open_ledger(DataDir(settings.data))) as ledger:
        audience = principal(ledger, name).scopes
        seen = audience if name else None
        if not options.wait:
            DataDir(settings.data).hold().release()  # who would find it held after reading is told before
        while True:
            released = release(ledger) or read_packs(settings.packs).texts
            schema = load_schema(*released)
            known = sources(ledger, seen)
            erased = Receipts() if options.again else receipts(ledger, seen)
            found = read_paths(
                paths, settings=mapped, schema=schema, collection=options.collection, known=known, erased=erased, on_record=watch.record
            )
            reader = reader_of(settings, schema, ledger)
            claimed = with_claims(found, schema=schema, settings=settings, reader=reader)
            read: list[Brought] = []
            ahead = read_ahead(_watched(_noted(claimed, read, settings) if name else claimed, watch))
            watch.stage(WAITING)
            with Writer.open(settings, wait=options.wait) as writer:
                if (writer.schema.turtle, writer.schema.shapes) == released:
                    watch.stage(WRITING)
                    summary = writer.ingest(ahead)
                    vanished = settled(writer, paths, seen, collection=options.collection, sync=options.sync, yes=options.yes)
                    summary.problems += vanished.lines
                    writer.keep_skipped(paths, (*summary.problems, *summary.skipped))
                    break
            watch.again()  # another ontology was released meanwhile
        told = tally(ledger, schema, read, audience, summary) if name else summary.tally()
        return summary_of(
            told,
            [trouble(each) for each in summary.problems],
            [trouble(each) for each in summary.skipped],
            seconds=summary.seconds,
            gone=vanished.gone,
            withdrawn=vanished.withdrawn,
            differences=differences(settings, ledger, seen),
        )


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
