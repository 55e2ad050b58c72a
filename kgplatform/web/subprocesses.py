"""Child processes: each is one command line of `python -m kgplatform`, under the settings of the application."""

from __future__ import annotations

import logging
import subprocess
import sys
import tempfile
from typing import IO, Final

from ..settings.load import Settings
from .limits import place
from .problems import HttpProblem

SECONDS: Final = 120.0
"""After which a child is ended that a request waits for."""

log = logging.getLogger("kgplatform.web")


def command(chosen: Settings, *arguments: str) -> list[str]:
    """The command line of a child that prints JSON. No module is found in the folder where the server was started (-P)."""
    config = [f"--config={chosen.file.absolute()}"] if chosen.file else []
    return [sys.executable, "-P", "-m", "kgplatform", *arguments, f"--data={chosen.data.absolute()}", *config, "--json"]


def printed(chosen: Settings, out: IO[bytes], *arguments: str) -> None:
    """Run a command line that reads the whole view, and write what it prints; few do at once. Raises the Problem of one that fails."""
    with place("dated"), tempfile.TemporaryFile() as err:
        line = command(chosen, *arguments)
        try:
            # a session of its own: an interrupt at the server's terminal is no reason to leave a request unanswered
            done = subprocess.run(
                line, stdout=out, stderr=err, timeout=SECONDS, stdin=subprocess.DEVNULL, check=False, start_new_session=True
            )
        except subprocess.TimeoutExpired as error:
            raise HttpProblem("query-timeout", f"it was ended after {SECONDS:g} s") from error
        if done.returncode != 0:
            err.seek(0)
            log.error("%s ended with code %s: %s", arguments[0], done.returncode, err.read().decode(errors="replace").strip())
            raise HttpProblem("fault")
    out.seek(0)
