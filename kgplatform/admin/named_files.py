"""Settings files in another place: the packs and mappings that they name are followed where they stand, or come along.

`install` copies a settings file and leaves those where they are; `take_along` copies them too, so that the copy needs nothing else.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import tomlkit
from tomlkit.items import Table

from ..data_directory import write_durably
from ..errors import ConfigError
from ..packs import folders
from ..settings.load import FILE, Settings, load_settings

FOLDER: Final = "files"
"""The folder of a copy that holds what came along."""


def install(source: Path, data: Path) -> None:
    """Write a settings file into a data directory; its relative paths still start where it stood.

    Raises ConfigError for what is no settings file, before anything is written.
    """
    settings = load_settings(data, config=source)
    text = source.read_text(encoding="utf-8")
    data.mkdir(mode=0o700, parents=True, exist_ok=True)
    if source.resolve().parent != data.resolve() and source != folders.example_config():
        text = _rooted(text, settings.root.absolute(), source.absolute())
    write_durably(data / FILE, text.encode())


def _rooted(text: str, root: Path, source: Path) -> str:
    """The same settings with the root stated."""
    stated = tomlkit.parse(text)
    if "root" in stated:
        stated["root"] = str(root)
        return tomlkit.dumps(stated)
    return (
        f"# A copy of {source}. The packs and mappings that it names are read from this folder:\nroot = {json.dumps(str(root))}\n\n{text}"
    )


def followed(settings: Settings) -> list[Path]:
    """The files that the settings name: packs of the user with their shapes, mappings. ConfigError for a pack that is not there."""
    ours = folders.ontology_paths(folders.pack_names())[0].parent
    named = [path for path in folders.ontology_paths(settings.packs) if path.parent != ours]
    beside = {path.with_suffix(".shapes.ttl") for path in named}
    named += [path for path in folders.shapes_paths(settings.packs) if path in beside]
    named += [path for collection in settings.collections.values() if (path := settings.mapping_path(collection))]
    return list(dict.fromkeys(named))


def take_along(settings: Settings, target: Path) -> None:
    """Write the settings into a folder with a copy of every file that they name; nothing where there is no settings file."""
    source = settings.file or settings.data / FILE
    if not source.is_file():
        return
    files = [path.absolute() for path in followed(settings)]
    above = Path(os.path.commonpath([path.parent for path in files])) if files else Path()
    inner = {path: Path(FOLDER) / path.relative_to(above) for path in files}
    for path, place in inner.items():
        (target / place).parent.mkdir(parents=True, exist_ok=True)
        try:
            shutil.copyfile(path, target / place)
        except OSError as error:
            what = f"cannot be copied: {error.strerror or error}"
            raise ConfigError(what, where=str(path), hint=f"it is named in {source}: put it back, or take its name out") from error
    stated = tomlkit.parse(source.read_text(encoding="utf-8"))
    stated.pop("root", None)
    if "packs" in stated:
        stated["packs"] = [str(inner.get(Path(name).absolute(), name)) for name in settings.packs]
    for table, name in _mappings(stated):
        table["mapping"] = str(inner[(settings.root / name).absolute()])
    if settings.jsonld_contexts:
        shutil.copytree(settings.jsonld_contexts, target / FOLDER / "contexts")
        stated["jsonld_contexts"] = f"{FOLDER}/contexts"
    write_durably(target / FILE, tomlkit.dumps(stated).encode())


def _mappings(stated: tomlkit.TOMLDocument) -> Iterator[tuple[Table, str]]:
    """Each table of a collection that names a mapping, and its name."""
    collections = stated.get("collections", {})
    return ((table, str(table["mapping"])) for table in collections.values() if table.get("mapping"))
