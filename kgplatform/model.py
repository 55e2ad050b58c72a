"""Frozen values that pass between the stages. No behaviour beyond what the values themselves say."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, Literal, NamedTuple, get_args

from .times import Bound, Instant

Scopes = frozenset[str]
Audience = frozenset[str]
"""The scopes that a caller holds beyond `public`, which everyone holds."""

PUBLIC: Final[Audience] = frozenset()
Trust = Literal["extracted", "reviewed", "authoritative"]
TRUST_LEVELS: Final[tuple[str, ...]] = get_args(Trust)
ROLES: Final = ("reader", "steward", "editor", "admin")


class Fact(NamedTuple):
    """What one claim says, without where it was read. Subject and object are nodes (see `terms`).

    `relation` is an IRI; rdf:type and rdfs:label are relations like others.
    `start` and `end` are None where the source states none.
    `qualifiers` is a sorted tuple of (relation IRI, node).
    """

    subject: str
    relation: str
    object: str
    start: Bound | None = None
    end: Bound | None = None
    qualifiers: tuple[tuple[str, str], ...] = ()
    positive: bool = True


class Candidate(NamedTuple):
    """A claim as a reader or extractor emits it, before the ledger gives it its id.

    `start` and `end` are character offsets into `Reading.text`; `quote` equals `text[start:end]`.
    `note` says what was normalised or guessed on the way from the source's words to the fact, '' if nothing.
    """

    fact: Fact
    start: int
    end: int
    quote: str
    extractor: str
    confidence: float = 1.0
    graph: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Passage:
    """A span of a document's text that an extractor reads at once (character offsets)."""

    start: int
    end: int
    text: str


SKIPPED: Final = {
    "hidden": "hidden",
    "excluded": "excluded by the settings",
    "settings": "of the settings",
    "link": "links to folders",
    "type": "of no known type",
    "collection": "of no collection",
    "mapping": "records without a mapping that fits",
    "twice": "the same document twice",
    "size": "over a limit",
    "empty": "empty",
    "encoding": "not UTF-8",
    "name": "with a name that cannot be taken",
    "syntax": "that cannot be parsed",
    "unreadable": "that cannot be opened",
    "refused": "refused by the server",
    "erased": "erased before",
}
"""Why a file was not read, in words that follow its count."""
PASSED_OVER: Final = frozenset({"hidden", "excluded", "settings"})
"""Those that nobody needs to hear of one by one."""


@dataclass(frozen=True, slots=True)
class Problem:
    """Something in a source that was not taken: `where` is path or path:line, `what` one sentence.

    `reason`, one of SKIPPED, is why a whole file was not read; '' is a part of one that was.
    """

    where: str
    what: str
    hint: str = ""
    reason: str = ""


NoticeKind = Literal["unmapped", "skipped", "masked", "guessed", "silent"]
NOTICE_KINDS: Final[tuple[str, ...]] = get_args(NoticeKind)
"""What a reader tells: a key, column or term without a mapping; a part that was not taken; a secret that was masked; a value that
was normalised or guessed; a document that gave no claim (`what` begins with one of SILENT). Of a key whose values became claims,
which wait in quarantine, the pipeline tells."""
SILENT: Final = ("language", "no text", "no names", "no readable sentence", "set aside", "no record")
"""Why a document gave no claim."""


@dataclass(frozen=True, slots=True)
class Notice:
    """What a reading did not take or changed, counted: `what` names it, `where` is the first place, path:line or ''."""

    kind: str
    what: str
    count: int = 1
    where: str = ""


@dataclass(frozen=True, slots=True)
class Reading:
    """All that one reading of one document yields.

    `document` is the declared id or the path inside its collection; `declared` its date or ''.
    `scopes` are those that front matter or mapping add to the collection's.
    `extractor` names extractor and version; another one than last time ends nothing by absence.
    `complete` is False where a part could not be read: then nothing is ended by its absence.
    `file` is which file it was, as an absolute path, and `root` the ingested folder; '' where neither is known.
    """

    collection: str
    document: str
    path: str
    title: str
    text: str
    claims: tuple[Candidate, ...]
    extractor: str
    is_text: bool = False
    declared: Instant = ""
    scopes: Scopes = frozenset()
    passages: tuple[Passage, ...] = ()
    complete: bool = True
    problems: tuple[Problem, ...] = ()
    content: bytes = b""
    notices: tuple[Notice, ...] = ()
    root: str = ""
    file: str = ""


STATES: Final = {"new": "new", "changed": "changed", "again": "said again", "reread": "read anew by other rules", "unchanged": "unchanged"}
"""What a reading was to the ledger, in words: a document that was not there, other content than last, content that an earlier version
had, the same content read by an extractor or mapping that changed, nothing new."""


@dataclass(frozen=True, slots=True)
class Collection:
    """Where documents come from and what that means for their claims."""

    name: str
    kind: str = "statement"
    scopes: Scopes = frozenset()
    trust: str = "extracted"
    texts: str = "extracted"
    typed: str = "closed"
    mapping: str = ""
    paths: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()


class DerivedAssertion(NamedTuple):
    """A derived fact: subject and object are canonical mention keys or nodes; both bounds are set."""

    subject: str
    relation: str
    object: str
    qualifiers: tuple[tuple[str, str], ...]
    positive: bool
    start: Bound
    end: Bound

    @property
    def is_plain(self) -> bool:
        """Whether it is a triple by itself: positive, without qualifiers."""
        return self.positive and not self.qualifiers

    def holds(self, at: Instant) -> bool:
        """Whether the instant lies between its bounds, the end excluded."""
        return self.start.at <= at < self.end.at


@dataclass(frozen=True, slots=True)
class Merge:
    """A steward's word that two mention keys name one entity, for whoever holds the scopes."""

    a: str
    b: str
    scopes: Scopes = PUBLIC


@dataclass(frozen=True, slots=True)
class KeepApart:
    """A steward's word that two mention keys name two entities, for whoever holds the scopes."""

    a: str
    b: str
    scopes: Scopes = PUBLIC


@dataclass(frozen=True, slots=True)
class AutoMerge:
    """A scorer's guess that two mention keys name one entity. It yields to what stewards say, and to higher scores."""

    a: str
    b: str
    scopes: Scopes = PUBLIC
    score: float = 1.0


@dataclass(frozen=True, slots=True)
class Reject:
    """A steward's word that what a document (`collection/id`) says is wrong: the fact of that hash, or ('') all of it."""

    document: str
    fact_hash: str
    scopes: Scopes = PUBLIC


IdentityDecision = Merge | KeepApart | AutoMerge
Decision = IdentityDecision | Reject


@dataclass(frozen=True, slots=True)
class Principal:
    """Who asks: `scopes` beyond public, `roles`, and the least trust level of what they are shown."""

    name: str
    scopes: Audience = PUBLIC
    roles: tuple[str, ...] = ("reader",)
    min_trust: str = "extracted"


ANONYMOUS: Final = Principal("public")


@dataclass(frozen=True, slots=True)
class CompiledQuery:
    """SPARQL text whose values stand in a leading VALUES row; `parameters` shows them by name."""

    text: str
    variables: tuple[str, ...]
    parameters: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CitedClaim:
    """One claim behind an assertion, as its reader may see it. Offsets are characters of the document, `line` counts from 1; 0 where a
    claim of
    an older format has none."""

    document: str
    document_iri: str
    version: str
    claim: str
    quote: str
    start: int
    end: int
    stated_start: Bound | None
    stated_end: Bound | None
    scopes: tuple[str, ...]
    trust: str
    dated: Instant
    extractor: str
    note: str = ""
    line: int = 0
