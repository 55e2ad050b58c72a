"""Where a projection stands, and how it is opened there: a directory of this machine, or a dataset of a server."""

from __future__ import annotations

from pathlib import Path

from ..settings.load import RemoteAddress
from .base import GraphStore
from .oxigraph import OxigraphStore

Place = Path | RemoteAddress
"""What is read: a checkpoint, or the dataset itself."""


def open_writable(directory: Path, remote: RemoteAddress | None) -> GraphStore:
    """The embedded store in the directory, or the remote one in its stead, probed. Raises StoreError, StoreProbeError."""
    if remote is None:
        return OxigraphStore.open(directory)
    from .probes import connect  # 0.1 s to load

    return connect(remote.query_url, remote.update_url, user=remote.user, password=remote.password, token=remote.token)


def open_readable(place: Place) -> GraphStore:
    """A store to read from, while another process may be writing."""
    if isinstance(place, Path):
        return OxigraphStore.open_read_only(place)
    from .remote import RemoteReader

    return RemoteReader.at(place)
