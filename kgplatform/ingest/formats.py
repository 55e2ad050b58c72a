"""The readers of kgplatform's own, but for texts: tables, workbooks, JSON, YAML and RDF."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from ..errors import SourceError, SyntaxSourceError
from ..ledger.notices import summed
from ..model import Notice, Problem
from ..packs.syntaxes import FORMATS
from .backstage import described_once
from .backstage_references import is_unfilled
from .evidence import ReadClaims, line_of
from .file_types import JSONS, TABLES
from .rdf import read_rdf
from .readers import SourceFile
from .records import json_records, yaml_records
from .rows import csv_rows, row_records
from .unpacked import Unpacked
from .unpacked_workbook import unpacked_workbook, workbook_of
from .workbooks import read_workbook, sheet_records
from .yaml_documents import Document, Scalar, YamlMapping, YamlSequence, documents
from .yaml_formats import YamlFile, format_of, may_hold

UNREAD: Final = "yaml/1"
"""The extractor of a part that is no YAML until it is filled in: it has no claims."""


def read_table(file: SourceFile) -> ReadClaims:
    """A CSV or TSV file, through the mapping of its collection."""
    mapping = file.mapping()
    layout = mapping.layout
    rows = csv_rows(file.text, file.path, delimiter=TABLES[file.ending], stated=layout.delimiter, skip_lines=layout.skip_lines)
    return file.records(row_records(rows, mapping, file.path), mapping, "csv")


class WorkbookReader:
    """The sheets of a workbook, through the mapping of its collection."""

    text_ending = ".csv"

    def unpack(self, content: bytes, path: str, *, max_bytes: int) -> Unpacked:
        """The text of the sheets, and the places and types of their cells."""
        return unpacked_workbook(read_workbook(content, path, max_bytes=max_bytes), path)

    def __call__(self, file: SourceFile, /) -> ReadClaims:
        """The claims of the sheets."""
        mapping = file.mapping()
        book, of_sheets = workbook_of(Unpacked(file.text, file.parts), file.path)
        rows, notices = sheet_records(book, of_sheets, mapping, file.path)
        read = file.records(rows, mapping, "xlsx")
        is_whole = read.complete and not book.problems
        return read._replace(problems=(*book.problems, *read.problems), complete=is_whole, notices=(*notices, *read.notices))


read_sheets: Final = WorkbookReader()


def read_graph(file: SourceFile) -> ReadClaims:
    """RDF in the syntax of its ending."""
    return read_rdf(
        file.text,
        file.path,
        FORMATS.get(file.ending, FORMATS[".jsonld"]),
        document=f"{file.place.collection.name}/{file.place.document}",
        base=file.settings.base_iri,
        schema=file.schema,
        contexts=file.settings.jsonld_contexts,
    )


def read_json(file: SourceFile) -> ReadClaims:
    """Records through the mapping of the collection."""
    mapping = file.mapping()
    return file.records(json_records(file.text, file.path, at=mapping.layout.records), mapping, "json")


class JsonCatalogueReader:
    """A JSON file of catalogue entities, manifests or documents of other YAML formats, in a collection without mapping. JSON is YAML."""

    def is_one(self, file: SourceFile) -> bool:
        """Whether all of its documents are of such formats."""
        if file.ending != ".json" or file.has_mapping or not may_hold(file.text):
            return False
        return all(isinstance(each.root, YamlMapping) and format_of(each.root) for each in _stream(file.text, file.path))

    def __call__(self, file: SourceFile, /) -> ReadClaims:
        """As the same documents in YAML."""
        return read_yaml(file)


class JsonLdReader:
    """A JSON file with JSON-LD's keywords, in a collection without mapping."""

    def is_one(self, file: SourceFile) -> bool:
        """Whether a keyword stands in it; asked after `json-catalogue`."""
        return file.ending in JSONS and not file.has_mapping and any(f'"@{word}"' in file.text for word in ("context", "id", "graph"))

    def __call__(self, file: SourceFile, /) -> ReadClaims:
        """As a graph."""
        return read_graph(file)


read_catalogue: Final = JsonCatalogueReader()
read_json_ld: Final = JsonLdReader()


def read_yaml(file: SourceFile) -> ReadClaims:
    """Each document of the stream in the format that it is of, else as records through the mapping."""
    path, text = file.path, file.text
    parts: list[ReadClaims] = []
    stream = list(_stream(text, path))
    if not stream:
        raise SourceError("holds nothing but comments", where=path, hint="erase the document if it is meant to be gone", reason="empty")
    documents_of_formats = YamlFile(file, [document.root for document in stream])
    for document, end in zip(stream, [*(following.start for following in stream[1:]), len(text)][: len(stream)], strict=True):
        root = document.root
        if document.error and is_unfilled(text[document.start : end]):
            parts.append(ReadClaims((), UNREAD, notices=(Notice("skipped", "placeholder", 1, document.error.where),)))
            continue
        try:
            if document.error or root is None or isinstance(root, Scalar):
                raise document.error or SourceError("holds no mapping", where=f"{path}:{line_of(text, document.start)}", hint="is it YAML?")
            if isinstance(root, YamlMapping) and (name := format_of(root)):
                parts.append(documents_of_formats.read(root, name))
            else:
                mapping = file.mapping()
                parts.append(file.records(yaml_records(root, path, at=mapping.layout.records), mapping, "yaml"))
        except SourceError as error:
            problem = Problem(error.where or path, error.what, error.hint)
            if problem.where == path:
                problem = replace(problem, where=f"{path}:{line_of(text, root.start if root else document.start)}")
            parts.append(ReadClaims((), "", (problem,), False))
    if all(not part.extractor for part in parts):
        problem = parts[0].problems[0]
        raise SyntaxSourceError(problem.what, where=problem.where, hint=problem.hint)
    return ReadClaims(
        claims=described_once(claim for part in parts for claim in part.claims),
        extractor="+".join(sorted({part.extractor for part in parts if part.extractor})),
        problems=tuple(problem for part in parts for problem in part.problems),
        complete=all(part.complete for part in parts),
        scopes=frozenset(scope for part in parts for scope in part.scopes),
        notices=summed(notice for part in parts for notice in part.notices),
    )


def _stream(text: str, path: str) -> Iterator[Document]:
    """The documents of a YAML or JSON text.

    A list of catalogue entities or manifests, as an export writes it, gives its members in its place.
    """
    is_json = path.lower().endswith(".json")
    for document in documents(text.replace("\t", " ") if is_json else text, path):  # JSON may be indented by tabs
        root = document.root
        if isinstance(root, YamlSequence) and root.items and all(isinstance(item, YamlMapping) and format_of(item) for item in root.items):
            yield from (Document(item.start, item) for item in root.items)
        else:
            yield document
