"""Child processes: each is one command line of `python -m kgplatform`, under the settings of the application."""

from __future__ import annotations

import logging
import subprocess
import sys
import tempfile
import time
from typing import IO, Final

from ..errors import QueryAbandoned
from ..settings.load import Settings
from .limits import GLANCE, has_hung_up, place
from .problems import HttpProblem

SECONDS: Final = 120.0
"""After which a child is ended that a request waits for."""

log = logging.getLogger("kgplatform.web")


def command(chosen: Settings, *arguments: str) -> list[str]:
    """The command line of a child that prints JSON. No module is found in the folder where the server was started (-P)."""
    config = [f"--config={chosen.file.absolute()}"] if chosen.file else []
    return [sys.executable, "-P", "-m", "kgplatform", *arguments, f"--data={chosen.data.absolute()}", *config, "--json"]


def printed(chosen: Settings, out: IO[bytes], *arguments: str) -> None:
    """Run a command line that reads the whole view, and write what it prints; few do at once.

    Raises the Problem of one that fails, and QueryAbandoned, with the child ended, where the caller has hung up.
    """
    with place("dated"), tempfile.TemporaryFile() as err:
        line = command(chosen, *arguments)
        # a session of its own: an interrupt at the server's terminal is no reason to leave a request unanswered
        child = subprocess.Popen(line, stdout=out, stderr=err, stdin=subprocess.DEVNULL, start_new_session=True)
        try:
            code = _exit_code(child)
        finally:
            child.kill()
            child.wait()
        if code != 0:
            err.seek(0)
            log.error("%s ended with code %s: %s", arguments[0], code, err.read().decode(errors="replace").strip())
            raise HttpProblem("fault")
    out.seek(0)


def _exit_code(child: subprocess.Popen[bytes]) -> int:
    deadline = time.monotonic() + SECONDS
    while time.monotonic() < deadline:
        try:
            return child.wait(timeout=GLANCE)
        except subprocess.TimeoutExpired:
            if has_hung_up():
                raise QueryAbandoned("nobody waits for the answer any more") from None
    raise HttpProblem("query-timeout", f"it was ended after {SECONDS:g} s")
