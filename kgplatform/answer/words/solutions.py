"""What the solutions of a plan say, in words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import pyoxigraph as ox

from ...query.execute import ResultRow, Solution
from ...query.facts import Stored
from ...terms import TYPE
from ...times import Bound, shown, shown_instant
from ..bounds import validity_words
from .context import AnswerContext
from .marks import before_mark, mark
from .plans import WHICH
from .sentences import Link
from .times import is_any_past, is_over, is_timed
from .wording import VERB, listed, wording


def row_links(row: ResultRow, facts: Mapping[str, Stored]) -> list[Link]:
    """The facts of one way to meet a plan, without those that only say of what class something is, unless there are no others."""
    found = [facts[iri] for *_, iri in row.facts if iri in facts]
    return [Link(f.subject, f.relation, node_of(f.object)) for f in found if f.relation != TYPE] or [
        Link(f.subject, f.relation, node_of(f.object)) for f in found[:1]
    ]


def node_of(term: ox.NamedNode | ox.Literal | ox.BlankNode) -> str:
    """The name of the node that stands for a term in a path: an IRI, or a literal in N-Triples."""
    return str(term) if isinstance(term, ox.Literal) else term.value


def solution_sentences(
    context: AnswerContext, solutions: Iterable[Solution], facts: Mapping[str, Stored], *, with_validity: bool
) -> list[str]:
    """One sentence for all solutions that are met in the same way, without full stops."""
    groups: dict[tuple[tuple[Link, ...], str, bool], list[tuple[str, list[ResultRow]]]] = {}
    for solution in solutions:
        root = node_of(solution.key[0])
        alike = _alike(context, solution.rows, facts)
        validity = _validities(alike, facts) if with_validity else ""
        is_past = is_timed(context) or all(_is_past(context, _facts_of(row, facts)) for row in alike)
        shape = tuple(_renamed(link, root, WHICH) for link in row_links(alike[0], facts))
        groups.setdefault((shape, validity, is_past), []).append((root, alike))
    sentences = []
    for (shape, validity, is_past), members in groups.items():
        root = members[0][0] if len(members) == 1 else WHICH
        links = [_renamed(link, WHICH, root) for link in shape]
        marks = _marks(members, facts, root)
        if root != WHICH:
            text = context.teller(marks=marks).path(root, links, is_past=is_past)
        else:
            words = listed([context.names[member] for member, _ in members])
            text = context.teller({WHICH: words}, marks=marks).path(WHICH, links, roots=words, is_plural=True, is_past=is_past)
        sentences.append(before_mark(text, f", {validity}") if validity else text)
    return sentences


def _renamed(link: Link, node: str, name: str) -> Link:
    return Link(name if link.subject == node else link.subject, link.relation, name if link.object == node else link.object)


def _marks(members: list[tuple[str, list[ResultRow]]], facts: Mapping[str, Stored], name: str) -> dict[Link, str]:
    """The mark of each link that is told of these solutions, under the name of what is asked for."""
    found: dict[Link, list[str]] = {}
    for root, rows in members:
        for fact in (fact for row in rows for fact in _facts_of(row, facts)):
            link = _renamed(Link(fact.subject, fact.relation, node_of(fact.object)), root, name)
            found.setdefault(link, []).append(fact.iri)
    return {link: mark(iris) for link, iris in found.items()}


def _facts_of(row: ResultRow, facts: Mapping[str, Stored]) -> list[Stored]:
    return [facts[iri] for *_, iri in row.facts if iri in facts]


def _alike(context: AnswerContext, rows: Iterable[ResultRow], facts: Mapping[str, Stored]) -> list[ResultRow]:
    """The rows that say the same as the one that is told, of this and other times; a row that still holds is told before others."""
    ordered = sorted(rows, key=lambda row: _is_past(context, _facts_of(row, facts)))
    links = row_links(ordered[0], facts)
    return [row for row in ordered if row_links(row, facts) == links]


def _validities(rows: list[ResultRow], facts: Mapping[str, Stored]) -> str:
    """When the one fact of these rows held, in the order of time; joined by `or` where sources disagree on the dates. '' of a path."""
    if any(len(row.facts) != 1 for row in rows):
        return ""
    held = sorted({facts[row.facts[0][2]] for row in rows}, key=lambda fact: (fact.start.at, fact.end.at))
    is_disputed = any(other.iri in fact.against for fact in held for other in held)
    told = dict.fromkeys(words for fact in held if (words := validity_words(fact)))
    return (", or " if is_disputed else ", and ").join(told)


def _is_past(context: AnswerContext, facts: Iterable[Stored]) -> bool:
    """Whether what is told no longer holds at the view's instant, or is told of a time that is over without its dates."""
    told_of_past = is_over(context) and not is_any_past(context)
    return any(
        fact.end.at <= context.view.valid_at or fact.iri in context.over or (told_of_past and not validity_words(fact)) for fact in facts
    )


def fact_words(context: AnswerContext, fact: Stored) -> str:
    """One fact with its validity: `Web owns Notify, since 1 January 2025`."""
    link = Link(fact.subject, fact.relation, node_of(fact.object))
    turned = wording(context.view.schema, context.lexicon, fact.relation, from_subject=False)
    root = link.object if isinstance(fact.object, ox.NamedNode) and turned.kind == VERB else link.subject
    told = context.teller().path(root, [link], is_past=_is_past(context, [fact]))
    told = told if fact.positive else f"it is not so that {told}"
    validity = validity_words(fact)
    return f"{told}{f', {validity}' if validity else ''}{mark([fact.iri])}"


def first_words(start: Bound) -> str:
    """`first stated 1 March 2024`, `first seen 2 April 2024`: when something was first known."""
    kind = {"stated": "first stated", "observed": "first observed"}.get(start.kind, "first seen")
    return f"{kind} {shown(start) if start.kind != 'unknown' else shown_instant(start.at, start.precision)}"
