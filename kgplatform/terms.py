"""RDF terms: namespaces, node texts, mention keys and IRIs. Pure functions on strings.

A *node* is the text form in which terms travel before they are projected:

    component:tax                     a mention key: scheme + identifier (an entity)
    "2025-01-01"^^<http://...#date>   a literal in N-Triples syntax, as the store holds it
    <http://...#Component>            a class of the ontology

so that claims are plain tuples of strings: they hash, sort and go into SQL columns as they are.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Final, cast
from urllib.parse import quote, unquote

import pyoxigraph as ox

from .lexical_forms import is_valid
from .namespaces import DC, DCTERMS, FOAF, KG, OLD_SCHEMA, OWL, PP, PROV, RDF, RDFS, SC, SCHEMA, SH, SKOS, UNMAPPED, XSD, Namespace

Term = ox.NamedNode | ox.Literal | ox.BlankNode


NAMESPACES: Final[tuple[Namespace, ...]] = (KG, SC, PP, UNMAPPED, RDF, RDFS, OWL, XSD, SH, SKOS, PROV, DCTERMS)
TYPE: Final = RDF.type
LABEL: Final = RDFS.label
ALT_LABEL: Final = SKOS.altLabel
DESCRIPTION: Final = DCTERMS.description
LANG_STRING: Final = RDF.langString
EXPECTED_TYPE: Final = KG.expectedType
"""The type that a slot expects of an argument, claimed by an open collection: it counts only if no other type is known."""
WELL_KNOWN_NAMES: Final = frozenset(
    {
        *(LABEL, ALT_LABEL, SKOS.prefLabel, SKOS.hiddenLabel, DCTERMS.title, DC.title, FOAF.name, FOAF.nick),
        *(space[name] for space in (SCHEMA, OLD_SCHEMA) for name in ("name", "alternateName")),
    }
)
"""Properties of well-known vocabularies that name things, whatever packs there are: core declares them below rdfs:label and
skos:altLabel. `Schema.name_properties` has those of a release, with its packs' own."""


def curie(iri: str) -> str:
    """The short form of an IRI for people, or `<iri>` where no prefix fits."""
    for space in NAMESPACES:
        if iri.startswith(str(space)):
            return f"{space.prefix}:{iri[len(str(space)) :]}"
    return f"<{iri}>"


def expand(text: str) -> str:
    """The IRI of a CURIE with a known prefix, or of `<iri>`; anything else is returned as it is."""
    if text.startswith("<") and text.endswith(">"):
        return text[1:-1]
    prefix, colon, local = text.partition(":")
    for space in NAMESPACES:
        if colon and prefix == space.prefix:
            return space[local]
    return text


def is_iri(text: str) -> bool:
    """Whether a text is an absolute IRI."""
    try:
        return bool(ox.NamedNode(text))
    except ValueError:
        return False


def nfc(text: str) -> str:
    """The text in Unicode's composed form (NFC), in which all texts are stored and compared."""
    return unicodedata.normalize("NFC", text)


# -- literals and classes as node texts


def literal(value: str, datatype: str = XSD.string, language: str = "") -> str:
    """The node text of a literal, NFC and normalised as the store will hold it (see `noted_literal`)."""
    return noted_literal(value, datatype, language)[0]


@lru_cache(maxsize=65536)
def noted_literal(value: str, datatype: str = XSD.string, language: str = "") -> tuple[str, str]:
    """The node text of a literal, and what was normalised on the way to it ('' if nothing).

    Oxigraph rewrites xsd:int to xsd:integer and 1.50 to 1.5; the same is done here, before hashing. A date has no zone and
    a dateTime has one (UTC where none was stated), since SPARQL cannot compare one that has with one that has not.
    A text that is no value of its datatype keeps its characters, for the gate to refuse: the store would make INF of `inf`.
    """
    text = nfc(value)
    notes = [] if text == value else ["written in another Unicode form (NFC)"]
    if language:
        node = str(ox.Literal(text, language=language.lower()))
        notes += [] if language.islower() else [f"language tag written {language}"]
    elif datatype == XSD.string or not is_valid(datatype, text):
        node = str(ox.Literal(text, datatype=ox.NamedNode(datatype)))
    else:
        zoned, note = _zoned(text, datatype)
        term = ox.Literal(zoned, datatype=ox.NamedNode(datatype))
        stored = term if datatype == XSD.date else _as_stored(term)
        node = str(stored)
        notes += [note] if note else []
        notes += [f"written {text}"] if stored.value != zoned else []
        notes += [f"stated as {curie(datatype)}"] if stored.datatype.value != datatype else []
    return node, "; ".join(notes)


_DAY = re.compile(r"(-?\d{4,}-\d\d-\d\d)(T[\d:.]+)?(Z|[+-]\d\d:\d\d)?", re.ASCII)


def _zoned(value: str, datatype: str) -> tuple[str, str]:
    match = _DAY.fullmatch(value)
    if match and datatype == XSD.date and match[3]:
        return match[1], f"its zone {match[3]} is left out"
    if match and datatype == XSD.dateTime and not match[3]:
        return f"{value}Z", "no zone stated, taken as UTC"
    return value, ""


_PROBE = ox.NamedNode("x:x")


def _as_stored(term: ox.Literal) -> ox.Literal:
    store = ox.Store()  # a new one each time: one that is cleared and reused takes 200 times as long after 40,000 literals
    store.add(ox.Quad(_PROBE, _PROBE, term))
    return cast(ox.Literal, next(iter(store)).object)


def class_node(iri: str) -> str:
    """The node text of a class: its IRI in angle brackets."""
    return f"<{iri}>"


def is_unmapped(relation: str) -> bool:
    """Whether a relation stands for a key or column that no mapping reads."""
    return relation.startswith(str(UNMAPPED))


def unmapped_key(relation: str) -> str:
    """That key after its format: `backstage spec.profile.color`."""
    return unquote(relation.removeprefix(str(UNMAPPED))).replace("/", " ", 1)


def is_literal(node: str) -> bool:
    """Whether the node is a literal."""
    return node.startswith('"')


def is_class(node: str) -> bool:
    """Whether the node is a class of the ontology."""
    return node.startswith("<")


def is_entity(node: str) -> bool:
    """Whether the node is a mention key."""
    return not node.startswith(('"', "<"))


def class_iri(node: str) -> str:
    """The IRI of a class node, without its brackets; the node must be one."""
    return node[1:-1]


@lru_cache(maxsize=65536)
def literal_term(node: str) -> ox.Literal:
    """The RDF term of a literal node."""
    line = f"<x:x> <x:x> {node} ."
    return cast(ox.Literal, next(iter(ox.parse(line, format=ox.RdfFormat.N_TRIPLES))).object)


def literal_value(node: str) -> str:
    """The lexical form of a literal node, without datatype or language."""
    return literal_term(node).value


# -- mention keys


def identifier_key(scheme: str, identifier: str) -> str:
    """The key of an identified entity: `component:tax`. An IRI of a foreign vocabulary is `iri:<IRI>`."""
    return f"{scheme}:{nfc(identifier.strip())}"


def text_key(document: str, surface: str, class_: str) -> str:
    """The key of a text mention: document + surface + the class its sentence expects ('' if none).

    `document` is `collection/id`. Equal surfaces of one class in one document are one mention.
    """
    return f"text:{_part(document)}|{_part(surface)}|{_part(class_)}"


def text_parts(key: str) -> tuple[str, str, str] | None:
    """(document, surface, class) of a text mention key, None for any other key."""
    if not key.startswith("text:"):
        return None
    document, surface, class_ = key[5:].split("|")
    return _unpart(document), _unpart(surface), _unpart(class_)


def _part(text: str) -> str:
    return nfc(text).replace("%", "%25").replace("|", "%7C")


def _unpart(text: str) -> str:
    return text.replace("%7C", "|").replace("%25", "%")


def scheme(key: str) -> str:
    """The scheme of a key; for `iri:` keys it is the IRI's namespace. Two identifiers of one scheme stand for two entities.

    That does not hold for `text` and `bnode`, the schemes of text mentions and blank nodes.
    """
    name, _, rest = key.partition(":")
    if name == "iri":
        cut = max(rest.rfind("/"), rest.rfind("#"))
        return "iri:" + rest[: cut + 1]
    return name


def is_identified(key: str) -> bool:
    """Whether a source gave the entity an identifier: its key is of no text mention and no blank node."""
    return not key.startswith(("text:", "bnode:"))


def authority(key: str) -> tuple[int, str]:
    """The order in which canonical keys are chosen: identifiers before text mentions, then by key."""
    return (0 if is_identified(key) else 1, key)


# -- IRIs of the projection


@lru_cache(maxsize=262144)
def entity_iri(base: str, key: str) -> str:
    """The IRI of an entity: that of an `iri:` key as it is, any other key below `<base>id/`, percent-encoded."""
    name, _, rest = key.partition(":")
    if name == "iri":
        return rest
    return f"{base}id/{quote(name, safe='')}/{quote(rest, safe='')}"


def entity_key(base: str, iri: str) -> str:
    """The mention key of an entity IRI: the inverse of `entity_iri`. An IRI below `<base>id/` that `entity_iri` cannot have made is foreign."""
    if iri.startswith(base + "id/"):
        name, slash, rest = iri[len(base) + 3 :].partition("/")
        key = f"{unquote(name)}:{unquote(rest)}"
        if name and slash and is_entity(key) and (not key.startswith("text:") or key.count("|") == 2):
            return key
    return "iri:" + iri


def document_iri(base: str, collection: str, document: str) -> str:
    """The IRI of a document, named by its collection and its id there."""
    return f"{base}document/{quote(collection, safe='')}/{quote(document, safe='')}"


def claim_iri(base: str, claim: str) -> str:
    """The IRI of a claim, named by its id in the ledger."""
    return f"{base}claim/{claim}"


def assertion_iri(base: str, assertion: str) -> str:
    """The IRI of an assertion, named by its id."""
    return f"{base}assertion/{assertion}"


def node_term(base: str, node: str) -> Term:
    """The RDF term that a node text stands for."""
    if is_literal(node):
        return literal_term(node)
    return ox.NamedNode(class_iri(node) if is_class(node) else entity_iri(base, node))
