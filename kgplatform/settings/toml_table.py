"""One TOML table while its settings are read: every key once, with its type; what nobody reads is refused."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from ..errors import ConfigError, nearest
from ..registry import Registry
from .patterns import pattern

_PART: Final = r"""(?:[\w-]+|"[^"\n]*"|'[^'\n]*')"""
_KEY: Final = rf"{_PART}(?:\s*\.\s*{_PART})*"
_LINE: Final = re.compile(rf"\s*(?:\[\s*(?P<table>{_KEY})\s*\]|(?P<key>{_KEY})\s*=)")


def key_lines(text: str) -> dict[str, int]:
    """The line of each key and table header of a TOML text, as `collections.memos.paths`."""
    lines: dict[str, int] = {}
    table: list[str] = []
    for number, line in enumerate(text.splitlines(), 1):
        if found := _LINE.match(line):
            parts = [part.strip("\"'") for part in re.findall(_PART, found["table"] or found["key"])]
            table = parts if found["table"] else table
            lines.setdefault(".".join(parts if found["table"] else [*table, *parts]), number)
    return lines


def place(where: str, lines: Mapping[str, int], key: str) -> str:
    """The file with the line of a key, or of the nearest table around it that has one."""
    while key and key not in lines:
        key = key.rpartition(".")[0]
    return f"{where}:{lines[key]}" if key else where


class Table:
    """One TOML table while it is read: each key is taken once, with its type; what is left over is unknown."""

    def __init__(self, values: dict[str, Any], where: str, prefix: str, lines: Mapping[str, int]) -> None:
        self._values = dict(values)
        self._where = where
        self._lines = lines
        self._prefix = prefix
        self._known: set[str] = set()

    def _take(self, key: str, default: Any, type_: type | tuple[type, ...], wanted: str) -> Any:
        self._known.add(key)
        value = self._values.pop(key, default)
        if not isinstance(value, type_) or isinstance(value, bool):
            raise self.wrong(key, f"must be {wanted}")
        return value

    def text(self, key: str, default: str = "") -> str:
        return str(self._take(key, default, str, "a text in quotes"))

    def choice(self, key: str, default: str, allowed: tuple[str, ...]) -> str:
        value = self.text(key, default)
        if value not in allowed:
            raise self.wrong(key, f"is {value!r}, not one of {', '.join(allowed)}", hint=nearest(value, allowed))
        return value

    def registered(self, key: str, default: str, registry: Registry[Any]) -> str:
        """The name of something that kgplatform or an installed package brings."""
        return self._require_registered(key, self.text(key, default), registry)

    def all_registered(self, key: str, default: tuple[str, ...], registry: Registry[Any]) -> tuple[str, ...]:
        """Such names, none twice."""
        names = self.texts(key, default)
        if len(set(names)) < len(names):
            raise self.wrong(key, "names one twice")
        return tuple(self._require_registered(key, name, registry) for name in names)

    def _require_registered(self, key: str, name: str, registry: Registry[Any]) -> str:
        if name not in registry:
            hint = nearest(name, registry.names()) or f"is its package installed? known are {', '.join(registry.names())}"
            raise self.wrong(key, f"is {name!r}, and no {registry.kind} has that name", hint=hint)
        return name

    def whole(self, key: str, default: int) -> int:
        value = int(self._take(key, default, int, "a whole number"))
        if value <= 0:
            raise self.wrong(key, "must be above 0")
        return value

    def number(self, key: str, default: float) -> float:
        value = float(self._take(key, default, (int, float), "a number"))
        if not 0 <= value < float("inf"):
            raise self.wrong(key, "must be 0 or above")
        return value

    def flag(self, key: str) -> bool:
        self._known.add(key)
        value = self._values.pop(key, False)
        if not isinstance(value, bool):
            raise self.wrong(key, "must be true or false")
        return value

    def texts(self, key: str, default: tuple[str, ...] = ()) -> tuple[str, ...]:
        value = self._take(key, list(default), list, "a list of texts")
        if not all(isinstance(item, str) for item in value):
            raise self.wrong(key, "must be a list of texts")
        return tuple(value)

    def patterns(self, key: str) -> tuple[str, ...]:
        """Patterns of paths to exclude, each checked."""
        lines = self.texts(key)
        for line in lines:
            try:
                pattern(line)
            except ValueError as error:
                raise self.wrong(key, f"holds {line!r}, which matches no path", hint="patterns are written as in .gitignore") from error
        return lines

    def table(self, key: str) -> Table:
        return Table(self._take(key, {}, dict, "a table"), self._where, f"{self._prefix}{key}.", self._lines)

    def names(self) -> tuple[str, ...]:
        return tuple(self._values)

    def end(self) -> None:
        for key in self._values:
            raise self.wrong(key, "is no setting", hint=nearest(key, self._known) or f"known here: {', '.join(sorted(self._known))}")

    def wrong(self, key: str, what: str, *, hint: str = "") -> ConfigError:
        where = place(self._where, self._lines, f"{self._prefix}{key}".rstrip("."))
        return ConfigError(f"{self._prefix}{key} {what}", where=where, hint=hint or "see kgplatform.example.toml")
