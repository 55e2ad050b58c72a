"""Labels that no text and no question can match, and labels that two relations share."""

from __future__ import annotations

from collections.abc import Iterator

import pyoxigraph as ox

from ..language.phrases import is_past_alone
from ..schema import Class, Labels, Relation, Schema
from ..schema.graph import Graph
from ..terms import DESCRIPTION, KG, LABEL, TYPE, curie
from ..validate.unused_axioms import Note
from .function_words import STOP


def label_notes(schema: Schema) -> tuple[Note, ...]:
    """One note for each label that has no effect, with its place."""
    graph = Graph(schema.turtle, "ontology")
    given = schema.name_properties | {TYPE, DESCRIPTION}
    relations = [r for r in schema.relations.values() if r.iri not in given and not r.is_qualifier]
    every: list[Relation | Class] = [*relations, *schema.classes.values()]
    notes = [note for named in every if ox.NamedNode(named.iri) in graph.subjects for note in _unmatched(graph, named)]
    return (*notes, *_shared(graph, schema, relations))


def _unmatched(graph: Graph, named: Relation | Class) -> Iterator[Note]:
    node = ox.NamedNode(named.iri)
    every: Labels = (*named.labels, *named.alt_labels)
    stated = (*((label, LABEL) for label in every), *((label, KG.inverseLabel) for label in graph.texts(node, KG.inverseLabel)))
    for (text, language), predicate in stated:
        if not any(letter.isalpha() for letter in text):
            yield Note(graph.line(node, predicate), curie(named.iri), f"the label {text!r} has no letters: nothing can match it")
        elif len(text) > 1 and _read(((text, language),)) and set(text.casefold().split()) <= STOP:  # one letter may be a name
            yield Note(
                graph.line(node, predicate),
                curie(named.iri),
                f"the label {text!r} is of function words alone, which questions read otherwise",
            )
    if not _read(every) and not (isinstance(named, Relation) and _read(named.inverse_labels)):
        languages = ", ".join(sorted({language for _text, language in every}))
        what = f"its labels are in {languages} only" if languages else "it has no label"
        yield Note(graph.line(node), curie(named.iri), f"{what}: texts and questions, which are read in English, have no word for it")
    if isinstance(named, Relation):
        for predicate, labels in ((LABEL, every), (KG.inverseLabel, graph.texts(node, KG.inverseLabel))):
            texts = _read(labels)
            if texts and all(is_past_alone(text, named) for text in texts):
                what = f"of {texts[0]!r}, a past form alone, no phrase is made: write the present form, such as 'owns'"
                yield Note(graph.line(node, predicate), curie(named.iri), what)


def _read(labels: Labels) -> list[str]:
    return [" ".join(text.casefold().split()) for text, language in labels if language.partition("-")[0] in ("", "en") and text.strip()]


def _shared(graph: Graph, schema: Schema, relations: list[Relation]) -> Iterator[Note]:
    """Labels of two relations whose ends are of the same classes: no words tell them apart."""
    by_label: dict[str, list[Relation]] = {}
    for relation in relations:
        for text in dict.fromkeys(_read(relation.labels)):
            for other in by_label.get(text, ()):
                if _are_alike(schema, relation, other):
                    where = graph.line(ox.NamedNode(relation.iri), LABEL)
                    yield Note(
                        where, curie(relation.iri), f"the label {text!r} is that of {curie(other.iri)} too: no words tell the two apart"
                    )
            by_label.setdefault(text, []).append(relation)


def _are_alike(schema: Schema, a: Relation, b: Relation) -> bool:
    if a.is_literal != b.is_literal or b.iri in schema.subrelations(a.iri) | {a.inverse} or a.iri in schema.subrelations(b.iri):
        return False
    return _meet(schema, a.domain, b.domain) and (a.is_literal or _meet(schema, a.range, b.range))


def _meet(schema: Schema, a: frozenset[str], b: frozenset[str]) -> bool:
    return not a or not b or schema.is_a(a, b) or schema.is_a(b, a)
