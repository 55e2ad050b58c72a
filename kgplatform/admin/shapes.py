"""The SHACL shapes of packs: those that their ontology implies, written into their files, and where stored ones disagree."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from ..data_directory import write_durably
from ..packs.folders import ontology_text, shapes_text
from ..schema import load_schema
from ..validate.shapes import Drift, drift, generate, ignored, rewritten


class Disagreements(NamedTuple):
    """Where stored shapes and the ontology disagree, and, a line each, what of the ontology has no effect."""

    drift: list[Drift]
    ignored: list[str]


def implied(packs: Sequence[str]) -> str:
    """The shapes that the packs imply, in Turtle."""
    return generate(load_schema(ontology_text(packs)))


def rewrite(packs: Sequence[str]) -> list[Path]:
    """Bring the generated section of every shapes file of the packs up to date; the files that were written."""
    changed = {path: text for path, text in rewritten(packs).items() if not path.is_file() or path.read_text(encoding="utf-8") != text}
    for path, text in changed.items():
        write_durably(path, text.encode())
    return list(changed)


def disagreements(packs: Sequence[str]) -> Disagreements:
    """Compare the stored shapes of the packs with what their ontology implies."""
    text = shapes_text(packs)
    schema = load_schema(ontology_text(packs), text)
    return Disagreements(drift(schema, text), ignored(schema))
