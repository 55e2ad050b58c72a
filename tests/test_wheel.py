"""The wheel holds everything that a user needs: built, installed in an empty environment, it runs outside the checkout."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import venv
import zipfile
from pathlib import Path
from typing import Final

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


@pytest.fixture(scope="module")
def environment(wheel: Path, repo: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A fresh environment with the wheel alone."""
    folder = tmp_path_factory.mktemp("fresh") / "venv"
    venv.create(folder, with_pip=True)
    ran(folder / "bin/python", "-m", "pip", "install", "--quiet", "-c", repo / "constraints.txt", wheel, cwd=folder)
    return folder


def test_the_installed_wheel_runs_the_demo_outside_the_checkout(environment: Path, repo: Path, tmp_path: Path) -> None:
    said = ran(environment / "bin/kgplatform", "demo", cwd=tmp_path)

    assert str(repo) not in ran(environment / "bin/python", "-c", "import kgplatform; print(kgplatform.__file__)", cwd=tmp_path)
    assert "R7" in said and "evidence:" in said


TAX: Final = """apiVersion: backstage.io/v1alpha1
kind: Component
metadata: {name: tax}
spec: {type: service, lifecycle: production, owner: web}
"""


def test_an_outside_package_adds_one_of_each_kind(environment: Path, repo: Path, tmp_path: Path) -> None:
    """Each changes what the command line answers: a reader of SMILES by rdkit, an extractor, a planner, an engine and a store."""
    package = shutil.copytree(repo / "tests/fixtures/outside_package", tmp_path / "outside_package")
    settings, elsewhere = tmp_path / "kgdata/kgplatform.toml", tmp_path / "elsewhere"
    (tmp_path / "drugs.smi").write_text("CC(=O)Oc1ccccc1C(=O)O aspirin\nno smiles\nO water\n", encoding="utf-8")
    (tmp_path / "notes.md").write_text("Tax is a component.\n\nBasket ==> Tax\n", encoding="utf-8")
    (tmp_path / "tax.yaml").write_text(TAX, encoding="utf-8")
    own = f'packs = ["service-catalog", "{package / "chemistry.ttl"}"]\n'
    chosen = 'extractors = ["rules", "arrows"]\nengine = "lenient"\nmodel.planner = "owner-of"\n'
    store = f'store = {{ kind = "folder", query_url = "{elsewhere}" }}\n'

    def kg(*arguments: str | Path) -> str:
        return ran(environment / "bin/kgplatform", *arguments, cwd=tmp_path)

    def answers(planner: str) -> list[str]:
        """To one question for each of reader, extractor, planner, engine and store."""
        told = [
            kg("ask", "What is the formula of aspirin?", "--planner", "rules"),
            kg("ask", "What does Basket depend on?", "--planner", "rules"),
            kg("ask", "tax", *planner.split()),
            kg("validate"),
            next(line for line in kg("doctor").splitlines() if line.startswith("store")),
        ]
        return [" ".join(each.partition("\n")[0].split()) for each in told]

    settings.parent.mkdir()
    settings.write_text(own, encoding="utf-8")
    kg("init")
    kg("ingest", "notes.md", "tax.yaml")
    before = answers("--planner rules")
    ran(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", tmp_path, package, cwd=tmp_path)
    pip = (environment / "bin/python", "-m", "pip", "install", "--quiet", "-c", repo / "constraints.txt")
    ran(*pip, *tmp_path.glob("*.whl"), cwd=tmp_path)
    settings.write_text(own + chosen + store, encoding="utf-8")
    read = kg("ingest", "notes.md", "tax.yaml", "drugs.smi")
    after = answers("")

    assert "Nothing is called “aspirin”. Search for it by another name." == before[0]
    assert "aspirin’s formula is C9H8O4. [1]" == after[0]
    assert "lines that are no SMILES" in read + kg("unread")
    assert "Nothing is called “Basket”. Search for it by another name." == before[1]
    assert "Basket depends on Tax. [1]" == after[1]
    assert before[2].startswith("The form of the question is not understood.")
    assert after[2].startswith("web owns tax")
    assert "(pyshacl-turbo" in before[3] and "(lenient 1.0)" in after[3]
    assert "embedded, checkpoint" in before[4] and f"folder, {elsewhere}: at event" in after[4]
