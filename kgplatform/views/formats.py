"""The results of a caller's SPARQL, and the formats in which they are written."""

from __future__ import annotations

from ..store.results import SHORT_NAMES, SOLUTION_FORMATS, TRIPLE_FORMATS, Kind, QueryResult

__all__ = ["SHORT_NAMES", "SOLUTION_FORMATS", "TRIPLE_FORMATS", "Kind", "QueryResult"]
