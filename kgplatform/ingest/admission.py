"""What is taken in of a file: its bytes, or the text of a workbook, with secrets masked. Nothing else of it is stored, judged or shown."""

from __future__ import annotations

from pathlib import Path, PurePath
from typing import NamedTuple

from .file_types import require_known
from .limits import read_bytes, require_size
from .secrets import Masked, masked
from .unpacked_workbook import packed, unpacked
from .workbooks import ENDINGS, Workbook, read_workbook


class Admitted(NamedTuple):
    """The content of a file with its secrets masked; `book` is set for a workbook, and the content is then its text."""

    masked: Masked
    book: Workbook | None = None


def admitted(path: Path, max_bytes: int) -> Admitted:
    """The content of a file as it is stored.

    Raises SourceError where it cannot be read, has no reader, or is not the workbook that its name says.
    """
    return _admitted(read_bytes(path, max_bytes), path, max_bytes)


def waiting(content: bytes, path: Path, max_bytes: int) -> bytes:
    """The bytes to store until a file is read, with secrets masked; they are read like the file itself. Raises SourceError as `admitted`."""
    require_size(content, str(path), max_bytes)
    safe, book = _admitted(content, path, max_bytes)
    return packed(book._replace(text=safe.content.decode()), str(path)) if book else safe.content


def _admitted(content: bytes, path: Path, max_bytes: int) -> Admitted:
    require_known(path, content)
    if path.suffix.lower() not in ENDINGS:
        return Admitted(masked(content, kept_name(path)))
    book = unpacked(content, str(path), max_bytes=max_bytes) or read_workbook(content, str(path), max_bytes=max_bytes)
    return Admitted(masked(book.text.encode(), kept_name(path)), book)


def kept_name(path: PurePath) -> str:
    """The name of a file's stored content, whose ending is that of its format: the text of a workbook is CSV."""
    return f"{path.name}.csv" if path.suffix.lower() in ENDINGS else path.name
