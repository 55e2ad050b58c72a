"""kgplatform.toml as it is written: its tables, their keys, types, bounds and defaults. What they mean together is checked by `load`."""

from __future__ import annotations

import sys
from typing import Annotated, Final, Literal

from msgspec import UNSET, Meta, UnsetType, field

from ..forms.base import StrictForm
from ..model import Trust

DEFAULT_PACKS: Final = ("people-places", "service-catalog")
DEFAULT_BASE: Final = "https://kg.example/"
DEFAULT_MAX_FILE_BYTES: Final = 64 * 1024 * 1024
DEFAULT_ENGINE: Final = "pyshacl-turbo"
DEFAULT_PLANNER: Final = "rules"
DEFAULT_EXTRACTORS: Final = ("rules",)

Texts = tuple[str, ...]
Positive = Annotated[int, Meta(ge=1)]
Amount = Annotated[float, Meta(ge=0, le=sys.float_info.max)]


class StoreTable(StrictForm, frozen=True):
    """[store]. `kind` is that of a remote store where there are URLs, else of the embedded one."""

    kind: str | UnsetType = UNSET
    query_url: str = ""
    update_url: str = ""


class ModelTable(StrictForm, frozen=True):
    """[model]. `timeout` is in seconds, for one completion with its retries; prices are for a million tokens."""

    base_url: str = ""
    name: str = ""
    max_tokens: Positive = 1000
    timeout: Positive = 60
    retries: Annotated[int, Meta(ge=0)] = 2
    input_price: Amount = 0.0
    output_price: Amount = 0.0
    max_call_cost: Amount = 0.5
    max_session_cost: Amount = 5.0
    max_session_tokens: Positive = 1_000_000
    planner: str = DEFAULT_PLANNER
    extractor: bool = False
    send_scopes: frozenset[str] = frozenset()


class CollectionTable(StrictForm, frozen=True):
    """[collections.NAME]."""

    kind: Literal["snapshot", "statement"] = "statement"
    scopes: frozenset[str] = frozenset()
    trust: Trust = "extracted"
    texts: Trust = "extracted"
    typed: Literal["closed", "open"] = "closed"
    mapping: str = ""
    paths: Texts = ()
    exclude: Texts = ()


class SettingsFile(StrictForm, frozen=True):
    """The whole file."""

    base_iri: str = DEFAULT_BASE
    packs: Texts = DEFAULT_PACKS
    root: str = ""
    max_file_bytes: Positive = DEFAULT_MAX_FILE_BYTES
    exclude: Texts = ()
    text_model: str = ""
    extractors: Texts = DEFAULT_EXTRACTORS
    jsonld_contexts: str = ""
    engine: str = DEFAULT_ENGINE
    default_collection: str | UnsetType = UNSET
    store: StoreTable = StoreTable()
    model: ModelTable = ModelTable()
    collections: dict[str, CollectionTable] = field(default_factory=dict)
