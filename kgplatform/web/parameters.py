"""The parameters of a request: each is taken once, with its type; what is left over or comes twice is refused."""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Iterable, Mapping
from typing import Any, Final

from flask import request

from ..times import Instant, parse_asked
from .problems import HttpProblem

MAX_TEXT: Final = 2000


class Parameters:
    """Named values of one request: strings from a query string or form, JSON values from a JSON body."""

    def __init__(self, values: Mapping[str, Any], *, is_json: bool = False) -> None:
        self._values = dict(values)
        self._is_json = is_json
        self._known: list[str] = []

    @classmethod
    def of(cls, *sources: Iterable[tuple[str, str]]) -> Parameters:
        """From (name, value) pairs. A name that comes twice is refused, as nobody can say which value counts."""
        found: dict[str, Any] = {}
        for name, value in (pair for source in sources for pair in source):
            if name in found:
                raise HttpProblem("bad-parameter", f"{name} is given more than once")
            found[name] = value
        return cls(found)

    @classmethod
    def of_request(cls) -> Parameters:
        """From the query string alone."""
        return cls.of(request.args.items(multi=True))

    @classmethod
    def of_json(cls) -> Parameters:
        """From a JSON object in the body; the query string must be empty."""
        if request.args:
            raise HttpProblem("bad-parameter", "a request with a JSON body has no parameters in its address")
        value = json_body()
        if not isinstance(value, dict):
            raise HttpProblem("bad-body", "the body is not a JSON object")
        for name in (name for name, each in value.items() if each is None):
            raise HttpProblem("bad-parameter", f"{name[:80]!r} is null", hint="leave it out")
        return cls(value, is_json=True)

    def take(self, name: str, *, is_known: bool = True) -> Any:
        """The value as it came, None if it was not given. What is taken only to be refused is not told among those that are known."""
        if is_known:
            self._known.append(name)
        return self._values.pop(name, None)

    def text(self, name: str, *, default: str | None = None, longest: int = MAX_TEXT) -> str:
        """A text that is not blank and holds no control characters; required where there is no default."""
        value = self.take(name)
        if value is None and default is not None:
            return default
        if value is None:
            raise HttpProblem("bad-parameter", f"{name} is missing")
        if not isinstance(value, str):
            raise HttpProblem("bad-parameter", f"{name} must be a text")
        if not value.strip():
            raise HttpProblem("bad-parameter", f"{name} is empty")
        if len(value) > longest:
            raise HttpProblem("bad-parameter", f"{name} has {len(value):,} characters", hint=f"at most {longest:,} are read")
        if any(ord(c) < 32 and c not in "\t\r\n" or 0xD800 <= ord(c) < 0xE000 for c in value):
            raise HttpProblem("bad-parameter", f"{name} holds a character that is no text")
        return value

    def choice(self, name: str, allowed: Collection[str], *, default: str) -> str:
        value = self.text(name, default=default)
        if value not in allowed:
            raise HttpProblem("bad-parameter", f"{name} is {value!r}", hint=f"one of {', '.join(allowed)}")
        return value

    def flag(self, name: str) -> bool:
        """true or false, as JSON has them or as a text; false if it is not given."""
        value = self.take(name)
        known = {"true": True, "false": False} if not self._is_json else {}
        if value is None or isinstance(value, bool):
            return bool(value)
        if not isinstance(value, str) or value not in known:
            raise HttpProblem("bad-parameter", f"{name} must be true or false")
        return known[value]

    def whole(self, name: str, *, default: int, least: int, most: int) -> int:
        value = self.take(name)
        if value is None:
            return default
        digits = isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 10
        number = int(value) if digits or isinstance(value, int) and not isinstance(value, bool) else None
        if number is None or not least <= number <= most:
            raise HttpProblem("bad-parameter", f"{name} must be a whole number from {least} to {most:,}")
        return number

    def seconds(self, name: str, *, default: float, most: float) -> float:
        """A positive number of seconds; more than `most` counts as `most`."""
        value = self.text(name, default=f"{default:g}")
        try:
            number = float(value)
        except ValueError:
            number = math.nan
        if not number > 0:
            raise HttpProblem("bad-parameter", f"{name} must be a number of seconds above 0", hint=f"at most {most:g} are given")
        return min(number, most)

    def instant(self, name: str) -> Instant:
        """The first second of a stated date, '' if none is given."""
        value = self.text(name, default="")
        try:
            return parse_asked(value).at if value else ""
        except ValueError as error:
            raise HttpProblem("bad-parameter", f"{name}: {error}", hint="YYYY, YYYY-MM, YYYY-MM-DD or 2025-11-01T12:00:00Z") from error

    def end(self) -> None:
        """Nothing may be left over."""
        for name in self._values:
            known = f"known here: {', '.join(self._known)}" if self._known else "none is known here"
            raise HttpProblem("bad-parameter", f"{name[:80]!r} is no parameter of this operation", hint=known)


def json_body() -> Any:
    """The body as JSON; a Problem if it is not, or not said to be."""
    if request.mimetype != "application/json":
        raise HttpProblem("unsupported-media-type", "the body must be application/json")
    try:
        return json.loads(request.get_data(), object_pairs_hook=_once)
    except RecursionError as error:
        raise HttpProblem("bad-body", "the JSON is nested too deeply") from error
    except UnicodeDecodeError as error:
        raise HttpProblem("bad-body", "the JSON is not UTF-8") from error
    except ValueError as error:
        raise HttpProblem("bad-body", f"the body is not JSON: {error}") from error


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise HttpProblem("bad-parameter", f"{twice[:80]!r} is given more than once")
    return found
