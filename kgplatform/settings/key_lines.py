"""On which line of a TOML text a key stands."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

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
