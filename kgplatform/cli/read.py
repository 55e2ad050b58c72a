"""Asking and looking: ask, plan, sparql, search, entity, export. Each reads what one principal sees."""

from __future__ import annotations

import sys
from pathlib import Path
from shutil import copyfileobj
from tempfile import TemporaryFile

import click
import pyoxigraph as ox

from ..errors import AmbiguousName, UsageError
from ..graph import KnowledgeGraph
from ..model import TRUST_LEVELS
from ..views.formats import SHORT_NAMES
from .frame import Run, at_times, cli, pass_graph
from .show import show, show_answer, show_done, show_entity, show_rows


@cli.command()
@click.argument("question")
@at_times
@click.option("--min-trust", type=click.Choice(TRUST_LEVELS), default=TRUST_LEVELS[0], help="Least trust of what is shown.")
@click.option("--explain", is_flag=True, help="Show the plan in words, each check, the query with its parameters, and timings.")
@click.option(
    "--planner",
    metavar="NAME",
    help="Who plans: rules, model (the language model of [model]), rules-then-model (it where they cannot), or an installed planner.",
)
@pass_graph
def ask(run: Run, graph: KnowledgeGraph, question: str, min_trust: str, explain: bool, planner: str | None) -> None:
    """Answer a question, with the evidence of every part."""
    answer = graph.ask(question, min_trust=min_trust, explain=explain, planner=planner or "")
    show(run, answer.to_dict(), show_answer)


@cli.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, allow_dash=True, path_type=Path))
@at_times
@pass_graph
def plan(run: Run, graph: KnowledgeGraph, file: Path) -> None:
    """Run a plan that stands as JSON in FILE (- reads standard input), as `ask --json` prints it."""
    from ..answer.plans import from_text

    show(run, graph.plan(from_text(_text(file))).to_dict(), show_answer)


@cli.command()
@click.argument("query")
@at_times
@click.option("--dataset", type=click.Choice(["facts", "full"]), default="facts", help="The facts alone, or with the records behind them.")
@click.option("--format", "format_", type=click.Choice(list(SHORT_NAMES)), help="Output format.")
@click.option(
    "--timeout", type=click.FloatRange(min=0, min_open=True), default=30.0, show_default=True, help="Seconds until the query is ended."
)
@pass_graph
def sparql(run: Run, graph: KnowledgeGraph, query: str, dataset: str, format_: str | None, timeout: float) -> None:
    """Run a read-only SPARQL query in the caller's view. QUERY is its text, @FILE, or - for standard input.

    The prefixes kg, sc, pp, rdf, rdfs, owl, xsd, skos, prov and dcterms are known.
    """
    text = _text(Path(query.removeprefix("@"))) if query == "-" or query.startswith("@") else query
    result = graph.sparql(text, dataset=dataset, timeout=timeout)
    if format_ or run.json:
        sys.stdout.flush()
        result.write(sys.stdout.buffer, format_ or ("jsonld" if result.kind == "triples" else "json"))
        if format_ in (None, "json", "jsonld"):
            click.echo()
    elif result.kind == "boolean":
        run.say(str(result.boolean).lower())
    else:
        columns = result.variables or ("subject", "predicate", "object")
        show_rows(run, columns, result.table(), empty="no solutions")


@cli.command()
@click.argument("text")
@at_times
@click.option("--limit", type=click.IntRange(1, 1000), default=10, show_default=True)
@pass_graph
def search(run: Run, graph: KnowledgeGraph, text: str, limit: int) -> None:
    """Find entities by name, tolerant of typing mistakes."""
    hits = [hit.to_dict() for hit in graph.search(text, limit=limit)]
    show(run, hits, lambda run, hits: show_rows(run, ("label", "types", "key"), hits, empty="nothing of that name"))


@cli.command()
@click.argument("name")
@at_times
@pass_graph
def entity(run: Run, graph: KnowledgeGraph, name: str) -> None:
    """Show one entity with all its facts and their sources. NAME is a label, a key such as component:tax, or an IRI."""
    try:
        found = graph.entity(name).to_dict()
    except AmbiguousName as error:
        found = {"asked": name, "outcome": "ambiguous", "candidates": [each.to_dict() for each in error.candidates]}
    show(run, found, show_entity)


@cli.command()
@at_times
@click.option("--format", "format_", type=click.Choice(["trig", "rdf12"]), default="trig", help="TriG, or RDF 1.2 with reifiers.")
@click.option("--output", type=click.Path(dir_okay=False, path_type=Path), help="A file instead of standard output.")
@pass_graph
def export(run: Run, graph: KnowledgeGraph, format_: str, output: Path | None) -> None:
    """Write what the caller sees: facts, assertions and their sources."""
    if output is None:
        graph.export(sys.stdout.buffer, form=format_)
        return
    with TemporaryFile() as whole:  # what stands in the file stays there until all of this is known
        graph.export(whole, form=format_)
        whole.seek(0)
        with output.open("wb") as out:
            copyfileobj(whole, out)
    syntax = ox.RdfFormat.TRIG if format_ == "trig" else ox.RdfFormat.TURTLE
    count = sum(1 for _ in ox.parse(path=output, format=syntax))
    show_done(run, {"file": str(output), "statements": count}, f"wrote {count} statements to {output}")


def _text(path: Path) -> str:
    try:
        return sys.stdin.read() if str(path) == "-" else path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot be read: {error}", where=str(path), hint="name a readable UTF-8 file, or - for standard input") from error
