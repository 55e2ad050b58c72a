"""What an ingest did."""

from __future__ import annotations

from html import escape

from msgspec import UNSET, UnsetType

from .base import GraphResult


class NoticeSummary(GraphResult, frozen=True, kw_only=True):
    """Something of a document that was left out, masked or guessed: `place` is the line or cell in it."""

    kind: str
    what: str
    count: int
    place: str


class DocumentSummary(GraphResult, frozen=True, kw_only=True):
    """What became of one document of an ingest. `claims` = those read; of the new ones, accepted + quarantined = `new`."""

    document: str
    path: str
    claims: int
    notices: tuple[NoticeSummary, ...]
    state: str | UnsetType = UNSET
    new: int | UnsetType = UNSET
    accepted: int | UnsetType = UNSET
    facts: int | UnsetType = UNSET
    quarantined: int | UnsetType = UNSET


class Trouble(GraphResult, frozen=True, kw_only=True):
    """A file, row or cell that was not read, why, and what to do."""

    where: str
    what: str
    hint: str = ""
    reason: str = ""


class Difference(GraphResult, frozen=True, kw_only=True):
    """Where the settings' files and the data directory differ, and what to do: of the clock, the ontology, mappings or settings."""

    about: str
    what: str
    hint: str

    def __str__(self) -> str:
        return f"{self.what} ({self.hint})"


class IngestSummary(GraphResult, frozen=True, kw_only=True):
    """What an ingest read, and what became of every file and document; `reasons` counts the quarantined claims by code.

    `documents_new`, `claims_new` and `claims_unchanged` are told to the owner of the directory alone.
    """

    documents_read: int
    documents_new: int | UnsetType = UNSET
    claims_read: int
    claims_new: int | UnsetType = UNSET
    claims_unchanged: int | UnsetType = UNSET
    accepted: int
    quarantined: int
    reasons: dict[str, int]
    seconds: float
    states: dict[str, int]
    files_skipped: dict[str, int]
    notices: dict[str, dict[str, int]]
    warning: str | None
    problems: tuple[Trouble, ...]
    skipped: tuple[Trouble, ...]
    documents: tuple[DocumentSummary, ...]
    gone: int
    withdrawn: int
    differences: tuple[Difference, ...]

    def __repr__(self) -> str:
        return (
            f"<IngestSummary {self.documents_read} documents, {self.claims_read} claims: {self.accepted} accepted, {self.quarantined} quarantined, "
            f"{len(self.problems)} problems>"
        )

    def _repr_html_(self) -> str:
        troubles = "".join(f"<li>{escape(each.where)}: {escape(each.what)}</li>" for each in self.problems)
        return f"<p>{escape(repr(self)[1:-1])}</p>" + (f"<ul>{troubles}</ul>" if troubles else "")
