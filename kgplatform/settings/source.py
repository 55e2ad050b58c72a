"""A settings file while it is read: its tables, and errors that name file, line and key."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path
from typing import Any

from ..errors import ConfigError, nearest
from ..forms.faults import FormError, toml_key, toml_wanted
from ..forms.reading import read_form
from ..registry import Registry
from .key_lines import key_lines, place
from .patterns import pattern
from .tables import SettingsFile


class SettingsSource:
    """The tables of a settings file, and where they stand. ConfigError for a file that is no such tables."""

    def __init__(self, text: str, path: Path) -> None:
        self._where = str(path)
        self._lines = key_lines(text)
        self.tables = self._read(text)

    def _read(self, text: str) -> SettingsFile:
        try:
            return read_form(tomllib.loads(text), SettingsFile)
        except tomllib.TOMLDecodeError as error:
            raise ConfigError(f"is not TOML: {error}", where=self._where, hint="see kgplatform.example.toml") from error
        except FormError as error:
            key, wanted = toml_wanted(error)
            if error.unknown is not None:
                hint = nearest(error.unknown, error.known) or f"known here: {', '.join(sorted(error.known))}"
                raise self.wrong(toml_key((*error.path, error.unknown)), "is no setting", hint=hint) from error
            if error.choices:
                what = f"is {error.value!r}, not one of {', '.join(error.choices)}"
                raise self.wrong(key, what, hint=nearest(str(error.value), error.choices)) from error
            bounds = {(">=", 1): "above 0", (">=", 0): "0 or above", ("<=", sys.float_info.max): "a finite number"}
            raise self.wrong(key, f"must be {bounds[error.limit] if error.limit else wanted}") from error

    def wrong(self, key: str, what: str, *, hint: str = "") -> ConfigError:
        """The error to raise about the value of a key, written `model.name`."""
        return ConfigError(f"{key} {what}", where=place(self._where, self._lines, key), hint=hint or "see kgplatform.example.toml")

    def check_registered(self, key: str, name: str, registry: Registry[Any]) -> str:
        """The name of something that kgplatform or an installed package brings."""
        if name not in registry:
            hint = nearest(name, registry.names()) or f"is its package installed? known are {', '.join(registry.names())}"
            raise self.wrong(key, f"is {name!r}, and no {registry.kind} has that name", hint=hint)
        return name

    def check_patterns(self, key: str, lines: tuple[str, ...]) -> tuple[str, ...]:
        """Patterns of paths to exclude."""
        for line in lines:
            try:
                pattern(line)
            except ValueError as error:
                raise self.wrong(key, f"holds {line!r}, which matches no path", hint="patterns are written as in .gitignore") from error
        return lines
