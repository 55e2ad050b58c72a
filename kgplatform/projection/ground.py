"""From ledger rows to the ground that derivation reads: whole, as known on a date, or the slice of a change."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

from ..derive.derivation import Ground, named_in
from ..derive.evidence import Evidence, History, Observation, evidence
from ..ledger import claims as read
from ..ledger.base import Ledger
from ..ledger.claims import ClaimRow, ReadingRow
from ..ledger.decisions import identity_decisions, rejected
from ..ledger.readings import counting
from ..model import TRUST_LEVELS, Audience, Fact, Scopes
from ..times import Instant


@dataclass(frozen=True)
class Dated:
    """A document's history and, by version, the indexes of its observations that had it."""

    history: History
    indexes: dict[int, tuple[int, ...]]


class Versions(Mapping[int, Dated]):
    """Version id -> its document as dated, superseded readings left out. Each document is read when it is asked for."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._known: dict[int, Dated | None] = {}

    def __getitem__(self, version: int) -> Dated:
        if version not in self._known:
            self._known[version] = None  # stays so where all its readings are superseded
            self._known |= dated_versions(read.readings(self._ledger, version=version))
        found = self._known[version]
        if found is None:
            raise KeyError(version)
        return found

    def __iter__(self) -> Iterator[int]:
        self._known |= dated_versions(read.readings(self._ledger))
        return iter([version for version, dated in self._known.items() if dated is not None])

    def __len__(self) -> int:
        return sum(1 for _version in self)


def dated_versions(readings: Iterable[ReadingRow]) -> dict[int, Dated]:
    """Version id -> its document as dated, superseded readings left out."""
    by_document: dict[int, list[ReadingRow]] = defaultdict(list)
    for row in readings:
        by_document[row.document].append(row)
    found: dict[int, Dated] = {}
    for rows in by_document.values():
        live = standing(_in_order(counting(rows)))
        last = rows[-1]
        readers: dict[str, frozenset[str]] = defaultdict(frozenset)
        for row in rows:
            if row.complete:
                readers[row.hash] |= {row.extractor}
        history = History(
            last.name,
            last.is_snapshot,
            last.scopes,
            TRUST_LEVELS.index(last.trust),
            tuple(Observation(row.date, row.complete, row.extractor, readers[row.hash]) for row in live),
            last.title,
        )
        indexes: dict[int, tuple[int, ...]] = {}
        for index, row in enumerate(live):
            indexes[row.version] = indexes.get(row.version, ()) + (index,)
        for version in indexes:
            found[version] = Dated(history, indexes)
    return found


def _in_order(rows: list[ReadingRow]) -> list[ReadingRow]:
    """The same; those of a snapshot with dates that never go back (its collection may have been one of statements, which may)."""
    latest = accumulate((row.date for row in rows), max)
    return [row._replace(date=date) for row, date in zip(rows, latest, strict=True)] if rows and rows[0].is_snapshot else rows


def standing(rows: Sequence[ReadingRow]) -> list[ReadingRow]:
    """The readings without those that a later one of the same date, read whole by the same extractor, replaced."""
    kept: list[ReadingRow] = []
    replaced: Instant = ""
    for index in range(len(rows) - 1, -1, -1):
        row = rows[index]
        if row.date != replaced:
            kept.append(row)
        if index and row.complete and row.extractor == rows[index - 1].extractor:
            replaced = row.date
    return kept[::-1]


def whole(ledger: Ledger, *, as_of: Instant = "", audience: Audience | None = None) -> Ground:
    """All of the ground; what was recorded by `as_of`; what an audience may see of it."""
    versions = dated_versions(read.readings(ledger, as_of=as_of))
    decisions = identity_decisions(ledger, as_of=as_of)
    if audience is not None:
        versions = {version: dated for version, dated in versions.items() if dated.history.scopes <= audience}
        decisions = [decision for decision in decisions if decision.scopes <= audience]
    found, spans = assemble(read.all_claims(ledger), versions, rejected(ledger, as_of=as_of))
    histories = {dated.history.document: dated.history for dated in versions.values()}
    return Ground(found, decisions, tuple(histories.values()), named_in(found), spans)


def assemble(
    rows: Iterable[ClaimRow], versions: Mapping[int, Dated], refused: frozenset[tuple[str, str]]
) -> tuple[list[Evidence], dict[str, tuple[int, int]]]:
    """The evidence of the claims, and the spans of those that have one."""
    sightings: dict[str, dict[Fact, dict[int, tuple[str, ...]]]] = defaultdict(dict)
    histories: dict[str, History] = {}
    spans: dict[str, tuple[int, int]] = {}
    for row in rows:
        dated = versions.get(row.version)
        if dated is None:
            continue
        document = dated.history.document
        if read.is_refused(refused, document, row.fact):
            continue
        histories[document] = dated.history
        said = sightings[document].setdefault(row.fact, {})
        for index in dated.indexes[row.version]:
            said[index] = (*said.get(index, ()), row.id)
        if row.end > row.start:
            spans[row.id] = (row.start, row.end)
    found = [item for document, said in sightings.items() for item in evidence(histories[document], _sorted(said))]
    return found, spans


def _sorted(said: dict[Fact, dict[int, tuple[str, ...]]]) -> dict[Fact, dict[int, tuple[str, ...]]]:
    """Claim ids in one order, whatever order the rows came in."""
    for sighted in said.values():
        for index, claims in sighted.items():
            if len(claims) > 1:
                sighted[index] = tuple(sorted(set(claims)))
    return said


@dataclass(frozen=True)
class Slice:
    """One state of the ledger (before or after a change), read by keys."""

    ledger: Ledger
    versions: Mapping[int, Dated]
    refused: frozenset[tuple[str, str]]

    @classmethod
    def of(cls, ledger: Ledger) -> Slice:
        """A slice of the ledger as it stands now, with nothing loaded yet."""
        return cls(ledger, Versions(ledger), rejected(ledger))

    def naming(self, keys: set[str]) -> Ground:
        """What decides the identity of the keys (a set closed under `naming_closure`); `named` is still empty."""
        found, spans = assemble(read.naming_claims(self.ledger, keys), self.versions, self.refused)
        decisions = [d for d in identity_decisions(self.ledger) if d.a in keys and d.b in keys]
        return Ground(found, decisions, (), {}, spans)

    def about(self, subjects: set[str], *, relations: set[str], turned: set[str]) -> set[ClaimRow]:
        """The claims of `relations` about the subjects; for those of `turned`, also the ones that name them as object."""
        return set(read.claims_about(self.ledger, subjects, relations=relations, turned=turned))

    def with_cells(self, keys: set[str], rows: set[ClaimRow], documents: frozenset[str]) -> Ground:
        """The naming of the keys, these claims, and the records of these documents."""
        found, spans = assemble(rows | set(read.naming_claims(self.ledger, keys)), self.versions, self.refused)
        decisions = [d for d in identity_decisions(self.ledger) if d.a in keys and d.b in keys]
        versions = (version for document in sorted(documents) for version in read.versions_of(self.ledger, document))
        histories = {dated.history for version in versions if (dated := self.versions.get(version))}
        return Ground(found, decisions, tuple(histories), {}, spans)

    def named(self, keys: set[str]) -> dict[str, frozenset[Scopes]]:
        """Under which scopes each key is named by evidence of now.

        A version that is its document's last is evidence for sure; others are assembled where they could add a scope.
        """
        named: dict[str, set[Scopes]] = {}
        doubtful: dict[str, set[str]] = defaultdict(set)
        refusing = {document for document, _fact in self.refused}
        for key, version in read.versions_naming(self.ledger, keys):
            dated = self.versions.get(version)
            if dated is None:
                continue
            last = len(dated.history.observations) - 1
            if last in dated.indexes[version] and dated.history.document not in refusing:
                named.setdefault(key, set()).add(dated.history.scopes)
            else:
                doubtful[key].add(dated.history.document)
        if doubtful:
            wanted = {document for documents in doubtful.values() for document in documents}
            rows = [
                row
                for row in read.claims_naming(self.ledger, doubtful)
                if (dated := self.versions.get(row.version)) is not None and dated.history.document in wanted
            ]
            found, _spans = assemble(rows, self.versions, self.refused)
            for key, scopes in named_in(found).items():
                if key in doubtful:
                    named.setdefault(key, set()).update(scopes)
        return {key: frozenset(scopes) for key, scopes in named.items()}
