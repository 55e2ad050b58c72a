"""Limits of a source (size, depth, aliases), and its decoding. An error for a source beyond a limit names the limit."""

from __future__ import annotations

import codecs
import re
import stat
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Final

from ..errors import EncodingSourceError, LimitSourceError, SourceError

_NO_TEXT: Final = re.compile("[\0\ud800-\udfff]")

MAX_DEPTH: Final = 100
"""Levels of nesting in one YAML or JSON document."""

MAX_ALIAS_NODES: Final = 10_000
"""Nodes that the aliases of one YAML document may repeat."""


_UNPACKED: Final = 8
"""How many times `max_bytes` the parts of a workbook may have together when unpacked. XML of rows packs to a tenth or less."""


def read_bytes(path: Path, max_bytes: int) -> bytes:
    """The content of a regular file of at most `max_bytes`; nothing larger is ever read into memory."""
    with opened(path) as file:
        content = file.read(max_bytes + 1)
    require_size(content, str(path), max_bytes)
    return content


def require_size(content: bytes, where: str, max_bytes: int) -> None:
    """Raise SourceError for a file that holds nothing, LimitSourceError for one that holds more than `max_bytes`."""
    if len(content) > max_bytes:
        hint = "split it, or raise max_file_bytes in kgplatform.toml"
        raise LimitSourceError(f"is larger than max_file_bytes = {max_bytes}", where=where, hint=hint)
    if not content.strip(b" \t\r\n\xef\xbb\xbf"):
        raise SourceError("is empty", where=where, hint="erase the document if it is meant to be gone", reason="empty")


def require_room(archive: zipfile.ZipFile, path: str, max_bytes: int) -> None:
    """Raise LimitSourceError for an archive that unpacks to too much; zipfile never gives more of a part than its entry says."""
    unpacked = sum(entry.file_size for entry in archive.infolist())
    if unpacked > _UNPACKED * max_bytes:
        hint = "split it, or raise max_file_bytes in kgplatform.toml"
        raise LimitSourceError(
            f"unpacks to {unpacked:,} bytes, more than {_UNPACKED} times max_file_bytes = {max_bytes}", where=path, hint=hint
        )
    if any(entry.flag_bits & 1 for entry in archive.infolist()):
        raise SourceError("is encrypted", where=path, hint="save it without a password")


@contextmanager
def opened(path: Path) -> Iterator[IO[bytes]]:
    """A regular file, open for reading. Raises SourceError where it cannot be read; pipes and devices are never opened."""
    where = str(path)
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise SourceError("is not a regular file", where=where, hint="name a file or a folder")
        with path.open("rb") as file:
            yield file
    except FileNotFoundError as error:
        what = "is a link to nothing" if path.is_symlink() else "no such file or folder"
        raise SourceError(what, where=where, hint="check the path") from error
    except OSError as error:
        raise SourceError(error.strerror or "cannot be read", where=where) from error


def is_text(value: str) -> bool:
    """Whether a value has no NUL and no half of a surrogate pair: escapes can write them, and stored texts cannot hold them."""
    return not _NO_TEXT.search(value)


_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
"""Byte order marks; that of UTF-32 begins with that of UTF-16."""


def _wide(content: bytes) -> str:
    """UTF-16's byte order in a text without byte order mark, '' if it is not UTF-16: half of the bytes of a header are NUL there."""
    start = content[:400]
    halves = {"utf-16-be": start[::2].count(0), "utf-16-le": start[1::2].count(0)}
    likely = max(halves, key=lambda name: halves[name])
    return likely if halves[likely] * 4 > len(start) else ""


def decoded_table(content: bytes, path: Path, encoding: str) -> str:
    """The text of a table: as its byte order mark says, else as its mapping does, else UTF-8; line ends stay as they are."""
    marked = next((name for mark, name in _MARKS if content.startswith(mark)), "")
    name = marked or encoding or "utf-8"
    try:
        text = content.decode(name).removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        likely = _wide(content) or "cp1252"
        hint = (
            f'say its encoding in the mapping, for example encoding = "{likely}"'
            if name == "utf-8"
            else "correct the encoding in the mapping"
        )
        raise EncodingSourceError(f"is not {name.upper()} at byte {error.start}", where=f"{path}:{line}", hint=hint) from error
    if not is_text(text):
        likely = _wide(content)
        hint = (
            f'say its encoding in the mapping: encoding = "{likely}"'
            if likely
            else f"is its encoding {name}? the mapping says which: encoding = ..."
        )
        raise EncodingSourceError("holds NUL bytes and is no text", where=str(path), hint=hint)
    return text


def is_utf8(content: bytes, text: str) -> bool:
    """Whether the bytes are the UTF-8 of the text, with or without a byte order mark."""
    return content.removeprefix(codecs.BOM_UTF8) == text.encode()


def decoded(content: bytes, path: Path) -> str:
    """The text of UTF-8 bytes, without a byte order mark; line ends stay as they are."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        wide = "UTF-16" if content[:2] in (b"\xff\xfe", b"\xfe\xff") else "another encoding"
        what = f"is not UTF-8 at byte {error.start} (perhaps {wide})"
        raise EncodingSourceError(what, where=f"{path}:{line}", hint="convert it to UTF-8") from error
    if "\0" in text:
        raise EncodingSourceError("holds NUL bytes and is no text", where=str(path), hint="convert it to UTF-8 text")
    return text
