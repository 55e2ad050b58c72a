"""The words of the ontology as they stand in sentences: labels, aliases and inverse labels, inflected.

    verb        depends on     Checkout depends on Tax; has depended on; stopped depending on
    predicate   owned by       Tax is owned by Platform; Jack is a colleague of Amit; R7 is on call for Platform
    noun        owner          the owner of Tax is Platform; Tax's owner is Platform

The forms are English. A label in another language is read by its tag and left alone.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeVar

from ..schema import Class, Relation, Schema
from ..terms import EXPECTED_TYPE, SC, TYPE, WELL_KNOWN_NAMES, XSD

T = TypeVar("T")


class PhraseReading(NamedTuple):
    """What a phrase may mean: a relation in its stored direction; `turned` where the phrase names its object first."""

    relation: str
    turned: bool


Readings = frozenset[PhraseReading]

PRESENT: Final = "present"
BASE: Final = "base"
PAST: Final = "past"
PARTICIPLE: Final = "participle"
GERUND: Final = "gerund"


@dataclass(frozen=True)
class Phrases:
    """Every phrase in lower case, with its readings. `verbs` maps a form to its names among the forms above."""

    verbs: dict[str, Readings]
    forms: dict[str, frozenset[str]]
    predicates: dict[str, Readings]
    events: frozenset[str]
    nouns: dict[str, Readings]
    classes: dict[str, frozenset[str]]
    plurals: dict[str, frozenset[str]]

    def listing(self) -> tuple[str, ...]:
        """Every phrase and form in a stable order, for a digest: equal lists give equal patterns."""
        tables = (("verb", self.verbs), ("form", self.forms), ("predicate", self.predicates), ("noun", self.nouns))
        classes = (("class", self.classes), ("classes", self.plurals))
        return tuple(
            f"{kind} {phrase} {sorted(map(str, of))}" for kind, table in (*tables, *classes) for phrase, of in sorted(table.items())
        )

    @property
    def heads(self) -> frozenset[str]:
        """First words of nouns and classes, which are no names where a sentence begins with one."""
        return frozenset(phrase.split()[0] for phrase in (*self.nouns, *self.classes, *self.plurals, *self.predicates))


_COPULA = re.compile(r"^(?:is|are|was|were|has been|have been)\s+")
_ARTICLE = re.compile(r"^(?:an?|the)\s+")
_PREPOSITIONS: Final = frozenset(["in", "on", "at", "under", "within", "for", "by", "from", "to", "with", "of", "as"])
_IRREGULAR: Final = {
    "belong": ("belonged", "belonged"), "build": ("built", "built"), "have": ("had", "had"), "hold": ("held", "held"),
    "know": ("knew", "known"), "lead": ("led", "led"), "lie": ("lay", "lain"), "make": ("made", "made"), "run": ("ran", "run"),
    "send": ("sent", "sent"), "write": ("wrote", "written"), "keep": ("kept", "kept"), "feed": ("fed", "fed"), "begin": ("began", "begun"),
    "bear": ("bore", "born"), "buy": ("bought", "bought"), "sell": ("sold", "sold"), "give": ("gave", "given"), "take": ("took", "taken"),
    "teach": ("taught", "taught"), "win": ("won", "won"), "find": ("found", "found"),
}  # fmt: skip
_PARTICIPLES: Final = frozenset(participle for _, participle in _IRREGULAR.values())
_INVARIANT: Final = frozenset(["hit", "cut", "put", "set", "shut", "hurt"])
_EVENTS: Final = frozenset(
    ["born", "founded", "created", "built", "introduced", "invented", "written", "published", "established", "caused"]
)
"""Participles of what happened once and stays true: `was born in` needs no end, its date is a beginning."""


def read_phrases(schema: Schema) -> Phrases:
    """The phrases of every relation between entities, and of literal relations that dates or value sets fill."""
    verbs: dict[str, set[PhraseReading]] = defaultdict(set)
    forms: dict[str, set[str]] = defaultdict(set)
    predicates: dict[str, set[PhraseReading]] = defaultdict(set)
    nouns: dict[str, set[PhraseReading]] = defaultdict(set)

    def add_verb(head: str, rest: str, reading: PhraseReading) -> None:
        for form, name in _inflected(head):
            verbs[_joined(form, rest)].add(reading)
            forms[_joined(form, rest)].add(name)
            if name == PARTICIPLE and rest in ("", "on"):
                predicates[_joined(form, rest, "by")].add(reading._replace(turned=not reading.turned))

    for relation in schema.relations.values():
        if not _is_sayable(relation):
            continue
        for label, turned in _labels(relation, schema):
            kind = _kind(label, relation)
            reading = PhraseReading(schema.canonical(relation.iri)[0], turned and not relation.symmetric)
            turned_reading = reading if relation.symmetric or relation.is_literal else reading._replace(turned=not reading.turned)
            core = _ARTICLE.sub("", _COPULA.sub("", label))
            if kind == "past":
                continue
            if kind == "verb":
                head, _, rest = core.partition(" ")
                add_verb(_base(head), rest, reading)
            elif kind == "predicate":
                predicates[core].add(reading)
            else:
                noun = core.removesuffix(" of").removeprefix("has ")
                as_noun, as_predicate = (turned_reading, reading) if kind == "noun of" else (reading, turned_reading)
                for form in {noun, plural_of(noun)}:
                    nouns[form].add(as_noun)
                    if not relation.is_literal:
                        predicates[f"{form} of"].add(as_predicate)
    singular, plural = _class_words(schema.classes.values())
    events = frozenset(p for p in predicates if p.split()[0] in _EVENTS)
    return Phrases(_frozen(verbs), _frozen(forms), _frozen(predicates), events, _frozen(nouns), singular, plural)


def _frozen(found: dict[str, set[T]]) -> dict[str, frozenset[T]]:
    return {phrase: frozenset(members) for phrase, members in sorted(found.items())}


_UNREAD: Final = WELL_KNOWN_NAMES | {TYPE, EXPECTED_TYPE}


def _is_sayable(relation: Relation) -> bool:
    """Whether a sentence can state the relation: renames are read as former names, free text and qualified values are not read."""
    if relation.iri in _UNREAD or relation.iri == SC.renamed_from or relation.required_qualifiers or relation.is_qualifier:
        return False
    return not relation.is_literal or relation.datatype == XSD.date or bool(relation.words)


def _labels(relation: Relation, schema: Schema) -> Iterator[tuple[str, bool]]:
    """(label in lower case, whether it names the stored object first). A stored inverse's labels are the other way round."""
    stored_turned = schema.canonical(relation.iri)[1]
    for labels, turned in ((relation.labels, False), (relation.alt_labels, False), (relation.inverse_labels, True)):
        for label, language in labels:
            if language.partition("-")[0] in ("", "en"):
                yield " ".join(label.casefold().split()), turned != stored_turned


def _kind(label: str, relation: Relation) -> str:
    """The kind of a label: verb, predicate, noun, noun of; or past, for a past form alone, which states nothing that holds."""
    core = _ARTICLE.sub("", _COPULA.sub("", label))
    words = core.split()
    if len(words) > 1 and words[-1] == "of" and not _is_finite(words, relation):
        return "noun of"
    if core != label and not label.startswith("has "):
        return "predicate"
    if words[0] in _PREPOSITIONS or words[-1] in _PREPOSITIONS - {"of"} and not _is_finite(words, relation):
        return "predicate"
    if words[0] == "has" and len(words) > 1:
        return "noun"
    if _is_participle(words[0]) and (len(words) > 1 or relation.is_literal):
        return "predicate"
    if core in _INVARIANT or (_is_participle(core) and len(words) == 1):
        return "past"
    if _is_finite(words, relation):
        return "verb"
    return "noun"


def is_past_alone(label: str, relation: Relation) -> bool:
    """Whether a label (in lower case) is a lone past form: no phrase is made of it."""
    return _kind(label, relation) == "past"


def _is_participle(word: str) -> bool:
    return word in _PARTICIPLES or (word.endswith("ed") and len(word) > 3)


def _is_finite(words: list[str], relation: Relation) -> bool:
    """Whether a label begins with a verb such as `owns`; `owners` does not, where `owner` is a label as well."""
    head = words[0]
    if not head.endswith("s") or head.endswith(("ss", "us", "is")) or head == "has":
        return False
    if len(words) > 1:
        return True
    others = {label.casefold().split()[-1] for label, _ in (*relation.labels, *relation.alt_labels, *relation.inverse_labels)}
    return not {head[:-1], head.removesuffix("ies") + "y"} & (others - {head})


def _base(finite: str) -> str:
    if finite.endswith("ies") and len(finite) > 4:
        return finite[:-3] + "y"
    if finite.endswith(("sses", "shes", "ches", "xes", "zes", "oes")):
        return finite[:-2]
    return finite[:-1]


def regular_past(base: str) -> str:
    """`own` -> `owned`, `use` -> `used`, `carry` -> `carried`, `plan` -> `planned`."""
    if base.endswith("e"):
        return f"{base}d"
    return f"{base[:-1]}ied" if re.search("[^aeiou]y$", base) else f"{_doubled(base)}ed"


def _doubled(base: str) -> str:
    """The verb with its last consonant doubled, as in `planned`: one syllable, a single vowel before it, not w, x or y."""
    return base + base[-1] if re.fullmatch("[^aeiou]+[aeiou][^aeiouwxy]", base) else base


def _inflected(base: str) -> Iterator[tuple[str, str]]:
    is_y = base.endswith("y") and base[-2:-1] not in "aeiou"
    third = base[:-1] + "ies" if is_y else base + ("es" if base.endswith(("s", "sh", "ch", "x", "z", "o")) else "s")
    regular = regular_past(base)
    past, participle = _IRREGULAR.get(base, (regular, regular))
    stem = base[:-1] if base.endswith("e") and not base.endswith("ee") else _doubled(base)
    gerund = base[:-2] + "ying" if base.endswith("ie") else stem + "ing"
    yield from ((base, BASE), (base, PRESENT), (third, PRESENT), (past, PAST), (participle, PARTICIPLE), (gerund, GERUND))


_PLURALS: Final = {"person": "people", "child": "children", "wife": "wives"}


def with_article(noun: str) -> str:
    """`a team`, `an on-call rotation`."""
    return f"a{'n' if noun[:1].casefold() in ('a', 'e', 'i', 'o') else ''} {noun}"


def plural_of(noun: str) -> str:
    """The plural of a phrase's noun, which stands before any preposition: `dates of birth`."""
    words = noun.split()
    at = next((i for i, word in enumerate(words) if i and word in _PREPOSITIONS), len(words)) - 1
    word = words[at]
    if word in _PLURALS:
        words[at] = _PLURALS[word]
    elif word in _PLURALS.values() or (word.endswith("s") and not word.endswith("ss")):
        return noun
    elif word.endswith("y") and word[-2:-1] not in "aeiou":
        words[at] = word[:-1] + "ies"
    else:
        words[at] = word + ("es" if word.endswith(("s", "sh", "ch", "x", "z")) else "s")
    return " ".join(words)


def _class_words(classes: Iterable[Class]) -> tuple[dict[str, frozenset[str]], dict[str, frozenset[str]]]:
    """(class nouns in the singular, in the plural) -> classes. A declared alias that is a plural is counted there alone."""
    singular: dict[str, set[str]] = defaultdict(set)
    plural: dict[str, set[str]] = defaultdict(set)
    for class_ in classes:
        names = {
            " ".join(t.casefold().split())
            for t, language in (*class_.labels, *class_.alt_labels)
            if language.partition("-")[0] in ("", "en")
        }
        plurals = {plural_of(name) for name in names}
        for name in names - plurals:
            singular[name].add(class_.iri)
        for name in plurals:
            plural[name].add(class_.iri)
    return _frozen(singular), _frozen(plural)


def _joined(*parts: str) -> str:
    return " ".join(part for part in parts if part)
