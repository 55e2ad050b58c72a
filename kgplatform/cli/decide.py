"""Deciding: merge, unmerge, reject, erase, purge; and what was decided."""

from __future__ import annotations

from collections.abc import Sequence

import click

from ..errors import DataDirError
from ..graph import KnowledgeGraph
from ..results import Json, Receipt
from .frame import Run, cli, confirm, pass_graph, pass_run
from .show import day, show_done, show_rows


@cli.command()
@click.argument("a")
@click.argument("b")
@click.option("--apart", is_flag=True, help="Decide that they are two.")
@click.option("--scope", "scopes", multiple=True, metavar="SCOPE", help="May be given more than once.")
@pass_run
def merge(run: Run, a: str, b: str, apart: bool, scopes: tuple[str, ...]) -> None:
    """Decide that two mention keys (component:tax, person:a-kim) are one entity.

    It holds for those who hold the scopes given, else for those who see the documents that name both keys.
    """
    made = run.graph().merge(a, b, apart=apart, scopes=scopes or None)
    what = "kept apart" if apart else "merged"
    told = f"{what}: {a} and {b} (decision {made}; back with: kgplatform unmerge {a} {b})"
    show_done(run, {"decision": made, "kind": what, "a": a, "b": b}, told)


@cli.command()
@click.argument("a")
@click.argument("b")
@pass_run
def unmerge(run: Run, a: str, b: str) -> None:
    """Take back what was decided of two mention keys, as if it had never been."""
    ended = run.local_graph().unmerge(a, b)
    show_done(run, {"ended": ended}, f"taken back: decision {', '.join(map(str, ended))} of {a} and {b}")


@cli.command()
@click.argument("claim", default="", required=False)
@click.option("--document", default="", metavar="NAME", help="All that a document says, in every version, instead of one claim.")
@click.option("--reason", default="", metavar="TEXT", help="What is wrong with it.")
@click.option("--undo", is_flag=True, help="Take the rejection back.")
@pass_graph
def reject(run: Run, graph: KnowledgeGraph, claim: str, document: str, reason: str, undo: bool) -> None:
    """Reject a claim that was accepted and is wrong, by the first characters of its id (`ask --json` and `entity --json` show it).

    It holds in whatever version its document says it again. The source stays, and nothing else of it changes.
    """
    made = graph.unreject(claim, document=document) if undo else graph.reject(claim, document=document, reason=reason)
    done = made.to_dict()
    what = f"all of {done['document']}" if document else f"{done['claim'][:12]} of {done['document']}"
    back = f"back with: kgplatform reject {f'--document {document}' if document else claim} --undo"
    show_done(run, done, f"taken back: the rejection of {what}" if undo else f"rejected: {what} (decision {done['decision']}; {back})")


@cli.command()
@click.option("--all", "ended", is_flag=True, help="Those that were taken back, too.")
@pass_graph
def decisions(run: Run, graph: KnowledgeGraph, ended: bool) -> None:
    """What was decided: claims and documents rejected, mentions merged or kept apart; by whom, when and why."""
    rows = [each.to_dict() for each in graph.decisions(ended=ended)]
    if run.json:
        run.emit({"decisions": rows})
        return
    shown = [
        {**row, "about": _about(row), "recorded": day(row["recorded"]), "ended": day(row["ended"]) if row["ended"] else ""} for row in rows
    ]
    show_rows(
        run, ("decision", "kind", "about", "reason", "by", "recorded", *(("ended",) if ended else ())), shown, empty="nothing was decided"
    )


def _about(row: Json) -> str:
    if not row["document"]:
        return f"{row['a']} and {row['b']}"
    fact = " ".join(row[part] for part in ("subject", "relation", "object") if row[part])
    return f"{row['document']}: {fact or 'all that it says'}"


@cli.command()
@click.argument("document")
@click.option("--yes", is_flag=True, help="Do not ask.")
@pass_run
def erase(run: Run, document: str, yes: bool) -> None:
    """Forget a document in all its versions: at once in every answer, then in every byte of the data directory."""

    def ask(full: str) -> None:
        if not yes:
            confirm(f"erase {full} in all its versions, for good?")

    def tell(full: str) -> None:
        if not run.json:
            run.say(f"erased {full}: no answer speaks of it any more")

    receipts = run.local_graph().erase(document, before=ask, between=tell)
    if run.json:
        *others, receipt = receipts
        run.emit({**receipt.to_dict(), "completed": [other.to_dict() for other in others]})
    _show_purged(run, receipts)


@cli.command()
@pass_run
def purge(run: Run) -> None:
    """Complete erasures that were cut short, and remove originals that a killed ingest left: a receipt for each."""
    from ..admin.purge import purge as complete

    receipts, leftovers = complete(run.settings)
    if run.json:
        run.emit({"receipts": [receipt.to_dict() for receipt in receipts], "leftovers": leftovers})
    elif leftovers or not receipts:
        run.say(f"removed {leftovers} originals that no document names" if leftovers else "no erasure was left to complete")
    _show_purged(run, receipts)


def _show_purged(run: Run, receipts: Sequence[Receipt]) -> None:
    """A line for each receipt. DataDirError for what still stands in a file."""
    for receipt in () if run.json else receipts:
        if receipt.found:
            continue
        gone = f"none of its {receipt.strings} strings is in any byte of {run.data}"
        beyond = f"; the bytes of the remote store {receipt.out_of_reach} are out of reach from here, so that it is not purged"
        run.say(f"{receipt.state} {receipt.document}: {gone}{beyond if receipt.out_of_reach else ''}")
    for receipt in receipts:
        if receipt.found:
            what = f"erased, but not purged: {receipt.document} left strings in {', '.join(receipt.found)}"
            raise DataDirError(what, where=str(run.data), hint="remove them, then run `kgplatform purge`")
