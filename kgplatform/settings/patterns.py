"""Patterns of paths as .gitignore writes them: which files a setting excludes."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import Final, NamedTuple

from pathspec import GitIgnoreSpec


class PathPattern(NamedTuple):
    """One line: `**/CHANGELOG.md`, `drafts/`, `*.bak`, or `!keep.bak`, which takes back what a line before it excludes."""

    spec: GitIgnoreSpec
    excludes: bool
    reach: int
    """Folders that it names: so far above an ingested folder it is tried too."""


@lru_cache(maxsize=1024)
def pattern(line: str) -> PathPattern:
    """The pattern of a line. ValueError where it is none, or one that matches nothing."""
    body = line.removeprefix("!")
    spec = GitIgnoreSpec.from_lines([body])
    if not body.strip() or body.startswith("!") or not any(each.include for each in spec.patterns):
        raise ValueError(f"{line!r} matches no path")
    folders = body.strip("/").replace("**/", "").count("/")
    return PathPattern(spec, not line.startswith("!"), 0 if body.startswith("/") else folders)


def why_unmatched(path: str) -> str:
    """Why no file below a folder that is read can fit one of the `paths` of a collection; '' where one can."""
    unknown = re.findall(r"\{(?!date\}|id\})[^}]*\}", path)
    if unknown:
        return f"{unknown[0]} is no placeholder: {{id}} and {{date}} are"
    if "\\" in path:
        return "folders are parted by /"
    if path.startswith(("/", "~")) or path[1:3] == ":/":
        return "a pattern begins below the folder that is read"
    if {"", ".", ".."} & set(path.split("/")):
        return "a path below a folder has no empty part, no . and no .."
    return ""


_PLACEHOLDERS: Final = ("{date}", "*", "{id}")
"""Each fits what those before it fit."""


def covers(wide: str, narrow: str) -> bool:
    """Whether every file that one pattern of `paths` fits is fitted by the other one, with the same weight: neither is nearer then."""
    every, some = (re.split(r"(\{date\}|\{id\}|\*)", each) for each in (wide, narrow))
    return len(every) == len(some) and all(map(_covers_part, every, some))


def _covers_part(wide: str, narrow: str) -> bool:
    return wide == narrow or ({wide, narrow} <= set(_PLACEHOLDERS) and _PLACEHOLDERS.index(wide) > _PLACEHOLDERS.index(narrow))


def is_excluded(path: Path, root: Path, lines: Iterable[str], *, is_folder: bool = False) -> bool:
    """Whether the last pattern that matches a path below the ingested folder `root` excludes it.

    A pattern with a slash inside is tried on the path with the folders above `root` too, as far up as it reaches:
    `docs/drafts/` excludes the same files whether the folder above docs, docs or drafts is ingested.
    """
    excluded = False
    for each in map(pattern, lines):
        levels = (root, *root.absolute().parents)[: each.reach + 1]
        if any(each.spec.match_file(_below(path, level) + ("/" if is_folder else "")) for level in levels):
            excluded = each.excludes
    return excluded


def _below(path: Path, folder: Path) -> str:
    return path.absolute().relative_to(folder.absolute()).as_posix()
