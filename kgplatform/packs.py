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
from .turtle_positions import joined, syntax_reason

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
    for imported in _imports(path):
        _append(imported, ordered, above=(*above, name))
    ordered.append(path)


def _ontology_path(name: str) -> Path:
    path = Path(name) if name.endswith(".ttl") else _folder("ontology") / f"{name}.ttl"
    if not path.is_file():
        known = ", ".join(pack_names())
        raise ConfigError(f"no pack {name}", where="packs", hint=f"packs here: {known}; or the path of a .ttl file of your own")
    return path


def _imports(path: Path) -> tuple[str, ...]:
    """The packs that an ontology file imports; an import that is no pack of ours is left to its readers."""
    imported = {o.value for _, predicate, o in _triples(path, path.stat().st_mtime_ns) if predicate.value == OWL.imports}
    names = (str(iri).rstrip("#/").rpartition("/")[2] for iri in sorted(imported))
    return tuple(n for n in names if (_folder("ontology") / f"{n}.ttl").is_file())


@lru_cache(maxsize=64)
def _triples(path: Path, _changed: int) -> tuple[ox.Triple, ...]:
    """What a file says by itself: its prefixes, base and blank nodes are its own."""
    try:
        return tuple(quad.triple for quad in ox.parse(_text(path).encode(), format=ox.RdfFormat.TURTLE))
    except SyntaxError as error:
        raise OntologyError(f"not Turtle: {syntax_reason(error)}", where=f"{path}:{error.lineno or 1}", hint="mend the Turtle text") from error


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise OntologyError("is not UTF-8", where=str(path), hint="save it as UTF-8") from error


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
    """Core and the packs as one Turtle text, in which each file keeps its own blank nodes and its name."""
    return text_of(ontology_paths(packs))


def shapes_text(packs: Iterable[str]) -> str:
    """The hand-written shapes of core and the packs as one Turtle text, likewise."""
    return text_of(shapes_paths(packs))


def text_of(paths: Iterable[Path]) -> str:
    """Turtle files as one text. OntologyError, with file and line, for one that is no Turtle."""
    files = list(paths)
    for path in files:
        _triples(path, path.stat().st_mtime_ns)
    return joined((_file_name(path), _text(path)) for path in files)


def _file_name(path: Path) -> str:
    """`ontology/core.ttl` for a file that comes along, else the name without its folder: a released text names no place of a machine."""
    is_ours = path.parent in (_folder("ontology"), _folder("shapes"))
    return f"{path.parent.name}/{path.name}" if is_ours else path.name
