"""A file that is sent, before it is read: which document of which collection it will be, and what of it may be kept meanwhile."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path, PurePosixPath
from typing import Final, NamedTuple

from ..data_directory import DataDir
from ..errors import SourceError
from ..ingest.admission import waiting
from ..ingest.document_names import DocumentNaming
from ..ingest.placing import place
from ..ingest.walking import unread_name
from ..ledger.sources import UPLOADED, sources
from ..model import Scopes
from ..projection.consistency import open_ledger
from ..settings.load import Settings
from ..settings.patterns import is_excluded

_FOLDER: Final = Path("/")


class UploadedDocument(NamedTuple):
    """The collection of a file, and its document's name in full (collection/id)."""

    collection: str
    name: str


def belongs_to_settings(path: PurePosixPath) -> bool:
    """Whether a walk of its folder would pass over a file of this path, or a folder in it, as one of the settings."""
    *folders, name = path.parts
    return bool(unread_name(name)) or any(unread_name(folder, is_folder=True) for folder in folders)


def uploaded_document(settings: Settings, scopes: Scopes, above: PurePosixPath, name: str, *, collection: str = "") -> UploadedDocument:
    """What a file `name` that stood in the folder `above` will be, in the named collection or in the one that its path says.

    It is named beside those documents which holders of the scopes may see. Raises SourceError for a file of no collection, or one that
    is excluded.
    """
    path, root = _FOLDER / above / name, _FOLDER / above
    where = place(path, root, settings, collection=collection)
    if is_excluded(path, root, (*settings.exclude, *where.collection.exclude)):
        raise SourceError("is excluded by a pattern of the settings", reason="excluded")
    with closing(open_ledger(DataDir(settings.data))) as ledger:
        known = sources(ledger, scopes, collection=where.collection.name)
    named = DocumentNaming(known).named(where._replace(root=UPLOADED, file=str(above / name)))
    return UploadedDocument(named.collection.name, f"{named.collection.name}/{named.document}")


def kept_meanwhile(settings: Settings, above: PurePosixPath, name: str, content: bytes) -> bytes:
    """The content with its secrets masked, for the disk, where a killed server leaves it. Raises SourceError for one that is not read."""
    return waiting(content, Path(above / name), settings.max_file_bytes)
