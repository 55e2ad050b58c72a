"""Results to answers: the sentence, the values, the warnings. No number where sources disagree or something was cut."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import pyoxigraph as ox

from ..extract.phrases import plural_of
from ..model import TRUST_LEVELS
from ..query.algebra import COUNT, NOW, Plan, Var
from ..query.check import CheckedPlan
from ..query.execute import Outcome, Result, Row, Solution
from ..query.expansion import bound_variables, slot_class
from ..query.facts import Stored, read_facts
from ..query.graphview import GraphView
from ..terms import XSD
from .bounds import iso, with_trusted_bounds
from .cite import cited, evidence
from .result import Answer, Item
from .telling import (
    WHICH,
    Scene,
    absence_words,
    fact_words,
    is_any_past,
    is_over,
    node_of,
    plan_links,
    scene,
    solution_sentences,
    time_words,
    when_words,
)
from .wording import listed


@dataclass(frozen=True)
class Found:
    """A result with its facts as the least trust shows them, and the words for it."""

    plan: Plan
    result: Result
    scene: Scene
    facts: Mapping[str, Stored]
    disputed: frozenset[str]
    redated: frozenset[str]
    sources: Mapping[str, tuple[Any, ...]]


def answer(view: GraphView, checked: CheckedPlan, result: Result, *, least: str) -> Answer:
    """The answer of a result with at least one solution, or a count of none."""
    found = _found(view, checked.plan, result, least=least)
    outcome: Outcome = "truncated" if result.cut else "answered"
    sentence, items, warnings = _told(found)
    assertions, citations = evidence(found.facts.values(), found.sources, found.scene.names)
    return Answer(
        question=checked.plan.question,
        outcome=outcome,
        sentence=sentence,
        conflicting=bool(found.disputed or found.redated),
        answers=items,
        assertions=assertions,
        citations=citations,
        warnings=(*warnings, *result.cut),
    )


def _found(view: GraphView, plan: Plan, result: Result, *, least: str) -> Found:
    stored = {**result.facts, **result.against}
    sources = cited(view, stored.values(), least=least)
    if TRUST_LEVELS.index(least):
        successors = _successors(view, stored.values())
        backing = {**sources, **cited(view, successors.values(), least=least)}
        stored = with_trusted_bounds(stored.values(), backing, [*stored.values(), *successors.values()], least=least)
        stored = {iri: fact for iri, fact in stored.items() if sources.get(iri) or iri in result.facts}
    values = {a for a, fact in stored.items() for b in fact.against if b in stored and not fact.same_fact(stored[b])}
    dates = {a for a, fact in stored.items() for b in fact.against if b in stored and fact.same_fact(stored[b])}
    return Found(plan, result, scene(view, plan, result), stored, frozenset(values), frozenset(dates - values), sources)


def _successors(view: GraphView, facts: Any) -> dict[str, Stored]:
    """The facts that begin where one of these ends: they may back that end."""
    from ..query.binding import nodes, rows

    ended = [fact for fact in facts if fact.end.kind in ("succeeded", "stated")]
    subjects = nodes(sorted({fact.subject for fact in ended}))
    keys = {(fact.subject, fact.relation, fact.end.at) for fact in ended}
    where = "GRAPH ?g { ?a rdf:subject ?s ; rdf:predicate ?p ; kg:plain true ; kg:start ?start . }"
    found = [
        row["a"].value
        for row in rows(view, "s", subjects, select=("a", "s", "p", "start"), where=where)
        if (row["s"].value, row["p"].value, row["start"].value) in keys
    ]
    return read_facts(view, found)


# -- by what was asked


def _told(found: Found) -> tuple[str, tuple[Item, ...], tuple[str, ...]]:
    plan, result = found.plan, found.result
    if plan.aggregate and plan.aggregate.kind == COUNT:
        if result.cut:
            return "No number is given, since not everything was read.", _items(found), ()
        if _is_number_disputed(found):
            items = () if plan.aggregate.order else _items(found)
            return f"No number is given, since sources disagree: {_dispute(found)}.", items, ()
        return _grouped(found) if plan.aggregate.by else _counted(found)
    if plan.is_yes_no:
        told = solution_sentences(found.scene, _as_rows(found), found.facts, with_validity=_shows_validity(found))
        return f"Yes: {told[0]}.{_disagreement(found)}", (Item("yes", value="yes"),), ()
    if plan.validity and not plan.select:
        told = [fact_words(found.scene, fact) for fact in _dated(found)]
        items = tuple(Item(_bound_label(found, fact), value=_bound_value(found, fact)) for fact in _dated(found))
        return f"{'; '.join(told)}.{_disagreement(found)}", items, ()
    return _lacking(found) if plan.absences else _listed(found)


def _lacking(found: Found) -> tuple[str, tuple[Item, ...], tuple[str, ...]]:
    """`Web owns Storefront; no stored fact says that Storefront depends on Tax`: what lacks the fact need not be what is asked for."""
    plan, solutions = found.plan, _undisputed(found) or found.result.solutions
    ends = {end.name for hop in plan.absences for end in (hop.subject, hop.object) if isinstance(end, Var)}
    held = sorted(ends & bound_variables(plan))
    lacking = {str(term): term for s in solutions for row in s.rows[:1] for name, term in row.values.items() if name in held}
    names = [found.scene.name(term) for term in lacking.values()]
    told = absence_words(found.scene, names, is_plural=len(names) > 1) + when_words(found.scene)
    if plan.hops:
        told = "; ".join([*solution_sentences(found.scene, solutions, found.facts, with_validity=False), told])
    return f"{told[0].upper()}{told[1:]}.{_disagreement(found)}", _items(found), ()


def _listed(found: Found) -> tuple[str, tuple[Item, ...], tuple[str, ...]]:
    if found.plan.sequence:
        return f"{'; '.join(_in_sequence(found))}.{_disagreement(found)}", _items(found), ()
    undisputed = _undisputed(found)
    told = solution_sentences(found.scene, undisputed, found.facts, with_validity=_shows_validity(found)) if undisputed else []
    time = time_words(found.scene)
    parts = []
    if told:
        shown = "; ".join(told[:8]) + (f"; and {len(told) - 8} more" if len(told) > 8 else "")
        parts.append(f"{time[0].upper()}{time[1:]}: {shown}." if time else f"{shown}.")
    if found.disputed:
        parts.append(f"Sources disagree: {_dispute(found)}.")
    return " ".join(parts) + _redating(found), _items(found), ()


def _in_sequence(found: Found) -> list[str]:
    """`Commerce owned Tax, from June 2022 until 1 March 2024, before Platform`."""
    sequence = found.plan.sequence
    assert sequence is not None
    told = []
    for solution in found.result.solutions:
        facts = {hop: found.facts[iri] for hop, _, iri in solution.rows[0].facts}
        asks_earlier = any(
            end == solution.key[0] or end == solution.key[0].value
            for end in (facts[sequence.earlier].object, facts[sequence.earlier].subject)
        )
        asked, other = (sequence.earlier, sequence.later) if asks_earlier else (sequence.later, sequence.earlier)
        ends = {node_of(facts[other].object), facts[other].subject} - {node_of(facts[asked].object), facts[asked].subject}
        names = listed(sorted(found.scene.names[e] for e in ends))
        told.append(f"{fact_words(found.scene, facts[asked])}, {'before' if asks_earlier else 'after'} {names}")
    return told


def _counted(found: Found) -> tuple[str, tuple[Item, ...], tuple[str, ...]]:
    number = found.result.total or 0
    noun = _noun(found, number, found.plan.aggregate.variable if found.plan.aggregate else "")
    root = found.plan.aggregate.variable if found.plan.aggregate else ""
    names, links = plan_links(found.scene, root=root)
    lead = f"{number} {noun}" if number else f"{_noun(found, 2, root)} that"
    if links:
        told = found.scene.teller({**names, WHICH: lead}).path(WHICH, links, roots=lead, is_plural=number != 1, is_past=is_over(found.scene))
        told += " at some time" if is_any_past(found.scene) else ""
    else:
        told = f"{number} {noun} {'is' if number == 1 else 'are'} stored" if number else _noun(found, 2, root)
    if found.plan.absences:
        told = f"{told}, of which {absence_words(found.scene, ['it' if number == 1 else 'they'], is_plural=number != 1)}"
    told = f"{told}{'' if links or not found.plan.filters else ' that happened'}{when_words(found.scene)}"
    sentence = f"{told}." if number else f"0 stored: {told}."
    return sentence + _disagreement(found), (Item(str(number), value=number),), ()


def _grouped(found: Found) -> tuple[str, tuple[Item, ...], tuple[str, ...]]:
    aggregate, solutions = found.plan.aggregate, found.result.solutions
    assert aggregate is not None
    items = tuple(Item(found.scene.name(s.key[0]), _iri(s.key[0]), s.count) for s in solutions)
    if not aggregate.order:
        return "; ".join(f"{item.label}: {item.value}" for item in items) + ".", items, ()
    number = solutions[0].count or 0
    noun = _role(found, number, aggregate.variable) or _noun(found, number, aggregate.variable)
    names = [item.label for item in items]
    each = " each" if len(items) > 1 else ""
    sentence = f"{listed(names)}: {number} {noun}{each}, the {aggregate.order}{when_words(found.scene)}."
    warnings = ("those with none are not counted among the fewest",) if aggregate.order == "fewest" else ()
    return sentence, items, warnings


# -- parts


def _role(found: Found, number: int, variable: str) -> str:
    """The word of the ontology by which the question names what is counted: `dependents`; '' if it names a class."""
    nouns, many = found.scene.lexicon.nouns, variable.replace("_", " ")
    if found.plan.class_of(variable) or many not in found.scene.lexicon.plural_nouns:
        return ""
    return many if number != 1 else next(noun for noun in nouns if plural_of(noun) == many)


def _noun(found: Found, number: int, variable: str) -> str:
    """What is counted, in its number: the class of the variable, else its name."""
    schema = found.scene.view.schema
    class_ = found.plan.class_of(variable) or slot_class(schema, found.plan, variable)
    values = [h.relation for h in found.plan.hops if h.object == Var(variable) and schema.relations[h.relation].is_literal]
    word = schema.label(class_ or values[0]) if class_ or values else "thing"
    word = "thing" if "," in word else word  # a class that is a list of others: component, API or resource
    return word if number == 1 else plural_of(word)


def _items(found: Found) -> tuple[Item, ...]:
    solutions = found.result.solutions
    if not solutions or not solutions[0].key:
        return ()
    return tuple(Item(found.scene.name(s.key[0]), _iri(s.key[0]), _item_value(found, s)) for s in solutions)


def _item_value(found: Found, solution: Solution) -> str | int | None:
    term = solution.key[0]
    if isinstance(term, ox.Literal):
        return term.value
    if not found.plan.validity:
        return None
    facts = [found.facts[iri] for row in solution.rows for hop, _, iri in row.facts if hop == found.plan.validity[0].hop]
    return ", ".join(dict.fromkeys(_bound_value(found, fact) or "unknown" for fact in facts))


def _iri(term: ox.NamedNode | ox.Literal | ox.BlankNode) -> str | None:
    return None if isinstance(term, ox.Literal) else term.value


def _bound_value(found: Found, fact: Stored) -> str | None:
    """What was asked of since and until as ISO 8601: one date, or an interval."""
    asked = [v.bound for v in found.plan.validity]
    start, end = iso(fact.start), iso(fact.end)
    if "since" in asked and "until" in asked:
        return f"{start or '..'}/{end or '..'}"
    return start if "since" in asked else end


def _bound_label(found: Found, fact: Stored) -> str:
    from .bounds import since_words, until_words, validity_words

    asked = [v.bound for v in found.plan.validity]
    if "since" in asked and "until" in asked:
        return validity_words(fact) or "unknown"
    return (since_words(fact.start) if "since" in asked else until_words(fact.end)).removeprefix("since ").removeprefix(
        "until "
    ) or "unknown"


def _dated(found: Found) -> list[Stored]:
    hop = found.plan.validity[0].hop
    wanted = dict.fromkeys(iri for s in found.result.solutions for row in s.rows for index, _, iri in row.facts if index == hop)
    return sorted((found.facts[iri] for iri in wanted), key=lambda fact: fact.start.at)


def _as_rows(found: Found) -> list[Solution]:
    """A yes as a solution about the subject of its first fact."""
    row = min(found.result.solutions[0].rows, key=lambda row: _is_disputed(found, row))
    first = found.facts[row.facts[0][2]]
    return [Solution((ox.NamedNode(first.subject),), (row,))]


def _undisputed(found: Found) -> list[Solution]:
    """The solutions that are met without a disputed fact, in those ways."""
    rows = ((s, tuple(row for row in s.rows if not _is_disputed(found, row))) for s in found.result.solutions)
    return [replace(solution, rows=left) for solution, left in rows if left]


def _is_disputed(found: Found, row: Row) -> bool:
    return any(iri in found.disputed for *_, iri in row.facts)


def _shows_validity(found: Found) -> bool:
    """Dates are told when asked for, when the question names a time, and of a state that has one value at a time; a day is none."""
    plan, relations = found.plan, found.scene.view.schema.relations
    told = [relations[hop.relation] for hop in plan.hops if hop.relation in relations]
    is_state = 0 < len(told) < 3 and told[0].functional
    is_day = bool(told) and told[0].datatype in (XSD.date, XSD.dateTime)
    return bool(plan.validity or plan.sequence or (not is_day and (plan.time.kind != NOW or is_state)))


def _is_number_disputed(found: Found) -> bool:
    """Whether the count rests on a disputed fact: what is counted anyway, over other facts, does not."""
    if found.plan.aggregate and found.plan.aggregate.by:
        return bool(found.disputed & set(found.result.facts))
    return len(_undisputed(found)) < len(found.result.solutions)


def _dispute(found: Found) -> str:
    facts = sorted((found.facts[iri] for iri in found.disputed), key=lambda f: (found.scene.names[f.subject], str(f.object)))
    return "; ".join(f"{fact_words(found.scene, fact)} ({_documents(found, fact)})" for fact in facts[:8])


def _documents(found: Found, fact: Stored) -> str:
    return ", ".join(dict.fromkeys(citation.document for citation in found.sources.get(fact.iri, ())))


def _disagreement(found: Found) -> str:
    return f" Sources disagree: {_dispute(found)}." if found.disputed else _redating(found)


def _redating(found: Found) -> str:
    return " Sources disagree on the dates." if found.redated else ""
