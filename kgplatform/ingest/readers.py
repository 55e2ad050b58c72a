"""Readers, which take claims from a file by the ending of its name: kgplatform's own and those of installed packages.

Texts for people (Markdown, plain text) have no reader: extractors read them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

from ..errors import PluginError, SourceError
from ..registry import Registry
from ..schema import Schema
from ..settings.load import Settings
from .evidence import ReadClaims, require_quoted
from .mappings import TableMapping
from .placing import DocumentPlace
from .records import Header, SourceRecord
from .tables import read_records
from .workbooks import Workbook


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file as its reader is given it: its whole text, in which secrets are masked, and what else the claims depend on.

    For a workbook the text is that of its sheets as CSV, and `book` has the cells. A key that a reader makes without the document's
    name (`molecule:aspirin`) is the same entity in all files.
    """

    place: DocumentPlace
    text: str
    schema: Schema
    settings: Settings
    load_mapping: Callable[[DocumentPlace], TableMapping]
    on_record: Callable[[], None]
    book: Workbook | None = None

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
READERS: Final = Registry[Reader]("reader")
"""By ending, as `.csv`."""


def read_file(file: SourceFile) -> ReadClaims:
    """What the reader of its ending takes from a file. SourceError where it cannot be read, or a reader of another package fails."""
    try:
        reader = READERS.get(file.ending)
        with READERS.calling(file.ending):
            claims = reader(file)
            if not READERS.is_own(file.ending):
                require_quoted(claims.claims, file.text)
    except PluginError as error:
        raise SourceError(f"{error.what} [{error.where}]", where=file.path, hint=error.hint) from error
    return claims
