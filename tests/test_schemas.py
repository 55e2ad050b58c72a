"""The JSON Schemas of settings, mapping files and plans: they are those of the readers, and take what the readers take."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from support.schemas import FOLDER, FORMS, written

jsonschema = pytest.importorskip(
    "jsonschema", reason="jsonschema, which openapi-spec-validator of the extra `test` needs, is not installed"
)


def faults(name: str, value: Any) -> list[str]:
    schema = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    return [error.message for error in jsonschema.Draft202012Validator(schema).iter_errors(value)]


@pytest.mark.parametrize("name", FORMS)
def test_the_schemas_of_the_documentation_are_those_of_the_forms(name: str) -> None:
    assert written(name) == (FOLDER / f"{name}.json").read_text(encoding="utf-8"), "`make schemas` writes them anew"


def test_the_settings_that_are_laid_into_a_directory_fit_their_schema(repo: Path) -> None:
    text = (repo / "kgplatform.example.toml").read_text(encoding="utf-8")
    commented = "\n".join(line[2:] for line in text.splitlines() if line.startswith("# ") and " = " in line)

    assert [] == faults("settings", tomllib.loads(text)) + faults("settings", tomllib.loads(commented))


def test_the_mappings_of_the_documentation_fit_their_schema(repo: Path) -> None:
    blocks = re.findall(r"^```toml\n(.*?)^```", (repo / "docs" / "mappings.md").read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)

    assert [] == [fault for block in blocks for fault in faults("mapping", tomllib.loads(block))]


def test_the_golden_plans_fit_their_schema(repo: Path) -> None:
    plans = [json.loads(path.read_text(encoding="utf-8"))["plan"] for path in sorted((repo / "tests/golden/plans").glob("*.json"))]

    assert len(plans) > 20
    assert [] == [fault for plan in plans for fault in faults("plan", plan)]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("settings", {"base_irl": "https://x.example/"}),
        ("settings", {"collections": {"memos": {"kind": "snapshots"}}}),
        ("settings", {"max_file_bytes": 0}),
        ("mapping", {"subject": {"scheme": "person"}}),
        ("mapping", {"facts": [{"relation": "sc:tag", "colour": "red"}]}),
        ("plan", {"select": ["a b"]}),
        ("plan", {"hops": [{"subject": {"var": "x", "entity": "a:y"}, "relation": "sc:tag", "object": {"var": "y"}}]}),
    ],
)
def test_what_a_reader_refuses_does_not_fit(name: str, value: Any) -> None:
    assert [] != faults(name, value)
