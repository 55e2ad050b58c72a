"""The wheel holds everything that a user needs: built, installed in an empty environment, it runs outside the checkout."""

from __future__ import annotations

import os
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

pytestmark = [pytest.mark.long, pytest.mark.timeout(900)]


def ran(*command: str | Path, cwd: Path) -> str:
    outside = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "VIRTUAL_ENV") and not k.startswith("KGPLATFORM_")}
    done = subprocess.run([str(c) for c in command], cwd=cwd, env=outside, capture_output=True, text=True, timeout=850, check=False)
    assert 0 == done.returncode, f"{command}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}"
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    repo = Path(__file__).resolve().parent.parent
    ran(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder, repo, cwd=repo)
    return next(folder.glob("*.whl"))


def test_the_wheel_holds_the_packs_and_the_sample_world(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()

    for wanted in ("ontology/core.ttl", "shapes/core.ttl", "sample_data/kgplatform.toml", "kgplatform.example.toml"):
        assert f"kgplatform/_packs/{wanted}" in names
    assert {
        "kgplatform/web/__init__.py",
        "kgplatform/web/templates/base.html",
        "kgplatform/web/static/style.css",
        "kgplatform/py.typed",
    } <= set(names)


def test_the_wheel_puts_one_name_at_top_level(wheel: Path) -> None:
    tops = {name.partition("/")[0] for name in zipfile.ZipFile(wheel).namelist()}

    assert {"kgplatform"} == {top for top in tops if not top.endswith(".dist-info")}


def test_the_installed_wheel_runs_the_demo_outside_the_checkout(wheel: Path, repo: Path, tmp_path: Path) -> None:
    venv.create(tmp_path / "venv", with_pip=True)
    python = tmp_path / "venv/bin/python"
    ran(python, "-m", "pip", "install", "--quiet", "-c", repo / "constraints.txt", wheel, cwd=tmp_path)

    said = ran(tmp_path / "venv/bin/kgplatform", "demo", cwd=tmp_path)

    assert str(repo) not in ran(python, "-c", "import kgplatform; print(kgplatform.__file__)", cwd=tmp_path)
    assert "R7" in said and "evidence:" in said
