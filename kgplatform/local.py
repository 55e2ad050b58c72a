"""The graph object on a data directory of this machine, for one principal."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from .errors import UsageError
from .graph import IngestOptions, Input, KnowledgeGraph, Source, Watch
from .ledger.notices import skipped
from .ledger.people import principal
from .llm import Session, UsageLog, open_session
from .model import TRUST_LEVELS, Principal
from .query.algebra import Plan
from .query.codec import from_json
from .results import (
    Answer,
    Backup,
    Conflict,
    Discarded,
    Entity,
    Hit,
    IngestSummary,
    Receipt,
    RecordedDecision,
    RefusedClaim,
    Rejection,
    Report,
    Retried,
    Trouble,
    Unread,
    single_entity,
)
from .settings.load import Settings
from .store.results import QueryResult
from .times import Instant
from .views.opening import open_view
from .views.sparql import QueryWorkers
from .views.sparql import query as run_query
from .views.view import View

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .ledger.base import Ledger
    from .validate.report import ValidationReport
    from .writing.writer import Writer


def _nothing(_name: str) -> None:
    pass


class LocalGraph(KnowledgeGraph):
    """A graph in a data directory. `principal` is a name ('' is the public); who may name one is whoever holds the directory.

    `valid_at` and `recorded_at` are instants, '' is now. Who decides waits `wait` seconds for another process that writes.
    """

    def __init__(
        self, settings: Settings, principal: str = "", *, valid_at: Instant = "", recorded_at: Instant = "", wait: float = 0.0
    ) -> None:
        self.settings = settings
        self.principal = principal
        self.valid_at = valid_at
        self.recorded_at = recorded_at
        self._wait = wait
        self._opening = threading.Lock()
        self._workers: QueryWorkers | None = None

    def __repr__(self) -> str:
        return f"<KnowledgeGraph {self.settings.data} as {self.principal or 'public'}>"

    def close(self) -> None:
        """Ends the query workers; a later query starts new ones."""
        with self._opening:
            workers, self._workers = self._workers, None
        if workers is not None:
            workers.close()

    # -- asking and looking

    def ask(self, question: str, *, min_trust: str = "", explain: bool = False, planner: str = "") -> Answer:
        """Raises UsageError for an unknown trust or planner, LanguageModelError where a model is wanted and none is configured."""
        from .answer.ask import ask
        from .answer.planners import planner_of

        least = _trust(min_trust)
        chosen = planner_of(self.settings.model, planner or self.settings.planner, session=self._session)
        with self._view() as view:
            return ask(view, question, min_trust=least, explain=explain, planner=chosen)

    @cached_property
    def _session(self) -> Session | None:
        model = self.settings.model
        return open_session(model, usage=UsageLog.of(self.settings)) if model else None

    def plan(self, plan: Plan | Mapping[str, Any]) -> Answer:
        """Raises PlanError for a plan that cannot be read; one that fails its check is an answer."""
        from .answer.ask import run_plan

        wanted = plan if isinstance(plan, Plan) else from_json(plan)
        with self._view() as view:
            return run_plan(view, wanted)

    def search(self, text: str, *, limit: int = 10) -> list[Hit]:
        """Over the names that the principal may see."""
        from .retrieve.lexical import search

        with self._view() as view:
            return list(search(view, text, limit=limit))

    def entity(self, name: str) -> Entity:
        """With the facts that hold at the time that is looked at, and the others."""
        from .answer.entity import entity

        with self._view() as view:
            return single_entity(entity(view, name))

    def sparql(self, query: str, *, dataset: str = "facts", timeout: float = 30.0) -> QueryResult:
        """Runs in a worker process, which ends with the deadline; the prefixes of the packs are declared."""
        with self._opening:
            self._workers = self._workers or QueryWorkers()
            workers = self._workers
        with self._view(workers) as view:
            return run_query(view, query, dataset=dataset, timeout=timeout)

    def export(self, out: IO[bytes], *, form: str = "trig") -> None:
        """Holds all statements in memory while it sorts and writes them."""
        from .admin.export import export

        with self._view() as view:
            export(view, out, form=form)

    def _view(self, workers: QueryWorkers | None = None) -> AbstractContextManager[View]:
        return open_view(self.settings, self.principal, valid_at=self.valid_at, recorded_at=self.recorded_at, workers=workers)

    # -- judging

    def validate(self) -> Report:
        """By the engine of the settings."""
        return self._validated().report

    def validation(self, *, form: str) -> str:
        """By the engine of the settings."""
        report = self._validated()
        return report.as_turtle() if form == "turtle" else report.as_text()

    def _validated(self) -> ValidationReport:
        from .validate.engines import engine_of
        from .validate.report import validate_graph

        with self._view() as view:
            return validate_graph(view.triples("full"), view.schema, engine_of(self.settings.engine))

    def conflicts(self) -> list[Conflict]:
        """With `valid_at`, of the facts that hold then."""
        from .curation.review import conflicts

        with self._view() as view:
            return conflicts(view, at=self.valid_at)

    def quarantine(self) -> list[RefusedClaim]:
        """Of the documents that the principal may see."""
        from .curation.review import quarantined

        with self._view() as view:
            return [each.claim for each in quarantined(view)]

    def refused(self, claim: str) -> RefusedClaim:
        """UnknownName also for a claim of a document that the principal may not see."""
        from .curation.review import refused_claim

        with self._view() as view:
            return refused_claim(view, claim).claim

    def unread(self) -> list[Unread]:
        """Of the documents that the principal may see, as they are now."""
        from .views.unread import unread

        with self._view() as view:
            return unread(view.notices())

    def unread_files(self) -> list[Trouble]:
        """All of them for the public of the directory, who is its owner; none for a named principal."""
        if self.principal:
            return []
        with self._ledger() as ledger:
            return [Trouble(where=each.where, what=each.what, hint=each.hint, reason=each.reason) for each in skipped(ledger)]

    def decisions(self, *, ended: bool = False) -> list[RecordedDecision]:
        """Those whose scopes the principal holds, of documents that they may see."""
        from .curation.rejections import decided

        with self._ledger() as ledger:
            return decided(ledger, principal(ledger, self.principal), ended=ended)

    # -- deciding

    def discard(self, claim: str) -> Discarded:
        """Takes the lock of the directory."""
        from .curation.review import discard, refused_claim

        with self._view() as view:
            refused = refused_claim(view, claim)
        with self._writer() as writer:
            made = discard(writer, refused, by=self.principal or "public")
        return Discarded(decision=made, id=refused.claim.id)

    def retry(self, decisions: Sequence[int] = (), *, wait: float = 0.0) -> Retried:
        """Takes the lock of the directory, for as long as all is judged."""
        from .curation.review import retry

        before = len(self.quarantine())
        with self._writer(wait=wait) as writer:
            changed = retry(writer, decisions)
        return Retried(before=before, after=len(self.quarantine()), ontology_changed=changed)

    def reject(self, claim: str = "", *, document: str = "", reason: str) -> Rejection:
        """Takes the lock of the directory."""
        from .curation.rejections import reject

        with self._writer() as writer:
            return reject(writer, self._who(writer), claim=claim, document=document, reason=reason)

    def unreject(self, claim: str = "", *, document: str = "") -> Rejection:
        """Takes the lock of the directory."""
        from .curation.rejections import take_back

        with self._writer() as writer:
            return take_back(writer, self._who(writer), claim=claim, document=document)

    def undo_rejection(self, decision: int) -> RecordedDecision:
        """Take a rejection back by the number of its decision. Raises UnknownName for one that the principal does not see."""
        from .curation.rejections import end

        with self._writer() as writer:
            return end(writer, self._who(writer), decision)

    def merge(self, a: str, b: str, *, apart: bool = False, scopes: Iterable[str] | None = None) -> int:
        """Takes the lock of the directory. UsageError for a key with itself."""
        from .curation.identity import decide_identity

        if a == b:
            raise UsageError("a key cannot be merged with itself", where=a)
        with self._writer() as writer:
            return decide_identity(writer, self._who(writer), a, b, apart=apart, scopes=None if scopes is None else frozenset(scopes))

    def unmerge(self, a: str, b: str) -> list[int]:
        """Take back what was decided of two mention keys; the numbers of the decisions. Raises UnknownName where nothing was."""
        from .curation.identity import take_back

        with self._writer() as writer:
            return take_back(writer, self._who(writer), a, b)

    def erase(self, document: str, *, before: Callable[[str], None] = _nothing, between: Callable[[str], None] = _nothing) -> list[Receipt]:
        """See KnowledgeGraph. Both are called with the document's full name: `before` anything is erased, where what it raises stops all,
        and `between`, when no answer speaks of the document any more and its bytes are still to go.
        """
        with self._writer() as writer:
            name = writer.find_document(document)[1]
            before(name)
            writer.erase(name)
            between(name)
            return [each.receipt for each in writer.complete()]

    def backup(self, folder: Source) -> Backup:
        """UsageError where the folder is there, DataDirError where the ledger or an original is damaged."""
        from .admin.backup import backup

        return backup(self.settings, Path(folder))

    # -- bringing in

    def _ingest(self, source: Input, options: IngestOptions, watch: Watch) -> IngestSummary:
        from .records import readable
        from .writing.ingest import ingested

        mapped = _with_mapping(self.settings, options.collection, options.mapping) if options.mapping else self.settings
        with readable(source, name=options.name, key=options.key) as paths:
            return ingested(self.settings, self.principal, paths, options, mapped=mapped, watch=watch)

    def _who(self, writer: Writer) -> Principal:
        return principal(writer.ledger, self.principal)

    @contextmanager
    def _writer(self, *, wait: float = 0.0) -> Iterator[Writer]:
        from .writing.writer import Writer

        with Writer.open(self.settings, wait=wait or self._wait) as writer:
            yield writer

    @contextmanager
    def _ledger(self) -> Iterator[Ledger]:
        from .data_directory import DataDir
        from .projection.consistency import open_ledger

        opened = open_ledger(DataDir(self.settings.data))
        try:
            yield opened
        finally:
            opened.close()


def _trust(named: str) -> str:
    if named and named not in TRUST_LEVELS:
        raise UsageError(f"no trust {named}", hint=f"one of {', '.join(TRUST_LEVELS)}")
    return named or TRUST_LEVELS[0]


def _with_mapping(settings: Settings, collection: str, mapping: Source) -> Settings:
    """The settings in which the collection has this mapping file."""
    if not collection:
        raise UsageError("a mapping belongs to a collection", where=str(mapping), hint="name one with collection=")
    mapped = replace(settings.collection(collection), mapping=str(Path(mapping).absolute()))
    return replace(settings, collections={**settings.collections, collection: mapped})
