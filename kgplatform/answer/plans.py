"""Plans as callers write them: read here, then run by `ask.run_plan` or the graph object."""

from __future__ import annotations

from ..query.codec import from_json, from_text
from ..query.plan_form import PlanForm

__all__ = ["PlanForm", "from_json", "from_text"]
