"""Formats of YAML documents that are known by their keys: catalogue entities, manifests, and those of installed packages."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import ClassVar, Final, Protocol

from ..registry import Registry
from .evidence import ReadClaims, require_quoted
from .readers import SourceFile, package_named
from .yaml_documents import Node, YamlMapping


class YamlFormat(Protocol):
    """Reads the documents of one file that are of its format, in YAML or JSON; also the members of a list that stands for documents."""

    words: ClassVar[Sequence[str]]
    """Keys that every document has: a JSON file without them is not looked into."""

    def __init__(self, file: SourceFile, roots: Sequence[Node | None]) -> None:
        """For a file with these documents, all of them; None is one that cannot be parsed."""

    @staticmethod
    def is_one(root: YamlMapping) -> bool:
        """Whether a document is of the format."""

    def read(self, root: YamlMapping) -> ReadClaims:
        """What one document says. Raises SourceError for one that cannot be read: the others are read all the same."""


YAML_FORMATS: Final = Registry[type[YamlFormat]]("yaml format")
"""By name. Those of other packages are asked first: whatever states a version and a kind is a manifest to the last of ours."""


def format_of(root: YamlMapping) -> str:
    """The name of the format that a document is of, '' if of none. Raises PluginError where another package fails."""
    for name, format_ in _formats(YAML_FORMATS.names()):
        with YAML_FORMATS.calling(name):
            if format_.is_one(root):
                return name
    return ""


def may_hold(text: str) -> bool:
    """Whether a JSON text has the keys of some format."""
    return any(all(f'"{word}"' in text for word in format_.words) for _name, format_ in _formats(YAML_FORMATS.names()))


@cache
def _formats(names: tuple[str, ...]) -> tuple[tuple[str, type[YamlFormat]], ...]:
    return tuple((name, YAML_FORMATS.get(name)) for name in sorted(names, key=YAML_FORMATS.is_own))


class YamlFile:
    """One file, whose documents are read by the formats that they are of."""

    def __init__(self, file: SourceFile, roots: Sequence[Node | None]) -> None:
        self._file, self._roots = file, roots
        self._formats: dict[str, YamlFormat] = {}

    def read(self, root: YamlMapping, name: str) -> ReadClaims:
        """What a document says in the format of that name. SourceError where it cannot be read, or another package fails."""
        with package_named(self._file.path), YAML_FORMATS.calling(name):
            if name not in self._formats:
                self._formats[name] = YAML_FORMATS.get(name)(self._file, self._roots)
            read = self._formats[name].read(root)
            if not YAML_FORMATS.is_own(name):
                require_quoted(read.claims, self._file.text)
        return read
