"""The command line: thin, last. Each file of this package holds one group of commands.

Exit code 0 for every outcome (no_match and ambiguous too), 1 for an error (one line on stderr: where, what, what next),
2 for a command that was not understood.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Sequence

import click

from ..errors import KgError
from . import decide, fill, judge, keep, people, read, serve
from .frame import cli, printable

__all__ = ["cli", "decide", "fill", "judge", "keep", "main", "people", "read", "run", "serve"]

log = logging.getLogger("kgplatform")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command line and return its exit code; no exception leaves here."""
    try:
        code = cli.main(args=None if arguments is None else list(arguments), prog_name="kgplatform", standalone_mode=False)
        sys.stdout.flush()
        return code if isinstance(code, int) else 0
    except KgError as error:
        log.debug("trace of the error", exc_info=True)
        click.echo(printable(str(error)), err=True)
        return error.exit_code
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except click.Abort:
        click.echo("stopped: nothing more was changed", err=True)
        return 1
    except BrokenPipeError:
        sys.stderr.close()  # the reader of our output went away: nothing is left to say, and nobody to say it to
        return 1
    except OSError as error:  # a file that may not be read, a folder that may not be written, a full disk
        log.debug("trace of the error", exc_info=True)
        place = f"{error.filename}: " if error.filename else ""
        click.echo(f"{place}{error.strerror or error}", err=True)
        return 1
    except Exception as error:  # the last line of defence: one line, never a trace unless asked for
        shown = log.isEnabledFor(logging.INFO) and bool(log.handlers)
        if shown:
            log.exception("unexpected %s", type(error).__name__)
        first = " ".join(str(error).split())[:300]
        click.echo(
            f"unexpected {type(error).__name__}: {first} (a fault of kgplatform; {'see the trace above' if shown else 'rerun with -v for the trace'})",
            err=True,
        )
        return 1


def run() -> None:
    """The console script."""
    sys.exit(main())
