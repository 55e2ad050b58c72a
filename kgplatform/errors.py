"""The error tree: every failure a user can meet says what, where and what next.

KgError
|-- UsageError            the command or the request was not understood        (exit 2)
|-- ConfigError           kgplatform.toml or the environment
|-- DataDirError          the data directory: format, lock, missing
|   |-- LockedError       another process is writing
|   |-- LostLedger        the ledger is missing, empty, older than or another than what stands beside it
|   `-- FormatError       made by a newer or an older version
|-- SourceError           one file or document could not be read
|   |-- SyntaxSourceError     its text breaks its format's grammar
|   |-- EncodingSourceError   it is not UTF-8
|   `-- LimitSourceError      it exceeds a stated limit (size, aliases, depth)
|-- MappingError          a mapping file is wrong
|-- OntologyError         an ontology or a shapes file is wrong
|-- ValidationEngineError a SHACL engine failed (not: data violated a shape)
|-- StoreError            the RDF store
|   |-- QuerySyntaxError  a SPARQL text does not parse
|   |-- QueryRefused      it parses, and asks for what is not allowed (SERVICE, LOAD, update)
|   |-- QueryTimeout      it ran past its deadline or memory
|   |   |-- QueryAbandoned    nobody waits for its result any more
|   |   `-- ResultTooLarge    its result has more bytes than may be written
|   |-- StoreProbeError   a remote store failed a connect probe
|   `-- DamagedStore      its files are damaged: it is derived from the ledger again
|-- PlanError             a plan is not well formed
|-- UnknownName           no such principal, token, document, collection, entity
|-- AmbiguousName         several entities bear the name
|-- PluginError           an installed package whose reader, planner ... does not load, or failed
|-- ServerError           the server of --server: not reached, not kgplatform, refused, busy, failed
`-- LanguageModelError    the model could not be reached or its reply not used
"""

from __future__ import annotations

import difflib
from collections.abc import Collection
from typing import Any


class KgError(Exception):
    """The root: `what` went wrong, `where`, and `hint`, what to do next.

    All three are plain sentences without line breaks, so that the command line prints one line.
    """

    exit_code = 1

    def __init__(self, what: str, *, where: str = "", hint: str = "") -> None:
        self.what = what
        self.where = where
        self.hint = hint
        super().__init__(what)

    def __str__(self) -> str:
        place = f"{self.where}: " if self.where else ""
        after = f" ({self.hint})" if self.hint else ""
        return " ".join(f"{place}{self.what}{after}".split())

    def as_json(self) -> dict[str, str]:
        """The error as a JSON object: its class name as `error`, and `what`, `where`, `hint`, each '' where there is none."""
        return {"error": type(self).__name__, "what": self.what, "where": self.where, "hint": self.hint}


class UsageError(KgError):
    """A command, a request or an argument was not understood; the command line exits with 2."""

    exit_code = 2


class ConfigError(KgError):
    """kgplatform.toml or a variable of the environment is wrong. `where` is the file with its dotted key, or the variable."""


class DataDirError(KgError):
    """The data directory cannot be used: it is missing, damaged, of another format, or cannot be written."""


class LockedError(DataDirError):
    """Another process is writing here; the hint names the server to ask instead, where one runs."""


class LostLedger(DataDirError):
    """The ledger is missing, empty, older than what stands beside it, or of another directory."""


class FormatError(DataDirError):
    """The ledger was made by a newer version, or by an older one and must be upgraded first."""


class SourceError(KgError):
    """One source could not be read; the others go on. `where` is path or path:line, `reason` one of model.SKIPPED."""

    reason = "unreadable"

    def __init__(self, what: str, *, where: str = "", hint: str = "", reason: str = "") -> None:
        super().__init__(what, where=where, hint=hint)
        self.reason = reason or self.reason


class SyntaxSourceError(SourceError):
    """The text of a source breaks the grammar of its format."""

    reason = "syntax"


class EncodingSourceError(SourceError):
    """A source is not UTF-8."""

    reason = "encoding"


class LimitSourceError(SourceError):
    """A source exceeds a stated limit: size, depth or aliases."""

    reason = "size"


class MappingError(KgError):
    """A mapping file is wrong, or does not fit the file that it should read."""

    reason = "mapping"


class OntologyError(KgError):
    """An ontology or a shapes file is wrong. `where` is path:line where it is known."""


class ValidationEngineError(KgError):
    """A SHACL engine failed. Data that violates a shape is a result, not an error."""


class StoreError(KgError):
    """The RDF store failed, or cannot hold what it was given."""


class QuerySyntaxError(StoreError):
    """A SPARQL text does not parse."""


class QueryRefused(StoreError):
    """A SPARQL text parses, and asks for what is not allowed: SERVICE, FROM, an update."""


class QueryTimeout(StoreError):
    """A query was ended at its deadline, or at its limit of memory or of result size."""


class QueryAbandoned(QueryTimeout):
    """A query was ended because nobody waits for its result any more."""


class ResultTooLarge(QueryTimeout):
    """A query was ended because its result has more bytes than may be written."""


class StoreProbeError(StoreError):
    """A remote store failed a probe at connecting, so that its answers could be wrong or leak."""


class DamagedStore(StoreError):
    """The files of the embedded store are damaged; it is derived from the ledger again."""


class PlanError(KgError):
    """A plan is not well formed. `where` is the path of the wrong part in its JSON (`$.hops[0]`), where it came as JSON."""


class UnknownName(KgError):
    """No principal, token, document, collection, entity or the like bears this name."""


class AmbiguousName(KgError):
    """`candidates` are what the name may mean (results.Meaning)."""

    def __init__(self, what: str, *, where: str = "", hint: str = "name one by its IRI", candidates: tuple[Any, ...] = ()) -> None:
        super().__init__(what, where=where, hint=hint)
        self.candidates = candidates


class PluginError(KgError):
    """What an installed package brings cannot be used. `where` is the name of its distribution."""


class ServerError(KgError):
    """The server of `--server` or `connect` was not reached, is not kgplatform, refused, was busy or failed."""


class LanguageModelError(KgError):
    """The language model could not be reached, or its reply could not be used."""


def nearest(name: str, known: Collection[str]) -> str:
    """The hint that names the known name which is written most alike, '' where none is."""
    close = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
    return f"did you mean {close[0]}?" if close else ""
