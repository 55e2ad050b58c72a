"""What is taken in of a file: its bytes, or the text of a workbook, with secrets masked. Nothing else of it is stored, judged or shown."""

from __future__ import annotations

import json
from pathlib import Path, PurePath
from typing import NamedTuple

from ..errors import PluginError
from .file_types import require_known
from .limits import is_text, read_bytes, require_size
from .readers import READERS, BytesReader, bytes_reader, package_named
from .secrets import Masked, masked
from .unpacked import Unpacked, packed, unpacked


class Admitted(NamedTuple):
    """The content of a file with its secrets masked; for one that is no text, that of the text in its place, and what else was unpacked."""

    masked: Masked
    unpacked: Unpacked | None = None


def admitted(path: Path, max_bytes: int) -> Admitted:
    """The content of a file as it is stored. Raises SourceError where it cannot be read, has no reader, or is not what its name says."""
    return _admitted(read_bytes(path, max_bytes), path, max_bytes)


def waiting(content: bytes, path: Path, max_bytes: int) -> bytes:
    """The bytes to store until a file is read, with secrets masked; they are read like the file itself. Raises SourceError as `admitted`."""
    require_size(content, str(path), max_bytes)
    safe, file = _admitted(content, path, max_bytes)
    return packed(file._replace(text=safe.content.decode())) if file else safe.content


def _admitted(content: bytes, path: Path, max_bytes: int) -> Admitted:
    with package_named(str(path)):
        require_known(path, content)
        reader = bytes_reader(path.suffix.lower())
        if reader is None:
            return Admitted(masked(content, kept_name(path)))
        file = unpacked(content, str(path), max_bytes=max_bytes) or _unpacked(reader, content, path, max_bytes)
    return Admitted(masked(file.text.encode(), kept_name(path)), file)


def _unpacked(reader: BytesReader, content: bytes, path: Path, max_bytes: int) -> Unpacked:
    """What the reader makes of the bytes. Of another package's, the text is checked, and the parts are masked like it."""
    ending = path.suffix.lower()
    with READERS.calling(ending):
        file = reader.unpack(content, str(path), max_bytes=max_bytes)
        if READERS.is_own(ending):
            return file
        if not is_text(file.text):
            raise ValueError("it made a text with NUL characters, or with halves of surrogate pairs")
        require_size(file.text.encode(), str(path), max_bytes)
        return file._replace(parts=json.loads(masked(json.dumps(file.parts).encode(), "parts.json").content))


def kept_name(path: PurePath) -> str:
    """The name of a file's stored content, whose ending is that of its format: the text of a workbook is CSV."""
    try:
        reader = bytes_reader(path.suffix.lower())
    except PluginError:  # its package was uninstalled or broken since
        reader = None
    return f"{path.name}{reader.text_ending}" if reader else path.name
