"""Where a data directory and what is beside it differ: the clock, the packs, the mappings, the settings that were copied."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from ..errors import KgError
from ..ledger.base import Ledger
from ..ledger.people import release
from ..ledger.sources import last_readings
from ..model import Audience
from ..results import Difference
from ..settings.load import FILE, Settings
from .packs import read_packs

SOURCE: Final = "settings_source"
"""The meta key of the file from which the settings were copied, and its hash then."""

_BY_MAPPING: Final = re.compile(r"/1-([0-9a-f]{8})(?:\+|$)")
"""How an extractor's name ends that read by a mapping: with the beginning of the mapping's hash."""


def differences(settings: Settings, ledger: Ledger, audience: Audience | None = None) -> Iterator[Difference]:
    """What differs, each in one sentence: to who runs the directory (no audience) of every event and document, else of the documents that
    the audience sees."""
    yield from _clock(settings, ledger, audience)
    yield from _packs(settings, ledger)
    yield from _mappings(settings, ledger, audience)
    yield from _settings(settings, ledger)


def _clock(settings: Settings, ledger: Ledger, audience: Audience | None) -> Iterator[Difference]:
    now = settings.clock()
    seen = (each.recorded for each in last_readings(ledger, audience))
    last = ledger.last_recorded if audience is None else max(seen, default="")
    if now < last:
        what = f"the clock went back: it says {now}, and the last event here was recorded at {last}"
        yield Difference(about="clock", what=what, hint="nothing is lost; set the clock right")


def _packs(settings: Settings, ledger: Ledger) -> Iterator[Difference]:
    released = release(ledger)
    try:
        is_same = released is None or released == read_packs(settings.packs).texts
    except KgError as error:
        yield Difference(
            about="ontology", what=f"the packs cannot be read: {error}", hint="what was released stays in force; mend the file"
        )
        return
    if not is_same:
        yield Difference(
            about="ontology", what="the packs changed since the release", hint="run `kgplatform quarantine retry` to put them in force"
        )


def _mappings(settings: Settings, ledger: Ledger, audience: Audience | None) -> Iterator[Difference]:
    extractors: dict[str, list[str]] = {}
    for reading in last_readings(ledger, audience):
        extractors.setdefault(reading.collection, []).append(reading.extractor)
    for collection in settings.collections.values():
        path = settings.mapping_path(collection)
        if path is None or audience is not None and not collection.scopes <= audience:
            continue
        if not path.is_file():
            yield Difference(
                about="mappings",
                what=f"the mapping {path} of {collection.name} is not there",
                hint="put it back, or take its name out of the settings",
            )
            continue
        digest = hashlib.sha256(path.read_bytes()).hexdigest()[:8]
        others = [name for name in extractors.get(collection.name, ()) if (by := _BY_MAPPING.findall(name)) and digest not in by]
        if others:
            what = f"the mapping {path.name} changed since {len(others)} documents of {collection.name} were read"
            yield Difference(about="mappings", what=what, hint="ingest them again")


def _settings(settings: Settings, ledger: Ledger) -> Iterator[Difference]:
    stated = ledger.meta(SOURCE)
    if not stated:
        return
    source = json.loads(stated)
    path = Path(source["path"])
    if path.is_file() and digest_of(path) != source["sha256"]:
        what = f"{path} changed since its settings were copied to {settings.data / FILE}"
        yield Difference(about="settings", what=what, hint="change the copy, which is in force, likewise")


def digest_of(path: Path) -> str:
    """The SHA-256 of a file, in hexadecimal."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def source_of(path: Path) -> str:
    """What the ledger keeps of the file from which settings are copied."""
    return json.dumps({"path": str(path.absolute()), "sha256": digest_of(path)})
