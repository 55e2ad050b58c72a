"""Files and folders to a server: each file is a job there, in the order of their paths, and their summaries are added up."""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple

from ..errors import ServerError, SourceError, UsageError
from ..graph import WRITING, Watch
from ..ingest.limits import opened
from ..ingest.walking import walk
from ..model import PASSED_OVER
from ..results import Difference, DocumentSummary, IngestSummary, Json, Trouble
from ..writing.account import Tally, summary_of, trouble
from .connection import Connection

AHEAD: Final = 8
"""Jobs that wait at the server while one is read there."""

MOST_FOLDERS: Final = 6
"""Folders above a named one that are told with a file: the patterns of collections may need them."""

_FIGURES: Final = ("documents_read", "claims_read", "accepted", "quarantined")


class Sent(NamedTuple):
    """A file on its way, by its name below the ingested folder: the job that reads it, or why the server did not take it. `there` is its
    path there."""

    path: Path
    name: str
    job: Json | None
    problem: Json | None = None
    there: str = ""

    def said(self, row: Json) -> Json:
        """A problem or document of the file, with the paths that it has here in the place of the server's."""
        named = {"what": row["what"].replace(self.there, str(self.path))} if self.there and "what" in row else {}
        return {**row, **named, **{place: self.here(row[place]) for place in ("where", "path") if place in row}}

    def here(self, where: str) -> str:
        """A place in the file, as the server calls it, by the path that it has here."""
        _above, found, line = where.rpartition(self.name)
        return f"{self.path}{line}" if found and line[:1] in ("", ":", ",") else where


def uploaded(connection: Connection, paths: Sequence[Path], *, collection: str, again: bool, watch: Watch) -> IngestSummary:
    """The summary of files that were sent and read. What the server does not take is one of its problems; the rest goes on."""
    began = time.monotonic()
    figures: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    problems: list[Trouble] = []
    skipped: list[Trouble] = []
    documents: list[DocumentSummary] = []
    differences: list[Difference] = []
    walks = [walk(start) for start in paths]
    for passed in (problem for each in walks for problem in each.passed):
        (skipped if passed.reason in PASSED_OVER else problems).append(trouble(passed))
    with _going_on(connection):
        for sent, summary in _read(connection, dict(each for one in walks for each in one.files), collection, again):
            figures.update({name: summary.get(name, 0) for name in _FIGURES})
            reasons.update(summary.get("reasons", {}))
            if "differences" in summary:  # as they are after the last file
                differences = [Difference.from_dict(each) for each in summary["differences"]]
            problems += [Trouble.from_dict(sent.said(row)) for row in summary.get("problems", ())]
            skipped += [Trouble.from_dict(sent.said(row)) for row in summary.get("skipped", ())]
            documents += [DocumentSummary.from_dict(sent.said(row)) for row in summary.get("documents", ())]
            watch.stage(WRITING)
            watch.file(str(sent.path), documents=summary.get("documents_read", 0), claims=summary.get("claims_read", 0))
    tally = Tally(
        documents_read=figures["documents_read"],
        claims_read=figures["claims_read"],
        accepted=figures["accepted"],
        quarantined=figures["quarantined"],
        reasons=dict(sorted(reasons.items())),
        documents=tuple(documents),
    )
    return summary_of(tally, problems, skipped, seconds=time.monotonic() - began, differences=differences)


def _read(connection: Connection, files: dict[Path, Path], collection: str, again: bool) -> Iterator[tuple[Sent, Json]]:
    """Each file with its summary, in their order; a few are sent ahead."""
    waiting: deque[Sent] = deque()

    def ended() -> tuple[Sent, Json]:
        sent = waiting.popleft()
        if sent.job:
            return sent, finished(connection, sent.job)
        assert sent.problem is not None
        return sent, {"skipped" if sent.problem["reason"] in PASSED_OVER else "problems": [sent.problem]}

    for path, root in files.items():
        waiting.append(_sent(connection, path, root, collection, again))
        if len(waiting) > AHEAD:
            yield ended()
    while waiting:
        yield ended()


def _sent(connection: Connection, path: Path, root: Path, collection: str, again: bool) -> Sent:
    above = root.absolute()
    name = path.absolute().relative_to(above).as_posix()
    folder = "/".join(above.parts[1:][-MOST_FOLDERS:])
    query = {"name": name, "folder": folder, "collection": collection} | ({"again": "true"} if again else {})
    headers = {"Content-Type": "application/octet-stream"}
    try:
        with opened(path) as file:
            content = file.read()
    except SourceError as error:
        return Sent(path, name, None, {"where": str(path), "what": error.what, "hint": error.hint, "reason": error.reason})
    try:
        return Sent(
            path, name, connection.post("/api/ingest", again=True, query=query, content=content, headers=headers), None, f"{folder}/{name}"
        )
    except (SourceError, UsageError) as error:
        reason = error.reason if isinstance(error, SourceError) else "refused"
        return Sent(path, name, None, {"where": str(path), "what": error.what, "hint": error.hint, "reason": reason})


@contextmanager
def _going_on(connection: Connection) -> Iterator[None]:
    """An interrupt ends this command alone, and says so."""
    try:
        yield
    except KeyboardInterrupt as error:
        raise ServerError("goes on with what was sent", where=connection.url, hint="GET /api/jobs says how far it is") from error


def finished(connection: Connection, job: Json) -> Json:
    """The summary of a job, once it has ended. Raises ServerError with what went wrong where it failed."""
    pause = 0.1
    with _going_on(connection):
        while not job["ended"]:
            time.sleep(pause)
            pause = min(1.5 * pause, 1.0)
            job = connection.get(f"/api/jobs/{job['id']}")
    if job["state"] != "done":
        raise ServerError(str(job["error"]), where=f"{connection.url}: {job['about']}")
    summary: Json = job["summary"]
    return summary
