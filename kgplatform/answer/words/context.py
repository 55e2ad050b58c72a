"""The names of everything that one answer speaks of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import pyoxigraph as ox

from ...query.algebra import EntityTerm, Plan, Term, ValueTerm, Var
from ...query.entity_names import names_of, types_of
from ...query.execute import Result, Solution
from ...query.graphview import GraphView
from ...question.lexicon import Lexicon, read_lexicon
from ...terms import PP, literal_term
from .conditions import value_words
from .homonyms import distinct_names
from .marks import without_signs
from .sentences import ANYTHING, Link, Teller


@dataclass(frozen=True)
class AnswerContext:
    """The names of everything that one answer speaks of; `over` are the facts that ended, though no trusted source may say when.

    `is_unreached` where the plan asks of a time until which no source states that what is told lasts.
    """

    view: GraphView
    plan: Plan
    lexicon: Lexicon
    names: Mapping[str, str]
    people: frozenset[str]
    over: frozenset[str] = frozenset()
    is_unreached: bool = False

    def teller(self, more: Mapping[str, str] | None = None, *, marks: Mapping[Link, str] | None = None) -> Teller:
        """Tells paths of facts with these names, and with `more` names of nodes."""
        return Teller(self.view.schema, self.lexicon, {**self.names, **(more or {})}, self.people, marks or {})

    def name(self, term: ox.NamedNode | ox.Literal | ox.BlankNode) -> str:
        """The words for a value, or for an entity; its IRI where it has no name."""
        return value_words(term) if isinstance(term, ox.Literal) else self.names.get(term.value, term.value)


def context_of(view: GraphView, plan: Plan, result: Result | None, *, beside: Iterable[Solution] = ()) -> AnswerContext:
    """Looks up the names of all entities of a plan and its solutions at once, and of the solutions that are told beside these."""
    ends = [t for hop in (*plan.hops, *plan.absences) for t in (hop.subject, hop.object)]
    iris = {t.id for t in ends if isinstance(t, EntityTerm)}
    stored = [*result.facts.values(), *result.against.values()] if result else []
    iris |= {f.subject for f in stored} | {f.object.value for f in stored if isinstance(f.object, ox.NamedNode)}
    iris |= {term.value for solution in beside for term in solution.key if isinstance(term, ox.NamedNode)}
    names = {str(f.object): _quoted(f.object) for f in stored if isinstance(f.object, ox.Literal)}
    names |= {t.node: _quoted(literal_term(t.node)) for t in ends if isinstance(t, ValueTerm)}
    classes = {iri for iri in iris if iri in view.schema.classes}
    names |= distinct_names(view, names_of(view, iris - classes)) | {iri: view.schema.label(iri) for iri in classes}
    types = types_of(view, iris - classes)
    people = frozenset(iri for iri, held in types.items() if view.schema.is_a(held, [PP.Person]))
    over = frozenset(fact.iri for fact in stored if fact.end.at <= view.valid_at)
    return AnswerContext(view, plan, read_lexicon(view.schema), {node: without_signs(name) for node, name in names.items()}, people, over)


def _quoted(literal: ox.Literal) -> str:
    """The words of a literal inside a sentence: what may be a sentence itself stands in quotes."""
    told = value_words(literal)
    return f"“{told}”" if literal.value.count(" ") > 3 else told


def node_words(context: AnswerContext, names: Mapping[str, str], term: Term) -> str:
    """The words for a term of the plan; `names` has those of its variables."""
    match term:
        case Var(name):
            return names.get(f"?{name}", ANYTHING)
        case EntityTerm(id_):
            return context.names[id_]
        case ValueTerm(node):
            return context.names[node]
