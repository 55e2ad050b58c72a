"""The graph object over the API of a running server, for the principal of the token."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from typing import IO, Any, Final
from urllib.parse import quote

from ..errors import UsageError
from ..graph import IngestOptions, Input, KnowledgeGraph, Source, Watch
from ..query.algebra import Plan
from ..query.codec import to_json
from ..records import readable
from ..results import (
    Answer,
    Backup,
    Conflict,
    Discarded,
    Entity,
    Hit,
    IngestSummary,
    Json,
    Receipt,
    RecordedDecision,
    RefusedClaim,
    Rejection,
    Report,
    Retried,
    Trouble,
    Unread,
    entity_of,
)
from ..settings.load import ServerAddress
from ..store.results import QueryResult, received
from ..times import Instant
from .connection import Connection
from .uploading import finished, uploaded

PAGE: Final = 1000
_IN_MEMORY: Final = 16 * 1024 * 1024
_HELD: Final = "application/sparql-results+json, application/n-triples;q=0.9"
"""What a QueryResult holds; every other format is written from it here, as on the data directory."""


class RemoteGraph(KnowledgeGraph):
    """A graph behind a server. `merge`, `erase` and `backup` are for who has its data directory: UsageError here."""

    def __init__(self, address: ServerAddress, *, valid_at: Instant = "", recorded_at: Instant = "") -> None:
        self._connection = Connection(address)
        self._dates = {"valid_at": valid_at, "recorded_at": recorded_at}

    def __repr__(self) -> str:
        return f"<KnowledgeGraph at {self._connection.url}>"

    def close(self) -> None:
        """Closes the connections."""
        self._connection.close()

    # -- asking and looking

    def ask(self, question: str, *, min_trust: str = "", explain: bool = False, planner: str = "") -> Answer:
        """POST /api/ask, sent again where the server is busy."""
        asked: Json = {"question": question} | {name.replace("_", "-"): at for name, at in self._dates.items() if at}
        asked |= {"min-trust": min_trust} if min_trust else {}
        asked |= {"explain": True} if explain else {}
        asked |= {"planner": planner} if planner else {}
        return Answer.from_dict(self._connection.post("/api/ask", again=True, json=asked))

    def plan(self, plan: Plan | Mapping[str, Any]) -> Answer:
        """POST /api/plan, sent again where the server is busy."""
        wanted = to_json(plan) if isinstance(plan, Plan) else dict(plan)
        return Answer.from_dict(self._connection.post("/api/plan", again=True, query=self._dates, json=wanted))

    def search(self, text: str, *, limit: int = 10) -> list[Hit]:
        """GET /api/search."""
        return [Hit.from_dict(row) for row in self._connection.get("/api/search", q=text, limit=limit, **self._dates)["items"]]

    def entity(self, name: str) -> Entity:
        """GET /api/entity."""
        return entity_of(self._connection.get("/api/entity", name=name, **self._dates))

    def sparql(self, query: str, *, dataset: str = "facts", timeout: float = 30.0) -> QueryResult:
        """POST /sparql; a result above 16 MB waits in a temporary file."""
        held = tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY)  # noqa: SIM115  the result keeps it open
        headers = {"Accept": _HELD, "Content-Type": "application/sparql-query; charset=utf-8"}
        asked = {"dataset": dataset, "timeout": f"{timeout:g}", **self._dates}
        told = self._connection.download("POST", "/sparql", held, query=asked, content=query.encode(), headers=headers)
        held.seek(0)
        return received(held, told.get("content-type", "").partition(";")[0], where=self._connection.url)

    def export(self, out: IO[bytes], *, form: str = "trig") -> None:
        """GET /api/export, written as it comes."""
        self._connection.download("GET", "/api/export", out, query={"format": form, **self._dates})

    # -- judging

    def validate(self) -> Report:
        """GET /api/validate."""
        return Report.from_dict(json.loads(self.validation(form="json")))

    def validation(self, *, form: str) -> str:
        """GET /api/validate, in that format."""
        with tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY) as held:
            self._connection.download("GET", "/api/validate", held, query={"format": form, **self._dates})
            held.seek(0)
            return held.read().decode()

    def conflicts(self) -> list[Conflict]:
        """GET /api/conflicts, all pages."""
        return [Conflict.from_dict(row) for row in self._whole("/api/conflicts", **self._dates)]

    def quarantine(self) -> list[RefusedClaim]:
        """GET /api/quarantine, all pages."""
        return [RefusedClaim.from_dict(row) for row in self._whole("/api/quarantine", **self._dates)]

    def refused(self, claim: str) -> RefusedClaim:
        """GET /api/quarantine/ID."""
        return RefusedClaim.from_dict(self._connection.get(f"/api/quarantine/{quote(claim, safe='')}", **self._dates))

    def unread(self) -> list[Unread]:
        """GET /api/unread, all pages."""
        return [Unread.from_dict(row) for row in self._whole("/api/unread")]

    def unread_files(self) -> list[Trouble]:
        """None: they are told to the owner of the directory alone."""
        return []

    def decisions(self, *, ended: bool = False) -> list[RecordedDecision]:
        """GET /api/decisions, all pages."""
        return [RecordedDecision.from_dict(row) for row in self._whole("/api/decisions", ended=str(ended).lower())]

    def _whole(self, path: str, **query: str) -> list[Json]:
        """Every row of a list that comes by page."""
        rows: list[Json] = []
        while True:
            page = self._connection.get(path, limit=PAGE, offset=len(rows), **query)
            rows += page["items"]
            if page["next"] is None:
                return rows

    # -- deciding

    def discard(self, claim: str) -> Discarded:
        """POST /api/quarantine/ID/discard."""
        return Discarded.from_dict(self._connection.post(f"/api/quarantine/{quote(claim, safe='')}/discard"))

    def retry(self, decisions: Sequence[int] = (), *, wait: float = 0.0) -> Retried:
        """POST /api/quarantine/retry, then waits for the job."""
        job = self._connection.post("/api/quarantine/retry", json={"decisions": list(decisions)})
        return Retried.from_dict(finished(self._connection, job))

    def reject(self, claim: str = "", *, document: str = "", reason: str) -> Rejection:
        """POST /api/reject."""
        return Rejection.from_dict(self._connection.post("/api/reject", json={**_stated(claim, document), "reason": reason}))

    def unreject(self, claim: str = "", *, document: str = "") -> Rejection:
        """POST /api/reject/undo."""
        return Rejection.from_dict(self._connection.post("/api/reject/undo", json=_stated(claim, document)))

    def merge(self, a: str, b: str, *, apart: bool = False, scopes: Iterable[str] | None = None) -> int:
        """UsageError."""
        raise self._refusal("merge")

    def erase(self, document: str) -> list[Receipt]:
        """UsageError."""
        raise self._refusal("erase")

    def backup(self, folder: Source) -> Backup:
        """UsageError."""
        raise self._refusal("backup")

    def _refusal(self, what: str) -> UsageError:
        return UsageError(
            f"{what} works on a data directory, not over a server", where=self._connection.url, hint="use kgplatform.open where it is"
        )

    # -- bringing in

    def _ingest(self, source: Input, options: IngestOptions, watch: Watch) -> IngestSummary:
        """Each file is a job of the server, which reads it by the mappings of its own settings."""
        if options.sync:
            raise UsageError("a server withdraws nothing: it does not see your folder", hint="run --sync on its data directory")
        if options.mapping:
            raise UsageError("a server reads by its own mappings", where=str(options.mapping), hint="add it to the server's settings")
        with readable(source, name=options.name, key=options.key) as paths:
            return uploaded(self._connection, paths, collection=options.collection, again=options.again, watch=watch)


def _stated(claim: str, document: str) -> Json:
    """Those of the two that are given: the API wants one, and says so."""
    return {name: value for name, value in (("claim", claim), ("document", document)) if value}
