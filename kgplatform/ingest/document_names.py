"""The names of documents whose files state no id: the name they had before, or as much of their path as distinguishes them.

A file that was read before keeps its name, whichever folder is ingested now. A new one is named by its path below the ingested
folder; if another file that still exists has that name, folders above are added until the name is free.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Final

from ..ledger.sources import UPLOADED, KnownSource
from ..model import Problem
from .placing import BY_PATH, DocumentPlace

MOST_LINES: Final = 10
"""Lines of one kind that are shown; the rest is counted."""


class DocumentNaming:
    """Names the files of one ingest, one after another.

    `known` are the documents that the person who ingests may see; `moved` has, by new file, those whose file was renamed.
    """

    def __init__(self, known: Iterable[KnownSource], moved: Mapping[str, KnownSource] | None = None) -> None:
        self._names: dict[tuple[str, str], KnownSource] = {}
        self._holders: dict[tuple[str, str], KnownSource] = {}
        self._taken: dict[tuple[str, str], str] = {}
        self._renamed = moved or {}
        self._longer: list[Problem] = []
        self._moved: list[Problem] = []
        self._relative: dict[str, list[KnownSource]] = defaultdict(list)
        for source in known:
            self._names[source.collection, source.file] = source
            if not source.root and "/" in source.file.strip("./") and not source.file.startswith("/"):
                self._relative[PurePosixPath(source.file).name].append(source)
            self._holders[source.collection, source.document] = source

    def named(self, where: DocumentPlace) -> DocumentPlace:
        """The place under the name of its document."""
        before = self._names.get((where.collection.name, where.file)) or self._of_older_format(where)
        if where.stated in ("", BY_PATH) and (before := before or self._of_new_name(where)):
            where = where._replace(document=before.document)
        elif not where.stated:
            where = self._free(where)
        self._taken.setdefault((where.collection.name, where.document), where.file)
        return where

    def problems(self) -> Iterator[Problem]:
        """A line for each document whose name is longer than its path below the folder, or that is now read from another file."""
        return (each for kind in (self._longer, self._moved) for each in shortened(kind))

    def _of_new_name(self, where: DocumentPlace) -> KnownSource | None:
        source = self._renamed.get(where.file)
        if source:
            self._moved.append(Problem(str(where.path), f"is {source.name} under a new name: it says the same, and {source.file} is gone"))
        return source

    def _of_older_format(self, where: DocumentPlace) -> KnownSource | None:
        """The document of an older format whose relative path is the end of this path, if there is only one."""
        ending = [
            each for each in self._relative[where.path.name] if each.collection == where.collection.name and _ends(where.file, each.file)
        ]
        return ending[0] if len(ending) == 1 else None

    def _free(self, where: DocumentPlace) -> DocumentPlace:
        collection = where.collection.name
        names = list(_names(where))
        name = next((name for name in names if self._is_free(where, name)), names[-1])
        holder = self._holders.get((collection, name))
        if name != names[0]:
            what = f"is the document {collection}/{name}, since {collection}/{names[0]} is another file"
            self._longer.append(Problem(str(where.path), what, "give it an id of its own where it is the same document"))
        elif holder and not _is_same(where, name, holder):
            what = f"is read as {collection}/{name}, whose file is gone from where it was"
            self._moved.append(Problem(str(where.path), what, "give it an id of its own where it is another document"))
        return where._replace(document=name)

    def _is_free(self, where: DocumentPlace, name: str) -> bool:
        key = (where.collection.name, name)
        holder = self._holders.get(key)
        is_open = holder is None or _is_same(where, name, holder) or holder.root != UPLOADED and not os.path.lexists(holder.file)
        return is_open and self._taken.get(key, where.file) == where.file


def shortened(lines: list[Problem]) -> list[Problem]:
    """The first lines, and how many more there are."""
    more = lines[MOST_LINES:]
    return lines if len(more) < 2 else [*lines[:MOST_LINES], replace(more[0], what=f"{more[0].what}; and {len(more) - 1:,} more like it")]


def _names(where: DocumentPlace) -> Iterator[str]:
    """The name by the path below the folder, then with one more folder each."""
    parts = [part for part in PurePosixPath(where.file).parts if part != "/"]
    least = len(PurePosixPath(where.document).parts)
    return ("/".join(parts[-count:]) for count in range(least, len(parts) + 1))


def _is_same(where: DocumentPlace, name: str, holder: KnownSource) -> bool:
    """Whether the document was read from this file, judged by its path; uploads and older formats have only a part of it."""
    shorter, longer = sorted((where.file, holder.file), key=len)
    if shorter == longer or not shorter.startswith("/") and _ends(longer, shorter):
        return True
    if UPLOADED in (where.root, holder.root):
        count = len(PurePosixPath(name).parts) + 1
        return PurePosixPath(shorter).parts[-count:] == PurePosixPath(longer).parts[-count:]
    return False


def _ends(file: str, relative: str) -> bool:
    return f"/{file}".endswith(f"/{relative.lstrip('./')}")
