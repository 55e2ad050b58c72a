"""What is said of an answer to a question whose words were taken in a wider sense: Squad is a group of type squad."""

from __future__ import annotations

from dataclasses import replace
from typing import Final, NamedTuple

import pyoxigraph as ox

from ..errors import QueryTimeout
from ..language.phrases import with_article
from ..model import TRUST_LEVELS
from ..query.algebra import ALWAYS, Plan, Time, Variable
from ..query.check import CheckFailed, check
from ..query.entity_names import names_of, types_of
from ..query.execute import Budget, OutOfTime, Result, execute
from ..query.facts import holding_now
from ..query.graphview import GraphView
from ..query.wider_classes import as_meant, wider_variables
from ..question.locate import located
from ..terms import literal
from .words.wording import listed

_MOST: Final = 5


class Beyond(NamedTuple):
    """What a variable stands for that is of the class meant, and not of the narrower one that was asked."""

    asked: Variable
    meant: Variable
    iris: tuple[str, ...]


def widened(view: GraphView, plan: Plan, *, min_trust: str, budget: Budget) -> tuple[Plan, tuple[str, ...]]:
    """The plan in the wider sense of its words, and what to say of that, if it finds something that is only of that sense; else the plan as
    it is."""
    meant = as_meant(plan, view.schema)
    if meant == plan:
        return plan, ()
    least = max(min_trust, view.principal.min_trust, key=TRUST_LEVELS.index)
    for probe in (meant, replace(meant, time=Time(ALWAYS), aggregate=None)):
        located_probe, types = located(view, probe)
        try:
            result = execute(view, check(located_probe, view.schema, view.principal, types=types), min_trust=least, budget=budget)
        except (CheckFailed, OutOfTime, QueryTimeout):
            return plan, ()  # told when the plan itself is run
        if result.rows:
            wider = _beyond(view, plan, meant, result)
            return (meant, tuple(_note(view, each, least=least) for each in wider)) if wider else (plan, ())
    return plan, ()


def _beyond(view: GraphView, asked: Plan, meant: Plan, result: Result) -> list[Beyond]:
    wider = []
    for narrow, wide in wider_variables(asked, meant):
        iris = dict.fromkeys(v.value for row in result.rows if isinstance(v := row.values.get(wide.name), ox.NamedNode))
        types = types_of(view, iris)
        others = tuple(iri for iri in iris if not view.schema.is_a(types.get(iri, frozenset()), [narrow.class_]))
        wider += [Beyond(narrow, wide, others)] if others else []
    return wider


def _note(view: GraphView, each: Beyond, *, least: str) -> str:
    schema, names = view.schema, names_of(view, each.iris)
    kinds = _kinds(view, each) if least == TRUST_LEVELS[0] else {}
    kind = schema.label(each.meant.class_)
    told = [f"{names[i]} is {with_article(kind)}{f' of type {listed(kinds[i])}' if i in kinds else ''}" for i in each.iris[:_MOST]]
    more = f" and {len(each.iris) - _MOST} more" if len(each.iris) > _MOST else ""
    return f"“{schema.label(each.asked.class_)}” was read as any {kind}: {listed(told)}{more}"


def _kinds(view: GraphView, each: Beyond) -> dict[str, list[str]]:
    """What holds now of the relation in whose open list the narrower class is a word: the group type, of which team is one."""
    schema, word = view.schema, literal(view.schema.label(each.asked.class_))
    types = {r.iri for r in schema.relations.values() if word in r.known and r.domain & schema.ancestors(each.meant.class_)}
    kinds: dict[str, list[str]] = {}
    for entity, relation, value in holding_now(view, each.iris) if types else ():
        if relation in types:
            kinds.setdefault(entity, []).append(value.value)
    return {iri: sorted(words) for iri, words in kinds.items()}
