"""Plans as callers write them: read here, then run by `ask.run_plan` or the graph object."""

from __future__ import annotations

from ..query.codec import PLAN_SCHEMA, from_json, from_text

__all__ = ["PLAN_SCHEMA", "from_json", "from_text"]
