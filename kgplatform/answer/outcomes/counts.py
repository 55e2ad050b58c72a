"""Counts in words: what was counted, who has the most, and how much of it sources dispute."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ...language.phrases import plural_of
from ...query.algebra import Var
from ...query.execute import Solution
from ...query.expansion import bound_variables, slot_classes
from ...results import Item
from ..draft import iri_of
from ..words.conditions import limits_words
from ..words.marks import mark, uncited, unmarked
from ..words.plans import WHICH, absence_words, plan_links, plan_teller
from ..words.solutions import node_of
from ..words.times import event_dates, filters_of, is_any_past, is_date, is_over, when_words
from .disputes import disagreement, disputes
from .rows import AnswerRows

Told = tuple[str, tuple[Item, ...], tuple[str, ...]]
"""A sentence, the answers, and warnings."""


def number_told(found: AnswerRows) -> Told:
    """`112 components are owned by Web, of which 3 are disputed`."""
    number = found.result.total or 0
    disputed = sum(disputes(found, solution) for solution in found.result.solutions)
    told = f"{_quantity(found, number)}{when_words(found.scene)}"
    sentence = f"{told}{_of_which(number, disputed)}{_mark(*found.result.solutions)}." if number else f"0 stored: {told}."
    return sentence + disagreement(found), (Item(label=str(number), value=number, disputed=disputed),), ()


def groups_told(found: AnswerRows) -> Told:
    """`The most of any team: 2 components are owned by Web; 2 components are owned by Commerce`."""
    aggregate, solutions = found.plan.aggregate, found.result.solutions
    assert aggregate is not None
    items = tuple(
        Item(iri=iri_of(s.key[0]), label=found.scene.name(s.key[0]), value=s.count, disputed=disputes(found, s)) for s in solutions
    )
    lead = f"the {aggregate.order} of any {_group_words(found, aggregate.by)}" if aggregate.order else ""
    lead = f"{lead}{when_words(found.scene)}".lstrip()
    sentence = f"{lead[:1].upper()}{lead[1:]}{': ' if lead else ''}{joined([_group_told(found, s) for s in solutions])}."
    warnings = ("those with none are not counted among the fewest",) if aggregate.order == "fewest" else ()
    return f"{sentence}{_open_lead(found)}{disagreement(found)}", items, warnings


def _group_told(found: AnswerRows, solution: Solution) -> str:
    assert found.plan.aggregate is not None
    term, number = solution.key[0], solution.count or 0
    name = found.scene.names.get(node_of(term), found.scene.name(term))
    return f"{_quantity(found, number, {found.plan.aggregate.by: name})}{_of_which(number, disputes(found, solution))}{_mark(solution)}"


def _mark(*solutions: Solution) -> str:
    return mark(iri for solution in solutions for row in solution.rows for *_, iri in row.facts)


def _of_which(number: int, disputed: int) -> str:
    if not disputed:
        return ""
    if number == disputed:
        return ", which is disputed" if number == 1 else ", all of them disputed"
    return f", of which {disputed} {'is' if disputed == 1 else 'are'} disputed"


def _open_lead(found: AnswerRows) -> str:
    """What the dispute could change of a ranking: `What is disputed could change that: 4 components are owned by Platform`."""
    order = found.plan.aggregate.order if found.plan.aggregate else ""
    leaders = found.result.solutions
    if not order or not (found.contenders or (len(leaders) > 1 and any(disputes(found, s) for s in leaders))):
        return ""
    others = joined([_group_told(found, solution) for solution in found.contenders])
    return uncited(f" What is disputed could change who has the {order}{f': {unmarked(others)}' if others else ''}.")


def _quantity(found: AnswerRows, number: int, known: Mapping[str, str] | None = None) -> str:
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


def _lack(found: AnswerRows, number: int, root: str, known: Mapping[str, str]) -> str:
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


def _group_words(found: AnswerRows, variable: str) -> str:
    """What one group is: `team`, `day`, `severity containing SEV`."""
    is_day, filters = is_date(found.scene, variable), filters_of(found.plan).get(variable, [])
    noun = "day" if is_day else _noun(found, 1, variable)
    told = limits_words(filters, is_date=is_day) if variable not in event_dates(found.plan, found.scene) else ""
    return f"{noun} {told}" if told else noun


def joined(told: list[str], *, most: int = 8) -> str:
    return "; ".join(told[:most]) + (f"; and {len(told) - most} more" if len(told) > most else "")


def _noun(found: AnswerRows, number: int, variable: str) -> str:
    """What is counted, in its number: the class of the variable, else its name."""
    schema = found.scene.view.schema
    asked = found.plan.class_of(variable)
    classes = (asked,) if asked else slot_classes(schema, found.plan, variable)
    values = [h.relation for h in found.plan.hops if h.object == Var(variable) and schema.relations[h.relation].is_literal]
    words = sorted(map(schema.label, classes or values[:1])) or ["thing"]
    words = ["thing"] if any("," in word for word in words) else words  # a class that is a list of others: component, API or resource
    return " or ".join(words if number == 1 else map(plural_of, words))
