"""What a command asks: the data directory, or with --server the server that has it. Both give the same JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NamedTuple, Protocol

from ..times import Instant

if TYPE_CHECKING:
    from ..query.algebra import Plan
    from ..store.results import QueryResult
    from .frame import Run
    from .progress import Watch

Json = dict[str, Any]


class When(NamedTuple):
    """The day that is asked about, and whose knowledge counts; '' is now."""

    valid_at: Instant = ""
    recorded_at: Instant = ""


class Intake(NamedTuple):
    """How files are read: into which collection ('' is as their paths say), waiting so many seconds for another writer.

    With `sync` the documents below the folders whose files are gone are withdrawn, with `yes` also where they are many;
    `again` reads what was erased before, too.
    """

    collection: str = ""
    wait: float = 0.0
    sync: bool = False
    yes: bool = False
    again: bool = False


class Target(Protocol):
    """One method a question. Errors are those of kgplatform.errors on either side."""

    def ask(self, question: str, *, min_trust: str, explain: bool, planner: str) -> Json: ...

    def plan(self, wanted: Plan) -> Json: ...

    def sparql(self, text: str, *, dataset: str, timeout: float) -> QueryResult: ...

    def search(self, text: str, *, limit: int) -> list[Json]: ...

    def entity(self, name: str) -> Json: ...

    def export(self, out: IO[bytes], *, form: str) -> None:
        """Write all that the caller sees."""

    def validate(self, *, form: str) -> Json | str:
        """The report: a value for the form json, else text."""

    def conflicts(self) -> list[Json]: ...

    def quarantine(self) -> list[Json]:
        """Every refused claim, the commonest reason first."""

    def unread(self) -> Json:
        """`items` is what is unread, by kind; `files` those that the last ingest of their folder did not read, where the caller may know."""

    def refused(self, claim: str) -> Json: ...

    def discard(self, claim: str) -> Json: ...

    def reject(self, claim: str, document: str, reason: str) -> Json:
        """Reject a claim, or all of a document: one of the two is ''."""

    def unreject(self, claim: str, document: str) -> Json: ...

    def decisions(self, *, ended: bool) -> list[Json]:
        """What was decided, newest first; with `ended` what was taken back too."""

    def retry(self, decisions: Sequence[int], *, wait: float) -> Json:
        """Judge again; a data directory on which another process writes is waited for, so many seconds. A server waits by itself."""

    def ingest(self, paths: Sequence[Path], how: Intake, *, watch: Watch) -> Json:
        """The summary of reading these files and folders."""


@contextmanager
def target_of(run: Run, when: When) -> Iterator[Target]:
    """What answers this run at these dates."""
    if run.server is None:
        from .directory import Directory

        yield Directory(run, when)
    else:
        from .connection import Connection
        from .server import Server

        with Connection(run.server) as connection:
            yield Server(connection, when)
