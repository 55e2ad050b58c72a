"""What kgplatform takes by name: readers, YAML formats, extractors, planners, SHACL engines and stores, its own and those of installed packages.

Each is an entry point of the group `kgplatform.readers`, `kgplatform.extractors` and so on. Those of kgplatform itself are declared in
the same way, in pyproject.toml. A name of its own is looked up there alone; the packages that are installed are only searched for others.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Final, Generic, TypeVar, cast

from .errors import KgError, PluginError, UsageError, nearest

T = TypeVar("T")
OWN: Final = "kgplatform"
_PROJECT: Final = Path(__file__).parents[1] / "pyproject.toml"


@dataclass(frozen=True)
class Registry(Generic[T]):
    """The things of one kind by name. `kind` is a noun: `planner` is the group `kgplatform.planners`."""

    kind: str

    def get(self, name: str) -> T:
        """What bears the name. Raises UsageError where nothing does, PluginError where it cannot be loaded."""
        point = self._point(name)
        if point is None:
            hint = nearest(name, self.names()) or f"one of {', '.join(self.names())}"
            raise UsageError(f"no {self.kind} {name}", hint=hint)
        with self.calling(name):
            return cast(T, point.load())

    def names(self) -> tuple[str, ...]:
        """All names, kgplatform's own first."""
        own = _own(self._group)
        return (*own, *(name for name in _others(self._group) if name not in own))

    def __contains__(self, name: str) -> bool:
        return name in _own(self._group) or name in _others(self._group)

    def is_own(self, name: str) -> bool:
        """Whether kgplatform itself brings it."""
        return name in _own(self._group)

    @contextmanager
    def calling(self, name: str) -> Iterator[None]:
        """Around what calls it: whatever an outside package raises is a PluginError that names the package."""
        try:
            yield
        except (KgError, MemoryError):
            raise
        except Exception as error:
            if self.is_own(name):
                raise
            told = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
            where = distributions[0] if (distributions := self._distributions(name)) else ""
            raise PluginError(f"the {self.kind} {name} failed: {told}", where=where, hint="mend or uninstall that package") from error

    @property
    def _group(self) -> str:
        return f"{OWN}.{self.kind.replace(' ', '_')}s"

    def _point(self, name: str) -> metadata.EntryPoint | None:
        if value := _own(self._group).get(name):
            return metadata.EntryPoint(name, value, self._group)
        points = _others(self._group).get(name, ())
        if len(points) > 1:
            both = " and ".join(self._distributions(name))
            raise PluginError(f"the {self.kind} {name} is brought by {both}", hint="uninstall one of them")
        return points[0] if points else None

    def _distributions(self, name: str) -> list[str]:
        return [point.dist.name if point.dist else "" for point in _others(self._group).get(name, ())]


@cache
def _own(group: str) -> dict[str, str]:
    """Names and object references of our own: in a checkout those of its pyproject.toml, since its metadata is as old as its last
    `pip install -e`."""
    if _PROJECT.is_file():
        project = tomllib.loads(_PROJECT.read_text(encoding="utf-8")).get("project", {})
        if project.get("name") == OWN:
            return dict(project["entry-points"].get(group, {}))
    return {point.name: point.value for point in metadata.distribution(OWN).entry_points if point.group == group}


@cache
def _others(group: str) -> dict[str, tuple[metadata.EntryPoint, ...]]:
    """Name -> the entry points of other distributions. 0.01 s with 150 of them installed."""
    points: dict[str, tuple[metadata.EntryPoint, ...]] = {}
    for point in metadata.entry_points(group=group):
        if point.dist is None or point.dist.name != OWN:
            points[point.name] = (*points.get(point.name, ()), point)
    return points
