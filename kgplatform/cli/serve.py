"""Serving: the pages, the SPARQL endpoint and the API over HTTP."""

from __future__ import annotations

import click

from ..errors import UsageError
from .frame import Run, cli, pass_run


@cli.command()
@click.option(
    "--host", default="127.0.0.1", show_default=True, help="Address to listen on. Others than this machine's own need TLS before it."
)
@click.option("--port", type=click.IntRange(0, 65535), default=8080, show_default=True, help="0 takes any free one.")
@click.option("--threads", type=click.IntRange(1, 256), default=8, show_default=True, help="Requests that are answered at once.")
@click.option("--proxy", default="", metavar="ADDRESS", help="The proxy whose X-Forwarded headers are believed.")
@pass_run
def serve(run: Run, host: str, port: int, threads: int, proxy: str) -> None:
    """Serve pages, SPARQL endpoint and API until stopped (Ctrl-C, SIGTERM).

    Callers are known by their tokens; --as means nothing here. Reading goes on while another command writes.
    """
    try:
        from ..web.serving import Address
        from ..web.serving import serve as serve_at
    except ModuleNotFoundError as error:
        raise UsageError(f"{error.name} is not installed", where="kgplatform serve", hint="pip install 'kgplatform[web]'") from error

    def ready(url: str) -> None:
        if run.json:
            run.emit({"url": url, "data": str(run.data)})
        else:
            run.say(f"serving {run.data} at {url} (stop with Ctrl-C)")
        run.out.file.flush()

    serve_at(run.settings, Address(host, port, proxy), threads=threads, on_ready=ready)
