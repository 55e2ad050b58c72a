"""The readers of kgplatform's own: tables, JSON, YAML, RDF and workbooks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from ..errors import SourceError, SyntaxSourceError
from ..ledger.notices import summed
from ..model import Notice, Problem
from ..packs.syntaxes import FORMATS
from .backstage import described_once, entity_claims, is_backstage
from .backstage_references import is_unfilled
from .evidence import ReadClaims, line_of
from .file_types import TABLES
from .kubernetes import is_manifest, manifest_claims
from .kubernetes_cluster import cluster
from .rdf import read_rdf
from .readers import SourceFile
from .records import json_records, yaml_records
from .rows import csv_rows, row_records
from .workbooks import sheet_records
from .yaml_documents import Document, Scalar, YamlMapping, YamlSequence, documents

UNREAD: Final = "yaml/1"
"""The extractor of a part that is no YAML until it is filled in: it has no claims."""


def read_table(file: SourceFile) -> ReadClaims:
    """A CSV or TSV file, through the mapping of its collection."""
    mapping = file.mapping()
    layout = mapping.layout
    rows = csv_rows(file.text, file.path, delimiter=TABLES[file.ending], stated=layout.delimiter, skip_lines=layout.skip_lines)
    return file.records(row_records(rows, mapping, file.path), mapping, "csv")


def read_workbook(file: SourceFile) -> ReadClaims:
    """The sheets of a workbook, through the mapping of its collection."""
    assert file.book is not None
    mapping = file.mapping()
    rows, notices = sheet_records(file.book, file.text, mapping, file.path)
    read = file.records(rows, mapping, "xlsx")
    is_whole = read.complete and not file.book.problems
    return read._replace(problems=(*file.book.problems, *read.problems), complete=is_whole, notices=(*notices, *read.notices))


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
    """Catalogue entities, manifests, JSON-LD, or records through the mapping of the collection."""
    if file.ending == ".json" and _is_catalogue(file):
        return read_yaml(file)
    if _is_json_ld(file):
        return read_graph(file)
    mapping = file.mapping()
    return file.records(json_records(file.text, file.path, at=mapping.layout.records), mapping, "json")


def _is_json_ld(file: SourceFile) -> bool:
    """A JSON file with JSON-LD's keywords, in a collection without mapping."""
    return not file.has_mapping and any(f'"@{word}"' in file.text for word in ("context", "id", "graph"))


def _is_catalogue(file: SourceFile) -> bool:
    """A JSON file of catalogue entities or manifests, in a collection without mapping. JSON is YAML."""
    if file.has_mapping or not all(f'"{word}"' in file.text for word in ("apiVersion", "kind")):
        return False
    return all(isinstance(each.root, YamlMapping) and is_manifest(each.root) for each in _stream(file.text, file.path))


def read_yaml(file: SourceFile) -> ReadClaims:
    """Each document of the stream by its own reader: catalogue entity, manifest, or records through the mapping."""
    path, text = file.path, file.text
    parts: list[ReadClaims] = []
    stream = list(_stream(text, path))
    if not stream:
        raise SourceError("holds nothing but comments", where=path, hint="erase the document if it is meant to be gone", reason="empty")
    around = cluster(document.root for document in stream)
    for document, end in zip(stream, [*(following.start for following in stream[1:]), len(text)][: len(stream)], strict=True):
        root = document.root
        if document.error and is_unfilled(text[document.start : end]):
            parts.append(ReadClaims((), UNREAD, notices=(Notice("skipped", "placeholder", 1, document.error.where),)))
            continue
        try:
            if document.error or root is None or isinstance(root, Scalar):
                raise document.error or SourceError("holds no mapping", where=f"{path}:{line_of(text, document.start)}", hint="is it YAML?")
            if isinstance(root, YamlMapping) and is_backstage(root):
                parts.append(entity_claims(root, text, path))
            elif isinstance(root, YamlMapping) and is_manifest(root):
                parts.append(manifest_claims(root, text, path, file.place.document, around))
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
        if (
            isinstance(root, YamlSequence)
            and root.items
            and all(isinstance(item, YamlMapping) and is_manifest(item) for item in root.items)
        ):
            yield from (Document(item.start, item) for item in root.items)
        else:
            yield document
