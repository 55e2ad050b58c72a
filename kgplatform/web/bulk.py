"""What takes the whole view at once, through the API: validate and export. Each is a child process, so that no other request waits."""

from __future__ import annotations

import tempfile
from os import SEEK_END
from typing import IO, Final

from flask import Response, request
from werkzeug.wsgi import wrap_file

from .callers import current_principal, settings
from .parameters import parameters
from .replies import kept
from .request_forms import ExportForm, ReportForm
from .subprocesses import printed

REPORTS: Final = {"json": "application/json", "turtle": "text/turtle; charset=utf-8", "text": "text/plain; charset=utf-8"}
EXPORTS: Final = {"trig": "application/trig; charset=utf-8", "rdf12": "text/turtle; charset=utf-8; version=1.2"}


def validate() -> Response:
    """All shapes over what the caller sees."""
    asked = parameters(ReportForm)
    with tempfile.TemporaryFile() as out:
        _run("validate", asked, out)
        return kept(out.read(), REPORTS[asked.format])


def export() -> Response:
    """What the caller sees, whole: facts, assertions and their sources."""
    asked = parameters(ExportForm)
    out = tempfile.TemporaryFile()  # noqa: SIM115  the response closes it
    _run("export", asked, out)
    made = Response(wrap_file(request.environ, out), content_type=EXPORTS[asked.format], direct_passthrough=True)
    made.content_length = out.seek(0, SEEK_END)
    out.seek(0)
    made.headers["Cache-Control"] = "private, no-cache"
    return made


def _run(name: str, asked: ReportForm | ExportForm, out: IO[bytes]) -> None:
    """Run the command of that name for the caller, at the dates and in the format of the request; what it says is in `out`."""
    options = [f"--{key}={instant}" for key, instant in zip(("valid-at", "recorded-at"), asked.dates, strict=True) if instant]
    printed(settings(), out, name, f"--format={asked.format}", f"--as={current_principal().name}", *options)
