"""A caller's own SPARQL over a view: the known prefixes before it, its limits, and the workers in which it runs."""

from __future__ import annotations

from ..errors import QuerySyntaxError
from ..query.prefixes import EXAMPLE, placed, prologue
from ..store.guard import MAX_CHARACTERS
from ..store.results import QueryResult
from ..store.workers import QueryWorkers
from .view import DATASETS, View

__all__ = ["DATASETS", "EXAMPLE", "MAX_CHARACTERS", "QueryWorkers", "query"]


def query(view: View, text: str, *, dataset: str = DATASETS[0], timeout: float = 30.0) -> QueryResult:
    """The result of a read-only text, over the facts or (dataset="full") with the records behind them.

    Raises QuerySyntaxError with the lines of the text, QueryRefused, QueryTimeout (after `timeout` seconds).
    """
    try:
        return view.query(prologue(view.schema) + text, dataset=dataset, timeout=timeout)
    except QuerySyntaxError as error:
        raise placed(error, view.schema) from error
