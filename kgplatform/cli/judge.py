"""Judging: validate, quarantine, conflicts, shapes."""

from __future__ import annotations

import csv
import sys
from collections import Counter
from collections.abc import Sequence
from itertools import groupby, islice
from pathlib import Path
from textwrap import shorten

import click

from ..graph import KnowledgeGraph
from .accounts import show_unread
from .frame import Run, at_times, cli, pass_graph, pass_run
from .show import show, show_conflicts, show_counts, show_done, show_fields, show_rows

COLUMNS = ("id", "reason", "document", "subject", "relation", "object", "message", "quote")


@cli.command()
@at_times
@click.option("--format", "format_", type=click.Choice(["text", "json", "turtle"]), help="turtle is the W3C report.")
@pass_graph
def validate(run: Run, graph: KnowledgeGraph, format_: str | None) -> None:
    """Run all shapes over what the caller sees: conflicts, findings, and how many nodes each shape looked at."""
    form = format_ or ("json" if run.json else "text")
    if form == "json":
        run.emit(graph.validate().to_dict())
    else:
        click.echo(graph.validation(form=form), nl=False)


@cli.command()
@at_times
@pass_graph
def conflicts(run: Run, graph: KnowledgeGraph) -> None:
    """Where sources disagree, with every value and its documents."""
    show(run, [each.to_dict() for each in graph.conflicts()], show_conflicts)


@cli.command()
@click.option("--limit", type=click.IntRange(1), default=20, show_default=True, help="Rows shown of each kind.")
@pass_graph
def unread(run: Run, graph: KnowledgeGraph, limit: int) -> None:
    """What was read without effect: documents without claims and why, keys without a mapping, parts left out, masked and guessed values.

    It speaks of the current version of each document that you may see; files that were not read at all are told without --as only.
    """
    found = {"items": [each.to_dict() for each in graph.unread()], "files": [each.to_dict() for each in graph.unread_files()]}
    show(run, found, lambda run, found: show_unread(run, found, limit=limit))


# -- quarantine


@cli.group()
def quarantine() -> None:
    """What the gate refused, and why."""


@quarantine.command("list")
@at_times
@click.option("--csv", "as_csv", is_flag=True, help="All rows as CSV.")
@click.option("--limit", type=click.IntRange(1), default=5, show_default=True, help="Claims shown of each reason.")
@pass_graph
def list_quarantine(run: Run, graph: KnowledgeGraph, as_csv: bool, limit: int) -> None:
    """Refused claims: counts by cause first, then the claims."""
    rows = [each.to_dict() for each in graph.quarantine()]
    counts = Counter(str(row["reason"]) for row in rows)
    if as_csv:
        out = csv.DictWriter(sys.stdout, COLUMNS, extrasaction="ignore")
        out.writeheader()
        out.writerows(rows)
    elif run.json:
        run.emit({"quarantined": len(rows), "reasons": dict(counts.most_common()), "claims": rows})
    elif not rows:
        run.say("quarantine is empty")
    else:
        show_counts(run, "reason", counts)
        run.say("")
        shown = [row for _reason, same in groupby(rows, key=lambda row: str(row["reason"])) for row in islice(same, limit)]
        short = [{**row, "id": str(row["id"])[:12], "object": shorten(str(row["object"]), 60)} for row in shown]
        show_rows(run, ("id", "reason", "document", "subject", "relation", "object"), short, empty="")
        if len(rows) > len(shown):
            run.say(
                f"{len(rows) - len(shown)} more: --limit N shows more of each reason, --csv all; `kgplatform quarantine show ID` says what to do"
            )


@quarantine.command("show")
@click.argument("claim", metavar="ID")
@at_times
@pass_graph
def show_quarantined(run: Run, graph: KnowledgeGraph, claim: str) -> None:
    """One refused claim with its quote and the reason. The first characters of its id are enough."""
    show(run, graph.refused(claim).to_dict(), show_fields)


@quarantine.command("discard")
@click.argument("claim", metavar="ID")
@pass_graph
def discard_quarantined(run: Run, graph: KnowledgeGraph, claim: str) -> None:
    """Record that a refused claim is not wanted; prints the number of the decision, with which `retry` brings it back."""
    done = graph.discard(claim).to_dict()
    made = done["decision"]
    show_done(run, done, f"discarded {done['id'][:12]} (decision {made}; back with: kgplatform quarantine retry {made})")


@quarantine.command("retry")
@click.argument("decisions", nargs=-1, type=int, metavar="[DECISION]...")
@click.option("--wait", default=0.0, metavar="SECONDS", type=click.FloatRange(0), help="Wait so long while another process writes.")
@pass_graph
def retry_quarantine(run: Run, graph: KnowledgeGraph, decisions: tuple[int, ...], wait: float) -> None:
    """Judge every claim again by the packs as they are now; the discarded claims of these decisions come back."""
    done = graph.retry(decisions, wait=wait).to_dict()
    released = " (the ontology had changed)" if done["ontology_changed"] else ""
    show_done(run, done, f"{done['before']} in quarantine before, {done['after']} now{released}")


# -- shapes


@cli.group()
def shapes() -> None:
    """The SHACL shapes that the ontology implies, and where hand-written ones disagree."""


@shapes.command("generate")
@click.option("--write", is_flag=True, help="Bring the generated section of every shapes file up to date.")
@click.option("--output", type=click.Path(dir_okay=False, path_type=Path), help="A file instead of standard output.")
@pass_run
def generate_shapes(run: Run, write: bool, output: Path | None) -> None:
    """Print the shapes that the packs of the settings imply; with --write, into the packs' shapes files."""
    from ..admin.shapes import implied, rewrite

    if write:
        _show_written(run, rewrite(run.settings.packs))
        return
    text = implied(run.settings.packs)
    if output:
        output.write_text(text, encoding="utf-8")
        _show_written(run, [output])
    elif run.json:
        run.emit({"shapes": text})
    else:
        click.echo(text, nl=False)


def _show_written(run: Run, paths: Sequence[Path]) -> None:
    if run.json:
        run.emit({"written": [str(path) for path in paths]})
    for path in () if run.json else paths:
        run.say(f"wrote {path}")


@shapes.command("check")
@pass_run
def check_packs(run: Run) -> None:
    """Read the packs and their shapes, and list what of them has no effect, with file and line."""
    from ..checks.packs import read_packs

    notes = read_packs(run.settings.packs).notes
    if run.json:
        run.emit({"notes": [note._asdict() for note in notes]})
        return
    for note in notes:
        run.say(str(note))
    if not notes:
        run.say("all that the packs say has an effect")


@shapes.command("drift")
@pass_run
def drift_of_shapes(run: Run) -> None:
    """Where the stored shapes and the ontology disagree, and what of the ontology has no effect."""
    from ..admin.shapes import disagreements

    found, without = disagreements(run.settings.packs)
    if run.json:
        run.emit({"drift": [each._asdict() for each in found], "ignored": without})
        return
    for each in found:
        run.say(str(each))
    for line in without:
        run.say(f"note: {line}")
    if not found:
        run.say("shapes and ontology agree")
