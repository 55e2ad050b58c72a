"""Fixtures of all tests: `repo`, the checkout, and `shared`, the folder of real data that stands beside it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.kgserver import Server, serving
from support.served import Served, opened

REPO = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def repo() -> Path:
    return REPO


@pytest.fixture(scope="session")
def shared() -> Path:
    """The real catalogues, questions and the model of the derivation; named by KGPLATFORM_SHARED or beside the checkout."""
    folder = Path(os.environ.get("KGPLATFORM_SHARED") or REPO.parent / "shared")
    if not folder.is_dir():
        pytest.skip("needs the shared folder with the real data beside the checkout, or its path in KGPLATFORM_SHARED")
    return folder


@pytest.fixture(autouse=True)
def no_settings_from_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test depends on the variables of the shell that started it."""
    for name in ("DATA", "CONFIG", "SERVER", "TOKEN", "NOW", "STORE_USER", "STORE_PASSWORD", "STORE_TOKEN"):
        monkeypatch.delenv(f"KGPLATFORM_{name}", raising=False)


WORLD_NOW = "2025-11-01"


@pytest.fixture
def now(monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock of the sample world."""
    monkeypatch.setenv("KGPLATFORM_NOW", WORLD_NOW)


@pytest.fixture(scope="session")
def read_world_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from support.commandline import read_world

    data = tmp_path_factory.mktemp("world") / "kgdata"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KGPLATFORM_NOW", WORLD_NOW)
        read_world(data)
    return data


@pytest.fixture
def world(read_world_once: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data directory that holds the sample world at its clock. For reading; who writes takes `own_world`."""
    monkeypatch.setenv("KGPLATFORM_NOW", WORLD_NOW)
    monkeypatch.setenv("KGPLATFORM_DATA", str(read_world_once))
    return read_world_once


@pytest.fixture
def own_world(world: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of it that a test may change."""
    data = tmp_path / "kgdata"
    shutil.copytree(world, data)
    monkeypatch.setenv("KGPLATFORM_DATA", str(data))
    return data


@pytest.fixture(scope="session")
def served_once(read_world_once: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    data = tmp_path_factory.mktemp("served") / "kgdata"
    shutil.copytree(read_world_once, data)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KGPLATFORM_NOW", WORLD_NOW)
        with opened(data) as served:
            yield served


@pytest.fixture
def served(served_once: Served, now: None) -> Served:
    """The web application over the sample world, with principals and tokens. For reading; who writes takes `own_served`."""
    return served_once


@pytest.fixture
def own_served(own_world: Path) -> Iterator[Served]:
    """One over a copy that a test may change."""
    with opened(own_world) as served:
        yield served


@pytest.fixture(scope="module")
def server(read_world_once: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server process over a copy of the sample world, at its clock."""
    data = tmp_path_factory.mktemp("server") / "kgdata"
    shutil.copytree(read_world_once, data)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KGPLATFORM_NOW", WORLD_NOW)
        with serving(data) as found:
            yield found
