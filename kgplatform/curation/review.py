"""What stewards look at and decide: refused claims, facts on which sources disagree."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

from ..errors import UnknownName
from ..ledger.claims import fact_hash
from ..ledger.decisions import discards
from ..model import CitedClaim, Decision, Fact
from ..query.view_queries import CONFLICTS, REFUSED, labels
from ..terms import Term, curie
from ..times import Bound, Instant, shown
from ..views.view import View
from ..writing.writer import Writer


class RefusedEvidence(NamedTuple):
    """One quarantined claim, with the gate's reason."""

    claim: str
    code: str
    message: str
    fact: Fact
    citation: CitedClaim

    def as_json(self) -> dict[str, Any]:
        return {
            "id": self.claim,
            "reason": self.code,
            "message": self.message,
            "document": self.citation.document,
            "subject": self.fact.subject,
            "relation": curie(self.fact.relation),
            "object": self.fact.object,
            "quote": self.citation.quote,
            "start": self.citation.start,
            "end": self.citation.end,
            "scope": list(self.citation.scopes),
            "trust": self.citation.trust,
        }


def quarantined(view: View) -> list[RefusedEvidence]:
    """Every refused claim that the view shows: the commonest reason first, then by document and place."""
    rows = {str(row["claim"].value).rpartition("/")[2]: row for row in view.select(REFUSED)}
    said = view.claims(rows)
    found = [
        RefusedEvidence(claim, _text(row, "code"), _text(row, "message"), *said[claim]) for claim, row in rows.items() if claim in said
    ]
    counts = Counter(one.code for one in found)
    return sorted(found, key=lambda one: (-counts[one.code], one.code, one.citation.document, one.citation.start, one.claim))


def refused_claim(view: View, claim: str) -> RefusedEvidence:
    """The refused claim with this id, or with the only id that begins so. Raises UnknownName."""
    found = [one for one in quarantined(view) if one.claim.startswith(claim)]
    if len(found) != 1:
        what = f"no claim {claim} is in quarantine" if not found else f"{len(found)} claims begin with {claim}"
        raise UnknownName(what, hint="see `kgplatform quarantine list`")
    return found[0]


def discard(writer: Writer, refused: RefusedEvidence, *, by: str) -> int:
    """Record that a claim is not wanted, in whatever version its document says it again; the decision's number."""
    scopes = frozenset(refused.citation.scopes) - {"public"}
    return writer.decide(Decision("refuse", refused.citation.document, fact_hash(refused.fact), scopes), by=by)


def retry(writer: Writer, discarded: Iterable[int] = ()) -> bool:
    """Judge everything again: by the packs as they are now, and with these discarded claims back. Whether the packs had changed.

    A claim that is back already stays so.
    """
    from ..checks.packs import read_packs  # 0.3 s to load: who only looks reads no packs

    ontology, shapes = read_packs(writer.settings.packs).texts
    known = discards(writer.ledger)
    named = sorted(set(discarded))
    for decision in named:
        if decision not in known:
            raise UnknownName(f"no claim was discarded by decision {decision}", hint="name the number that `quarantine discard` printed")
    for decision in named:
        if known[decision]:
            writer.undo(decision)
    changed = (writer.schema.turtle, writer.schema.shapes) != (ontology, shapes)
    if changed:
        writer.release(ontology, shapes)
    else:
        writer.rebuild()
    return changed


@dataclass(frozen=True)
class Side:
    """One of the facts that disagree."""

    assertion: str
    value: str
    label: str
    positive: bool
    start: Bound
    end: Bound
    citations: tuple[CitedClaim, ...]


@dataclass(frozen=True)
class Disagreement:
    """The facts of one subject and relation that disagree."""

    subject: str
    label: str
    relation: str
    relation_label: str
    sides: tuple[Side, ...]

    def as_json(self) -> dict[str, Any]:
        return {
            "subject": self.subject,
            "label": self.label,
            "relation": curie(self.relation),
            "relation_label": self.relation_label,
            "values": [
                {
                    "value": side.value,
                    "label": side.label,
                    "positive": side.positive,
                    "valid_from": shown(side.start),
                    "valid_to": shown(side.end),
                    "assertion": side.assertion,
                    "documents": sorted({citation.document for citation in side.citations}),
                }
                for side in self.sides
            ],
        }


def conflicts(view: View, *, at: Instant = "") -> list[Disagreement]:
    """All disagreements that the view shows; with `at`, those of facts that hold then."""
    found = view.select(CONFLICTS)
    rows = {_text(row, "a"): row for row in found}
    if at:
        rows = {a: row for a, row in rows.items() if _text(row, "start") <= at < _text(row, "end")}
    groups: dict[tuple[str, str], dict[str, str]] = defaultdict(dict)  # (subject, relation) -> assertion -> the value it gives
    for a, rival in ((_text(row, "a"), _text(row, "rival")) for row in found):
        if a in rows and rival in rows:
            about = _about(rows[a], rows[rival])
            value = _text(rows[a], "object" if about == _text(rows[a], "subject") else "subject")
            groups[about, _text(rows[a], "relation")][a] = value
    names = labels(view, {_text(row, end) for row in rows.values() for end in ("subject", "object")})
    cited = view.citations(rows)

    def side(a: str, value: str) -> Side:
        row = rows[a]
        return Side(
            a, value, names.get(value, value), _text(row, "positive") == "true", _bound(row, "start"), _bound(row, "end"), cited.get(a, ())
        )

    told = [
        Disagreement(
            subject,
            names.get(subject, subject),
            relation,
            view.schema.label(relation),
            tuple(sorted((side(a, value) for a, value in group.items()), key=lambda s: (s.start.at, s.label, s.assertion))),
        )
        for (subject, relation), group in groups.items()
    ]
    return sorted(told, key=lambda one: (one.label, one.relation, one.subject))


def _about(one: dict[str, Term], other: dict[str, Term]) -> str:
    """What two facts disagree on: their subject, or the end that two facts of a symmetric relation share."""
    subject = _text(one, "subject")
    return subject if subject in (_text(other, "subject"), _text(other, "object")) else _text(one, "object")


def _text(row: dict[str, Term], name: str) -> str:
    return str(row[name].value) if name in row else ""


def _bound(row: dict[str, Term], end: str) -> Bound:
    return Bound(_text(row, f"{end}Kind"), _text(row, end), _text(row, f"{end}Precision"), _text(row, f"{end}After"))
