"""Which collection a file belongs to, as which document, dated when: the `paths` patterns of the collections."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import Final, NamedTuple

from ..data_directory import DataDir
from ..errors import SourceError, SyntaxSourceError
from ..ledger.sources import UPLOADED
from ..model import Collection
from ..settings.load import Settings
from ..times import Instant, parse_stated

BY_PATH: Final = "path"
BY_SERIES: Final = "series"
"""A path with its date: other files are other versions of the same document."""
BY_TEXT: Final = "text"
"""The front matter, or the caller."""


class DocumentPlace(NamedTuple):
    """One file as a version of one document; `root` and `file` are as in `Reading`. `stated` is what states its id."""

    path: Path
    collection: Collection
    document: str
    declared: Instant
    root: str
    file: str
    stated: str


class _Match(NamedTuple):
    weight: int
    collection: Collection
    document: str
    date: str
    stated: str = ""


def place(path: Path, root: Path, settings: Settings, *, collection: str = "", document: str = "", declared: str = "") -> DocumentPlace:
    """The place of a file below the ingested folder `root`. Arguments override what the patterns say.

    Patterns are tried on the path below `root`, then on the path with the folders above it, nearest first: as many folders
    as the pattern names, or all of them for a collection that is given here; for an upload never beyond the upload.
    SourceError where none, or more than one, fits.
    """
    chosen = [settings.collection(collection)] if collection else list(settings.collections.values())
    matches = _nearest(path.absolute(), _speaking(root.absolute(), settings), chosen, is_named=bool(collection))
    if len({match.collection.name for match in matches}) > 1:
        names = " and ".join(sorted({match.collection.name for match in matches}))
        raise SourceError(f"fits the collections {names}", where=str(path), hint="name one with --collection", reason="collection")
    if not matches and not collection and settings.default_collection:
        chosen = [settings.collection(settings.default_collection)]
    if not matches and len(chosen) != 1:
        hint = "name one with --collection, or add a pattern to its `paths` in kgplatform.toml"
        raise SourceError("belongs to no collection", where=str(path), hint=hint, reason="collection")
    best = matches[0] if matches else _Match(0, chosen[0], path.absolute().relative_to(root.absolute()).as_posix(), "")
    date = declared or best.date
    try:
        instant = parse_stated(date).at if date else ""
    except ValueError as error:
        raise SyntaxSourceError(f"its version date is wrong: {error}", where=str(path), hint="write 2025-03-14") from error
    return DocumentPlace(
        path, best.collection, document or best.document, instant, *_origin(path, root, settings), BY_TEXT if document else best.stated
    )


def _stated(groups: Mapping[str, str | None]) -> str:
    return BY_SERIES if groups.get("date") else BY_PATH if groups.get("id") else ""


def _origin(path: Path, root: Path, settings: Settings) -> tuple[str, str]:
    """(ingested folder, file), absolute and with links of folders resolved; for an upload the path that its sender gave."""
    folder, file = Path(os.path.realpath(root)), Path(os.path.realpath(path.parent)) / path.name
    jobs = Path(os.path.realpath(DataDir(settings.data).open_jobs))
    if file.is_relative_to(jobs):
        return UPLOADED, str(PurePosixPath(*file.relative_to(jobs).parts[2:]))
    return str(folder), str(file)


def _speaking(root: Path, settings: Settings) -> list[Path]:
    """The folders relative to which patterns are tried for files below `root`, the nearest first."""
    folders = [root, *root.parents]
    jobs = DataDir(settings.data.absolute()).open_jobs
    if not root.is_relative_to(jobs):
        return folders
    return [folder for folder in folders if folder.is_relative_to(jobs) and len(folder.relative_to(jobs).parts) > 1]


def _nearest(path: Path, folders: list[Path], collections: Iterable[Collection], *, is_named: bool) -> list[_Match]:
    """The matches at the nearest level, the most specific pattern first; equal ones of several collections are all given."""
    levels: dict[int, list[_Match]] = {}
    for collection in collections:
        for pattern in collection.paths:
            expression, weight, reach = _compiled(pattern)
            for up, folder in enumerate(folders[: None if is_named else reach + 1]):
                match = expression.fullmatch(path.relative_to(folder).as_posix())
                if match:
                    groups = match.groupdict()
                    levels.setdefault(up, []).append(
                        _Match(weight, collection, groups.get("id") or path.name, groups.get("date") or "", _stated(groups))
                    )
                    break
    if not levels:
        return []
    nearest = sorted(levels[min(levels)], key=lambda match: -match.weight)
    return [match for match in nearest if match.weight == nearest[0].weight]


@lru_cache(maxsize=1024)
def _compiled(pattern: str) -> tuple[re.Pattern[str], int, int]:
    """(expression, literal characters, folders that it names)."""
    parts = re.split(r"(\{date\}|\{id\}|\*)", pattern)
    forms = {"{date}": r"(?P<date>\d{4}(?:-\d{2}(?:-\d{2})?)?)", "{id}": r"(?P<id>.+)", "*": r"[^/]*"}
    expression = "".join(forms.get(part) or re.escape(part) for part in parts)
    return re.compile(expression), sum(len(part) for part in parts if part not in forms), pattern.count("/")
