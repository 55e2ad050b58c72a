"""An answer before it is finished: what one outcome says, with its evidence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import pyoxigraph as ox

from ..results import Assertion, Citation, Item, Outcome
from ..terms import Term


@dataclass(frozen=True, slots=True)
class AnswerDraft:
    """Its sentence has the marks of its facts still (see `marks`)."""

    outcome: Outcome
    sentence: str
    conflicting: bool = False
    answers: tuple[Item, ...] = ()
    assertions: tuple[Assertion, ...] = ()
    citations: tuple[Citation, ...] = ()
    warnings: tuple[str, ...] = ()


class AnswerStatement(NamedTuple):
    """What a result says: its sentence with marks, the answers in it, and what to warn of."""

    sentence: str
    answers: tuple[Item, ...]
    warnings: tuple[str, ...] = ()


def iri_of(term: Term) -> str | None:
    """The IRI of an entity, None of a value."""
    return None if isinstance(term, ox.Literal) else term.value
