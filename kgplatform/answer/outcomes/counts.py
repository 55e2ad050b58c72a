"""Counts in words: what was counted, who has the most, and how much of it sources dispute."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ...language.phrases import plural_of
from ...query.algebra import Var
from ...query.execute import Solution
from ...query.expansion import bound_variables, slot_classes
from ...results import Item
from ..draft import AnswerStatement, iri_of
from ..words.conditions import limits_words
from ..words.marks import mark, uncited, unmarked
from ..words.plans import WHICH, absence_words, plan_links, plan_teller
from ..words.solutions import node_of
from ..words.times import event_dates, filters_of, is_any_past, is_date, is_over, when_words
from .disputes import disagreement, disputes
from .shown_result import ShownResult


def count_statement(shown: ShownResult) -> AnswerStatement:
    """`112 components are owned by Web, of which 3 are disputed`."""
    number = shown.result.total or 0
    disputed = sum(disputes(shown, solution) for solution in shown.result.solutions)
    told = f"{_quantity(shown, number)}{when_words(shown.context)}"
    sentence = f"{told}{_of_which(number, disputed)}{_mark(*shown.result.solutions)}." if number else f"0 stored: {told}."
    return AnswerStatement(sentence + disagreement(shown), (Item(label=str(number), value=number, disputed=disputed),))


def groups_statement(shown: ShownResult) -> AnswerStatement:
    """`The most of any team: 2 components are owned by Web; 2 components are owned by Commerce`."""
    aggregate, solutions = shown.plan.aggregate, shown.result.solutions
    assert aggregate is not None
    items = tuple(
        Item(iri=iri_of(s.key[0]), label=shown.context.name(s.key[0]), value=s.count, disputed=disputes(shown, s)) for s in solutions
    )
    lead = f"the {aggregate.order} of any {_group_words(shown, aggregate.by)}" if aggregate.order else ""
    lead = f"{lead}{when_words(shown.context)}".lstrip()
    sentence = f"{lead[:1].upper()}{lead[1:]}{': ' if lead else ''}{joined([_group_sentence(shown, s) for s in solutions])}."
    warnings = ("those with none are not counted among the fewest",) if aggregate.order == "fewest" else ()
    return AnswerStatement(f"{sentence}{_open_lead(shown)}{disagreement(shown)}", items, warnings)


def _group_sentence(shown: ShownResult, solution: Solution) -> str:
    assert shown.plan.aggregate is not None
    term, number = solution.key[0], solution.count or 0
    name = shown.context.names.get(node_of(term), shown.context.name(term))
    return f"{_quantity(shown, number, {shown.plan.aggregate.by: name})}{_of_which(number, disputes(shown, solution))}{_mark(solution)}"


def _mark(*solutions: Solution) -> str:
    return mark(iri for solution in solutions for row in solution.rows for *_, iri in row.facts)


def _of_which(number: int, disputed: int) -> str:
    if not disputed:
        return ""
    if number == disputed:
        return ", which is disputed" if number == 1 else ", all of them disputed"
    return f", of which {disputed} {'is' if disputed == 1 else 'are'} disputed"


def _open_lead(shown: ShownResult) -> str:
    """What the dispute could change of a ranking: `What is disputed could change that: 4 components are owned by Platform`."""
    order = shown.plan.aggregate.order if shown.plan.aggregate else ""
    leaders = shown.result.solutions
    if not order or not (shown.contenders or (len(leaders) > 1 and any(disputes(shown, s) for s in leaders))):
        return ""
    others = joined([_group_sentence(shown, solution) for solution in shown.contenders])
    return uncited(f" What is disputed could change who has the {order}{f': {unmarked(others)}' if others else ''}.")


def _quantity(shown: ShownResult, number: int, known: Mapping[str, str] | None = None) -> str:
    """What was counted: `5 incidents affect Tax`, of none `incidents that affect Tax`. `known` are the words of variables of one group."""
    root = shown.plan.aggregate.variable if shown.plan.aggregate else ""
    names, links = plan_links(shown.context, root=root, known=known)
    noun = _noun(shown, number or 2, root)
    lead = f"{number} {noun}" if number else noun
    if links:
        teller = plan_teller(shown.context, {**names, WHICH: lead})
        told = teller.path(WHICH, links, roots=lead, is_plural=number != 1, is_past=is_over(shown.context), is_clause=not number)
        told += " at some time" if is_any_past(shown.context) else ""
    else:
        told = f"{lead} {'is' if number == 1 else 'are'} stored" if number else lead
    told += _lack(shown, number, root, known or {})
    return f"{told}{'' if links or not shown.plan.filters else ' that happened'}"


def _lack(shown: ShownResult, number: int, root: str, known: Mapping[str, str]) -> str:
    """`, of which no stored fact says that they are owned by anything`, `, and no stored fact says that the component is owned by Web`."""
    bound = bound_variables(shown.plan)
    told = ""
    for hop in shown.plan.absences:
        held = next(end.name for end in (hop.subject, hop.object) if isinstance(end, Var) and end.name in bound)
        one = replace(shown.context, plan=replace(shown.plan, absences=(hop,)))
        if held == root:
            told += f", of which {absence_words(one, ['it' if number == 1 else 'they'], is_plural=number != 1)}"
        else:
            told += f", and {absence_words(one, [known.get(held, f'the {_noun(shown, 1, held)}')], is_plural=False)}"
    return told


def _group_words(shown: ShownResult, variable: str) -> str:
    """What one group is: `team`, `day`, `severity containing SEV`."""
    is_day, filters = is_date(shown.context, variable), filters_of(shown.plan).get(variable, [])
    noun = "day" if is_day else _noun(shown, 1, variable)
    told = limits_words(filters, is_date=is_day) if variable not in event_dates(shown.plan, shown.context) else ""
    return f"{noun} {told}" if told else noun


def joined(told: list[str], *, most: int = 8) -> str:
    """The sentences joined by `; `: the first of them, and how many more there are."""
    return "; ".join(told[:most]) + (f"; and {len(told) - most} more" if len(told) > most else "")


def _noun(shown: ShownResult, number: int, variable: str) -> str:
    """What is counted, in its number: the class of the variable, else its name."""
    schema = shown.context.view.schema
    asked = shown.plan.class_of(variable)
    classes = (asked,) if asked else slot_classes(schema, shown.plan, variable)
    values = [h.relation for h in shown.plan.hops if h.object == Var(variable) and schema.relations[h.relation].is_literal]
    words = sorted(map(schema.label, classes or values[:1])) or ["thing"]
    words = ["thing"] if any("," in word for word in words) else words  # a class that is a list of others: component, API or resource
    return " or ".join(words if number == 1 else map(plural_of, words))
