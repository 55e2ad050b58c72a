"""Frozen Settings, and the only reader of the environment and of kgplatform.toml.

| variable | says |
|---|---|
| KGPLATFORM_DATA | the data directory, instead of ./kgdata |
| KGPLATFORM_CONFIG | the settings file, instead of kgplatform.toml in the data directory |
| KGPLATFORM_SERVER | the URL of a server that commands talk to, instead of a data directory |
| KGPLATFORM_TOKEN | the token that they send there |
| KGPLATFORM_NOW | a fixed clock, for tests: an ISO 8601 date or instant |
| KGPLATFORM_STORE_USER, KGPLATFORM_STORE_PASSWORD | the account at the server of `[store]`, by HTTP Basic |
| KGPLATFORM_STORE_TOKEN | its bearer token, instead of an account |
| KGPLATFORM_MODEL_KEY | the key of the language model's server of `[model]` |
"""

from __future__ import annotations

import datetime as dt
import os
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import Final
from urllib.parse import urlsplit

from msgspec import UNSET
from msgspec.structs import asdict

from ..errors import ConfigError, UnknownName, UsageError, nearest
from ..model import Collection
from ..packs.folders import is_file_name
from ..registry import Registry
from ..terms import is_iri
from ..times import Instant, parse_stated, to_instant
from .patterns import covers, why_unmatched
from .source import SettingsSource
from .tables import (
    DEFAULT_BASE,
    DEFAULT_ENGINE,
    DEFAULT_EXTRACTORS,
    DEFAULT_MAX_FILE_BYTES,
    DEFAULT_PACKS,
    DEFAULT_PLANNER,
    CollectionTable,
    ModelTable,
)

FILE: Final = "kgplatform.toml"
DEFAULT_DATA: Final = "kgdata"
EMBEDDED: Final = "embedded"
REMOTE: Final = "remote"
"""The stores of kgplatform's own."""
WITH_MODEL: Final = ("model", "rules-then-model")
"""The planners that need a language model."""
UNDECLARED: Final = Collection("documents")
"""The one collection of a platform that declares none: statements, public, extracted."""


@dataclass(frozen=True)
class RemoteAddress:
    """The dataset of a SPARQL 1.1 server, or of a store of another kind, which reads the addresses in its own way.

    Its credentials come from the environment alone and are never shown.
    """

    query_url: str
    update_url: str
    user: str = field(default="", repr=False)
    password: str = field(default="", repr=False)
    token: str = field(default="", repr=False)
    kind: str = REMOTE


@dataclass(frozen=True)
class ServerAddress:
    """A running `kgplatform serve`, by a URL without its last slash. The token says who asks, and is never shown."""

    url: str
    token: str = field(default="", repr=False)

    @property
    def host(self) -> str:
        """Without the port."""
        return urlsplit(self.url).hostname or ""


class LanguageModel(ModelTable, frozen=True):
    """A model behind an OpenAI-compatible server. Its key comes from the environment alone and is never shown.

    The caps on money hold where there are prices. `planner` is who plans a question that does not say. With `extractor`, texts are sent
    to the model, but none with a scope outside `send_scopes`.
    """

    key: str = ""

    def __repr__(self) -> str:
        return f"LanguageModel({self.name!r} at {self.base_url})"


@dataclass(frozen=True)
class Settings:
    """All that a run is told from outside. Relative paths start at `root`: the folder of the settings file, or the one that it names.
    `file` is that file where one was named, None for the data directory's own.

    `remote` holds the projection; None is the embedded store in the data directory. `model` None is no language model.
    `planner` plans questions that do not say who, `engine` is the SHACL engine.
    """

    data: Path
    base_iri: str = DEFAULT_BASE
    packs: tuple[str, ...] = DEFAULT_PACKS
    collections: dict[str, Collection] = field(default_factory=lambda: {UNDECLARED.name: UNDECLARED})
    default_collection: str = ""
    now: Instant = ""
    max_file_bytes: int = DEFAULT_MAX_FILE_BYTES
    exclude: tuple[str, ...] = ()
    remote: RemoteAddress | None = None
    text_model: str = ""
    extractors: tuple[str, ...] = DEFAULT_EXTRACTORS
    jsonld_contexts: Path | None = None
    model: LanguageModel | None = None
    planner: str = DEFAULT_PLANNER
    engine: str = DEFAULT_ENGINE
    root: Path = Path()
    file: Path | None = field(default=None, compare=False)
    stamp: tuple[Path, int, int] | None = field(default=None, compare=False, repr=False)

    @property
    def are_current(self) -> bool:
        """Whether the settings file is still what was read: a process that has run for days puts nothing of it into force."""
        return self.stamp is None or self.stamp == _stamp(self.stamp[0])

    def clock(self) -> Instant:
        """Now in UTC, to the second; the fixed instant where one is set."""
        return self.now or to_instant(dt.datetime.now(dt.UTC))

    def collection(self, name: str) -> Collection:
        """The declared collection; UnknownName, with the nearest one, for another name."""
        if name in self.collections:
            return self.collections[name]
        raise UnknownName(f"no collection {name}", where=FILE, hint=nearest(name, self.collections) or f"declare [collections.{name}]")

    def mapping_path(self, collection: Collection) -> Path | None:
        """Where the mapping file of a collection stands; None if it has none."""
        return self.root / collection.mapping if collection.mapping else None


def stated_data() -> Path | None:
    """The data directory that the environment names, None if it names none."""
    named = os.environ.get("KGPLATFORM_DATA")
    return Path(named) if named else None


def stated_server() -> str:
    """The URL of the server that the environment names, '' if it names none."""
    return os.environ.get("KGPLATFORM_SERVER", "")


def server_address(url: str, *, token: str = "", token_file: Path | None = None) -> ServerAddress:
    """The server of that URL, with the given token, that of a file, else of the environment. UsageError for what is no such URL or
    token."""
    try:
        parts = urlsplit(url)
        is_url = parts.scheme in ("http", "https") and bool(parts.hostname) and not (parts.query or parts.fragment) and parts.port != 0
        (parts.hostname or "").encode("idna")  # which is how it is looked up
    except ValueError:
        is_url = False
    if not is_url or not url.isprintable() or " " in url:
        raise UsageError("is not the http or https URL of a server", where=f"--server {url}", hint="for example http://127.0.0.1:8080")
    if parts.username or parts.password:
        raise UsageError("holds credentials", where="--server", hint="put a token into KGPLATFORM_TOKEN, or into a file for --token-file")
    where = "token" if token else f"--token-file {token_file}" if token_file else "KGPLATFORM_TOKEN"
    try:
        token = token or (token_file.read_text(encoding="utf-8") if token_file else os.environ.get("KGPLATFORM_TOKEN", ""))
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot be read: {getattr(error, 'strerror', error)}", where=where) from error
    token = token.strip()
    if (token_file and not token) or not all("!" <= character <= "~" for character in token):
        raise UsageError("holds no token", where=where, hint="a token is one word, as `kgplatform token create` prints it")
    return ServerAddress(url.rstrip("/"), token)


def load_settings(data: Path, *, config: Path | None = None) -> Settings:
    """Settings of a data directory: from the given file, KGPLATFORM_CONFIG, or its kgplatform.toml (absent: all defaults).

    ConfigError names the file and the key; an unknown key comes with the nearest known one.
    """
    chosen = config or (Path(os.environ["KGPLATFORM_CONFIG"]) if os.environ.get("KGPLATFORM_CONFIG") else None)
    path = chosen or data / FILE
    now = _instant(os.environ.get("KGPLATFORM_NOW", ""))
    stamp = _stamp(path)
    if not path.is_file():
        if chosen:
            raise ConfigError("no such file", where=str(path), hint="name an existing settings file")
        return Settings(data=data, default_collection=UNDECLARED.name, now=now, root=data, stamp=stamp)
    settings = _settings(SettingsSource(_text(path), path), data=data, now=now, folder=path.parent)
    return replace(settings, file=chosen, stamp=stamp)


def _stamp(path: Path) -> tuple[Path, int, int]:
    """By which a changed file is known."""
    try:
        found = path.stat()
    except OSError:
        return path.absolute(), 0, 0
    return path.absolute(), found.st_mtime_ns, found.st_size


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise ConfigError(error.strerror or "cannot be read", where=str(path)) from error
    except UnicodeDecodeError as error:
        raise ConfigError("is not UTF-8", where=str(path), hint="save it as UTF-8") from error


def _instant(text: str) -> Instant:
    try:
        return parse_stated(text).at if text else ""
    except ValueError as error:
        raise ConfigError(str(error), where="KGPLATFORM_NOW", hint="use a date such as 2025-11-01") from error


def _settings(source: SettingsSource, *, data: Path, now: Instant, folder: Path) -> Settings:
    tables = source.tables
    root = folder / tables.root
    base = tables.base_iri
    if "://" not in base or not base.endswith(("/", "#")) or not is_iri(base):
        raise source.wrong("base_iri", f"is {base!r}, not an absolute IRI that ends in / or #", hint=f"for example {DEFAULT_BASE}")
    declared = {name: _collection(source, name, table) for name, table in tables.collections.items()}
    collections = declared or {UNDECLARED.name: UNDECLARED}
    _refuse_shared(source, collections)
    default = tables.default_collection
    if default is UNSET:
        default = UNDECLARED.name if UNDECLARED.name in collections else ""
    if default and default not in collections:
        hint = nearest(default, collections) or f"declare [collections.{default}]"
        raise source.wrong("default_collection", f"is {default!r}, which is not declared", hint=hint)
    return Settings(
        data=data,
        base_iri=base,
        packs=tuple(str(root / pack) if is_file_name(pack) else pack for pack in tables.packs),
        collections=collections,
        default_collection=default,
        now=now,
        max_file_bytes=tables.max_file_bytes,
        exclude=source.check_patterns("exclude", tables.exclude),
        remote=_remote(source),
        text_model=tables.text_model,
        extractors=_extractors(source),
        jsonld_contexts=_contexts(source, root),
        model=_model(source),
        planner=source.check_registered("model.planner", tables.model.planner, Registry("planner")),
        engine=source.check_registered("engine", tables.engine, Registry("engine")),
        root=root,
    )


def _refuse_shared(source: SettingsSource, collections: dict[str, Collection]) -> None:
    """Raises ConfigError for a pattern all of whose files fit another collection as well: each of them would be refused."""
    patterns = [(collection.name, path) for collection in collections.values() for path in collection.paths]
    for name, path in patterns:
        for other, wide in patterns:
            if name != other and covers(wide, path):
                what = f"holds {path!r}: what fits it fits {wide!r} of {other} as well, and belongs to neither"
                raise source.wrong(f"collections.{name}.paths", what, hint="leave it to one of the two collections")


def _extractors(source: SettingsSource) -> tuple[str, ...]:
    """Who reads texts. The language model, to which not every text may be sent, is not named among them."""
    names = source.tables.extractors
    if len(set(names)) < len(names):
        raise source.wrong("extractors", "names one twice")
    for name in names:
        source.check_registered("extractors", name, Registry("extractor"))
    if "model" in names:
        raise source.wrong("extractors", "names the language model", hint="set extractor = true in the table [model]")
    return names


def _contexts(source: SettingsSource, root: Path) -> Path | None:
    """A folder that is there, beside the settings file unless its path is absolute; None where none is named."""
    named = source.tables.jsonld_contexts
    if named and not (root / named).is_dir():
        raise source.wrong("jsonld_contexts", f"names {root / named}, which is no folder", hint="make it, or leave the key out")
    return root / named if named else None


def _remote(source: SettingsSource) -> RemoteAddress | None:
    store = source.tables.store
    urls = {"store.query_url": store.query_url, "store.update_url": store.update_url}
    kind = (REMOTE if any(urls.values()) else EMBEDDED) if store.kind is UNSET else store.kind
    source.check_registered("store.kind", kind, Registry("store"))
    if kind == EMBEDDED:
        if any(urls.values()):
            raise source.wrong("store.kind", "is 'embedded', which has no URLs", hint="leave out the kind, or the URLs")
        return None
    for key, url in urls.items():
        parts = urlsplit(url)
        if kind == REMOTE and (parts.scheme not in ("http", "https") or not parts.hostname):
            raise source.wrong(key, "is not the http or https URL of a SPARQL server", hint="query_url and update_url go together")
        if parts.username or parts.password:
            raise source.wrong(key, "holds credentials", hint="put them into KGPLATFORM_STORE_USER and KGPLATFORM_STORE_PASSWORD")
    user, password, token = (os.environ.get(f"KGPLATFORM_STORE_{name}", "") for name in ("USER", "PASSWORD", "TOKEN"))
    if token and (user or password):
        raise ConfigError("both an account and a token are set", where="KGPLATFORM_STORE_TOKEN", hint="unset one of them")
    return RemoteAddress(store.query_url, store.update_url, user, password, token, kind)


def _model(source: SettingsSource) -> LanguageModel | None:
    """The model, None where none is named and nothing needs one."""
    table = source.tables.model
    if not (table.base_url or table.name or table.extractor or table.planner in WITH_MODEL):
        return None
    parts = urlsplit(table.base_url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise source.wrong("model.base_url", "is not the http or https URL of a server", hint="for example http://127.0.0.1:8080/v1")
    if parts.username or parts.password:
        raise source.wrong("model.base_url", "holds credentials", hint="put the key into KGPLATFORM_MODEL_KEY")
    if not table.name:
        raise source.wrong("model.name", "is missing", hint="the name by which the server knows the model")
    return LanguageModel(**asdict(table), key=os.environ.get("KGPLATFORM_MODEL_KEY", ""))


def _collection(source: SettingsSource, name: str, table: CollectionTable) -> Collection:
    key = f"collections.{name}"
    source.check_patterns(f"{key}.exclude", table.exclude)
    for path in table.paths:
        if why := why_unmatched(path):
            raise source.wrong(f"{key}.paths", f"holds {path!r}, which no file fits", hint=why)
    for scope in table.scopes:
        if scope == "public" or not scope.replace("-", "").replace("_", "").isalnum():
            hint = "a scope is letters, digits, - and _; a public collection has scopes = []"
            raise source.wrong(f"{key}.scopes", f"holds {scope!r}", hint=hint)
    if PurePosixPath(table.mapping).is_absolute() or ".." in PurePosixPath(table.mapping).parts:
        raise source.wrong(f"{key}.mapping", "must stand beside or below the settings file")
    if "/" in name or not name:
        raise source.wrong(key, "is no name for a collection", hint="use letters, digits, - and _")
    return Collection(name, **asdict(table))
