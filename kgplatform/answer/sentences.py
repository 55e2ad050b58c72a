"""Facts as a sentence along their path: `R7 is on call for Platform, which owns Tax, which Checkout depends on`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

from ..query.lexicon import Lexicon
from ..schema import Schema
from .wording import NOUN, PREDICATE, VERB, Wording, past_verb, plural_verb, wording


class Link(NamedTuple):
    """One fact of a path: its ends are names of nodes, the relation is as stored."""

    subject: str
    relation: str
    object: str


@dataclass(frozen=True)
class Teller:
    """Tells paths. `names` gives a node's words; `people` are nodes that are a who and not a which."""

    schema: Schema
    lexicon: Lexicon
    names: Mapping[str, str]
    people: frozenset[str] = field(default_factory=frozenset)

    def path(self, root: str, links: Iterable[Link], *, roots: str = "", is_plural: bool = False, is_past: bool = False) -> str:
        """One sentence, without its full stop, about the root; `roots` are the words for it, if it stands for several."""
        left = list(dict.fromkeys(links))
        start = root if is_plural or roots else self._best_start(root, left)
        words = roots if start == root and roots else self.names[start]
        first = self._first(start, left)
        if first is None:
            return words
        left.remove(first)
        bend: Callable[[str], str] = (
            (lambda text: past_verb(plural_verb(text)) if is_past else plural_verb(text)) if is_plural else past_verb if is_past else str
        )
        told = self._opening(start, words, first, left, bend, is_plural=is_plural)
        seen = {start}
        other = _other(first, start)
        said = told + self._continued(other, left, seen)
        rest = [self._clause(start, link, left, seen, bend) for link in self._at(start, left)]
        return " and ".join([said, *(r for r in rest if r)])

    # -- where to begin

    def _best_start(self, root: str, links: list[Link]) -> str:
        """The end of the chain from which it reads best: the root unless the other end needs fewer `the X of`."""
        chain = self._chain(root, links)
        if len(chain) < 3 or len(chain) != len(links) + 1:
            return root
        return chain[-1] if self._awkward(chain[::-1], links) < self._awkward(chain, links) else root

    def _chain(self, root: str, links: list[Link]) -> list[str]:
        nodes, left = [root], list(links)
        while True:
            touching = [link for link in left if nodes[-1] in (link.subject, link.object)]
            if len(touching) != 1:
                return nodes
            left.remove(touching[0])
            nodes.append(_other(touching[0], nodes[-1]))

    def _awkward(self, chain: list[str], links: list[Link]) -> int:
        steps = list(pairwise(chain))
        count = 0
        for index, (here, there) in enumerate(steps):
            link = next(link for link in links if {link.subject, link.object} == {here, there})
            said = self._said(link, here)
            is_last = index == len(steps) - 1
            count += not said.is_natural and not (is_last and self._stranded(link, here))
        return count

    # -- clauses

    def _stranded(self, link: Link, node: str) -> Wording | None:
        """The words for a fact that is better told from its other end: `Checkout depends on Tax`, `which Checkout depends on`."""
        said, forward = self._said(link, node), self._forward(link)
        is_better = forward.kind == VERB or (forward.kind == PREDICATE and not said.is_natural)
        return forward if link.object == node and said.kind != VERB and is_better else None

    def _said(self, link: Link, here: str) -> Wording:
        return wording(self.schema, self.lexicon, link.relation, from_subject=link.subject == here)

    def _forward(self, link: Link) -> Wording:
        return wording(self.schema, self.lexicon, link.relation, from_subject=True)

    def _first(self, node: str, links: list[Link]) -> Link | None:
        """What to say first of a node: what leads on, rather than what ends there."""
        return min(
            self._at(node, links),
            key=lambda link: (not any(self._at(_other(link, node), [o for o in links if o != link])), links.index(link)),
            default=None,
        )

    def _at(self, node: str, links: list[Link]) -> list[Link]:
        return [link for link in links if node in (link.subject, link.object)]

    def _opening(self, start: str, words: str, link: Link, left: list[Link], bend: Callable[[str], str], *, is_plural: bool) -> str:
        said, other = self._said(link, start), _other(link, start)
        leads_on = any(self._at(other, left))
        forward = self._stranded(link, start)
        if forward and not leads_on:
            return f"{self.names[other]} {past_verb(forward.text) if bend is past_verb else forward.text} {words}"
        if said.kind == NOUN and start.startswith('"'):
            return f"{self.names[other]}’s {said.text} is {words}"
        if said.kind == NOUN and link.subject == start:
            return f"{words}’s {said.text} is {self.names[other]}" if not is_plural else f"{words} have the {said.text} {self.names[other]}"
        if said.kind == NOUN:
            return f"{words} {bend('is')} {self.names[other]}’s {said.text}"
        return f"{words} {bend(said.text)} {self.names[other]}"

    def _continued(self, node: str, left: list[Link], seen: set[str]) -> str:
        """`, which owns Tax, which Checkout depends on`."""
        if node in seen:
            return ""
        seen.add(node)
        told = ""
        for number, link in enumerate(self._at(node, list(left))):
            if link in left:
                left.remove(link)
                clause = self._relative(node, link, left)
                told += f"{', ' if not number else ' and '}{clause}{self._continued(_other(link, node), left, seen)}"
        return told

    def _relative(self, node: str, link: Link, left: list[Link]) -> str:
        said, other = self._said(link, node), _other(link, node)
        pronoun = "who" if node in self.people else "which"
        forward = self._stranded(link, node)
        if forward and not any(self._at(other, left)):
            return f"{pronoun} {self.names[other]} {forward.text}"
        if said.kind == NOUN:
            return (
                f"whose {said.text} is {self.names[other]}" if link.subject == node else f"{pronoun} is {self.names[other]}’s {said.text}"
            )
        return f"{pronoun} {said.text} {self.names[other]}"

    def _clause(self, node: str, link: Link, left: list[Link], seen: set[str], bend: Callable[[str], str]) -> str:
        if link not in left:
            return ""
        left.remove(link)
        said, other = self._said(link, node), _other(link, node)
        if said.kind == NOUN and link.object == node:
            text = f"{bend('is')} {self.names[other]}’s {said.text}"
        else:
            text = f"{bend(f'has the {said.text}' if said.kind == NOUN else said.text)} {self.names[other]}"
        return text + self._continued(other, left, seen)


def _other(link: Link, node: str) -> str:
    return link.object if link.subject == node else link.subject
