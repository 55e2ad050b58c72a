"""The forms of a plan: every way to match its hops as facts in their stored direction.

A symmetric relation has two, a path of containment one for each of its lengths.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Final, NamedTuple

from ..schema import Schema
from ..terms import TYPE
from .algebra import OF_PLAN, ONE, ZERO_OR_MORE, EntityTerm, Hop, Plan, Term, Var
from .events import at_of
from .expansion import generators, ways

MAX_DEPTH: Final = 4
"""How often a containment is followed; a path that goes on is reported as cut."""


class Star(NamedTuple):
    """One fact to be matched, in its stored direction, by any of the relations."""

    subject: Term
    relations: tuple[str, ...]
    object: Term
    hop: int
    step: int
    is_qualified: bool = False
    at: Var | str = OF_PLAN

    @property
    def tag(self) -> str:
        """What the names of the star's own variables in the query end with."""
        return f"{self.hop}_{self.step}"

    def ends(self) -> tuple[tuple[str, Term], tuple[str, Term]]:
        """(`subject`, term) and (`object`, term)."""
        return ("subject", self.subject), ("object", self.object)


class Form(NamedTuple):
    """One way to match a plan: its stars, and `same`, the variables that stand for the same as another term."""

    stars: tuple[Star, ...]
    same: dict[str, Term]

    def term(self, term: Term) -> Term:
        """The term that the form uses for a term of the plan."""
        return self.same.get(term.name, term) if isinstance(term, Var) else term


def forms_of(plan: Plan, schema: Schema) -> Iterator[Form]:
    """Every form of a checked plan."""
    first = [
        Star(Var(name), (TYPE,), EntityTerm(plan.class_of(name)), index, 0, at=at_of(plan, schema, index))
        for index, name in enumerate(generators(plan), len(plan.hops))
    ]
    for chains in product(*(list(_chains(hop, index, schema)) for index, hop in enumerate(plan.hops))):
        same: dict[str, Term] = {}
        for hop, chain in zip(plan.hops, chains, strict=True):
            one, other = (same.get(t.name, t) if isinstance(t, Var) else t for t in (hop.subject, hop.object))
            if chain or one == other:
                continue
            if not isinstance(one, Var) and not isinstance(other, Var):
                break
            renamed, kept_term = (other, one) if isinstance(other, Var) else (one, other)
            assert isinstance(renamed, Var)
            same = {**{name: kept_term if term == renamed else term for name, term in same.items()}, renamed.name: kept_term}
        else:
            form = Form((), same)
            stars = (*first, *(star for chain in chains for star in chain))
            yield Form(tuple(s._replace(subject=form.term(s.subject), object=form.term(s.object)) for s in stars), same)


def _chains(hop: Hop, index: int, schema: Schema) -> Iterator[tuple[Star, ...]]:
    """Every chain of facts that answers the hop, up to one step more than is followed. An empty chain means that its ends are the same."""
    lengths = range(1, 2) if hop.path == ONE else range(0 if hop.path == ZERO_OR_MORE else 1, MAX_DEPTH + 2)
    is_qualified = bool(schema.relations[hop.relation].required_qualifiers)
    for length in lengths:
        nodes = (hop.subject, *(Var(f"_m{index}_{i}") for i in range(1, length)), hop.object)
        for turns in product(tuple(ways(schema, hop.relation)), repeat=length):
            yield tuple(
                Star(
                    *((nodes[i + 1], way.relations, nodes[i]) if way.turned else (nodes[i], way.relations, nodes[i + 1])),
                    index,
                    i,
                    is_qualified,
                    hop.at or OF_PLAN,
                )
                for i, way in enumerate(turns)
            )


def in_joining_order(stars: tuple[Star, ...]) -> Iterator[Star]:
    """The stars so that each shares a bound end with those before it, where one does; a bound subject comes before a bound object."""
    remaining, known = list(stars), set[Term]()

    def openness(star: Star) -> tuple[bool, bool]:
        bound_ends = [not isinstance(t, Var) or t in known for t in (star.subject, star.object)]
        return not any(bound_ends) or star.relations == (TYPE,), not bound_ends[0]

    while remaining:
        star = min(remaining, key=openness)
        remaining.remove(star)
        known |= {star.subject, star.object}
        yield star
