"""Readers, which take claims from a file, or passages for extractors: by its content, else by the ending of its name.

kgplatform's own and those of installed packages are found alike, by name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final, Protocol, cast, runtime_checkable

from ..errors import PluginError, SourceError
from ..registry import Registry
from ..schema import Schema
from ..settings.load import Settings
from .evidence import ReadClaims, require_quoted
from .mappings import TableMapping
from .placing import DocumentPlace
from .records import Header, SourceRecord
from .tables import read_records
from .unpacked import Unpacked


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file as its reader is given it: its whole text, in which secrets are masked, and what else the claims depend on.

    For a file that is no text, it is the text that its BytesReader made, and `parts` what else it made. A key that a reader makes
    without the document's name (`molecule:aspirin`) is the same entity in all files.
    """

    place: DocumentPlace
    text: str
    schema: Schema
    settings: Settings
    load_mapping: Callable[[DocumentPlace], TableMapping]
    on_record: Callable[[], None]
    parts: Any = None

    @property
    def path(self) -> str:
        """The path of the file as a text, as places of problems and notices begin."""
        return str(self.place.path)

    @property
    def ending(self) -> str:
        """The ending of its name in lower case, with its dot."""
        return self.place.path.suffix.lower()

    @property
    def has_mapping(self) -> bool:
        """Whether its collection names a mapping file."""
        return bool(self.place.collection.mapping)

    def mapping(self) -> TableMapping:
        """The mapping of its collection. SourceError where it has none."""
        return self.load_mapping(self.place)

    def records(self, rows: Iterable[Header | SourceRecord], mapping: TableMapping, format_: str) -> ReadClaims:
        """The claims of records by a mapping."""
        return read_records(map(self._counted, rows), mapping, self.schema, self.text, self.path, format_=format_)

    def _counted(self, row: Header | SourceRecord) -> Header | SourceRecord:
        if isinstance(row, SourceRecord):
            self.on_record()
        return row


Reader = Callable[[SourceFile], ReadClaims]
"""Raises SourceError for a file that it cannot read. Every claim quotes its place: `evidence.candidate` makes one."""


@runtime_checkable
class ContentReader(Protocol):
    """A reader of files that their content tells apart from others of the same ending. It is asked before the reader of the ending."""

    def is_one(self, file: SourceFile) -> bool:
        """Whether it reads this file. It is asked of every file, so let it look at the ending first."""

    def __call__(self, file: SourceFile, /) -> ReadClaims:
        """As a Reader."""


@runtime_checkable
class BytesReader(Protocol):
    """A reader of files that are no text: it makes the text that is masked, stored, quoted and shown in their place, and reads that."""

    text_ending: str
    """Of what format that text is, as secrets are looked for in it: `.csv`, `.txt`."""

    def unpack(self, content: bytes, path: str, *, max_bytes: int) -> Unpacked:
        """The text, and JSON values for `SourceFile.parts`. Raises SourceError."""

    def __call__(self, file: SourceFile, /) -> ReadClaims:
        """As a Reader."""


READERS: Final = Registry[Reader]("reader")
"""By ending, as `.csv`; a ContentReader by a name without a dot."""
WITHOUT_ENDING: Final = ".txt"
"""The reader of files without an ending: README, LICENSE."""


def bytes_reader(ending: str) -> BytesReader | None:
    """The reader of an ending whose files are no text; None for all others. Raises PluginError where it does not load."""
    reader = READERS.get(ending) if ending in READERS else None
    return reader if isinstance(reader, BytesReader) else None


def read_file(file: SourceFile) -> ReadClaims:
    """What its reader takes from a file. SourceError where it cannot be read, or a reader of another package fails."""
    with package_named(file.path):
        name = next((name for name in _by_content() if _is_one(name, file)), file.ending or WITHOUT_ENDING)
        reader = READERS.get(name)
        with READERS.calling(name):
            claims = reader(file)
            if not READERS.is_own(name):
                require_quoted(claims.claims, file.text)
                if any(file.text[each.start : each.end] != each.text for each in claims.passages or ()):
                    raise ValueError("a passage is not the text at its span")
    return claims


def _by_content() -> tuple[str, ...]:
    """The names of the readers by content, those of other packages first."""
    return tuple(sorted((name for name in READERS.names() if not name.startswith(".")), key=READERS.is_own))


def _is_one(name: str, file: SourceFile) -> bool:
    reader = READERS.get(name)
    with READERS.calling(name):
        return cast(ContentReader, reader).is_one(file)


@contextmanager
def package_named(path: str) -> Iterator[None]:
    """Around what calls a reader: where another package fails, a SourceError names it."""
    try:
        yield
    except PluginError as error:
        raise SourceError(f"{error.what} [{error.where}]", where=path, hint=error.hint) from error
