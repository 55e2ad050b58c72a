"""Finds ontology/, shapes/ and sample_data/: in the wheel beside this file, else in the checkout.

A *pack* is one Turtle file of the ontology with its shapes: `people-places` is ontology/people-places.ttl and
shapes/people-places.ttl. A name that ends in `.ttl` is a file of the user's own, with its shapes in `NAME.shapes.ttl`
beside it. `core` is always read first, and what a pack imports (owl:imports) before the pack.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import Final

import pyoxigraph as ox

from .errors import ConfigError, OntologyError
from .terms import OWL

CORE: Final = "core"


def _folder(kind: str) -> Path:
    for root in (Path(__file__).parent / "_packs", Path(__file__).parent.parent):
        if (root / kind).is_dir():
            return root / kind
    raise ConfigError(f"the folder {kind} is missing", where=str(Path(__file__).parent), hint="install kgplatform again")


def sample_data() -> Path:
    """The folder of the sample world, with its own kgplatform.toml."""
    return _folder("sample_data")


def example_config() -> Path:
    """The commented kgplatform.example.toml, which `kgplatform init` lays into a new data directory."""
    for root in (Path(__file__).parent / "_packs", Path(__file__).parent.parent):
        if (root / "kgplatform.example.toml").is_file():
            return root / "kgplatform.example.toml"
    raise ConfigError("kgplatform.example.toml is missing", where=str(Path(__file__).parent), hint="install kgplatform again")


def pack_names() -> tuple[str, ...]:
    """The packs that come with kgplatform, core left out."""
    return tuple(sorted(p.stem for p in _folder("ontology").glob("*.ttl") if p.stem != CORE))


def ontology_paths(packs: Iterable[str]) -> tuple[Path, ...]:
    """The Turtle files of core and the packs, each after what it imports, none twice. ConfigError for an unknown pack."""
    ordered: list[Path] = []
    for name in (CORE, *packs):
        _append(name, ordered, above=())
    return tuple(ordered)


def _append(name: str, ordered: list[Path], *, above: tuple[str, ...]) -> None:
    path = _ontology_path(name)
    if path in ordered or name in above:
        return
    for imported in _imports(path, path.stat().st_mtime_ns):
        _append(imported, ordered, above=(*above, name))
    ordered.append(path)


def _ontology_path(name: str) -> Path:
    path = Path(name) if name.endswith(".ttl") else _folder("ontology") / f"{name}.ttl"
    if not path.is_file():
        known = ", ".join(pack_names())
        raise ConfigError(f"no pack {name}", where="packs", hint=f"packs here: {known}; or the path of a .ttl file of your own")
    return path


@lru_cache(maxsize=64)
def _imports(path: Path, _changed: int) -> tuple[str, ...]:
    """The packs that an ontology file imports; an import that is no pack of ours is left to its readers."""
    try:
        quads = list(ox.parse(path.read_bytes(), format=ox.RdfFormat.TURTLE))
    except SyntaxError as error:
        raise OntologyError(str(error), where=str(path), hint="mend the Turtle text") from error
    names = (
        str(q.object.value).rstrip("#/").rpartition("/")[2]
        for q in quads
        if q.predicate.value == OWL.imports and isinstance(q.object, ox.NamedNode)
    )
    return tuple(n for n in names if (_folder("ontology") / f"{n}.ttl").is_file())


def shapes_paths(packs: Iterable[str]) -> tuple[Path, ...]:
    """The shapes files of the same packs in the same order; a pack without shapes has none."""
    ours = _folder("ontology")
    found: list[Path] = []
    for path in ontology_paths(packs):
        beside = _folder("shapes") / path.name if path.parent == ours else path.with_suffix(".shapes.ttl")
        if beside.is_file():
            found.append(beside)
    return tuple(found)


def ontology_text(packs: Iterable[str]) -> str:
    """Core and the packs as one Turtle text."""
    return "\n".join(path.read_text(encoding="utf-8") for path in ontology_paths(packs))


def shapes_text(packs: Iterable[str]) -> str:
    """The hand-written shapes of core and the packs as one Turtle text."""
    return "\n".join(path.read_text(encoding="utf-8") for path in shapes_paths(packs))
