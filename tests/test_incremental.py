"""The promise behind every kind of change: kept up incrementally equals derived from scratch (hypothesis)."""

from __future__ import annotations

import shutil
import tempfile
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st
from support.counts import cases

from kgplatform.derive.derivation import derive
from kgplatform.errors import UnknownName
from kgplatform.ledger import decisions as decided
from kgplatform.ledger.claims import EVERY, fact_hash, facts_of
from kgplatform.ledger.names import follow_names
from kgplatform.ledger.sources import sources
from kgplatform.model import AutoMerge, Candidate, Collection, Decision, Fact, KeepApart, Merge, Principal, Reading
from kgplatform.model import Reject as RejectDecision
from kgplatform.projection.graphs import AUDIENCES, quads_of
from kgplatform.projection.ground import whole
from kgplatform.schema import Class, Relation, Schema
from kgplatform.settings.load import Settings
from kgplatform.terms import ALT_LABEL, EXPECTED_TYPE, LABEL, SC, TYPE, XSD, class_node, literal, text_key
from kgplatform.times import OPEN_END, Bound, parse_stated
from kgplatform.writing.writer import Writer

COMPONENT, TEAM, PERSON = SC.Component, SC.Team, SC.Person
SCOPES = [frozenset[str](), frozenset({"finance"}), frozenset({"hr"}), frozenset({"finance", "hr"})]
DOCUMENTS = ["a", "b", "c"]
KEYS = {
    COMPONENT: ["component:x", "component:y", "asset:x", text_key("a", "X", COMPONENT), text_key("b", "X", COMPONENT)],
    TEAM: ["team:t", "team:u", text_key("a", "T", TEAM)],
    PERSON: ["person:p", "person:q"],
}
FILES = ["", "/one/file", "/two/file"]
DAYS = ["2022-01-10", "2023-03-05", "2024-02-01", "2025-03-03", "2025-09-09"]
CLOCK = ["2025-11-01T00:00:00Z", "2026-02-01T00:00:00Z", "2026-07-01T00:00:00Z"]


def schema(range_of_owner: frozenset[str], *, title_below: frozenset[str] = frozenset()) -> Schema:
    classes = {SC.Thing: Class(SC.Thing)} | {c: Class(c, parents=frozenset({SC.Thing})) for c in (COMPONENT, TEAM, PERSON)}
    text = Relation("", datatype=XSD.string)
    relations = [
        Relation(TYPE),
        replace(text, iri=LABEL),
        replace(text, iri=ALT_LABEL),
        replace(text, iri=SC.title, parents=title_below),
        Relation(SC.depends_on, domain=frozenset({COMPONENT}), range=frozenset({COMPONENT})),
        Relation(SC.owned_by, domain=frozenset({COMPONENT}), range=range_of_owner, functional=True),
        Relation(SC.owns, domain=range_of_owner, range=frozenset({COMPONENT}), inverse=SC.owned_by, canonical=SC.owned_by),
        Relation(SC.spouse, domain=frozenset({PERSON}), range=frozenset({PERSON}), symmetric=True, functional=True),
        Relation(SC.knows, domain=frozenset({PERSON}), range=frozenset({PERSON}), symmetric=True),
    ]
    return Schema(classes, {relation.iri: relation for relation in relations})


WIDE, NARROW = schema(frozenset({TEAM, PERSON}), title_below=frozenset({LABEL})), schema(frozenset({TEAM}))
"""Two releases: in the wider one, titles are names."""


# -- what happens


@dataclass(frozen=True)
class Ingest:
    document: str
    facts: tuple[Fact, ...]
    declared: str
    complete: bool
    extractor: str
    scopes: frozenset[str]
    file: str


@dataclass(frozen=True)
class Again:
    """Re-ingest what was read before, `back` readings ago: 0 changes nothing, more is a revert."""

    back: int
    declared: str


@dataclass(frozen=True)
class Erase:
    document: str


@dataclass(frozen=True)
class Decide:
    decision: Decision


@dataclass(frozen=True)
class Undo:
    which: int


@dataclass(frozen=True)
class Reject:
    """A claim of what the document says now, or (`which` None) all of it."""

    document: str
    which: int | None


@dataclass(frozen=True)
class Rescope:
    document: str
    scopes: frozenset[str]
    kind: str


@dataclass(frozen=True)
class Release:
    wide: bool


@dataclass(frozen=True)
class Pass:
    """Time passes, or the clock is set back."""

    now: str


@dataclass(frozen=True)
class Withdraw:
    """The file of a document is gone."""

    document: str


@dataclass(frozen=True)
class Rename:
    """What was read last is read from another file."""

    file: str


Step = Ingest | Again | Withdraw | Rename | Erase | Decide | Undo | Reject | Rescope | Release | Pass

bounds = st.one_of(
    st.none(),
    st.sampled_from(["2022", "2022-06", "2022-06-10", "2023-03", "2024-01-01", "2025-12-01", "2026-03"]).map(parse_stated),
)


@st.composite
def facts(draw: st.DrawFn) -> Fact:
    kind = draw(
        st.sampled_from(["type", "type", "label", "owner", "owner", "owns", "depends", "spouse", "knows", "expected", "wrong", "misplaced"])
    )
    class_ = draw(st.sampled_from([COMPONENT, TEAM, PERSON]))
    component, other = draw(st.sampled_from(KEYS[COMPONENT])), draw(st.sampled_from(KEYS[COMPONENT]))
    owner = draw(st.sampled_from([*KEYS[TEAM], "person:p"]))
    start: Bound | None = draw(bounds)
    end: Bound | None = draw(st.one_of(bounds, st.just(OPEN_END)))
    positive = draw(st.sampled_from([True, True, True, False]))
    person, partner = draw(st.sampled_from(KEYS[PERSON])), draw(st.sampled_from([*KEYS[PERSON], "person:r"]))
    match kind:
        case "type" | "expected":
            return Fact(draw(st.sampled_from(KEYS[class_])), TYPE if kind == "type" else EXPECTED_TYPE, class_node(class_))
        case "label":
            relation = draw(st.sampled_from([LABEL, ALT_LABEL, SC.title]))
            return Fact(draw(st.sampled_from(KEYS[class_])), relation, literal(draw(st.sampled_from("XTP"))), start, None)
        case "owner":
            qualifiers = ((SC.role, literal("lead")),) if draw(st.integers(0, 9)) == 0 else ()
            return Fact(component, SC.owned_by, owner, start, end, qualifiers, positive)
        case "owns":
            return Fact(owner, SC.owns, component, start, end)
        case "depends":
            return Fact(component, SC.depends_on, other, start, None, (), positive)
        case "spouse":
            return Fact(person, SC.spouse, partner, start, end)
        case "knows":
            return Fact(person, SC.knows, partner)
        case "misplaced":
            return Fact(owner, SC.owns, draw(st.sampled_from([literal("X"), class_node(COMPONENT)])))
        case _:
            return Fact(owner, SC.unknown, component)


ingests = st.builds(
    Ingest,
    st.sampled_from(DOCUMENTS),
    st.lists(facts(), max_size=7).map(tuple),
    st.sampled_from(["", *(f"{day}T00:00:00Z" for day in [*DAYS, "2025-12-24"])]),
    st.sampled_from([True, True, True, False]),
    st.sampled_from(["one/1", "one/1", "one/2"]),
    st.sampled_from([SCOPES[0], SCOPES[0], SCOPES[0], SCOPES[1]]),
    st.sampled_from(FILES),
)
pairs = st.lists(st.sampled_from(KEYS[COMPONENT] + KEYS[TEAM]), min_size=2, max_size=2, unique=True)
decisions: st.SearchStrategy[Decision] = st.builds(
    lambda decide, pair, scopes: decide(pair[0], pair[1], scopes),
    st.sampled_from([*(Merge,) * 4, *(KeepApart,) * 2, partial(AutoMerge, score=0.8), partial(AutoMerge, score=0.9)]),
    pairs,
    st.sampled_from(SCOPES),
)
steps = st.one_of(
    ingests,
    ingests,
    ingests,
    st.builds(Again, st.integers(0, 2), st.sampled_from(["", "2025-09-09T00:00:00Z", "2025-10-10T00:00:00Z"])),
    st.builds(Withdraw, st.sampled_from(DOCUMENTS)),
    st.builds(Rename, st.sampled_from(FILES)),
    st.builds(Erase, st.sampled_from(DOCUMENTS)),
    st.builds(Decide, decisions),
    st.builds(Undo, st.integers(0, 3)),
    st.builds(Reject, st.sampled_from(DOCUMENTS), st.sampled_from([None, 0, 1, 2])),
    st.builds(Rescope, st.sampled_from(DOCUMENTS), st.sampled_from(SCOPES), st.sampled_from(["snapshot", "statement"])),
    st.builds(Release, st.booleans()),
    st.builds(Pass, st.sampled_from(CLOCK)),
)


# -- doing it


@pytest.fixture(scope="module")
def blank(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data directory with principals and collections, in which nothing was read yet."""
    folder = tmp_path_factory.mktemp("incremental") / "blank"
    with Writer.create(Settings(folder, collections={}, now=CLOCK[0])) as writer:
        for number, scopes in enumerate(SCOPES[1:]):
            writer.add_principal(Principal(f"p{number}", scopes))
        writer.projection.set_collections([Collection(d, "snapshot" if d == "a" else "statement", trust="reviewed") for d in DOCUMENTS])
    return folder


class World:
    """A writer over a copy of the blank data directory, and what happened to it."""

    def __init__(self, blank: Path, folder: Path) -> None:
        self.settings = Settings(shutil.copytree(blank, folder), collections={}, now=CLOCK[0])
        self.writer = Writer.open(self.settings)
        self.use(NARROW)
        self.read: list[Reading] = []

    def use(self, ontology: Schema) -> None:
        self.writer.projection.adopt(ontology)
        with self.writer.ledger.transaction():
            follow_names(self.writer.ledger, ontology.name_properties)
        self.writer.projection.rebuild()

    def do(self, step: Step) -> None:
        match step:
            case Ingest(document, said, declared, complete, extractor, scopes, file):
                claims = tuple(Candidate(fact, 0, 0, "", extractor) for fact in said)
                content = repr(said).encode()
                reading = Reading(
                    document, document, document, document, "", claims, extractor, False, declared, scopes, (), complete, (), content
                )
                self.read.append(replace(reading, root=file and "/", file=file))
                self.writer.ingest(self.read[-1:])
            case Again(back, declared) if len(self.read) > back:
                self.writer.ingest([replace(self.read[-1 - back], declared=declared)])
            case Withdraw(document):
                self.writer.withdraw([each for each in sources(self.writer.ledger, None) if each.document == document])
            case Rename(file) if self.read:
                self.writer.ingest([replace(self.read[-1], root=file and "/", file=file)])
            case Erase(document):
                try:
                    self.writer.erase(f"{document}/{document}")
                except UnknownName:
                    pass
            case Decide(decision):
                self.writer.decide(decision, by="test")
            case Undo(which):
                rows = decided.in_force(self.writer.ledger)
                if which < len(rows):
                    self.writer.undo(rows[which].id)
            case Reject(document, which):
                try:
                    known, full = self.writer.find_document(f"{document}/{document}")
                except UnknownName:
                    return
                all_said = sorted(facts_of(self.writer.ledger, [known]), key=repr)
                if which is None or which < len(all_said):
                    cited = EVERY if which is None else fact_hash(all_said[which])
                    self.writer.decide(RejectDecision(full, cited), by="test", reason="wrong")
            case Rescope(document, scopes, kind):
                self.writer.projection.set_collections([Collection(document, kind, scopes, trust="reviewed")])
            case Release(wide):
                self.use(WIDE if wide else NARROW)
            case Pass(now):
                self.writer.projection.settings = replace(self.writer.settings, now=now)

    def differences(self) -> tuple[set[str], set[str]]:
        """(quads that only the kept-up projection has, quads that only the one from scratch has)."""
        now = self.writer.projection.present()
        store = self.writer.projection.store
        kept = {str(quad) for quad in store.quads(name for name in store.graph_names() if name != AUDIENCES)}
        derived = quads_of(derive(whole(self.writer.ledger), self.writer.projection.rules(now)).units())
        scratch = {str(quad) for quad in derived if AUDIENCES not in str(quad.graph_name)}
        return kept - scratch, scratch - kept


def holds_over(sequence: list[Step], blank: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:
        world = World(blank, Path(folder) / "kg")
        try:
            for step in sequence:
                world.do(step)
                assert (set(), set()) == world.differences(), step
        finally:
            world.writer.close()


@given(st.lists(steps, min_size=3, max_size=10))
@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
def test_a_projection_kept_up_equals_one_derived_from_scratch(blank: Path, sequence: list[Step]) -> None:
    holds_over(sequence, blank)


@pytest.mark.full
@pytest.mark.long
@pytest.mark.timeout(2400)
@pytest.mark.parametrize("quarter", range(4))
def test_many_sequences_equal_their_derivation_from_scratch(blank: Path, quarter: int) -> None:
    @seed(quarter)
    @given(st.lists(steps, min_size=4, max_size=12))
    @settings(max_examples=cases(500, part=150), deadline=None, database=None, derandomize=False, suppress_health_check=list(HealthCheck))
    def a_sequence(sequence: list[Step]) -> None:
        holds_over(sequence, blank)

    a_sequence()
