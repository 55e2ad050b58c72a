"""Files that were read before and are gone, and those that came under another name with the same content."""

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
"""More than this share of a folder's documents gone at once is more likely a folder that is not there than files that are."""


def below(known: Iterable[KnownSource], paths: Sequence[Path], *, collection: str = "") -> dict[str, list[KnownSource]]:
    """Folder -> the documents that were read from files below it and still count; without uploads and files that no format noted."""
    folders = [os.path.realpath(path) for path in paths if os.path.isdir(path)]
    read = [each for each in known if each.root not in ("", UPLOADED) and each.hash != WITHDRAWN and collection in ("", each.collection)]
    return {folder: [each for each in read if each.file.startswith(f"{folder.rstrip('/')}/")] for folder in folders}


def is_gone(source: KnownSource) -> bool:
    """Whether its file is not there; one that cannot be looked for, or that the settings exclude now, is not gone."""
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
    """File -> the document that it continues: of equal content, in one collection, one that is gone and one that is new."""
    lost = {each for sources in below(known, paths).values() for each in sources if is_gone(each)}
    if not lost:
        return {}
    seen = {source.file for source in known}
    fresh: dict[tuple[str, str], list[DocumentPlace]] = defaultdict(list)
    for where in places:
        if where.file not in seen and where.stated in ("", BY_PATH):
            fresh[where.collection.name, _hash(where, most)].append(where)
    gone: dict[tuple[str, str], list[KnownSource]] = defaultdict(list)
    for source in lost:
        gone[source.collection, source.hash].append(source)
    return {fresh[key][0].file: sources[0] for key, sources in gone.items() if len(sources) == 1 == len(fresh.get(key, ()))}


def _hash(where: DocumentPlace, most: int) -> str:
    try:
        return hashlib.sha256(admitted(where.path, most).door.content).hexdigest()
    except SourceError:
        return ""
