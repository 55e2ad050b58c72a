"""Settings that are read and have no effect, each with its place in the file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Sequence
from pathlib import PurePosixPath
from typing import Final

from ..ingest.file_types import JSONS, TABLES, YAMLS
from ..ingest.text import is_text_path
from ..ingest.workbooks import ENDINGS as WORKBOOKS
from ..model import Collection
from ..packs.folders import CORE, ontology_paths
from ..settings.key_lines import key_lines, place
from ..settings.load import FILE, Settings
from ..validate.unused_axioms import Note

_UNSET: Final = Collection("")
_CAPS_ON_MONEY: Final = ("model.max_call_cost", "model.max_session_cost")
_OF_CALLS: Final = frozenset(
    ("max_tokens", "timeout", "retries", "input_price", "output_price", "max_call_cost", "max_session_cost", "max_session_tokens")
)
_MAPPED: Final = frozenset({*TABLES, *JSONS, *YAMLS, *WORKBOOKS})


def setting_notes(settings: Settings) -> tuple[Note, ...]:
    """One note for each setting of the file that has no effect beside the others. Raises ConfigError for an unknown pack."""
    path = settings.file or settings.data / FILE
    if not path.is_file():
        return ()
    text = path.read_text(encoding="utf-8")
    lines = key_lines(text)
    noted = [*_packs(settings), *_excluding("", settings.exclude), *_contexts(settings), *_model(settings, lines)]
    for collection in settings.collections.values():
        noted += _collection(collection, is_open=collection.name == settings.default_collection)
    return tuple(Note(place(path.name, lines, key), key, message) for key, message in noted)


Noted = Iterator[tuple[str, str]]
"""Keys, each with the reason for which it has no effect."""


def _packs(settings: Settings) -> Noted:
    before: tuple[str, ...] = ()
    for pack in settings.packs:
        if pack != CORE and len(ontology_paths((*before, pack))) == len(ontology_paths(before)):
            yield "packs", f"{PurePosixPath(pack).name} is read already: it is named or imported before"
        elif pack == CORE:
            yield "packs", "core is always read"
        before = (*before, pack)


def _excluding(prefix: str, patterns: Sequence[str]) -> Noted:
    for number, pattern in enumerate(patterns):
        if pattern in patterns[:number] and patterns[number - 1] == pattern:
            yield f"{prefix}exclude", f"{pattern!r} stands there twice"
        if pattern.startswith("!") and all(each.startswith("!") for each in patterns[:number]):
            yield f"{prefix}exclude", f"{pattern!r} takes back what a pattern before it excludes, and none does"


def _contexts(settings: Settings) -> Noted:
    folder = settings.jsonld_contexts
    if folder and not any(path.is_file() for path in folder.rglob("*.jsonld*")) and not any(folder.rglob("*.json")):
        yield "jsonld_contexts", f"{folder.name} holds no context: name them by their URLs, such as schema.org/docs/jsonldcontext.json"


def _model(settings: Settings, stated: Iterable[str]) -> Noted:
    model = settings.model
    if model is None:
        yield from (
            (key, "no model is named: set model.base_url and model.name") for key in stated if key.removeprefix("model.") in _OF_CALLS
        )
        return
    if not (model.input_price or model.output_price):
        yield from ((key, "a cap on money needs model.input_price or model.output_price") for key in stated if key in _CAPS_ON_MONEY)
    if model.send_scopes and not model.extractor:
        yield "model.send_scopes", "no text is sent to the model: model.extractor is false"


def _collection(collection: Collection, *, is_open: bool) -> Noted:
    """What its kinds of files make no use of, where all its files come by its `paths`."""
    prefix = f"collections.{collection.name}."
    yield from _excluding(prefix, collection.exclude)
    doubled = [path for path, count in Counter(collection.paths).items() if count > 1]
    yield from ((f"{prefix}paths", f"{path!r} stands there twice") for path in doubled)
    if is_open or not collection.paths:
        return
    takes_texts, takes_records, takes_mapped = _taken(collection.paths)
    if collection.texts != _UNSET.texts and not takes_texts:
        yield f"{prefix}texts", "its paths fit no texts"
    if collection.trust != _UNSET.trust and not takes_records:
        yield f"{prefix}trust", "its paths fit texts alone, whose trust is `texts`"
    if collection.mapping and not takes_mapped:
        yield f"{prefix}mapping", "its paths fit no CSV, XLSX, JSON or YAML"


def _taken(patterns: Sequence[str]) -> tuple[bool, bool, bool]:
    """Whether patterns may fit texts, files that are no texts, and files that a mapping reads."""
    endings = [_ending(pattern) for pattern in patterns]
    is_any = None in endings
    texts = [ending for ending in endings if ending is not None and is_text_path(f"x{ending}")]
    return is_any or bool(texts), is_any or len(texts) < len(endings), is_any or _meet(endings, _MAPPED)


def _meet(endings: Sequence[str | None], known: Container[str | None]) -> bool:
    return any(ending in known for ending in endings)


def _ending(pattern: str) -> str | None:
    """The ending of every file that a pattern fits, None where they may have any."""
    name = pattern.rpartition("/")[2]
    _, mark, tail = name.rpartition("}" if name.rfind("}") > name.rfind("*") else "*")
    if "." in tail:
        return tail[tail.rindex(".") :].lower()
    return None if mark else ""
