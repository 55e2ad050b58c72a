"""Why a plan may not run."""

from __future__ import annotations

from ..errors import PlanError


class CheckFailed(PlanError):
    """A plan that may not run. `check` names which one of the checks it failed."""

    def __init__(self, check: str, reason: str, *, suggestion: str = "") -> None:
        self.check = check
        super().__init__(reason, where=f"check {check}", hint=suggestion)

    @property
    def reason(self) -> str:
        """Why the plan failed the check, in one sentence."""
        return self.what

    @property
    def suggestion(self) -> str:
        """What to change in the plan, '' where nothing is known."""
        return self.hint
