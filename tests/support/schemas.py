"""The JSON Schemas in docs/schemas: `make schemas` writes them, out of the forms by which files are read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

from kgplatform.forms.schemas import json_schema
from kgplatform.ingest.mapping_tables import MappingFile
from kgplatform.query.plan_form import PlanForm
from kgplatform.settings.tables import SettingsFile

FOLDER: Final = Path(__file__).resolve().parents[2] / "docs" / "schemas"
FORMS: Final = {"settings": SettingsFile, "mapping": MappingFile, "plan": PlanForm}


def written(name: str) -> str:
    """The text of docs/schemas/NAME.json."""
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", **json_schema(FORMS[name])}
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name in FORMS:
        (FOLDER / f"{name}.json").write_text(written(name), encoding="utf-8")
