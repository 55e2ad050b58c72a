"""What of a file comes in: its bytes, or a workbook's text, without secrets. Nothing else of it is kept, judged or told."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from .limits import read_bytes
from .secrets import Masked, masked
from .workbooks import ENDINGS, Workbook, read_workbook


class Admitted(NamedTuple):
    door: Masked
    book: Workbook | None = None


def admitted(path: Path, max_bytes: int) -> Admitted:
    """The content of a file as it is kept. SourceError where it cannot be read, or is no workbook though its name says so."""
    content = read_bytes(path, max_bytes)
    if path.suffix.lower() not in ENDINGS:
        return Admitted(masked(content, path.name))
    book = read_workbook(content, str(path), max_bytes=max_bytes)
    return Admitted(masked(book.text.encode(), f"{path.name}.csv"), book)
