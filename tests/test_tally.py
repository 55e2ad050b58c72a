"""What an ingest tells who brought the file in: the same, whether or not what they may not see is there."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from support.commandline import done
from support.served import Served

SECRET = (
    "---\nid: plans.md\nscope: finance\n---\n\nAvalon is a team. Avalon has owned Cart since 1 May 2025. Zorro has owned Tax since 2019.\n"
)
OPEN = "---\nid: plans.md\n---\n\nPlatform has owned Cart since 1 May 2025. Avalon has owned Tax since 2 June 2025.\n"
PROBE = "---\nid: probe.md\nscope: finance\n---\n\nINC-109 affects Tax.\n"


def told(data: Path, file: Path, name: str = "editor") -> dict[str, Any]:
    said = done("ingest", file, "--collection", "memos", "--as", name, "--json", "--data", data).json
    return {figure: value for figure, value in said.items() if figure != "seconds"}


@pytest.fixture
def twins(own_world: Path, tmp_path: Path) -> tuple[Path, Path]:
    """The sample world with a hidden memo `plans.md`, and without it and the finance department's files."""
    done("principal", "add", "editor", "--role", "editor", "--data", own_world)
    other = tmp_path / "without"
    shutil.copytree(own_world, other)
    written(tmp_path / "plans.md", SECRET)
    done("ingest", tmp_path / "plans.md", "--collection", "memos", "--data", own_world)
    hidden = done("quarantine", "list", "--as", "finance", "--json", "--data", own_world).json["claims"]
    (claim,) = (row["id"] for row in hidden if row["document"] == "memos/plans.md")
    done("quarantine", "discard", claim, "--as", "finance", "--data", own_world)
    for document in ("finance/avalon.md", "finance/review-penalties.md", "finance-records/incidents.csv"):
        done("erase", document, "--yes", "--data", other)
    return own_world, other


def written(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("text", [OPEN, SECRET, PROBE], ids=["open", "same", "probe"])
def test_a_hidden_document_of_the_name_or_a_hidden_type_changes_no_figure(twins: tuple[Path, Path], tmp_path: Path, text: str) -> None:
    file = written(tmp_path / "plans.md", text)
    first, again = ([told(data, file) for data in twins] for _ in range(2))

    assert first[0] == first[1] == again[0] == again[1]
    assert 1 == first[0]["documents_read"]
    figures = {"documents_read", "claims_read", "accepted", "quarantined", "reasons", "files_skipped", "notices", "warning"}
    assert figures | {"states", "problems", "skipped", "documents", "gone", "withdrawn", "differences"} == set(first[0])
    assert {} == first[0]["states"]
    assert {"document", "path", "claims", "accepted", "facts", "quarantined", "notices"} == set(first[0]["documents"][0])


def test_who_sees_the_hidden_type_is_told_that_the_probe_is_accepted(twins: tuple[Path, Path], tmp_path: Path) -> None:
    """The figures of the tests above would differ if they were those of the ledger."""
    file = written(tmp_path / "probe.md", PROBE)

    assert 0 == told(twins[0], file, "finance")["quarantined"]
    assert 1 == told(twins[0], file)["quarantined"]


def test_reading_again_gives_the_tally_of_the_first_time(own_world: Path, tmp_path: Path) -> None:
    done("principal", "add", "editor", "--role", "editor", "--data", own_world)
    mixed = "Ledger is a component. Platform has owned Ledger since 3 April 2025. Zorro has owned Ledger since 2019.\n"
    file = written(tmp_path / "mixed.md", mixed)
    first, again = told(own_world, file), told(own_world, file)

    assert first == again
    assert first["accepted"] and first["quarantined"]


def test_a_discarded_claim_is_told_as_discarded(own_world: Path, tmp_path: Path) -> None:
    done("principal", "add", "editor", "--role", "editor", "--data", own_world)
    file = written(tmp_path / "mixed.md", "Zorro has owned Tax since 2019.\n")
    told(own_world, file)
    rows = done("quarantine", "list", "--json", "--data", own_world).json["claims"]
    done("quarantine", "discard", next(row["id"] for row in rows if row["document"] == "memos/mixed.md"), "--data", own_world)

    assert {"discarded": 1} == told(own_world, file)["reasons"]


@pytest.mark.long
def test_a_job_tells_its_owner_nothing_of_a_hidden_document_of_the_same_name(own_served: Served, tmp_path: Path) -> None:
    done("ingest", written(tmp_path / "plans.md", SECRET), "--collection", "memos", "--data", own_served.data)
    name = {"taken": "plans.md", "free": "plain.md"}
    jobs = {
        kind: own_served.finished(
            own_served.post(f"/api/ingest?name=memos/{file}", "editor", data=OPEN.replace("plans.md", file).encode()), "editor"
        )
        for kind, file in name.items()
    }
    taken, free = ({**job["summary"], "seconds": 0} for job in jobs.values())

    assert free == json.loads(json.dumps(taken).replace("plans", "plain"))
    assert jobs["taken"]["about"].replace("plans", "plain") == jobs["free"]["about"]
