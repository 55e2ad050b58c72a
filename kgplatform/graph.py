"""The graph object: what a notebook, a script, the command line and the pages ask. `kgplatform.open` and `kgplatform.connect` make one."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from types import TracebackType
from typing import IO, TYPE_CHECKING, Any, Final, Protocol, Self

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
)

if TYPE_CHECKING:
    from .query.algebra import Plan
    from .store.results import QueryResult

Source = str | PathLike[str]
Record = Mapping[str, Any]


class Frame(Protocol):
    """A table with named columns: a DataFrame of pandas or polars."""

    @property
    def columns(self) -> Any:
        """The names of the columns, in their order."""


Input = Source | Record | Frame | Iterable[Source | Record]
"""What is read in: a path or several, a record or several, or a table."""


READING: Final = "reading"
WAITING: Final = "waiting"
"""For another process that writes."""
WRITING: Final = "writing"
"""Judging and writing what was read; of a large ingest, reading the rest meanwhile."""


class Watch(Protocol):
    """Is told how far an ingest is."""

    def stage(self, name: str) -> None:
        """It is READING, WAITING or WRITING now."""

    def again(self) -> None:
        """All is read once more."""

    def record(self) -> None:
        """One more record of a table is read."""

    def file(self, path: str, *, documents: int = 0, claims: int = 0) -> None:
        """One more file is read, or could not be."""


class Unwatched:
    """Watches nothing."""

    def stage(self, name: str) -> None:
        """Does nothing."""

    def again(self) -> None:
        """Does nothing."""

    def record(self) -> None:
        """Does nothing."""

    def file(self, path: str, *, documents: int = 0, claims: int = 0) -> None:
        """Does nothing."""


UNWATCHED: Final = Unwatched()


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestOptions:
    """How an ingest reads and what it does with what is known: see `KnowledgeGraph.ingest`."""

    collection: str = ""
    name: str = "records"
    key: str = ""
    mapping: Source = ""
    wait: float = 0.0
    sync: bool = False
    yes: bool = False
    again: bool = False


class KnowledgeGraph(ABC):
    """A knowledge graph as one principal sees it, at one time. Use it in a `with` block, or call `close`.

    It may be used by several threads. Errors are those of kgplatform.errors, whether a directory or a server answers.
    """

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    @abstractmethod
    def close(self) -> None:
        """Give free what it holds open."""

    # -- asking and looking

    @abstractmethod
    def ask(self, question: str, *, min_trust: str = "", explain: bool = False, planner: str = "") -> Answer:
        """The answer to a question in English, with its evidence.

        `min_trust` is the least trust of what is told ('' is any), one of model.TRUST_LEVELS. `planner` is rules, model or
        rules-then-model ('' is the configured one). What is not found is an outcome, no error.
        """

    @abstractmethod
    def plan(self, plan: Plan | Mapping[str, Any]) -> Answer:
        """The answer to a plan, as `Answer.plan` holds one. It is checked like any other. Raises PlanError."""

    @abstractmethod
    def search(self, text: str, *, limit: int = 10) -> list[Hit]:
        """Entities by name, tolerant of typing mistakes, the best first."""

    @abstractmethod
    def entity(self, name: str) -> Entity:
        """All about one entity, by a label, a key such as component:tax, or an IRI. Raises UnknownName, AmbiguousName."""

    @abstractmethod
    def sparql(self, query: str, *, dataset: str = "facts", timeout: float = 30.0) -> QueryResult:
        """The result of a read-only SPARQL query, over the facts or (dataset="full") with the records behind them.

        Raises QuerySyntaxError, QueryRefused, QueryTimeout (after `timeout` seconds).
        """

    @abstractmethod
    def export(self, out: IO[bytes], *, form: str = "trig") -> None:
        """Write all that the caller sees, as TriG or (form="rdf12") as RDF 1.2 with reifiers."""

    # -- judging

    @abstractmethod
    def validate(self) -> Report:
        """All shapes over what the caller sees."""

    @abstractmethod
    def validation(self, *, form: str) -> str:
        """The same as text, or (form="turtle") as a report graph of SHACL."""

    @abstractmethod
    def conflicts(self) -> list[Conflict]:
        """Where sources disagree."""

    @abstractmethod
    def quarantine(self) -> list[RefusedClaim]:
        """Every refused claim, the commonest reason first."""

    @abstractmethod
    def refused(self, claim: str) -> RefusedClaim:
        """One refused claim, by the beginning of its id. Raises UnknownName."""

    @abstractmethod
    def unread(self) -> list[Unread]:
        """What of the documents was left out, masked or guessed, by kind."""

    @abstractmethod
    def unread_files(self) -> list[Trouble]:
        """The files that the last ingest of their folder did not read, where the caller may know."""

    @abstractmethod
    def decisions(self, *, ended: bool = False) -> list[RecordedDecision]:
        """What was decided, newest first; with `ended` what was taken back too."""

    # -- deciding

    @abstractmethod
    def discard(self, claim: str) -> Discarded:
        """Record that a refused claim is not wanted; the number of the decision, with which `retry` brings it back."""

    @abstractmethod
    def retry(self, decisions: Sequence[int] = (), *, wait: float = 0.0) -> Retried:
        """Judge every claim again, with the discarded ones of these decisions back: how many were and are refused.

        Another process that writes to the data directory is waited for so many seconds. A server waits by itself.
        """

    @abstractmethod
    def reject(self, claim: str = "", *, document: str = "", reason: str) -> Rejection:
        """Reject a claim that was accepted and is wrong, by the beginning of its id, or all that a document says."""

    @abstractmethod
    def unreject(self, claim: str = "", *, document: str = "") -> Rejection:
        """Take a rejection back."""

    @abstractmethod
    def merge(self, a: str, b: str, *, apart: bool = False, scopes: Iterable[str] | None = None) -> int:
        """Decide that two mention keys are one entity, or (apart) that they are two; the number of the decision.

        It holds for those who hold the scopes, without any for those who see the documents that name both keys.
        """

    @abstractmethod
    def erase(self, document: str) -> list[Receipt]:
        """Forget a document in all its versions; its receipt comes last, after those of erasures that were cut short before."""

    @abstractmethod
    def backup(self, folder: Source) -> Backup:
        """Copy the ledger, the originals and the settings into a new folder, and check what is copied."""

    # -- bringing in

    def ingest(
        self,
        source: Input,
        *,
        collection: str = "",
        name: str = "records",
        key: str = "",
        mapping: Source = "",
        wait: float = 0.0,
        sync: bool = False,
        yes: bool = False,
        again: bool = False,
        watch: Watch = UNWATCHED,
    ) -> IngestSummary:
        """Read files and folders, or records, into a collection ('' is as the paths say); what is known changes nothing.

        Records need a collection with a `mapping` in the settings, or one given here (a file). They are the document `name`,
        which says what it says now; with `key`, a field that no two share, each is a document of its own, which others leave alone.

        With `sync` the documents of these folders whose files are gone are withdrawn, with `yes` also where they are many;
        `again` reads what was erased before, too. Another process that writes is waited for `wait` seconds.
        """
        options = IngestOptions(collection=collection, name=name, key=key, mapping=mapping, wait=wait, sync=sync, yes=yes, again=again)
        return self._ingest(source, options, watch)

    @abstractmethod
    def _ingest(self, source: Input, options: IngestOptions, watch: Watch) -> IngestSummary: ...


def paths_of(source: Source | Iterable[Source]) -> list[Path]:
    """One path or several as a list."""
    return [Path(source)] if isinstance(source, str | PathLike) else [Path(each) for each in source]
