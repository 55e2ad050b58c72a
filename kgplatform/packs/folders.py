"""Finds ontology/, shapes/ and sample_data/: in the wheel beside this file, else in the checkout.

A *pack* is one file of the ontology with its shapes: `people-places` is ontology/people-places.ttl and
shapes/people-places.ttl. A name that ends as RDF files do is a file of the user's own, in any syntax of RDF, with its shapes in
`NAME.shapes.ttl` beside it. `core` is always read first, and what a pack imports (owl:imports) before the pack.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Final

from ..errors import ConfigError
from ..terms import OWL
from .positions import joined
from .syntaxes import FORMATS
from .texts import pack_text

CORE: Final = "core"


_ROOTS: Final = (Path(__file__).parents[1] / "_packs", Path(__file__).parents[2])
"""Where the packs stand: inside an installed package, or beside the package in a checkout."""


def _folder(kind: str) -> Path:
    for root in _ROOTS:
        if (root / kind).is_dir():
            return root / kind
    raise ConfigError(f"the folder {kind} is missing", where=str(_ROOTS[0].parent), hint="install kgplatform again")


def sample_data() -> Path:
    """The folder of the sample world, with its own kgplatform.toml."""
    return _folder("sample_data")


def example_config() -> Path:
    """The commented kgplatform.example.toml, which `kgplatform init` lays into a new data directory."""
    for root in _ROOTS:
        if (root / "kgplatform.example.toml").is_file():
            return root / "kgplatform.example.toml"
    raise ConfigError("kgplatform.example.toml is missing", where=str(_ROOTS[0].parent), hint="install kgplatform again")


def pack_names() -> tuple[str, ...]:
    """The packs that come with kgplatform, core left out."""
    return tuple(sorted(p.stem for p in _folder("ontology").glob("*.ttl") if p.stem != CORE))


def ontology_paths(packs: Iterable[str]) -> tuple[Path, ...]:
    """The files of core and the packs, each after what it imports, none twice. ConfigError for an unknown pack."""
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


def is_file_name(name: str) -> bool:
    """Whether a pack is named by the path of a file, and not by the name of a pack of kgplatform's own."""
    return Path(name).suffix.lower() in FORMATS


def _ontology_path(name: str) -> Path:
    path = Path(name) if is_file_name(name) else _folder("ontology") / f"{name}.ttl"
    if not path.is_file():
        known = ", ".join(pack_names())
        raise ConfigError(
            f"no pack {name}", where="packs", hint=f"packs here: {known}; or the path of a file of your own: {', '.join(FORMATS)}"
        )
    return path


def _imports(path: Path) -> tuple[str, ...]:
    """The packs that an ontology file imports; an import that is no pack of ours is left to its readers."""
    imported = {o.value for _, predicate, o in pack_text(path).triples if predicate.value == OWL.imports}
    names = (str(iri).rstrip("#/").rpartition("/")[2] for iri in sorted(imported))
    return tuple(n for n in names if (_folder("ontology") / f"{n}.ttl").is_file())


def shapes_paths(packs: Iterable[str]) -> tuple[Path, ...]:
    """The shapes files of the same packs in the same order; a pack without shapes has none."""
    ours = _folder("ontology")
    paths: list[Path] = []
    for path in ontology_paths(packs):
        beside = _folder("shapes") / path.name if path.parent == ours else path.with_suffix(".shapes.ttl")
        if beside.is_file() and beside not in paths:
            paths.append(beside)
    return tuple(paths)


def ontology_text(packs: Iterable[str]) -> str:
    """Core and the packs as one Turtle text, in which each file keeps its own blank nodes and its name."""
    return text_of(ontology_paths(packs))


def shapes_text(packs: Iterable[str]) -> str:
    """The hand-written shapes of core and the packs as one Turtle text, likewise."""
    return text_of(shapes_paths(packs))


def text_of(paths: Iterable[Path]) -> str:
    """Files as one Turtle text. OntologyError, with file and line, for one that is no RDF."""
    texts = [(_file_name(path), pack_text(path)) for path in paths]
    return joined(((name, text.turtle) for name, text in texts), whole={name for name, text in texts if not text.has_lines})


def _file_name(path: Path) -> str:
    """`ontology/core.ttl` for a file of kgplatform's own, else the name without its folder: a released text holds no path of a machine."""
    is_ours = path.parent in (_folder("ontology"), _folder("shapes"))
    return f"{path.parent.name}/{path.name}" if is_ours else path.name
