"""`make catalogues`: what a plain scan of Backstage files finds, and that the product answers it, on catalogues made by hypothesis."""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from support.cataloguing import catalogues

REPO = Path(__file__).parent.parent
sys.path.insert(0, str(REPO / "benchmarks"))

from catalogue_scan import Name, Statement, scanned
from catalogues import Measured, as_json, measured, run, told

FIXTURES = Path(__file__).parent / "fixtures" / "catalogues"
FLOOR = 0.95


def measure(files: dict[str, str]) -> Measured:
    with tempfile.TemporaryDirectory() as scratch:
        for path, text in files.items():
            target = Path(scratch) / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text)
        return measured(Path(scratch), questions=10)


def assert_answered(files: dict[str, str]) -> None:
    found = measure(files)

    assert {} == {str(statement): reason for statement, reason in found.missed.items()}
    assert [] == [asked for asked in found.questions if not asked[2]]


def test_a_plain_scan_finds_owners_and_relations(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text((FIXTURES / "free-types.yaml").read_text())
    squad, ledger, core = Name("group", "default", "squad"), Name("component", "default", "ledger"), Name("group", "payments", "core")

    found = scanned(tmp_path).statements

    assert Statement(Name("component", "default", "pay"), "owned_by", Name("user", "default", "jane")) in found
    assert Statement(Name("component", "default", "pay"), "depends_on", Name("resource", "default", "db")) in found
    assert Statement(squad, "subgroup_of", Name("group", "default", "tribe")) in found
    assert Statement(Name("user", "default", "jane"), "member_of", core) in found
    assert Statement(ledger, "owned_by", squad) in found
    assert 11 == len(found)


def test_all_of_a_catalogue_of_free_types_is_answered() -> None:
    assert_answered({"a.yaml": (FIXTURES / "free-types.yaml").read_text()})


@settings(max_examples=3, deadline=None, suppress_health_check=list(HealthCheck), phases=[Phase.explicit, Phase.reuse, Phase.generate])
@given(catalogues())
def test_what_a_plain_scan_finds_of_any_catalogue_is_answered(files: dict[str, str]) -> None:
    assert_answered(files)


@pytest.mark.long
@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck), phases=[Phase.explicit, Phase.reuse, Phase.generate])
@given(catalogues())
def test_what_a_plain_scan_finds_of_many_catalogues_is_answered(files: dict[str, str]) -> None:
    assert_answered(files)


def test_a_miss_is_told_with_its_reason(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = "apiVersion: backstage.io/v1alpha1\nkind: Component\nmetadata: {name: a}\nspec: {owner: 'component:b', dependsOn: [c]}\n"
    (tmp_path / "a.yaml").write_text(text)

    assert 0 == run([str(tmp_path), "--json"])
    found = json.loads(capsys.readouterr().out)
    assert (0.5, 0.0) == (found["share"], found["owners"])
    ((missed),) = found["missed"]
    assert ("component:default/a", "owned_by", "component:default/b") == (missed["subject"], missed["relation"], missed["object"])
    assert "sc:owned_by wants group or person as its object, not component" in missed["reason"]
    assert ["wrong-object-type sc:owned_by"] == list(found["quarantined"])


@pytest.mark.long
def test_of_the_public_catalogues_95_percent_are_answered(shared: Path) -> None:
    found = measured(shared / "data" / "services")

    assert FLOOR <= found.share()
    assert FLOOR <= found.share("owned_by")
    assert FLOOR <= sum(ok for *_, ok in found.questions) / len(found.questions)
    assert as_json(found)["share"] == round(found.share(), 4) and told(found)
