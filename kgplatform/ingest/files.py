"""Paths to readings: each file in its place, read by the reader of its format."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from ..errors import MappingError, SourceError, UsageError
from ..ledger.receipts import Receipts
from ..ledger.sources import KnownSource
from ..model import Candidate, Notice, Problem, Reading
from ..schema import Schema
from ..settings.load import Settings
from ..settings.patterns import is_excluded
from ..terms import is_literal, literal_value
from .admission import admitted
from .document_names import DocumentNaming
from .file_types import JSONS, TABLES
from .limits import decoded, decoded_table, is_utf8, read_bytes
from .mapping_files import load_mapping
from .mappings import TableMapping
from .missing_files import renamed
from .placing import BY_TEXT, DocumentPlace, place
from .readers import SourceFile, read_file
from .secrets import is_masked, masked
from .text import front_matter, is_text_path
from .unpacked import Unpacked
from .walking import excluded, walk

NONE_ERASED: Final = Receipts()


def read_paths(
    paths: Sequence[Path],
    *,
    settings: Settings,
    schema: Schema,
    collection: str = "",
    document: str = "",
    declared: str = "",
    known: Iterable[KnownSource] = (),
    erased: Receipts = NONE_ERASED,
    on_record: Callable[[], None] = lambda: None,
) -> Iterator[Reading | Problem]:
    """Read files and folders one by one: a Reading each, or a Problem with its reason where one was not read; the rest goes on.

    Files come in the order of their paths, versions of one document in the order of their dates; two files that would
    be one version of one document are a problem, since the second would end what the first says.
    `known` are the documents that the caller may see: a file that was read before is a new version of its document.
    A document that `erased` lists is a problem and not read.
    `collection`, `document` and `declared` win over what the path says; a document id fits one file only (UsageError).
    `on_record` is called for every record of a table as it is read. UnknownName for a collection that is not declared.
    """
    if collection:
        settings.collection(collection)
    walks = [walk(start, exclude=settings.exclude) for start in paths]
    files = {path: root for walked in walks for path, root in walked.files}
    if document and len(files) != 1:
        raise UsageError(f"the document id {document} was given for {len(files)} files", hint="name one file")
    yield from (problem for walked in walks for problem in walked.passed)
    places: list[DocumentPlace] = []
    for path, root in files.items():
        try:
            where = place(path, root, settings, collection=collection, document=document, declared=declared)
            if path not in paths and is_excluded(path, root, where.collection.exclude):
                yield excluded(path)
            else:
                places.append(where)
        except SourceError as error:
            yield _problem(error, path)
    if not document:
        places = [_as_declared(where, settings, keep_date=bool(declared)) for where in places]
    known = tuple(known)
    naming = DocumentNaming(known, renamed(places, known, paths, most=settings.max_file_bytes))
    places = [naming.named(where) for where in places]
    first: dict[tuple[str, str], int] = {}
    for n, where in enumerate(places):
        first.setdefault((where.collection.name, where.document), n)
    readers = _Readers(settings, schema, on_record)
    taken: dict[tuple[str, str, str], Path] = {}
    for where in sorted(places, key=lambda p: (first[p.collection.name, p.document], p.declared)):
        other = taken.setdefault((where.collection.name, where.document, where.declared), where.path)
        try:
            if other != where.path:
                what = f"is the same document of the same date as {other}: {where.collection.name}/{where.document}"
                raise SourceError(
                    what, where=str(where.path), hint="read their common folder, or give each its own id or date", reason="twice"
                )
            if day := erased.erased(f"{where.collection.name}/{where.document}")[:10]:
                raise SourceError(f"was erased on {day}", where=str(where.path), hint="add --again to read it again", reason="erased")
            yield replace(readers.read(where), root=where.root, file=where.file)
        except (SourceError, MappingError) as error:
            yield _problem(error, where.path)
    yield from naming.problems()


def _as_declared(where: DocumentPlace, settings: Settings, *, keep_date: bool) -> DocumentPlace:
    """The place with the id and date that a text's front matter states, so that versions come in their order."""
    if not is_text_path(str(where.path)):
        return where
    try:
        content = read_bytes(where.path, settings.max_file_bytes)
        if b"---" not in content[:6]:
            return where
        front = front_matter(decoded(masked(content, where.path.name).content, where.path), str(where.path))
    except SourceError:
        return where  # reported when the file is read
    date = where.declared if keep_date else front.date or where.declared
    return where._replace(document=front.id or where.document, declared=date, stated=BY_TEXT if front.id else where.stated)


def _problem(error: SourceError | MappingError, path: Path) -> Problem:
    return Problem(error.where or str(path), error.what, error.hint, error.reason)


class _Readers:
    """The readers by format, with the mappings that were loaded so far."""

    def __init__(self, settings: Settings, schema: Schema, on_record: Callable[[], None]) -> None:
        self.settings, self.schema, self.on_record = settings, schema, on_record
        self.mappings: dict[Path, TableMapping] = {}

    def read(self, where: DocumentPlace) -> Reading:
        path = where.path
        safe, unpacked = admitted(path, self.settings.max_file_bytes)
        reading = self.reading(where, safe.content, unpacked)
        if not safe.secrets:
            return reading
        notice = Notice("masked", "what looks like a secret", safe.secrets, f"{path}:{safe.line}")
        claims = tuple(claim for claim in reading.claims if not _is_of_masked(claim))
        return replace(reading, claims=claims, notices=(*reading.notices, notice))

    def reading(self, where: DocumentPlace, content: bytes, unpacked: Unpacked | None) -> Reading:
        text = content.decode() if unpacked else self.text(where, content)
        parts = unpacked.parts if unpacked else None
        read = read_file(SourceFile(where, text, self.schema, self.settings, self.mapping, self.on_record, parts))
        return Reading(
            collection=where.collection.name,
            document=where.document,
            path=str(where.path),
            title=read.title or where.document,
            text=text,
            claims=read.claims,
            extractor=read.extractor,
            is_text=read.passages is not None,
            declared=where.declared or read.declared,
            scopes=read.scopes,
            passages=read.passages or (),
            complete=read.complete,
            problems=read.problems,
            notices=read.notices,
            content=content if is_utf8(content, text) else text.encode(),
        )

    def text(self, where: DocumentPlace, content: bytes) -> str:
        """The text of a file; a table may be in the encoding that its mapping states."""
        ending = where.path.suffix.lower()
        if ending not in TABLES and (ending not in JSONS or not where.collection.mapping):
            return decoded(content, where.path)
        return decoded_table(content, where.path, self.mapping(where).layout.encoding if where.collection.mapping else "")

    def mapping(self, where: DocumentPlace) -> TableMapping:
        path = self.settings.mapping_path(where.collection)
        if path is None:
            hint = f"give [collections.{where.collection.name}] a mapping: docs/mappings.md says how"
            raise SourceError("holds records, and its collection has no mapping", where=str(where.path), hint=hint, reason="mapping")
        if path not in self.mappings:
            self.mappings[path] = load_mapping(path, self.schema)
        return self.mappings[path]


def _is_of_masked(claim: Candidate) -> bool:
    """Whether a claim's subject or object is a secret that was masked: such a claim says nothing."""
    names = (literal_value(node) if is_literal(node) else node.partition(":")[2] for node in (claim.fact.subject, claim.fact.object))
    return any(map(is_masked, names))


__all__ = ["read_paths"]
