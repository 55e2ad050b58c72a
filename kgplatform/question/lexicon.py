"""The words of the ontology as questions use them. Relations and classes come from labels; only function words are here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, NamedTuple

from ..language.phrases import PAST, PRESENT, PhraseReading, Readings, plural_of, read_phrases
from ..schema import Schema
from ..terms import ALT_LABEL, LABEL, RDFS, TYPE, XSD, literal_value

PREPOSITIONS: Final = ("in", "on", "at", "for", "to", "from", "by", "with", "of", "under")
PLACE_PREPOSITIONS: Final = ("in", "at", "for", "on")
ADVERBS: Final = frozenset({"also", "currently", "now", "directly", "still", "actually", "today", "presently", "ever", "all", "both"})
ANYTHING: Final = frozenset({"thing", "things", "item", "items", "entity", "entities", "anything", "everything", "something"})
ANYONE: Final = frozenset({"anyone", "anybody", "anything", "someone", "somebody", "something"})
NO_NAMES: Final = ADVERBS | frozenset(
    ["about", "after", "ago", "always", "anymore", "because", "before", "besides", "between", "but", "during", "either", "else",
     "ever", "except", "few", "fewer", "first", "former", "formerly", "how", "if", "immediately", "it", "just", "last", "least",
     "less", "longer", "many", "more", "much", "neither", "never", "next", "none", "once", "one", "only", "other", "others",
     "previous", "previously", "prior", "same", "several", "than", "them", "then", "they", "two", "three", "until", "when",
     "whether", "while", "will", "would"]
)  # fmt: skip
"""Words that no unknown name is made of, unless they are written with a capital: they are words that were not understood."""
LATEST: Final = {"latest": "max", "newest": "max", "most recent": "max", "last": "max", "earliest": "min", "first": "min", "oldest": "min"}


class ValueWord(NamedTuple):
    """A word of a value set: the relation and the literal node that it stands for."""

    relation: str
    node: str


@dataclass(frozen=True)
class Lexicon:
    """Phrases in lower case. `finite` are the verb forms that end a clause by themselves, `past` those of them in the past.

    `containers` are what `where is it` asks for: the relations of declared containment. `dated` are predicates that a day
    completes (`resolved`, of `resolved on`).
    """

    verbs: Mapping[str, Readings]
    past: frozenset[str]
    finite: frozenset[str]
    predicates: Mapping[str, Readings]
    events: frozenset[str]
    nouns: Mapping[str, Readings]
    classes: Mapping[str, frozenset[str]]
    plurals: frozenset[str]
    values: Mapping[str, frozenset[ValueWord]]
    containers: Readings
    plural_nouns: frozenset[str]
    dated: Mapping[str, Readings]


@lru_cache(maxsize=8)
def read_lexicon(schema: Schema) -> Lexicon:
    """The words of an ontology for questions, made once for each schema."""
    phrases = read_phrases(schema)
    nouns = {phrase: set(readings) for phrase, readings in phrases.nouns.items()}
    values: dict[str, set[ValueWord]] = {}
    classes = {
        name: phrases.classes.get(name, frozenset()) | phrases.plurals.get(name, frozenset())
        for name in {*phrases.classes, *phrases.plurals}
    }
    for relation in schema.relations.values():
        if not relation.is_literal or relation.is_qualifier or relation.iri in (TYPE, LABEL, ALT_LABEL, RDFS.comment):
            continue
        for text, language in (*relation.labels, *relation.alt_labels):
            word = " ".join(text.casefold().split())
            if language.partition("-")[0] in ("", "en") and word not in phrases.predicates and word not in phrases.verbs:
                nouns.setdefault(word, set()).add(PhraseReading(relation.iri, False))
        for node in relation.words:
            if (word := literal_value(node).casefold()) not in classes:
                values.setdefault(word, set()).add(ValueWord(relation.iri, node))
    return Lexicon(
        verbs=phrases.verbs,
        past=frozenset(v for v, forms in phrases.forms.items() if PAST in forms and PRESENT not in forms),
        finite=frozenset(v for v, forms in phrases.forms.items() if forms & {PAST, PRESENT}),
        predicates=phrases.predicates,
        events=phrases.events,
        nouns={phrase: frozenset(readings) for phrase, readings in nouns.items()},
        classes=classes,
        plurals=frozenset(phrases.plurals),
        values={word: frozenset(meanings) for word, meanings in values.items()},
        containers=frozenset(PhraseReading(r.iri, False) for r in schema.relations.values() if r.transitive and not r.canonical),
        plural_nouns=frozenset(many for noun in nouns if (many := plural_of(noun)) != noun),
        dated={
            phrase.removesuffix(" on"): dates
            for phrase, readings in phrases.predicates.items()
            if (dates := frozenset(r for r in readings if schema.relations[r.relation].datatype == XSD.date))
        },
    )
