"""A folder with every oddity: a server gives the account that the data directory gives, but takes no file names that a browser may not
send."""

from __future__ import annotations

import io
import os
import shutil
import zipfile
from pathlib import Path

import openpyxl
import pytest
from support.commandline import kg
from support.kgserver import serving

from kgplatform.settings.load import FILE

pytestmark = pytest.mark.long

LEDGER = "Ledger is a component. Platform has owned Ledger since 3 April 2025.\n"
ENTITY = "apiVersion: backstage.io/v1alpha1\nkind: Component\nmetadata: {name: odd, nickname: x}\nspec: {type: service, lifecycle: x, owner: ops}\n"
TURTLE = """@prefix sc: <https://w3id.org/kgplatform/service-catalog#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
<https://kg.example/id/component/one> a sc:Component ; rdfs:label "One" .
<https://kg.example/id/component/two> a sc:Component ; rdfs:label broken .
"""
NAMES = ("memos/back\\slash.md", "memos/-dash.md", f"memos/{'x' * 230}.md")
"""Names that a data directory reads, and a server does not."""


def archive() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as made:
        made.writestr("a.md", LEDGER)
    return out.getvalue()


def workbook() -> bytes:
    """One with a secret, a merged cell, a hidden row and a formula without a value."""
    book = openpyxl.Workbook()
    sheet = book.active
    for row in (
        ("staff_id", "name", "team", "since", "left", "office", "role", "password"),
        (9001, "Ann Odd", "Core", "2021", "", "", "=1+1", "hunter2x"),
    ):
        sheet.append(row)
    sheet.merge_cells("B3:C3")
    sheet.row_dimensions[2].hidden = True
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


FILES: dict[str | bytes, str | bytes] = {
    "memos/ledger.md": LEDGER,
    "memos/copy.md": LEDGER,
    b"memos/caf\xe9.md": LEDGER,
    "memos/two\nlines.md": LEDGER,
    "memos/with space & ünïcode.md": LEDGER,
    "memos/.hidden.md": LEDGER,
    "memos/.git/config.md": LEDGER,
    "memos/mappings/m.md": LEDGER,
    "memos/kgplatform.toml": "",
    "memos/left-out.bak.md": LEDGER,
    "memos/empty.md": "",
    "memos/blank.md": " \n\n\t",
    "memos/large.md": "word " * 30_000,
    "memos/zeros.md": b"one\0two",
    "memos/latin.md": b"Stra\xdfe",
    "memos/packed.md": archive(),
    "memos/logo.png": b"\x89PNG\r\n\x1a\n\0\0",
    "memos/front.md": "---\ntitle: [\n---\nText.\n",
    "memos/ru.md": "Сервис оплаты принадлежит команде Атлас.\n",
    "memos/secret.md": "password: hunter2-topsecret\n",
    "memos/run": "#!/bin/sh\necho\n",
    "catalogue/odd.yaml": ENTITY,
    "catalogue/broken.yaml": "kind: [",
    "catalogue/none.yaml": "# nothing\n",
    "catalogue/helm.yaml": "{{ if .Values.x }}\nkind: X\n{{ end }}\n",
    "memos/rows.csv": "id,name\n1,x\n",
    "memos/bad.ttl": TURTLE,
    "memos/book.xlsx": b"no workbook",
    "memos/odd.yaml": ENTITY.replace("odd", "even"),
    "memos/old.xls": b"x",
    "nowhere/a.md": LEDGER,
    "people/2026-05-01/staff.xlsx": workbook(),
    "people/2026-05-02/broken.xlsx": b"no workbook",
    "people/2026-05-02/short.csv": "staff_id,name\n1,x\n",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "in"
    for name, content in FILES.items():
        path = os.path.join(os.fsencode(root), os.fsencode(name))
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(content.encode() if isinstance(content, str) else content)
    os.mkfifo(root / "memos" / "pipe.md")
    (root / "memos" / "gone.md").symlink_to(root / "nothing")
    (root / "memos" / "linked").symlink_to(root / "catalogue")
    return root


def test_every_oddity_is_told_over_a_server_as_on_the_directory(own_world: Path, folder: Path, tmp_path: Path, now: None) -> None:
    settings = own_world / FILE
    settings.write_text('max_file_bytes = 100000\nexclude = ["*.bak.md"]\n' + settings.read_text())
    with serving(own_world) as server, pytest.MonkeyPatch.context() as patch:
        other = tmp_path / "other"
        shutil.copytree(own_world, other, ignore=shutil.ignore_patterns("serving*"))
        here = kg("ingest", folder, "--as", "editor", "--data", other, "--json")
        patch.setenv("KGPLATFORM_TOKEN", server.tokens["editor"])
        there = kg("ingest", folder, "--server", server.url, "--json")
        for name in NAMES:
            (folder / name).write_text(LEDGER)
        named = kg("ingest", *(folder / name for name in NAMES), "--server", server.url, "--json")

    assert 0 == here.code == there.code, there.err
    accounts = [said.json | {"seconds": 0} for said in (here, there)]
    for name in ("problems", "skipped", "documents"):
        rows = [sorted(map(told, each.pop(name)), key=repr) for each in accounts]
        assert rows[0] == rows[1]
    assert accounts[0] == accounts[1]
    assert {"name": 3} == named.json["files_skipped"] and "nothing was read" == named.json["warning"]


def told(row: dict[str, object]) -> dict[str, object]:
    """Without what only one side can know: how a collection is named there, and where the settings of a server stand."""
    if row.get("reason") == "mapping":
        return row | {"where": os.path.basename(str(row["where"]))}
    return row | {"hint": ""} if row.get("reason") == "collection" else row
