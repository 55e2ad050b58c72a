"""Golden files of the planner and the compiler: one question each, its plan as JSON and its SPARQL.

`python tests/goldens.py` writes them anew; look at the difference before you keep it.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

from kgplatform.packs.folders import ontology_text
from kgplatform.query.check import check
from kgplatform.query.codec import to_json
from kgplatform.query.compile import compile_plan
from kgplatform.query.entity_names import types_of
from kgplatform.query.expansion import entities_of
from kgplatform.question.planner import Planned, plan_question
from kgplatform.schema import Schema, load_schema
from support.projection import ViewOfWorld
from support.sampleworld import sample_world

PLANS: Final = Path(__file__).parent.parent / "golden" / "plans"
SPARQL: Final = Path(__file__).parent.parent / "golden" / "sparql"

QUESTIONS: Final = {
    "multi-hop": "Which on-call rotation owns the tax dependency of Checkout?",
    "subject": "What depends on Tax?",
    "object": "What does Tax depend on?",
    "since-when": "Who owns Tax, and since when?",
    "during": "Who owned Tax in June 2023?",
    "at": "Who owned Tax on 2024-03-15?",
    "since": "Who has owned Tax since 2024?",
    "before-date": "Who owned Tax before March 2024?",
    "after-date": "Who owned Tax after 2023?",
    "between": "Who owned Tax between January and March 2024?",
    "throughout": "Who owned Tax throughout 2023?",
    "former-name": "Who owned Levy in July 2022?",
    "who-before": "Who owned Tax before Platform?",
    "until-when": "Until when did Commerce own Tax?",
    "containment": "In which country was Jack's spouse born?",
    "possessive": "Which nationality has Jack's spouse?",
    "event-count": "How many Tax incidents in 2025?",
    "count": "How many components does Commerce own?",
    "most": "Which team owns the most components?",
    "latest": "What is the latest Tax incident?",
    "without": "Which components have no owner?",
    "not": "Which components do not depend on Tax?",
    "yes-no": "Does Checkout depend on Tax?",
    "is-a": "Is Tax a component?",
    "value": "Which components are deprecated?",
    "comparison": "How many incidents with severity high affected Tax?",
    "relative": "Which teams own components that depend on Tax?",
    "passive": "Which components are owned by Web?",
    "implied-owner": "Who is on call for Tax?",
    "symmetric": "Who is a colleague of Amit?",
    "subproperty": "Who is affiliated with Platform?",
    "class-only": "How many components are there?",
}


def schema() -> Schema:
    return load_schema(ontology_text(("service-catalog",)))


def view() -> ViewOfWorld:
    return sample_world().view(schema())


def plan_text(view: ViewOfWorld, question: str) -> str:
    planned = plan_question(view, question)
    assert isinstance(planned, Planned), planned
    return json.dumps({"plan": to_json(planned.plan), "notes": list(planned.notes)}, indent=1, ensure_ascii=False) + "\n"


def sparql_text(view: ViewOfWorld, question: str) -> str:
    planned = plan_question(view, question)
    assert isinstance(planned, Planned), planned
    types = types_of(view, [iri for iri in entities_of(planned.plan) if iri not in view.schema.classes])
    return compile_plan(check(planned.plan, view.schema, view.principal, types=types), at=view.valid_at).query.text + "\n"


if __name__ == "__main__":
    seen = view()
    for folder in (PLANS, SPARQL):
        folder.mkdir(parents=True, exist_ok=True)
    for name, question in QUESTIONS.items():
        (PLANS / f"{name}.json").write_text(plan_text(seen, question), encoding="utf-8")
        (SPARQL / f"{name}.rq").write_text(f"# {question}\n{sparql_text(seen, question)}", encoding="utf-8")
