"""The account of an ingest: what became of every file and document, and of what was not taken of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Final

from ..ledger.notices import place_of, summed
from ..model import PASSED_OVER, Fact, Notice, Problem, Reading
from ..terms import ALT_LABEL, EXPECTED_TYPE, LABEL

Json = dict[str, Any]

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

    def as_json(self) -> Json:
        told = {name: value for name, value in asdict(self).items() if self.state or name not in ("state", "new")}
        return {**told, "notices": [{"kind": n.kind, "what": n.what, "count": n.count, "place": n.where} for n in self.notices]}


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
        (self.skipped if problem.reason in PASSED_OVER else self.problems).append(problem)

    def as_json(self) -> Json:
        figures = {name: getattr(self, name) for name in FIGURES}
        return {**figures, "reasons": self.reasons, "seconds": self.seconds, **account(self.documents, self.problems, self.skipped)}


FIGURES: Final = ("documents_read", "documents_new", "claims_read", "claims_new", "claims_unchanged", "accepted", "quarantined")


def account(documents: Sequence[DocumentFigures], problems: Sequence[Problem], skipped: Sequence[Problem]) -> Json:
    """What became of the files and documents, as JSON."""
    return totals(
        problems=[asdict(each) for each in problems],
        skipped=[asdict(each) for each in skipped],
        documents=[each.as_json() for each in documents],
    )


def totals(*, problems: Sequence[Json], skipped: Sequence[Json], documents: Sequence[Json]) -> Json:
    """The three lists with their sums: documents by state, files that were not read by reason, notices by kind and what."""
    return {
        "states": dict(Counter(each["state"] for each in documents if "state" in each)),
        "files_skipped": dict(Counter(each["reason"] for each in (*problems, *skipped) if each["reason"]).most_common()),
        "notices": sums(each["notices"] for each in documents),
        "warning": warning(documents),
        "problems": problems,
        "skipped": skipped,
        "documents": documents,
    }


def sums(notices: Iterable[Iterable[Mapping[str, Any]]]) -> dict[str, dict[str, int]]:
    """Kind -> what -> count, over all documents, the commonest first."""
    counts: dict[str, Counter[str]] = {}
    for each in (notice for some in notices for notice in some):
        counts.setdefault(each["kind"], Counter())[each["what"]] += each["count"]
    return {kind: dict(found.most_common()) for kind, found in sorted(counts.items())}


def warning(documents: Sequence[Mapping[str, Any]]) -> str | None:
    """Why an ingest gave nothing, None where it gave something."""
    if not documents:
        return "nothing was read"
    if not any(each["claims"] for each in documents):
        whats = (notice["what"] for each in documents for notice in each["notices"] if notice["kind"] == "silent")
        reasons = dict.fromkeys(what.partition(": ")[2] for what in whats)
        return f"no document gave a claim: {'; '.join(reasons)}"
    if any(each["quarantined"] for each in documents) and not any(each["facts"] for each in documents):
        return "only names were accepted: the rest waits in quarantine"
    return None
