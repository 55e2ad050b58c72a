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
        return {"error": type(self).__name__, "what": self.what, "where": self.where, "hint": self.hint}


class UsageError(KgError):
    exit_code = 2


class ConfigError(KgError):
    pass


class DataDirError(KgError):
    pass


class LockedError(DataDirError):
    pass


class LostLedger(DataDirError):
    pass


class FormatError(DataDirError):
    pass


class SourceError(KgError):
    """One source could not be read; the others go on. `where` is path or path:line, `reason` one of model.SKIPPED."""

    reason = "unreadable"

    def __init__(self, what: str, *, where: str = "", hint: str = "", reason: str = "") -> None:
        super().__init__(what, where=where, hint=hint)
        self.reason = reason or self.reason


class SyntaxSourceError(SourceError):
    reason = "syntax"


class EncodingSourceError(SourceError):
    reason = "encoding"


class LimitSourceError(SourceError):
    reason = "size"


class MappingError(KgError):
    reason = "mapping"


class OntologyError(KgError):
    pass


class ValidationEngineError(KgError):
    pass


class StoreError(KgError):
    pass


class QuerySyntaxError(StoreError):
    pass


class QueryRefused(StoreError):
    pass


class QueryTimeout(StoreError):
    pass


class StoreProbeError(StoreError):
    pass


class DamagedStore(StoreError):
    pass


class PlanError(KgError):
    pass


class UnknownName(KgError):
    pass


class AmbiguousName(KgError):
    """`candidates` are what the name may mean (results.Meaning)."""

    def __init__(self, what: str, *, where: str = "", hint: str = "name one by its IRI", candidates: tuple[Any, ...] = ()) -> None:
        super().__init__(what, where=where, hint=hint)
        self.candidates = candidates


class PluginError(KgError):
    """What an installed package brings cannot be used. `where` is the name of its distribution."""


class ServerError(KgError):
    pass


class LanguageModelError(KgError):
    pass


def nearest(name: str, known: Collection[str]) -> str:
    """The hint that names the known name which is written most alike, '' where none is."""
    close = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
    return f"did you mean {close[0]}?" if close else ""
