"""The gate: whether a claim is wrong in itself, judged from its relation, its value and the types of its ends.

It fails closed. What other claims say never counts, so a verdict depends neither on arrival order nor on the batch.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import TYPE_CHECKING, Final, NamedTuple

import pyoxigraph as ox

from ..errors import OntologyError
from ..lexical_forms import EXAMPLES, INTEGER_RANGES, is_valid
from ..schema import Relation, Schema
from ..terms import (
    DESCRIPTION,
    EXPECTED_TYPE,
    LANG_STRING,
    SH,
    TYPE,
    XSD,
    class_iri,
    curie,
    is_class,
    is_literal,
    is_unmapped,
    literal,
    literal_term,
    unmapped_key,
)

if TYPE_CHECKING:
    from .engines import Engine

UNKNOWN_RELATION: Final = "unknown-relation"
UNMAPPED_KEY: Final = "unmapped"
UNKNOWN_CLASS: Final = "unknown-class"
UNKNOWN_SUBJECT_TYPE: Final = "unknown-subject-type"
UNKNOWN_OBJECT_TYPE: Final = "unknown-object-type"
WRONG_SUBJECT_TYPE: Final = "wrong-subject-type"
WRONG_OBJECT_TYPE: Final = "wrong-object-type"
SWAPPED: Final = "swapped"
MALFORMED_VALUE: Final = "malformed-value"
MISSING_QUALIFIER: Final = "missing-qualifier"
SHAPE: Final = "shape"

_A: Final = ox.NamedNode(TYPE)
_STRING: Final = XSD.string
_STORED_AS: Final = {**dict.fromkeys(INTEGER_RANGES, XSD.integer), XSD.dateTimeStamp: XSD.dateTime}
"""The datatype that the store writes instead."""
_REMEMBERED = 131072
_BATCH = 4096  # 100,000 labels: 8.4 CPU seconds and 306 MB in one batch, 5.2 and 77 MB in these
_FOCUS = "urn:kgplatform:gate:s"
_VALUE = "urn:kgplatform:gate:o"


class ClaimPattern(NamedTuple):
    """All of a claim that the gate looks at: many claims share one pattern.

    `relation` is canonical: a relation that is stored turned round was turned, ends and all.
    `object` is '' for an entity, else the literal or class node; `object_types` belong to an entity.
    Types that are only expected come from references and slots: no source states one.
    """

    relation: str
    subject_types: frozenset[str]
    object: str = ""
    object_types: frozenset[str] = frozenset()
    qualifiers: tuple[tuple[str, str], ...] = ()
    is_subject_expected: bool = False
    is_object_expected: bool = False


class Reason(NamedTuple):
    """Why a claim is quarantined: one of the codes above, and a sentence for people."""

    code: str
    message: str


class Gate:
    """Judges patterns by one ontology and the shapes that it marks `kg:assertionLocal`.

    Shapes that are not so marked look across claims: they give conflicts and findings (`report`), never refusals.
    Raises OntologyError for shapes that cannot be read, are recursive, or look beyond one assertion.
    """

    def __init__(self, schema: Schema, engine: Engine | None = None) -> None:
        from .engines import engine_of  # 0.2 s to load with rdflib: who only reads judges nothing
        from .shapegraph import ShapeGraph

        self._schema = schema
        self._engine: Engine = engine or engine_of()
        self._shapes = ShapeGraph.parse(schema.shapes).local()
        self._of_everything = schema.name_properties | {DESCRIPTION}  # every subject may have these, of any type
        self._remembered: dict[ClaimPattern, Reason | None] = {}

    def judge(self, patterns: Iterable[ClaimPattern]) -> dict[ClaimPattern, Reason | None]:
        """Pattern -> why it is refused, or None where it is accepted."""
        verdicts: dict[ClaimPattern, Reason | None] = {}
        passed: dict[ClaimPattern, list[ClaimPattern]] = {}
        for pattern in patterns:
            if pattern not in verdicts:
                reason = verdicts[pattern] = self._refusal(pattern)
                if reason is None and self._shapes.roots:
                    passed.setdefault(self._representative(pattern), []).append(pattern)
        for representative, reason in self._by_shapes(passed).items():
            for pattern in passed[representative]:
                verdicts[pattern] = reason
        return verdicts

    def suggestion(self, pattern: ClaimPattern, *, subject: str, object: str) -> str:
        """The claim turned round, with the names of its ends: `Platform owns Tax?`."""
        return self._turned(self._schema.relations[pattern.relation], subject, object)

    def _turned(self, relation: Relation, subject: str, object: str) -> str:
        inverse = self._schema.label(relation.inverse) if relation.inverse else self._schema.inverse_label(relation.iri)
        return f"{subject} {inverse} {object}?" if inverse else f"{object} {self._schema.label(relation.iri)} {subject}?"

    # -- from the ontology alone

    def _refusal(self, pattern: ClaimPattern) -> Reason | None:
        node = pattern.object
        if pattern.relation in (TYPE, EXPECTED_TYPE):
            is_declared = is_class(node) and class_iri(node) in self._schema.classes
            return None if is_declared else Reason(UNKNOWN_CLASS, f"no class {_node_name(node)} is declared")
        relation = self._schema.relations.get(pattern.relation)
        if pattern.relation in self._of_everything and not (relation and relation.domain):
            return _misfit(pattern.relation, relation, node)
        if relation is not None and relation.is_qualifier:
            return Reason(UNKNOWN_RELATION, f"{curie(relation.iri)} qualifies other relations and says nothing alone")
        if is_unmapped(pattern.relation):
            return Reason(UNMAPPED_KEY, f"no mapping reads {unmapped_key(pattern.relation)}")
        if relation is None:
            return Reason(UNKNOWN_RELATION, f"no relation {curie(pattern.relation)} is declared")
        subject_types = frozenset(t for t in pattern.subject_types if t in self._schema.classes)
        if not subject_types:
            return Reason(UNKNOWN_SUBJECT_TYPE, f"no source says what kind of thing the subject of {curie(relation.iri)} is")
        if pattern.is_subject_expected:
            subject_types = self._as_slot(subject_types, relation.domain)
        if relation.is_literal:
            reason = self._literal_refusal(relation, subject_types, node)
        else:
            expected = self._as_slot(pattern.object_types, relation.range) if pattern.is_object_expected else pattern.object_types
            reason = self._entity_refusal(relation, subject_types, node, expected)
        return reason or self._qualifier_refusal(relation, pattern.qualifiers)

    def _literal_refusal(self, relation: Relation, subject_types: frozenset[str], node: str) -> Reason | None:
        if is_literal(node) and not self._fits(subject_types, relation.subjects):
            return self._wrong_end(WRONG_SUBJECT_TYPE, "subject", relation, subject_types, relation.subjects)
        return _misfit(relation.iri, relation, node)

    def _entity_refusal(self, relation: Relation, subject_types: frozenset[str], node: str, types: frozenset[str]) -> Reason | None:
        if node:
            what = "a literal" if is_literal(node) else "a class"
            return Reason(MALFORMED_VALUE, f"{curie(relation.iri)} names an entity, and {what} stands there: {_node_name(node)}")
        object_types = frozenset(t for t in types if t in self._schema.classes)
        if not object_types:
            return Reason(UNKNOWN_OBJECT_TYPE, f"no source says what kind of thing the object of {curie(relation.iri)} is")
        subject_fits, object_fits = self._fits(subject_types, relation.subjects), self._fits(object_types, relation.objects)
        if subject_fits and object_fits:
            return None
        if self._fits(object_types, relation.domain) and self._fits(subject_types, relation.range):
            turned = self._turned(relation, self._kinds(subject_types), self._kinds(object_types))
            return Reason(SWAPPED, f"the ends of {curie(relation.iri)} fit turned round: {turned}")
        if not subject_fits:
            return self._wrong_end(WRONG_SUBJECT_TYPE, "subject", relation, subject_types, relation.subjects)
        return self._wrong_end(WRONG_OBJECT_TYPE, "object", relation, object_types, relation.objects)

    def _qualifier_refusal(self, relation: Relation, qualifiers: tuple[tuple[str, str], ...]) -> Reason | None:
        missing = relation.required_qualifiers - {name for name, _ in qualifiers}
        if missing:
            return Reason(MISSING_QUALIFIER, f"{curie(relation.iri)} needs {_listed(missing)}")
        for name, node in qualifiers:
            declared = self._schema.relations.get(name)
            if declared is None:
                return Reason(UNKNOWN_RELATION, f"no relation {curie(name)} is declared, which qualifies {curie(relation.iri)}")
            if declared.is_literal:
                misfit = _misfit(name, declared, node)
                if misfit:
                    return misfit
            elif is_literal(node):
                return Reason(MALFORMED_VALUE, f"{curie(name)} names an entity, and a literal stands there: {node}")
        return None

    def _as_slot(self, types: frozenset[str], wanted: frozenset[str]) -> frozenset[str]:
        """The expected types; and where the slot is a union and one of them is its common superclass or below it, the members below that."""
        if len(wanted) < 2:
            return types
        wide = {t for t in types if self._schema.is_a([t], [self._schema.slot_class(wanted)])}
        return types | {member for member in wanted if self._schema.ancestors(member) & wide}

    def _fits(self, types: frozenset[str], wanted: frozenset[str]) -> bool:
        return not wanted or self._schema.is_a(types, wanted)

    def _wrong_end(self, code: str, end: str, relation: Relation, types: frozenset[str], wanted: frozenset[str]) -> Reason:
        return Reason(code, f"{curie(relation.iri)} wants {self._kinds(wanted)} as its {end}, not {self._kinds(types)}")

    def _kinds(self, types: Iterable[str]) -> str:
        return " or ".join(sorted(self._schema.label(t) for t in types))

    # -- by the shapes that look at one assertion

    def _representative(self, pattern: ClaimPattern) -> ClaimPattern:
        """The pattern with its literal replaced by one that no local shape can tell from it, and without what no shape sees."""
        node = pattern.object
        if is_literal(node) and not self._shapes.looks_at_values_of(pattern.relation):
            term = literal_term(node)
            node = literal("x", language="en") if term.language else EXAMPLES.get(term.datatype.value, node)
        relation = self._schema.relations.get(pattern.relation)
        ends = [self._declared(pattern.subject_types), self._declared(pattern.object_types)]
        if relation is not None:
            ends[0] = self._as_slot(ends[0], relation.domain) if pattern.is_subject_expected else ends[0]
            ends[1] = self._as_slot(ends[1], relation.range) if pattern.is_object_expected else ends[1]
        return ClaimPattern(pattern.relation, ends[0], node, ends[1])

    def _declared(self, types: frozenset[str]) -> frozenset[str]:
        return types if types <= self._schema.classes.keys() else frozenset(types & self._schema.classes.keys())

    def _by_shapes(self, patterns: Iterable[ClaimPattern]) -> dict[ClaimPattern, Reason | None]:
        wanted = list(patterns)
        fresh = [p for p in wanted if p not in self._remembered]
        verdicts: dict[ClaimPattern, Reason | None] = {p: self._remembered[p] for p in wanted if p in self._remembered}
        for batch in self._batches(fresh):
            verdicts.update(self._run(batch))
        for pattern in fresh:
            self._remembered[pattern] = verdicts[pattern]
        while len(self._remembered) > _REMEMBERED:
            for old in list(islice(self._remembered, len(self._remembered) - _REMEMBERED)):
                del self._remembered[old]
        return verdicts

    def _batches(self, patterns: list[ClaimPattern]) -> list[list[ClaimPattern]]:
        """Batches of bounded size, or such that no literal is a focus node for two patterns."""
        if not self._shapes.may_focus_literals:
            return [patterns[start : start + _BATCH] for start in range(0, len(patterns), _BATCH)]
        batches: list[list[ClaimPattern]] = []
        seen: dict[str, int] = {}
        for pattern in patterns:
            turn = seen.get(pattern.object, 0) if pattern.object else 0
            if pattern.object:
                seen[pattern.object] = turn + 1
            if turn == len(batches):
                batches.append([])
            batches[turn].append(pattern)
        return batches

    def _run(self, patterns: list[ClaimPattern]) -> dict[ClaimPattern, Reason | None]:
        from .engines import hierarchy

        triples = hierarchy(self._schema)
        owner: dict[str, ClaimPattern] = {}
        for number, pattern in enumerate(patterns):
            subject, value = ox.NamedNode(f"{_FOCUS}{number}"), ox.NamedNode(f"{_VALUE}{number}")
            owner[str(subject)] = owner[str(value)] = pattern
            triples += [ox.Triple(subject, _A, ox.NamedNode(t)) for t in pattern.subject_types]
            if is_literal(pattern.object):
                owner[pattern.object] = pattern
                triples.append(ox.Triple(subject, ox.NamedNode(pattern.relation), literal_term(pattern.object)))
            elif pattern.object:
                triples.append(ox.Triple(subject, ox.NamedNode(pattern.relation), ox.NamedNode(class_iri(pattern.object))))
            else:
                triples += [ox.Triple(value, _A, ox.NamedNode(t)) for t in pattern.object_types]
                triples.append(ox.Triple(subject, ox.NamedNode(pattern.relation), value))
        verdicts: dict[ClaimPattern, Reason | None] = dict.fromkeys(patterns)
        for row in sorted(self._engine.validate(triples, self._shapes).rows):
            if row.severity != SH.Violation:
                continue
            if row.focus not in owner:
                raise OntologyError(
                    f"the shape {row.shape_name} looks at {row.focus}, which belongs to no one assertion",
                    hint="mark it kg:acrossClaims true",
                )
            if verdicts[owner[row.focus]] is None:
                verdicts[owner[row.focus]] = Reason(SHAPE, f"{row.full_message} (shape {row.shape_name})")
        return verdicts


def _node_name(node: str) -> str:
    return curie(class_iri(node)) if is_class(node) else node or "(an entity)"


def _listed(iris: Iterable[str]) -> str:
    return ", ".join(sorted(map(curie, iris)))


# -- literals


def _misfit(name: str, declared: Relation | None, node: str) -> Reason | None:
    """Why a node is no literal that the relation may have, None if it is one; where no relation is declared any literal is one."""
    if not is_literal(node):
        return Reason(MALFORMED_VALUE, f"{curie(name)} wants a literal, not {_node_name(node)}")
    term = literal_term(node)
    datatype = term.datatype.value
    if declared and not _admits(declared, datatype):
        return Reason(MALFORMED_VALUE, f"{curie(name)} wants {curie(declared.datatype)}, not {curie(datatype)}: {term.value[:80]!r}")
    narrow = declared.datatype if declared and declared.datatype in _STORED_AS else datatype
    if not (is_valid(datatype, term.value) and is_valid(narrow, term.value)):
        return Reason(MALFORMED_VALUE, f"no {curie(narrow)} is written like that: {term.value[:80]!r}")
    if declared and declared.values and node not in declared.values:
        values = ", ".join(sorted(literal_term(value).value for value in declared.values))
        return Reason(MALFORMED_VALUE, f"{curie(name)} is one of {values}, not {term.value[:80]!r}")
    return None


def _admits(relation: Relation, found: str) -> bool:
    """As the relation says; a string may carry a language, and some datatypes are another one in the store."""
    if relation.datatype == _STRING:
        return found in (_STRING, LANG_STRING)
    return relation.admits(found) or found == _STORED_AS.get(relation.datatype)
