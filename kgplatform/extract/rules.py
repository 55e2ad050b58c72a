"""Claims out of sentences, with patterns that come from the ontology.

It aims at precision: a claim is made only where a sentence in the document's own voice states it between names, and all words
between subject, phrase and object are read. It does not read, and so never claims:

- hedged, reported, supposed, planned or asked sentences, quoted text, sections headed as examples or alternatives;
- names in lower case that are neither marked as code or bold nor hyphenated nor in the gazetteer;
- pronouns, except `it`, `its` and the like whose antecedent stands in the same sentence and is the only one that fits;
- states of the past without a date, and states placed in a period that they need not fill (`in 2023 Web owned Cart`);
- alternatives (`Tax or Cart`), possessives that make another thing of a name (`Tax's database`), participles before a noun;
- free-text values; dates of births, incidents and the like need a day; English only.

It understands no more than that: `Platform owns Tax` as irony, or in a story, becomes a claim, and so does a word of the
ontology in another sense (`Finance uses Excel`), whose types the gate then judges.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Final, NamedTuple

from ..language.dates import DateSpan
from ..language.phrases import PhraseReading, read_phrases
from ..model import Candidate, Fact, Reading
from ..schema import Schema
from ..settings.load import Settings
from ..terms import ALT_LABEL, LABEL, PP, SC, TYPE, XSD, class_node, literal, literal_value, nfc, text_key
from ..times import Bound
from .bounds import StatedInterval, claimed, interval
from .extractors import Extracted, Extractor
from .grammar import SentenceClause, SentenceGrammar
from .naming import TextNaming
from .renames import Rename, renames
from .sentences import Sentence, pipeline, sentences
from .skipped_text import set_aside, silent

NAME: Final = "rules"
VERSION: Final = "3"
CERTAIN: Final = 0.9
CARRIED: Final = 0.8
"""Confidence where a pronoun or a shared subject was filled in, or a recogniser gave the type."""

_RECOGNISED: Final = {"PERSON": PP.Person, "GPE": PP.Place, "LOC": PP.Place, "ORG": PP.Organisation}


class _Statement(NamedTuple):
    """One fact between surfaces; `object` is a node where `names_object` is False. Slots are the classes its ends expect."""

    sentence: Sentence
    relation: str
    subject: str
    object: str
    bounds: StatedInterval
    confidence: float = CERTAIN
    subject_slot: str = ""
    object_slot: str = ""
    names_object: bool = True
    note: str = ""


class RuleExtractor:
    """Reads claims with the labels, aliases and inverse labels of `schema`; `signature` names the rules and their sources.

    `gazetteer` maps surfaces to class IRIs. `model` is the name of an installed spaCy pipeline, whose entity recogniser
    then types people, places and organisations that no sentence types. Raises ConfigError where it cannot be loaded.
    """

    def __init__(self, schema: Schema, *, model: str = "", gazetteer: Mapping[str, str] | None = None) -> None:
        self._schema = schema
        self._gazetteer = {nfc(surface): class_ for surface, class_ in (gazetteer or {}).items()}
        self._phrases = read_phrases(schema)
        values = {literal_value(node).casefold(): node for r in schema.relations.values() for node in sorted(r.words)}
        self._grammar = SentenceGrammar(self._phrases, values)
        self._nlp = pipeline(model)
        sources = (*self._phrases.listing(), *sorted(values.values()), *(f"{s} {c}" for s, c in sorted(self._gazetteer.items())))
        patterns = hashlib.sha256("\n".join(sources).encode()).hexdigest()[:8]
        self.signature = f"{NAME}/{VERSION}+{patterns}" + (f"+{model}-{self._nlp.meta['version']}" if model else "")

    def claims(self, reading: Reading) -> tuple[Candidate, ...]:
        """The claims of a text document, in the order of its sentences; `quote` is the sentence, `text[start:end]`."""
        return self.read(reading).claims

    def read(self, reading: Reading) -> Extracted:
        """The claims of a text document, and what of it was set aside; where it gives none, why."""
        if not reading.is_text:
            return Extracted()
        cut = sentences(reading, nlp=self._nlp, phrases=self._phrases, gazetteer=self._gazetteer)
        claims = self._claims(reading, cut.spoken)
        silence = "" if claims else silent(reading, cut, self._nlp.Defaults.stop_words)
        return Extracted(claims, set_aside(reading, cut), silence)

    def _claims(self, reading: Reading, spoken: tuple[Sentence, ...]) -> tuple[Candidate, ...]:
        clauses = [(sentence, self._grammar.clauses(sentence.template)) for sentence in spoken]
        renamed = [(sentence, rename) for sentence in spoken for rename in renames(sentence.template)]
        types = [pair for sentence, parts in clauses for pair in self._types(sentence, parts)]
        naming = self._naming(spoken, types, renamed)
        statements = [s for sentence, parts in clauses for s in self._statements(sentence, parts, naming)]
        slots: dict[str, frozenset[str]] = {}
        for s in statements:
            for surface, slot in ((s.subject, s.subject_slot), (s.object, s.object_slot)):
                if slot:
                    slots[surface] = slots.get(surface, frozenset()) | {slot}
        emitter = _Emitter(reading, replace(naming, slots=slots), self._gazetteer, self.signature)
        for sentence, surface, class_ in types:
            emitter.type(sentence, surface, class_)
        for sentence, rename in renamed:
            emitter.rename(sentence, rename, self._renamed_class())
        for statement in statements:
            emitter.statement(statement)
        return tuple(sorted(emitter.found.values(), key=lambda c: (c.start, c.end)))

    def _types(self, sentence: Sentence, clauses: tuple[SentenceClause, ...]) -> Iterator[tuple[Sentence, str, str]]:
        for clause in clauses:
            noun = clause.class_noun
            classes = self._phrases.classes.get(noun, frozenset()) | self._phrases.plurals.get(noun, frozenset())
            if noun and len(classes) == 1 and not clause.dates:
                for subject in clause.subjects:
                    if isinstance(subject, int):
                        yield sentence, sentence.mentions[subject].surface, next(iter(classes))

    def _naming(
        self, spoken: tuple[Sentence, ...], types: list[tuple[Sentence, str, str]], renamed: list[tuple[Sentence, Rename]]
    ) -> TextNaming:
        former = {s.mentions[r.old].surface: s.mentions[r.new].surface for s, r in renamed}
        naming = TextNaming(self._schema, former=former)
        typed: dict[str, str] = {}
        for _, surface, class_ in types:
            name = naming.current(surface)
            if name not in typed or self._schema.is_a([class_], [typed[name]]):
                typed[name] = class_
        hints: dict[str, str] = {}
        recognised: dict[str, str] = {}
        for sentence in spoken:
            for mention in sentence.mentions:
                if mention.hint:
                    hints.setdefault(naming.current(mention.surface), min(self._schema.asked_as([mention.hint])))
            for surface, label in sentence.recognised:
                if label in _RECOGNISED and _RECOGNISED[label] in self._schema.classes:
                    recognised.setdefault(naming.current(nfc(surface)), _RECOGNISED[label])
        return replace(naming, typed=typed, gazetteer=self._gazetteer, hints=hints, recognised=recognised)

    def _renamed_class(self) -> str:
        relation = self._schema.relations.get(SC.renamed_from)
        return self._schema.slot_class(relation.domain) if relation else ""

    def _statements(self, sentence: Sentence, clauses: tuple[SentenceClause, ...], naming: TextNaming) -> Iterator[_Statement]:
        """The facts of a sentence. Pronouns and a bare `since` refer to what its earlier clauses said.

        A pronoun that could not be resolved in one clause stands for something outside the sentence, and is not read in later clauses.
        """
        earlier: list[_Statement] = []
        named: list[str] = []
        elsewhere: set[str] = set()
        turning: Bound | None = None
        for clause in clauses:
            pronouns = {ref for ref in (*clause.subjects, *clause.objects) if isinstance(ref, str)}
            facts = [] if pronouns & elsewhere else self._facts(sentence, clause, naming, earlier, named, turning)
            if not facts:
                elsewhere |= pronouns
            earlier += facts
            yield from facts
            named += [naming.current(sentence.mentions[n].surface) for n in (*clause.subjects, *clause.objects) if isinstance(n, int)]
            turning = next((s.bounds.end for s in facts if s.bounds.end), None)

    def _facts(
        self,
        sentence: Sentence,
        clause: SentenceClause,
        naming: TextNaming,
        earlier: list[_Statement],
        named: list[str],
        turning: Bound | None,
    ) -> list[_Statement]:
        if clause.class_noun or (clause.since_then and not turning):
            return []
        dates = [sentence.dates[n] for n in clause.dates]
        bounds = interval(clause.tense, clause.positive, dates, turning if clause.since_then else None)
        note = _notes(dates)
        reading = self._reading(sentence, clause, naming)
        if bounds is None or reading is None:
            return []
        relation = self._schema.relations[reading.relation]
        slots = self._schema.slot_class(relation.domain), self._schema.slot_class(relation.range)
        first, second = (clause.objects, clause.subjects) if reading.turned else (clause.subjects, clause.objects)
        is_carried = any(isinstance(ref, str) for ref in (*first, *second))
        confidence = CARRIED if is_carried else CERTAIN
        if relation.is_literal:
            node = self._literal(sentence, clause, relation.iri)
            note = note or (sentence.dates[clause.value].note if isinstance(clause.value, int) else "")
            subjects = self._names(first, relation.iri, 0, slots[0], (), sentence, naming, earlier, named)
            note = _joined(note, _carried(first, subjects))
            return [_Statement(sentence, relation.iri, s, node, bounds, confidence, slots[0], "", False, note) for s in subjects if node]
        if clause.value is not None:
            return []
        others = tuple(naming.current(sentence.mentions[ref].surface) for ref in (*first, *second) if isinstance(ref, int))
        subjects = self._names(first, relation.iri, 0, slots[0], others, sentence, naming, earlier, named)
        objects = self._names(second, relation.iri, 1, slots[1], others, sentence, naming, earlier, named)
        note = _joined(note, _carried(first, subjects), _carried(second, objects))
        return [
            _Statement(sentence, relation.iri, s, o, bounds, confidence, *slots, note=note) for s in subjects for o in objects if s != o
        ]

    def _reading(self, sentence: Sentence, clause: SentenceClause, naming: TextNaming) -> PhraseReading | None:
        """The one meaning of the clause's phrase that its names allow; None where several remain."""
        if len(clause.readings) == 1:
            return next(iter(clause.readings))
        fitting = []
        for reading in sorted(clause.readings):
            relation = self._schema.relations[reading.relation]
            first, second = (clause.objects, clause.subjects) if reading.turned else (clause.subjects, clause.objects)
            ends = ((first, relation.domain), (second, relation.range))
            if relation.is_literal == (clause.value is not None) and all(
                self._fits(refs, wanted, sentence, naming) for refs, wanted in ends
            ):
                fitting.append(reading)
        return fitting[0] if len(fitting) == 1 else None

    def _fits(self, refs: tuple[int | str, ...], wanted: frozenset[str], sentence: Sentence, naming: TextNaming) -> bool:
        slot = self._schema.slot_class(wanted)
        names = [naming.current(sentence.mentions[ref].surface) for ref in refs if isinstance(ref, int)]
        return all(naming.are_compatible(naming.known(name), slot) for name in names)

    def _names(
        self, refs: tuple[int | str, ...], relation: str, end: int, slot: str, others: tuple[str, ...],
        sentence: Sentence, naming: TextNaming, earlier: list[_Statement], named: list[str],
    ) -> tuple[str, ...]:  # fmt: skip
        """The names of one end; a pronoun is what stood at this end of this relation before, or the only name before that fits."""
        if all(isinstance(ref, int) for ref in refs):
            return tuple(naming.current(sentence.mentions[ref].surface) for ref in refs if isinstance(ref, int))
        before = {(s.subject, s.object)[end] for s in earlier if s.relation == relation and s.names_object} - set(others)
        if not before:
            places = {s.subject: s.subject_slot for s in earlier} | {s.object: s.object_slot for s in earlier if s.names_object}
            known = {name: naming.known(name) or places.get(name, "") for name in named if name not in others}
            before = {name for name, class_ in known.items() if class_ and naming.are_compatible(class_, slot)}
        return tuple(before) if len(before) == 1 else ()

    def _literal(self, sentence: Sentence, clause: SentenceClause, iri: str) -> str:
        relation = self._schema.relations[iri]
        if isinstance(clause.value, str):
            return next((node for node in sorted(relation.words) if literal_value(node).casefold() == clause.value), "")
        if clause.value is None or relation.datatype != XSD.date:
            return ""
        lower = sentence.dates[clause.value].lower
        is_day = lower is not None and lower.precision == "day" and sentence.dates[clause.value].kind == "at"
        return literal(lower.at[:10], XSD.date) if lower and is_day else ""


def by_rules(schema: Schema, settings: Settings) -> Extractor:
    """The rule extractor with the spaCy pipeline of the settings. Raises ConfigError where that cannot be loaded."""
    return RuleExtractor(schema, model=settings.text_model)


class _Emitter:
    """Collects the candidates of one reading, each fact once for each sentence, names and types once for each mention."""

    def __init__(self, reading: Reading, naming: TextNaming, gazetteer: Mapping[str, str], signature: str) -> None:
        self._reading, self._naming, self._gazetteer, self._signature = reading, naming, gazetteer, signature
        self.found: dict[tuple[Fact, int], Candidate] = {}
        self._named: set[str] = set()

    def type(self, sentence: Sentence, surface: str, class_: str) -> None:
        key = self._mention(sentence, self._naming.current(surface), "")
        self._add(sentence, Fact(key, TYPE, class_node(class_)), CERTAIN)

    def rename(self, sentence: Sentence, rename: Rename, slot: str) -> None:
        """The old name is a label that ended on the stated day; without a day it is an alternative name."""
        key = self._mention(sentence, self._naming.current(sentence.mentions[rename.new].surface), slot)
        dates = [sentence.dates[n] for n in rename.dates]
        ended = next((d.upper if d.kind == "until" else d.lower for d in dates if d.kind in ("at", "during", "since", "until")), None)
        old = literal(sentence.mentions[rename.old].surface)
        self._add(sentence, Fact(key, LABEL if ended else ALT_LABEL, old, None, claimed(ended)), CERTAIN, _notes(dates))

    def statement(self, s: _Statement) -> None:
        subject = self._mention(s.sentence, s.subject, s.subject_slot)
        node = self._mention(s.sentence, s.object, s.object_slot) if s.names_object else s.object
        self._add(s.sentence, Fact(subject, s.relation, node, s.bounds.start, s.bounds.end, (), s.bounds.positive), s.confidence, s.note)

    def _mention(self, sentence: Sentence, surface: str, slot: str) -> str:
        """The key of a mention; its label, and its type where the gazetteer or a recogniser knows it, are claimed with it."""
        class_ = self._naming.class_of(surface, slot)
        key = text_key(f"{self._reading.collection}/{self._reading.document}", surface, class_)
        if key not in self._named:
            self._named.add(key)
            self._add(sentence, Fact(key, LABEL, literal(surface)), CERTAIN)
            if self._gazetteer.get(surface) == class_ and class_:
                self._add(sentence, Fact(key, TYPE, class_node(class_)), CERTAIN)
            elif self._naming.recognised.get(surface) == class_ and not self._naming.known(surface) and class_:
                self._add(sentence, Fact(key, TYPE, class_node(class_)), CARRIED)
        return key

    def _add(self, sentence: Sentence, fact: Fact, confidence: float, note: str = "") -> None:
        start, end = sentence.start, sentence.end
        found = Candidate(fact, start, end, self._reading.text[start:end], self._signature, confidence, note=note)
        self.found.setdefault((fact, start), found)


def _notes(dates: Iterable[DateSpan]) -> str:
    """How the dates of a clause were read, where that is not as they are written."""
    return _joined(*(date.note for date in dates))


def _carried(refs: tuple[int | str, ...], names: tuple[str, ...]) -> str:
    """Whom a pronoun was read as."""
    return _joined(*(f"{ref} read as {name}" for ref in refs if isinstance(ref, str) for name in names))


def _joined(*notes: str) -> str:
    return "; ".join(dict.fromkeys(filter(None, notes)))
