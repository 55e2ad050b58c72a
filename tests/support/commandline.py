"""The sample world, read once for a test session: through the command line, as its users read it."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from kgplatform.cli import main
from kgplatform.packs.folders import sample_data


class Said(NamedTuple):
    """What one command line gave back."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


def kg(*arguments: str | Path) -> Said:
    """Run one command line in this process."""
    out, err = TextIOWrapper(BytesIO(), "utf-8"), TextIOWrapper(BytesIO(), "utf-8")
    with redirect_stdout(out), redirect_stderr(err):
        code = main([str(each) for each in arguments])
        out.flush()
        err.flush()
    return Said(code, out.buffer.getvalue().decode(), err.buffer.getvalue().decode())


def done(*arguments: str | Path) -> Said:
    """The same, where nothing may go wrong."""
    said = kg(*arguments)
    assert 0 == said.code, said.err
    return said


def set_password(monkeypatch: pytest.MonkeyPatch, name: str, line: str | bytes, *options: str) -> Said:
    """`kgplatform principal password NAME --stdin` with this on standard input."""
    sent = line if isinstance(line, bytes) else f"{line}\n".encode()
    monkeypatch.setattr("sys.stdin", TextIOWrapper(BytesIO(sent), "utf-8"))
    return kg("principal", "password", name, "--stdin", *options)


Kg = Callable[..., Said]


def read_world(data: Path) -> Said:
    """The sample world in a new data directory, with the principal `finance`; the summary of its ingest."""
    done("--config", sample_data() / "kgplatform.toml", "init", "--data", data)
    done("principal", "add", "finance", "--scope", "finance", "--data", data)
    return done("ingest", sample_data(), "--data", data, "--json")
