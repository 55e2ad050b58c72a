"""The structured part of sample_data says what the model's world says (SAMPLE-WORLD, fixed)."""

from __future__ import annotations

import importlib
import re
import sys
from pathlib import Path
from types import ModuleType

import pytest
from support.ingesting import assert_quotes, schema

from kgplatform.ingest.files import read_paths
from kgplatform.model import PASSED_OVER, Reading
from kgplatform.packs.folders import sample_data
from kgplatform.settings.load import Settings, load_settings
from kgplatform.terms import EXPECTED_TYPE, LABEL, PP, SC, TYPE, UNMAPPED, XSD, class_node, literal

Triple = tuple[str, str, str]

# a document of the model's world -> where it stands in sample_data
DOCUMENTS = {
    "catalog.yaml": "catalogue/catalog.yaml",
    "people.csv": "people/people.csv",
    "incidents.csv": "incidents/incidents.csv",
    "q2.json": "incidents/q2.json",
    "finance/incidents.csv": "finance-records/incidents.csv",
}


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    return load_settings(tmp_path_factory.mktemp("data"), config=sample_data() / "kgplatform.toml")


@pytest.fixture(scope="module")
def readings(settings: Settings) -> list[Reading]:
    found = list(read_paths([sample_data()], settings=settings, schema=schema()))
    assert set() == {item.reason for item in found if not isinstance(item, Reading)} - PASSED_OVER
    return [item for item in found if isinstance(item, Reading)]


@pytest.fixture(scope="module")
def world(shared: Path) -> ModuleType:
    sys.path.insert(0, str(shared / "model"))
    try:
        return importlib.import_module("world")
    finally:
        sys.path.pop(0)


def version(readings: list[Reading], document: str, date: str) -> set[Triple]:
    (reading,) = [r for r in readings if f"{r.collection}/{r.document}" == document and r.declared[:10] == date]
    return {(c.fact.subject, c.fact.relation, c.fact.object) for c in reading.claims}


def as_here(subject: str, relation: str, object_: str) -> Triple:
    """A claim of the model in this vocabulary."""

    def key(node: str) -> str:
        node = re.sub(r"^incident:", "incident:INC-", node)
        return re.sub(r"^place:(.*)", lambda m: f"city:{m[1].lower()}", node)

    if relation == "type":
        name = object_.removeprefix("class:")
        return key(subject), TYPE, class_node(PP.City if name == "Place" else PP[name] if name == "Person" else SC[name])
    if relation == "label":
        return key(subject), LABEL, literal(object_.removeprefix("lit:"))
    if relation == "occurred_on":
        return key(subject), SC.occurred_on, literal(object_.removeprefix("lit:"), XSD.date)
    space = PP if relation in ("works_for", "located_in") else SC
    return key(subject), space[relation], key(object_)


def test_every_structured_document_says_what_the_model_says(readings: list[Reading], world: ModuleType) -> None:
    ground = world.world(True)
    compared = 0
    for name, document in DOCUMENTS.items():
        for said in ground.docs[name].versions:
            wanted = {as_here(c.s, c.r, c.o) for c in said.claims}
            assert wanted <= version(readings, document, said.date[:10])
            compared += len(wanted)
    assert compared > 100


def test_the_relations_of_the_model_are_complete_in_the_files(readings: list[Reading], world: ModuleType) -> None:
    """Nothing more is owned, depended on, on call or an incident than the model knows."""
    ground = world.world(True)
    for name, document in DOCUMENTS.items():
        for said in ground.docs[name].versions:
            wanted = {as_here(c.s, c.r, c.o) for c in said.claims}
            for relation in (SC.owned_by, SC.depends_on, SC.on_call, SC.affects, SC.occurred_on):
                here = {t for t in version(readings, document, said.date[:10]) if t[1] == relation}
                assert here == {t for t in wanted if t[1] == relation}


def test_the_catalogue_has_two_versions_that_differ_in_one_owner(readings: list[Reading]) -> None:
    first, second = (version(readings, "catalogue/catalog.yaml", date) for date in ("2023-09-10", "2024-04-02"))

    assert {("component:tax", SC.owned_by, "team:commerce")} == first - second
    assert {("component:tax", SC.owned_by, "team:platform")} == second - first


def test_the_bad_imports_are_statements_for_the_gate(readings: list[Reading]) -> None:
    assert {
        ("component:tax", SC.owns, "team:platform"),
        ("rotation:r7", SC.depends_on, "person:jack"),
    } == version(readings, "imports/bad.csv", "2025-09-30")
    assert {
        ("rotation:r9", TYPE, class_node(SC.Rotation)),
        ("rotation:r9", SC.on_call_for, "component:ledgerd"),
        ("rotation:r9", SC.on_call_for, "component:mailer"),
        ("rotation:r9", SC.on_call_for, "component:search"),
    } == version(readings, "imports/rotations.csv", "2025-09-30")


def test_five_public_tax_incidents_are_of_2025_and_one_more_is_finances(readings: list[Reading], settings: Settings) -> None:
    public: set[str] = set()
    hidden: set[str] = set()
    for reading in readings:
        if not reading.is_text:
            years = {c.fact.subject for c in reading.claims if c.fact.relation == SC.occurred_on and c.fact.object[1:5] == "2025"}
            (hidden if settings.collection(reading.collection).scopes else public).update(years)

    assert {f"incident:INC-{n}" for n in (101, 102, 103, 104, 105)} == public
    assert {"incident:INC-109"} == hidden


def test_what_is_finances_alone_is_scoped(settings: Settings) -> None:
    assert {"finance", "finance-records"} == {name for name, c in settings.collections.items() if c.scopes}


def test_every_file_is_read_whole_and_quotes_its_text(readings: list[Reading]) -> None:
    for reading in readings:
        assert reading.complete and not reading.problems
        assert_quotes(reading)


def test_no_date_is_after_2025(readings: list[Reading]) -> None:
    for reading in readings:
        years = {int(year) for year in re.findall(r"\b(20\d\d)-\d\d", reading.text)}
        assert all(year <= 2025 for year in years)
        assert reading.declared < "2026"


def test_mapped_relations_are_declared(readings: list[Reading]) -> None:
    for reading in readings:
        for claim in reading.claims:
            relation = claim.fact.relation
            assert relation in schema().relations or relation == EXPECTED_TYPE or relation.startswith(str(UNMAPPED))
