"""What stewards look at and decide: refused claims, facts on which sources disagree."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from ..errors import UnknownName
from ..ledger.claims import fact_hash
from ..ledger.decisions import discards
from ..model import CitedClaim, Fact, Reject
from ..query.view_queries import CONFLICTS, REFUSED, labels
from ..results import Conflict, ConflictValue, RefusedClaim
from ..terms import Term, curie
from ..times import Bound, Instant, shown
from ..views.view import View
from ..writing.writer import Writer


class RefusedEvidence(NamedTuple):
    """A quarantined claim, with its fact and the place where it stands."""

    claim: RefusedClaim
    fact: Fact
    citation: CitedClaim


def quarantined(view: View) -> list[RefusedEvidence]:
    """Every refused claim that the view shows: the commonest reason first, then by document and place."""
    rows = {str(row["claim"].value).rpartition("/")[2]: row for row in view.select(REFUSED)}
    claims = view.claims(rows)
    refused = [_refused(id_, row, *claims[id_]) for id_, row in rows.items() if id_ in claims]
    counts = Counter(each.claim.reason for each in refused)
    return sorted(refused, key=lambda each: (-counts[each.claim.reason], *_place(each.claim)))


def _refused(id_: str, row: dict[str, Term], fact: Fact, citation: CitedClaim) -> RefusedEvidence:
    claim = RefusedClaim(
        id=id_,
        reason=_text(row, "code"),
        message=_text(row, "message"),
        document=citation.document,
        subject=fact.subject,
        relation=curie(fact.relation),
        object=fact.object,
        quote=citation.quote,
        start=citation.start,
        end=citation.end,
        scope=citation.scopes,
        trust=citation.trust,
    )
    return RefusedEvidence(claim, fact, citation)


def _place(claim: RefusedClaim) -> tuple[str, str, int, str]:
    return claim.reason, claim.document, claim.start, claim.id


def refused_claim(view: View, claim: str) -> RefusedEvidence:
    """The refused claim with this id, or with the only id that begins so. Raises UnknownName."""
    refused = [each for each in quarantined(view) if each.claim.id.startswith(claim)]
    if len(refused) != 1:
        what = f"no claim {claim} is in quarantine" if not refused else f"{len(refused)} claims begin with {claim}"
        raise UnknownName(what, hint="see `kgplatform quarantine list`")
    return refused[0]


def discard(writer: Writer, refused: RefusedEvidence, *, by: str) -> int:
    """Record that a claim is not wanted, in whatever version its document says it again; the decision's number."""
    scopes = frozenset(refused.citation.scopes) - {"public"}
    return writer.decide(Reject(refused.citation.document, fact_hash(refused.fact), scopes), by=by)


def retry(writer: Writer, discarded: Iterable[int] = ()) -> bool:
    """Judge everything again: by the packs as they are now, and with these discarded claims back. Whether the packs had changed.

    A claim that is back already stays so.
    """
    from ..checks.packs import read_packs  # 0.3 s to load: who only looks reads no packs

    ontology, shapes = read_packs(writer.settings.packs).texts
    in_force = discards(writer.ledger)
    named = sorted(set(discarded))
    for decision in named:
        if decision not in in_force:
            raise UnknownName(f"no claim was discarded by decision {decision}", hint="name the number that `quarantine discard` printed")
    for decision in named:
        if in_force[decision]:
            writer.undo(decision)
    changed = (writer.schema.turtle, writer.schema.shapes) != (ontology, shapes)
    if changed:
        writer.release(ontology, shapes)
    else:
        writer.projection.rebuild()
    return changed


class CitedConflict(NamedTuple):
    """A conflict, with the sources of each of its facts by assertion."""

    conflict: Conflict
    sources: Mapping[str, tuple[CitedClaim, ...]]


def conflicts(view: View, *, at: Instant = "") -> list[Conflict]:
    """All disagreements that the view shows; with `at`, those of facts that hold then."""
    return [each.conflict for each in cited_conflicts(view, at=at)]


def cited_conflicts(view: View, *, at: Instant = "") -> list[CitedConflict]:
    """The same with their sources, by the label of what they are about."""
    pairs = view.select(CONFLICTS)
    rows = {_text(row, "a"): row for row in pairs}
    if at:
        rows = {a: row for a, row in rows.items() if _text(row, "start") <= at < _text(row, "end")}
    groups: dict[tuple[str, str], dict[str, str]] = defaultdict(dict)  # (subject, relation) -> assertion -> the value it gives
    for a, rival in ((_text(row, "a"), _text(row, "rival")) for row in pairs):
        if a in rows and rival in rows:
            about = _about(rows[a], rows[rival])
            value = _text(rows[a], "object" if about == _text(rows[a], "subject") else "subject")
            groups[about, _text(rows[a], "relation")][a] = value
    names = labels(view, {_text(row, end) for row in rows.values() for end in ("subject", "object")})
    cited = view.citations(rows)

    def value_of(a: str, value: str) -> ConflictValue:
        row = rows[a]
        return ConflictValue(
            value=value,
            label=names.get(value, value),
            positive=_text(row, "positive") == "true",
            valid_from=shown(_bound(row, "start")),
            valid_to=shown(_bound(row, "end")),
            assertion=a,
            documents=tuple(sorted({citation.document for citation in cited.get(a, ())})),
        )

    ordered = sorted(groups.items(), key=lambda item: (names.get(item[0][0], item[0][0]), item[0][1], item[0][0]))
    return [
        CitedConflict(
            Conflict(
                subject=subject,
                label=names.get(subject, subject),
                relation=curie(relation),
                relation_label=view.schema.label(relation),
                values=tuple(
                    value_of(a, group[a])
                    for a in sorted(group, key=lambda a: (_bound(rows[a], "start").at, names.get(group[a], group[a]), a))
                ),
            ),
            {a: cited.get(a, ()) for a in group},
        )
        for (subject, relation), group in ordered
    ]


def _about(one: dict[str, Term], other: dict[str, Term]) -> str:
    """What two facts disagree on: their subject, or the end that two facts of a symmetric relation share."""
    subject = _text(one, "subject")
    return subject if subject in (_text(other, "subject"), _text(other, "object")) else _text(one, "object")


def _text(row: dict[str, Term], name: str) -> str:
    return str(row[name].value) if name in row else ""


def _bound(row: dict[str, Term], end: str) -> Bound:
    return Bound(_text(row, f"{end}Kind"), _text(row, end), _text(row, f"{end}Precision"), _text(row, f"{end}After"))
