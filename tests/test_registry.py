"""Readers, extractors, planners, engines and stores by name: kgplatform's own, and those of an outside package that is installed."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest
from support.commandline import kg
from support.served import opened

from kgplatform import registry
from kgplatform.data_directory import DataDir
from kgplatform.errors import SourceError, UsageError
from kgplatform.ingest.admission import kept_name, waiting
from kgplatform.ingest.unpacked import Unpacked, unpacked
from kgplatform.projection.consistency import open_ledger
from kgplatform.projection.graphs import version_of
from kgplatform.projection.judging import put_in_force
from kgplatform.registry import Registry

Installed = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def site(repo: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the outside package is installed as pip leaves it: its module, and its entry points beside it."""
    site = tmp_path_factory.mktemp("site")
    outside = repo / "tests/fixtures/outside_package"
    shutil.copy(outside / "outside_package.py", site)
    project = tomllib.loads((outside / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    metadata = site / f"outside_package-{project['version']}.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n", encoding="utf-8")
    groups = [[f"[{group}]", *(f"{name} = {value}" for name, value in points.items())] for group, points in project["entry-points"].items()]
    (metadata / "entry_points.txt").write_text("\n".join(line for group in groups for line in group), encoding="utf-8")
    return site


@pytest.fixture(scope="module")
def installed(repo: Path, site: Path) -> Installed:
    """Runs the command line where the outside package is installed."""

    def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "kgplatform", *map(str, arguments)]
        where = {**os.environ, "PYTHONPATH": f"{repo}{os.pathsep}{site}"}
        return subprocess.run(command, env=where, capture_output=True, text=True, timeout=120, check=False)

    return run


@pytest.fixture
def installed_here(site: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The outside package is installed in this process."""
    monkeypatch.syspath_prepend(site)
    registry._others.cache_clear()
    yield
    monkeypatch.undo()
    registry._others.cache_clear()


def settings(data: Path, line: str) -> None:
    """A line put before all others of the settings of a data directory."""
    path = data / "kgplatform.toml"
    path.write_text(f"{line}\n{path.read_text(encoding='utf-8') if path.exists() else ''}", encoding="utf-8")


def test_all_of_our_own_can_be_loaded(repo: Path) -> None:
    groups = tomllib.loads((repo / "pyproject.toml").read_text(encoding="utf-8"))["project"]["entry-points"]

    for group, points in groups.items():
        assert all(EntryPoint(name, value, group).load() for name, value in points.items())
        assert tuple(points) == Registry[object](group.removeprefix("kgplatform.").removesuffix("s")).names()[: len(points)]


def test_an_unknown_name_comes_with_the_nearest_one() -> None:
    with pytest.raises(UsageError, match=r"no planner rulse \(did you mean rules\?\)"):
        Registry[object]("planner").get("rulse")


def test_an_outside_planner_answers(installed: Installed, own_world: Path) -> None:
    assert "outcome: invalid" in kg("ask", "tax").out

    assert "Platform" in installed("ask", "tax", "--planner", "owner-of").stdout
    settings(own_world, 'model.planner = "owner-of"')
    assert "Platform" in installed("ask", "tax").stdout


def test_who_asks_for_a_planner_that_is_not_installed_is_told(world: Path) -> None:
    refused = kg("ask", "tax", "--planner", "owner-of")

    assert 2 == refused.code and refused.err.startswith("no planner owner-of (one of rules, model, rules-then-model")


def test_an_outside_package_that_fails_is_named_in_one_line(installed: Installed, own_world: Path) -> None:
    failed = installed("ask", "tax", "--planner", "failing")
    settings(own_world, 'engine = "broken"')
    unloaded = installed("validate")

    assert (1, "") == (failed.returncode, failed.stdout)
    assert failed.stderr == "outside-package: the planner failing failed: ZeroDivisionError: by design (mend or uninstall that package)\n"
    assert 1 == unloaded.returncode and unloaded.stderr.startswith("outside-package: the engine broken failed: AttributeError: ")
    assert 1 == len(unloaded.stderr.splitlines())


def test_what_is_no_plan_is_told_in_one_line(installed: Installed, own_world: Path) -> None:
    failed = installed("ask", "tax", "--planner", "planless")
    misshapen = installed("ask", "tax", "--planner", "misshapen")

    assert (1, "") == (failed.returncode, failed.stdout)
    assert misshapen.stderr.startswith("outside-package: the planner misshapen failed: ") and 1 == len(misshapen.stderr.splitlines())
    assert (
        failed.stderr
        == "outside-package: the planner planless failed: TypeError: it planned str, not Plan (mend or uninstall that package)\n"
    )


def test_a_page_and_the_api_answer_by_the_outside_planner_of_the_settings(installed_here: None, own_world: Path) -> None:
    settings(own_world, 'model.planner = "owner-of"')
    with opened(own_world) as served:
        assert "Platform" in served.get("/ask", q="tax").text
        assert "answered" == served.get("/api/ask", question="tax").get_json()["outcome"]


@pytest.mark.parametrize("name", ["failing", "planless", "misshapen"])
def test_an_outside_planner_that_fails_is_a_problem_and_no_traceback(
    installed_here: None, own_world: Path, caplog: pytest.LogCaptureFixture, name: str
) -> None:
    settings(own_world, f'model.planner = "{name}"')
    with opened(own_world) as served:
        told, page = served.get("/api/ask", question="tax"), served.get("/ask", q="tax", headers={"Accept": "text/html"})

    assert (500, "application/problem+json") == (told.status_code, told.content_type)
    assert {"type": "/api/docs#fault", "title": "Something failed in the platform", "status": 500} == told.get_json()
    assert 500 == page.status_code and "text/html" in page.content_type
    assert f"outside-package: the planner {name} failed" in caplog.text
    assert not any("Traceback" in each or "outside_package" in each for each in (caplog.text, told.text, page.text))


def test_the_engine_of_the_settings_makes_the_report(installed: Installed, own_world: Path) -> None:
    before = kg("validate").out
    settings(own_world, 'engine = "pyshacl"')
    second = kg("validate").out
    (own_world / "kgplatform.toml").write_text('engine = "lenient"\n', encoding="utf-8")

    assert before.splitlines()[1:] == second.splitlines()[1:]
    assert before.splitlines()[0].replace("pyshacl-turbo 0.6.5", "pySHACL") == second.splitlines()[0]
    assert "lenient 1.0" in installed("validate").stdout.splitlines()[0]


def test_what_another_engine_judged_is_another_version_of_the_projection(own_world: Path) -> None:
    """So it is not served, should the process that changed the engine be killed before it has judged everything again."""
    with closing(open_ledger(DataDir(own_world))) as ledger:
        before = version_of(ledger)
        put_in_force(ledger, "pyshacl", "2025-11-01T00:00:00Z")

        assert before != version_of(ledger)


@pytest.mark.long
def test_the_engine_of_the_settings_judges_claims(installed: Installed, tmp_path: Path) -> None:
    """What was judged by another one is judged again, both ways, and readers judge as the writer did."""
    data, file = tmp_path / "kgdata", tmp_path / "early.ttl"
    file.write_text(
        "@prefix sc: <https://w3id.org/kgplatform/service-catalog#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .\n"
        '<https://ex.test/INC-1> a sc:Incident ; sc:occurred_on "1999-01-01"^^xsd:date .\n',
        encoding="utf-8",
    )

    def refused() -> list[bool]:
        """By the projection, and by a view that is derived for an instant."""
        listed = (installed("quarantine", "list", "--data", data, *more) for more in ((), ("--valid-at", "1999-01-02")))
        return ["1999-01-01" in one.stdout for one in listed]

    installed("init", "--data", data)
    installed("ingest", file, "--data", data)
    assert [True, True] == refused()

    for engine, is_refused in (("lenient", False), ("pyshacl", True), ("pyshacl-turbo", True)):
        (data / "kgplatform.toml").write_text(f'engine = "{engine}"\n', encoding="utf-8")
        installed("ingest", file, "--data", data)
        assert [is_refused, is_refused] == refused()


def test_what_an_outside_reader_cannot_read_is_told_and_the_rest_goes_on(installed: Installed, tmp_path: Path) -> None:
    """Its claims must quote the file; `.smi` needs rdkit, which is not installed here."""
    for name in ("a.misquoted", "b.smi", "c.md"):
        (tmp_path / name).write_text("Tax is a component.\n", encoding="utf-8")
    installed("init", "--data", tmp_path / "kgdata")

    read = installed("ingest", *(tmp_path / name for name in ("a.misquoted", "b.smi", "c.md")), "--data", tmp_path / "kgdata")

    told = [line for line in (read.stdout + read.stderr).splitlines() if "outside-package" in line]
    assert 2 == len(told)
    assert "a.misquoted" in told[0] and "ValueError: a claim does not quote the text" in told[0]
    assert "b.smi" in told[1] and "ModuleNotFoundError: No module named 'rdkit'" in told[1]
    assert "1 documents read" in read.stdout


def test_an_outside_reader_takes_bytes_and_secrets_are_masked_in_what_it_makes_of_them(installed: Installed, tmp_path: Path) -> None:
    data, file, secret = tmp_path / "kgdata", tmp_path / "a.deflated", "ghp_" + "a1B2c3D4e5F6g7H8i9J0" * 2
    file.write_bytes(zlib.compress(f"Tax is a component. Web is a team. Web owns Tax.\nkey {secret}\n{secret}".encode()))
    installed("init", "--data", data)

    read = installed("ingest", file, "--data", data)

    assert "1 documents read" in read.stdout and 0 == read.returncode, read.stderr
    answer = installed("ask", "Who owns Tax?", "--data", data).stdout
    assert "Web" in answer and "“Web owns Tax.”" in answer  # an extractor read its passages
    kept = b"".join(path.read_bytes() for path in data.rglob("*") if path.is_file())
    assert b"Web owns Tax" in kept and secret.encode() not in kept


def test_what_an_outside_reader_unpacked_waits_and_is_read_as_the_file_would_be(installed_here: None) -> None:
    content, path = zlib.compress(b"Tax is a component.\nann"), Path("a.deflated")
    waits = waiting(content, path, 1_000_000)

    assert Unpacked("Tax is a component.", {"owner": "ann"}) == unpacked(waits, "a.deflated", max_bytes=1_000_000)
    assert b"ann" not in content and kept_name(path) == "a.deflated.txt"
    with pytest.raises(SourceError, match="the reader .deflated failed: error"):
        waiting(b"no stream", path, 1_000_000)


@pytest.mark.parametrize(
    ("name", "content", "team_or_component"),
    [
        ("teams.json", '{"roster": ["Core", "Web"]}', "Core"),
        ("compose.yaml", "services:\n  cart: {image: x}\n---\nservices: {broken: {}}\n", "cart"),
        ("compose.json", '{"services": {"cart": {"image": "x"}}}', "cart"),
    ],
)
def test_an_outside_format_is_known_by_its_content(
    installed: Installed, tmp_path: Path, name: str, content: str, team_or_component: str
) -> None:
    data, file = tmp_path / "kgdata", tmp_path / name
    file.write_text(content, encoding="utf-8")
    installed("init", "--data", data)

    read = installed("ingest", file, "--data", data)

    assert team_or_component in installed("search", team_or_component, "--data", data).stdout
    assert ("the yaml format compose failed: LookupError: by design [outside-package]" in read.stdout + read.stderr) is (
        "broken" in content
    )
    assert "holds records" in str(kg("ingest", file, "--data", data))  # where the package is not installed


def test_a_file_of_a_reader_that_is_not_installed_is_of_no_known_type(tmp_path: Path) -> None:
    (tmp_path / "b.smi").write_text("O water\n", encoding="utf-8")
    kg("init", "--data", tmp_path / "kgdata")

    assert "is of no known type: .smi" in str(kg("ingest", tmp_path / "b.smi", "--data", tmp_path / "kgdata"))


def test_an_outside_extractor_reads_texts_beside_the_rules(installed: Installed, tmp_path: Path) -> None:
    data, file = tmp_path / "kgdata", tmp_path / "notes.md"
    file.write_text("Web is a team. Tax is a component. Web owns Tax.\n\nBasket ==> Tax\n", encoding="utf-8")
    installed("init", "--data", data)
    installed("ingest", file, "--data", data)
    before = installed("ask", "What does Basket depend on?", "--data", data).stdout
    settings(data, 'extractors = ["rules", "arrows"]')

    again = installed("ingest", file, "--data", data).stdout

    assert "Tax" not in before
    assert "1 read anew by other rules" in again
    answer = installed("ask", "What does Basket depend on?", "--data", data).stdout
    assert "Tax" in answer and "“Basket ==> Tax”" in answer
    assert "Web owns Tax" in installed("ask", "Who owns Tax?", "--data", data).stdout


def test_a_text_at_which_an_outside_extractor_fails_was_not_read_whole(installed: Installed, tmp_path: Path) -> None:
    """So nothing that it said before is ended, and what the others read of it is kept."""
    data, file = tmp_path / "kgdata", tmp_path / "notes.md"
    file.write_text("Web is a team. Tax is a component. Web owns Tax.\n", encoding="utf-8")
    installed("init", "--data", data)
    settings(data, 'extractors = ["stumbling", "rules"]')

    read = installed("ingest", file, "--data", data)

    assert "the extractor stumbling failed: LookupError: by design [outside-package]" in read.stdout + read.stderr
    assert 0 == read.returncode
    assert "Web owns Tax" in installed("ask", "Who owns Tax?", "--data", data).stdout


@pytest.mark.long
def test_an_outside_store_holds_the_projection(installed: Installed, own_world: Path, tmp_path: Path) -> None:
    folder = tmp_path / "elsewhere"
    before = installed("ask", "Who owns Tax?").stdout
    settings(own_world, f'store.kind = "folder"\nstore.query_url = "{folder}"')
    (tmp_path / "more.md").write_text("Basket is a component. Basket depends on Tax.\n", encoding="utf-8")

    read = installed("ingest", tmp_path / "more.md", "--collection", "memos")

    assert 0 == read.returncode, read.stderr
    assert (folder / "projection.nq").exists() and not (own_world / "store").exists()
    assert before == installed("ask", "Who owns Tax?").stdout
    assert "Tax" in installed("ask", "What does Basket depend on?").stdout
    assert "Tax" in installed("sparql", "SELECT ?name { ?c rdfs:label 'Basket' ; sc:depends_on/rdfs:label ?name }").stdout
    assert f"folder, {folder}: at event" in " ".join(installed("doctor").stdout.split())
    (folder / "projection.nq").write_text("no quads\n", encoding="utf-8")
    assert installed("ask", "Who owns Tax?").stderr.startswith("outside-package: the store folder failed: SyntaxError")


def test_an_outside_store_that_leaks_is_refused_before_anything_is_projected_into_it(
    installed: Installed, own_world: Path, tmp_path: Path
) -> None:
    settings(own_world, f'store.kind = "leaking"\nstore.query_url = "{tmp_path / "elsewhere"}"')

    refused = installed("ask", "Who owns Tax?")

    assert 1 == refused.returncode and 1 == len(refused.stderr.splitlines())
    assert refused.stderr.startswith("the store failed the probe 'dataset isolation': ")
    assert "Tax" not in (tmp_path / "elsewhere/projection.nq").read_text(encoding="utf-8")


def test_a_store_that_fails_is_named_with_its_package(installed: Installed, own_world: Path) -> None:
    settings(own_world, 'store.kind = "full-disk"')

    assert "outside-package: the store full-disk failed: OSError: no space left by design" in installed("ask", "Who owns Tax?").stderr
    assert "full-disk: the store full-disk failed" in " ".join(installed("doctor").stdout.split())


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ('extractors = ["ruels"]', "extractors is 'ruels', and no extractor has that name (did you mean rules?)"),
        ('extractors = ["rules", "rules"]', "extractors names one twice"),
        ('extractors = ["model"]', "extractors names the language model (set extractor = true in the table [model])"),
        ('store.kind = "fodler"', "store.kind is 'fodler', and no store has that name"),
        ('store.kind = "embedded"\nstore.query_url = "http://127.0.0.1:1/q"', "store.kind is 'embedded', which has no URLs"),
        ('store.kind = "remote"\nstore.query_url = "x"', "store.query_url is not the http or https URL of a SPARQL server"),
        ('engine = "hermit"', "engine is 'hermit', and no engine has that name"),
        ('model.planner = "rule"', "model.planner is 'rule', and no planner has that name (did you mean rules?)"),
    ],
)
def test_a_setting_that_names_nothing_is_refused_with_its_line(tmp_path: Path, line: str, told: str) -> None:
    (tmp_path / "kgplatform.toml").write_text(f"\n{line}\n", encoding="utf-8")

    refused = kg("validate", "--data", tmp_path)

    assert 1 == refused.code and re.search(r"kgplatform\.toml:[23]: ", refused.err) and told in refused.err
