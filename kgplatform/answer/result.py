"""The answer to a question: its outcome, its sentence, and everything that it rests on."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import pyoxigraph as ox

from ..query.execute import Outcome
from ..question.link import EntityCandidate
from ..terms import Term
from .marks import CitedClause


@dataclass(frozen=True, slots=True)
class AnswerItem:
    """One answer: an entity by `iri`, or a value. With dates asked for, `value` holds them as ISO 8601.

    `disputed` is how many of a number rest on facts that sources dispute; of what is no number, 1 if it does itself.
    """

    label: str
    iri: str | None = None
    value: str | int | None = None
    disputed: int = 0


def iri_of(term: Term) -> str | None:
    return None if isinstance(term, ox.Literal) else term.value


@dataclass(frozen=True, slots=True)
class AnswerCost:
    milliseconds: int = 0
    model_calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0


@dataclass(frozen=True, slots=True)
class ComposedAnswer:
    """`explanation` is filled only when it was asked for; `mention` is what of the question is ambiguous, and no part of the JSON.

    `clauses` are the parts of the sentence with the citations that each rests on.
    """

    question: str
    outcome: Outcome
    sentence: str
    conflicting: bool = False
    clauses: tuple[CitedClause, ...] = ()
    answers: tuple[AnswerItem, ...] = ()
    assertions: tuple[dict[str, Any], ...] = ()
    citations: tuple[dict[str, Any], ...] = ()
    plan: dict[str, Any] | None = None
    sparql: str | None = None
    parameters: dict[str, str] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    newest_source: str | None = None
    cost: AnswerCost = field(default_factory=AnswerCost)
    candidates: tuple[EntityCandidate, ...] = ()
    explanation: str = ""
    mention: str = ""

    def as_json(self) -> dict[str, Any]:
        """The fields that `kgplatform ask --json` prints; `candidates` only where the outcome is ambiguous, `explanation` where one was
        asked for."""
        out: dict[str, Any] = {
            "question": self.question,
            "outcome": self.outcome,
            "conflicting": self.conflicting,
            "sentence": self.sentence,
            "clauses": [clause.as_json() for clause in self.clauses],
            "answers": [{"iri": item.iri, "label": item.label, "value": item.value, "disputed": item.disputed} for item in self.answers],
            "assertions": list(self.assertions),
            "citations": list(self.citations),
            "plan": self.plan,
            "sparql": self.sparql,
            "parameters": self.parameters,
            "warnings": list(self.warnings),
            "newest_source": self.newest_source,
            "cost": {
                "model_calls": self.cost.model_calls,
                "input_tokens": self.cost.input_tokens,
                "output_tokens": self.cost.output_tokens,
                "milliseconds": self.cost.milliseconds,
            },
        }
        if self.outcome == "ambiguous":
            out["candidates"] = [candidate.as_json() for candidate in self.candidates]
        if self.explanation:
            out["explanation"] = self.explanation
        return out

    def warned(self, *warnings: str) -> ComposedAnswer:
        return replace(self, warnings=tuple(dict.fromkeys((*self.warnings, *warnings))))
