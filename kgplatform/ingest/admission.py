"""What of a file comes in: its bytes, or a workbook's text, without secrets. Nothing else of it is kept, judged or told."""

from __future__ import annotations

from pathlib import Path, PurePath
from typing import NamedTuple

from .file_types import require_known
from .limits import read_bytes, require_size
from .secrets import Masked, masked
from .unpacked_workbook import packed, unpacked
from .workbooks import ENDINGS, Workbook, read_workbook


class Admitted(NamedTuple):
    door: Masked
    book: Workbook | None = None


def admitted(path: Path, max_bytes: int) -> Admitted:
    """The content of a file as it is kept. SourceError where it cannot be read, no reader is for it, or it is no workbook though its name
    says so."""
    return _admitted(read_bytes(path, max_bytes), path, max_bytes)


def waiting(content: bytes, path: Path, max_bytes: int) -> bytes:
    """The bytes of a file that wait on disk until they are read, and are read as the file would be. SourceError as `admitted`."""
    require_size(content, str(path), max_bytes)
    door, book = _admitted(content, path, max_bytes)
    return packed(book._replace(text=door.content.decode()), str(path)) if book else door.content


def _admitted(content: bytes, path: Path, max_bytes: int) -> Admitted:
    require_known(path, content)
    if path.suffix.lower() not in ENDINGS:
        return Admitted(masked(content, kept_name(path)))
    book = unpacked(content, str(path), max_bytes=max_bytes) or read_workbook(content, str(path), max_bytes=max_bytes)
    return Admitted(masked(book.text.encode(), kept_name(path)), book)


def kept_name(path: PurePath) -> str:
    """The name of what is kept of a file, which says of what format it is: a workbook's text is CSV."""
    return f"{path.name}.csv" if path.suffix.lower() in ENDINGS else path.name
