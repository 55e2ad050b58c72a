"""Passwords on the command line: set, refused, taken away; never shown, and kept as a hash alone."""

from __future__ import annotations

import io
import os
import pty
import sys
from pathlib import Path

import pytest
from support.commandline import done, kg, set_password

SECRET = "correct horse battery"


def has_password(name: str) -> bool:
    return next(bool(who["has_password"]) for who in done("principal", "list", "--json").json if who["name"] == name)


def test_a_password_is_set_from_standard_input_and_only_its_hash_is_kept(own_world: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not has_password("finance")
    said = set_password(monkeypatch, "finance", SECRET, "-vv", "--log-json")

    assert 0 == said.code and has_password("finance")
    listed = done("principal", "list").out + done("principal", "list", "--json").out + said.out + said.err
    assert "argon2" not in listed and SECRET not in listed
    files = {path: path.read_bytes() for path in own_world.rglob("*") if path.is_file()}
    assert not [path for path, content in files.items() if SECRET.encode() in content]
    assert {"ledger.sqlite"} >= {path.name.removesuffix("-wal") for path, content in files.items() if b"$argon2id$" in content}


def test_a_password_is_asked_for_twice_and_not_shown(own_world: Path) -> None:
    child, terminal = pty.fork()
    if child == 0:
        os.execv(sys.executable, [sys.executable, "-m", "kgplatform", "principal", "password", "finance"])
    seen = b""
    for prompt in (b"new password of finance:", b"once more:"):
        while prompt not in seen:
            seen += os.read(terminal, 1024)
        os.write(terminal, f"{SECRET}\n".encode())
    while b"from now on" not in seen:
        seen += os.read(terminal, 1024)
    ended = os.waitpid(child, 0)[1]
    os.close(terminal)

    assert 0 == ended and SECRET.encode() not in seen
    assert has_password("finance")


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("short", "too short"),
        ("", "too short"),
        ("ﬀ" * 5, "too short"),
        ("x" * 1025, "too long"),
        ("The-Finance-Department", "is the name"),
        (b"\xff" * 20 + b"\n", "no text"),
    ],
    ids=["short", "empty", "short-when-normal", "long", "name", "bytes"],
)
def test_a_password_that_is_not_taken_is_told_in_one_line_without_it(
    own_world: Path, monkeypatch: pytest.MonkeyPatch, line: str | bytes, why: str
) -> None:
    done("principal", "add", "the-finance-department")
    said = set_password(monkeypatch, "the-finance-department", line)

    assert 2 == said.code and 1 == len(said.err.splitlines()) and why in said.err
    assert not has_password("the-finance-department") and "xx" not in said.err


@pytest.mark.parametrize("name", ["nobody", "public", ""])
def test_who_is_no_principal_gets_no_password(own_world: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    said = set_password(monkeypatch, name, SECRET)

    assert 1 == said.code and 1 == len(said.err.splitlines())


def test_without_a_terminal_nobody_is_asked(own_world: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(SECRET.encode()), "utf-8"))
    said = kg("principal", "password", "finance")

    assert 2 == said.code and "--stdin" in said.err and not has_password("finance")


def test_a_password_goes_when_it_or_its_principal_is_removed_and_stays_when_that_is_replaced(
    own_world: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_password(monkeypatch, "finance", SECRET)
    done("token", "create", "finance")
    done("principal", "add", "finance", "--scope", "board")
    assert has_password("finance") and 1 == len(done("token", "list", "--json").json)
    done("principal", "password", "finance", "--remove")
    assert not has_password("finance")
    assert 1 == kg("principal", "password", "finance", "--remove").code

    set_password(monkeypatch, "finance", SECRET)
    done("principal", "remove", "finance")
    done("principal", "add", "finance")
    assert not has_password("finance")


def test_a_backup_brings_passwords_back(own_world: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    set_password(monkeypatch, "finance", SECRET)
    done("backup", tmp_path / "kept")
    done("restore", tmp_path / "kept", "--data", tmp_path / "again")

    monkeypatch.setenv("KGPLATFORM_DATA", str(tmp_path / "again"))
    assert has_password("finance")
