"""Generated and hand-written shapes side by side: writing the generated ones into the shapes files, and where they disagree.

A shapes file holds hand-written shapes and one section between the lines BEGIN and END, which follows from the ontology.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Final, NamedTuple

import pyoxigraph as ox

from ..errors import OntologyError
from ..packs.folders import ontology_paths, text_of
from ..packs.positions import Places, positioned, syntax_reason
from ..schema import Relation, Schema, load_schema
from ..terms import KG, RDF, SH, TYPE, curie, literal
from .owl_shapes import PREFIXES, demanded
from .shape_syntax import ShapeText
from .unused_axioms import Note, unread

BEGIN: Final = "# ---- generated from the ontology by `kgplatform shapes generate --write`: do not edit from here to the end mark"
END: Final = "# ---- end of the generated shapes"

_SECTION: Final = re.compile(rf"^{re.escape(BEGIN)}\n(.*?)^{re.escape(END)}$", re.MULTILINE | re.DOTALL)
_PREFIX: Final = re.compile(r"^\s*(?:@prefix\s+\S*:\s*<[^>]*>\s*\.|PREFIX\s+\S*:\s*<[^>]*>)", re.MULTILINE | re.IGNORECASE)
_MARKS: Final = (KG.assertionLocal, KG.acrossClaims, KG.ofRecords)
_TARGETS: Final = (SH.targetClass, SH.targetSubjectsOf, SH.targetObjectsOf, SH.targetNode)


class Drift(NamedTuple):
    """One disagreement of ontology and shapes.

    `kind`: missing (demanded, not stored), stale (stored as generated, not demanded), changed (stored otherwise than
    demanded), unknown (a hand-written shape names what the ontology does not declare), unmarked (it does not say whether
    it refuses claims), contradicting (it demands what the ontology excludes).
    """

    kind: str
    shape: str
    message: str
    where: str = ""

    def __str__(self) -> str:
        place = f" ({self.where})" if self.where else ""
        return f"{self.kind}: {curie(self.shape)}: {self.message}{place}"


def generate(schema: Schema, *, only: Iterable[str] | None = None) -> str:
    """The shapes that the ontology demands, as Turtle: sorted, and the same text for the same schema.

    `only` keeps the shapes of these IRIs.
    """
    return PREFIXES + "\n" + _blocks(schema, only)


def rewritten(packs: Iterable[str]) -> dict[Path, str]:
    """Shapes file -> its text with the section of generated shapes brought up to date, for core and every pack.

    A shape stands in the file of the first pack that demands it, as all packs together demand it.
    """
    ontologies = ontology_paths(packs)
    stages = [Schema(), *(load_schema(text_of(ontologies[:count])) for count in range(1, len(ontologies) + 1))]
    texts: dict[Path, str] = {}
    for path, (before, after) in zip(ontologies, pairwise(stages), strict=True):
        own = demanded(after).keys() - demanded(before).keys()
        ours = path.parent == ontologies[0].parent
        file = path.parent.parent / "shapes" / path.name if ours else path.with_suffix(".shapes.ttl")
        text = file.read_text(encoding="utf-8") if file.is_file() else PREFIXES
        section = f"{BEGIN}\n\n{_blocks(stages[-1], own)}\n{END}"
        section_before = _SECTION.search(text)
        texts[file] = (
            text[: section_before.start()] + section + text[section_before.end() :] if section_before else f"{text.rstrip()}\n\n{section}\n"
        )
    return texts


def drift(schema: Schema, shapes_text: str) -> list[Drift]:
    """Where the shapes and the ontology disagree; empty where they agree. OntologyError for text that is no Turtle."""
    generated = "\n".join(match[1] for match in _SECTION.finditer(shapes_text))
    prefixes = "\n".join(match[0] for match in _PREFIX.finditer(shapes_text))
    return sorted({*_outdated(schema, f"{prefixes}\n{generated}"), *_odd(schema, _Shapes(by_hand(shapes_text)))})


def shape_notes(schema: Schema, text: ShapeText) -> tuple[Note, ...]:
    """What has no effect in hand-written shapes: names that the ontology does not declare, what it excludes, deactivated shapes."""
    odd = [Note(each.where, curie(each.shape), each.message) for each in sorted(_odd(schema, _Shapes(by_hand(schema.shapes))))]
    off = [
        Note(text.graph.line(shape, SH.deactivated), text.name(shape), "it is switched off (sh:deactivated true)")
        for shape in text.switched_off()
    ]
    return tuple(dict.fromkeys((*odd, *off)))


def by_hand(shapes_text: str) -> str:
    """The shapes without the generated sections, which become blank lines, so that places stay right."""
    return _SECTION.sub(lambda section: "\n" * section[0].count("\n"), shapes_text)


def ignored(schema: Schema) -> list[str]:
    """What the ontology says that becomes neither shape nor query expansion: one sentence each, with the reason."""
    lines = set()
    for note in unread(schema):
        term, _, reason = note.message.partition(" is ignored: ")
        lines.add(f"{term} of {'an unnamed node' if note.subject == 'a blank node' else note.subject} is ignored: {reason}")
    return sorted(lines)


def _blocks(schema: Schema, only: Iterable[str] | None) -> str:
    wanted = None if only is None else set(only)
    return "\n".join(text for iri, text in demanded(schema).items() if wanted is None or iri in wanted)


# -- generated shapes that are no longer what the ontology demands


def _outdated(schema: Schema, generated: str) -> Iterator[Drift]:
    stored = _Shapes(generated)
    wanted = _Shapes(generate(schema))
    for shape in wanted.roots - stored.roots:
        yield Drift("missing", shape, "the ontology demands it; run `kgplatform shapes generate --write`")
    for shape in stored.roots - wanted.roots:
        yield Drift("stale", shape, "the ontology no longer demands it; run `kgplatform shapes generate --write`")
    for shape in stored.roots & wanted.roots:
        is_now, should_be = stored.described(shape), wanted.described(shape)
        if is_now != should_be:
            yield Drift(
                "changed",
                shape,
                "; ".join([*(f"not {line}" for line in is_now - should_be), *(f"but {line}" for line in should_be - is_now)]),
            )


class _Shapes:
    """A shapes text as triples: its named or blank roots, and what each says."""

    def __init__(self, turtle: str) -> None:
        self.triples: dict[str, list[tuple[str, ox.NamedNode | ox.BlankNode | ox.Literal]]] = {}
        self._lines_of: dict[tuple[str, str], int] = {}
        self._places = Places(turtle, "shapes")
        try:
            for (subject, predicate, value), line in positioned(turtle):
                if not isinstance(value, ox.Triple):
                    self.triples.setdefault(_key(subject), []).append((predicate.value, value))
                    self._lines_of.setdefault((_key(subject), predicate.value), line)
        except SyntaxError as error:
            raise OntologyError(f"not Turtle: {syntax_reason(error)}", where=self._places.at(error.lineno or 1)) from error

    def where(self, subject: str, predicate: str) -> str:
        return self._places.at(self._lines_of.get((subject, predicate), 1))

    @property
    def roots(self) -> set[str]:
        """The shapes that have a target of their own."""
        return {subject for subject, said in self.triples.items() if any(predicate in _TARGETS for predicate, _ in said)}

    def values(self, subject: str, predicate: str) -> list[ox.NamedNode | ox.BlankNode | ox.Literal]:
        return [o for p, o in self.triples.get(subject, ()) if p == predicate]

    def iris(self, subject: str, predicate: str) -> set[str]:
        return {o.value for o in self.values(subject, predicate) if isinstance(o, ox.NamedNode)}

    def described(self, subject: str) -> frozenset[str]:
        """One line for each triple of a shape, its blank nodes written out."""
        return frozenset(self._lines(subject, ()))

    def _lines(self, subject: str, inside: tuple[str, ...]) -> list[str]:
        return sorted(f"{curie(p)} {self._text(o, (*inside, subject))}" for p, o in self.triples.get(subject, ()))

    def _text(self, node: ox.NamedNode | ox.BlankNode | ox.Literal, inside: tuple[str, ...]) -> str:
        if not isinstance(node, ox.BlankNode):
            return curie(node.value) if isinstance(node, ox.NamedNode) else str(node)
        return "[...]" if _key(node) in inside else f"[ {' ; '.join(self._lines(_key(node), inside))} ]"

    def members(self, head: ox.NamedNode | ox.BlankNode | ox.Literal) -> Iterator[ox.NamedNode | ox.BlankNode | ox.Literal]:
        seen: set[str] = set()
        while isinstance(head, ox.BlankNode) and _key(head) not in seen:
            seen.add(_key(head))
            yield from self.values(_key(head), RDF.first)
            head = next(iter(self.values(_key(head), RDF.rest)), ox.NamedNode(RDF.nil))


def _key(node: ox.NamedNode | ox.BlankNode | ox.Literal | ox.Triple) -> str:
    return node.value if isinstance(node, ox.NamedNode) else str(node)


# -- hand-written shapes that do not fit the ontology


def _odd(schema: Schema, shapes: _Shapes) -> Iterator[Drift]:
    for root in sorted(shapes.roots):
        marks = [mark for mark in _MARKS if str(next(iter(shapes.values(root, mark)), "")).startswith('"true"')]
        inner = [_key(p) for p in shapes.values(root, SH.property)]
        if not marks and not (inner and all(any(shapes.values(p, mark) for mark in _MARKS) for p in inner)):
            where = shapes.where(root, next(p for p, _ in shapes.triples[root] if p in _TARGETS))
            yield Drift("unmarked", root, "say whether it is kg:assertionLocal, kg:acrossClaims or kg:ofRecords true", where)
        if KG.ofRecords in marks:
            continue
        for class_ in sorted(shapes.iris(root, SH.targetClass) - schema.classes.keys()):
            yield Drift("unknown", root, f"no class {curie(class_)} is declared", shapes.where(root, SH.targetClass))
        for target in (SH.targetSubjectsOf, SH.targetObjectsOf):
            for relation in sorted(shapes.iris(root, target) - schema.relations.keys()):
                yield Drift("unknown", root, f"no relation {curie(relation)} is declared", shapes.where(root, target))
        for property_ in inner:
            yield from _odd_property(schema, shapes, root, property_)


def _odd_property(schema: Schema, shapes: _Shapes, root: str, property_: str) -> Iterator[Drift]:
    for class_ in sorted(shapes.iris(property_, SH["class"]) - schema.classes.keys()):
        yield Drift("unknown", root, f"no class {curie(class_)} is declared", shapes.where(property_, SH["class"]))
    for path in sorted(shapes.iris(property_, SH.path) - {TYPE}):
        relation = schema.relations.get(path)
        if relation is None:
            yield Drift("unknown", root, f"no relation {curie(path)} is declared", shapes.where(property_, SH.path))
            continue
        if relation.canonical:
            turned = (
                f"facts of {curie(path)} are stored as {curie(relation.canonical)}: write [ sh:inversePath {curie(relation.canonical)} ]"
            )
            yield Drift("contradicting", root, turned, shapes.where(property_, SH.path))
        yield from _excluded(schema, shapes, root, property_, relation)


def _excluded(schema: Schema, shapes: _Shapes, root: str, property_: str, relation: Relation) -> Iterator[Drift]:
    """What a property shape asks of a relation and the ontology excludes."""

    def contradicting(predicate: str, message: str) -> Drift:
        return Drift("contradicting", root, message, shapes.where(property_, predicate))

    path = curie(relation.iri)
    for class_ in sorted(shapes.iris(property_, SH["class"]) & schema.classes.keys()):
        if relation.is_literal:
            yield contradicting(SH["class"], f"{path} has literals, not entities of {curie(class_)}")
        elif relation.range and not _overlap(schema, class_, relation.range):
            yield contradicting(SH["class"], f"{curie(class_)} lies outside the range of {path}")
    for datatype in sorted(shapes.iris(property_, SH.datatype)):
        if not relation.admits(datatype):
            yield contradicting(SH.datatype, f"{path} has no values of {curie(datatype)}")
    for head in shapes.values(property_, SH["in"]) if relation.values else ():
        values = {literal(m.value, m.datatype.value, m.language or "") for m in shapes.members(head) if isinstance(m, ox.Literal)}
        for value in sorted(values - relation.values):
            yield contradicting(SH["in"], f"{value} is not in the value set of {path}")
    for count in shapes.values(property_, SH.minCount):
        if relation.functional and isinstance(count, ox.Literal) and count.value.isdigit() and int(count.value) > 1:
            yield contradicting(SH.minCount, f"{path} has one value at a time, not {count.value}")


def _overlap(schema: Schema, class_: str, range_: frozenset[str]) -> bool:
    return schema.is_a([class_], range_) or any(class_ in schema.ancestors(r) for r in range_)
