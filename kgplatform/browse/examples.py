"""Questions to begin with."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from ..query.entity_names import names_of
from ..query.facts import Stored
from ..query.statistics import sample_facts
from ..question.lexicon import read_lexicon
from ..question.planner import Planned, plan_question
from ..terms import PP
from ..views.view import View

_ENDING: Final = re.compile(r"s\b")


def example_questions(view: View, *, most: int) -> list[str]:
    """Questions that the view has an answer to, made from its own facts: about the commonest relations first."""
    found: list[str] = []
    facts = sample_facts(view, limit=8)
    names = names_of(view, {f.subject for f in facts} | {f.object.value for f in facts})
    for fact in facts:
        asked = _questions(view, fact, names)
        found += [next((q for q in asked if isinstance(plan_question(view, q), Planned)), "")]
        if sum(map(bool, found)) == most:
            break
    return [question for question in found if question]


def _questions(view: View, fact: Stored, names: Mapping[str, str]) -> Iterator[str]:
    """What the fact answers, where the labels of its relation are verbs."""
    label, inverse = view.schema.label(fact.relation), view.schema.inverse_label(fact.relation)
    declared, verbs = view.schema.relations[fact.relation], read_lexicon(view.schema).finite
    one, other = (
        "Who" if ends and all(view.schema.is_a([c], [PP.Agent]) for c in ends) else "What" for ends in (declared.domain, declared.range)
    )
    subject, object_ = names[fact.subject], names[fact.object.value]
    if inverse.casefold() in verbs:
        yield f"{other} {inverse} {subject}?"
    if label.casefold() in verbs:
        yield f"{one} {label} {object_}?"
        yield f"What does {subject} {_ENDING.sub('', label, count=1)}?"
