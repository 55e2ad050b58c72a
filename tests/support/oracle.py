"""The rules' executable model (shared/model) beside the product: its values translated, its steps replayed.

The model speaks of days, short names and scopes as values; the product of instants, IRIs and collections.
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pyoxigraph as ox

from kgplatform.ledger.documents import bound_of, qualifiers_of
from kgplatform.model import AutoMerge, Candidate, Collection, Decision, Fact, KeepApart, Merge, Principal, Reading
from kgplatform.projection.graphs import graphs_of
from kgplatform.schema import Class, Relation, Schema
from kgplatform.settings.load import Settings
from kgplatform.terms import (
    KG,
    LABEL,
    PROV,
    RDF,
    SC,
    TYPE,
    XSD,
    class_node,
    entity_key,
    literal,
    text_key,
    text_parts,
)
from kgplatform.times import Bound
from kgplatform.writing.writer import Writer

NOW = "2025-11-01T00:00:00Z"
BASE = "https://kg.example/"


def load(shared: Path) -> tuple[ModuleType, ModuleType]:
    """The model's modules (incr, model)."""
    sys.path.insert(0, str(shared / "model"))
    try:
        return importlib.import_module("incr"), importlib.import_module("model")
    finally:
        sys.path.pop(0)


def schema_of(ontology: Any) -> Schema:
    classes = {SC[name]: Class(SC[name], parents=frozenset({SC[parent]} if parent else ())) for name, parent in ontology.parents.items()}
    relations = {TYPE: Relation(TYPE), LABEL: Relation(LABEL, datatype=XSD.string), SC.role: Relation(SC.role, datatype=XSD.string)}
    for name, rel in ontology.rels.items():
        literal_range = rel["ran"] == ["lit"]
        relations[SC[name]] = Relation(
            SC[name],
            domain=frozenset(SC[c] for c in rel["dom"]),
            range=frozenset() if literal_range else frozenset(SC[c] for c in rel["ran"]),
            datatype=XSD.string if literal_range else "",
            functional=bool(rel.get("functional")),
            symmetric=bool(rel.get("symmetric")),
            inverse=SC[rel["inverse_of"]] if rel.get("inverse_of") else "",
            canonical=SC[rel["inverse_of"]] if rel.get("inverse_of") else "",
        )
    return Schema(classes, relations)


# -- the model's values as the product's, and back


def bound(value: Any) -> Bound | None:
    if value is None:
        return None
    return Bound(value.kind, f"{value.at}T00:00:00Z", value.precision, f"{value.after}T00:00:00Z" if value.after else "")


def node(key: str) -> str:
    if key.startswith("lit:"):
        return literal(key[4:])
    if key.startswith("class:"):
        return class_node(SC[key[6:]])
    if key.startswith("text:"):
        document, surface, class_ = key[5:].split("|")
        return text_key(document, surface, SC[class_])
    return key


def relation(name: str) -> str:
    return {"type": TYPE, "label": LABEL}.get(name) or SC[name]


def fact(claim: Any) -> Fact:
    qualifiers = tuple((SC[name], literal(value)) for name, value in claim.quals)
    return Fact(node(claim.s), relation(claim.r), node(claim.o), bound(claim.start), bound(claim.end), qualifiers, claim.pol)


def decision(value: Any) -> Decision:
    a, b = node(value.a), node(value.b)
    if value.kind == "auto":
        return AutoMerge(a, b, value.scopes, value.score)
    return Merge(a, b, value.scopes) if value.kind == "merge" else KeepApart(a, b, value.scopes)


def reading(name: str, version: Any) -> Reading:
    claims = tuple(Candidate(fact(claim), 0, 0, "", "model") for claim in version.claims)
    return Reading(
        collection=name,
        document=name,
        path=name,
        title=name,
        text="",
        claims=claims,
        extractor="model/1",
        declared=f"{version.date}T00:00:00Z",
        content=repr(version.claims).encode(),
    )


def collection(name: str, document: Any) -> Collection:
    return Collection(name, kind=document.kind, scopes=document.scopes, trust=document.trust)


# -- the model's ground in a real data directory


def settings_of(path: Path) -> Settings:
    return Settings(path, base_iri=BASE, collections={}, now=NOW)


def blank(path: Path, audiences: list[frozenset[str]]) -> Path:
    """A data directory for these audiences, in which nothing was read yet."""
    with Writer.create(settings_of(path)) as writer:
        for number, audience in enumerate(audiences):
            if audience:
                writer.add_principal(Principal(f"p{number}", audience))
    return path


def open_writer(path: Path, schema: Schema) -> Writer:
    """A writer over a data directory, whose ontology is the given schema."""
    writer = Writer.open(settings_of(path))
    writer.projection.adopt(schema)
    return writer


class Replay:
    """Brings a writer's ground from one of the model's grounds to the next, by the writer's own acts."""

    def __init__(self, writer: Writer) -> None:
        self.writer = writer
        self.docs: dict[str, Any] = {}
        self.decisions: list[tuple[Any, int]] = []

    def to(self, ground: Any) -> None:
        for name in [n for n in self.docs if n not in ground.docs]:
            self.writer.erase(f"{name}/{name}")
            del self.docs[name]
        for name, doc in ground.docs.items():
            known = self.docs.get(name)
            if known is None or (known.kind, known.scopes, known.trust) != (doc.kind, doc.scopes, doc.trust):
                self.writer.projection.set_collections([collection(name, doc)])
            for version in doc.versions[len(known.versions) if known else 0 :]:
                self.writer.ingest([reading(name, version)])
            self.docs[name] = doc
        self._decide(list(ground.decisions))

    def _decide(self, wanted: list[Any]) -> None:
        kept = []
        for value, number in self.decisions:
            if value in wanted:
                wanted.remove(value)
                kept.append((value, number))
            else:
                self.writer.undo(number)
        self.decisions = kept + [(value, self.writer.decide(decision(value), by="test")) for value in wanted]


# -- what a projection says, in the model's words


def model_key(key: str) -> str:
    parts = text_parts(key)
    return f"text:{parts[0]}|{parts[1]}|{parts[2].rpartition('#')[2]}" if parts else key


def projected(writer: Writer, audience: frozenset[str]) -> set[tuple[Any, ...]]:
    """Direct triples, assertions, conflicts, redirects and quarantined claims that the audience's graphs hold."""
    facts, records = graphs_of(writer.projection.store, audience)
    out: set[tuple[Any, ...]] = set()
    for quad in writer.projection.store.quads(facts):
        out.add(("direct", *(term(t) for t in (quad.subject, quad.predicate, quad.object))))
    about: dict[str, dict[str, list[Any]]] = {}
    for quad in writer.projection.store.quads(records):
        about.setdefault(str(quad.subject)[1:-1], {}).setdefault(quad.predicate.value, []).append(quad.object)
    stars: dict[str, tuple[Any, ...]] = {}
    for subject, said in about.items():
        if said.get(RDF.type) == [ox.NamedNode(KG.Assertion)]:
            stars[subject] = star(said)
    for subject, said in about.items():
        if subject in stars:
            out.add(("assertion", *stars[subject]))
            for other in said.get(KG.conflictsWith, ()):
                out.add(("conflict", frozenset((stars[subject], stars[other.value]))))
            out.add(("links", stars[subject], len(said[PROV.wasDerivedFrom])))
        for canonical in said.get(KG.canonical, ()):
            out.add(("same", term(ox.NamedNode(subject)), term(canonical)))
    refused = [subject.rpartition("/")[2] for subject, said in about.items() if KG.quarantined in said]
    return out | {("quarantined", *said_by(writer, claim)) for claim in refused}


def said_by(writer: Writer, claim: str) -> tuple[str, Fact]:
    """(document, fact) of a claim id."""
    sql = (
        "SELECT d.name, c.subject, c.relation, c.object, c.valid_from, c.valid_to, c.qualifiers, c.positive FROM claim c "
        "JOIN version v ON v.id = c.version JOIN document d ON d.id = v.document WHERE c.id = ?"
    )
    row = writer.ledger.row(sql, claim)
    assert row is not None
    name, subject, predicate, value, start, end, qualifiers, positive = row
    return name, Fact(subject, predicate, value, bound_of(start), bound_of(end), qualifiers_of(qualifiers), bool(positive))


def star(said: dict[str, list[Any]]) -> tuple[Any, ...]:
    def one(name: str) -> str:
        (value,) = said[name]
        return str(value.value)

    def side(which: str) -> tuple[str, ...]:
        after = said.get(KG[f"{which}After"])
        return (one(KG[f"{which}Kind"]), one(KG[which])[:10], one(KG[f"{which}Precision"]), after[0].value[:10] if after else "")

    qualifiers = tuple((p.rpartition("#")[2], v[0].value) for p, v in sorted(said.items()) if p == SC.role)
    ends = tuple(term(said[name][0]) for name in (RDF.subject, RDF.predicate, RDF.object))
    return (*ends, qualifiers, one(KG.positive) == "true", side("start"), side("end"))


def term(value: Any) -> str:
    if isinstance(value, ox.Literal):
        return "lit:" + value.value
    iri = str(value.value)
    if iri == TYPE:
        return "type"
    if iri == LABEL:
        return "label"
    if iri.startswith(str(SC)):
        return iri.rpartition("#")[2]
    return model_key(entity_key(BASE, iri))


def expected(model: ModuleType, ontology: Any, ground: Any, audience: frozenset[str]) -> set[tuple[Any, ...]]:
    """The same, derived by the model from what the audience may see."""
    state = model.derive(ground.visible(audience), ontology, model.F, NOW[:10])
    out: set[tuple[Any, ...]] = set()

    def bare(key: str) -> str:
        return key.removeprefix("class:")

    def words(a: Any) -> tuple[Any, ...]:
        return (a.s, a.r, bare(a.o), a.quals, a.pol, tuple(a.start), tuple(a.end))

    for s, r, o in state.direct():
        out.add(("direct", s, r, bare(o)))
    for a, links in state.assertions.items():
        out.add(("assertion", *words(a)))
        out.add(("links", words(a), len({(d, c, _content(ground, d, day)) for d, c, day in links})))
    for pair in state.conflicts:
        out.add(("conflict", frozenset(words(a) for a in pair)))
    for member, canonical in state.canon.items():
        if member != canonical:
            out.add(("same", member, canonical))
    return out | {("quarantined", document, fact(claim)) for document, claim in state.quarantine}


def _content(ground: Any, document: str, day: str) -> Any:
    return next(v.claims for v in ground.docs[document].versions if v.date == day)
