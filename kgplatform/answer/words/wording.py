"""How a relation reads in a sentence, from either end, in the singular and plural, present and past."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from ...language.phrases import plural_of, regular_past, with_article
from ...question.lexicon import Lexicon
from ...schema import Schema
from ...terms import TYPE

VERB: Final = "verb"
PREDICATE: Final = "predicate"
NOUN: Final = "noun"

_INTRANSITIVE: Final = frozenset({"occurred", "happened", "began", "ended", "died"})
"""Pasts of verbs without an object: they take no `was`."""
_NO_ARTICLE: Final = frozenset({"part"})


class Wording(NamedTuple):
    """`text` stands between two names: `depends on`, `is owned by`; of a noun it is the noun alone: `spouse`.

    `is_natural` is False where the relation has words for its other direction only as `the X of`.
    """

    kind: str
    text: str
    is_natural: bool = True


def wording(schema: Schema, lexicon: Lexicon, relation: str, *, from_subject: bool) -> Wording:
    """The relation as read from its subject, or from its object."""
    if relation == TYPE:
        return Wording(PREDICATE, "is a", from_subject)
    declared = schema.relations.get(relation)
    label = schema.label(relation)
    if from_subject or (declared and declared.symmetric):
        made = _worded(label, lexicon)
        return made if from_subject or made.kind != NOUN else Wording(NOUN, made.text)
    inverse = schema.inverse_label(relation)
    if _worded(label, lexicon).kind == NOUN and not inverse:
        return Wording(NOUN, label)
    return _worded(inverse, lexicon) if inverse else Wording(PREDICATE, f"is the {label} of", False)


def _worded(label: str, lexicon: Lexicon) -> Wording:
    noun, _, rest = label.partition(" ")
    if noun.casefold() in lexicon.classes and rest.casefold() in lexicon.predicates:
        label = rest  # API provided by: is provided by
    low = label.casefold()
    head = low.removesuffix(" of")
    if low.startswith(("is ", "was ", "has ")):
        return Wording(PREDICATE, label)
    if low != head and head in lexicon.nouns:
        return Wording(PREDICATE, f"is {label if head in _NO_ARTICLE else with_article(label)}", False)
    if low in lexicon.verbs:
        return Wording(VERB, label)
    if low in lexicon.predicates and low not in lexicon.nouns:
        if low.split()[0] in _INTRANSITIVE:
            return Wording(VERB, label)
        return Wording(PREDICATE, f"{'was' if low in lexicon.events or low.endswith(' on') else 'is'} {label}")
    return Wording(NOUN, label)


_PLURALS: Final = {"is": "are", "was": "were", "has": "have"}
_PASTS: Final = {"is": "was", "are": "were", "has": "had", "have": "had"}


def plural_verb(text: str) -> str:
    """`depends on` -> `depend on`, `is owned by` -> `are owned by`, `is a citizen of` -> `are citizens of`."""
    head, space, rest = text.partition(" ")
    if head in _PLURALS:
        rest = re.sub(r"^an? (\w+)", lambda match: plural_of(match[1]), rest)
        return f"{_PLURALS[head]}{space}{rest}"
    if not head.endswith("s"):
        return text
    base = (
        head[:-3] + "y" if head.endswith("ies") else head[:-2] if head.endswith(("sses", "shes", "ches", "xes")) else head.removesuffix("s")
    )
    return f"{base}{space}{rest}"


def past_verb(text: str) -> str:
    """`owns` -> `owned`, `is owned by` -> `was owned by`; irregular verbs of labels stay in the present."""
    head, space, rest = text.partition(" ")
    if head in _PASTS:
        return f"{_PASTS[head]}{space}{rest}"
    if head.endswith("ed"):
        return text
    base = plural_verb(head)
    if base in ("lead", "lie", "run", "hold", "make", "has", "was", "were"):
        return text
    return f"{regular_past(base)}{space}{rest}"


def listed(names: list[str], *, most: int = 12) -> str:
    """`A`, `A and B`, `A, B and C`; long lists are cut and say so."""
    if len(names) > most:
        names = [*names[:most], f"{len(names) - most} more"]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}" if names else ""


def as_sentences(*texts: str) -> str:
    """Each of these, where it says something, as a sentence of its own."""
    return " ".join(f"{text[:1].upper()}{text[1:]}{'' if text[-1] in '.?!' else '.'}" for text in texts if text)
