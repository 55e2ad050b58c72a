"""Questions and decisions on the data directory itself, through the view of one principal."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict
from pathlib import Path
from typing import IO

from ..errors import QuerySyntaxError
from ..ledger.notices import skipped
from ..ledger.people import principal
from ..llm import UsageLog, open_session
from ..query.algebra import Plan
from ..query.prologue import placed, prologue
from ..rejection import decided, reject, take_back
from ..review import conflicts, discard, quarantined, refused_claim, retry
from ..store.results import QueryResult
from ..unread import unread
from ..views import View, open_view
from .frame import Run
from .progress import Watch
from .target import Intake, Json, When


class Directory:
    """The Target of a run without --server."""

    def __init__(self, run: Run, when: When) -> None:
        self._run = run
        self._when = when

    def _view(self) -> AbstractContextManager[View]:
        return open_view(self._run.settings, self._run.name, valid_at=self._when.valid_at, recorded_at=self._when.recorded_at)

    # -- asking and looking

    def ask(self, question: str, *, min_trust: str, explain: bool, planner: str) -> Json:
        from ..answer.ask import ask
        from ..answer.planners import planner_of

        settings = self._run.settings
        session = open_session(settings.model, usage=UsageLog.of(settings)) if settings.model else None
        chosen = planner_of(settings.model, planner, session=session)
        with self._view() as view:
            return ask(view, question, min_trust=min_trust, explain=explain, planner=chosen).as_json()

    def plan(self, wanted: Plan) -> Json:
        from ..answer.ask import run_plan

        with self._view() as view:
            return run_plan(view, wanted).as_json()

    def sparql(self, text: str, *, dataset: str, timeout: float) -> QueryResult:
        with self._view() as view:
            try:
                return view.query(prologue(view.schema) + text, dataset=dataset, timeout=timeout)
            except QuerySyntaxError as error:
                raise placed(error, view.schema) from error

    def search(self, text: str, *, limit: int) -> list[Json]:
        from ..retrieve.lexical import search

        with self._view() as view:
            return [hit.as_json() for hit in search(view, text, limit=limit)]

    def entity(self, name: str) -> Json:
        from ..answer.entity import entity

        with self._view() as view:
            return entity(view, name).as_json()

    def export(self, out: IO[bytes], *, form: str) -> None:
        from ..export import export

        with self._view() as view:
            export(view, out, form=form)

    # -- judging

    def validate(self, *, form: str) -> Json | str:
        from ..validate.report import validate_graph

        with self._view() as view:
            report = validate_graph(view.triples("full"), view.schema)
        if form == "json":
            return report.as_json()
        return report.as_turtle() if form == "turtle" else report.as_text()

    def conflicts(self) -> list[Json]:
        with self._view() as view:
            return [one.as_json() for one in conflicts(view, at=self._when.valid_at)]

    def quarantine(self) -> list[Json]:
        with self._view() as view:
            return [one.as_json() for one in quarantined(view)]

    def unread(self) -> Json:
        with self._view() as view:
            items = [each.as_json() for each in unread(view.notices())]
        if self._run.name:
            return {"items": items, "files": []}
        with self._run.ledger() as ledger:
            return {"items": items, "files": [asdict(each) for each in skipped(ledger)]}

    def refused(self, claim: str) -> Json:
        with self._view() as view:
            return refused_claim(view, claim).as_json()

    def discard(self, claim: str) -> Json:
        with self._view() as view:
            refused = refused_claim(view, claim)
        with self._run.writer() as writer:
            made = discard(writer, refused, by=self._run.name or "public")
        return {"decision": made, "id": refused.claim}

    def reject(self, claim: str, document: str, reason: str) -> Json:
        with self._run.writer() as writer:
            return reject(writer, principal(writer.ledger, self._run.name), claim=claim, document=document, reason=reason)

    def unreject(self, claim: str, document: str) -> Json:
        with self._run.writer() as writer:
            return take_back(writer, principal(writer.ledger, self._run.name), claim=claim, document=document)

    def decisions(self, *, ended: bool) -> list[Json]:
        with self._run.ledger() as ledger:
            return decided(ledger, principal(ledger, self._run.name), ended=ended)

    def retry(self, decisions: Sequence[int], *, wait: float) -> Json:
        before = len(self.quarantine())
        with self._run.writer(wait=wait) as writer:
            changed = retry(writer, decisions)
        return {"before": before, "after": len(self.quarantine()), "ontology_changed": changed}

    # -- bringing in

    def ingest(self, paths: Sequence[Path], how: Intake, *, watch: Watch) -> Json:
        from .ingesting import ingested

        return ingested(self._run, paths, how, watch=watch)
