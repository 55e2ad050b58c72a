"""Reading files into the data directory itself."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from ..account import account
from ..config import Settings
from ..differences import differences
from ..files import DataDir
from ..ingest.files import read_paths
from ..intake import read_ahead
from ..ledger.people import principal, release
from ..ledger.receipts import Receipts, receipts
from ..ledger.sources import sources
from ..model import Problem, Reading
from ..pack_report import read_packs
from ..pipeline import reader_of, with_claims
from ..schema import load_schema
from ..tally import Brought, tally
from ..writer import Writer
from .frame import Run
from .progress import WAITING, WRITING, Watch
from .target import Intake, Json
from .vanished import settled


def ingested(run: Run, paths: Sequence[Path], how: Intake, *, watch: Watch) -> Json:
    """Read and extract, then write: the lock is held for what needs it. Told is what the run's principal may be told, all to nobody."""
    settings = run.settings
    with run.ledger() as ledger:
        audience = principal(ledger, run.name).scopes
        seen = audience if run.name else None
        if not how.wait:
            DataDir(settings.data).hold().release()  # who would find it held after reading is told before
        while True:
            released = release(ledger) or read_packs(settings.packs).texts
            schema = load_schema(*released)
            known = sources(ledger, seen)
            erased = Receipts() if how.again else receipts(ledger, seen)
            found = read_paths(paths, settings=settings, schema=schema, collection=how.collection, known=known, erased=erased, on_record=watch.record)
            reader = reader_of(settings, schema, ledger)
            claimed = with_claims(found, schema=schema, collections=settings.collections, model=settings.text_model, reader=reader)
            read: list[Brought] = []
            ahead = read_ahead(watch.readings(_noted(claimed, read, settings) if run.name else claimed))
            watch.stage(WAITING)
            with Writer.open(settings, wait=how.wait) as writer:
                if (writer.schema.turtle, writer.schema.shapes) == released:
                    watch.stage(WRITING)
                    summary = writer.ingest(ahead)
                    vanished = settled(writer, paths, seen, how)
                    summary.problems += vanished.lines
                    writer.keep_skipped(paths, (*summary.problems, *summary.skipped))
                    break
            watch.again()  # another ontology was released meanwhile
        differing = {"differences": [each._asdict() for each in differences(settings, ledger, seen)]}
        if not run.name:
            return {**summary.as_json(), **vanished.figures, **differing}
        told = tally(ledger, schema, read, audience, summary)
        figures = account(told.documents, summary.problems, summary.skipped)
        return {**told.as_json(), "seconds": summary.seconds, **figures, **vanished.figures, **differing}


def _noted(readings: Iterable[Reading | Problem], read: list[Brought], settings: Settings) -> Iterator[Reading | Problem]:
    """The same, noted for the tally as they pass."""
    for item in readings:
        if isinstance(item, Reading):
            read.append(Brought.of(item, settings.collections[item.collection]))
        yield item
