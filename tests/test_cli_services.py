"""Real catalogues through the command line: the figures add up, and answers equal what the files say, counted by hand."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError
from support.commandline import Said, done

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def first(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Said]:
    """A data directory that holds all of the real catalogues, and what the ingest said."""
    data = tmp_path_factory.mktemp("services") / "kgdata"
    done("init", "--data", data)
    return data, done("ingest", shared / "data/services", "--data", data, "--json")


def entities(shared: Path) -> Iterator[dict[str, Any]]:
    """Every Backstage entity in the YAML files, by another reader than the platform's."""
    for path in sorted((shared / "data/services").rglob("*.y*ml")):
        try:
            found = list(YAML(typ="safe", pure=True).load_all(path.read_text(encoding="utf-8")))
        except YAMLError:
            continue
        yield from (each for each in found if isinstance(each, dict) and str(each.get("apiVersion", "")).startswith("backstage.io/"))


def test_nothing_crashes_and_the_figures_add_up(first: tuple[Path, Said]) -> None:
    summary = first[1].json

    assert summary["documents_read"] == summary["documents_new"] > 30
    assert summary["claims_read"] == summary["claims_new"] + summary["claims_unchanged"]
    assert summary["claims_new"] == summary["accepted"] + summary["quarantined"]
    assert summary["quarantined"] == sum(summary["reasons"].values())
    assert summary["accepted"] > 1000


def test_ingested_again_nothing_is_new(first: tuple[Path, Said], shared: Path) -> None:
    again = done("ingest", shared / "data/services", "--data", first[0], "--json").json

    assert (0, 0, first[1].json["claims_read"]) == (again["claims_new"], again["documents_new"], again["claims_unchanged"])


def test_checkoutservice_depends_on_exactly_its_six_services(first: tuple[Path, Said]) -> None:
    answer = done("ask", "Which services does checkoutservice depend on?", "--data", first[0], "--json").json

    expected = sorted(f"{name}service" for name in ("productcatalog", "shipping", "payment", "email", "currency", "cart"))
    assert ("answered", expected) == (answer["outcome"], sorted(row["label"] for row in answer["answers"]))


def test_a_team_owns_as_many_components_as_the_files_say(first: tuple[Path, Said], shared: Path) -> None:
    owned = {
        (each["metadata"].get("namespace", "default"), each["metadata"]["name"].lower())
        for each in entities(shared)
        if each.get("kind") == "Component" and str(each["spec"].get("owner", "")).rpartition(":")[2].rpartition("/")[2] == "team-bumblebee"
    }

    answer = done("ask", "How many components does team-bumblebee own?", "--data", first[0], "--json").json

    assert owned
    assert ("answered", [str(len(owned))]) == (answer["outcome"], [str(row["value"]) for row in answer["answers"]])
