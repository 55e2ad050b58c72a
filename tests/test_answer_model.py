"""Random plans over random grounds yield what plain evaluation over the assertions yields (see `answer_model`)."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace

import pytest
from support.answer_model import Asked, Model, Unclear
from support.glorps import glorp_schema, random_plan, random_world
from support.projection import BASE, ViewOfWorld, World

from kgplatform.answer.ask import run_plan
from kgplatform.errors import PlanError
from kgplatform.query.algebra import COUNT, THROUGHOUT, Aggregate, Plan, Var
from kgplatform.query.check import check
from kgplatform.query.codec import from_json, to_json
from kgplatform.query.execute import execute
from kgplatform.question.locate import located
from kgplatform.terms import entity_iri

SCHEMA = glorp_schema()
NOW = "2025-11-01T00:00:00Z"


def platform_answers(view: ViewOfWorld, plan: Plan) -> tuple[Asked, bool]:
    """What the platform finds, and whether a hop of the plan holds at the date of an event. Raises CheckFailed."""
    plan, types = located(view, plan)
    checked = check(plan, view.schema, view.principal, types=types)
    result = execute(view, checked)
    is_timed = any(isinstance(hop.at, Var) for hop in (*checked.plan.hops, *checked.plan.absences))
    if plan.aggregate and not plan.aggregate.by:
        return Asked(frozenset({("", result.total or 0)})), is_timed
    return Asked(frozenset((str(s.key[0]) if s.key else "", s.count or 0) for s in result.solutions)), is_timed


def model_answers(world: World, plan: Plan, scopes: frozenset[str]) -> Asked:
    asked = Model(world, SCHEMA, scopes=scopes, now=NOW).ask(plan)

    def node(key: str) -> str:
        return f"<{entity_iri(BASE, key)}>" if key and not key.startswith('"') else key

    return Asked(frozenset((node(key), count) for key, count in asked.answers))


def differences(seeds: range) -> tuple[list[str], Counter[str]]:
    """What differs, and how many plans were answered and refused, and of what kind they were."""
    found, seen = [], Counter[str]()
    for seed in seeds:
        randomness = random.Random(seed)
        world = random_world(randomness)
        scopes = randomness.choice([frozenset[str](), frozenset({"hidden"})])
        view = world.view(SCHEMA, scopes=scopes, valid_at=NOW)
        answered = 0
        while answered < 5:
            plan = random_plan(randomness)
            try:
                platform, is_timed = platform_answers(view, plan)
            except PlanError:
                seen["refused"] += 1
                continue
            try:
                model = model_answers(world, plan, scopes)
            except Unclear:
                found.append(f"seed {seed}: {to_json(plan)} is answered, though it is unclear")
                continue
            answered += 1
            has_answers = bool(model.answers - {("", 0)})
            seen.update({"answered": 1, "with answers": has_answers, "at the date of an event": is_timed, "both": has_answers and is_timed})
            if platform != model:
                found.append(f"seed {seed}: {to_json(plan)}\n platform {sorted(platform.answers)}\n model    {sorted(model.answers)}")
    return found, seen


def test_random_plans_yield_what_plain_evaluation_yields() -> None:
    found, seen = differences(range(12))

    assert [] == found
    assert 60 == seen["answered"] and seen["with answers"] >= 20 and seen["both"] >= 4, seen


@pytest.mark.long
def test_five_hundred_random_plans_yield_what_plain_evaluation_yields() -> None:
    found, seen = differences(range(1000, 1100))

    assert [] == found
    assert 500 == seen["answered"] and seen["with answers"] >= 170 and seen["both"] >= 30, seen


def test_a_random_plan_is_the_same_after_it_was_written_as_json() -> None:
    randomness = random.Random(5)
    for _ in range(200):
        plan = random_plan(randomness)
        assert plan == from_json(to_json(plan))


def of_none(seeds: range) -> tuple[list[str], Counter[str]]:
    """Of random counts that find none: where the platform and the model differ on whether that is known."""
    found, seen = [], Counter[str]()
    for seed in seeds:
        randomness = random.Random(seed)
        world = random_world(randomness)
        scopes = randomness.choice([frozenset[str](), frozenset({"hidden"})])
        view = world.view(SCHEMA, scopes=scopes, valid_at=NOW)
        for _ in range(30):
            plan = replace(random_plan(randomness), select=(), filters=(), absences=())
            names = sorted({end.name for hop in plan.hops for end in (hop.subject, hop.object) if isinstance(end, Var)})
            if not names or plan.time.start >= "2025" or plan.time.mode == THROUGHOUT:  # of what has not come nothing is known
                continue
            plan = replace(plan, aggregate=Aggregate(COUNT, randomness.choice(names)))
            try:
                if platform_answers(view, plan)[0] != Asked(frozenset({("", 0)})):
                    continue
                is_known = Model(world, SCHEMA, scopes=scopes, now=NOW).is_known_none(plan)
            except (PlanError, Unclear):
                continue
            made = run_plan(view, plan)
            seen[f"{is_known}"] += 1
            if is_known != (made.outcome == "answered") or (is_known and not made.sentence.startswith("0 stored: ")):
                found.append(f"seed {seed}: {to_json(plan)}\n platform {made.outcome} {made.sentence}\n model {is_known}")
    return found, seen


def test_none_is_told_where_it_is_known_and_nowhere_else() -> None:
    found, seen = of_none(range(12))

    assert [] == found
    assert seen["True"] >= 8 and seen["False"] >= 5, seen


@pytest.mark.long
def test_of_many_random_counts_of_none_none_is_told_where_it_is_known_and_nowhere_else() -> None:
    found, seen = of_none(range(2000, 2080))

    assert [] == found
    assert seen["True"] >= 50 and seen["False"] >= 50, seen
