"""Files that were read before and are gone, and files that have the content of a missing one under a new name."""

from __future__ import annotations

import hashlib
import os
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path

from ..errors import SourceError
from ..ledger.readings import WITHDRAWN
from ..ledger.sources import UPLOADED, KnownSource
from .admission import admitted
from .placing import BY_PATH, DocumentPlace

SHARE_TO_CONFIRM = 0.2
"""If more than this share of a folder's documents is gone at once, the folder itself may be missing (not mounted, another path)."""


def below(known: Iterable[KnownSource], paths: Sequence[Path], *, collection: str = "") -> dict[str, list[KnownSource]]:
    """Folder -> the documents that were read from files below it and are not withdrawn; without uploads and documents of unknown file."""
    folders = [os.path.realpath(path) for path in paths if os.path.isdir(path)]
    read = [each for each in known if each.root not in ("", UPLOADED) and each.hash != WITHDRAWN and collection in ("", each.collection)]
    return {folder: [each for each in read if each.file.startswith(f"{folder.rstrip('/')}/")] for folder in folders}


def is_gone(source: KnownSource) -> bool:
    """Whether its file does not exist; a file that cannot be looked for, or that the settings exclude now, is not gone."""
    try:
        os.lstat(source.file)
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False
    return False


def is_doubtful(expected: Sequence[KnownSource]) -> bool:
    """Whether so many of them are gone that somebody should confirm it."""
    return sum(map(is_gone, expected)) > SHARE_TO_CONFIRM * len(expected)


def renamed(places: Iterable[DocumentPlace], known: Sequence[KnownSource], paths: Sequence[Path], *, most: int) -> dict[str, KnownSource]:
    """New file -> the document whose file is gone and whose content it has, where only one of each has it in their collection."""
    missing = {missing_source for sources in below(known, paths).values() for missing_source in sources if is_gone(missing_source)}
    if not missing:
        return {}
    known_files = {source.file for source in known}
    new_places: dict[tuple[str, str], list[DocumentPlace]] = defaultdict(list)
    for where in places:
        if where.file not in known_files and where.stated in ("", BY_PATH):
            new_places[where.collection.name, _hash(where, most)].append(where)
    missing_by_content: dict[tuple[str, str], list[KnownSource]] = defaultdict(list)
    for source in missing:
        missing_by_content[source.collection, source.hash].append(source)
    return {
        new_places[key][0].file: sources[0]
        for key, sources in missing_by_content.items()
        if len(sources) == 1 == len(new_places.get(key, ()))
    }


def _hash(where: DocumentPlace, most: int) -> str:
    try:
        return hashlib.sha256(admitted(where.path, most).masked.content).hexdigest()
    except SourceError:
        return ""
