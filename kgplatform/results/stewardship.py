"""What stewards look at and decide, and what keeping a directory gives."""

from __future__ import annotations

from typing import Literal

from .base import GraphResult


class RefusedClaim(GraphResult, frozen=True, kw_only=True):
    """One quarantined claim: the code and words of the gate's reason, and where it stands."""

    id: str
    reason: str
    message: str
    document: str
    subject: str
    relation: str
    object: str
    quote: str
    start: int
    end: int
    scope: tuple[str, ...]
    trust: str


class ConflictValue(GraphResult, frozen=True, kw_only=True):
    """One of the facts that disagree, from when until when in words, and the documents that say so."""

    value: str
    label: str
    positive: bool
    valid_from: str
    valid_to: str
    assertion: str
    documents: tuple[str, ...]


class Conflict(GraphResult, frozen=True, kw_only=True):
    """The facts of one subject and relation that disagree."""

    subject: str
    label: str
    relation: str
    relation_label: str
    values: tuple[ConflictValue, ...]

    def __str__(self) -> str:
        return f"{self.label} {self.relation_label}: {' or '.join(value.label for value in self.values)}"


class RecordedDecision(GraphResult, frozen=True, kw_only=True):
    """What a steward decided: of two mentions (`a`, `b`), of a document, or of one of its facts; `ended` is '' while it is in force."""

    decision: int
    kind: Literal["rejected", "merged", "kept apart"]
    a: str = ""
    b: str = ""
    document: str = ""
    subject: str = ""
    relation: str = ""
    object: str = ""
    reason: str = ""
    by: str = ""
    recorded: str = ""
    ended: str = ""
    ended_by: str = ""
    scope: tuple[str, ...] = ()


class Discarded(GraphResult, frozen=True, kw_only=True):
    """The decision that a refused claim, by its id, is not wanted."""

    decision: int
    id: str


class Retried(GraphResult, frozen=True, kw_only=True):
    """How many claims were refused before and after all were judged again, and whether the packs had changed."""

    before: int
    after: int
    ontology_changed: bool


class Rejection(GraphResult, frozen=True, kw_only=True):
    """The decision that a claim, or ('' as `claim`) all that a document says, is wrong."""

    decision: int
    document: str
    claim: str
    reason: str


class LookedAt(GraphResult, frozen=True, kw_only=True):
    """How many focus nodes a shape looked at."""

    shape: str
    name: str
    focus_nodes: int


class Finding(GraphResult, frozen=True, kw_only=True):
    """One result of a validation: `focus` and `value` are terms in N-Triples syntax ('' for no value), `path` is as in SPARQL."""

    focus: str
    path: str
    value: str
    shape: str
    shape_name: str
    component: str
    severity: str
    message: str
    allowed: str = ""


class Report(GraphResult, frozen=True, kw_only=True):
    """All shapes over what the caller sees. `conforms` is None where no shape looked at anything."""

    engine: str
    outcome: str
    conforms: bool | None
    looked_at: tuple[LookedAt, ...]
    violations: tuple[Finding, ...]
    conflicts: tuple[Finding, ...]
    findings: tuple[Finding, ...]
    defects: tuple[Finding, ...]

    def __repr__(self) -> str:
        counts = ", ".join(f"{len(getattr(self, kind))} {kind}" for kind in ("violations", "conflicts", "findings", "defects"))
        return f"<Report {self.outcome}: {counts}>"


class Unread(GraphResult, frozen=True, kw_only=True):
    """One thing that is unread: how often and in how many documents, with one of them and the place in it."""

    kind: str
    what: str
    count: int
    documents: int
    document: str
    place: str


class Receipt(GraphResult, frozen=True, kw_only=True):
    """An erasure: how many strings of the document were looked for, in how many files and bytes, and the files in which some were
    `found`."""

    document: str
    state: str
    strings: int
    files_scanned: int
    bytes_scanned: int
    found: tuple[str, ...]
    out_of_reach: str


class Backup(GraphResult, frozen=True, kw_only=True):
    """A folder with the ledger, the originals and the settings."""

    folder: str
    documents: int
    originals: int
