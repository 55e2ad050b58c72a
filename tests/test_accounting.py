"""Every ingest accounts for everything: what became of each file and document, and what of it was not taken."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.commandline import done, kg
from support.ingesting import Desk, schema

from kgplatform.ingest.files import read_paths
from kgplatform.model import NOTICE_KINDS, SILENT, SKIPPED, STATES, Problem, Reading
from kgplatform.views.unread import KINDS

SETTINGS = """
[collections.notes]
paths = ["notes/{id}"]
exclude = ["drafts/"]
[collections.secret]
scopes = ["finance"]
paths = ["secret/{id}"]
"""
CATALOGUE = """apiVersion: backstage.io/v1alpha1
kind: Component
metadata: {name: ledger, title: Ledger, nickname: %s}
spec: {type: service, lifecycle: production, owner: atlas, colour: red}
---
apiVersion: backstage.io/v1alpha1
kind: Group
metadata: {name: atlas, title: Atlas}
spec: {type: team, children: []}
"""
RUSSIAN = "Сервис оплаты принадлежит команде Атлас. Он зависит от сервиса счетов.\n"
SILENT_TEXTS = {
    "ru.md": (RUSSIAN, "language: it is written in Russian"),
    "de.txt": ("Der Bezahldienst gehört dem Team Atlas. Er hängt von der Abrechnung ab.\n", "language: it is written in German"),
    "zh.md": ("支付服务由Atlas团队负责。它依赖于计费服务。\n", "language: it is written in Chinese"),
    "ar": ("خدمة الدفع مملوكة لفريق أطلس.\n", "language: it is written in Arabic"),
    "es.md": ("# Pagos\n\nEl servicio de pagos pertenece a Atlas. Depende de la facturación.\n", "language: it is written in Spanish"),
    "code.md": ("---\ntitle: x\n---\n```\nLedger is owned by Atlas.\n```\n", "no text"),
    "plain.md": ("restart it, and wait for the alert to clear.\n", "no names"),
    "hedged.md": ("Maybe Atlas owns Ledger. Bob says that Atlas owns Ledger.\n", "set aside"),
    "quoted.md": ("> Atlas owns Ledger.\n", "set aside"),
    "plans.md": ("# Plans\n\nAtlas owns Ledger.\n", "set aside"),
    "other.md": ("The Ledger service likes Atlas a lot.\n", "no readable sentence"),
    "group.ttl": ("@prefix ex: <http://ex.example/> .\n", "no record"),
}


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty data directory with the settings above."""
    (tmp_path / "settings").mkdir()
    (tmp_path / "settings/kgplatform.toml").write_text(SETTINGS)
    monkeypatch.setenv("KGPLATFORM_DATA", str(tmp_path / "kgdata"))
    monkeypatch.setenv("KGPLATFORM_NOW", "2025-11-01")
    done("--config", tmp_path / "settings/kgplatform.toml", "init")
    return tmp_path / "kgdata"


@pytest.fixture
def lay(tmp_path: Path) -> Callable[[str, str], Path]:
    def written(name: str, text: str) -> Path:
        path = tmp_path / "files" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    return written


Lay = Callable[[str, str], Path]


def ingested(path: Path, *options: str) -> Any:
    return done("ingest", path, *options, "--json").json


def unread(*options: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = done("unread", *options, "--json").json["items"]
    return rows


# -- files


def test_the_closed_lists_have_words_for_all_their_members() -> None:
    assert set(NOTICE_KINDS) == set(KINDS)
    assert all(SKIPPED.values()) and all(STATES.values())


@settings(max_examples=25, deadline=None)
@given(
    st.dictionaries(
        st.sampled_from(
            [
                "README",
                "LICENSE",
                "a.md",
                "b.txt",
                ".env",
                "x.png",
                "kgplatform.toml",
                "big.md",
                "bin.md",
                "empty.md",
                "run.sh",
                "t.csv",
                "c.yaml",
            ]
        ),
        st.sampled_from(["notes", "notes/drafts", "notes/mappings", "notes/.git", "other", "secret/deep", "notes/drafts/more"]),
        max_size=8,
    )
)
def test_every_file_below_a_folder_is_a_document_or_is_told_with_its_reason(files: dict[str, str]) -> None:
    """Or stands below a folder that is told."""
    with tempfile.TemporaryDirectory() as root:
        desk = Desk(Path(root))
        (desk.root / "kgplatform.toml").write_text("max_file_bytes = 500\n" + SETTINGS)
        content = {"big.md": b"Atlas. " * 100, "bin.md": b"\xff\xfe\0", "empty.md": b" \n", "c.yaml": b"a: [\n"}
        paths = {desk.lay(f"in/{folder}/{name}", content.get(name, b"Atlas owns Ledger.\n")) for name, folder in files.items()}
        items = list(read_paths([desk.root / "in"], settings=desk.settings, schema=schema()))

    read = {Path(item.path) for item in items if isinstance(item, Reading)}
    told = {item.where: item.reason for item in items if isinstance(item, Problem)}
    assert set(told.values()) <= SKIPPED.keys()
    assert read <= paths
    for path in paths - read:
        assert any(f"{path}".startswith(where) if where.endswith("/") else where.startswith(f"{path}") for where in told), path


def test_files_that_were_not_read_are_counted_by_reason_and_listed(data: Path, lay: Lay) -> None:
    for name in ("notes/a.md", "notes/drafts/b.md", "notes/.env", "notes/c.png", "notes/d.png", "notes/e.py", "elsewhere/f.md"):
        lay(name, "Ledger is a component.\n")
    folder = lay("notes/kgplatform.toml", "").parent.parent
    told = kg("ingest", folder)
    summary = ingested(folder)

    assert {"excluded": 1, "hidden": 1, "settings": 1, "type": 3, "collection": 1} == summary["files_skipped"]
    assert ["notes/.env", "notes/kgplatform.toml", "notes/drafts/b.md"] == [
        each["where"].removeprefix(f"{folder}/") for each in summary["skipped"]
    ]
    assert 4 == len(summary["problems"]) == len(told.err.splitlines())
    assert "3 of no known type (.png 2, .py 1)" in told.out and "1 excluded by the settings" in told.out


def test_many_problems_of_one_reason_are_told_in_one_line_more(data: Path, lay: Lay) -> None:
    for number in range(24):
        lay(f"notes/{number}.bin", "x")
    told = kg("ingest", lay("notes/a.md", "Ledger is a component.\n").parent)

    assert 21 == len(told.err.splitlines())
    assert told.err.splitlines()[-1] == "4 more of no known type: --json lists all"


def test_the_last_ingest_of_a_folder_says_which_files_are_unread_and_only_locally(data: Path, lay: Lay) -> None:
    lay("notes/a.md", "Ledger is a component.\n")
    picture, other = lay("notes/b.png", "x"), lay("elsewhere/c.md", "x")
    done("principal", "add", "maria", "--scope", "finance")
    for path in (picture.parent.parent, picture.parent):
        kg("ingest", path)

    assert {str(picture): "type", str(other): "collection"} == {
        each["where"]: each["reason"] for each in done("unread", "--json").json["files"]
    }
    assert [] == done("unread", "--as", "maria", "--json").json["files"]
    picture.unlink()
    kg("ingest", picture.parent)
    assert [str(other)] == [each["where"] for each in done("unread", "--json").json["files"]]


# -- documents


def test_a_document_is_new_changed_said_again_or_unchanged(data: Path, lay: Lay) -> None:
    states = []
    for text in ("Ledger is a component.\n", "Ledger is a service.\n", "Ledger is a component.\n", "Ledger is a component.\n"):
        summary = ingested(lay("notes/a.md", text))
        states.append(summary["documents"][0]["state"])
        assert {states[-1]: 1} == summary["states"]

    assert ["new", "changed", "again", "unchanged"] == states


@pytest.mark.parametrize(("name", "text", "why"), [(name, *row) for name, row in SILENT_TEXTS.items()])
def test_a_document_that_gave_no_claim_says_why(data: Path, lay: Lay, name: str, text: str, why: str) -> None:
    path = lay(f"notes/{name}", text)
    told, summary = kg("ingest", path), ingested(path)
    (notice,) = (notice for notice in summary["documents"][0]["notices"] if notice["kind"] == "silent")

    assert notice["what"].startswith(why)
    assert why.partition(":")[0] in SILENT
    assert (0, f"no document gave a claim: {notice['what'].partition(': ')[2]}") == (told.code, told.err.splitlines()[-1])
    assert [(f"notes/{name}", notice["what"])] == [(row["document"], row["what"]) for row in unread() if row["kind"] == "silent"]


def test_a_document_that_gave_claims_is_not_silent(data: Path, lay: Lay) -> None:
    summary = ingested(lay("notes/a.md", f"Ledger is a component. {RUSSIAN}"))

    assert summary["warning"] is None and "silent" not in summary["notices"]


def test_a_name_in_a_script_without_capitals_is_read_in_an_english_sentence(data: Path, lay: Lay) -> None:
    lay("notes/c.yaml", CATALOGUE.replace("title: Ledger", "title: 支付服务") % "x")
    lay("notes/n.md", "支付服务 is owned by Atlas.\n")
    summary = ingested(lay("notes/m.md", "결제 is a component and is owned by the team Atlas.\n").parent)

    assert {"notes/c.yaml", "notes/m.md", "notes/n.md"} == {each["document"] for each in summary["documents"] if each["accepted"]}
    assert "notes/n.md" in done("ask", "Who owns 支付服务?").out
    assert done("ask", "Who owns 결제?").out.startswith("Atlas owns 결제")


def test_sentences_that_are_set_aside_are_counted_by_reason_with_their_first_place(data: Path, lay: Lay) -> None:
    text = "Ledger is a component.\n\n> Atlas owns Ledger. Web owns Cart.\n\nMaybe Web owns Cart.\n\n- [ ] Atlas owns Cart.\n"
    (document,) = ingested(lay("notes/a.md", text))["documents"]
    aside = {
        (each["what"].removeprefix("sentences: "), each["count"], each["place"])
        for each in document["notices"]
        if each["kind"] == "skipped"
    }

    assert {("quoted", 2, "3"), ("hedged, reported, planned or asked", 1, "5"), ("an item of a task list", 1, "7")} == aside


def test_keys_without_a_mapping_are_counted_with_a_place_and_wait_as_unmapped(data: Path, lay: Lay) -> None:
    lay("notes/b.yaml", CATALOGUE.replace("ledger", "cart") % "y")
    summary = ingested(lay("notes/a.yaml", CATALOGUE % "x").parent)
    keys = {"backstage metadata.nickname": 2, "backstage spec.colour": 2}

    assert keys == summary["notices"]["unmapped"]
    assert {"unmapped": 4} == summary["reasons"] == done("quarantine", "list", "--json").json["reasons"]
    assert [("unmapped", what, 2, 2, "notes/a.yaml", place) for what, place in zip(keys, "34", strict=True)] == [
        tuple(row.values()) for row in unread()
    ]
    assert "keys, columns and terms without a mapping: 4" in done("unread").out


def test_an_ingest_in_which_nothing_is_accepted_says_so(data: Path, lay: Lay) -> None:
    summary = ingested(lay("notes/a.md", "Zorro has owned Ledger since 2019.\n"))

    assert (2, 0, 1, "only names were accepted: the rest waits in quarantine") == (
        *(summary["documents"][0][name] for name in ("accepted", "facts", "quarantined")),
        summary["warning"],
    )
    assert ingested(lay("notes/a.md", "Zorro has owned Ledger since 2019.\n"))["warning"] is None


@pytest.mark.parametrize("name", ["a.png", "b.md", "none"])
def test_where_nothing_could_be_read_the_exit_code_says_so(data: Path, lay: Lay, name: str, tmp_path: Path) -> None:
    os.makedirs(tmp_path / "files/none")
    path = tmp_path / "files/none" if name == "none" else lay(f"notes/{name}", "")
    told = kg("ingest", path)

    assert (1, "nothing was read") == (told.code, told.err.splitlines()[-1])


# -- what is unread


def test_unread_speaks_of_the_current_version(data: Path, lay: Lay) -> None:
    ingested(lay("notes/a.md", RUSSIAN))
    assert ["silent"] == [row["kind"] for row in unread()]
    ingested(lay("notes/a.md", "Ledger is a component.\n"))
    assert [] == unread()
    ingested(lay("notes/a.md", RUSSIAN))
    assert ["silent"] == [row["kind"] for row in unread()]


def test_who_does_not_see_a_document_sees_none_of_its_notices_nor_their_counts(data: Path, lay: Lay) -> None:
    lay("notes/a.yaml", CATALOGUE % "x")
    folder = lay("secret/b.yaml", CATALOGUE.replace("ledger", "vault") % "y").parent.parent
    done("principal", "add", "maria", "--scope", "finance")
    ingested(lay("secret/c.md", RUSSIAN))
    ingested(folder)
    alone, whole = unread(), unread("--as", "maria")

    assert {("backstage metadata.nickname", 1), ("backstage spec.colour", 1)} == {(row["what"], row["count"]) for row in alone}
    assert {2} == {row["count"] for row in whole if row["kind"] == "unmapped"}
    assert ["secret/c.md"] == [row["document"] for row in whole if row["kind"] == "silent"]
    for name in ("secret/b.yaml", "secret/c.md"):
        done("erase", name, "--yes")
    assert alone == unread() == unread("--as", "maria")


def test_of_an_erased_document_no_notice_stays(data: Path, lay: Lay) -> None:
    ingested(lay("notes/a.yaml", CATALOGUE.replace("nickname", "particular-nickname-key") % "x"))

    assert "purged" in done("erase", "notes/a.yaml", "--yes").out
    assert [] == unread()
    assert not any(b"particular-nickname-key" in path.read_bytes() for path in data.rglob("*") if path.is_file())


def test_what_somebody_is_told_of_their_files_is_the_same_account_without_the_ledgers_states(data: Path, lay: Lay) -> None:
    done("principal", "add", "maria", "--role", "editor")
    path = lay("notes/a.yaml", CATALOGUE % "x")
    whole, told = ingested(path), ingested(path, "--as", "maria")

    assert ("notices", whole["notices"]) == ("notices", told["notices"])
    assert {"path", "document", "claims", "accepted", "facts", "quarantined", "notices"} == set(told["documents"][0])
    assert {} == told["states"]


# -- one bad part costs itself


def test_one_bad_part_of_a_file_costs_itself_and_a_line(data: Path, lay: Lay, tmp_path: Path) -> None:
    (tmp_path / "settings/rows.toml").write_text('[subject]\ncolumn = "id"\nscheme = "component"\nclass = "sc:Component"\nlabel = true\n')
    settings_file = data / "kgplatform.toml"
    settings_file.write_text(settings_file.read_text() + '[collections.rows]\nmapping = "rows.toml"\npaths = ["rows/{id}"]\n')
    lay("notes/a.md", "---\ntitle: [\n---\nLedger is a component.\n")
    lay("notes/b.yaml", f"{CATALOGUE % 'x'}---\nkind: [\n---\n{CATALOGUE.replace('ledger', 'cart') % 'x'}")
    lay("rows/c.jsonl", '{"id": "one"}\n{"id": \n{"id": "two"}\n')
    told = kg("ingest", lay("rows/d.md", "Cart is a component.\n").parent.parent, "--json")

    assert {"notes/a.md": 2, "notes/b.yaml": 0, "rows/c.jsonl": 4, "rows/d.md": 2} == {
        each["document"]: each["accepted"] * (each["document"] != "notes/b.yaml") for each in told.json["documents"]
    }
    assert {"a.md:2", "b.yaml:11", "c.jsonl:2"} == {each["where"].rpartition("/")[2] for each in told.json["problems"]}
    assert {"component:ledger", "component:cart"} <= {row["subject"] for row in done("quarantine", "list", "--json").json["claims"]}
    assert {""} == {each["reason"] for each in told.json["problems"]}


def test_a_readme_and_a_notice_are_read_like_other_files(data: Path, lay: Lay) -> None:
    lay("notes/c.yaml", CATALOGUE % "x")
    for name in ("notes/README.md", "notes/notice.md", "notes/NOTICE"):
        folder = lay(name, "Ledger is owned by Atlas.\n").parent
    ingested(folder)
    cited = {each["document"] for each in done("ask", "Who owns Ledger?", "--json").json["citations"]}

    assert {"notes/README.md", "notes/notice.md", "notes/NOTICE"} <= cited
