"""A file that is no text, as text: that is what is masked, stored, quoted and shown in its place.

The file itself is not stored: its content is compressed, where a mask of equal length would break it.
"""

from __future__ import annotations

import io
import json
import zipfile
import zlib
from typing import Any, Final, NamedTuple

from .limits import require_room

_TEXT: Final = "unpacked.csv"
_PARTS: Final = "unpacked.json"


class Unpacked(NamedTuple):
    """The text of a file, and JSON values that its reader needs besides."""

    text: str
    parts: Any = None


def packed(file: Unpacked) -> bytes:
    """An archive of the two parts, to wait until it is read."""
    archive_bytes = io.BytesIO()
    with zipfile.ZipFile(archive_bytes, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(_TEXT, file.text)
        archive.writestr(_PARTS, json.dumps(file.parts))
    return archive_bytes.getvalue()


def unpacked(content: bytes, path: str, *, max_bytes: int) -> Unpacked | None:
    """What such an archive holds; None for any other content."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            if {_TEXT, _PARTS} != set(archive.namelist()):
                return None
            require_room(archive, path, max_bytes)
            return Unpacked(archive.read(_TEXT).decode(), json.loads(archive.read(_PARTS)))
    except (zipfile.BadZipFile, zlib.error, ValueError, RuntimeError, EOFError, OSError):
        return None
