"""Which files are read when a file or folder is given, and why the others are not.

In a folder these are skipped: hidden files and folders, kgplatform.toml, folders named `mappings`, what the settings
exclude, and links to folders. A file that is given itself is always read.
"""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

from ..ledger.notices import on_one_line
from ..model import Problem
from ..settings.load import FILE
from ..settings.patterns import is_excluded

MAPPINGS: Final = "mappings"
"""The folder of mapping files beside the settings."""


class Walk(NamedTuple):
    """(file, ingested folder) in the order of their paths, and a Problem for each file or folder that is skipped."""

    files: tuple[tuple[Path, Path], ...]
    passed: tuple[Problem, ...] = ()


def walk(start: Path, *, exclude: Sequence[str] = ()) -> Walk:
    """The files below `start`, or `start` itself where it is no folder (also where it does not exist)."""
    if wrong := _misspelt(start.name) or (not _is_utf8(os.path.abspath(start)) and "stands in a folder whose name is not UTF-8"):
        return Walk((), (_nameless(str(start), wrong),))
    if not os.path.isdir(start):
        return Walk(((start, start.parent),))
    files: list[Path] = []
    passed: list[Problem] = []
    for folder, below, names in os.walk(start, onerror=lambda error: passed.append(_closed(error))):
        entries = [(Path(folder, name), False) for name in names] + [(Path(folder, name), True) for name in below]
        below.clear()
        for path, is_folder in entries:
            problem = _passed_over(path, start, exclude, is_folder=is_folder)
            if problem:
                passed.append(problem)
            elif is_folder:
                below.append(path.name)
            else:
                files.append(path)
    return Walk(tuple((path, start) for path in sorted(files)), tuple(sorted(passed, key=lambda each: each.where)))


def unread_name(name: str, *, is_folder: bool = False) -> str:
    """The reason (of model.SKIPPED) for which every file or folder of this name is skipped, '' for one that is read."""
    if name.startswith("."):
        return "hidden"
    if name == (MAPPINGS if is_folder else FILE):
        return "settings"
    return ""


def _passed_over(path: Path, start: Path, exclude: Sequence[str], *, is_folder: bool) -> Problem | None:
    where = f"{path}/" if is_folder else str(path)
    if reason := unread_name(path.name, is_folder=is_folder):
        return Problem(where, "is hidden" if reason == "hidden" else "belongs to the settings", reason=reason)
    if wrong := _misspelt(path.name):
        return _nameless(where, wrong)
    if is_excluded(path, start, exclude, is_folder=is_folder):
        return excluded(path)
    if is_folder and os.path.islink(path):
        return Problem(where, "is a link to a folder, which is not followed", hint="name the folder itself", reason="link")
    return None


def _misspelt(name: str) -> str:
    """What is wrong with a file name, '' if nothing: file systems allow any bytes, while names of documents are UTF-8 on one line."""
    if not _is_utf8(name):
        return "has a name that is not UTF-8"
    if any(unicodedata.category(each) in ("Cc", "Zl", "Zp") for each in name):
        return "has a control character or a line break in its name"
    return ""


def _is_utf8(text: str) -> bool:
    return not any("\ud800" <= each <= "\udfff" for each in text)


def _nameless(where: str, what: str) -> Problem:
    return Problem(on_one_line(where), what, hint="rename it", reason="name")


def excluded(path: Path) -> Problem:
    """The problem of a file or folder that the settings exclude."""
    return Problem(str(path), "is excluded by a pattern of the settings", reason="excluded")


def _closed(error: OSError) -> Problem:
    return Problem(str(error.filename), error.strerror or "cannot be read", reason="unreadable")
