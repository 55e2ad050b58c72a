"""Classes and relations by IRI, and what follows from them: ancestors, inverses, labels, slots."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

from ..terms import ALT_LABEL, EXPECTED_TYPE, LABEL, RDF, RDFS, TYPE, XSD, literal, literal_term
from .datatypes import bases
from .names import Names

Labels = tuple[tuple[str, str], ...]
"""(text, language) pairs; language '' where untagged."""


@dataclass(frozen=True)
class Restriction:
    """What a class demands of the values of one relation.

    `kind` is min, max (how many: `count`), all, some (of which `classes` or `datatype`) or value (which node).
    A min or max with `classes` or a `datatype` counts only such values. `is_turned` where the class is the object of the
    relation, and its subjects are what is demanded.
    """

    relation: str
    kind: str
    count: int = 0
    classes: frozenset[str] = frozenset()
    datatype: str = ""
    value: str = ""
    is_turned: bool = False


@dataclass(frozen=True)
class Class:
    """One declared class. `disjoint` names classes it shares no member with, itself and what is below them.

    `key_scheme` is the scheme of its mention keys (its own; `Schema.key_scheme` looks above too). `asked_as` is the wider class
    that questions mean by its words at an end that takes the wider one.
    """

    iri: str
    labels: Labels = ()
    alt_labels: Labels = ()
    comment: str = ""
    parents: frozenset[str] = frozenset()
    disjoint: frozenset[str] = frozenset()
    key_scheme: str = ""
    asked_as: str = ""
    restrictions: tuple[Restriction, ...] = ()


@dataclass(frozen=True)
class Relation:
    """One declared relation. An empty domain or range allows everything of its kind; several classes mean any of them.

    `datatype` is set on literal relations: `rdfs:Literal` admits every literal, `rdf:PlainLiteral` strings with or
    without language. `values` are the literal nodes of a value set, `known` those of an open list, `facets` (facet IRI, literal node) of a
    restricted datatype, such as (xsd:minInclusive, "0"). The first of `inverse_labels` in a language is preferred:
    that of the inverse relation, where one is declared.
    `canonical` is set on a relation that is stored turned round, as its inverse's canonical direction.
    `also_from` and `also_to` are classes beside domain and range that a source may state it of; questions and texts do not expect them.
    `functional` means: one value at a time. `transitive` means: containment.
    `licenses` are relations whose question an assertion of this one answers (beyond subproperties);
    `not_taken_for` are relations that it must never be taken for.
    """

    iri: str
    labels: Labels = ()
    alt_labels: Labels = ()
    inverse_labels: Labels = ()
    comment: str = ""
    domain: frozenset[str] = frozenset()
    range: frozenset[str] = frozenset()
    datatype: str = ""
    values: frozenset[str] = frozenset()
    parents: frozenset[str] = frozenset()
    inverse: str = ""
    canonical: str = ""
    functional: bool = False
    symmetric: bool = False
    transitive: bool = False
    required_qualifiers: frozenset[str] = frozenset()
    licenses: frozenset[str] = frozenset()
    not_taken_for: frozenset[str] = frozenset()
    is_event_date: bool = False
    facets: tuple[tuple[str, str], ...] = ()
    is_qualifier: bool = False
    inverse_functional: bool = False
    asymmetric: bool = False
    disjoint: frozenset[str] = frozenset()
    known: frozenset[str] = frozenset()
    also_from: frozenset[str] = frozenset()
    also_to: frozenset[str] = frozenset()

    @property
    def subjects(self) -> frozenset[str]:
        """The classes of which a subject may be; empty where anything may stand."""
        return self.domain and self.domain | self.also_from

    @property
    def objects(self) -> frozenset[str]:
        """The classes of which an object may be; empty for a literal relation, and where anything may stand."""
        return self.range and self.range | self.also_to

    @property
    def words(self) -> frozenset[str]:
        """The literal nodes that texts and questions know: the value set, and the known members of an open list."""
        return self.values | self.known

    @property
    def is_literal(self) -> bool:
        """Whether its objects are literals."""
        return bool(self.datatype)

    def admits(self, datatype: str) -> bool:
        """Whether literals of this datatype may stand as objects (value set and facets aside).

        A string may carry a language: RDF files tag freely, and nothing is gained by refusing it. A datatype admits those
        that XSD derives from it: an integer is a decimal.
        """
        if self.datatype in (XSD.string, RDF.PlainLiteral) and datatype == RDF.langString:
            return True
        wanted = XSD.string if self.datatype == RDF.PlainLiteral else self.datatype
        return bool(wanted) and (wanted == RDFS.Literal or wanted in bases(datatype))

    def widened(self, node: str) -> str:
        """A literal of a derived datatype as one of the declared datatype, so that facts of one relation compare by value."""
        if not node.endswith(">") or node.endswith(f"<{self.datatype}>") or not self.datatype.startswith(str(XSD)):
            return node
        term = literal_term(node)
        return literal(term.value, self.datatype) if self.datatype in bases(term.datatype.value) else node


@dataclass(frozen=True)
class Schema:
    """Classes and relations by IRI, and their short names. `turtle` and `shapes` are the texts that it was read from."""

    classes: dict[str, Class] = field(default_factory=dict)
    relations: dict[str, Relation] = field(default_factory=dict)
    turtle: str = ""
    shapes: str = ""
    names: Names = field(default_factory=Names)

    def __hash__(self) -> int:
        return hash((self.turtle, self.shapes))

    def ancestors(self, class_: str) -> frozenset[str]:
        """The class itself and every superclass; empty for a class that is not declared."""
        return self._ancestors.get(class_, frozenset())

    @cached_property
    def _ancestors(self) -> dict[str, frozenset[str]]:
        return {iri: frozenset(_closure(iri, lambda c: self.classes[c].parents if c in self.classes else ())) for iri in self.classes}

    def descendants(self, class_: str) -> frozenset[str]:
        """The declared classes that are the class itself or below it; empty for a class that is not declared."""
        return frozenset(c for c in self.classes if class_ in self.ancestors(c))

    def is_a(self, types: Iterable[str], wanted: Iterable[str]) -> bool:
        """Whether any of the types is one of the wanted classes or below one."""
        wished = frozenset(wanted)
        return any(self.ancestors(t) & wished for t in types)

    def disjoint(self, a: str, b: str) -> bool:
        """Whether no entity can be of both classes."""
        above = self.ancestors(b)
        return any(self.classes[c].disjoint & above for c in self.ancestors(a))

    def key_scheme(self, class_: str) -> str:
        """The scheme of mention keys of the class: its own, else that of its nearest superclass, else ''."""
        level = [class_]
        while level:
            found = sorted(self.classes[c].key_scheme for c in level if c in self.classes and self.classes[c].key_scheme)
            if found:
                return found[0]
            level = [p for c in level if c in self.classes for p in self.classes[c].parents]
        return ""

    def slot_class(self, classes: Iterable[str]) -> str:
        """The one class that a domain or range expects of a mention, '' if there is none.

        It is the only class, or the nearest declared class above all of them.
        """
        wanted = sorted(classes)
        shared = frozenset.intersection(*(self.ancestors(c) for c in wanted)) if wanted else frozenset()
        return min(shared, key=lambda c: (-len(self.ancestors(c)), c), default="")

    def asked_as(self, classes: Iterable[str]) -> frozenset[str]:
        """The classes that questions and texts may mean by words of these."""
        return frozenset((self.classes[c].asked_as if c in self.classes else "") or c for c in classes)

    def may_fill(self, types: Iterable[str], wanted: Iterable[str]) -> bool:
        """Whether something of these types may stand where one of the wanted classes is expected.

        It may if it is of one of them, or if no more than their common superclass is known of it.
        """
        slot, known = self.slot_class(wanted), frozenset(types)
        return not slot or slot in known or self.is_a(known, wanted)

    def label(self, iri: str, language: str = "en") -> str:
        """The preferred label in the language, else in English, else untagged, else any, else the local name."""
        declared = self.classes.get(iri) or self.relations.get(iri)
        return best_label(declared.labels if declared else (), language) or re.split(r"[#/:]", iri)[-1].replace("_", " ")

    def inverse_label(self, relation: str, language: str = "en") -> str:
        """How the relation reads from object to subject; '' where nothing says."""
        declared = self.relations.get(relation)
        return best_label(declared.inverse_labels, language) if declared else ""

    def canonical(self, relation: str) -> tuple[str, bool]:
        """(relation as stored, whether its ends are turned round)."""
        declared = self.relations.get(relation)
        if declared and declared.canonical:
            return declared.canonical, True
        return relation, False

    def subrelations(self, relation: str) -> frozenset[str]:
        """The relation itself and every declared subproperty of it."""
        return frozenset(r for r in {*self.relations, relation} if relation in _closure(r, self._superproperties))

    @cached_property
    def preferred_names(self) -> frozenset[str]:
        """The relations that name things: rdfs:label and what lies below it, further names aside."""
        return self.subrelations(LABEL) - self.subrelations(ALT_LABEL)

    @cached_property
    def name_properties(self) -> frozenset[str]:
        """The relations whose values name things, preferred and further ones."""
        return self.preferred_names | self.subrelations(ALT_LABEL)

    @cached_property
    def naming(self) -> frozenset[str]:
        """Relations whose claims decide what an entity is called, is, and is the same as."""
        return self.name_properties | {TYPE, EXPECTED_TYPE}

    def _superproperties(self, relation: str) -> frozenset[str]:
        declared = self.relations.get(relation)
        return declared.parents if declared else frozenset()

    @cached_property
    def turned(self) -> dict[str, frozenset[str]]:
        """Canonical relation -> the relations that are stored as its inverse."""
        out: dict[str, set[str]] = {}
        for relation in self.relations.values():
            if relation.canonical:
                out.setdefault(relation.canonical, set()).add(relation.iri)
        return {iri: frozenset(names) for iri, names in out.items()}


def best_label(labels: Labels, language: str) -> str:
    """The label in the language or a region of it, else English, else untagged, else the first; '' if there is none."""

    def rank(label: tuple[str, str]) -> int:
        tag, wanted = label[1].lower(), language.lower()
        near = tag and tag.split("-")[0] == wanted.split("-")[0]
        return 0 if tag == wanted else 1 if near else 2 if tag.split("-")[0] == "en" else 3 if not tag else 4

    return min(labels, key=rank)[0] if labels else ""


def _closure(start: str, above: Callable[[str], Iterable[str]]) -> Iterator[str]:
    seen: set[str] = set()
    todo = [start]
    while todo:
        item = todo.pop()
        if item not in seen:
            seen.add(item)
            yield item
            todo.extend(above(item))
