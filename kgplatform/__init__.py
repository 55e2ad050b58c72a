"""kgplatform: documents and records into a knowledge graph that can be trusted, and answers from it.

import kgplatform

with kgplatform.open("kgdata") as graph:
    print(graph.ask("Who owns Tax?"))
"""

from __future__ import annotations

from os import PathLike

from .errors import KgError
from .graph import KnowledgeGraph
from .results import Answer, Assertion, Citation, Conflict, Entity, IngestSummary

__version__ = "0.2.0"

__all__ = ["Answer", "Assertion", "Citation", "Conflict", "Entity", "IngestSummary", "KgError", "KnowledgeGraph", "connect", "open"]


def open(
    path: str | PathLike[str], *, principal: str = "", valid_at: str = "", recorded_at: str = "", config: str | PathLike[str] = ""
) -> KnowledgeGraph:
    """The graph of a data directory, as `principal` sees it ('' is the public).

    Facts are those that hold at `valid_at`, as they were known at `recorded_at`: dates such as 2025, 2025-11 or 2025-11-01, or UTC
    instants; '' is now. The principal is believed: whoever may read the directory may name any. Raises DataDirError where there
    is no data directory, ConfigError for settings that are wrong.
    """
    from pathlib import Path

    from .errors import DataDirError
    from .local import LocalGraph
    from .settings.load import load_settings

    data = Path(path)
    if not data.is_dir():
        raise DataDirError("no such data directory", where=str(data), hint="run `kgplatform init` first")
    settings = load_settings(data, config=Path(config) if config else None)
    return LocalGraph(settings, principal, valid_at=_instant("valid_at", valid_at), recorded_at=_instant("recorded_at", recorded_at))


def connect(url: str, *, token: str = "", valid_at: str = "", recorded_at: str = "") -> KnowledgeGraph:
    """The graph behind a running `kgplatform serve`, for whom the token is of ('' is KGPLATFORM_TOKEN, else the public); dates as for
    `open`.

    Nothing is asked until the first call. `merge`, `erase` and `backup` are for who has the data directory: UsageError.
    """
    from .client.graph import RemoteGraph
    from .settings.load import server_address

    address = server_address(url, token=token)
    return RemoteGraph(address, valid_at=_instant("valid_at", valid_at), recorded_at=_instant("recorded_at", recorded_at))


def _instant(name: str, text: str) -> str:
    """The instant that a date states (its first second), '' of ''. UsageError for another text."""
    from .errors import UsageError
    from .times import parse_asked

    try:
        return parse_asked(text).at if text else ""
    except ValueError as error:
        hint = "use YYYY, YYYY-MM, YYYY-MM-DD or a UTC instant such as 2025-11-01T12:00:00Z"
        raise UsageError(str(error), where=name, hint=hint) from error
