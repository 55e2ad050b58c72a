"""What the graph object gives back: frozen values, the same from a data directory and from a server.

Each is what the JSON of the command line and of the API holds: `to_dict()` gives that JSON, and `from_dict` reads it.
Dates are ISO 8601 at the precision that a source stated; trust is one of model.TRUST_LEVELS.
"""

from __future__ import annotations

from html import escape
from typing import Any, Literal, Self

import msgspec

from .errors import AmbiguousName, ServerError

Json = dict[str, Any]
Outcome = Literal["answered", "no_match", "ambiguous", "truncated", "invalid", "unsupported", "timed_out", "stale"]


class GraphResult(msgspec.Struct, frozen=True, kw_only=True):
    """One result. Equal results are equal values; fields that a newer server adds are passed over."""

    def to_dict(self) -> Json:
        """The JSON that the command line and the API give."""
        told: Json = msgspec.to_builtins(self)
        return told

    @classmethod
    def from_dict(cls, told: Json) -> Self:
        """The value that this JSON holds. ServerError for JSON that is no such value."""
        try:
            return msgspec.convert(told, cls)
        except msgspec.ValidationError as error:
            raise ServerError(f"is no {cls.__name__}: {error}", hint="is the server of another version?") from error


class End(GraphResult, frozen=True, kw_only=True):
    """One end of a fact: an entity or class by `iri`, or a value, which is its label."""

    iri: str | None
    label: str

    def __str__(self) -> str:
        return self.label


class Limit(GraphResult, frozen=True, kw_only=True):
    """When something began or ended: `at` where it is known, `shown` in words; `kind` says how it is known, `after` the latest date before
    it."""

    kind: str
    at: str | None
    after: str | None
    shown: str

    def __str__(self) -> str:
        return self.shown


class Citation(GraphResult, frozen=True, kw_only=True):
    """One claim of a document: its words, from character `start` to `end` (and on `line`, 0 where there are none), and who may see it."""

    document: str
    version: str
    claim: str
    quote: str
    start: int
    end: int
    valid_from: str | None
    valid_to: str | None
    scope: tuple[str, ...]
    trust: str
    note: str
    line: int

    def __str__(self) -> str:
        line = f", line {self.line}" if self.line else ""
        return f"{self.document}{line}: “{' '.join(self.quote.split())}”"

    def _repr_html_(self) -> str:
        return f"<q>{escape(' '.join(self.quote.split()))}</q> <small>{escape(self.document)}{f', line {self.line}' if self.line else ''}</small>"


class Assertion(GraphResult, frozen=True, kw_only=True):
    """A fact with its time; `citations` are indexes into those of its answer, `conflicts_with` the IRIs of the facts that sources set
    against it."""

    iri: str
    subject: End
    relation: str
    object: End
    positive: bool
    qualifiers: dict[str, str]
    start: Limit
    end: Limit
    conflicts_with: tuple[str, ...]
    citations: tuple[int, ...]

    def __str__(self) -> str:
        return f"{self.subject} {'' if self.positive else 'not '}{self.relation} {self.object}"


class Item(GraphResult, frozen=True, kw_only=True):
    """One answer: an entity by `iri`, or a value. With dates asked for, `value` holds them as ISO 8601.

    `disputed` is how many of a number rest on facts that sources dispute; of what is no number, 1 if it does itself.
    """

    iri: str | None = None
    label: str
    value: str | int | None = None
    disputed: int = 0


class Clause(GraphResult, frozen=True, kw_only=True):
    """A part of a sentence, and the citations that it rests on, by their indexes; all parts together are the sentence."""

    text: str
    citations: tuple[int, ...] = ()


class Detail(GraphResult, frozen=True, kw_only=True):
    """A fact that tells one candidate from the others."""

    relation: str
    value: str


class Meaning(GraphResult, frozen=True, kw_only=True):
    """One of several entities that a name may mean, and the facts that tell it from the others."""

    iri: str
    label: str
    facts: tuple[Detail, ...]


class Cost(GraphResult, frozen=True, kw_only=True):
    """What an answer took; the calls and tokens are those of the language model."""

    model_calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    milliseconds: int = 0


class Answer(GraphResult, frozen=True, kw_only=True, omit_defaults=True):
    """The answer to a question: its outcome, its sentence, and everything that it rests on.

    `candidates` are what an ambiguous name may mean; `explanation` is there only where it was asked for.
    """

    question: str
    outcome: Outcome
    conflicting: bool
    sentence: str
    clauses: tuple[Clause, ...]
    answers: tuple[Item, ...]
    assertions: tuple[Assertion, ...]
    citations: tuple[Citation, ...]
    plan: Json | None
    sparql: str | None
    parameters: dict[str, str]
    warnings: tuple[str, ...]
    newest_source: str | None
    cost: Cost
    candidates: tuple[Meaning, ...] = ()
    explanation: str = ""

    def __bool__(self) -> bool:
        """Whether something was answered; that nothing was found is no `no`."""
        return self.outcome in ("answered", "truncated") and bool(self.sentence)

    def __str__(self) -> str:
        return "".join(f"{clause.text}{''.join(f' [{number + 1}]' for number in clause.citations)}" for clause in self.clauses)

    def __repr__(self) -> str:
        return f"<Answer {self.outcome}: {self.sentence}>"

    def _repr_html_(self) -> str:
        sentence = "".join(
            escape(clause.text) + "".join(f"<sup>[{number + 1}]</sup>" for number in clause.citations) for clause in self.clauses
        )
        notes = "".join(f"<p><em>{escape(warning)}</em></p>" for warning in self.warnings)
        sources = "".join(f"<li>{citation._repr_html_()}</li>" for citation in self.citations)
        disputed = " <strong>Sources disagree.</strong>" if self.conflicting else ""
        return f"<p>{sentence}{disputed}</p>{notes}" + (f"<ol>{sources}</ol>" if sources else "")


class Hit(GraphResult, frozen=True, kw_only=True):
    """An entity whose name matched, and how: exact, prefix, word (in the middle) or similar. `score` is 0 to 100."""

    iri: str
    key: str
    label: str
    types: str
    matched: str
    way: str
    score: float


class FactSource(GraphResult, frozen=True, kw_only=True):
    """A claim behind a fact of an entity."""

    document: str
    claim: str
    line: int
    quote: str
    trust: str
    note: str
    dated: str


class EntityFact(GraphResult, frozen=True, kw_only=True):
    """A fact of an entity as seen from it: `other` is its other end, `holds` whether it does at the time that is looked at."""

    assertion: str
    other: End
    positive: bool
    qualifiers: dict[str, str]
    holds: bool
    start: Limit
    end: Limit
    validity: str
    trust: str | None
    conflicting: bool
    sources: tuple[FactSource, ...]


class EntityGroup(GraphResult, frozen=True, kw_only=True):
    """The facts of one relation in one direction; `is_turned` where the entity is their object."""

    relation: str
    label: str
    is_turned: bool
    facts: tuple[EntityFact, ...]


class Entity(GraphResult, frozen=True, kw_only=True):
    """An entity with all its facts in both directions. `redirected_from` is the IRI that was asked for, where it is one with another."""

    asked: str
    outcome: Literal["answered"] = "answered"
    iri: str
    key: str
    label: str
    names: tuple[str, ...]
    types: tuple[str, ...]
    redirected_from: str | None
    groups: tuple[EntityGroup, ...]

    def __repr__(self) -> str:
        return f"<Entity {self.label} ({', '.join(self.types)}): {sum(len(group.facts) for group in self.groups)} facts>"

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{escape(group.label)}</td><td>{escape(fact.other.label)}</td><td>{escape(fact.validity)}</td></tr>"
            for group in self.groups
            for fact in group.facts
        )
        return f"<p><strong>{escape(self.label)}</strong> {escape(', '.join(self.types))}</p><table>{rows}</table>"


def entity_of(told: Json) -> Entity:
    """The entity of this JSON. AmbiguousName, with what the name may mean, where it tells candidates instead."""
    if told["outcome"] == "ambiguous":
        candidates = tuple(Meaning.from_dict(each) for each in told["candidates"])
        raise AmbiguousName(f"can be any of {len(candidates)}", where=told["asked"], candidates=candidates)
    return Entity.from_dict(told)


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
    state: str | msgspec.UnsetType = msgspec.UNSET
    new: int | msgspec.UnsetType = msgspec.UNSET
    accepted: int | msgspec.UnsetType = msgspec.UNSET
    facts: int | msgspec.UnsetType = msgspec.UNSET
    quarantined: int | msgspec.UnsetType = msgspec.UNSET


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


class IngestSummary(GraphResult, frozen=True, kw_only=True):
    """What an ingest read, and what became of every file and document; `reasons` counts the quarantined claims by code.

    `documents_new`, `claims_new` and `claims_unchanged` are told to the owner of the directory alone.
    """

    documents_read: int
    documents_new: int | msgspec.UnsetType = msgspec.UNSET
    claims_read: int
    claims_new: int | msgspec.UnsetType = msgspec.UNSET
    claims_unchanged: int | msgspec.UnsetType = msgspec.UNSET
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


def json_schemas() -> dict[str, Json]:
    """Name -> JSON Schema (2020-12) of every value and of what stands in it, with references as OpenAPI writes them."""
    kinds = (Answer, Entity, Hit, RefusedClaim, Conflict, RecordedDecision, Rejection, Discarded, Retried, Report, Unread, IngestSummary)
    _names, schemas = msgspec.json.schema_components(kinds, ref_template="#/components/schemas/{name}")
    return schemas
