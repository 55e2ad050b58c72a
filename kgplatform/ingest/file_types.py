"""Which files are read, by the endings of their names and their first bytes."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from ..errors import EncodingSourceError, SourceError
from .readers import READERS, bytes_reader
from .text import is_text_path
from .workbooks import OTHERS as OTHER_WORKBOOKS

TABLES: Final = {".csv": ",", ".tsv": "\t"}
JSONS: Final = (".json", ".jsonl", ".ndjson")
YAMLS: Final = (".yaml", ".yml")
_PACKED: Final = (b"PK\x03\x04", b"\x1f\x8b", b"BZh", b"\xfd7zXZ\0", b"7z\xbc\xaf\x27\x1c", b"\x28\xb5\x2f\xfd", b"Rar!\x1a")


def is_for_people(path: Path, content: bytes) -> bool:
    """Whether a file is a text for people, which extractors read; a script without an ending is not."""
    return is_text_path(str(path)) and not content.startswith(b"#!")


def require_known(path: Path, content: bytes) -> None:
    """Raise SourceError for a file without a reader: of an unknown ending, or compressed, so that its content cannot be seen."""
    ending = path.suffix.lower()
    is_known = is_for_people(path, content) if is_text_path(str(path)) else ending in READERS
    if not is_known:
        endings = sorted(name for name in READERS.names() if name.startswith("."))
        known = "save it as .xlsx" if ending in OTHER_WORKBOOKS else f"known are {', '.join(endings)}"
        raise SourceError(f"is of no known type: {ending or 'no extension'}", where=str(path), hint=known, reason="type")
    if content.startswith(_PACKED) and bytes_reader(ending) is None:
        raise EncodingSourceError("is packed, and no text", where=str(path), hint="unpack it")
