"""A check of a data directory's health, which changes nothing and needs no right to write."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path, PurePath
from typing import NamedTuple

from ..checks.differences import differences
from ..checks.packs import read_packs
from ..checks.settings import setting_notes
from ..data_directory import DataDir
from ..errors import ConfigError, KgError, LanguageModelError, OntologyError, PluginError, StoreError
from ..ingest.admission import kept_name
from ..ingest.secrets import masked
from ..ledger import maintenance, people, unpurged
from ..ledger.base import Ledger
from ..ledger.documents import contents, original_hashes
from ..llm import Spent, UsageLog
from ..projection.consistency import open_ledger, unknown_originals
from ..projection.graphs import version_of
from ..settings.load import Settings
from ..store.integrity import damage
from ..store.opening import open_readable


class HealthCheck(NamedTuple):
    """One thing that was looked at; `hint` says what to do where it is not well."""

    name: str
    well: bool
    said: str
    hint: str = ""


def checks(settings: Settings) -> Iterator[HealthCheck]:
    """Look at a data directory without changing it, the most basic things first; ends where the rest could not be looked at."""
    directory = DataDir(settings.data)
    yield _settings_check(settings)
    try:
        with closing(open_ledger(directory, to_read=True)) as ledger:
            yield from _ledger_checks(settings, directory, ledger)
    except KgError as error:
        yield HealthCheck("ledger", False, error.what, error.hint)
        return
    yield _lock_check(directory)
    url = directory.served_at()
    yield HealthCheck("server", True, f"this directory is served at {url}" if url else "none runs here")
    yield _model_check(settings)


def _settings_check(settings: Settings) -> HealthCheck:
    said = f"{len(settings.collections)} collections, packs {', '.join(settings.packs)}"
    try:
        notes = setting_notes(settings)
    except (ConfigError, OntologyError):  # told of the ontology
        notes = ()
    listed = "".join(f"; no effect: {note}" for note in notes)
    return HealthCheck("settings", True, said + listed, "take out what has no effect" if notes else "")


def _ledger_checks(settings: Settings, directory: DataDir, ledger: Ledger) -> Iterator[HealthCheck]:
    wrong = maintenance.damage(ledger)
    yield HealthCheck("ledger", not wrong, wrong or "sound", "restore a backup" if wrong else "")
    yield from _originals_checks(directory, ledger)
    yield _store_check(settings, directory, ledger)
    released = people.release(ledger)
    try:
        packs = read_packs(settings.packs)
    except (OntologyError, ConfigError) as error:
        yield HealthCheck("ontology", False, f"{error.where}: {error.what}".lstrip(": "), error.hint or "mend the file")
        return
    same = released is None or released == packs.texts
    yield HealthCheck(
        "ontology",
        same,
        "released as the packs say" if same else "the packs changed since the release",
        "" if same else "run `kgplatform quarantine retry`",
    )
    for each in differences(settings, ledger):
        if each.about != "ontology":
            yield HealthCheck(each.about, False, each.what, each.hint)
    without = f"{len(packs.notes)} things that they say have no effect" if packs.notes else "all that they say has an effect"
    yield HealthCheck("packs", True, without, "`kgplatform shapes check` lists them" if packs.notes else "")


def _originals_checks(directory: DataDir, ledger: Ledger) -> Iterator[HealthCheck]:
    faults = {digest: fault for digest in sorted(original_hashes(ledger)) if (fault := directory.fault_of_original(digest))}
    first = f"{len(faults)} {' or '.join(sorted(set(faults.values())))}, first {next(iter(faults))}" if faults else ""
    yield HealthCheck("originals", not faults, first or "all there, each with its hash", "restore a backup" if faults else "")
    yield _secrets_check(directory, ledger)
    waiting = unpurged.pending(ledger)
    is_unfinished = bool(waiting or ledger.meta("unpurged"))
    said = f"{max(len(waiting), 1)} not completed" if is_unfinished else "all completed"
    yield HealthCheck("erasures", not is_unfinished, said, "run `kgplatform purge`" if is_unfinished else "")
    if unknown := unknown_originals(directory, ledger):
        said = f"{len(unknown)} originals that no document names, left by an ingest that was killed"
        yield HealthCheck("leftovers", True, said, "`kgplatform purge` removes them")


def _secrets_check(directory: DataDir, ledger: Ledger) -> HealthCheck:
    """Originals that were stored before secrets were masked, or before these were known for secrets."""
    holding = sorted({name for name, path, digest in contents(ledger) if _holds_secret(directory, PurePath(path), digest)})
    said = f"what looks like a secret stands in {len(holding)} documents, first {holding[0]}" if holding else "none stands in an original"
    return HealthCheck(
        "secrets", not holding, said, "for each: `kgplatform erase` it, then `kgplatform ingest --again` its file" if holding else ""
    )


def _holds_secret(directory: DataDir, path: PurePath, digest: str) -> bool:
    try:
        content = directory.original(digest)
    except OSError:
        return False  # missing: told as such
    return masked(content, kept_name(path)).content != content


def _model_check(settings: Settings) -> HealthCheck:
    """What was ever spent on language models here, and today (UTC). Nothing is sent."""
    named = f"{settings.model.name} at {settings.model.base_url}" if settings.model else "none is configured"
    try:
        usage = UsageLog.of(settings)
        ever, today = usage.read(), usage.read(day=settings.clock()[:10])
    except LanguageModelError as error:
        return HealthCheck("language model", False, f"{named}; its usage {error.what}", error.hint)
    if not ever.spent.calls and not ever.unread:
        return HealthCheck("language model", True, named)
    said = f"{named}; since {ever.since[:10]} {_spent(ever.spent)}; today {_spent(today.spent)}"
    torn = f"; {ever.unread} lines of its usage cannot be read" if ever.unread else ""
    return HealthCheck("language model", not torn, said + torn, "sums leave these lines out" if torn else "")


def _spent(spent: Spent) -> str:
    return f"{spent.calls} calls, {spent.input_tokens} + {spent.output_tokens} tokens, cost {spent.cost:.4g}"


def _store_check(settings: Settings, directory: DataDir, ledger: Ledger) -> HealthCheck:
    place = settings.remote or directory.latest_checkpoint()
    if place is None:
        return HealthCheck("store", False, "embedded, no checkpoint yet", "the next command makes it")
    said = f"embedded, checkpoint {place.name}" if isinstance(place, Path) else f"{place.kind}, {place.query_url}".rstrip(", ")
    try:
        with closing(open_readable(place)) as store:
            state = store.state()
    except (StoreError, PluginError) as error:
        return HealthCheck("store", False, f"{said}: {error.what}", error.hint or "run `kgplatform doctor --mend`")
    if state is None or state.derive_version != version_of(ledger):
        return HealthCheck("store", False, f"{said}: holds no projection of this ledger", "the next command makes it")
    if isinstance(place, Path) and (wrong := _store_damage(directory, place)):
        return HealthCheck("store", False, f"{said}: {wrong}", "run `kgplatform doctor --mend`")
    return HealthCheck("store", True, f"{said}: at event {state.applied_seq} of {ledger.seq}")


def _store_damage(directory: DataDir, checkpoint: Path) -> str:
    """What is wrong with the files of the newest checkpoint, or of the store, where nobody writes it."""
    if wrong := damage(checkpoint):
        return f"its files are damaged: {wrong}"
    wrong = damage(directory.store) if directory.store.exists() and not directory.is_held() else ""
    return f"the files of the store are damaged: {wrong}" if wrong else ""


def _lock_check(directory: DataDir) -> HealthCheck:
    is_held = directory.is_held()
    return HealthCheck("lock", True, "another process is writing; readers see its last commit" if is_held else "nobody is writing")
