"""That a stored source says that it is not so."""

from __future__ import annotations

from dataclasses import replace

from ...query.algebra import EntityTerm, Plan
from ...query.expansion import above
from ...query.facts import negatives
from ...query.graphview import GraphView
from ...query.time_filters import denies, holds
from ...results import Item
from ..cite import cited, evidence
from ..draft import AnswerDraft
from ..words.context import context_of
from ..words.solutions import fact_words
from .no_match import nothing


def denied(view: GraphView, plan: Plan, *, least: str) -> AnswerDraft | None:
    """A stored source that says that it is not so: the answer is no where it is denied for all of the asked time, else nothing matches."""
    if not plan.is_yes_no or len(plan.hops) != 1:
        return None
    hop = plan.hops[0]
    stored, turned = view.schema.canonical(hop.relation)
    subject, object_ = (hop.object, hop.subject) if turned else (hop.subject, hop.object)
    if not isinstance(subject, EntityTerm) or not isinstance(object_, EntityTerm):
        return None
    ends = [(subject.id, object_.id)]
    if view.schema.relations[stored].symmetric:
        ends.append((object_.id, subject.id))
    relations = above(view.schema, stored)
    denials = {iri: fact for one, other in ends for iri, fact in negatives(view, one, relations, other).items()}
    sources = cited(view, denials.values(), least=least)
    denials = {iri: fact for iri, fact in denials.items() if sources.get(iri)}
    held = {iri: fact for iri, fact in denials.items() if denies(plan.time, fact.start.at, fact.end.at, at=view.valid_at)}
    near = {iri: fact for iri, fact in denials.items() if holds(plan.time, fact.start.at, fact.end.at, at=view.valid_at)}
    shown = held or near
    if not shown:
        return None
    words = context_of(view, plan, None)
    assertions, citations = evidence(shown.values(), sources, words.names)
    sentences = "; ".join(fact_words(words, fact) for fact in shown.values())
    if held:
        items = (Item(label="no", value="no"),)
        return AnswerDraft("answered", f"No: {sentences}.", answers=items, assertions=assertions, citations=citations)
    return replace(nothing(view, plan, hint=f"stored is only that {sentences}"), assertions=assertions, citations=citations)
