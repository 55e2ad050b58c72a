"""Asking and looking: ask, plan, sparql, search, entity, export. Each reads through the view of one principal."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from ..config import PLANNERS
from ..errors import QuerySyntaxError, UsageError
from ..model import TRUST_LEVELS
from ..query.prologue import PROLOGUE, placed
from .frame import Run, at_times, cli, pass_run
from .show import show_answer, show_entity, show_rows


@cli.command()
@click.argument("question")
@at_times
@click.option("--min-trust", type=click.Choice(TRUST_LEVELS), default=TRUST_LEVELS[0], help="Least trust of what is shown.")
@click.option("--explain", is_flag=True, help="Show the plan in words, each check, the query with its parameters, and timings.")
@click.option(
    "--planner", type=click.Choice(PLANNERS), help="Who plans: the rules, the language model of [model], or it where they cannot."
)
@pass_run
def ask(run: Run, question: str, valid_at: str | None, recorded_at: str | None, min_trust: str, explain: bool, planner: str | None) -> None:
    """Answer a question, with the evidence of every part."""
    from ..answer.ask import ask as answer_to
    from ..answer.planners import planner_of

    chosen = planner_of(run.settings.model, planner or "")
    with run.view(valid_at, recorded_at) as view:
        answer = answer_to(view, question, min_trust=min_trust, explain=explain, planner=chosen)
    if run.json:
        run.emit(answer.as_json())
        return
    show_answer(run, answer.as_json())
    if answer.explanation:
        run.say("")
        run.say(answer.explanation)


@cli.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, allow_dash=True, path_type=Path))
@at_times
@pass_run
def plan(run: Run, file: Path, valid_at: str | None, recorded_at: str | None) -> None:
    """Run a plan that stands as JSON in FILE (- reads standard input), as `ask --json` prints it."""
    from ..answer.ask import run_plan
    from ..query.codec import from_text

    wanted = from_text(_text(file))
    with run.view(valid_at, recorded_at) as view:
        answer = run_plan(view, wanted)
    if run.json:
        run.emit(answer.as_json())
    else:
        show_answer(run, answer.as_json())


@cli.command()
@click.argument("query")
@at_times
@click.option("--dataset", type=click.Choice(["facts", "full"]), default="facts", help="The facts alone, or with the records behind them.")
@click.option(
    "--format", "format_", type=click.Choice(["json", "xml", "csv", "tsv", "turtle", "ntriples", "jsonld", "rdfxml"]), help="Output format."
)
@click.option(
    "--timeout", type=click.FloatRange(min=0, min_open=True), default=30.0, show_default=True, help="Seconds until the query is ended."
)
@pass_run
def sparql(run: Run, query: str, valid_at: str | None, recorded_at: str | None, dataset: str, format_: str | None, timeout: float) -> None:
    """Run a read-only SPARQL query in the caller's view. QUERY is its text, @FILE, or - for standard input.

    The prefixes kg, sc, pp, rdf, rdfs, owl, xsd, skos, prov and dcterms are known.
    """
    text = _text(Path(query.removeprefix("@"))) if query == "-" or query.startswith("@") else query
    with run.view(valid_at, recorded_at) as view:
        try:
            result = view.query(PROLOGUE + text, dataset=dataset, timeout=timeout)
        except QuerySyntaxError as error:
            raise placed(error) from error
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
@pass_run
def search(run: Run, text: str, valid_at: str | None, recorded_at: str | None, limit: int) -> None:
    """Find entities by name, tolerant of typing mistakes."""
    from ..retrieve.lexical import search as found

    with run.view(valid_at, recorded_at) as view:
        hits = [hit.as_json() for hit in found(view, text, limit=limit)]
    if run.json:
        run.emit(hits)
    else:
        show_rows(run, ("label", "types", "key"), hits, empty="nothing of that name")


@cli.command()
@click.argument("name")
@at_times
@pass_run
def entity(run: Run, name: str, valid_at: str | None, recorded_at: str | None) -> None:
    """Show one entity with all its facts and their sources. NAME is a label, a key such as component:tax, or an IRI."""
    from ..answer.entity import entity as shown

    with run.view(valid_at, recorded_at) as view:
        found = shown(view, name).as_json()
    if run.json:
        run.emit(found)
    else:
        show_entity(run, found)


@cli.command()
@at_times
@click.option("--format", "format_", type=click.Choice(["trig", "rdf12"]), default="trig", help="TriG, or RDF 1.2 with reifiers.")
@click.option("--output", type=click.Path(dir_okay=False, path_type=Path), help="A file instead of standard output.")
@pass_run
def export(run: Run, valid_at: str | None, recorded_at: str | None, format_: str, output: Path | None) -> None:
    """Write what the caller sees: facts, assertions and their sources."""
    from ..keep import export as write

    with run.view(valid_at, recorded_at) as view:
        if output is None:
            write(view, sys.stdout.buffer, form=format_)
            return
        with output.open("wb") as out:
            count = write(view, out, form=format_)
    if run.json:
        run.emit({"file": str(output), "statements": count})
    else:
        run.say(f"wrote {count} statements to {output}")


def _text(path: Path) -> str:
    try:
        return sys.stdin.read() if str(path) == "-" else path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot be read: {error}", where=str(path), hint="name a readable UTF-8 file, or - for standard input") from error
