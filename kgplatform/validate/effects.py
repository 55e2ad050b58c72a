"""What an ontology says without effect: constructs that nothing reads, labels that nothing can match, imports not found."""

from __future__ import annotations

from typing import NamedTuple

from ..schema import Schema


class Note(NamedTuple):
    """One thing that has no effect: its place (`films.ttl:12`), what it belongs to, and the reason."""

    where: str
    subject: str
    message: str

    def __str__(self) -> str:
        return f"{self.where}: {self.subject}: {self.message}"


def ontology_notes(schema: Schema) -> tuple[Note, ...]:
    return ()
