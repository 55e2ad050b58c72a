"""Where a projection stands, and how it is opened there: a directory of this machine, a dataset of a server, a store of another package."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final, Protocol

from ..registry import Registry
from ..settings.load import EMBEDDED, RemoteAddress
from .base import GraphStore
from .outside import OutsideStore
from .oxigraph import OxigraphStore

Place = Path | RemoteAddress
"""What is read: a checkpoint of the embedded store, or the dataset itself."""


class StoreKind(Protocol):
    """Opens the stores of one kind. Its place is a directory for the embedded store, an address for every other one.

    A store that is no directory is read while it is written: a reader sees each commit whole, or not at all.
    """

    def writable(self, place: Place) -> GraphStore:
        """The store at the place, made where there is none. Raises StoreError, LockedError, StoreProbeError."""

    def readable(self, place: Place) -> GraphStore:
        """The store at the place, to read while another process may be writing. Raises StoreError where there is none."""


STORES: Final = Registry[Callable[[], StoreKind]]("store")


class EmbeddedStores:
    """Oxigraph in the data directory."""

    def writable(self, place: Place) -> GraphStore:
        """See StoreKind; the place is a directory."""
        assert isinstance(place, Path)
        return OxigraphStore.open(place)

    def readable(self, place: Place) -> GraphStore:
        """See StoreKind; the place is a checkpoint."""
        assert isinstance(place, Path)
        return OxigraphStore.open_read_only(place)


class RemoteStores:
    """Datasets of SPARQL 1.1 servers; who writes to one has probed it."""

    def writable(self, place: Place) -> GraphStore:
        """See StoreKind; the server is probed first."""
        from .probes import connect  # 0.1 s to load

        assert isinstance(place, RemoteAddress)
        return connect(place.query_url, place.update_url, user=place.user, password=place.password, token=place.token)

    def readable(self, place: Place) -> GraphStore:
        """See StoreKind; nothing is sent yet."""
        from .remote import RemoteReader

        assert isinstance(place, RemoteAddress)
        return RemoteReader.at(place)


def open_writable(directory: Path, remote: RemoteAddress | None) -> GraphStore:
    """The embedded store in the directory, or the one at the address in its stead. Raises StoreError, StoreProbeError, PluginError."""
    store = _opened(remote or directory, lambda kind, place: kind.writable(place))
    if isinstance(store, OutsideStore):
        from .probes import require_store_probes  # 0.1 s to load

        try:
            require_store_probes(store)
        except BaseException:
            store.close()
            raise
    return store


def open_readable(place: Place) -> GraphStore:
    """A store to read from, while another process may be writing."""
    return _opened(place, lambda kind, place: kind.readable(place))


def _opened(place: Place, open_: Callable[[StoreKind, Place], GraphStore]) -> GraphStore:
    name = kind_of(place)
    make = STORES.get(name)
    with STORES.calling(name):
        store = open_(make(), place)
    return store if STORES.is_own(name) else OutsideStore(store, lambda: STORES.calling(name))


def kind_of(place: Place) -> str:
    """The registered name of the kind of store that stands there."""
    return EMBEDDED if isinstance(place, Path) else place.kind
