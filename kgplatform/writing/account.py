"""The account of an ingest: what became of every file and document, and of what was not taken of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from ..ledger.notices import place_of, summed
from ..model import PASSED_OVER, Fact, Notice, Problem, Reading
from ..results import UNSET, Difference, DocumentSummary, IngestSummary, NoticeSummary, Trouble, UnsetType
from ..terms import ALT_LABEL, EXPECTED_TYPE, LABEL

DISCARDED: Final = "discarded"
"""The code of a claim that a steward did not want."""


@dataclass
class DocumentFigures:
    """One document of an ingest. `new` claims are accepted + quarantined; `facts` are those accepted that say more than a name.

    `state` is one of model.STATES, '' where nobody is told.
    """

    document: str
    path: str
    claims: int
    notices: tuple[Notice, ...]
    state: str = "unchanged"
    new: int = 0
    accepted: int = 0
    facts: int = 0
    quarantined: int = 0

    @classmethod
    def of(cls, reading: Reading) -> DocumentFigures:
        """A document that was read, before it is judged; equal notices are summed."""
        notices = (Notice(each.kind, each.what, each.count, place_of(each, reading.path)) for each in summed(reading.notices))
        return cls(f"{reading.collection}/{reading.document}", reading.path, len(reading.claims), tuple(notices))

    def judge(self, state: str, codes: Iterable[tuple[Fact, str]]) -> None:
        """Count the new claims: each fact with the code by which it is refused, '' for none."""
        self.state = state
        for fact, code in codes:
            self.new += 1
            self.quarantined += bool(code)
            self.accepted += not code
            self.facts += not code and _says_more_than_a_name(fact)

    def release(self, fact: Fact) -> None:
        """Count as accepted what was refused."""
        self.quarantined -= 1
        self.accepted += 1
        self.facts += _says_more_than_a_name(fact)

    def summary(self) -> DocumentSummary:
        """The same as the public result; without a state where nobody is told it, and so without how many claims are new."""
        is_told = bool(self.state)
        return DocumentSummary(
            document=self.document,
            path=self.path,
            claims=self.claims,
            notices=tuple(NoticeSummary(kind=each.kind, what=each.what, count=each.count, place=each.where) for each in self.notices),
            state=self.state if is_told else UNSET,
            new=self.new if is_told else UNSET,
            accepted=self.accepted,
            facts=self.facts,
            quarantined=self.quarantined,
        )


def _says_more_than_a_name(fact: Fact) -> bool:
    return fact.relation not in (LABEL, ALT_LABEL, EXPECTED_TYPE)


@dataclass
class IngestFigures:
    """read = new + unchanged, and new = accepted + quarantined; `reasons` counts the quarantined by code.

    `problems` is what should have been read and was not, `skipped` what was passed over on purpose.
    """

    documents_read: int = 0
    documents_new: int = 0
    claims_read: int = 0
    claims_new: int = 0
    claims_unchanged: int = 0
    accepted: int = 0
    quarantined: int = 0
    reasons: dict[str, int] = field(default_factory=dict)
    seconds: float = 0.0
    problems: list[Problem] = field(default_factory=list)
    skipped: list[Problem] = field(default_factory=list)
    documents: list[DocumentFigures] = field(default_factory=list)

    def note(self, problem: Problem) -> None:
        """Count a file that was not read: as a problem, or as passed over on purpose."""
        (self.skipped if problem.reason in PASSED_OVER else self.problems).append(problem)

    def tally(self) -> Tally:
        """What the owner of the data directory is told."""
        return Tally(
            documents_read=self.documents_read,
            claims_read=self.claims_read,
            accepted=self.accepted,
            quarantined=self.quarantined,
            reasons=self.reasons,
            documents=tuple(each.summary() for each in self.documents),
            documents_new=self.documents_new,
            claims_new=self.claims_new,
            claims_unchanged=self.claims_unchanged,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """What somebody is told of the claims of an ingest; the last three numbers only to the owner of the directory."""

    documents_read: int
    claims_read: int
    accepted: int
    quarantined: int
    reasons: dict[str, int]
    documents: tuple[DocumentSummary, ...]
    documents_new: int | UnsetType = UNSET
    claims_new: int | UnsetType = UNSET
    claims_unchanged: int | UnsetType = UNSET


def trouble(problem: Problem) -> Trouble:
    """The public result for a problem."""
    return Trouble(where=problem.where, what=problem.what, hint=problem.hint, reason=problem.reason)


def summary_of(
    tally: Tally,
    problems: Sequence[Trouble],
    skipped: Sequence[Trouble],
    *,
    seconds: float,
    gone: int = 0,
    withdrawn: int = 0,
    differences: Iterable[Difference] = (),
) -> IngestSummary:
    """The summary with its sums: documents by state, files that were not read by reason, notices by kind and what."""
    reasons = Counter(each.reason for each in (*problems, *skipped) if each.reason)
    return IngestSummary(
        documents_read=tally.documents_read,
        documents_new=tally.documents_new,
        claims_read=tally.claims_read,
        claims_new=tally.claims_new,
        claims_unchanged=tally.claims_unchanged,
        accepted=tally.accepted,
        quarantined=tally.quarantined,
        reasons=tally.reasons,
        seconds=seconds,
        states=dict(Counter(each.state for each in tally.documents if isinstance(each.state, str))),
        files_skipped=dict(reasons.most_common()),
        notices=_sums(notice for each in tally.documents for notice in each.notices),
        warning=_warning(tally.documents),
        problems=tuple(problems),
        skipped=tuple(skipped),
        documents=tally.documents,
        gone=gone,
        withdrawn=withdrawn,
        differences=tuple(differences),
    )


def _sums(notices: Iterable[NoticeSummary]) -> dict[str, dict[str, int]]:
    """Kind -> what -> count, over all documents, the commonest first."""
    counts: dict[str, Counter[str]] = {}
    for notice in notices:
        counts.setdefault(notice.kind, Counter())[notice.what] += notice.count
    return {kind: dict(whats.most_common()) for kind, whats in sorted(counts.items())}


def _warning(documents: Sequence[DocumentSummary]) -> str | None:
    """Why an ingest gave nothing, None where it gave something."""
    if not documents:
        return "nothing was read"
    if not any(each.claims for each in documents):
        whats = (notice.what for each in documents for notice in each.notices if notice.kind == "silent")
        reasons = dict.fromkeys(what.partition(": ")[2] for what in whats)
        return f"no document gave a claim: {'; '.join(reasons)}"
    if any(each.quarantined for each in documents) and not any(each.facts for each in documents):
        return "only names were accepted: the rest waits in quarantine"
    return None
