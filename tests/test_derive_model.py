"""The derivation agrees with the executable model of the rules, kept up incrementally, for every audience."""

from __future__ import annotations

import random
import shutil
from pathlib import Path
from typing import Any

import pytest
from support import oracle


def replayed(shared: Path, folder: Path, seeds: range) -> list[str]:
    """Differences between projection and model over random steps of the model's own generator."""
    incr, model = oracle.load(shared)
    schema = oracle.schema_of(incr.O)
    found = []
    nothing = oracle.blank(folder / "blank", incr.AUD)
    for seed in seeds:
        randomness, ground = random.Random(seed), model.Ground()
        with oracle.open_writer(shutil.copytree(nothing, folder / str(seed)), schema) as writer:
            replay = oracle.Replay(writer)
            for step in range(8):
                ground = incr.step(randomness, ground)
                replay.to(ground)
                for audience in incr.AUD:
                    difference = oracle.projected(writer, audience) ^ oracle.expected(model, incr.O, ground, audience)
                    if difference:
                        found.append(f"seed {seed} step {step} audience {sorted(audience)}: {sorted(map(repr, difference))[:3]}")
    return found


def test_the_projection_kept_up_step_by_step_says_what_the_model_derives(shared: Path, tmp_path: Path) -> None:
    assert [] == replayed(shared, tmp_path, range(6))


@pytest.mark.long
@pytest.mark.parametrize("block", range(8))
def test_the_projection_agrees_with_the_model_on_many_grounds(shared: Path, tmp_path: Path, block: int) -> None:
    assert [] == replayed(shared, tmp_path, range(1000 + block * 50, 1050 + block * 50))


def test_the_model_notices_a_rule_that_is_broken(shared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def never_closed(*_: Any) -> dict[int, Any]:
        return {}

    monkeypatch.setattr("kgplatform.derive.cells.close", never_closed)

    assert replayed(shared, tmp_path, range(6, 10))
