"""Text to candidate claims: passages, read with patterns that come from the ontology."""

from __future__ import annotations

from .rules import RuleExtractor

__all__ = ["RuleExtractor"]
