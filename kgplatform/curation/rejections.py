"""What a steward rejects: a claim that is wrong, or all that a document says. The source stays, and the decision can be taken back.

A rejection cites the fact as its document says it, so that it holds for every version that says it again, however often it is read.
"""

from __future__ import annotations

from contextlib import closing
from typing import Final, Literal, NamedTuple

from ..data_directory import DataDir
from ..errors import UnknownName, UsageError
from ..ledger.base import Ledger
from ..ledger.citations import citations
from ..ledger.claims import EVERY, SHORTEST_ID, fact_hash, facts_by_id, facts_of, ids_beginning
from ..ledger.decisions import DecisionRow, every, rejections_of
from ..ledger.document_views import VersionedDocument, find_document
from ..model import TRUST_LEVELS, Decision, Fact, KeepApart, Merge, Principal, Reject
from ..projection.consistency import open_ledger
from ..results import RecordedDecision, Rejection
from ..settings.load import Settings
from ..terms import curie
from ..writing.writer import Writer

KINDS: Final[dict[type[Decision], Literal["rejected", "merged", "kept apart"]]] = {
    Reject: "rejected",
    Merge: "merged",
    KeepApart: "kept apart",
}
_LONGEST_REASON: Final = 2000


class Target(NamedTuple):
    """What is rejected: one claim, or (`claim` is '') all of a document."""

    document: str
    fact: str
    scopes: frozenset[str]
    claim: str = ""


class ProposedRejection(NamedTuple):
    """What a steward is asked about: one fact, or (`subject` is '') all of a document; the scopes of who will see the decision."""

    document: str
    scope: tuple[str, ...]
    subject: str = ""
    relation: str = ""
    object: str = ""


def reject(writer: Writer, who: Principal, *, claim: str = "", document: str = "", reason: str) -> Rejection:
    """Record that a claim, by the beginning of its id, or all of a document is wrong, and why.

    Raises UnknownName for what `who` may not see, UsageError where there is no reason, or where it is rejected already.
    """
    reason = " ".join(reason.split())
    if not reason or len(reason) > _LONGEST_REASON:
        raise UsageError(
            f"a reason has 1 to {_LONGEST_REASON} characters", where="reason", hint="say what is wrong, for those who read it later"
        )
    target = _target(writer.ledger, who, claim=claim, document=document)
    by_fact = rejections_of(writer.ledger, target.document)
    if earlier := by_fact.get(target.fact) or by_fact.get(EVERY):
        raise UsageError(f"it is rejected already, by decision {earlier.id}", hint="take that back with --undo")
    decision = writer.decide(Reject(target.document, target.fact, target.scopes), by=who.name, reason=reason)
    return Rejection(decision=decision, document=target.document, claim=target.claim, reason=reason)


def take_back(writer: Writer, who: Principal, *, claim: str = "", document: str = "") -> Rejection:
    """End the rejection of a claim or of all of a document. Raises UnknownName where there is none."""
    target = _target(writer.ledger, who, claim=claim, document=document)
    rejection = rejections_of(writer.ledger, target.document).get(target.fact)
    if rejection is None:
        what = (
            f"all of {target.document} is not rejected" if target.fact == EVERY else f"the claim {target.claim} is not rejected by itself"
        )
        raise UnknownName(what, hint="`kgplatform decisions` lists what is")
    writer.undo(rejection.id, by=who.name)
    return Rejection(decision=rejection.id, document=target.document, claim=target.claim, reason=rejection.reason)


def end(writer: Writer, who: Principal, decision: int) -> RecordedDecision:
    """End a rejection by the number of its decision. Raises UnknownName for one that `who` does not see, or that is not in force."""
    row = next((row for row in decided(writer.ledger, who) if row.decision == decision and row.kind == KINDS[Reject]), None)
    if row is None:
        raise UnknownName(f"nothing is rejected by decision {decision}", hint="`kgplatform decisions` lists what is")
    writer.undo(decision, by=who.name)
    return row


def described(settings: Settings, who: Principal, *, claim: str = "", document: str = "") -> ProposedRejection:
    """What would be rejected. Raises as `reject` does."""
    with closing(open_ledger(DataDir(settings.data))) as ledger:
        target = _target(ledger, who, claim=claim, document=document)
        fact = facts_by_id(ledger, [target.claim]).get(target.claim)
    return ProposedRejection(target.document, tuple(sorted(target.scopes)) or ("public",), **_words_of(fact))


def _target(ledger: Ledger, who: Principal, *, claim: str, document: str) -> Target:
    if bool(claim) == bool(document):
        raise UsageError("name a claim or a document", hint="a claim by its id, as evidence shows it, or a document by collection/id")
    return _document(ledger, who, document) if document else _claim(ledger, who, claim)


def _claim(ledger: Ledger, who: Principal, claim: str) -> Target:
    cited = citations(ledger, ids_beginning(ledger, claim), who.scopes, base="")
    least = TRUST_LEVELS.index(who.min_trust)
    seen = {each: source for each, source in cited.items() if TRUST_LEVELS.index(source.trust) >= least}
    if len(seen) != 1:
        what = f"{len(seen)} claims begin with {claim}" if seen else f"no claim {claim}"
        raise UnknownName(
            what, hint=f"name it by {SHORTEST_ID} or more first characters of its id, as `ask --json` and the document's page show it"
        )
    ((id_, source),) = seen.items()
    fact = facts_by_id(ledger, [id_])[id_]
    return Target(source.document, fact_hash(fact), frozenset(source.scopes) - {"public"}, id_)


def _document(ledger: Ledger, who: Principal, name: str) -> Target:
    visible = _visible_document(ledger, name, who)
    if visible is None:
        raise UnknownName(f"no document {name}", hint="documents are named collection/id, as citations show them")
    return Target(visible.name, EVERY, visible.scopes)


def _visible_document(ledger: Ledger, name: str, who: Principal) -> VersionedDocument | None:
    collection, _, rest = name.partition("/")
    return find_document(ledger, collection, rest, who.scopes)


# -- looking


def rejections(ledger: Ledger, document: str, said: dict[str, Fact]) -> dict[str, DecisionRow]:
    """Claim id -> the decision that rejects it, for those of a document's claims that are rejected."""
    by_fact = rejections_of(ledger, document)
    if not by_fact:
        return {}
    by_claim = {claim: by_fact.get(fact_hash(fact)) or by_fact.get(EVERY) for claim, fact in said.items()}
    return {claim: row for claim, row in by_claim.items() if row is not None}


def decided(ledger: Ledger, who: Principal, *, ended: bool = False) -> list[RecordedDecision]:
    """The decisions that `who` may see, newest first; with `ended` those that were taken back too."""
    facts: dict[str, dict[str, Fact] | None] = {}
    rows = []
    for row in reversed(every(ledger)):
        decision = row.decision
        if type(decision) not in KINDS or (row.ended and not ended) or not decision.scopes <= who.scopes:
            continue
        if not isinstance(decision, Reject):
            rows.append(_recorded(row, a=decision.a, b=decision.b))
            continue
        document = decision.document
        if document not in facts:
            facts[document] = _facts_seen(ledger, document, who)
        seen = facts[document]
        if seen is not None:  # a document that is hidden from who has no rejections either
            rows.append(_recorded(row, document=document, fact=seen.get(decision.fact_hash)))
    return rows


def _facts_seen(ledger: Ledger, document: str, who: Principal) -> dict[str, Fact] | None:
    """The facts that a document ever said, by hash; None for one that `who` may not see."""
    visible = _visible_document(ledger, document, who)
    return None if visible is None else {fact_hash(fact): fact for fact in facts_of(ledger, [visible.id])}


def _words_of(fact: Fact | None) -> dict[str, str]:
    return {"subject": fact.subject, "relation": curie(fact.relation), "object": fact.object} if fact else {}


def _recorded(row: DecisionRow, *, a: str = "", b: str = "", document: str = "", fact: Fact | None = None) -> RecordedDecision:
    return RecordedDecision(
        decision=row.id,
        kind=KINDS[type(row.decision)],
        a=a,
        b=b,
        document=document,
        **_words_of(fact),
        reason=row.reason,
        by=row.by,
        recorded=row.recorded,
        ended=row.ended,
        ended_by=row.ended_by,
        scope=tuple(sorted(row.decision.scopes)) or ("public",),
    )
