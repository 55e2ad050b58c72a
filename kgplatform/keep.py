"""Keeping a data directory: backup, restore, reset, upgrade, export, and a check of its health."""

from __future__ import annotations

import hashlib
import shutil
import uuid
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import IO, Final, NamedTuple

import pyoxigraph as ox

from .config import FILE, Settings, install, load_settings
from .errors import ConfigError, DataDirError, KgError, LanguageModelError, LockedError, OntologyError, StoreError, UsageError
from .files import DataDir
from .ledger import copies, people
from .ledger.base import Ledger
from .ledger.tables import FORMAT
from .llm import Spent, UsageLog
from .projection import version_of
from .store.opening import open_readable
from .terms import KG, NAMESPACES, RDF
from .validate.pack_report import read_packs
from .views import View
from .writer import Writer

RECORDS_GRAPH: Final = ox.NamedNode(KG.records)
_PARTS: Final = {RDF.subject: 0, RDF.predicate: 1, RDF.object: 2}
_REIFIES: Final = ox.NamedNode(RDF.reifies)
_PREFIXES: Final = {space.prefix: str(space) for space in NAMESPACES}


class Kept(NamedTuple):
    """What a backup holds."""

    folder: Path
    documents: int
    originals: int


def backup(settings: Settings, folder: Path) -> Kept:
    """Copy ledger, originals and settings into a new folder, which is there whole or not at all, for its owner alone.

    A ledger of an older format is kept as it is; `restore` upgrades it.
    """
    if folder.exists():
        raise UsageError("is there already", where=str(folder), hint="name a folder that does not exist yet")
    directory = DataDir(settings.data)
    partial = folder.with_name(folder.name + ".partial")
    shutil.rmtree(partial, ignore_errors=True)
    kept = DataDir(partial)
    partial.mkdir(mode=0o700, parents=True)
    kept.originals.mkdir()
    if (settings.data / FILE).is_file():
        install(settings.data / FILE, partial)
    with _ledger(directory.ledger, oldest=copies.OLDEST) as ledger:
        copies.copy(ledger, kept.ledger)
    with _ledger(kept.ledger, oldest=copies.OLDEST) as ledger:
        hashes = _hashes(ledger)
        documents = ledger.row("SELECT count(*) FROM document")
    for digest in hashes:
        try:
            shutil.copyfile(directory.originals / digest, kept.originals / digest)
        except FileNotFoundError as error:
            raise DataDirError(
                "a document was erased while it was copied", where=str(settings.data), hint="run the backup again"
            ) from error
    partial.rename(folder)
    return Kept(folder, int(documents[0]) if documents else 0, len(hashes))


def restore(folder: Path, data: Path) -> Kept:
    """Make a new data directory from a backup, of this format or an older one, and build its projection.

    Every original is checked against its hash. One that was killed can be run again.
    """
    made, partial = DataDir(data), DataDir(data / "restoring")
    is_cut_short = partial.path.exists() and not made.ledger.exists()
    if data.exists() and not is_cut_short and any(data.iterdir()):
        raise DataDirError("is not empty", where=str(data), hint="name another with --data, or empty it with `kgplatform reset`")
    if not DataDir(folder).ledger.is_file():
        raise DataDirError("there is no backup here", where=str(folder), hint="name the folder that `kgplatform backup` made")
    is_new = not data.exists()
    made.make()
    shutil.rmtree(partial.path, ignore_errors=True)
    try:
        shutil.copytree(folder, partial.path)
        kept = _checked(folder, partial)
    except BaseException:
        shutil.rmtree(data if is_new else partial.path, ignore_errors=True)
        raise
    copies.upgrade(partial.ledger)
    with _ledger(partial.ledger) as ledger, ledger.transaction():  # the two go separate ways from here
        ledger.set_meta("identity", uuid.uuid4().hex)
    for path in sorted(partial.path.iterdir(), key=lambda path: path == partial.ledger):  # the ledger last: without it there is no platform
        target = data / path.name
        if target.is_dir():  # of one that was cut short
            shutil.rmtree(target)
        path.replace(target)
    partial.path.rmdir()
    Writer.open(load_settings(data)).close()
    return kept._replace(folder=data)


def _checked(folder: Path, copied: DataDir) -> Kept:
    """What the copy of a backup holds, once every original has its hash. The backup itself may stand where nothing can be written."""
    with _ledger(copied.ledger, oldest=copies.OLDEST) as ledger:
        hashes = _hashes(ledger)
        documents = ledger.row("SELECT count(*) FROM document")
    for digest in sorted(hashes):
        path = copied.originals / digest
        if not path.is_file() or hashlib.sha256(path.read_bytes()).hexdigest() != digest:
            damaged = DataDir(folder).originals / digest
            raise DataDirError("an original is missing or damaged", where=str(damaged), hint="use another backup")
    return Kept(folder, int(documents[0]) if documents else 0, len(hashes))


def reset(data: Path) -> None:
    """Remove all that was read and decided; settings, mappings and packs stay. Raises LockedError while somebody writes."""
    directory = DataDir(data)
    if not directory.ledger.exists():
        raise DataDirError("there is no knowledge graph here", where=str(data), hint="nothing was removed")
    with _locked(directory):
        for folder in (directory.store, directory.checkpoints, directory.originals, directory.jobs, data / "store.new"):
            shutil.rmtree(folder, ignore_errors=True)
        for path in sorted(data.glob(directory.ledger.name + "*"), reverse=True):  # the log before the ledger: alone it would come back
            path.unlink()


def upgrade(data: Path) -> tuple[int, int]:
    """Bring a data directory of an older format to this one; (format before, format now)."""
    directory = DataDir(data)
    if not directory.ledger.exists():
        raise DataDirError("there is no knowledge graph here", where=str(data), hint="run `kgplatform init` first")
    with _locked(directory):
        return copies.upgrade(directory.ledger)


@contextmanager
def _locked(directory: DataDir) -> Iterator[None]:
    lock = directory.hold()
    try:
        yield
    finally:
        lock.release()


@contextmanager
def _ledger(path: Path, *, oldest: int = FORMAT) -> Iterator[Ledger]:
    ledger = Ledger.open(path, oldest=oldest)
    try:
        yield ledger
    finally:
        ledger.close()


def _hashes(ledger: Ledger) -> set[str]:
    return {str(row[0]) for row in ledger.rows("SELECT DISTINCT hash FROM version")}


# -- export


def export(view: View, out: IO[bytes], *, form: str = "trig") -> int:
    """Write what the view shows, and return how many statements that is.

    trig    the facts in the default graph, the records in the graph kg:records
    rdf12   Turtle 1.2: the facts, and each assertion as a reifier of its triple
    """
    facts = set(view.triples("facts"))
    records = (triple for triple in view.triples("full") if triple not in facts)
    quads = [ox.Quad(t.subject, t.predicate, t.object) for t in sorted(facts, key=str)]
    if form == "trig":
        quads += [ox.Quad(t.subject, t.predicate, t.object, RECORDS_GRAPH) for t in records]
        ox.serialize(quads, out, format=ox.RdfFormat.TRIG, prefixes=_PREFIXES)
    else:
        quads += _reified(records)
        ox.serialize((quad.triple for quad in quads), out, format=ox.RdfFormat.TURTLE, prefixes=_PREFIXES)
    return len(quads)


def _reified(records: Iterator[ox.Triple]) -> Iterator[ox.Quad]:
    """Records whose rdf:subject, rdf:predicate and rdf:object are one rdf:reifies."""
    parts: dict[ox.NamedNode | ox.BlankNode | ox.Triple, list[object]] = {}
    for triple in records:
        place = _PARTS.get(triple.predicate.value)
        if place is None:
            yield ox.Quad(triple.subject, triple.predicate, triple.object)
        else:
            parts.setdefault(triple.subject, [None] * 3)[place] = triple.object
    for node, (subject, predicate, object_) in parts.items():
        yield ox.Quad(node, _REIFIES, ox.Triple(subject, predicate, object_))  # type: ignore[arg-type]


# -- health


class Check(NamedTuple):
    """One thing that was looked at; `hint` says what to do where it is not well."""

    name: str
    well: bool
    said: str
    hint: str = ""


def checks(settings: Settings) -> Iterator[Check]:
    """Look at a data directory without changing it, the most basic things first; ends where the rest could not be looked at."""
    directory = DataDir(settings.data)
    yield Check("settings", True, f"{len(settings.collections)} collections, packs {', '.join(settings.packs)}")
    try:
        with _ledger(directory.ledger) as ledger:
            yield from _ledger_checks(settings, directory, ledger)
    except KgError as error:
        yield Check("ledger", False, error.what, error.hint)
        return
    yield _lock_check(directory)
    url = directory.served_at()
    yield Check("server", True, f"this directory is served at {url}" if url else "none runs here")
    yield _model_check(settings)


def _ledger_checks(settings: Settings, directory: DataDir, ledger: Ledger) -> Iterator[Check]:
    damage = copies.damage(ledger)
    yield Check("ledger", not damage, damage or "sound", "restore a backup" if damage else "")
    lost = sorted(digest for digest in _hashes(ledger) if not (directory.originals / digest).is_file())
    yield Check("originals", not lost, f"{len(lost)} missing, first {lost[0]}" if lost else "all there", "restore a backup" if lost else "")
    yield _store_check(settings, directory, ledger)
    released = people.release(ledger)
    try:
        packs = read_packs(settings.packs)
    except (OntologyError, ConfigError) as error:
        yield Check("ontology", False, f"{error.where}: {error.what}".lstrip(": "), error.hint or "mend the file")
        return
    same = released is None or released == packs.texts
    yield Check(
        "ontology",
        same,
        "released as the packs say" if same else "the packs changed since the release",
        "" if same else "run `kgplatform quarantine retry`",
    )
    without = f"{len(packs.notes)} things that they say have no effect" if packs.notes else "all that they say has an effect"
    yield Check("packs", True, without, "`kgplatform shapes check` lists them" if packs.notes else "")


def _model_check(settings: Settings) -> Check:
    """What was ever spent on language models here, and today (UTC). Nothing is sent."""
    named = f"{settings.model.name} at {settings.model.base_url}" if settings.model else "none is configured"
    try:
        usage = UsageLog.of(settings)
        ever, today = usage.read(), usage.read(day=settings.clock()[:10])
    except LanguageModelError as error:
        return Check("language model", False, f"{named}; its usage {error.what}", error.hint)
    if not ever.spent.calls and not ever.unread:
        return Check("language model", True, named)
    said = f"{named}; since {ever.since[:10]} {_spent(ever.spent)}; today {_spent(today.spent)}"
    torn = f"; {ever.unread} lines of its usage cannot be read" if ever.unread else ""
    return Check("language model", not torn, said + torn, "sums leave these lines out" if torn else "")


def _spent(spent: Spent) -> str:
    return f"{spent.calls} calls, {spent.input_tokens} + {spent.output_tokens} tokens, cost {spent.cost:.4g}"


def _store_check(settings: Settings, directory: DataDir, ledger: Ledger) -> Check:
    place = settings.remote or directory.latest_checkpoint()
    if place is None:
        return Check("store", False, "embedded, no checkpoint yet", "the next command makes it")
    said = f"embedded, checkpoint {place.name}" if isinstance(place, Path) else f"remote, {place.query_url}"
    try:
        with closing(open_readable(place)) as store:
            state = store.state()
    except StoreError as error:
        return Check("store", False, f"{said}: {error.what}", error.hint or "the next command that writes makes it anew")
    if state is None or state.derive_version != version_of(ledger):
        return Check("store", False, f"{said}: holds no projection of this ledger", "the next command makes it")
    return Check("store", True, f"{said}: at event {state.applied_seq} of {ledger.seq}")


def _lock_check(directory: DataDir) -> Check:
    try:
        with _locked(directory):
            return Check("lock", True, "nobody is writing")
    except LockedError:
        return Check("lock", True, "another process is writing; readers see its last commit")
