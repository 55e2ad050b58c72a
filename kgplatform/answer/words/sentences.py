"""Facts as a sentence along their path: `R7 is on call for Platform, which owns Tax, which Checkout depends on`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

from ...language.phrases import plural_of, with_article
from ...question.lexicon import Lexicon
from ...schema import Schema
from ...terms import TYPE
from .wording import NOUN, PREDICATE, VERB, Wording, past_verb, plural_verb, wording

ANYTHING = "anything"
"""The name of a node of which nothing is said but that it is there."""


class Link(NamedTuple):
    """One fact of a path: its ends are names of nodes, the relation is as stored."""

    subject: str
    relation: str
    object: str


@dataclass(frozen=True)
class Teller:
    """Tells paths. `names` gives a node's words; `people` are nodes that are a who and not a which; `marks` end the clause of a link."""

    schema: Schema
    lexicon: Lexicon
    names: Mapping[str, str]
    people: frozenset[str] = field(default_factory=frozenset)
    marks: Mapping[Link, str] = field(default_factory=dict)

    def path(
        self, root: str, links: Iterable[Link], *, roots: str = "", is_plural: bool = False, is_past: bool = False, is_clause: bool = False
    ) -> str:
        """One sentence, without its full stop, about the root; `roots` are the words for it, if it stands for several.

        A clause is what the root is, no sentence: `things that Checkout depends on`.
        """
        untold = list(dict.fromkeys(links))
        start = root if is_plural or roots else self._best_start(root, untold)
        words = roots if start == root and roots else self.names[start]
        words = f"{words} that" if is_clause else words
        voice, here, seen = VerbForms(is_plural, is_past), self._ordered(start, untold), {start}
        untold = [link for link in untold if link not in here]
        sentence, comma = "", ""
        for number, link in enumerate(here):
            other = _other(link, start)
            if number:
                sentence += f"{comma} and {self._predicate(start, link, voice)}"
            elif len(here) > 1:
                sentence = f"{words} {self._predicate(start, link, voice)}"
            else:
                sentence = self._opening(start, words, link, voice, leads_on=bool(self._at(other, untold)), is_clause=is_clause)
            sentence += self.marks.get(link, "")
            more = self._continued(other, untold, seen, VerbForms(is_past=is_past))
            sentence, comma = sentence + more, "," if more else ""
        return sentence or words

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

    def _is_open(self, node: str) -> bool:
        """Whether no value is named but what one must be, if that: `anything`, `anything above 3`."""
        return node.startswith("?") and self.names[node].startswith(ANYTHING)

    def _said(self, link: Link, here: str) -> Wording:
        return wording(self.schema, self.lexicon, link.relation, from_subject=link.subject == here)

    def _forward(self, link: Link) -> Wording:
        return wording(self.schema, self.lexicon, link.relation, from_subject=True)

    def _ordered(self, node: str, links: list[Link]) -> list[Link]:
        """What to say of a node: first what ends there, so that what is said of other nodes after it is not taken for more of this one."""
        here = self._at(node, links)
        return sorted(here, key=lambda link: any(self._at(_other(link, node), [o for o in links if o not in here])))

    def _at(self, node: str, links: list[Link]) -> list[Link]:
        return [link for link in links if node in (link.subject, link.object)]

    def _opening(self, start: str, words: str, link: Link, voice: VerbForms, *, leads_on: bool, is_clause: bool) -> str:
        """The one clause about the start, from the end from which it reads better."""
        said, other = self._said(link, start), _other(link, start)
        forward = self._stranded(link, start)
        if forward and not leads_on:
            told = f"{self.names[other]} {past_verb(forward.text) if voice.is_past else forward.text}"
            return f"{words} {told}" if is_clause else f"{told} {words}"
        if is_clause:
            return f"{words} {self._predicate(start, link, voice)}"
        if said.kind == NOUN and start.startswith('"'):
            return f"{self.names[other]}’s {voice.noun(said.text)} {voice.verb('is')} {words}"
        if said.kind == NOUN and link.subject == start and not voice.is_plural and not self._is_open(other):
            return f"{words}’s {said.text} {voice.verb('is')} {self.names[other]}"
        return f"{words} {self._predicate(start, link, voice)}"

    def _predicate(self, node: str, link: Link, voice: VerbForms) -> str:
        """What is said of a node that stands before it: `owns Tax`, `has the lifecycle production`, `is Jack’s spouse`."""
        said, other = self._said(link, node), _other(link, node)
        if link.relation == TYPE and link.subject == node:
            kind = self.names[other]
            return f"{voice.verb('is')} {plural_of(kind) if voice.is_plural else with_article(kind)}"
        if said.kind == NOUN and link.subject == node:
            what = self.names[other]
            return f"{voice.verb('has')} {with_article(said.text) + what.removeprefix(ANYTHING) if self._is_open(other) else f'the {said.text} {what}'}"
        if said.kind == NOUN:
            return f"{voice.verb('is')} {self.names[other]}’s {voice.noun(said.text)}"
        return f"{voice.verb(_without_noun(said.text, self.names[other]))} {self.names[other]}"

    def _continued(self, node: str, left: list[Link], seen: set[str], voice: VerbForms) -> str:
        """`, which owns Tax, which Checkout depends on`. What it tells is taken from the links that are left."""
        if node in seen:
            return ""
        seen.add(node)
        here = self._ordered(node, left)
        for link in here:
            left.remove(link)
        told, comma = "", ","
        for number, link in enumerate(here):
            other = _other(link, node)
            clause = self._relative(node, link, voice, is_last=not self._at(other, left)) + self.marks.get(link, "")
            more = self._continued(other, left, seen, voice)
            told, comma = f"{told}{comma}{' and' if number else ''} {clause}{more}", "," if more else ""
        return told

    def _relative(self, node: str, link: Link, voice: VerbForms, *, is_last: bool) -> str:
        said, other = self._said(link, node), _other(link, node)
        pronoun = "who" if node in self.people else "which"
        forward = self._stranded(link, node)
        if forward and is_last:
            return f"{pronoun} {self.names[other]} {voice.verb(forward.text)}"
        if said.kind == NOUN and link.subject == node and not self._is_open(other):
            return f"whose {said.text} {voice.verb('is')} {self.names[other]}"
        return f"{pronoun} {self._predicate(node, link, voice)}"


class VerbForms(NamedTuple):
    """The number and the tense of a sentence's verbs."""

    is_plural: bool = False
    is_past: bool = False

    def verb(self, text: str) -> str:
        """The verb, given in the present singular, in this number and tense."""
        told = plural_verb(text) if self.is_plural else text
        return past_verb(told) if self.is_past else told

    def noun(self, text: str) -> str:
        """The noun, given in the singular, in this number."""
        return plural_of(text) if self.is_plural else text


def _without_noun(text: str, name: str) -> str:
    """`provides API` before `an API` says it once."""
    article, _, noun = name.partition(" ")
    return text.removesuffix(f" {noun}") if article in ("a", "an") and noun else text


def _other(link: Link, node: str) -> str:
    return link.object if link.subject == node else link.subject
