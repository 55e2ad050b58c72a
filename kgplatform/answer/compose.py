"""Results to answers: the sentence, the values, the warnings. No number where sources disagree or something was cut."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import pyoxigraph as ox

from ..extract.phrases import plural_of
from ..query.algebra import COUNT, NOW, Plan, Var
from ..query.check import CheckedPlan
from ..query.execute import Outcome, Result, Row, Solution, rivals
from ..query.expansion import bound_variables, slot_class
from ..query.facts import Stored
from ..query.graphview import GraphView
from ..terms import XSD
from .backed import backed, holding
from .bounds import iso
from .cite import evidence
from .conditions import limits_words
from .result import Answer, Item
from .telling import (
    WHICH,
    Scene,
    absence_words,
    event_dates,
    fact_words,
    filters_of,
    is_any_past,
    is_date,
    is_over,
    node_of,
    nothing_words,
    plan_links,
    plan_teller,
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
    plan, result = checked.plan, holding(view, checked.plan, result, least=least)
    if not result.solutions and result.total is None:
        return _unborne(view, plan, result, least=least)
    found = _found(view, plan, result, least=least)
    outcome: Outcome = "truncated" if result.cut else "answered"
    sentence, items, warnings = _told(found)
    assertions, citations = evidence(found.facts.values(), found.sources, found.scene.names)
    return Answer(
        question=plan.question,
        outcome=outcome,
        sentence=sentence,
        conflicting=bool(found.disputed or found.redated),
        answers=items,
        assertions=assertions,
        citations=citations,
        warnings=(*warnings, *_limited(plan, result), *result.cut),
    )


def _unborne(view: GraphView, plan: Plan, result: Result, *, least: str) -> Answer:
    """That nothing is left of what was found, since only sources of less trust say when it was so."""
    nothing = nothing_words(scene(view, plan, None))
    sentence = f"{nothing}; no source of trust {least} or above says so of that time."
    return Answer(plan.question, "truncated" if result.cut else "no_match", sentence, warnings=result.cut)


def _limited(plan: Plan, result: Result) -> tuple[str, ...]:
    """What the plan's own limit left out."""
    told = len(result.solutions)
    if told == result.found:
        return ()
    return (f"the first {told}; there are more" if result.cut else f"the first {told} of {result.found}",)


def _found(view: GraphView, plan: Plan, result: Result, *, least: str) -> Found:
    facts, sources = backed(view, [*result.facts.values(), *result.against.values()], least=least)
    stored = {iri: fact for iri, fact in facts.items() if sources.get(iri) or iri in result.facts}
    values = {a for a, fact in stored.items() for b in fact.against if b in stored and not fact.same_fact(stored[b])}
    told = {iri for solution in result.solutions for row in solution.rows for *_, iri in row.facts}
    told |= values.intersection(iri for row in rivals(plan, result, values) for *_, iri in row.facts)
    shown = {iri: fact for iri, fact in stored.items() if iri in told or told.intersection(fact.against)}
    values &= shown.keys()
    dates = {a for a, fact in shown.items() for b in fact.against if b in shown and fact.same_fact(shown[b])}
    return Found(plan, result, scene(view, plan, result), shown, frozenset(values), frozenset(dates - values), sources)


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
        shown = _joined(told)
        parts.append(f"{time[0].upper()}{time[1:]}: {shown}." if time else f"{shown}.")
    if found.disputed:
        parts.append(f"Sources disagree: {_dispute(found)}.")
    return " ".join(parts) + _redating(found), _items(found), ()


def _in_sequence(found: Found) -> list[str]:
    """`Commerce owned Tax, from June 2022 until 1 March 2024, before Platform`."""
    sequence = found.plan.sequence
    assert sequence is not None
    told = []
    for key, row in ((solution.key[0], row) for solution in found.result.solutions for row in solution.rows):
        facts = {hop: found.facts[iri] for hop, _, iri in row.facts}
        asks_earlier = any(end == key or end == key.value for end in (facts[sequence.earlier].object, facts[sequence.earlier].subject))
        asked, other = (sequence.earlier, sequence.later) if asks_earlier else (sequence.later, sequence.earlier)
        ends = {node_of(facts[other].object), facts[other].subject} - {node_of(facts[asked].object), facts[asked].subject}
        names = listed(sorted(found.scene.names[e] for e in ends))
        told.append((facts[asked].start.at, f"{fact_words(found.scene, facts[asked])}, {'before' if asks_earlier else 'after'} {names}"))
    return list(dict.fromkeys(words for _, words in sorted(told)))


def _counted(found: Found) -> tuple[str, tuple[Item, ...], tuple[str, ...]]:
    number = found.result.total or 0
    told = f"{_quantity(found, number)}{when_words(found.scene)}"
    sentence = f"{told}." if number else f"0 stored: {told}."
    return sentence + _disagreement(found), (Item(str(number), value=number),), ()


def _grouped(found: Found) -> tuple[str, tuple[Item, ...], tuple[str, ...]]:
    """`The most of any team: 2 components are owned by Web; 2 components are owned by Commerce`."""
    aggregate, solutions = found.plan.aggregate, found.result.solutions
    assert aggregate is not None
    items = tuple(Item(found.scene.name(s.key[0]), _iri(s.key[0]), s.count) for s in solutions)
    names = [found.scene.names.get(node_of(s.key[0]), item.label) for s, item in zip(solutions, items, strict=True)]
    told = [_quantity(found, s.count or 0, {aggregate.by: name}) for s, name in zip(solutions, names, strict=True)]
    lead = f"the {aggregate.order} of any {_group_words(found, aggregate.by)}" if aggregate.order else ""
    lead = f"{lead}{when_words(found.scene)}".lstrip()
    sentence = f"{lead[:1].upper()}{lead[1:]}{': ' if lead else ''}{_joined(told)}."
    warnings = ("those with none are not counted among the fewest",) if aggregate.order == "fewest" else ()
    return sentence + _disagreement(found), items, warnings


def _quantity(found: Found, number: int, known: Mapping[str, str] | None = None) -> str:
    """What was counted: `5 incidents affect Tax`, of none `incidents that affect Tax`. `known` are the words of variables of one group."""
    root = found.plan.aggregate.variable if found.plan.aggregate else ""
    names, links = plan_links(found.scene, root=root, known=known)
    noun = _noun(found, number or 2, root)
    lead = f"{number} {noun}" if number else noun
    if links:
        teller = plan_teller(found.scene, {**names, WHICH: lead})
        told = teller.path(WHICH, links, roots=lead, is_plural=number != 1, is_past=is_over(found.scene), is_clause=not number)
        told += " at some time" if is_any_past(found.scene) else ""
    else:
        told = f"{lead} {'is' if number == 1 else 'are'} stored" if number else lead
    told += _lack(found, number, root, known or {})
    return f"{told}{'' if links or not found.plan.filters else ' that happened'}"


def _lack(found: Found, number: int, root: str, known: Mapping[str, str]) -> str:
    """`, of which no stored fact says that they are owned by anything`, `, and no stored fact says that the component is owned by Web`."""
    bound = bound_variables(found.plan)
    told = ""
    for hop in found.plan.absences:
        held = next(end.name for end in (hop.subject, hop.object) if isinstance(end, Var) and end.name in bound)
        one = replace(found.scene, plan=replace(found.plan, absences=(hop,)))
        if held == root:
            told += f", of which {absence_words(one, ['it' if number == 1 else 'they'], is_plural=number != 1)}"
        else:
            told += f", and {absence_words(one, [known.get(held, f'the {_noun(found, 1, held)}')], is_plural=False)}"
    return told


def _group_words(found: Found, variable: str) -> str:
    """What one group is: `team`, `day`, `severity containing SEV`."""
    is_day, filters = is_date(found.scene, variable), filters_of(found.plan).get(variable, [])
    noun = "day" if is_day else _noun(found, 1, variable)
    told = limits_words(filters, is_date=is_day) if variable not in event_dates(found.plan, found.scene) else ""
    return f"{noun} {told}" if told else noun


# -- parts


def _joined(told: list[str], *, most: int = 8) -> str:
    return "; ".join(told[:most]) + (f"; and {len(told) - most} more" if len(told) > most else "")


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
    solution = (_undisputed(found) or found.result.solutions)[0]
    first = found.facts[solution.rows[0].facts[0][2]]
    return [replace(solution, key=(ox.NamedNode(first.subject),))]


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
        return bool(found.disputed)
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
