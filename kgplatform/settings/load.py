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
import tomllib
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import Any, Final
from urllib.parse import urlsplit

from ..errors import ConfigError, UnknownName, UsageError, nearest
from ..model import TRUST_LEVELS, Collection
from ..packs.folders import is_file_name
from ..registry import Registry
from ..terms import is_iri
from ..times import Instant, parse_stated, to_instant
from .patterns import covers, why_unmatched
from .toml_table import Table, key_lines

FILE: Final = "kgplatform.toml"
DEFAULT_DATA: Final = "kgdata"
KINDS: Final = ("snapshot", "statement")
TYPED: Final = ("closed", "open")
DEFAULT_PACKS: Final = ("people-places", "service-catalog")
DEFAULT_BASE: Final = "https://kg.example/"
DEFAULT_MAX_FILE_BYTES: Final = 64 * 1024 * 1024
DEFAULT_ENGINE: Final = "pyshacl-turbo"
DEFAULT_PLANNER: Final = "rules"
EMBEDDED: Final = "embedded"
REMOTE: Final = "remote"
"""The stores of kgplatform's own."""
DEFAULT_EXTRACTORS: Final = ("rules",)
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
        return urlsplit(self.url).hostname or ""


@dataclass(frozen=True)
class LanguageModel:
    """A model behind an OpenAI-compatible server. Its key comes from the environment alone and is never shown.

    `timeout` is in seconds, for one completion with its retries; prices are for a million tokens; the caps on money hold
    where there are prices. `planner` is who plans a question that does not say. With `extractor`, texts are sent to the model,
    but none with a scope outside `send_scopes`.
    """

    base_url: str
    name: str
    key: str = field(default="", repr=False)
    max_tokens: int = 1000
    timeout: int = 60
    retries: int = 2
    input_price: float = 0.0
    output_price: float = 0.0
    max_call_cost: float = 0.5
    max_session_cost: float = 5.0
    max_session_tokens: int = 1_000_000
    planner: str = DEFAULT_PLANNER
    extractor: bool = False
    send_scopes: frozenset[str] = frozenset()


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
    text = _text(path)
    return replace(
        _settings(Table(_toml(text, path), str(path), "", key_lines(text)), data=data, now=now, folder=path.parent),
        file=chosen,
        stamp=stamp,
    )


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


def _toml(text: str, path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"is not TOML: {error}", where=str(path), hint="see kgplatform.example.toml") from error


def _instant(text: str) -> Instant:
    try:
        return parse_stated(text).at if text else ""
    except ValueError as error:
        raise ConfigError(str(error), where="KGPLATFORM_NOW", hint="use a date such as 2025-11-01") from error


def _settings(table: Table, *, data: Path, now: Instant, folder: Path) -> Settings:
    root = folder / table.text("root")
    base = table.text("base_iri", DEFAULT_BASE)
    if "://" not in base or not base.endswith(("/", "#")) or not is_iri(base):
        raise table.wrong("base_iri", f"is {base!r}, not an absolute IRI that ends in / or #", hint=f"for example {DEFAULT_BASE}")
    declared = table.table("collections")
    collections = {name: _collection(declared.table(name), name) for name in declared.names()} or {UNDECLARED.name: UNDECLARED}
    _refuse_shared(declared, collections)
    default = table.text("default_collection", UNDECLARED.name if UNDECLARED.name in collections else "")
    if default and default not in collections:
        raise table.wrong(
            "default_collection",
            f"is {default!r}, which is not declared",
            hint=nearest(default, collections) or f"declare [collections.{default}]",
        )
    model, planner = _model(table.table("model"))
    settings = Settings(
        data=data,
        base_iri=base,
        packs=tuple(str(root / p) if is_file_name(p) else p for p in table.texts("packs", DEFAULT_PACKS)),
        collections=collections,
        default_collection=default,
        now=now,
        max_file_bytes=table.whole("max_file_bytes", DEFAULT_MAX_FILE_BYTES),
        exclude=table.patterns("exclude"),
        remote=_remote(table.table("store")),
        text_model=table.text("text_model"),
        extractors=_extractors(table),
        jsonld_contexts=_folder(table, "jsonld_contexts", root),
        model=model,
        planner=planner,
        engine=table.registered("engine", DEFAULT_ENGINE, Registry("engine")),
        root=root,
    )
    table.end()
    return settings


def _refuse_shared(table: Table, collections: dict[str, Collection]) -> None:
    """Raises ConfigError for a pattern all of whose files fit another collection as well: each of them would be refused."""
    patterns = [(collection.name, path) for collection in collections.values() for path in collection.paths]
    for name, path in patterns:
        for other, wide in patterns:
            if name != other and covers(wide, path):
                what = f"holds {path!r}: what fits it fits {wide!r} of {other} as well, and belongs to neither"
                raise table.wrong(f"{name}.paths", what, hint="leave it to one of the two collections")


def _extractors(table: Table) -> tuple[str, ...]:
    """Who reads texts. The language model, to which not every text may be sent, is not named among them."""
    names = table.all_registered("extractors", DEFAULT_EXTRACTORS, Registry("extractor"))
    if "model" in names:
        raise table.wrong("extractors", "names the language model", hint="set extractor = true in the table [model]")
    return names


def _folder(table: Table, key: str, root: Path) -> Path | None:
    """A folder that is there, beside the settings file unless its path is absolute; None where none is named."""
    named = table.text(key)
    if named and not (root / named).is_dir():
        raise table.wrong(key, f"names {root / named}, which is no folder", hint="make it, or leave the key out")
    return root / named if named else None


def _remote(table: Table) -> RemoteAddress | None:
    urls = {key: table.text(key) for key in ("query_url", "update_url")}
    kind = table.registered("kind", REMOTE if any(urls.values()) else EMBEDDED, Registry("store"))
    table.end()
    if kind == EMBEDDED:
        if any(urls.values()):
            raise table.wrong("kind", "is 'embedded', which has no URLs", hint="leave out the kind, or the URLs")
        return None
    for key, url in urls.items():
        parts = urlsplit(url)
        if kind == REMOTE and (parts.scheme not in ("http", "https") or not parts.hostname):
            raise table.wrong(key, "is not the http or https URL of a SPARQL server", hint="query_url and update_url go together")
        if parts.username or parts.password:
            raise table.wrong(key, "holds credentials", hint="put them into KGPLATFORM_STORE_USER and KGPLATFORM_STORE_PASSWORD")
    user, password, token = (os.environ.get(f"KGPLATFORM_STORE_{name}", "") for name in ("USER", "PASSWORD", "TOKEN"))
    if token and (user or password):
        raise ConfigError("both an account and a token are set", where="KGPLATFORM_STORE_TOKEN", hint="unset one of them")
    return RemoteAddress(urls["query_url"], urls["update_url"], user, password, token, kind)


def _model(table: Table) -> tuple[LanguageModel | None, str]:
    """The model, None where none is named, and the planner, which may need none."""
    defaults = LanguageModel("", "")
    model = LanguageModel(
        base_url=table.text("base_url"),
        name=table.text("name"),
        key=os.environ.get("KGPLATFORM_MODEL_KEY", ""),
        max_tokens=table.whole("max_tokens", defaults.max_tokens),
        timeout=table.whole("timeout", defaults.timeout),
        retries=int(table.number("retries", defaults.retries)),
        input_price=table.number("input_price", 0.0),
        output_price=table.number("output_price", 0.0),
        max_call_cost=table.number("max_call_cost", defaults.max_call_cost),
        max_session_cost=table.number("max_session_cost", defaults.max_session_cost),
        max_session_tokens=table.whole("max_session_tokens", defaults.max_session_tokens),
        planner=table.registered("planner", defaults.planner, Registry("planner")),
        extractor=table.flag("extractor"),
        send_scopes=frozenset(table.texts("send_scopes")),
    )
    table.end()
    if not (model.base_url or model.name or model.extractor or model.planner in WITH_MODEL):
        return None, model.planner
    parts = urlsplit(model.base_url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise table.wrong("base_url", "is not the http or https URL of a server", hint="for example http://127.0.0.1:8080/v1")
    if parts.username or parts.password:
        raise table.wrong("base_url", "holds credentials", hint="put the key into KGPLATFORM_MODEL_KEY")
    if not model.name:
        raise table.wrong("name", "is missing", hint="the name by which the server knows the model")
    return model, model.planner


def _collection(table: Table, name: str) -> Collection:
    collection = Collection(
        name=name,
        kind=table.choice("kind", "statement", KINDS),
        scopes=frozenset(table.texts("scopes")),
        trust=table.choice("trust", "extracted", TRUST_LEVELS),
        texts=table.choice("texts", "extracted", TRUST_LEVELS),
        typed=table.choice("typed", "closed", TYPED),
        mapping=table.text("mapping"),
        paths=table.texts("paths"),
        exclude=table.patterns("exclude"),
    )
    table.end()
    for path in collection.paths:
        if why := why_unmatched(path):
            raise table.wrong("paths", f"holds {path!r}, which no file fits", hint=why)
    for scope in collection.scopes:
        if scope == "public" or not scope.replace("-", "").replace("_", "").isalnum():
            raise table.wrong("scopes", f"holds {scope!r}", hint="a scope is letters, digits, - and _; a public collection has scopes = []")
    if PurePosixPath(collection.mapping).is_absolute() or ".." in PurePosixPath(collection.mapping).parts:
        raise table.wrong("mapping", "must stand beside or below the settings file")
    if "/" in name or not name:
        raise table.wrong("", "is no name for a collection", hint="use letters, digits, - and _")
    return collection
