"""What all commands share: the common options, the run they describe, output and logging.

The common options work before and after the command, because the group and every command carry the same ones
and both write into the context's `meta`, where the later one wins.
"""

from __future__ import annotations

import json
import logging
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, update_wrapper
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, Final, ParamSpec, TypeVar

import click
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from .. import __version__
from ..errors import DataDirError, UsageError
from ..settings.load import DEFAULT_DATA, ServerAddress, Settings, load_settings, server_address, stated_data, stated_server
from ..times import Instant, parse_asked, to_instant

if TYPE_CHECKING:
    from ..graph import KnowledgeGraph
    from ..local import LocalGraph

P = ParamSpec("P")
R = TypeVar("R")
log = logging.getLogger("kgplatform")
_META: Final = "kgplatform."
_CONTROL: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
TRUST_IN_THE_SHELL: Final = "--as NAME is trust in whoever holds this shell and this data directory, not a login"


def _remember(context: click.Context, parameter: click.Parameter, value: Any) -> None:
    if value not in (None, False, 0):
        context.meta[f"{_META}{parameter.name}"] = value


def _common_options() -> list[click.Option]:
    """Fresh option objects for one command; click wants each to belong to one command only."""
    return [
        click.Option(
            ["--data"],
            type=click.Path(path_type=Path, file_okay=False),
            metavar="DIR",
            callback=_remember,
            expose_value=False,
            help="Data directory (KGPLATFORM_DATA, else ./kgdata).",
        ),
        click.Option(
            ["--config"],
            type=click.Path(path_type=Path, dir_okay=False),
            metavar="FILE",
            callback=_remember,
            expose_value=False,
            help="Settings file instead of kgplatform.toml in the data directory.",
        ),
        click.Option(
            ["--as", "as_"],
            metavar="NAME",
            callback=_remember,
            expose_value=False,
            help="Ask as this principal (public if none). Trust in the shell, not a login.",
        ),
        click.Option(
            ["--server"],
            metavar="URL",
            callback=_remember,
            expose_value=False,
            help="Talk to a running server (KGPLATFORM_SERVER), with the token of KGPLATFORM_TOKEN, instead of to a data directory.",
        ),
        click.Option(
            ["--token-file"],
            type=click.Path(path_type=Path, dir_okay=False),
            metavar="FILE",
            callback=_remember,
            expose_value=False,
            help="The token for the server, instead of KGPLATFORM_TOKEN.",
        ),
        click.Option(["--json", "json_"], is_flag=True, callback=_remember, expose_value=False, help="Print JSON."),
        click.Option(["-v", "--verbose"], count=True, callback=_remember, expose_value=False, help="Log more to stderr; twice for all."),
        click.Option(["--log-json"], is_flag=True, callback=_remember, expose_value=False, help="Log lines as JSON."),
    ]


class KgCommand(click.Command):
    """A command that carries the common options as well."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.params = [*self.params, *_common_options()]

    def invoke(self, ctx: click.Context) -> Any:
        """Run it. Raises UsageError for an argument that is not UTF-8."""
        for name, value in ctx.params.items():
            if isinstance(value, str) and not value.isascii() and value != value.encode(errors="replace").decode():
                raise UsageError("is not in UTF-8", where=name)
        return super().invoke(ctx)


class KgGroup(click.Group):
    """A group whose commands, at any depth, carry the common options."""

    command_class = KgCommand
    group_class = type

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.params = [*self.params, *_common_options()]


@dataclass(frozen=True)
class Run:
    """One invocation: where the data is (and whether anyone said so) or which server has it, who asks, how the result is shown."""

    data: Path
    config: Path | None
    names_data: bool
    name: str
    json: bool
    verbose: int
    server: ServerAddress | None = None

    @cached_property
    def settings(self) -> Settings:
        """The settings of an existing data directory; DataDirError where there is none."""
        if not self.data.is_dir():
            raise DataDirError("no such data directory", where=str(self.data), hint="run `kgplatform init` first")
        return load_settings(self.data, config=self.config)

    def graph(self, valid_at: Instant = "", recorded_at: Instant = "") -> KnowledgeGraph:
        """What answers this run: the server, or the data directory as the principal that was named."""
        if self.server is not None:
            from ..client.graph import RemoteGraph

            return RemoteGraph(self.server, valid_at=valid_at, recorded_at=recorded_at)
        return self.local_graph(valid_at, recorded_at)

    def local_graph(self, valid_at: Instant = "", recorded_at: Instant = "") -> LocalGraph:
        """The data directory as the principal that was named sees it."""
        from ..local import LocalGraph

        return LocalGraph(self.settings, self.name, valid_at=valid_at, recorded_at=recorded_at)

    @cached_property
    def out(self) -> Console:
        """Standard output: colours and box tables on a terminal, plain text of any width elsewhere."""
        return Console(highlight=False, soft_wrap=True, width=None if sys.stdout.isatty() else 10_000)

    @cached_property
    def err(self) -> Console:
        """Standard error, for what is no result: progress, questions."""
        return Console(stderr=True, highlight=False, soft_wrap=True)

    def say(self, text: str) -> None:
        """One line of plain text; markup in it is text."""
        self.out.print(escape(printable(text)))

    def emit(self, value: Any) -> None:
        """The result as JSON, one object, keys in their own order."""
        click.echo(json.dumps(value, ensure_ascii=False, indent=2, default=_plain))

    def table(self, columns: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
        """A table: drawn on a terminal, tab-separated lines with one header line elsewhere."""
        if not self.out.is_terminal:
            for row in (columns, *rows):
                click.echo("\t".join(" ".join(printable(str(cell)).split()) for cell in row))
            return
        table = Table(*columns, header_style="bold", box=None, pad_edge=False)
        for row in rows:
            table.add_row(*(escape(printable(str(cell))) for cell in row))
        self.out.print(table)


def printable(text: str) -> str:
    """A text without control characters, which a terminal would obey whoever wrote them; tabs and line breaks stay."""
    return _CONTROL.sub("\N{REPLACEMENT CHARACTER}", text)


def _plain(value: object) -> object:
    """How values that JSON does not know are written."""
    if isinstance(value, frozenset | set):
        return sorted(value)
    if isinstance(value, tuple):
        return list(value)
    if isinstance(value, Mapping):
        return dict(value)
    return str(value)


def pass_run(function: Callable[Concatenate[Run, P], R]) -> Callable[P, R]:
    """Give the command its Run, read from the common options wherever they stood. It is one for a data directory alone."""

    def called(*arguments: P.args, **options: P.kwargs) -> R:
        run = _run()
        if run.server is not None:
            command = click.get_current_context().command_path
            raise UsageError(
                f"`{command}` works on a data directory, not over a server",
                hint="run it where the directory is, with --data DIR and without --server",
            )
        return function(run, *arguments, **options)

    return update_wrapper(called, function)


def pass_graph(function: Callable[..., R]) -> Callable[..., R]:
    """Give the command its Run, and the graph that answers it: of the data directory or of the server, at the dates of `at_times`."""

    def called(*arguments: Any, valid_at: Instant = "", recorded_at: Instant = "", **options: Any) -> R:
        run = _run()
        with run.graph(valid_at, recorded_at) as graph:
            return function(run, graph, *arguments, **options)

    return update_wrapper(called, function)


def _run() -> Run:
    meta = click.get_current_context().meta

    def said(name: str, default: Any = None) -> Any:
        return meta.get(f"{_META}{name}", default)

    start_logging(verbose=said("verbose", 0), as_json=said("log_json", False))
    data = said("data") or stated_data()
    server = _server(said)
    name = said("as_", "")
    if name:
        log.info("asked as %s: %s", name, TRUST_IN_THE_SHELL)
    return Run(data or Path(DEFAULT_DATA), said("config"), data is not None, name, said("json_", False), said("verbose", 0), server)


def _server(said: Callable[[str], Any]) -> ServerAddress | None:
    """The server that the options or else the environment name; a directory that an option names counts more than the environment."""
    url = said("server") or ("" if said("data") else stated_server())
    if not url:
        if said("token_file"):
            raise UsageError("there is no server to send a token to", where="--token-file", hint="name one with --server")
        return None
    for option, name in (("--data", "data"), ("--config", "config"), ("--as", "as_")):
        if said(name):
            hint = "its token says who asks" if name == "as_" else "a server has its own"
            raise UsageError(f"{option} does not go with a server", where=f"--server {url}", hint=hint)
    if not said("server") and stated_data():
        raise UsageError(
            "KGPLATFORM_SERVER and KGPLATFORM_DATA are both set", hint="unset one of them, or say which with --server or --data"
        )
    return server_address(url, token_file=said("token_file"))


def _instant(_context: click.Context, option: click.Parameter, text: str | None) -> Instant:
    """The instant that a date option states (its first second), '' if it is not given; UsageError for another text."""
    try:
        return parse_asked(text).at if text is not None else ""
    except ValueError as error:
        raise UsageError(
            str(error), where=option.opts[0], hint="use YYYY, YYYY-MM, YYYY-MM-DD or a UTC instant such as 2025-11-01T12:00:00Z"
        ) from error


def confirm(question: str) -> None:
    """Go on only after a yes; where nobody can be asked, UsageError names the option that says yes."""
    if not sys.stdin.isatty():
        raise UsageError("this asks first, and nobody is there to answer", where=question, hint="say --yes")
    click.confirm(question, abort=True, err=True)


@click.group(cls=KgGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="kgplatform")
def cli() -> None:
    """Documents and records into a knowledge graph that can be trusted, and cited answers from it.

    The options below work before and after a command. --as NAME is trust in the shell, not a login: whoever can
    run this command on this data directory can name anyone. Nobody named means public. With --server, a token says
    who asks; it stands in KGPLATFORM_TOKEN or in a file, never on the command line, where others could read it.
    """


F = TypeVar("F", bound=Callable[..., Any])


def at_times(function: F) -> F:
    """The two dates that every reading command takes."""
    function = click.option("--recorded-at", metavar="DATE", callback=_instant, help="As the platform knew it on that day.")(function)
    return click.option("--valid-at", metavar="DATE", callback=_instant, help="What held on that day (now if not given).")(function)


# -- logging


class _JsonLines(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        import datetime as dt

        moment = to_instant(dt.datetime.fromtimestamp(record.created, dt.UTC))
        line = {"time": moment, "level": record.levelname.lower(), "logger": record.name, "message": record.getMessage()}
        if record.exc_info:
            line["trace"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False)


def start_logging(*, verbose: int, as_json: bool) -> None:
    """Logs of kgplatform to stderr: warnings, with -v what is done, with -vv everything."""
    sink = logging.StreamHandler(sys.stderr)
    sink.setFormatter(_JsonLines() if as_json else logging.Formatter("%(levelname).1s %(name)s: %(message)s"))
    log.handlers[:] = [sink]
    log.propagate = False
    log.setLevel({0: logging.WARNING, 1: logging.INFO}.get(verbose, logging.DEBUG))
