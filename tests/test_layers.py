"""The order of the layers: a file imports its own package and what stands above it; a library has its place."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest
from support.sources import circle, imports, layer_of, nodes, sources, written

LAYERS: Final = (
    *(
        "errors",
        "registry",
        "results",
        "forms",
        "namespaces",
        "lexical_forms",
        "terms",
        "times",
        "model",
        "packs",
        "schema",
        "settings",
        "data_directory",
    ),
    *("llm", "ledger", "store", "validate", "derive", "ingest", "language", "extract", "checks", "projection"),
    *(
        "query",
        "question",
        "retrieve",
        "answer",
        "graph",
        "records",
        "views",
        "writing",
        "curation",
        "browse",
        "admin",
        "local",
        "client",
        "web",
        "cli",
    ),
)
PLACES: Final = {
    "rdflib": {"validate", "store"},
    "pyshacl": {"validate"},
    "pyshacl_turbo": {"validate"},
    "owlready2": {"validate"},
    "spacy": {"extract"},
    "py3langid": {"extract"},
    "sqlite3": {"ledger"},
    "argon2": {"ledger"},
    "ahocorasick_rs": {"ledger", "ingest"},
    "click": {"cli"},
    "rich": {"cli"},
    "flask": {"web"},
    "openai": {"llm"},
    "httpx": {"store", "client"},
    "httpx2": {"llm"},
    "ruamel": {"ingest"},
    "openpyxl": {"ingest"},
    "defusedxml": {"ingest"},
    "msgspec": {"results", "forms", "settings", "ingest", "query", "web"},
    "rapidfuzz": {"query", "question", "retrieve"},
    "tomlkit": {"admin"},
    "tomllib": {"registry", "settings", "ingest"},
    "pathspec": {"settings"},
}
FRONT: Final = (
    *("errors", "registry", "results", "forms", "namespaces", "terms", "times", "model", "settings", "data_directory"),
    *("graph", "records", "local", "client"),
    *("answer", "retrieve", "views", "writing.ingest", "writing.uploads", "curation", "browse", "checks", "admin", "llm"),
)
"""All that web/ and cli/ may name: values, the graph object, use cases."""
STORE_USERS: Final = {"store", "terms"}
"""Who may name pyoxigraph's Store: its layer, and the one probe of terms.py that normalises literals."""


LANGUAGES: Final = {
    "SQL": (
        re.compile(r"\bSELECT [^?{}<]+ FROM \w|\bINSERT INTO \w|\bDELETE FROM \w|\bUPDATE \w+ SET\b|\bPRAGMA \w|\bVACUUM\b"),
        {"ledger"},
    ),
    "SPARQL": (
        re.compile(r"\bGRAPH [?<]|\bSELECT (DISTINCT )?(\?[a-z]|\(COUNT)|\b(ASK|CONSTRUCT|WHERE|VALUES \?\w+) *\{"),
        {"query", "store", "validate", "projection"},
    ),
}
"""The texts that only some layers hold."""


def upward(root: Path) -> list[str]:
    """Imports that break the order, or name a layer that the list does not know."""
    found: list[str] = []
    for layer, path in sources(root):
        if layer not in LAYERS:
            found.append(f"{path.name} is of no layer: {layer}")
            continue
        for each in imports(root, path):
            target = layer_of(each.module)
            if target is not None and target != layer and (target not in LAYERS or LAYERS.index(target) > LAYERS.index(layer)):
                found.append(f"{each} (layer {layer} stands above {target})")
    return found


def misplaced(root: Path) -> list[str]:
    """Imports of a library outside the only layers that may know it."""
    found: list[str] = []
    for layer, path in sources(root):
        for each in imports(root, path):
            allowed = PLACES.get(each.module.split(".")[0])
            if allowed is not None and layer not in allowed:
                found.append(f"{each} (belongs in {', '.join(sorted(allowed))})")
    return found


def stores(root: Path) -> list[str]:
    """Uses of pyoxigraph's Store outside store/."""
    found: list[str] = []
    for layer, path in sources(root):
        if layer in STORE_USERS:
            continue
        for node in nodes(path.read_text(encoding="utf-8")):
            by_name = isinstance(node, ast.ImportFrom) and node.module == "pyoxigraph" and any(a.name == "Store" for a in node.names)
            by_attribute = (
                isinstance(node, ast.Attribute)
                and node.attr == "Store"
                and isinstance(node.value, ast.Name)
                and node.value.id in ("ox", "pyoxigraph")
            )
            if by_name or by_attribute:
                found.append(f"{path.name}:{node.lineno} uses pyoxigraph.Store")
    return found


def foreign(root: Path) -> list[str]:
    """Texts in a query language outside the layers that may hold it."""
    found = {
        f"{path.relative_to(root)}:{line} holds {language}"
        for layer, path in sources(root)
        for language, (pattern, allowed) in LANGUAGES.items()
        if layer not in allowed
        for line, text in written(path)
        if pattern.search(text)
    }
    return sorted(found)


def behind(root: Path) -> list[str]:
    """Imports by which web/ and cli/ look past the graph object and the use cases."""
    allowed = {f"kgplatform.{name}" for name in FRONT}
    found: list[str] = []
    for layer, path in sources(root):
        for each in imports(root, path) if layer in ("web", "cli") else ():
            parts = each.module.split(".")
            names = {".".join(parts[:length]) for length in (2, 3)}
            if layer_of(each.module) not in (None, "web", layer) and not names & allowed:
                found.append(str(each))
    return found


@pytest.fixture
def copy(repo: Path, tmp_path: Path) -> Path:
    """A copy of the sources in which a test may plant a fault."""
    shutil.copytree(repo / "kgplatform", tmp_path / "kgplatform", ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


def test_no_file_imports_from_a_layer_below_it(repo: Path) -> None:
    assert [] == upward(repo)


def test_every_library_is_imported_in_its_place_only(repo: Path) -> None:
    assert [] == misplaced(repo)


def test_the_store_of_pyoxigraph_is_used_in_store_alone(repo: Path) -> None:
    assert [] == stores(repo)


def test_no_modules_need_each_other_in_a_circle(repo: Path) -> None:
    assert [] == circle(repo)


def test_every_layer_of_the_list_is_there(repo: Path) -> None:
    assert set(LAYERS) == {layer for layer, _path in sources(repo)}


def test_pages_and_commands_name_the_graph_object_and_use_cases_only(repo: Path) -> None:
    assert [] == behind(repo)


@pytest.mark.parametrize("line", ["from ..ledger import people", "from ..writing.writer import Writer", "import kgplatform.store.base"])
@pytest.mark.parametrize("file", ["web/api.py", "cli/read.py"])
def test_a_planted_look_behind_the_front_is_found(copy: Path, file: str, line: str) -> None:
    with (copy / "kgplatform" / file).open("a", encoding="utf-8") as planted:
        planted.write(f"\n{line}\n")

    assert [Path(file).name] == [fault.partition(":")[0] for fault in behind(copy)]


def test_sql_and_sparql_stand_in_their_layers_only(repo: Path) -> None:
    assert [] == foreign(repo)


@pytest.mark.parametrize("line", ['x = "SELECT name FROM document"', 'y = f"SELECT ?s WHERE {{ ?s a {1} }}"'])
def test_a_planted_query_is_found(copy: Path, line: str) -> None:
    planted = copy / "kgplatform/answer/ask.py"
    planted.write_text(f"{planted.read_text(encoding='utf-8')}\n{line}\n", encoding="utf-8")

    assert ["kgplatform/answer/ask.py"] == [fault.partition(":")[0] for fault in foreign(copy)]


def test_a_public_class_means_one_thing(repo: Path) -> None:
    places: dict[str, list[str]] = {}
    for _layer, path in sources(repo):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places.setdefault(node.name, []).append(str(path.relative_to(repo)))

    assert {} == {name: where for name, where in places.items() if len(where) > 1}


@pytest.mark.parametrize("line", ["from .documents import find_version", "def late() -> None:\n    from . import documents"])
def test_a_planted_circle_within_a_layer_is_found(copy: Path, line: str) -> None:
    needed = copy / "kgplatform/ledger/base.py"  # which ledger/documents.py needs
    needed.write_text(f"{needed.read_text(encoding='utf-8')}\n{line}\n", encoding="utf-8")

    assert "kgplatform.ledger.base" in circle(copy)


@pytest.mark.parametrize(
    "line",
    [
        "from kgplatform import cli",
        "from kgplatform.writing.writer import Writer",
        "import kgplatform.store.base",
        "from .store import base",
        "from . import views",
        "def late() -> None:\n    from .answer import ask",
        "import kgplatform.web",
    ],
)
def test_a_planted_upward_import_is_found(copy: Path, line: str) -> None:
    before = set(upward(copy))
    with (copy / "kgplatform/terms.py").open("a", encoding="utf-8") as file:
        file.write("\n" + line + "\n")

    assert ["terms.py"] == [fault.partition(":")[0] for fault in set(upward(copy)) - before]


def test_a_planted_upward_import_inside_a_package_is_found(copy: Path) -> None:
    before = set(upward(copy))
    (copy / "kgplatform/ledger/planted.py").write_text(
        "from ..derive import cells\nfrom . import base\nfrom ..terms import KG\n", encoding="utf-8"
    )

    assert ["planted.py:1 imports kgplatform.derive (layer ledger stands above derive)"] == sorted(set(upward(copy)) - before)


def test_a_file_of_no_layer_is_found(copy: Path) -> None:
    (copy / "kgplatform/helpers.py").write_text("", encoding="utf-8")

    assert "helpers.py is of no layer: helpers" in upward(copy)


@pytest.mark.parametrize(
    "line", ["import rdflib", "from rdflib.namespace import RDF", "import sqlite3", "import click", "import spacy", "import owlready2"]
)
def test_a_planted_library_is_found_outside_its_place(copy: Path, line: str) -> None:
    before = len(misplaced(copy))
    with (copy / "kgplatform/schema.py").open("a", encoding="utf-8") as file:
        file.write("\n" + line + "\n")

    assert before + 1 == len(misplaced(copy))


@pytest.mark.parametrize("line", ["import pyoxigraph as ox\nox.Store()", "from pyoxigraph import Store"])
def test_a_planted_store_is_found(copy: Path, line: str) -> None:
    before = len(stores(copy))
    with (copy / "kgplatform/schema.py").open("a", encoding="utf-8") as file:
        file.write("\n" + line + "\n")

    assert before + 1 == len(stores(copy))


def test_the_standard_library_has_no_layer() -> None:
    assert all(layer_of(name) is None for name in sys.stdlib_module_names)


HEAVY: Final = (
    "rdflib",
    "pyshacl_turbo",
    "openpyxl",
    "spacy",
    "py3langid",
    "openai",
    "owlready2",
    "ruamel.yaml",
    "kgplatform.ingest.files",
)


def test_who_only_reads_loads_nothing_heavy(repo: Path) -> None:
    """Each costs every command, worker and child 0.1 s and more."""
    asked = "import sys, kgplatform.cli, kgplatform.local, kgplatform.views.opening, kgplatform.answer.ask, kgplatform.answer.planners"
    told = f"print([name for name in {HEAVY!r} if name in sys.modules])"

    done = subprocess.run([sys.executable, "-c", f"{asked}; {told}"], cwd=repo, capture_output=True, text=True, check=True)

    assert "[]" == done.stdout.strip()
