"""The same questions and decisions over the API of a running server, for the principal of the token."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Final
from urllib.parse import quote

from ..errors import UsageError
from ..query.algebra import Plan
from ..query.codec import to_json
from ..store.results import QueryResult, received
from .connection import Connection
from .progress import Watch
from .target import Intake, Json, When
from .uploading import finished, uploaded

PAGE: Final = 1000
_IN_MEMORY: Final = 16 * 1024 * 1024
_HELD: Final = "application/sparql-results+json, application/n-triples;q=0.9"
"""What a QueryResult holds; every other format is written from it here, as on the data directory."""


class Server:
    """The Target of a run with --server."""

    def __init__(self, connection: Connection, when: When) -> None:
        self._connection = connection
        self._dates = when._asdict()

    # -- asking and looking

    def ask(self, question: str, *, min_trust: str, explain: bool, planner: str) -> Json:
        asked = {"question": question, "min-trust": min_trust} | {n.replace("_", "-"): at for n, at in self._dates.items() if at}
        asked |= {"explain": True} if explain else {}
        asked |= {"planner": planner} if planner else {}
        found: Json = self._connection.post("/api/ask", again=True, json=asked)
        return found

    def plan(self, wanted: Plan) -> Json:
        found: Json = self._connection.post("/api/plan", again=True, query=self._dates, json=to_json(wanted))
        return found

    def sparql(self, text: str, *, dataset: str, timeout: float) -> QueryResult:
        held = tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY)  # noqa: SIM115  the result keeps it open
        headers = {"Accept": _HELD, "Content-Type": "application/sparql-query; charset=utf-8"}
        query = {"dataset": dataset, "timeout": f"{timeout:g}", **self._dates}
        told = self._connection.download("POST", "/sparql", held, query=query, content=text.encode(), headers=headers)
        held.seek(0)
        return received(held, told.get("content-type", "").partition(";")[0], where=self._connection.url)

    def search(self, text: str, *, limit: int) -> list[Json]:
        found: list[Json] = self._connection.get("/api/search", q=text, limit=limit, **self._dates)["items"]
        return found

    def entity(self, name: str) -> Json:
        found: Json = self._connection.get("/api/entity", name=name, **self._dates)
        return found

    def export(self, out: IO[bytes], *, form: str) -> None:
        self._connection.download("GET", "/api/export", out, query={"format": form, **self._dates})

    # -- judging

    def validate(self, *, form: str) -> Json | str:
        held = tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY)  # noqa: SIM115
        with held:
            self._connection.download("GET", "/api/validate", held, query={"format": form, **self._dates})
            held.seek(0)
            text = held.read().decode()
        return dict(json.loads(text)) if form == "json" else text

    def conflicts(self) -> list[Json]:
        return self._whole("/api/conflicts")

    def quarantine(self) -> list[Json]:
        return self._whole("/api/quarantine")

    def _whole(self, path: str, **query: str) -> list[Json]:
        """Every row of a list that comes by page."""
        rows: list[Json] = []
        while True:
            page = self._connection.get(path, limit=PAGE, offset=len(rows), **(query or self._dates))
            rows += page["items"]
            if page["next"] is None:
                return rows

    def unread(self) -> Json:
        return {"items": self._whole("/api/unread"), "files": []}

    def refused(self, claim: str) -> Json:
        found: Json = self._connection.get(f"/api/quarantine/{quote(claim, safe='')}", **self._dates)
        return found

    def discard(self, claim: str) -> Json:
        made: Json = self._connection.post(f"/api/quarantine/{quote(claim, safe='')}/discard")
        return made

    def reject(self, claim: str, document: str, reason: str) -> Json:
        made: Json = self._connection.post("/api/reject", json={"claim": claim, "document": document, "reason": reason})
        return made

    def unreject(self, claim: str, document: str) -> Json:
        ended: Json = self._connection.post("/api/reject/undo", json={"claim": claim, "document": document})
        return ended

    def decisions(self, *, ended: bool) -> list[Json]:
        return self._whole("/api/decisions", ended=str(ended).lower())

    def retry(self, decisions: Sequence[int], *, wait: float) -> Json:
        return finished(self._connection, self._connection.post("/api/quarantine/retry", json={"decisions": list(decisions)}))

    # -- bringing in

    def ingest(self, paths: Sequence[Path], how: Intake, *, watch: Watch) -> Json:
        if how.sync:
            raise UsageError("a server withdraws nothing: it does not see your folder", hint="run --sync on its data directory")
        return uploaded(self._connection, paths, how, watch=watch)
